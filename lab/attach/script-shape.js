/**
 * What a user's k6 script will do, as k6 itself says before it runs (`k6 inspect --execution-requirements`): for how long, with how many
 * users, and whether it may stop by itself. Pure.
 */
import { durationMs, lengthMs } from '../../k6/lib/durations.js';
import { NotReadyError } from '../define/errors.js';

const LONGEST_S = 3600;

/** @typedef {import('../../k6/shapes.js').Shape} Shape */
/** @typedef {{ executor: string, startTime?: string, stages?: { duration: string, target: number }[], [option: string]: any }} Scenario */

/**
 * @param {{ scenarios?: Record<string, Scenario>, maxVUs?: number }} inspected
 * @param {string} script  its name
 * @returns {Shape}
 * @throws {NotReadyError} when k6 does not say when it ends, or that is too late
 */
export function shapeOfScript({ scenarios = {}, maxVUs = 1 }, script) {
  const all = Object.values(scenarios);
  const ends = all.map((scenario) => (durationMs(scenario.startTime ?? 0) + lengthMs(scenario)) / 1000);
  const seconds = Math.max(0, ...ends);
  if (all.length === 0 || !ends.every(Number.isFinite) || seconds > LONGEST_S)
    throw new NotReadyError(
      `${script}: expected a load that ends within an hour; found ${Number.isFinite(seconds) ? `one of ${Math.round(seconds)} s` : 'no end'}.`,
      'give each scenario a duration, or stages.',
    );
  return {
    title: `${script}, as it is: up to ${maxVUs.toLocaleString('en-US')} users for ${Math.round(seconds)} s`,
    model: 'closed',
    unit: 'users',
    warmup_s: 0,
    settle_s: 0,
    stages: stagesOf(all, seconds, maxVUs),
  };
}

/**
 * @param {{ thresholds?: Record<string, (string | { abortOnFail?: boolean })[]> }} inspected
 * @returns {string[]} metrics whose thresholds may end the load before its time
 */
export const abortingIn = ({ thresholds }) =>
  Object.entries(thresholds ?? {})
    .filter(([, all]) => all.some((one) => typeof one === 'object' && one.abortOnFail === true))
    .map(([metric]) => metric);

/**
 * Stages of one ramp are the load's; of several scenarios, or of another kind, all of it is one stage.
 * @param {Scenario[]} scenarios @param {number} seconds @param {number} users
 * @returns {Shape['stages']}
 */
function stagesOf(scenarios, seconds, users) {
  const [{ executor, stages }] = scenarios;
  if (scenarios.length > 1 || executor !== 'ramping-vus' || !stages) return [{ duration_s: seconds, target: users }];
  return stages.map(({ duration, target }, index) => ({
    duration_s: durationMs(duration) / 1000,
    target,
    ...(index > 0 && stages[index - 1].target === target ? { held: true } : {}),
  }));
}
