/**
 * A command line: options as they are given, `LOAD=smoke` before a command or behind it, to make too, and `--load smoke`, which are one
 * thing; and what to do about words that nothing has.
 */

import type { Command } from 'commander';
import { NotReadyError } from '../base/errors.ts';
import { formatCommand } from '../base/format-command.ts';
import { nearest } from '../base/nearest.ts';
import { architectures } from '../catalog/architectures.ts';
import { OPTION_NAMES } from '../options/accepted-options.ts';
import { isSeveral } from '../options/arms.ts';
import { OPTIONS } from '../options/options.ts';

/** What is typed to make, by the Makefile: names and values, with a backslash before a blank. */
export const TYPED = 'DOUBLETAKE_TYPED';
/** Of those that the lab reads of the machine, and of other programs; theirs have an underscore otherwise. */
const OF_OTHERS = ['BOOTSTRAP', 'SHOTS', 'PATH', 'HOME', 'SHELL', 'TMPDIR', 'TZ', 'LANG', 'CI', 'DEBUG', 'BROWSER', 'MAKEFLAGS'];
/** Whose values are words of the lab's own. */
const WORDS = ['LOAD', 'BUDGET', 'BUSY', 'IMAGES'];
/** What other programs call it. */
const ELSEWHERE: Record<string, string> = { '--verbose': '--explain', '-v': '--version', '-V': '--version' };
const ASSIGNMENT = /^([A-Za-z_]\w*)\s*[:?+]*=(.*)$/s;

/** Of a command line: `--retry-budget` of RETRY_BUDGET. */
export const flagOf = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`;
const NAMES_BY_FLAG = Object.fromEntries(OPTION_NAMES.map((name) => [flagOf(name), name]));

/**
 * Several values of a variable that Compose files read, which `compare` takes behind it: also of one that is called as an architecture's own.
 */
export const isSwept = (word: string) => isSeveral(word) && (OPTIONS[nameIn(word)]?.scope ?? { systems: [] }).systems !== undefined;

/**
 * @param valued flags of commands whose next word is their own value, such as `--a`
 * @param isOwn of the command itself
 * @returns the words that are left, and what was given by the others
 * @throws {NotReadyError} naming a flag without its value
 */
export function takeOptions(
	words: string[],
	valued: string[],
	isOwn: (word: string) => boolean = () => false,
): { words: string[]; given: Record<string, string> } {
	const left: string[] = [];
	const given: Record<string, string> = {};
	for (let at = 0; at < words.length; at += 1) {
		const [, before, value] = /^([^=]+)=(.*)$/s.exec(words[at]) ?? [undefined, words[at], undefined];
		const name = NAMES_BY_FLAG[before] ?? before;
		if (valued.includes(before)) {
			left.push(words[at]);
			if (value === undefined && at + 1 < words.length) left.push(words[++at]);
		} else if (isOwn(words[at]) || !OPTION_NAMES.includes(name) || (name === before && value === undefined)) left.push(words[at]);
		else {
			const text = value ?? (isValue(name, words[at + 1]) ? words[++at] : withoutValue(name));
			given[name] = OPTIONS[name].kind.isList && given[name] ? `${given[name]},${text}` : text;
		}
	}
	return { words: left, given };
}

/** Whether a word is what the flag before it is given. */
function isValue(name: string, word?: string) {
	const { isSwitch, values = [] } = OPTIONS[name].kind;
	return word !== undefined && (isSwitch ? values.includes(word) : !word.startsWith('--'));
}

function withoutValue(name: string) {
	if (OPTIONS[name].kind.isSwitch) return '1';
	throw new NotReadyError(`${flagOf(name)}: expected a value behind it; found none.`, `write ${flagOf(name)} ..., or ${name}=...`);
}

/**
 * An option of a name that the lab does not know would look as if it had an effect.
 * @throws {NotReadyError} naming the first such option, and the one that was likely meant
 */
export function refuseMisspelt({
	words,
	valued,
	env,
	isOwn = () => false,
}: {
	/** of the command line, without the options that the lab knows */
	words: string[];
	/** flags whose next word is their value */
	valued: string[];
	env: Record<string, string | undefined>;
	/** of the command itself */
	isOwn?: (word: string) => boolean;
}) {
	const behind = words.filter((word, index) => ASSIGNMENT.test(word) && !valued.includes(words[index - 1]) && !isOwn(word));
	const toMake = wordsTyped(env[TYPED] ?? '').filter((word) => {
		const name = nameIn(word);
		return !OPTION_NAMES.includes(name) && !OF_OTHERS.includes(name) && (!name.includes('_') || nearest(name, OPTION_NAMES) !== null);
	});
	const [unknown] = [...behind, ...toMake, ...nearOnes(env)];
	if (unknown === undefined) return;
	const [, name, value] = ASSIGNMENT.exec(unknown) as RegExpExecArray;
	const meant = nearest(name, OPTION_NAMES);
	const otherwise = `leave it out; "${formatCommand(['list'])}" and the reference name those that there are. A variable that your Compose file reads stands before the command: ${name}=... doubletake run.`;
	throw new NotReadyError(
		`${name}: expected an option of Doubletake; found none of that name.`,
		meant === null ? otherwise : `write ${meant}=${/[\s'"$<>;&|()*?]/.test(value) ? '...' : value} instead of ${name}=.`,
	);
}

/**
 * @param text as make hands it on
 * @returns `NAME=value`
 */
const wordsTyped = (text: string): string[] =>
	(text.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replaceAll(/\\(.)/gs, '$1')).filter((word) => ASSIGNMENT.test(word));

const nameIn = (word: string) => ASSIGNMENT.exec(word)?.[1] ?? '';

/**
 * An environment has names of many programs, and nobody can tell one that was typed before the command from one that a shell exports. So
 * only that is taken for the lab's which says so twice: by a name that is near one of the lab's, and by a value that is a word of it.
 * @returns `NAME=value`
 */
const nearOnes = (env: Record<string, string | undefined>): string[] =>
	WORDS.flatMap((name) =>
		Object.keys(env)
			.filter((found) => OPTIONS[name].kind.values?.includes(env[found] ?? '') && !env[name] && !OPTION_NAMES.includes(found))
			.filter((found) => nearest(found, OPTION_NAMES) === name)
			.map((found) => `${found}=${env[found]}`),
	);

/**
 * @param code of Commander
 * @param message of its, which names what is wrong in single quotes
 * @param words of the command line
 * @returns an order
 */
export function hintFor(code: string, message: string, words: string[], program: Command): string {
	const found = /'([^']*)'/.exec(message)?.[1] ?? '';
	const command = program.commands.find((one) => words.includes(one.name()));
	const help = `"doubletake ${command ? `${command.name()} --help` : '--help'}" says what it takes.`;
	if (code === 'commander.unknownCommand') return ofCommand(found, program) ?? '"doubletake --help" names the commands.';
	if (code === 'commander.unknownOption') return ofFlag(found, command ?? program, program) ?? help;
	return help;
}

function ofCommand(found: string, program: Command): string | null {
	if (Object.hasOwn(architectures, found)) return `doubletake run ${found}`;
	const meant = nearest(
		found,
		program.commands.map((one) => one.name()),
	);
	return meant === null ? null : `write "${meant}" instead of "${found}".`;
}

function ofFlag(found: string, command: Command, program: Command): string | null {
	const [flag] = found.split('=');
	const own = [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
	const meant = own.includes(ELSEWHERE[flag]) ? ELSEWHERE[flag] : nearest(flag.replaceAll('_', '-'), [...own, ...OPTION_NAMES.map(flagOf)]);
	return meant === null ? null : `write "${meant}" instead of "${flag}".`;
}

/** They start nothing that would have to be taken down. */
const READING = ['list', 'open', 'report', 'share', 'export', 'findings', 'plan', 'replay', 'completion', 'help'];

/**
 * Whether a command ends at once where it is interrupted: a record from elsewhere may keep it busy.
 * @param words of the command line
 */
export const endsAtOnce = (words: string[]) => READING.includes(takeOptions(words, []).words.find((word) => !word.startsWith('-')) ?? '');
