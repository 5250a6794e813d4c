/**
 * Commands that a record keeps: how a run, a comparison or an experiment is repeated, and what to try next. A record may come from anywhere, and
 * who reads a command types it. So none is shown as it is stored: it is taken apart, each of its words is checked as the command line would
 * check it, and it is put together anew, quoted. What this program would not have written is no command.
 */

import type { Kind } from '../base/format-command.ts';
import { formatCommand, shellWord } from '../base/format-command.ts';
import { printable } from '../base/printable.ts';
import { isSeveral } from './arms.ts';
import { OPTIONS } from './options.ts';

/** A part of a word, as format-command.ts writes them: plain, in quotes, or a quote by itself. */
const PART = /([\w.:=,%/@+~-]+)|'([^']*)'|\\(')/y;
const MOST = 2000;
/** Named by themselves, by a system or an experiment, by a file of one, or by a folder of the reports. */
const COMMANDS = [
	'run',
	'prove',
	'squeeze',
	'swarm',
	'compare',
	'limit',
	'experiment',
	'selftest',
	'bench-overhead',
	'plan',
	'report',
	'calibrate',
	'findings',
	'replay',
];
/** Whose name is a part of the target of make. */
const TARGETS = ['run', 'swarm', 'experiment'];
const ID = /^[a-z\d][\w-]*$/i;
/** Below the folder in which the command is given. */
const FILE = /^(?!.*(?:^|\/)\.\.(?:\/|$))[\p{L}\d_.][\p{L}\d_./ +@,-]*$/u;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
/** Options whose text nobody checks before it is used. */
const TEXT = /^[\w.:,%@+= /-]{1,300}$/;
const REVISION = /^rev:[\w.@][\w./@~^-]*$/;
const SIDES = ['--a', '--b'];
/** They tell the programs that the lab starts what to load, whom to ask and where; no Compose file needs an arm for that. */
const OF_PROGRAMS =
	/^(LD_|DYLD_|NODE_|DOCKER_|COMPOSE_|BUILDKIT_|BUILDX_|GIT_|SSH_|EXPERIMENTAL_BUILD|BASH_|PYTHON|PERL|GNUPG|GCONV_|OPENSSL_|SSL_|XDG_|KRB5|CLOUDSDK_|PASSWORD_STORE|OTEL_|npm_)|^(PATH|HOME|SHELL|ENV|IFS|TMPDIR|GODEBUG|HOSTALIASES|RES_OPTIONS|GLIBC_TUNABLES|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE|[a-z]+_proxy|[A-Z]+_PROXY)$/;
/** Whether a program that the lab starts would obey it. */
export const isOfPrograms = (name: string) => OF_PROGRAMS.test(name);
/** It lifts what protects the machine: whoever wants that says so himself. */
const LIFTING = '--allow';

/**
 * @param text that a record keeps
 * @returns to be typed as it is; null for what this program does not write
 */
export function knownCommand(text: unknown): string | null {
	const words = typeof text === 'string' && text.length <= MOST ? wordsIn(text) : null;
	if (words === null) return null;
	const isMake = words[0] === 'make';
	const at = isMake ? 0 : words.indexOf('doubletake');
	const [target = '', ...behind] = words.slice(at + 1);
	const given = isMake ? behind : words.slice(0, Math.max(at, 0));
	const [command, ...named] = isMake ? ofTarget(target) : [target, ...behind];
	const isKnown = at >= 0 && COMMANDS.includes(command) && given.every(isOption);
	const said = isKnown ? saidIn(named) : null;
	if (said === null) return null;
	const options = given.map(quoted);
	// Of a target of make the name is checked already.
	return isMake ? ['make', target, ...options].join(' ') : formatCommand([command, ...said], options, 'doubletake');
}

/** What a report says to try next: a command, or a line for doubletake.yaml. */
export const knownStep = (text: string): string | null =>
	LINE_FOR_FILE.test(text) && printable(text) === text ? text : knownCommand(text);
const LINE_FOR_FILE = /^[\w.-]+: \{ watch: \d \} in doubletake\.yaml$/;

/**
 * What is set by a command that a record keeps.
 * @returns options by their names; none of what this program would not have written
 */
export function optionsOfCommand(text: unknown): Record<string, string> {
	const words = knownCommand(text) === null ? [] : (wordsIn(String(text)) ?? []);
	return Object.fromEntries(
		words.flatMap((word) => {
			const [, name = '', value = ''] = ASSIGNMENT.exec(word) ?? [];
			return Object.hasOwn(OPTIONS, name) ? [[name, value]] : [];
		}),
	);
}

/**
 * As a shell reads them.
 * @returns null where one has what no command of the lab has
 */
function wordsIn(text: string): string[] | null {
	const words = [''];
	let at = 0;
	while (at < text.length) {
		if (text[at] === ' ') {
			words.push('');
			at += 1;
			continue;
		}
		PART.lastIndex = at;
		const found = PART.exec(text);
		if (found === null) return null;
		words[words.length - 1] += found[1] ?? found[2] ?? found[3];
		at = PART.lastIndex;
	}
	const all = words.filter((word) => word !== '');
	// A line break within quotes is no option of anything, and neither is what a terminal would obey.
	return all.every((word) => printable(word) === word && !word.includes('\n')) ? all : null;
}

/** @param target of make */
function ofTarget(target: string): string[] {
	const command = TARGETS.find((one) => target.startsWith(`${one}-`));
	return command === undefined ? [target] : [command, target.slice(command.length + 1)];
}

const quoted = (word: string) => {
	const [, name = '', value] = ASSIGNMENT.exec(word) ?? [];
	return `${name}=${shellWord(value)}`;
};

/** @param word such as LOAD=smoke */
function isOption(word: string) {
	const [, name = '', value = ''] = ASSIGNMENT.exec(word) ?? [];
	if (!Object.hasOwn(OPTIONS, name)) return false;
	const { kind, scope } = OPTIONS[name];
	const kinds = [kind, ...Object.values(scope.at ?? {}).flatMap((there) => there.kind ?? [])];
	return kinds.some((one) => isOf(one, name, value));
}

function isOf(kind: Kind, name: string, value: string): boolean {
	try {
		// What is read as it is may be anything.
		return kind.parse(name, value) === value ? TEXT.test(value) : true;
	} catch {
		return false;
	}
}

/**
 * @param words behind a command
 * @returns as a shell takes them
 */
function saidIn(words: string[]): string[] | null {
	const said: string[] = [];
	for (let at = 0; at < words.length; at += 1) {
		const word = words[at];
		if (word === LIFTING) continue;
		if (SIDES.includes(word)) {
			at += 1;
			if (!isSide(words[at] ?? '')) return null;
			said.push(word, shellWord(words[at]));
		} else if (ID.test(word) || FILE.test(word) || (isSeveral(word) && isSide(word))) said.push(shellWord(word));
		else return null;
	}
	return said;
}

/** An arm of a comparison: files, values of variables, a revision, options of the lab, an architecture. */
function isSide(text: string) {
	const [head, ...options] = text.split(/(?<=^[^:]*):/);
	if (REVISION.test(text)) return true;
	const others = options
		.join('')
		.split(',')
		.filter((one) => one !== '');
	if (!others.every(isOption)) return false;
	return head.split(',').every((part) => {
		const [, name, value = ''] = ASSIGNMENT.exec(part) ?? [];
		return name === undefined ? FILE.test(part) : !OF_PROGRAMS.test(name) && TEXT.test(value);
	});
}

/**
 * @param command as knownCommand gives it
 * @returns the same with an option, in the place of another value of it
 */
export function withOption(command: string, name: string, value: string): string {
	const given = new RegExp(`(?<=^| )${name}=('[^']*'|\\S+)`);
	if (given.test(command)) return command.replace(given, `${name}=${value}`);
	return command.startsWith('make ') ? `${command} ${name}=${value}` : `${name}=${value} ${command}`;
}
