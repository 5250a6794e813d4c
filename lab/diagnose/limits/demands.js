/**
 * The service demand of each service: the CPU that it used in a stage over the requests that were finished in it (the
 * service demand law, D = U / X; Denning & Buzen, "The operational analysis of queueing network models", 1978).
 *
 * A failed request is finished too. What it cost is in the sum, and so is what a service does whatever the load, such as a
 * node's timers: both are part of what a finished request costs, and both make demands of different stages differ.
 */
import { countOf } from '../../record/k6-record.js';
import { rounded } from '../../stats/numbers.js';
import { coresUnder } from './machines.js';

/** A demand that rests on fewer finished requests says more of a service's idle work than of a request. */
const FINISHED_LEAST = 50;
/** A stage that lost more of its requests than this does not say what a request costs that passes all tiers; the lab's choice. */
const FAILED_MOST = 0.01;

/**
 * @typedef {{ from_s: number, to_s: number }} Span seconds of the load
 * @typedef {{ name: string, tier: string, cpu_quota_cores: number | null }} Service
 *
 * @typedef {object} Demands              of one stage
 * @property {number} finished
 * @property {number} failed
 * @property {Record<string, number | null>} seconds  service to CPU seconds for one finished request
 * @property {number | null} busiest      the largest share of its quota, or of the machine, that any service used
 */

/**
 * @param {import('../ledger/facts.js').Facts} facts
 * @param {Span} span
 * @returns {Demands}
 */
export function demandsOf({ raw, window, snapshots }, span) {
  const [from, to] = [window.from + span.from_s, window.from + span.to_s];
  const counted = (/** @type {string} */ metric) =>
    within(
      snapshots.map((snapshot, index) => ({
        from: snapshots[index - 1]?.t ?? snapshot.t - 1,
        to: snapshot.t,
        value: countOf(snapshot, metric),
      })),
      from,
      to,
    );
  const finished = counted('lab_finished') ?? 0;
  /** @type {Record<string, number | null>} */
  const seconds = {};
  let busiest = /** @type {number | null} */ (null);
  for (const { name, cpu_quota_cores: quota } of demandingServices(raw.manifest)) {
    const rows = raw.containers.filter((row) => row.name === name);
    const used = within(stepsOf(rows), from, to);
    seconds[name] = used === null || finished < FINISHED_LEAST ? null : used / finished;
    if (used !== null) busiest = Math.max(busiest ?? 0, used / (to - from) / (quota ?? coresUnder(raw.manifest, name)));
  }
  return { finished, failed: counted('lab_failed') ?? 0, seconds, busiest };
}

/**
 * Services that work for requests. An observer costs the same whatever the load.
 * @param {any} manifest
 * @returns {Service[]}
 */
export const demandingServices = (manifest) => /** @type {Service[]} */ (manifest.services ?? []).filter(({ tier }) => tier !== 'observer');

/**
 * The stage that says best what a request costs while nothing is the matter: of those with enough finished requests, and
 * hardly a failure among them, the one whose busiest service was least busy.
 * @param {Demands[]} stages
 * @returns {number} index, -1 when no stage finished enough requests
 */
export function calmestOf(stages) {
  const known = stages.filter(({ finished, busiest }) => finished >= FINISHED_LEAST && busiest !== null);
  const unharmed = known.filter(({ finished, failed }) => failed <= finished * FAILED_MOST);
  const [calmest] = (unharmed.length > 0 ? unharmed : known).toSorted((one, other) => Number(one.busiest) - Number(other.busiest));
  return calmest ? stages.indexOf(calmest) : -1;
}

/** @param {Demands} demands @returns {Record<string, number | null>} service to milliseconds */
export const inMilliseconds = ({ seconds }) =>
  Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, value === null ? null : rounded(value * 1000)]));

/** @typedef {{ from: number, to: number, value: number }} Step what was gained from one reading to the next */

/** @param {any[]} rows of one container @returns {Step[]} */
const stepsOf = (rows) =>
  rows.slice(1).map((row, index) => ({ from: rows[index].t, to: row.t, value: Math.max(0, row.cpu_s - rows[index].cpu_s) }));

/**
 * What was gained in a time: of a step that reaches beyond it the part that lies inside.
 * @param {Step[]} steps
 * @param {number} from
 * @param {number} to
 * @returns {number | null} null when no step touches it
 */
function within(steps, from, to) {
  const parts = steps
    .filter((step) => step.to > from && step.from < to && step.to > step.from)
    .map((step) => (step.value * (Math.min(step.to, to) - Math.max(step.from, from))) / (step.to - step.from));
  return parts.length === 0 ? null : parts.reduce((total, part) => total + part, 0);
}
