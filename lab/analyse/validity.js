/**
 * Whether a run can be believed. The generator is the first suspect.
 */
import { scenarios } from '../define/scenarios.js';
import { ratio, sum } from './numbers.js';
import { secondOf } from './timeline.js';

/** Share of its quota at which a tier counts as saturated: quotas are enforced in 10 ms slices, readings once a second. */
export const SATURATED_SHARE = 0.95;
/** Share of the load's seconds for which the generator may be saturated; the second counts when it is the bottleneck too. */
const GENERATOR_SATURATED = { suspect: 0.1, invalid: 0.5 };
/** Little's law, residual of users (Little 1961, L = λW); 5 % and 10 % as the lab's design sets them. */
const LITTLE_RESIDUAL = { suspect: 0.05, invalid: 0.1 };
/** Seconds after a stage's start that do not count: the users of the step before are still on their way. */
const LITTLE_SETTLE_S = 3;
/** Of the stage that a request may take for the stage to be a steady state. */
const LITTLE_LONGEST_SHARE = 1 / 3;
/** Counts that differ by more than 0.1 % do not reconcile; beyond 1 % nothing rests on them. */
const RECONCILE_INVALID = 0.01;
/** Share of all cores that programs other than the lab's may use. */
const NEIGHBOUR = { suspect: 0.15, invalid: 0.35 };
/** Observers write once a second. */
const GAP_S = 3;

/**
 * @typedef {object} ValidityInput
 * @property {import('./ledger/facts.js').Facts} facts
 * @property {import('../define/result.js').Ledger} ledger
 * @property {import('../define/result.js').Stage[]} stages
 * @property {Record<string, (number | null)[]>} cpu
 * @property {import('../define/result.js').TimelineRow[]} timeline
 * @property {import('../define/result.js').Result['bottleneck']} bottleneck
 */

/** @typedef {{ grade: 'SUSPECT' | 'INVALID', reason: string }} Doubt */

/**
 * @param {ValidityInput} input
 * @returns {import('../define/result.js').Validity}
 */
export function validityOf(input) {
  const doubts = [
    completeness(input),
    generatorCpu(input),
    generatorLimits(input),
    reconciliation(input),
    littlesLaw(input),
    neighbours(input),
    gaps(input),
  ].flat();
  const verdict = doubts.some(({ grade }) => grade === 'INVALID') ? 'INVALID' : doubts.length > 0 ? 'SUSPECT' : 'VALID';
  return { verdict, reasons: doubts.map(({ reason }) => reason) };
}

/** @param {ValidityInput} input @returns {Doubt[]} */
function completeness({ facts }) {
  if (facts.generator.finished === 0) return [{ grade: 'INVALID', reason: 'no request was finished' }];
  if (facts.raw.manifest.interrupted) return [{ grade: 'INVALID', reason: 'the run was interrupted before its load had ended' }];
  if (facts.raw.summary === null && facts.raw.program === null) return [{ grade: 'INVALID', reason: 'the generator left no summary' }];
  return [];
}

/** @param {ValidityInput} input @returns {Doubt[]} */
function generatorCpu({ cpu, timeline, bottleneck }) {
  const shares = (cpu.k6 ?? []).filter((share, index) => timeline[index].t_s > 0 && share !== null);
  if (shares.length === 0) return [];
  const saturated = shares.filter((share) => (share ?? 0) >= SATURATED_SHARE).length / shares.length;
  // Users whose requests fail at once keep the generator busy; it spoils the run when it is what held the others back.
  const limits = bottleneck?.tier === 'generator' ? GENERATOR_SATURATED : { ...GENERATOR_SATURATED, invalid: Number.POSITIVE_INFINITY };
  return graded(saturated, limits, `the generator's CPU was at its quota for ${percent(saturated)} of the load's seconds`);
}

/** @param {ValidityInput} input @returns {Doubt[]} */
function generatorLimits({ ledger }) {
  const exhausted = sum(ledger.failures.filter(({ cause }) => cause === 'generator-exhausted').map(({ count }) => count));
  return exhausted > 0
    ? [{ grade: 'INVALID', reason: `the generator ran out of file descriptors or ports for ${exhausted.toLocaleString('en-US')} requests` }]
    : [];
}

/** @param {ValidityInput} input @returns {Doubt[]} */
function reconciliation({ ledger }) {
  return ledger.checks
    .filter(({ holds }) => !holds)
    .map(({ statement, left, right, exact }) => ({
      grade: exact || Math.abs(left - right) / Math.max(1, left, right) > RECONCILE_INVALID ? 'INVALID' : 'SUSPECT',
      reason: `counts do not reconcile: ${statement}; ${left.toLocaleString('en-US')} against ${right.toLocaleString('en-US')}`,
    }));
}

/**
 * Users in the system are their rate times the time each takes: N = X (R + Z).
 * @param {ValidityInput} input
 * @returns {Doubt[]}
 */
function littlesLaw({ facts, stages }) {
  const thinkMs = (scenarios[facts.raw.manifest.scenario]?.think_time_s ?? 0) * 1000;
  return stages
    .filter(({ held, unit, to_s, from_s }) => held && unit === 'users' && to_s - from_s > LITTLE_SETTLE_S)
    .flatMap(({ from_s, to_s, target }) => {
      // A late snapshot stands for all the time since the one before it.
      const inside = facts.snapshots
        .map(({ t, metrics }, index) => ({ t, metrics, seconds: t - (facts.snapshots[index - 1]?.t ?? t - 1) }))
        .filter(({ t }) => secondOf(t, facts.window) > from_s + LITTLE_SETTLE_S && secondOf(t, facts.window) <= to_s);
      const finished = inside.map(({ metrics }) => metrics.lab_finished?.count ?? 0);
      const perSecond = ratio(sum(finished), sum(inside.map(({ seconds }) => seconds)));
      const responseMs =
        sum(
          inside.map(
            ({ metrics }, index) => ((metrics.lab_latency_all?.avg ?? 0) + (metrics.http_req_blocked?.avg ?? 0)) * finished[index],
          ),
        ) / Math.max(1, sum(finished));
      if (perSecond === null || perSecond === 0) return [];
      // The law speaks of a steady state: requests that take much of the stage stand half outside it.
      const longestMs = Math.max(
        ...inside.map(({ metrics }) => (metrics.lab_latency_all?.max ?? 0) + (metrics.http_req_blocked?.max ?? 0)),
      );
      if (longestMs / 1000 > (to_s - from_s) * LITTLE_LONGEST_SHARE) return [];
      const residual = Math.abs((perSecond * (responseMs + thinkMs)) / 1000 - target) / target;
      return graded(
        residual,
        LITTLE_RESIDUAL,
        `Little's law is off by ${percent(residual)} while ${target.toLocaleString('en-US')} users were held: time was lost inside the generator`,
      );
    });
}

/** @param {ValidityInput} input @returns {Doubt[]} */
function neighbours({ facts: { raw, window } }) {
  const rows = raw.host.filter(({ t }) => t > window.from && t <= window.to);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || last.t - first.t < 2) return [];
  const used = /** @type {Map<string, { first: any, last: any }>} */ (new Map());
  for (const row of raw.containers) {
    if (row.t < first.t - 1 || row.t > last.t + 1) continue;
    const seen = used.get(row.name) ?? { first: row, last: row };
    used.set(row.name, { first: seen.first, last: row });
  }
  // Containers are read at moments of their own; what they used is taken for the part of it that is in the host's time.
  const containers = sum(
    [...used.values()].map(({ first: from, last: to }) => {
      const shared = Math.min(to.t, last.t) - Math.max(from.t, first.t);
      return ((to.cpu_s - from.cpu_s) / (to.t - from.t)) * shared;
    }),
  );
  const ours = containers + last.lab_cpu_s - first.lab_cpu_s;
  const others = (last.cpu_busy_s - first.cpu_busy_s - ours) / (last.cpu_total_s - first.cpu_total_s);
  return graded(others, NEIGHBOUR, `other programs used ${percent(others)} of the machine during the load`);
}

/** @param {ValidityInput} input @returns {Doubt[]} */
function gaps({ facts: { raw, window } }) {
  const rows = raw.host.filter(({ t }) => t > window.from && t <= window.to);
  const longest = Math.max(0, ...rows.slice(1).map((row, index) => row.t - rows[index].t));
  return longest > GAP_S ? [{ grade: 'SUSPECT', reason: `the observers have a gap of ${longest.toFixed(1)} s` }] : [];
}

/** @type {(value: number, limits: { suspect: number, invalid: number }, reason: string) => Doubt[]} */
function graded(value, limits, reason) {
  if (value > limits.invalid) return [{ grade: 'INVALID', reason }];
  return value > limits.suspect ? [{ grade: 'SUSPECT', reason }] : [];
}

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
