/**
 * What a doubt about a run is, and how a figure becomes one.
 */

/**
 * @typedef {object} Doubt
 * @property {string} rule      one name for each rule, so that a stage's doubt is not told again where the whole run has it
 * @property {'SUSPECT' | 'INVALID'} grade
 * @property {string} reason    one sentence with the figure and its limit
 * @property {number} [value]   of the figure, where it is one that can be compared
 */

/** @typedef {{ suspect: number, invalid: number }} Limits */

/** For a figure that alone does not make a run INVALID. */
export const NEVER = Number.POSITIVE_INFINITY;

/**
 * @param {string} rule
 * @param {number} value
 * @param {Limits} limits   the figure may be as large as these
 * @param {string} reason
 * @param {(value: number) => string} [spell]
 * @returns {Doubt[]}
 */
export function graded(rule, value, { suspect, invalid }, reason, spell = percent) {
  if (value > invalid) return [{ rule, grade: 'INVALID', value, reason: `${reason}; the limit is ${spell(invalid)}` }];
  return value > suspect ? [{ rule, grade: 'SUSPECT', value, reason: `${reason}; the limit is ${spell(suspect)}` }] : [];
}

/**
 * A reading that a rule needs and that is not there is a doubt, never a pass.
 * @param {string} rule
 * @param {string} reading   what is missing, in words
 * @param {string} unknown   what cannot be told without it
 * @returns {Doubt[]}
 */
export const notRecorded = (rule, reading, unknown) => [
  { rule, grade: 'SUSPECT', reason: `${reading} was not recorded, so ${unknown} is not known` },
];

/** @param {number} share 0 to 1 */
export const percent = (share) => `${Number((share * 100).toFixed(share < 0.1 ? 1 : 0))} %`;

/** @param {number} value */
export const seconds = (value) => `${Number(value.toFixed(1))} s`;

/** @param {number} value */
export const count = (value) => value.toLocaleString('en-US');
