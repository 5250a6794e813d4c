/**
 * The arms of a plan of architectures that the lab brings along.
 *
 * @typedef {import('./planned-systems.js').Planned} Planned
 */
import { loadDuration } from '../../k6/lib/shapes.js';
import { formatCommand, launcherOf, shareIn, shellWord } from '../base/format-command.js';
import { architectures, scenarioOf } from '../catalog/architectures.js';
import { scenarios, shapeOf, shapes } from '../catalog/scenarios.js';
import { specOf } from '../options/accepted-options.js';
import { rateOfShare } from '../options/calibration.js';
import { COMPARE } from './plan.js';

/** @param {Planned} plan @returns {import('./planned-systems.js').PlannedSystems} */
export const shippedArms = (plan) => ({
  shape: () => shapeOfArms(plan),
  loadTitle: () => titleOfLoad(plan),
  fingerprint: () => undefined,
  thinkTime: () => plan.think_time_s ?? scenarioIn(plan).think_time_s ?? 0,
  noun: () => scenarioIn(plan).noun,
  titleOf: ({ architecture, variables = {} }) => {
    const differing = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return [architectures[architecture].title, ...differing].join(', ');
  },
  command: (given, words = wordsOf(plan)) => formatCommand(words, given),
  again: () => formatCommand(wordsOf(plan)),
  control: () => controlCommand(plan),
  takenAgain: () => ['RESUME', 'REPEATS'],
  isSettled: () => true,
  today: () => /** @type {import('./plan.js').Plan} */ (plan),
  runner: async (around) =>
    (await import('./experiment/shipped-runs.js')).shippedRunner({ plan: /** @type {import('./plan.js').Plan} */ (plan), ...around }),
});

/** @param {Planned} plan */
const scenarioIn = ({ arms }) => scenarios[scenarioOf(arms[0].architecture)];

/** @param {Planned} plan */
const wordsOf = ({ experiment = COMPARE }) => (experiment === COMPARE ? [COMPARE] : ['experiment', experiment]);

/** @param {Planned} plan */
function shapeOfArms(plan) {
  const { arms, load, think_time_s: think, calibration } = plan;
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

/** Variables that are the same for all arms. @param {Planned} plan @returns {Record<string, string>} */
function sharedBy({ arms, variables }) {
  const [first, ...others] = arms.map((arm) => ({ ...variables, ...arm.variables }));
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => others.every((other) => other[name] === value)));
}

/** Where arms have rates of their own, no rate is that of all. @param {Planned} plan */
function titleOfLoad(plan) {
  const shape = shapeOfArms(plan);
  const { arms, calibration } = plan;
  const { RATE } = sharedBy(plan);
  if (RATE === undefined && arms.some(({ variables }) => variables?.RATE !== undefined))
    return `a rate of each arm’s own, for ${loadDuration(shape)} s`;
  if (shareIn(RATE) === null) return shape.title;
  const share = `${RATE.replace('%', ' %')} of what ${calibration?.served?.architecture ?? arms[0].architecture} serves when it is full`;
  return calibration?.served ? `${shape.title} (${share})` : `a rate of ${share}, for ${loadDuration(shape)} s`;
}

/** @param {Planned} plan */
function controlCommand({ arms: [arm], load, budget, variables = {}, command = '' }) {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  const words = [`A=${specOf(arm)}`, `B=${specOf(arm)}`, `LOAD=${load}`, `BUDGET=${budget}`, ...given];
  return formatCommand([COMPARE], words, launcherOf(command));
}
