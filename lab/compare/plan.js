/**
 * The shape of an experiment's manifest: everything that is decided before its first run, and the runs made so far. An
 * interrupted experiment is resumed from it, and judged by what stands in it.
 *
 * @typedef {import('../options/accepted-options.js').Arm} Arm
 *
 * @typedef {object} Plan
 * @property {1} schema
 * @property {string} id             folder below reports/
 * @property {string} experiment     key of the table, or `compare`; of a user's file `experiment`, and its name
 * @property {string} title
 * @property {string} question
 * @property {string} load           of all arms that have none of their own
 * @property {string} budget
 * @property {number} repeats        blocks
 * @property {number} seed           of the random order
 * @property {import('../options/settings.js').ImageMode} images
 * @property {Record<string, string>} variables  of the command line, for all arms
 * @property {import('../options/calibration.js').Calibration | null} [calibration]  of all its runs, since its first; null when none needs it
 * @property {number | null} [think_time_s]  of all its runs, where it follows from the calibration
 * @property {ProjectPlan} [own]         of the runs of a user's own system; missing for architectures
 * @property {Arm[]} arms
 * @property {[string, string][]} pairs
 * @property {import('../catalog/experiments.js').Curve | null} curve
 * @property {string[][]} schedule   arms in the order of their runs, block by block
 * @property {import('../catalog/claims.js').Claim[]} claims  as they stood before the first run
 * @property {string | null} claims_hash  SHA-256 of their JSON
 * @property {Definition | null} [definition]  the experiment's whole entry as it stood before the first run: the claims, and their tests
 *   it may be; null for a comparison, missing in plans made before it was kept
 * @property {string | null} [definition_hash]  SHA-256 of its JSON
 * @property {import('../record/types.js').Control | null} control
 * @property {Baseline | null} baseline  runs of an earlier experiment that stand for the first arm
 * @property {string} command        repeats it
 * @property {Record<string, any>} machine
 * @property {{ commit: string, changed: boolean } | null} git
 * @property {string} started        ISO 8601
 * @property {string | null} ended   null while runs are missing
 * @property {import('../options/settings.js').Settings['busy']} [busy]  of this machine now: given anew when it goes on
 * @property {number} [attempts_most]  how often a run is made at most while it is INVALID; twice where it is missing
 * @property {Attempt[]} attempts    runs made so far, in order
 * @property {string[]} notes
 *
 * @typedef {object} ProjectPlan
 * @property {Record<string, ProjectLoad>} loads  by their names
 * @property {boolean} allow_data    the user has said that what a run could harm may be harmed
 * @property {string} [file]         in which an experiment is said; missing for a comparison, and in plans made before it was kept
 *
 * @typedef {object} ProjectLoad
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {Pick<import('../catalog/project-schema.js').ProjectLoad, 'script' | 'shape' | 'users' | 'think_ms'>} change  in what it is another
 *   than doubletake.yaml's
 * @property {number | null} [think_s]  that its users think; null where a script says it, missing in plans made before it was kept
 * @property {string} fingerprint    of doubletake.yaml and of what it says of the load
 *
 * @typedef {import('../catalog/experiments.js').Experiment & { claims: import('../catalog/claims.js').Claim[] }} Definition
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
import { loadDuration } from '../../k6/lib/shapes.js';
import { formatCommand, formatProjectCommand, launcherOf, shareIn, shellWord } from '../base/format-command.js';
import { architectures, scenarioOf } from '../catalog/architectures.js';
import { scenarios, shapeOf, shapes } from '../catalog/scenarios.js';
import { acceptedByProject, FOR_ALL_ARMS, specOf } from '../options/accepted-options.js';
import { rateOfShare } from '../options/calibration.js';
import { RUN_OPTIONS } from '../target/run-options.js';

export const PLAN_SCHEMA_VERSION = 1;

/** @param {Pick<Plan, 'arms' | 'load'>} plan @returns {string[]} the loads of its arms, in the order of the arms */
export const loadsOf = ({ arms, load }) => [...new Set(arms.map((arm) => arm.load ?? load))];

/**
 * What of a plan is made under one of its loads.
 * @template {Pick<Plan, 'arms' | 'load'>} Part
 * @param {Part} plan
 * @param {string} load
 * @returns {Part}
 */
export const partUnder = (plan, load) => ({ ...plan, load, arms: plan.arms.filter((arm) => (arm.load ?? plan.load) === load) });

/** @typedef {Pick<Plan, 'arms' | 'load' | 'variables' | 'calibration' | 'think_time_s' | 'own'>} Loaded  of one load */

/**
 * The shape of a plan's load. What is an arm's own, such as the number of its users, is left open.
 * @param {Loaded} plan
 * @returns {import('../../k6/lib/shapes.js').Shape}
 */
export function shapeOfPlan(plan) {
  const { arms, load, think_time_s: think, calibration, own } = plan;
  if (own) return own.loads[load].shape;
  const { RATE, ...others } = sharedBy(plan);
  const served = calibration?.served;
  const share = shareIn(RATE);
  const rate = share === null ? RATE : served && String(rateOfShare(share, served));
  return shapes[shapeOf(scenarioOf(arms[0].architecture), load)]({
    ...others,
    RATE: rate,
    THINK_TIME_S: think ? String(think) : undefined,
  });
}

/** Variables that are the same for all arms. @param {Loaded} plan @returns {Record<string, string>} */
function sharedBy({ arms, variables }) {
  const [first, ...others] = arms.map((arm) => ({ ...variables, ...arm.variables }));
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => others.every((other) => other[name] === value)));
}

/**
 * Its load in words. Where arms have rates of their own, no rate is that of all.
 * @param {Loaded} plan
 * @returns {string}
 */
export function loadTitleOf(plan) {
  const shape = shapeOfPlan(plan);
  const { arms, calibration, own } = plan;
  if (own) return shape.title;
  const { RATE } = sharedBy(plan);
  if (RATE === undefined && arms.some(({ variables }) => variables?.RATE !== undefined))
    return `a rate of each arm’s own, for ${loadDuration(shape)} s`;
  if (shareIn(RATE) === null) return shape.title;
  const share = `${RATE.replace('%', ' %')} of what ${calibration?.served?.architecture ?? arms[0].architecture} serves when it is full`;
  return calibration?.served ? `${shape.title} (${share})` : `a rate of ${share}, for ${loadDuration(shape)} s`;
}

/** The loads of its arms in words. @param {Loaded} plan @returns {string} */
export function loadTitlesOf(plan) {
  const loads = loadsOf(plan);
  const title = (/** @type {string} */ load) => loadTitleOf(partUnder(plan, load));
  return loads.length === 1 ? title(loads[0]) : loads.map((load) => `${load}: ${title(load)}`).join('; ');
}

/** What its load was, where that is a user's own: of an architecture its name says it. @param {Pick<Plan, 'own'>} plan @param {string} load */
export const fingerprintOf = ({ own }, load) => own?.loads[load].fingerprint;

/** What an arm is, in words. @param {Arm} arm */
export function titleOf({ architecture, variables = {}, own }) {
  if (own) return own.title;
  const differing = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return [architectures[architecture].title, ...differing].join(', ');
}

/** The group below reports/ of comparisons that are in no table; they have a page of their own and no experiment around it. */
export const COMPARE = 'compare';

/**
 * The command that goes on with a plan, or does something else with it.
 * @param {Pick<Plan, 'experiment' | 'own'>} plan
 * @param {string[]} given  its variables
 * @param {string[]} [words]  of another command than the one that made it
 */
export function commandAbout({ experiment: name, own }, given, words) {
  if (own) return formatProjectCommand(words ?? [name === COMPARE ? COMPARE : 'experiment'], given);
  return formatCommand(words ?? (name === COMPARE ? [COMPARE] : ['experiment', name]), given);
}

/** What a plan of a user's own system, or of architectures, takes when it is gone on with. @param {Pick<Plan, 'experiment' | 'own'>} plan @returns {string[]} */
export const takenAgain = ({ experiment, own }) =>
  own ? acceptedByProject(experiment === COMPARE ? COMPARE : 'experiment') : ['RESUME', 'REPEATS'];

/** Of a user's own system the Compose files may read a variable that is called as one which all arms of architectures may have. @param {Pick<Plan, 'own'>} plan @param {string} name */
export const isSettledIn = ({ own }, name) => !own || !FOR_ALL_ARMS.includes(name) || RUN_OPTIONS.includes(name);

/** The command that measures an experiment anew, with all its arms. @param {Pick<Plan, 'experiment' | 'own'>} plan */
export const commandAgain = ({ experiment, own }) =>
  own ? formatProjectCommand(['experiment', ...(own.file ? [shellWord(own.file)] : [])]) : formatCommand(['experiment', experiment]);

/** What many requests of it are called. @param {Pick<Plan, 'arms' | 'own'>} plan */
export const nounOf = ({ arms, own }) => scenarios[own ? 'requests' : scenarioOf(arms[0].architecture)].noun;

/** Seconds that the users of its load think. @param {Pick<Plan, 'arms' | 'load' | 'think_time_s' | 'own'>} plan @returns {number | null} null where nobody knows */
export const thinkTimeOf = ({ arms, load, think_time_s: think, own }) =>
  own ? (own.loads[load].think_s ?? null) : (think ?? scenarios[scenarioOf(arms[0].architecture)].think_time_s ?? 0);

/**
 * The command of an A/A control of a plan's first arm.
 * @param {Pick<Plan, 'arms' | 'load' | 'budget' | 'variables' | 'own' | 'command'>} plan
 */
export function controlCommand({ arms: [arm], load, budget, variables, own, command }) {
  // Which load an experiment has its file says.
  if (own && Object.keys(own.loads[load].change).length > 0) return `${formatProjectCommand(['experiment'])}, with two arms that are alike`;
  const given = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  if (own) return formatProjectCommand(['compare', ...['--a', '--b'].flatMap((option) => optionWords(option, arm))], given);
  return formatCommand(['compare'], [`A=${specOf(arm)}`, `B=${specOf(arm)}`, `LOAD=${load}`, `BUDGET=${budget}`], launcherOf(command));
}

/** An arm of an own system as the command line has it. @type {(option: string, arm: Arm) => string[]} */
export const optionWords = (option, { own }) => (own?.given ?? []).map((text) => `${option} ${shellWord(text)}`);
