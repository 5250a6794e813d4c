/**
 * What an option may hold: how its text is read, and how its value is written so that it is read again.
 *
 * @typedef {object} Kind
 * @property {(name: string, text: string) => any} parse  throws NotReadyError that names the option, what it may hold and what it holds
 * @property {(value: any) => string} [format]  missing where no command has to repeat it
 * @property {readonly string[]} [values]  where it is a choice
 * @property {boolean} [isSwitch]  1 or 0
 */
import { NotReadyError } from './errors.js';
import { instead } from './nearest.js';
import { spell } from './spelling.js';

/** Whose values `list` names. */
const LISTED = ['architecture', 'experiment', 'LOAD', 'BUDGET', 'A', 'B'];
const PERCENT = /^(\d+(?:\.\d+)?)%$/;
const RATE_MOST = 100_000;
/** Ten times what is served is overload enough. */
const RATE_SHARE_MOST = 10;

/** Read by whoever knows what its words mean. @type {Kind} */
export const TEXT = { parse: (_, text) => text };

/** @param {number} least @param {number} most @returns {Kind} */
export const wholeNumber = (least, most) => ({
  parse: (name, text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw wrong(`${name}: expected a whole number from ${least} to ${most}; found "${text}".`);
  },
  format: String,
});

const zeroOrOne = wholeNumber(0, 1);
/** @type {Kind} */
export const SWITCH = {
  parse: (name, text) => zeroOrOne.parse(name, text) === 1,
  format: (value) => (value ? '1' : '0'),
  values: ['0', '1'],
  isSwitch: true,
};

/** @param {readonly string[]} values @returns {Kind} */
export const choice = (values) => ({ parse: (name, text) => oneOf(name, text, values), format: String, values });

/** Of a variable of a system. @param {import('../catalog/project-schema.js').Variable} variable @returns {Kind} */
export const kindOf = ({ choices, range: [least, most] = [0, 0] }) => (choices ? choice(choices) : wholeNumber(least, most));

/** A part of another: values whose meaning depends on what is run. @param {readonly string[]} values @returns {Kind} */
export const textOf = (values) => ({ ...TEXT, format: String, values });

const rateInSeconds = wholeNumber(1, RATE_MOST);
/** Requests a second, or a share of what a system serves when it is full, as in 40%. @type {Kind} */
export const RATE = {
  parse: (name, text) => {
    const share = shareIn(text);
    if (share === null) return { rate: rateInSeconds.parse(name, text), rate_share: null };
    if (share > 0 && share <= RATE_SHARE_MOST) return { rate: null, rate_share: share };
    throw wrong(`${name}: expected above 0% and at most ${formatShare(RATE_SHARE_MOST)}; found "${text}".`);
  },
  format: ({ rate, rate_share: share }) => (share === null ? String(rate) : formatShare(share)),
};

/** @param {string | undefined} text @returns {number | null} 1.5 of "150%"; null where it is no percentage */
export function shareIn(text) {
  const percent = PERCENT.exec(text ?? '')?.[1];
  return percent === undefined ? null : Number(percent) / 100;
}

/** As `shareIn` reads it. @param {number} share */
export const formatShare = (share) => `${Number((share * 100).toFixed(6))}%`;

/** The kernel takes no quota below 1 ms, of which a period of the lab's has 100 (lab/target/overlay.js). */
const CORES_LEAST = 0.01;
const OF_SERVICE = /^([^=]+)=(\d+(?:\.\d+)?)$/;

/** Cores by service, as in `api=0.5,db=1`. @type {Kind} */
export const CORES = {
  parse: (name, text) => {
    /** @type {Record<string, number>} */
    const found = {};
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
    Object.entries(value)
      .map(([service, cores]) => `${service}=${cores}`)
      .join(','),
};

/** @param {string} problem */
const wrong = (problem) => new NotReadyError(problem, 'correct it, or leave it out.');

/**
 * @template {string} T
 * @param {string} name
 * @param {string} value
 * @param {readonly T[]} valid
 * @returns {T}
 */
export function oneOf(name, value, valid) {
  const found = valid.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  const listed = LISTED.includes(name) ? `use one of them; "${spell(['list'])}" says what each is.` : 'use one of them.';
  throw new NotReadyError(`${name}: expected one of ${valid.join(', ')}; found "${value}".`, instead(value, valid, listed));
}
