/**
 * How a command of the lab is spelt for whoever is to type it: with make in the folder of a checkout, which has the Makefile; by the
 * lab's own name anywhere else.
 */

import { NotReadyError } from './errors.ts';
import { instead } from './nearest.ts';
import { IS_MAKEFILE_HERE } from './paths.ts';
import type { Variable } from './variable.ts';

/** by which a command comes in */
export type Launcher = 'make' | 'doubletake';

/** Of the command that runs now. */
const LAUNCHER: Launcher = IS_MAKEFILE_HERE ? 'make' : 'doubletake';

/** Commands whose argument is part of the target of make. */
const TARGETS = ['run', 'experiment', 'swarm'];
/** The variables that make hands on as arguments. */
const ARGUMENTS: Record<string, string[]> = {
	report: ['RUN'],
	prove: ['RUN'],
	replay: ['RUN'],
	freeze: ['RUN', 'INTO'],
	open: ['RUN'],
	findings: ['RUN'],
	excerpt: ['RUN', 'INTO'],
	plan: ['RUN'],
};

/**
 * @param words the command and its arguments, such as `run` and `2a`
 * @param variables such as `LOAD=smoke`, as a shell takes them
 * @returns to be typed as it is
 */
export const formatCommand = (words: string[], variables: string[] = [], launcher: Launcher = LAUNCHER): string =>
	(launcher === 'make' ? ['make', ...targetOf(words), ...variables] : [...variables, 'doubletake', ...words]).join(' ');

/** The same for a user's own system, which no target of make is about. */
export const formatProjectCommand: (words: string[], variables?: string[]) => string = (words, variables) =>
	formatCommand(words, variables, 'doubletake');

/** By which door a command comes in that a record keeps. */
export const launcherOf = (command: string): Launcher => (command.startsWith('make ') ? 'make' : 'doubletake');

/** A command that a record keeps, with one more variable. */
export const withVariable = (command: string, variable: string) =>
	launcherOf(command) === 'make' ? `${command} ${variable}` : `${variable} ${command}`;

function targetOf([command, ...given]: string[]) {
	if (TARGETS.includes(command)) return [[command, ...given].join('-')];
	return [command, ...given.map((word, index) => `${ARGUMENTS[command][index]}=${word}`)];
}

/** A text as a shell reads it back, for the commands that repeat a measurement. */
export const shellWord = (text: string | undefined = '') => (/^[\w.:=,%/-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** What an option may hold: how its text is read, and how its value is written so that it is read again. */
export type Kind = {
	/** throws NotReadyError that names the option, what it may hold and what it holds */
	parse: (name: string, text: string) => any;
	/** missing where no command has to repeat it */
	format?: (value: any) => string;
	/** where it is a choice */
	values?: readonly string[];
	/** 1 or 0 */
	isSwitch?: boolean;
	/** each flag of it adds to what was given before */
	isList?: boolean;
};

/** Whose values `list` names. */
const LISTED = ['architecture', 'experiment', 'LOAD', 'BUDGET', 'A', 'B'];
const PERCENT = /^(\d+(?:\.\d+)?)%$/;
const RATE_MOST = 100_000;
/** Ten times what is served is overload enough. */
const RATE_SHARE_MOST = 10;

/** Read by whoever knows what its words mean. */
export const TEXT: Kind = { parse: (_, text) => text };

/** @param unit such as `milliseconds` */
export const integer = (least: number, most: number, unit?: string): Kind => ({
	parse: (name, text) => {
		const value = Number(text);
		if (Number.isInteger(value) && value >= least && value <= most) return value;
		throw wrong(`${name}: expected a whole number ${unit ? `of ${unit} ` : ''}from ${least} to ${most}; found "${text}".`);
	},
	format: String,
});

const zeroOrOne = integer(0, 1);
export const SWITCH: Kind = {
	parse: (name, text) => zeroOrOne.parse(name, text) === 1,
	format: (value) => (value ? '1' : '0'),
	values: ['0', '1'],
	isSwitch: true,
};

export const choice = (values: readonly string[]): Kind => ({ parse: (name, text) => oneOf(name, text, values), format: String, values });

/** Of a variable of a system. */
export const kindOf = ({ choices, range: [least, most] = [0, 0] }: Variable): Kind => (choices ? choice(choices) : integer(least, most));

/** A part of another: values whose meaning depends on what is run. */
export const textOf = (values: readonly string[]): Kind => ({ ...TEXT, format: String, values });

const rateInSeconds = integer(1, RATE_MOST);
/** Requests a second, or a share of what a system serves when it is full, as in 40%. */
export const RATE: Kind = {
	parse: (name, text) => {
		const share = shareIn(text);
		if (share === null) return { rate: rateInSeconds.parse(name, text), rate_share: null };
		if (share > 0 && share <= RATE_SHARE_MOST) return { rate: null, rate_share: share };
		throw wrong(`${name}: expected above 0% and at most ${formatShare(RATE_SHARE_MOST)}; found "${text}".`);
	},
	format: ({ rate, rate_share: share }) => (share === null ? String(rate) : formatShare(share)),
};

/** @returns 1.5 of "150%"; null where it is no percentage */
export function shareIn(text: string | undefined): number | null {
	const percent = PERCENT.exec(text ?? '')?.[1];
	return percent === undefined ? null : Number(percent) / 100;
}

/** As `shareIn` reads it. */
const formatShare = (share: number) => `${Number((share * 100).toFixed(6))}%`;

/** The kernel takes no quota below 1 ms, of which a period of the lab's has 100 (lab/target/overlay.ts). */
const CORES_LEAST = 0.01;
const OF_SERVICE = /^([^=]+)=(\d+(?:\.\d+)?)$/;

/** Cores by service, as in `api=0.5,db=1`. */
export const CORES: Kind = {
	parse: (name, text) => {
		const found: Record<string, number> = {};
		for (const part of text.split(',')) {
			const [, service = '', cores] = OF_SERVICE.exec(part.trim()) ?? [];
			if (!(Number(cores) >= CORES_LEAST))
				throw wrong(
					`${name}: expected services with the cores that each may use, ${CORES_LEAST} or more, as in api=0.5,db=1; found "${part}".`,
				);
			if (Object.hasOwn(found, service)) throw wrong(`${name}: expected each service once; found ${service} twice.`);
			found[service] = Number(cores);
		}
		return found;
	},
	format: (value) =>
		Object.entries<any>(value)
			.map(([service, cores]) => `${service}=${cores}`)
			.join(','),
};

const wrong = (problem: string) => new NotReadyError(problem, 'correct it, or leave it out.');

export function oneOf<T extends string>(name: string, value: string, valid: readonly T[]): T {
	const found = valid.find((candidate) => candidate === value);
	if (found !== undefined) return found;
	const listed = LISTED.includes(name) ? `use one of them; "${formatCommand(['list'])}" says what each is.` : 'use one of them.';
	throw new NotReadyError(`${name}: expected one of ${valid.join(', ')}; found "${value}".`, instead(value, valid, listed));
}
