/**
 * The arms of a plan of a user's own system.
 *
 * @typedef {import('./planned-systems.js').Planned} Planned
 * @typedef {import('./plan.js').ProjectPlan} ProjectPlan
 * @typedef {import('../options/accepted-options.js').Arm} Arm
 */
import { formatProjectCommand, shellWord } from '../base/format-command.js';
import { scenarios } from '../catalog/scenarios.js';
import { acceptedByProject, FOR_ALL_ARMS } from '../options/accepted-options.js';
import { AS_IT_IS, RUN_OPTIONS } from '../target/run-options.js';
import { COMPARE } from './plan.js';

const EXPERIMENT = 'experiment';

/** @param {Planned} plan @param {ProjectPlan} own @returns {import('./planned-systems.js').PlannedSystems} */
export const projectArms = (plan, own) => ({
  shape: () => own.loads[plan.load].shape,
  loadTitle: () => own.loads[plan.load].shape.title,
  fingerprint: (load) => own.loads[load].fingerprint,
  thinkTime: () => own.loads[plan.load].think_s ?? null,
  noun: () => scenarios.requests.noun,
  titleOf: (arm) => arm.own?.title ?? arm.id,
  command: (given, words = [commandOf(plan)]) => formatProjectCommand(words, given),
  again: () => formatProjectCommand([EXPERIMENT, ...(own.file ? [own.file] : [])], givenIn(plan)),
  control: () => controlCommand(plan, own),
  takenAgain: () => acceptedByProject(commandOf(plan)),
  // The Compose files may read a variable that is called as one which all arms of architectures may have.
  isSettled: (name) => !FOR_ALL_ARMS.includes(name) || RUN_OPTIONS.includes(name),
  today: () => withLoads(/** @type {import('./plan.js').Plan} */ (plan), own),
  runner: async (around) =>
    (await import('./experiment/project-runs.js')).projectRunner({ plan: /** @type {import('./plan.js').Plan} */ (plan), own, ...around }),
});

/** @param {Planned} plan @returns {'compare' | 'experiment'} */
const commandOf = ({ experiment }) => (experiment === COMPARE ? COMPARE : EXPERIMENT);

/** Which load an experiment has its file says. @param {Planned} plan @param {ProjectPlan} own */
function controlCommand({ arms: [arm], load, variables = {} }, own) {
  if (Object.keys(own.loads[load].change).length > 0) return `${formatProjectCommand([EXPERIMENT])}, with two arms that are alike`;
  return formatProjectCommand([COMPARE, ...sideWords(arm, arm)], givenIn({ variables }));
}

/** What all arms have of the lab's options, as a shell takes it. @param {Partial<Planned>} plan */
const givenIn = ({ variables = {} }) => Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);

/**
 * Two arms as the command line has them, which says it where both are the folder as it is.
 * @type {(base: Arm, other: Arm) => string[]}
 */
export function sideWords(base, other) {
  const words = [...optionWords('--a', base), ...optionWords('--b', other)];
  return words.length > 0 ? words : [`--b ${AS_IT_IS}`];
}

/** @type {(option: string, arm: Arm) => string[]} */
const optionWords = (option, { own }) => (own?.given ?? []).map((text) => `${option} ${shellWord(text)}`);

/**
 * One made before there could be several loads has its only one's in the place of them.
 * @param {import('./plan.js').Plan} plan
 * @param {any} own  as it was stored
 * @returns {import('./plan.js').Plan}
 */
function withLoads(plan, { shape, fingerprint, ...own }) {
  if (shape === undefined) return plan;
  return { ...plan, own: { ...own, loads: { [plan.load]: { shape, change: {}, fingerprint } } } };
}
