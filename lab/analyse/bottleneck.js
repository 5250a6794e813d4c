/**
 * The bottleneck of the whole run, taken from its stages: of a load that changes none binds for all of it.
 */
import { FULL_SHARE, machineBusy } from './machine-busy.js';
import { sum } from './numbers.js';
import { bindingBySecond, SUSTAINED_S, saturationsOf } from './saturations.js';
import { stageBottlenecksOf, stageName } from './stage-bottlenecks.js';
import { percent, tierName } from './words.js';

/** Losses below this share of the requests do not say which stage counts; the lab's choice. */
const LOST_SHARE = 0.01;

/** @typedef {import('../define/result.js').StageBottleneck} StageBottleneck */
/** @typedef {import('../define/result.js').Result['bottleneck']} Bottleneck */

/**
 * @param {object} input
 * @param {Record<string, import('../define/result.js').Resource>} input.resources
 * @param {Record<string, (number | null)[]>} input.cpu
 * @param {import('./watched-limit.js').WatchedLimit[]} input.limits
 * @param {import('../define/result.js').TimelineRow[]} input.timeline
 * @param {import('../define/result.js').Stage[]} input.stages  none where a program makes the load
 * @param {import('./laws/laws.js').Laws} input.laws
 * @param {import('./ledger/facts.js').Facts} input.facts
 * @returns {{ bottleneck: Bottleneck, reason: string, byStage: StageBottleneck[] }}
 */
export function bottleneckOf({ resources, cpu, limits, timeline, stages, laws, facts }) {
  const seconds = timeline.map(({ t_s }) => t_s);
  const saturations = saturationsOf({ resources, cpu, limits, seconds, facts });
  const found = stageBottlenecksOf({ stages: stages.length > 0 ? stages : [wholeLoad(seconds)], saturations, timeline, laws, facts });
  const byStage = stages.length > 0 ? found : [];
  const decided = decisiveStage(found, stages, timeline);
  if (decided?.row.tier) {
    const { tier, evidence } = decided.row;
    return { byStage, bottleneck: { tier, evidence: [...evidence, ...elsewhere(found, stages, tier)] }, reason: decided.why };
  }
  if (decided) return { byStage, bottleneck: null, reason: `${decided.why}: ${decided.row.what}` };
  // No stage is bound by a tier for most of its time; a limit may have been reached for some of it.
  const bottleneck = briefly(saturations, seconds);
  return {
    byStage,
    bottleneck,
    reason: bottleneck ? 'it was at a limit, though in no stage for most of the time' : nothingText(found, stages, facts),
  };
}

/** @param {number[]} seconds @returns {import('../define/result.js').Stage} of a load that has no stages */
const wholeLoad = (seconds) => ({
  .../** @type {any} */ ({ target: 0, unit: 'users', held: true, throughput_rps: null, bound_rps: null }),
  from_s: 0,
  to_s: seconds.at(-1) ?? 0,
});

/**
 * The stage whose bottleneck stands for the run: where most requests were lost, else the last one that a tier binds.
 * @param {StageBottleneck[]} found
 * @param {import('../define/result.js').Stage[]} stages
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @returns {{ row: StageBottleneck, why: string } | null} null when hardly a request was lost and no stage is bound by a tier
 */
function decisiveStage(found, stages, timeline) {
  if (stages.length === 0) return found[0].tier ? { row: found[0], why: 'it was at a limit for most of the load' } : null;
  const lost = found.map(({ from_s, to_s }) =>
    sum(timeline.filter(({ t_s }) => t_s > from_s && t_s <= to_s).map(({ failures_per_s: failures }) => failures)),
  );
  const all = sum(lost);
  const finished = sum(timeline.filter(({ t_s }) => t_s > 0).map(({ throughput_rps: rate }) => rate));
  if (all > finished * LOST_SHARE) {
    const most = lost.indexOf(Math.max(...lost));
    return { row: found[most], why: `${percent(lost[most] / all)} of the failures fell into the stage ${stageName(stages[most])}` };
  }
  const last = found.findLastIndex(({ tier }) => tier !== null);
  return last < 0 ? null : { row: found[last], why: `it binds in the stage ${stageName(stages[last])}` };
}

/** What binds in the other stages. @type {(found: StageBottleneck[], stages: import('../define/result.js').Stage[], named: string) => string[]} */
function elsewhere(found, stages, named) {
  const others = found.flatMap(({ tier }, at) =>
    tier && tier !== named ? [`${tierName(tier)} in the stage ${stageName(stages[at])}`] : [],
  );
  return others.length > 0 ? [`in other stages it is another: ${others.join(', ')}`] : [];
}

/** The tier that was longest at a limit, if for some seconds in a row. @type {(saturations: import('./saturations.js').Saturation[], seconds: number[]) => Bottleneck} */
function briefly(saturations, seconds) {
  const binding = bindingBySecond(saturations, seconds).filter((_, index) => seconds[index] > 0);
  let [run, longest] = [0, 0];
  let tier = /** @type {string | null} */ (null);
  for (const [index, saturation] of binding.entries()) {
    run = saturation && saturation.tier === binding[index - 1]?.tier ? run + 1 : saturation ? 1 : 0;
    if (saturation && saturation.tier !== 'machine' && run > longest) [longest, tier] = [run, saturation.tier];
  }
  if (tier === null || longest < SUSTAINED_S) return null;
  const evidence = saturations.flatMap((saturation) => {
    const reached = saturation.reached.filter((value, index) => value && seconds[index] > 0).length;
    return saturation.tier === tier && reached > 0 ? [`${saturation.name}: ${saturation.what} for ${reached} s`] : [];
  });
  return { tier: /** @type {import('../define/result.js').Tier} */ (tier), evidence };
}

/** @type {(found: StageBottleneck[], stages: import('../define/result.js').Stage[], facts: import('./ledger/facts.js').Facts) => string} */
function nothingText(found, stages, facts) {
  const unexplained = found.findIndex(({ what }) => what.startsWith('no watched limit'));
  if (unexplained >= 0) return `no watched limit explains the rate in the stage ${stageName(stages[unexplained])}`;
  const busy = machineBusy(facts);
  const together = busy >= FULL_SHARE ? `; together they used ${percent(busy)} of the machine's cores` : '';
  return `no tier reached a limit that is watched${together}`;
}
