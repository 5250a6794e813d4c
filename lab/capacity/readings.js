/**
 * What a capacity plan reads of an experiment's runs: of each that counts its goodput, latency, and the CPU of its tiers. As in a
 * comparison SUSPECT runs count, with the doubt told, and INVALID ones do not.
 *
 * @typedef {{ number: number, cores: number | null, used: number | null }} TierReading  number: of services; cores: quota of all of
 *   them; used: cores in the mean, over the load
 *
 * @typedef {object} Reading  of one run
 * @property {number} block
 * @property {number} rps     good requests a second
 * @property {Record<string, TierReading>} tiers
 * @property {number | null} p95Ms   of good answers
 * @property {number | null} meanMs
 * @property {import('../record/result.js').Validity} validity  VALID or SUSPECT
 *
 * @typedef {object} NumberOfNodes
 * @property {number} n
 * @property {string} arm
 * @property {Reading[]} readings   by block
 * @property {number} leftOut       INVALID runs
 */
import { countingRuns } from '../compare/comparison/runs.js';

/** What makes the load, and what only watches it. */
const BESIDE = ['generator', 'observer'];

/**
 * @param {import('../compare/plan.js').Plan} plan  with a curve
 * @param {import('../compare/comparison/runs.js').Run[]} runs
 * @returns {NumberOfNodes[]} by their number
 */
export function readingsOf({ curve }, runs) {
  return Object.entries(curve?.x ?? {})
    .map(([arm, n]) => {
      const counting = [...countingRuns(runs, arm).values()];
      return {
        n,
        arm,
        readings: counting.map(readingOf).sort((one, other) => one.block - other.block),
        leftOut: runs.filter(({ attempt }) => attempt.arm === arm).length - counting.length,
      };
    })
    .sort((one, other) => one.n - other.n);
}

/** @param {import('../compare/comparison/runs.js').Run} run @returns {Reading} */
function readingOf({ attempt, result }) {
  const services = Object.values(result.resources).filter(({ tier }) => !BESIDE.includes(tier));
  const names = [...new Set(services.map(({ tier }) => tier))];
  return {
    block: attempt.block,
    rps: result.metrics.goodput_rps,
    tiers: Object.fromEntries(names.map((tier) => [tier, tierOf(services.filter((service) => service.tier === tier))])),
    p95Ms: result.metrics.latency_ms.ok.p95,
    meanMs: result.time_ledger?.check.measured_ms ?? null,
    validity: result.validity,
  };
}

/** @param {import('../record/result.js').Resource[]} services @returns {TierReading} */
const tierOf = (services) => ({
  number: services.length,
  cores: sumOf(services.map(({ cpu_quota_cores: quota }) => quota)),
  used: sumOf(services.map(({ cpu_cores: cpu }) => cpu.mean)),
});

/** @param {(number | null)[]} values @returns {number | null} null where one is not known */
const sumOf = (values) => values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
