/**
 * Operational laws of a run: what a request cost each service in each stage, and how many requests a second users and CPU
 * allowed at most.
 *
 * A stage's own demand would bound nothing where the CPU is used up: there, capacity over demand is the measured rate by
 * definition. So the bound is reckoned with one demand for all the run, that of the calmest stage (`calmestOf`). Measured
 * far below it then means one of two things, which the demand of the stage itself tells apart: requests became dearer
 * (`dearerServices`), or something binds that is no CPU. Measured above it means that requests became cheaper, as failures
 * and large batches are. Other limits than CPU and users are in no bound.
 */
import { scenarios } from '../../catalog/scenarios.js';
import { mean, min, rounded } from '../../stats/numbers.js';
import { isScript } from '../time/load-end.js';
import { stageSpans } from '../time/stages.js';
import { askedRates, cpuBounds } from './bounds.js';
import { calmestOf, demandingServices, demandsOf, inMilliseconds } from './demands.js';

/** A request that costs a service more than twice its CPU in the calmest stage has become dearer; the lab's choice. */
const DEARER = 2;

/**
 * @typedef {object} Laws
 * @property {StageLaws[]} stages
 * @property {(number | null)[]} boundRps    on the timeline's seconds
 * @property {number} calmest                index of the stage whose demand the bound is reckoned with; -1 when there is none
 *
 * @typedef {object} StageLaws
 * @property {Record<string, number | null>} cpuMsPerRequest  by service
 * @property {number | null} boundRps        mean over the stage's seconds
 * @property {string | null} boundBy         the tightest bound: a tier, `machine`, or `load`: what users or arrivals ask for
 * @property {{ service: string, times: number }[]} dearer  services that a request cost more than twice as much, dearest first
 */

/**
 * @param {import('../ledger/facts.js').Facts} facts
 * @param {import('../../record/result.js').TimelineRow[]} timeline
 * @param {number} [took]  seconds that the load took, where it ended before its time
 * @returns {Laws}
 */
export function lawsOf(facts, timeline, took) {
  const { manifest } = facts.raw;
  const spans = stageSpans(manifest.shape, timeline, took);
  const demands = spans.map(({ from_s, to_s }) => demandsOf(facts, { from_s, to_s: Math.min(to_s, took ?? to_s) }));
  const calmest = calmestOf(demands);
  const services = demandingServices(manifest);
  const [tightest] = calmest < 0 ? [] : cpuBounds(demands[calmest].seconds, services, manifest.machine.cores);
  const asked = asksUnknown(manifest)
    ? timeline.map(() => null)
    : askedRates(manifest.shape, timeline, manifest.think_time_s ?? scenarios[manifest.scenario]?.think_time_s ?? 0);
  const inStages = (/** @type {number} */ index) =>
    spans.some(({ from_s, to_s }) => timeline[index].t_s > from_s && timeline[index].t_s <= to_s);
  const boundRps = timeline.map((_, index) => (inStages(index) ? rounded(min([asked[index], tightest?.rps]), 1) : null));
  return {
    calmest,
    boundRps,
    stages: spans.map(({ from_s, to_s }, at) => {
      const inside = [...timeline.keys()].filter((index) => timeline[index].t_s > from_s && timeline[index].t_s <= to_s);
      const askedMean = mean(inside.map((index) => asked[index]));
      const isAsked = askedMean !== null && (tightest === undefined || askedMean < tightest.rps);
      return {
        cpuMsPerRequest: inMilliseconds(demands[at]),
        boundRps: rounded(mean(inside.map((index) => boundRps[index])), 1),
        boundBy: isAsked ? 'load' : (tightest?.by ?? null),
        dearer: calmest < 0 ? [] : dearerServices(demands[at].seconds, demands[calmest].seconds),
      };
    }),
  };
}

/** How long users of a script wait between requests, and what they ask in between, it says itself. @param {{ scenario: string, shape: import('../../../k6/lib/shapes.js').Shape }} manifest */
const asksUnknown = (manifest) => isScript(manifest) && manifest.shape.unit !== 'rps';

/** @type {(now: Record<string, number | null>, calm: Record<string, number | null>) => { service: string, times: number }[]} */
function dearerServices(now, calm) {
  return Object.entries(now)
    .map(([service, seconds]) => ({ service, times: seconds === null || !calm[service] ? 0 : seconds / calm[service] }))
    .filter(({ times }) => times > DEARER)
    .sort((one, other) => other.times - one.times);
}
