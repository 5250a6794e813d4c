/** The commands that documents name, and what the lab's own tables find wrong with each. Nothing is run. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { faults } from '../../lab/adapters/shipped-faults.ts';
import { oneOf } from '../../lab/base/format-command.ts';
import { ROOT } from '../../lab/base/paths.ts';
import { architectures } from '../../lab/catalog/architectures.ts';
import { experiments } from '../../lab/catalog/experiments.ts';
import { takeOptions } from '../../lab/cli/command-line.ts';
import { chooseArms } from '../../lab/compare/experiment/choose-arms.ts';
import { acceptedBy, OPTION_NAMES, refuseAllBut, refuseIdle } from '../../lab/options/accepted-options.ts';
import { readArm } from '../../lab/options/arms.ts';
import { readExpect } from '../../lab/options/expect.ts';
import type { Command } from '../../lab/options/options.ts';
import { readSettings } from '../../lab/options/settings.ts';
import { ALL } from '../../lab/record/findings.ts';

type Call = {
	/** as it is written */
	text: string;
	/** `make`, `doubletake` or `docker` */
	program: string;
	/** after it */
	words: string[];
	/** NAME=value, before the program or after it */
	variables: Env;
};

type Env = Record<string, string>;

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PROGRAMS = ['make', 'doubletake', 'docker'];
const VARIABLE = /^([A-Z][A-Z0-9_]*)=(.*)$/s;
/** What a reader puts in: `<id>`, `...`. A threshold has a `<` too, and a number after it. */
const PLACEHOLDER = /<[a-z][^>]*>|\.\.\./;
/** The names of images, and what is read before there is a lab. */
const ANYWHERE = ['BOOTSTRAP', 'APP_IMAGE'];

const makefile = read('Makefile');
const targets = [
	...[...makefile.matchAll(/^([a-z]+(?:-[a-z]+)*)(-%)?:/gm)].map(([, name, pattern]) => `${name}${pattern ?? ''}`),
	...(/^COMMANDS := (.*)$/m.exec(makefile)?.[1].split(' ') ?? []),
];
const main = read('lab/cli/main.ts');
/** Command to how many arguments it takes and which options. */
const commands: Map<string, { most: number; options: string[] }> = new Map(
	[...main.matchAll(/\.command\('([\w-]+)([^']*)'\)([\s\S]*?)\.action\(/g)].map(([, name, args, rest]) => [
		name,
		{
			most: args.includes('...') ? Number.POSITIVE_INFINITY : [...args.matchAll(/[[<]\w+/g)].length,
			// What may have a value is an option with it, and one without.
			options: [...rest.matchAll(/\.option\('(--[\w-]+)( <\w+>| \[\w+\])?/g)].flatMap(([, option, value = '']) =>
				value.startsWith(' [') ? [option, `${option}=`] : [`${option}${value === '' ? '' : '='}`],
			),
		},
	]),
);

/** The words of a shell command up to an operator, a comment or a description, without their quotes. */
const wordsOf = (line: string) =>
	(
		line
			.trim()
			.replace(/ {2,}.*$|\s#\s.*$/s, '')
			.replaceAll(/<[a-z][^<>]*>/g, (placeholder) => placeholder.replaceAll(' ', '-'))
			.split(/ [|&;]/)[0]
			.match(/(?:[^\s']|'[^']*')+/g) ?? []
	).map((word) => word.replaceAll("'", ''));

/**
 * @param line of a shell
 * @returns one, or none where it calls something else
 */
export function callsInLine(line: string): Call[] {
	const words = wordsOf(line);
	const at = words.findIndex((word) => !VARIABLE.test(word));
	const program = basename(words[at] ?? '');
	const after = words.slice(at + 1);
	if (!PROGRAMS.includes(program) || after.length === 0) return [];
	// An option's value may look so too.
	const isGiven = after.map((word, index) => program !== 'docker' && VARIABLE.test(word) && !after[index - 1]?.startsWith('--'));
	const given = [...words.slice(0, at), ...after.filter((_, index) => isGiven[index])].flatMap((word) => {
		const [, name, value] = VARIABLE.exec(word) ?? [];
		return name === undefined ? [] : [[name, value]];
	});
	const rest = after.filter((_, index) => !isGiven[index]);
	return [{ text: line.trim(), program, words: rest, variables: Object.fromEntries(given) }];
}

const BLOCK = /^ *```\w*\n([\s\S]*?)^ *```$/gm;

/** @returns of its blocks, and of what stands in backquotes */
export const callsIn = (markdown: string): Call[] =>
	[
		...[...markdown.matchAll(BLOCK)].flatMap(([, block]) => block.split('\n')),
		// It may go over the end of a line.
		...[...markdown.replaceAll(BLOCK, '').matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)].map(([, code]) => code.replace(/\n */, ' ')),
	].flatMap(callsInLine);

/** @returns what is wrong with it */
export function problemOf({ program, words, variables }: Call): string | null {
	const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== '' && !PLACEHOLDER.test(value)));
	try {
		if (program === 'docker') checkProfiles(words);
		else if (program === 'make') checkMake(words, given);
		else checkDoubletake(words, given);
		return null;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

function checkProfiles(words: string[]) {
	for (const word of words) {
		const [, id] = /^arch-(.+)$/.exec(word) ?? [];
		if (id !== undefined && !PLACEHOLDER.test(id)) oneOf('architecture', id, Object.keys(architectures));
	}
}

function checkMake([target, ...more]: string[], given: Env) {
	if (more.length > 0) throw new Error(`make takes one target; found ${more.join(' ')} too`);
	const [, kind, id] = /^(run|swarm|experiment)-(.+)$/.exec(target) ?? [];
	oneOf('target', kind ? `${kind}-%` : target, targets);
	checkCommand(kind ?? target, id === undefined ? [] : [id], given);
}

/** Options of every command. */
const OF_ALL = ['--json'];

function checkDoubletake([command, ...typed]: string[], variables: Env) {
	if (PLACEHOLDER.test(command)) return;
	const { most, options } = commands.get(oneOf('command', command, [...commands.keys()])) ?? { most: 0, options: [] };
	const valued = options.flatMap((option) => (option.endsWith('=') ? [option.slice(0, -1)] : []));
	const { words: rest, given: flagged } = takeOptions(typed, valued);
	const given = { ...variables, ...flagged };
	const args: string[] = [];
	for (let at = 0; at < rest.length; at += 1) {
		const [flag, value] = rest[at].split(/(?<==)(.*)/s);
		if (!options.includes(flag) && options.includes(`${flag}=`)) at += 1;
		else if (flag.startsWith('--')) oneOf('option', value === '' ? rest[at] : flag, [...options, ...OF_ALL]);
		else args.push(rest[at]);
	}
	if (args.length > most) throw new Error(`${command} takes ${most} arguments; found ${args.join(' ')}`);
	const isOfFolder = args.length === 0 || (command === 'experiment' && /\.ya?ml$/.test(args[0]));
	const isOwn = acceptedBy(command as Command, 'system').includes('SEED') && isOfFolder && !given.A && !given.B;
	if (isOwn || command === 'init') checkProject(command, given);
	else checkCommand(command, args, given);
}

function checkProject(command: string, given: Env) {
	refuseIdle(command as Command, 'system', given);
	if (command === 'run') readSettings('system', given);
}

/** Of the shipped systems. */
function checkCommand(command: string, [id]: string[], given: Env) {
	for (const name of Object.keys(given)) oneOf('variable', name, [...OPTION_NAMES, ...ANYWHERE]);
	const isNamed = id !== undefined && !PLACEHOLDER.test(id);
	if (command === 'run' || command === 'swarm' || command === 'kubernetes') {
		if (isNamed) checkRun(command, id, given);
	} else if (command === 'experiment') {
		if (isNamed) checkExperiment(id, given);
	} else if (command === 'compare') checkCompare(given);
	else {
		refuseAllBut(command, acceptedBy(command as Command), given);
		if (command === 'report') readExpect(given.EXPECT);
		if (command === 'selftest') checkFaultNames(given.FAULTS);
		if (command === 'images' && isNamed) oneOf('architecture', id, Object.keys(architectures));
	}
}

function checkRun(command: 'run' | 'swarm' | 'kubernetes', name: string, given: Env) {
	const id = oneOf('architecture', name, Object.keys(architectures));
	readSettings(id, given, command === 'swarm' ? { command } : {});
	refuseIdle(command, id, given);
}

function checkExperiment(id: string, given: Env) {
	if (id === ALL) return refuseAllBut('experiment-all', acceptedBy('experiment all'), given);
	const table = experiments[oneOf('experiment', id, Object.keys(experiments))];
	const { arms } = chooseArms(table, [], given.ARMS).experiment;
	refuseAllBut(id, acceptedBy('experiment'), given);
	for (const { architecture, variables } of arms) readSettings(architecture, { LOAD: table.load, ...given, ...variables });
}

function checkCompare(given: Env) {
	refuseAllBut('compare', acceptedBy('compare'), given);
	for (const name of ['A', 'B']) {
		if (given[name] === undefined) continue;
		const { architecture, variables } = readArm(name, given[name]);
		readSettings(architecture, { ...given, ...variables });
	}
}

function checkFaultNames(names: string | undefined) {
	const known = ['all', 'short', 'rest', 'again', ...Object.keys(faults)];
	for (const name of names?.split(',') ?? []) oneOf('FAULTS', name, known);
}
