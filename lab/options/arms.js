/**
 * An arm of an experiment: an architecture, and what differs from the experiment's own settings. Written
 * `2a` or `a:DELAY=10` on the command line; with several variables, commas between them.
 *
 * A user's own system has arms too: what its two sides run in place of the folder as it is.
 *
 * @typedef {object} Arm
 * @property {string} id            its label; unique in the experiment
 * @property {string} architecture  of an own system: its name
 * @property {string} [load]        where an experiment has several; its own when left out
 * @property {Record<string, string>} [variables]  for this arm alone: of the front door; of an own system: that its Compose files read
 * @property {OwnArm} [own]         of an own system; missing for an architecture
 *
 * @typedef {object} OwnArm
 * @property {string} title         in words
 * @property {string[]} given       the texts of its option, as typed; none for the folder as it is
 * @property {Record<string, string>} [options]  of the lab, for this arm alone; missing where it has none
 * @property {string[]} compose     files, in their order
 * @property {string | null} commit  whose files they are; null: those of the folder as it is
 * @property {string[]} absent      services of doubletake.yaml that these files do not have, and the other arm's do
 * @property {string} fingerprint   of what Compose makes of the files
 */
import { isDeepStrictEqual } from 'node:util';
import { NotReadyError } from '../base/errors.js';
import { oneOf } from '../base/option-kinds.js';
import { spell } from '../base/spelling.js';
import { architectures } from '../catalog/architectures.js';
import { acceptedByArm, readVariables } from './accepted-options.js';

/**
 * @param {string} name   of the variable that holds the text, for errors
 * @param {string | undefined} text such as `a:DELAY=10`
 * @returns {Arm}
 * @throws {NotReadyError}
 */
export function readArm(name, text) {
  if (!text) throw new NotReadyError(`${name}: expected an architecture; found none.`, `say which: ${spell(['compare'], ['A=a', 'B=2a'])}`);
  const [architecture, rest = ''] = text.split(/:(.*)/);
  oneOf(name, architecture, Object.keys(architectures));
  const known = acceptedByArm(architecture);
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

/** An arm as the command line has it. @param {Arm} arm */
export function specOf({ architecture, variables = {} }) {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return given.length === 0 ? architecture : `${architecture}:${given.join(',')}`;
}

/**
 * Whether two arms are one system: a variable that is left out has its standard value.
 * @type {(one: Arm, other: Arm) => boolean}
 */
export function isSameSystem(one, other) {
  if (one.architecture !== other.architecture) return false;
  // Of an own system Compose says what its variables come to.
  if (one.own || other.own) return isDeepStrictEqual(madeOf(one), madeOf(other));
  return JSON.stringify(settled(one)) === JSON.stringify(settled(other));
}

/** @param {Arm} arm */
const madeOf = ({ own }) => [own?.fingerprint, own?.commit, own?.options ?? {}];

/** @param {Arm} arm @returns {[string, string][]} */
const settled = ({ architecture, variables = {} }) =>
  Object.entries({ ...variables, ...readVariables(architecture, variables) }).sort(([one], [other]) => one.localeCompare(other));
