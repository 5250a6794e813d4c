/**
 * Every variable of the front door, and what it has an effect on. One that changes nothing about what is run is refused, or it would
 * look as if it did.
 *
 * Not among them are those of the machine (IMAGES, BUSY), which a shell or a job sets once for all its commands, and the folders that
 * commands read (RUN, INTO).
 */
import { architectures } from './architectures.js';
import { NotReadyError } from './errors.js';
import { variableNames } from './variables.js';

/** @typedef {Record<string, string | undefined>} Env */

const MEASURING = 'make run-<architecture>, make compare and make experiment-<id>';

/** @param {string} name of a variable that architectures have of their own */
const architecturesWith = (name) => Object.keys(architectures).filter((id) => architectures[id].variables?.[name]);

/** In words, after "it has an effect". @type {Record<string, string>} */
const EFFECTS = {
  LOAD: `on ${MEASURING}`,
  BUDGET: `on ${MEASURING}`,
  SEED: `on ${MEASURING}`,
  RATE: 'under LOAD=open',
  THINK: 'under LOAD=patient',
  DELAY: 'on architectures that have nodes to wait in',
  INTEGRITY: 'on architectures of the document service',
  EXPECT: 'on make run-<architecture>, on doubletake run, and on make report of a run',
  REPEATS: 'on make compare, make experiment-<id>, make selftest and make bench-overhead',
  ARMS: 'on make experiment-<id>',
  RESUME: 'on make compare and make experiment-<id>',
  BASELINE: 'on make compare',
  A: 'on make compare',
  B: 'on make compare',
  FAULTS: 'on make selftest',
  PARTS: 'on make bench-overhead',
  ...Object.fromEntries(variableNames().map((name) => [name, `on ${architecturesWith(name).join(', ')}`])),
};

/** All names. */
export const NAMES = Object.keys(EFFECTS);

/** Of these 0 is as good as none. */
const SWITCHES = ['DELAY', 'INTEGRITY', 'PARTS'];

/** @type {(name: string, text: string | undefined) => boolean} */
const isGiven = (name, text) => text !== undefined && text !== '' && !(SWITCHES.includes(name) && Number(text) === 0);

/**
 * What a run of an architecture takes; of most of it readSettings says more exactly under which load. The seed of a single run only
 * goes into its record: the command that every report names for repeating its run has one.
 * @param {string} architecture
 */
export const takenByRun = (architecture) => [
  ...['LOAD', 'BUDGET', 'SEED', 'EXPECT', 'DELAY', 'INTEGRITY', 'RATE', 'THINK'],
  ...Object.keys(architectures[architecture].variables ?? {}),
];

/**
 * @param {string} what   is run, in words
 * @param {readonly string[]} taken  names of the variables that change something about it
 * @param {Env} env
 * @throws {NotReadyError} naming the first other one, and what that has an effect on
 */
export const refuseAllBut = (what, taken, env) =>
  refuse(
    what,
    NAMES.filter((name) => !taken.includes(name)),
    env,
  );

/**
 * @param {string} what
 * @param {readonly string[]} names  of variables that change nothing about it
 * @param {Env} env
 * @throws {NotReadyError}
 */
export function refuse(what, names, env) {
  const name = names.find((candidate) => isGiven(candidate, env[candidate]));
  if (name === undefined) return;
  throw new NotReadyError(
    `${name}: expected none, because it changes nothing about ${what}; found "${env[name]}".`,
    `leave it out; it has an effect ${EFFECTS[name]}. Where a shell sets it for another program, give it empty: ${name}=`,
  );
}
