/**
 * The A/A control: the same architecture on both sides, so that whatever differs is the machine's own noise.
 *
 * @typedef {import('../../record/comparison.js').Control} Control
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 */
import { isSameSystem } from '../../options/arms.js';
import { LEAST_BLOCKS } from '../../record/comparison.js';
import { includesNone, reachOf } from './metric.js';

/**
 * What the control's intervals reach to is what identical architectures may seem to differ by.
 *
 * @param {MetricComparison[]} measured
 * @param {import('../plan.js').Plan} plan
 * @returns {Control | null} null with too few blocks for an interval that means something
 */
export function selfControlOf(measured, plan) {
  const blocks = Math.min(...measured.filter(({ estimate }) => estimate !== null).map((metric) => metric.blocks));
  if (blocks < LEAST_BLOCKS || !Number.isFinite(blocks)) return null;
  const noise = measured.flatMap((metric) => {
    const reach = reachOf(metric);
    return reach === null ? [] : [[metric.id, reach]];
  });
  return { command: plan.command, started: plan.started, blocks, noise: Object.fromEntries(noise) };
}

/**
 * The noise by which the control itself is judged. An interval that leaves "no difference" out shows a bias: it must not
 * widen the delta that would call it the same.
 *
 * @param {MetricComparison[]} measured
 * @param {Control} control
 * @returns {Control}
 */
export function unbiasedOf(measured, control) {
  const unbiased = measured.filter(includesNone).map(({ id }) => id);
  return { ...control, noise: Object.fromEntries(Object.entries(control.noise).filter(([id]) => unbiased.includes(id))) };
}

/**
 * @param {import('../plan.js').Plan} plan
 * @param {string} base
 * @param {string} other
 * @returns {boolean} whether the two arms are the same system, measured in the same blocks
 */
export function isControl(plan, base, other) {
  const [one, two] = [base, other].map((id) => plan.arms.find((arm) => arm.id === id));
  return !plan.baseline && one !== undefined && two !== undefined && isSameSystem(one, two);
}
