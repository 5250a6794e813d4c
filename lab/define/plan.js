/**
 * The shape of an experiment's manifest: everything that is decided before its first run, and the runs made so far. An
 * interrupted experiment is resumed from it, and judged by what stands in it.
 *
 * @typedef {import('./arms.js').Arm} Arm
 *
 * @typedef {object} Plan
 * @property {1} schema
 * @property {string} id             folder below reports/
 * @property {string} experiment     key of the table, or `compare`
 * @property {string} title
 * @property {string} question
 * @property {string} load
 * @property {string} budget
 * @property {number} repeats        blocks
 * @property {number} seed           of the random order
 * @property {import('./settings.js').ImageMode} images
 * @property {Record<string, string>} variables  of the front door, for all arms
 * @property {import('./calibration.js').Calibration | null} [calibration]  of all its runs, since its first; null when none needs it
 * @property {number | null} [think_time_s]  of all its runs, where it follows from the calibration
 * @property {OwnPlan} [own]         of the runs of a user's own system; missing for architectures
 * @property {Arm[]} arms
 * @property {[string, string][]} pairs
 * @property {import('./experiments.js').Curve | null} curve
 * @property {string[][]} schedule   arms in the order of their runs, block by block
 * @property {import('./claims.js').Claim[]} claims  as they stood before the first run
 * @property {string | null} claims_hash  SHA-256 of their JSON
 * @property {Definition | null} [definition]  the experiment's whole entry as it stood before the first run: what is judged, and how
 *   it may be; null for a comparison, missing in plans made before it was kept
 * @property {string | null} [definition_hash]  SHA-256 of its JSON
 * @property {import('./comparison.js').Control | null} control
 * @property {Baseline | null} baseline  runs of an earlier experiment that stand for the first arm
 * @property {string} command        repeats it
 * @property {Record<string, any>} machine
 * @property {{ commit: string, changed: boolean } | null} git
 * @property {string} started        ISO 8601
 * @property {string | null} ended   null while runs are missing
 * @property {number} [attempts_most]  how often a run is made at most while it is INVALID; twice where it is missing
 * @property {Attempt[]} attempts    runs made so far, in order
 * @property {string[]} notes
 *
 * @typedef {object} OwnPlan
 * @property {import('../../k6/shapes.js').Shape} shape  of the load
 * @property {boolean} allow_data    the user has said that what a run could harm may be harmed
 * @property {string} fingerprint    of doubletake.yaml and of what it says of the load
 *
 * @typedef {import('./experiments.js').Experiment & { claims: import('./claims.js').Claim[] }} Definition
 *
 * @typedef {object} Baseline
 * @property {string} arm            that they stand for; it is in no block
 * @property {string} from           the earlier experiment's id
 * @property {string} started        ISO 8601
 * @property {boolean} same_machine
 * @property {Attempt[]} attempts    copied into this experiment's folder
 *
 * @typedef {object} Attempt
 * @property {number} block          from 1
 * @property {string} arm
 * @property {string} run            folder below reports/
 * @property {'VALID' | 'SUSPECT' | 'INVALID'} validity
 * @property {number} took_s         the whole run, from nothing to nothing
 * @property {Record<string, string>} [images]  of an own system: ids of the images that were built for it, by service
 */
import { loadDuration, shapes } from '../../k6/shapes.js';
import { scenarioOf } from './architectures.js';
import { specOf } from './arms.js';
import { shapeOf } from './scenarios.js';
import { shellWord } from './shell-word.js';
import { doorOf, spell, spellOwn } from './spelling.js';

export const PLAN_SCHEMA_VERSION = 1;

/**
 * The shape of a plan's load. What is an arm's own, such as the number of its users, is left open.
 * @param {Pick<Plan, 'arms' | 'load' | 'variables' | 'think_time_s' | 'own'>} plan
 * @returns {import('../../k6/shapes.js').Shape}
 */
export function shapeOfPlan({ arms, load, variables, think_time_s: think, own }) {
  if (own) return own.shape;
  // A percentage is one of what each arm serves.
  const isForAll = (/** @type {[string, string]} */ [name, value]) =>
    arms.every((arm) => arm.variables?.[name] === undefined) && !value.endsWith('%');
  const forAll = Object.entries(variables).filter(isForAll);
  return shapes[shapeOf(scenarioOf(arms[0].architecture), load)]({
    ...Object.fromEntries(forAll),
    THINK_TIME_S: think ? String(think) : undefined,
  });
}

/**
 * Its load in words. Where arms have rates of their own, or a share of what each serves, no rate is that of all.
 * @param {Pick<Plan, 'arms' | 'load' | 'variables' | 'think_time_s' | 'own'>} plan
 * @returns {string}
 */
export function loadTitleOf(plan) {
  const shape = shapeOfPlan(plan);
  const isShare = plan.variables.RATE?.endsWith('%') === true;
  const isOwn = isShare || plan.arms.some(({ variables }) => variables?.RATE !== undefined);
  return isOwn ? `a rate of each arm’s own, for ${loadDuration(shape)} s` : shape.title;
}

/**
 * The command of an A/A control of a plan's first arm.
 * @param {Pick<Plan, 'arms' | 'load' | 'budget' | 'own' | 'command'>} plan
 */
export function controlCommand({ arms: [arm], load, budget, own, command }) {
  if (own) return spellOwn(['compare', ...['--a', '--b'].flatMap((option) => optionWords(option, arm))]);
  return spell(['compare'], [`A=${specOf(arm)}`, `B=${specOf(arm)}`, `LOAD=${load}`, `BUDGET=${budget}`], doorOf(command));
}

/** An arm of an own system as the command line has it. @type {(option: string, arm: Arm) => string[]} */
export const optionWords = (option, { own }) => (own?.given ?? []).map((text) => `${option} ${shellWord(text)}`);
