/**
 * A capacity plan in words.
 *
 * @typedef {import('../record/capacity-plan.js').CapacityPlan} CapacityPlan
 * @typedef {import('../record/capacity-plan.js').NumberRow} NumberRow
 * @typedef {import('../record/capacity-plan.js').TierRow} TierRow
 */
import { many, percent, significant, tierName } from '../stats/figure-words.js';
import { BUSY_MOST, LEAST_RUNS, REACH } from './limits.js';
import { NODES } from './tier-demands.js';

/** @param {number} value */
const rps = (value) => `${significant(value)} requests a second`;

/** @param {number} value ms */
const ms = (value) => (value < 1000 ? `${significant(value)} ms` : `${significant(value / 1000)} s`);

/** @param {{ low: number, high: number }} interval */
const between = ({ low, high }) => `${significant(low)} to ${significant(high)}`;

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} tier */
const nameOf = (tier) => (tier === NODES ? 'the nodes' : tierName(tier));

/**
 * @param {Pick<CapacityPlan, 'target' | 'nodes' | 'nodes_by_estimate' | 'numbers' | 'saturates' | 'hold_out' | 'doubt' | 'verdict'>} plan
 * @returns {string}
 */
export function headlineOf({ target, nodes, nodes_by_estimate: byEstimate, numbers, saturates, hold_out: check, doubt, verdict }) {
  const row = /** @type {NumberRow} */ (numbers.find(({ n }) => n === nodes));
  const { estimate, low, high } = row.capacity_rps;
  const limit = target.p95_ms === null ? '' : ` with a p95 of at most ${ms(target.p95_ms)}`;
  return [
    verdict === 'REFUTED' && `Not to be trusted. ${check.sentence}`,
    doubt && `In doubt: ${doubt.suspect} of ${many(doubt.runs, 'run')} are SUSPECT.`,
    doubt?.differs && doubt.without,
    `${capital(rps(target.rps))}${limit} want ${many(nodes, 'node')}, which ${nodes === 1 ? 'serves' : 'serve'} ${significant(estimate)} (95 % interval ${between({ low, high })}; ${row.basis}).`,
    byEstimate < nodes && `By the estimate alone ${byEstimate} would do.`,
    responseSentence(row),
    `Next to saturate: ${nameOf(saturates.first.tier)}, at ${rps(saturates.first.rps)}${saturates.second ? `; then ${nameOf(saturates.second.tier)}, at ${significant(saturates.second.rps)}` : ''}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** What the VALID runs alone give. @param {number | null} alone  null: no number of nodes @param {number} nodes  with the SUSPECT ones */
export function aloneSentence(alone, nodes) {
  if (alone === nodes) return 'The VALID runs alone give the same number.';
  return `The VALID runs alone give ${alone === null ? 'none that is enough' : many(alone, 'node')}.`;
}

/** @param {import('./readings.js').NumberOfNodes[]} few  with their VALID runs */
export const tooFewSentence = (few) =>
  `VALID runs alone cannot carry a plan, ${LEAST_RUNS} of each number being wanted: ${few.map(({ n, readings }) => `${readings.length} with ${many(n, 'node')}`).join(', ')}.`;

/** @param {NumberRow} row @returns {string | null} */
function responseSentence({ response }) {
  if (response === null) return null;
  const { p95_ms: p95 } = response;
  return `The p95 at that rate is ${p95.high === null ? `${ms(p95.low)} or more` : `${significant(p95.low)} to ${significant(p95.high)} ms`} (extrapolated).`;
}

/** @type {(row: Pick<TierRow, 'number' | 'busy'>, options: { isNodes: boolean }) => string} */
export function tierText({ number, busy }, { isNodes }) {
  if (isNodes) return `${many(number, 'node')}, each ${percent(busy)} busy at the target`;
  return `${number === 1 ? 'one' : number}, ${percent(busy)} busy at the target; nobody measured more of them`;
}

/**
 * @param {object} given
 * @param {number} given.nodes
 * @param {number} given.nodeCores   quota of one
 * @param {number} given.otherCores  quota of all other tiers
 * @param {number} given.cores       of the machine that measured
 * @param {string} given.load
 * @param {boolean} given.isInDoubt  SUSPECT runs were read
 * @param {number} given.factor      p95 over mean
 * @param {import('../record/comparison.js').Range} given.ratio  measured
 * @param {number} given.thinkS
 * @returns {string[]}
 */
export function assumptionsOf({ nodes, nodeCores, otherCores, cores, load, isInDoubt, factor, ratio, thinkS }) {
  const all = nodes * nodeCores + otherCores;
  const measured =
    ratio.median === null || ratio.low === null || ratio.high === null
      ? 'no run has it'
      : `the runs, with the nodes full, have ${significant(ratio.median)} (${between({ low: ratio.low, high: ratio.high })})`;
  return [
    `Each node has ${significant(nodeCores)} of a core to itself, as those measured. All tiers together take ${significant(all)} cores; the machine that measured has ${cores}.`,
    `A further node is like the measured ones and the balancer gives it an even share.`,
    `The requests are those of the load ${load}, in the same mix, on data of the same size.`,
    `The generator was not the limit: ${isInDoubt ? 'no run that is read is INVALID, and what makes some SUSPECT is told' : 'all runs that are read are VALID'}.`,
    `There is one of every other tier. It may be ${significant(BUSY_MOST * 100)} % busy, or as busy as it was measured.`,
    `The law holds up to ${REACH} times the largest number measured; what a further node costs is in its fit.`,
    `Response times are those of a network of queues (exact mean value analysis; exponential service; users think ${ms(thinkS * 1000)}). Waiting that is for no CPU, such as for a lock or the network, is not in them.`,
    `The p95 is ${significant(factor)} times the mean: in a queue with exponential service it is ln 20 = 3.0 times; ${measured}. The larger of the two plans, the smaller is the low end of the interval.`,
  ];
}

/**
 * Why a target is refused, and what could be answered.
 * @param {object} given
 * @param {CapacityPlan['target']} given.target
 * @param {number} given.reach   nodes
 * @param {number} given.measured  nodes
 * @param {number} given.most    requests a second
 * @param {{ tier: string, busy: number } | null} given.tier  that is too busy
 * @returns {{ problem: string, remedy: string }}
 */
export function refusalOf({ target, reach, measured, most, tier }) {
  const limit = target.p95_ms === null ? '' : ` with P95_MS=${target.p95_ms}`;
  const wanted = `a target inside the data, up to ${significant(most)} requests a second${limit}`;
  const why = tier
    ? `at ${target.rps} ${nameOf(tier.tier)} would be ${percent(tier.busy)} busy; more than one would be wanted, and this data cannot say what a second one does`
    : `found ${target.rps}, which no number of nodes up to ${reach} meets with its low bound; more than ${REACH} times the measured ${measured} are not answered for`;
  if (most > 0) return { problem: `${wanted}; ${why}`, remedy: 'ask for less, or measure more.' };
  return {
    problem: `a p95 inside the data; found P95_MS=${target.p95_ms}, which is not met at any rate: nodes as small as the measured ones answer slower with nobody waiting`,
    remedy: 'ask for a longer one, or measure larger nodes.',
  };
}
