/**
 * What numbers of nodes bear at a rate: the fitted capacity says how much, the mean value analysis how long an answer takes.
 *
 * @typedef {import('../record/capacity-plan.js').CapacityPlan['target']} Target
 * @typedef {import('../record/capacity-plan.js').DemandRow} DemandRow
 * @typedef {import('../record/capacity-plan.js').Interval} Interval
 * @typedef {import('../record/capacity-plan.js').NumberRow} NumberRow
 *
 * @typedef {object} Model
 * @property {(n: number) => Interval} capacityAt  good requests a second
 * @property {DemandRow[][]} others  of every other tier than the nodes, by the number of nodes
 * @property {number} thinkS
 * @property {Interval} p95OverMean
 * @property {number} measured       the largest number of nodes that was
 * @property {number} reach          the largest that is answered for
 */
import { BUSY_MOST, RESPONSE_MOST_S } from './limits.js';
import { solveForRate, stationOf } from './mva.js';
import { busiestOf, demandAt } from './tier-demands.js';

/** Halvings of the span in which the largest rate is looked for: to a millionth of it. */
const HALVINGS = 20;

/** @param {Model} model @returns {number[]} */
export const numbersOf = ({ reach }) => Array.from({ length: reach }, (_, index) => index + 1);

/**
 * Each node is a station; the fitted capacity is the rate at which all of them are full. The other tiers have their measured CPU.
 * @param {Model} model
 * @param {number} n
 * @param {number} capacityRps  of all nodes
 * @returns {import('./mva.js').Network}
 */
function networkAt({ others, thinkS }, n, capacityRps) {
  const tiers = others.map((rows) => stationOf(demandAt(rows, n).ms / 1000, rows[rows.length - 1].cores));
  return { stations: [{ demandS: 1 / capacityRps, count: n }, ...tiers], thinkS };
}

/** @type {(model: Model, n: number, capacityRps: number, rps: number) => number | null} mean response in ms; null where it is not borne */
function meanMs(model, n, capacityRps, rps) {
  const found = solveForRate(networkAt(model, n, capacityRps), rps, RESPONSE_MOST_S);
  return found && found.responseS * 1000;
}

/** Whether the low bound of what n nodes serve meets the target. @type {(model: Model, n: number, target: Target) => boolean} */
function isEnough(model, n, { rps, p95_ms: p95Ms }) {
  const mean = meanMs(model, n, model.capacityAt(n).low, rps);
  return mean !== null && (p95Ms === null || mean * model.p95OverMean.high <= p95Ms);
}

/** The same by the estimates. @type {(model: Model, n: number, target: Target) => boolean} */
export function isEnoughByEstimate(model, n, { rps, p95_ms: p95Ms }) {
  const mean = meanMs(model, n, model.capacityAt(n).estimate, rps);
  return mean !== null && (p95Ms === null || mean * model.p95OverMean.estimate <= p95Ms);
}

/**
 * @param {Model} model
 * @param {number} n
 * @param {Target} target
 * @returns {NumberRow}
 */
export function numberRow(model, n, target) {
  const capacity = model.capacityAt(n);
  const [estimate, low, high] = [capacity.estimate, capacity.high, capacity.low].map((rps) => meanMs(model, n, rps, target.rps));
  const { p95OverMean: factor } = model;
  const response =
    estimate === null || low === null
      ? null
      : {
          mean_ms: { estimate, low, high },
          p95_ms: { estimate: estimate * factor.estimate, low: low * factor.low, high: high && high * factor.high },
        };
  const cap = fullFirst(model, n);
  const capped = (/** @type {number} */ rps) => Math.min(rps, cap?.rps ?? rps);
  return {
    n,
    capacity_rps: { estimate: capped(capacity.estimate), low: capped(capacity.low), high: capped(capacity.high) },
    capped_by: cap && cap.rps < capacity.high ? cap : null,
    response,
    enough: isEnough(model, n, target),
    basis: n <= model.measured ? 'fitted' : 'extrapolated',
  };
}

/** The share that a tier may be busy at the target. @param {DemandRow[]} rows */
const busyMost = (rows) => Math.max(BUSY_MOST, busiestOf(rows));

/**
 * The rate up to which a tier other than the nodes is answered for.
 * @type {(rows: DemandRow[], n: number) => number}
 */
const answeredRps = (rows, n) => busyMost(rows) * fullRps(rows, n);

/** The rate at which a tier has no CPU left. @type {(rows: DemandRow[], n: number) => number} */
export const fullRps = (rows, n) => (rows[rows.length - 1].cores * 1000) / demandAt(rows, n).ms;

/** The tier other than the nodes that has no CPU left at the least rate. @type {(model: Model, n: number) => { tier: string, rps: number } | null} */
const fullFirst = ({ others }, n) =>
  others.map((rows) => ({ tier: rows[0].tier, rps: fullRps(rows, n) })).toSorted((one, other) => one.rps - other.rps)[0] ?? null;

/** The tier that is too busy at a rate for an answer, at the least rate. @type {(model: Model, n: number, rps: number) => DemandRow[] | null} */
export const tooBusy = ({ others }, n, rps) =>
  others.filter((rows) => rps > answeredRps(rows, n)).toSorted((one, other) => answeredRps(one, n) - answeredRps(other, n))[0] ?? null;

/**
 * The largest rate that is answered for.
 * @param {Model} model
 * @param {number | null} p95Ms
 * @returns {number} 0 where there is none
 */
export function mostRps(model, p95Ms) {
  const numbers = numbersOf(model);
  const isBorne = (/** @type {number} */ rps) =>
    numbers.some((n) => tooBusy(model, n, rps) === null && isEnough(model, n, { rps, p95_ms: p95Ms }));
  let [least, most] = [0, Math.max(...numbers.map((n) => model.capacityAt(n).low))];
  for (let times = 0; times < HALVINGS; times += 1) {
    const middle = (least + most) / 2;
    if (isBorne(middle)) least = middle;
    else most = middle;
  }
  return least;
}
