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
 *
 * @typedef {object} Arm
 * @property {string} id            its label; unique in the experiment
 * @property {string} architecture  name of the system
 * @property {string} [load]        where an experiment has several; its own when left out
 * @property {Record<string, string>} [variables]  for this arm alone: of the command line, or that its Compose files read
 * @property {Resolved} [resolved]  what it comes to, where its name and its variables do not say it
 *
 * @typedef {object} Resolved
 * @property {string} title         in words
 * @property {string[]} given       the texts of its option, as typed; none for the folder as it is
 * @property {Record<string, string>} [options]  of the lab, for this arm alone; missing where it has none
 * @property {string[]} compose     files, in their order
 * @property {string | null} commit  whose files they are; null: those of the folder as it is
 * @property {string[]} absent      services of doubletake.yaml that these files do not have, and the other arm's do
 * @property {string} fingerprint   of what Compose makes of the files
 */

/**
 * @param {string} name   of the variable that holds the text, for errors
 * @param {string | undefined} text such as `a:DELAY=10`
 * @returns {Arm}
 * @throws {NotReadyError}
 */
export function readArm(name, text) {
	if (!text)
		throw new NotReadyError(`${name}: expected an architecture; found none.`, `say which: ${formatCommand(['compare'], ['A=a', 'B=2a'])}`);
	const [architecture, rest = ''] = text.split(/:(.*)/);
	oneOf(name, architecture, Object.keys(architectures));
	const known = acceptedByArm(scenarioOf(architecture), architecture);
	const variables = Object.fromEntries(rest === '' ? [] : rest.split(',').map((part) => readVariable(name, part, known)));
	readVariables(architecture, variables);
	return rest === '' ? { id: text, architecture } : { id: text, architecture, variables };
}

/** @type {(name: string, part: string, known: string[]) => [string, string]} */
function readVariable(name, part, known) {
	const [variable, value] = part.split(/=(.*)/);
	if (value) return [oneOf(name, variable, known), value];
	throw new NotReadyError(`${name}: expected NAME=value after the colon; found "${part}".`, 'write it as in a:DELAY=10.');
}

/**
 * Two arms for a comparison; the second gets another label when both are alike, as in an A/A control.
 * @param {Arm} base
 * @param {Arm} other
 * @returns {[Arm, Arm]}
 */
export const tellApart = (base, other) => [base, base.id === other.id ? { ...other, id: `${other.id} again` } : other];

/** The folder as it is, where nothing else stands for it. */
export const AS_IT_IS = '.';

/**
 * Arms as the command line has them.
 * @param {{ a?: Arm, b?: Arm }} arms
 * @returns {{ words: string[], given: string[] }} words: behind the command
 */
export function formatArms(arms) {
	const all = /** @type {['a' | 'b', Arm][]} */ (Object.entries(arms));
	const texts = all.flatMap(([side, { resolved }]) => (resolved?.given ?? []).map((text) => `--${side} ${shellWord(text)}`));
	const specs = all.filter(([, { resolved }]) => resolved === undefined).map(([side, arm]) => `${side.toUpperCase()}=${specOf(arm)}`);
	// Both are the folder as it is, which has to be said.
	const isPlain = all.length === 2 && texts.length + specs.length === 0;
	return { words: isPlain ? [`--b ${AS_IT_IS}`] : texts, given: specs };
}

/** @param {Arm} arm */
function specOf({ architecture, variables = {} }) {
	const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	return given.length === 0 ? architecture : `${architecture}:${given.join(',')}`;
}

/**
 * Whether two arms are one system: a variable that is left out has its standard value.
 * @type {(one: Arm, other: Arm) => boolean}
 */
export function isSameSystem(one, other) {
	if (one.architecture !== other.architecture) return false;
	// Of these Compose says what their variables come to.
	if (one.resolved || other.resolved) return isDeepStrictEqual(madeOf(one), madeOf(other));
	return JSON.stringify(settled(one)) === JSON.stringify(settled(other));
}

/** What of the lab's options an arm has: its variables, where these are not what its Compose files read. @param {Arm} arm @returns {Record<string, string>} */
export const optionsOfArm = ({ variables = {}, resolved }) => (resolved ? (resolved.options ?? {}) : variables);

/** @param {Arm} arm */
const madeOf = ({ resolved }) => [resolved?.fingerprint, resolved?.commit, resolved?.options ?? {}];

/** @param {Arm} arm @returns {[string, string][]} */
const settled = ({ architecture, variables = {} }) =>
	Object.entries({ ...variables, ...readVariables(architecture, variables) }).sort(([one], [other]) => one.localeCompare(other));

/** In which two arms may differ. */
const BY_ARM = acceptedByArm(LISTED);

/** What all arms of a folder may have, however that is called. */
const FOR_ALL = acceptedForAll('own');

const BEFORE_OPTIONS = '.:';
/** A comma begins another option where the name of one follows; elsewhere it is part of the value, as in BUDGET. */
const BETWEEN_OPTIONS = new RegExp(`,(?=(?:${FOR_ALL.join('|')})=)`);

/** Whether an arm's text has options of the lab, and not variables that Compose files read. @param {string} text */
const isArmOptions = (text) => text.startsWith(BEFORE_OPTIONS);

/**
 * Of an arm of a comparison.
 * @param {string} option  such as `--a`, for errors
 * @param {string} text    such as `.:RETRIES=2,BACKOFF=50`
 * @returns {[string, string][]}
 * @throws {NotReadyError} naming what is no option in which arms may differ
 */
const armOptionsIn = (option, text) =>
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
 *
 * @typedef {object} GivenArm
 * @property {string} option       such as `--a`, for errors
 * @property {string[]} given      its texts, as typed
 * @property {string[] | null} files  Compose files, in their order; null: those of doubletake.yaml
 * @property {Record<string, string>} variables  that Compose is given
 * @property {string | null} revision  of git; null: the folder as it is
 * @property {Record<string, string>} options  of the lab, for this arm alone
 */

/** Several values of one variable, as in POOL=2,5,10. */
const SEVERAL = /^([A-Za-z_]\w*)=([^,=]+(?:,[^,=]+){1,11})$/;

/** @param {string} word */
export const isSeveral = (word) => SEVERAL.test(word);

/** @param {string[]} words  behind `compare` @returns {GivenArm[]} numbers from the least @throws {NotReadyError} */
export function readSeveral(words) {
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

/** @param {string[]} values */
export const isNumbers = (values) => values.every((value) => /^\d+(\.\d+)?$/.test(value));

/** As they are typed again. @param {Pick<Arm, 'id'>[]} arms */
export const formatSeveral = (arms) => arms.map(({ id }, index) => (index === 0 ? id : id.replace(/^.*?=/, ''))).join(',');

const REVISION = 'rev:';
const VARIABLE = /^[A-Za-z_]\w*=/;
/** A comma begins another variable where a name follows; elsewhere it is part of the value. */
const BETWEEN_VARIABLES = /,(?=[A-Za-z_]\w*=)/;
const COMMIT_SHOWN = 7;

/**
 * @param {string} option
 * @param {string[]} given
 * @returns {GivenArm}
 * @throws {NotReadyError} naming the text that says nothing, or the same thing twice
 */
export function readGivenArm(option, given) {
	/** @type {GivenArm} */
	const arm = { option, given, files: null, variables: {}, revision: null, options: {} };
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

/** @param {GivenArm} arm @param {string} text */
function addRevision(arm, text) {
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

/** @param {string} text @returns {[string, string][]} */
const variablesIn = (text) =>
	text.split(BETWEEN_VARIABLES).map((part) => {
		const at = part.indexOf('=');
		return [part.slice(0, at), part.slice(at + 1)];
	});

/**
 * What is typed for an arm is in the plan that its runs are made by, and that a comparison is gone on with.
 * @type {(option: string, variable: [string, string]) => [string, string]}
 * @throws {NotReadyError} when it is a secret, which no record keeps
 */
function keepable(option, [name, value]) {
	if (!secretsOf(name, value).some((secret) => secrets.hides(secret))) return [name, value];
	throw new NotReadyError(
		`${option}: expected values that the record of a comparison may keep; found that of ${name}, which is likely a secret.`,
		`put ${name} into an env_file of another Compose file, and give that file as the arm.`,
	);
}

/** @type {(arm: GivenArm, known: Record<string, string>, values: [string, string][]) => void} */
function addValues({ option }, known, values) {
	for (const [name, value] of values) {
		if (Object.hasOwn(known, name))
			throw new NotReadyError(`${option}: expected one value of ${name}; found several.`, 'leave the others out.');
		known[name] = value;
	}
}

/** @param {GivenArm} arm @param {string} text */
function addFiles(arm, text) {
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
 * @param {GivenArm} givenArm
 * @param {string} name of the system, which the folder as it is goes by
 */
export function labelOfSide({ files, variables, revision, options }, name) {
	const ofFiles = [...(revision === null ? [] : [`${REVISION}${revision}`]), ...(files ? [files.join(',')] : []), ...valuesOf(variables)];
	const parts = [...ofFiles, ...valuesOf(options)];
	return parts.length === 0 ? name : parts.join(', ');
}

/**
 * The same in words.
 * @param {GivenArm} givenArm
 * @param {string} name   of the system
 * @param {string | null} commit  of the revision
 */
export function titleOfSide({ files, variables, revision, options }, name, commit) {
	const values = [...valuesOf(variables), ...valuesOf(options)];
	const parts = [
		...(revision === null ? [] : [`at ${revision} (${commit?.slice(0, COMMIT_SHOWN)})`]),
		...(files ? [`by ${files.join(', ')}`] : []),
		...(values.length > 0 ? [`with ${values.join(', ')}`] : []),
	];
	return `${name} ${parts.length === 0 ? 'as it is' : parts.join(', ')}`;
}

/** @param {Record<string, string>} variables */
const valuesOf = (variables) => Object.entries(variables).map(([name, value]) => `${name}=${value}`);
