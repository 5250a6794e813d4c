/**
 * Arms: what is compared, as the command line and the files of experiments say it.
 */

import { isDeepStrictEqual } from 'node:util';
import { NotReadyError } from '../base/errors.ts';
import { formatCommand, oneOf, shellWord } from '../base/format-command.ts';
import { secretsOf } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { LISTED } from '../catalog/scenarios.ts';
import { acceptedByArm, acceptedForAll, readVariables } from './accepted-options.ts';

/**
 * An arm of an experiment: an architecture, and what differs from the experiment's own settings. Written
 * `2a` or `a:DELAY=10` on the command line; with several variables, commas between them.
 *
 * Arms of a folder are what is run in place of it as it is.
 */
export type Arm = {
	/** its label; unique in the experiment */
	id: string;
	/** name of the system */
	architecture: string;
	/** where an experiment has several; its own when left out */
	load?: string;
	/** for this arm alone: of the command line, or that its Compose files read */
	variables?: Record<string, string>;
	/** what it comes to, where its name and its variables do not say it */
	resolved?: Resolved;
};

export type Resolved = {
	/** in words */
	title: string;
	/** the texts of its option, as typed; none for the folder as it is */
	given: string[];
	/** of the lab, for this arm alone; missing where it has none */
	options?: Record<string, string>;
	/** files, in their order */
	compose: string[];
	/** whose files they are; null: those of the folder as it is */
	commit: string | null;
	/** services of doubletake.yaml that these files do not have, and the other arm's do */
	absent: string[];
	/** of what Compose makes of the files */
	fingerprint: string;
};

/**
 * @param name of the variable that holds the text, for errors
 * @param text such as `a:DELAY=10`
 * @throws {NotReadyError}
 */
export function readArm(name: string, text: string | undefined): Arm {
	if (!text)
		throw new NotReadyError(`${name}: expected an architecture; found none.`, `say which: ${formatCommand(['compare'], ['A=a', 'B=2a'])}`);
	const [architecture, rest = ''] = text.split(/:(.*)/);
	oneOf(name, architecture, Object.keys(architectures));
	const known = acceptedByArm(scenarioOf(architecture), architecture);
	const variables = Object.fromEntries(rest === '' ? [] : rest.split(',').map((part) => readVariable(name, part, known)));
	readVariables(architecture, variables);
	return rest === '' ? { id: text, architecture } : { id: text, architecture, variables };
}

function readVariable(name: string, part: string, known: string[]): [string, string] {
	const [variable, value] = part.split(/=(.*)/);
	if (value) return [oneOf(name, variable, known), value];
	throw new NotReadyError(`${name}: expected NAME=value after the colon; found "${part}".`, 'write it as in a:DELAY=10.');
}

/** Two arms for a comparison; the second gets another label when both are alike, as in an A/A control. */
export const tellApart = (base: Arm, other: Arm): [Arm, Arm] => [
	base,
	base.id === other.id ? { ...other, id: `${other.id} again` } : other,
];

/** The folder as it is, where nothing else stands for it. */
export const AS_IT_IS = '.';

/**
 * Arms as the command line has them.
 * @returns words: behind the command
 */
export function formatArms(arms: { a?: Arm; b?: Arm }): { words: string[]; given: string[] } {
	const all = Object.entries(arms) as ['a' | 'b', Arm][];
	const texts = all.flatMap(([side, { resolved }]) => (resolved?.given ?? []).map((text) => `--${side} ${shellWord(text)}`));
	const specs = all.filter(([, { resolved }]) => resolved === undefined).map(([side, arm]) => `${side.toUpperCase()}=${specOf(arm)}`);
	// Both are the folder as it is, which has to be said.
	const isPlain = all.length === 2 && texts.length + specs.length === 0;
	return { words: isPlain ? [`--b ${AS_IT_IS}`] : texts, given: specs };
}

function specOf({ architecture, variables = {} }: Arm) {
	const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	return given.length === 0 ? architecture : `${architecture}:${given.join(',')}`;
}

/** Whether two arms are one system: a variable that is left out has its standard value. */
export function isSameSystem(one: Arm, other: Arm): boolean {
	if (one.architecture !== other.architecture) return false;
	// Of these Compose says what their variables come to.
	if (one.resolved || other.resolved) return isDeepStrictEqual(madeOf(one), madeOf(other));
	return JSON.stringify(settled(one)) === JSON.stringify(settled(other));
}

/** What of the lab's options an arm has: its variables, where these are not what its Compose files read. */
export const optionsOfArm = ({ variables = {}, resolved }: Arm): Record<string, string> =>
	resolved ? (resolved.options ?? {}) : variables;

const madeOf = ({ resolved }: Arm) => [resolved?.fingerprint, resolved?.commit, resolved?.options ?? {}];

const settled = ({ architecture, variables = {} }: Arm): [string, string][] =>
	Object.entries({ ...variables, ...readVariables(architecture, variables) }).sort(([one], [other]) => one.localeCompare(other));

/** In which two arms may differ. */
const BY_ARM = acceptedByArm(LISTED);

/** What all arms of a folder may have, however that is called. */
const FOR_ALL = acceptedForAll('own');

const BEFORE_OPTIONS = '.:';
/** A comma begins another option where the name of one follows; elsewhere it is part of the value, as in BUDGET. */
const BETWEEN_OPTIONS = new RegExp(`,(?=(?:${FOR_ALL.join('|')})=)`);

/** Whether an arm's text has options of the lab, and not variables that Compose files read. */
const isArmOptions = (text: string) => text.startsWith(BEFORE_OPTIONS);

/**
 * Of an arm of a comparison.
 * @param option such as `--a`, for errors
 * @param text such as `.:RETRIES=2,BACKOFF=50`
 * @throws {NotReadyError} naming what is no option in which arms may differ
 */
const armOptionsIn = (option: string, text: string): [string, string][] =>
	text
		.slice(BEFORE_OPTIONS.length)
		.split(BETWEEN_OPTIONS)
		.map((part) => {
			const [name, value = ''] = part.split(/=(.*)/s);
			if (BY_ARM.includes(name) && value !== '') return [name, value];
			const forBoth = FOR_ALL.includes(name) ? `${part} before the command is for both arms.` : '';
			throw new NotReadyError(
				`${option}: expected ${BY_ARM.join('=, ')}= after "${BEFORE_OPTIONS}"; found "${part}".`,
				forBoth || 'write it as in .:RETRIES=2,BACKOFF=50; a variable that the Compose files read stands without the dot.',
			);
		});

/**
 * One arm of a comparison of a user's own system, as the command line has it: what it runs in place of the folder as it is. Each
 * text that is given is of one kind: Compose files, variables that they read, a git revision of the folder, or options of the lab.
 */
export type GivenArm = {
	/** such as `--a`, for errors */
	option: string;
	/** its texts, as typed */
	given: string[];
	/** Compose files, in their order; null: those of doubletake.yaml */
	files: string[] | null;
	/** that Compose is given */
	variables: Record<string, string>;
	/** of git; null: the folder as it is */
	revision: string | null;
	/** of the lab, for this arm alone */
	options: Record<string, string>;
};

/** Several values of one variable, as in POOL=2,5,10. */
const SEVERAL = /^([A-Za-z_]\w*)=([^,=]+(?:,[^,=]+){1,11})$/;

export const isSeveral = (word: string) => SEVERAL.test(word);

/**
 * @param words behind `compare`
 * @returns numbers from the least
 * @throws {NotReadyError}
 */
export function readSeveral(words: string[]): GivenArm[] {
	const [, name = '', text = ''] = SEVERAL.exec(words.join(' ')) ?? [];
	const values = [...new Set(text.split(','))];
	if (values.length < 2)
		throw new NotReadyError(
			`compare: expected 2 to 12 values of one variable that the Compose files read; found "${words.join(' ')}".`,
			'write them as in POOL=2,5,10,20; what else may differ is given by --a and --b.',
		);
	if (isNumbers(values)) values.sort((one, other) => Number(one) - Number(other));
	return values.map((value) => readGivenArm(name, [`${name}=${value}`]));
}

export const isNumbers = (values: string[]) => values.every((value) => /^\d+(\.\d+)?$/.test(value));

/** As they are typed again. */
export const formatSeveral = (arms: Pick<Arm, 'id'>[]) =>
	arms.map(({ id }, index) => (index === 0 ? id : id.replace(/^.*?=/, ''))).join(',');

const REVISION = 'rev:';
const VARIABLE = /^[A-Za-z_]\w*=/;
/** A comma begins another variable where a name follows; elsewhere it is part of the value. */
const BETWEEN_VARIABLES = /,(?=[A-Za-z_]\w*=)/;
const COMMIT_SHOWN = 7;

/** @throws {NotReadyError} naming the text that says nothing, or the same thing twice */
export function readGivenArm(option: string, given: string[]): GivenArm {
	const arm: GivenArm = { option, given, files: null, variables: {}, revision: null, options: {} };
	for (const text of given) {
		if (text === AS_IT_IS) continue;
		if (text.startsWith(REVISION)) addRevision(arm, text);
		else if (isArmOptions(text)) addValues(arm, arm.options, armOptionsIn(option, text));
		else if (VARIABLE.test(text))
			addValues(
				arm,
				arm.variables,
				variablesIn(text).map((variable) => keepable(option, variable)),
			);
		else addFiles(arm, text);
	}
	return arm;
}

function addRevision(arm: GivenArm, text: string) {
	const revision = text.slice(REVISION.length).trim();
	if (arm.revision !== null)
		throw new NotReadyError(`${arm.option}: expected one revision; found "${arm.revision}" and "${revision}".`, 'leave one out.');
	// What begins with a dash git takes for an option.
	if (revision === '' || revision.startsWith('-'))
		throw new NotReadyError(
			`${arm.option}: expected a git revision after "${REVISION}"; found "${revision}".`,
			'write it as in rev:v1.2 or rev:HEAD~1.',
		);
	arm.revision = revision;
}

const variablesIn = (text: string): [string, string][] =>
	text.split(BETWEEN_VARIABLES).map((part) => {
		const at = part.indexOf('=');
		return [part.slice(0, at), part.slice(at + 1)];
	});

/**
 * What is typed for an arm is in the plan that its runs are made by, and that a comparison is gone on with.
 * @throws {NotReadyError} when it is a secret, which no record keeps
 */
function keepable(option: string, [name, value]: [string, string]): [string, string] {
	if (!secretsOf(name, value).some((secret) => secrets.hides(secret))) return [name, value];
	throw new NotReadyError(
		`${option}: expected values that the record of a comparison may keep; found that of ${name}, which is likely a secret.`,
		`put ${name} into an env_file of another Compose file, and give that file as the arm.`,
	);
}

function addValues({ option }: GivenArm, known: Record<string, string>, values: [string, string][]): void {
	for (const [name, value] of values) {
		if (Object.hasOwn(known, name))
			throw new NotReadyError(`${option}: expected one value of ${name}; found several.`, 'leave the others out.');
		known[name] = value;
	}
}

function addFiles(arm: GivenArm, text: string) {
	const files = text.split(',').map((file) => file.trim());
	if (files.includes(''))
		throw new NotReadyError(
			`${arm.option}: expected Compose files with commas between, NAME=value, rev:REVISION, or .:OPTION=value; found "${text}".`,
			'write it as in compose.tuned.yaml, POOL=32, rev:v1.2 or .:RETRIES=2.',
		);
	arm.files = [...(arm.files ?? []), ...files];
}

/**
 * What an arm is called.
 * @param name of the system, which the folder as it is goes by
 */
export function labelOfSide({ files, variables, revision, options }: GivenArm, name: string) {
	const ofFiles = [...(revision === null ? [] : [`${REVISION}${revision}`]), ...(files ? [files.join(',')] : []), ...valuesOf(variables)];
	const parts = [...ofFiles, ...valuesOf(options)];
	return parts.length === 0 ? name : parts.join(', ');
}

/**
 * The same in words.
 * @param name of the system
 * @param commit of the revision
 */
export function titleOfSide({ files, variables, revision, options }: GivenArm, name: string, commit: string | null) {
	const values = [...valuesOf(variables), ...valuesOf(options)];
	const parts = [
		...(revision === null ? [] : [`at ${revision} (${commit?.slice(0, COMMIT_SHOWN)})`]),
		...(files ? [`by ${files.join(', ')}`] : []),
		...(values.length > 0 ? [`with ${values.join(', ')}`] : []),
	];
	return `${name} ${parts.length === 0 ? 'as it is' : parts.join(', ')}`;
}

const valuesOf = (variables: Record<string, string>) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);
