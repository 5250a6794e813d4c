/**
 * The bottleneck of the whole run. Where requests failed or answers took long it is judged over those seconds, however short the trouble was;
 * else over the stages of the load: of one that changes none binds for all of it.
 */

import { causes } from '../../record/causes.js';
import { count, inUnit, many, percent, significant, tierName } from '../../stats/figure-words.js';
import { present, sum } from '../../stats/numbers.js';
import { evidenceOver, hasLost, hurtOf, judgedOver, nothingOver, reasonOver, SLOW_TIMES, sustained } from './hurt.js';
import { FULL_SHARE, machineBusyIn } from './saturation.js';
import { bindingBySecond, coresSaturation, SUSTAINED_S, saturationsOf, stageBottlenecksOf, stageName } from './saturations.js';

/*
 * The bottleneck of a user's own system whose failed requests were followed: what binds is what they waited for, not whatever was at a limit
 * meanwhile.
 */

/** What a service does by itself, for whatever reason. @type {Set<import('../../record/types.js').WaitingFinding['mechanism']>} */
const OF_ITSELF = new Set([null, 'own-error', 'broken-off', 'closed-unasked', 'hung']);
/** Of what was read at the place. */
const EVIDENCE_MOST = 2;

/**
 * @param {import('../../record/types.js').Waiting | null} waiting
 * @param {Pick<import('../../record/types.js').Ledger, 'failures'>} ledger
 * @returns {{ bottleneck: import('../../record/types.js').Result['bottleneck'], reason: string } | null} null where no failed request was followed
 */
function bottleneckFollowed(waiting, { failures: [worst] }) {
  const [first] = waiting?.findings ?? [];
  if (!waiting || !first || !worst) return null;
  const what = `${worst.service}: ${worst.cause_title}`;
  if (!causes[worst.cause].limit)
    return {
      bottleneck: null,
      reason: `most failed requests ended at ${what}; ${OF_ITSELF.has(first.mechanism) ? 'whether a limit of its own was reached there is not on record' : 'that is no limit that is reached'}`,
    };
  return {
    bottleneck: { tier: worst.tier, evidence: [what, ...first.evidence.slice(0, EVIDENCE_MOST)] },
    reason: `${count(worst.count)} failed requests (${percent(worst.share)}) were followed to it`,
  };
}

/**
 * How the system gave way, in the order of time: the moment in which each limit was reached, answers became slow and requests began to fail,
 * with the load of that second. That one came before the other is all that is said: what is reached at the same time need not be the cause.
 *
 * @typedef {import('./saturations.js').Saturation} Saturation
 * @typedef {import('./hurt.js').Hurt} Hurt
 * @typedef {import('../../record/types.js').TimelineRow} TimelineRow
 */

/** Limits that are reported; more of them say less. */
const LIMITS_MOST = 5;
/** A second without a reading has the users of one this near. */
const USERS_WITHIN_S = 2;
/** From a second without a reading to those that were read, before and after it. The lab's own choice. */
const NEAR_S = [1, 2];

/**
 * @param {object} input
 * @param {Saturation[]} input.saturations
 * @param {TimelineRow[]} input.timeline
 * @param {Hurt} input.hurt
 * @param {string | null} input.tier  the bottleneck's
 * @param {string} input.unit  of the load's targets
 * @returns {string[]} a line each; none where nothing of it happened
 */
export function givingWay({ saturations, timeline, hurt, tier, unit }) {
  const hurting = [...hurt.failing, ...hurt.slow];
  // What is at its limit while all is answered as quickly as in the calm gives way to nothing.
  if (hurting.length === 0) return [];
  const limits = firstOfEach(
    saturations
      .filter((saturation) => saturation.tier === tier || hurting.some((index) => saturation.reached[index]))
      .flatMap((saturation) => intervalOf(saturation, timeline)),
  ).slice(0, LIMITS_MOST);
  const events = limits.map(({ at, seconds, saturation: { name, what } }) => ({ at, text: `${name}: ${what}, for ${seconds} s in all` }));
  const [slow] = hurt.slow;
  if (slow !== undefined)
    events.push({
      at: slow,
      text: `answers take at least ${SLOW_TIMES} times as long as in the calm (median ${inUnit('ms', hurt.calmMs)})${hurt.silent > 0 ? ', or do not come' : ''}`,
    });
  const [failing] = hurt.failing;
  if (failing !== undefined) events.push({ at: failing, text: `the first request fails; some do in ${hurt.failing.length} s in all` });
  return events
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => `second ${timeline[at].t_s} (${loadAt(timeline, at, unit)}): ${text}`);
}

/**
 * When its limit was reached for some seconds in a row for the first time. One or two that nobody could read do not end them: observers miss
 * some just where a system gives way.
 * @type {(saturation: Saturation, timeline: TimelineRow[]) => { at: number, seconds: number, saturation: Saturation }[]}
 */
function intervalOf(saturation, timeline) {
  const isReached = (/** @type {number} */ index) => saturation.reached[index] === true;
  const isBetween = (/** @type {number} */ index) =>
    [-1, 1].every((way) => NEAR_S.some((distance) => isReached(index + way * distance))) && saturation.reached[index] === null;
  const load = [...timeline.keys()].filter((index) => timeline[index].t_s > 0);
  const reached = load.filter(isReached);
  const [at] = sustained(
    load.filter((index) => isReached(index) || isBetween(index)),
    isReached,
  );
  return at === undefined ? [] : [{ at, seconds: reached.length, saturation }];
}

/** Of several nodes with one limit the first stands for all. @param {ReturnType<typeof intervalOf>} intervals */
const firstOfEach = (intervals) =>
  intervals
    .toSorted((one, other) => one.at - other.at)
    .filter(
      ({ saturation: { tier, what } }, index, sorted) =>
        sorted.findIndex(({ saturation: other }) => other.tier === tier && other.what === what) === index,
    );

/** @type {(timeline: TimelineRow[], at: number, unit: string) => string} */
function loadAt(timeline, at, unit) {
  const rate = `${significant(timeline[at].throughput_rps ?? 0)} requests a second`;
  if (unit !== 'users') return rate;
  const near = timeline.slice(Math.max(0, at - USERS_WITHIN_S), at + 1).filter(({ t_s }) => t_s > 0);
  const users = present(near.map(({ vus }) => vus)).at(-1);
  return users === undefined ? rate : `${count(users)} users, ${rate}`;
}

/**
 * Where requests were lost and what was at a limit meanwhile, in one sentence where these are two tiers.
 * @param {object} input
 * @param {import('../../record/types.js').Ledger} input.ledger
 * @param {string} input.tier  the bottleneck's
 * @param {Saturation[]} input.saturations
 * @param {TimelineRow[]} input.timeline
 * @param {Hurt} input.hurt
 * @returns {string} without its stop; empty where they are one
 */
export function joined({ ledger, tier, saturations, timeline, hurt }) {
  const { worst, share } = lostAt(ledger);
  if (worst === null || worst === tier) return '';
  const reached = saturations
    .filter((saturation) => hurt.failing.some((index) => saturation.reached[index]))
    .flatMap((saturation) => intervalOf(saturation, timeline))
    .toSorted((one, other) => one.at - other.at);
  const own = reached.find(({ saturation }) => saturation.tier === worst);
  const other = reached.find(({ saturation }) => saturation.tier === tier);
  const from = (/** @type {number} */ at) => `from second ${timeline[at].t_s} on`;
  const limit = (/** @type {Saturation} */ { name, what }) => `(${name}: ${what})`;
  const lost = `${share === 1 ? 'All' : percent(share)} of the failures were lost at ${tierName(worst)}`;
  const where = own
    ? `${lost}, at a limit of its own ${from(own.at)} ${limit(own.saturation)}`
    : `${lost}, of which no limit that is watched was reached then`;
  if (!other) return where;
  const order = !own || other.at === own.at ? 'meanwhile' : other.at < own.at ? 'before that' : 'after that';
  return `${where}; ${order}, ${from(other.at)}, ${tierName(tier)} was at its limit ${limit(other.saturation)}`;
}

/** The tier that lost most, and its share of the failures. @param {import('../../record/types.js').Ledger} ledger @returns {{ worst: string | null, share: number }} */
function lostAt({ failures, unattributed }) {
  const lost = (/** @type {string} */ tier) => sum(failures.filter((row) => row.tier === tier).map((row) => row.count));
  const [worst = null] = failures.map(({ tier }) => tier).sort((one, other) => lost(other) - lost(one));
  const all = sum(failures.map((row) => row.count)) + unattributed;
  return { worst, share: worst === null ? 0 : lost(worst) / all };
}

/**
 * What was at its limit while requests failed, where too few did to say which tier stands for the run.
 * @param {{ saturations: Saturation[], timeline: TimelineRow[], hurt: Hurt, tier: string }} input  tier: the bottleneck's
 * @returns {string} without its stop; empty where it was the bottleneck
 */
export function meanwhile({ saturations, timeline, hurt, tier }) {
  if (hurt.failing.length === 0 || hasLost(hurt)) return '';
  const judged = judgedOver(saturations, timeline, hurt, 'failures');
  if (judged === null || judged.tier === tier) return '';
  const failed = `While ${many(Math.round(hurt.failures), 'request')} failed`;
  return judged.tier === null
    ? `${failed}, no limit on record was reached for most of the time`
    : `${failed}, it was ${tierName(judged.tier)}`;
}

/** Of the time of good answers, from which on they spent most of it in one place. */
const MOST = 0.5;

/**
 * Where good answers queued, where that is not what they queued for: a queue is long before whatever is at its limit.
 * @type {(time: import('../../record/types.js').TimeLedger | null, stages: import('../../record/types.js').Stage[], tier: string) => string}
 */
function queuedElsewhere(time, stages, tier) {
  const slowest = (time?.stages ?? []).reduce(
    (worst, { measured_ms: ms }, at, all) => ((ms ?? 0) > (all[worst]?.measured_ms ?? 0) ? at : worst),
    0,
  );
  const stage = time?.stages[slowest];
  const whole = stage?.measured_ms ?? 0;
  const part = time?.parts.find(({ id, waits }) => waits && (stage?.parts[id] ?? 0) > whole * MOST);
  if (!part || !stage || part.tier === tier || part.tier === 'generator' || !stages[slowest]) return '';
  const spent = `${inUnit('ms', stage.parts[part.id])} of ${inUnit('ms', whole)}`;
  return `Good answers spent most of their time ${part.label} (${spent} in the stage ${stageName(stages[slowest])}): that is where they queued, and ${tierName(tier)} is what was at its limit`;
}

/** @typedef {import('../../record/types.js').StageBottleneck} StageBottleneck */
/** @typedef {import('../../record/types.js').Result['bottleneck']} Bottleneck */

/** Where nothing was the matter with the run. */
export const NO_LIMIT = 'no tier reached a limit that is watched';

/**
 * @param {object} input
 * @param {Record<string, import('../../record/types.js').Resource>} input.resources
 * @param {Record<string, (number | null)[]>} input.cpu
 * @param {import('./limits.js').WatchedLimit[]} input.limits
 * @param {import('../../record/types.js').TimelineRow[]} input.timeline
 * @param {import('../../record/types.js').Stage[]} input.stages  none where a program makes the load
 * @param {import('./laws.js').Laws} input.laws
 * @param {import('../ledger/facts.js').Facts} input.facts
 * @param {import('../../record/types.js').Ledger} input.ledger
 * @param {import('../../record/types.js').TimeLedger | null} [input.timeLedger]
 * @param {import('../../record/types.js').Waiting | null} [input.waiting]  of failed requests that were followed
 * @returns {{ bottleneck: Bottleneck, reason: string, byStage: StageBottleneck[], givingWay: string[] }}
 */
export function bottleneckOf({ resources, cpu, limits, timeline, stages, laws, facts, ledger, timeLedger = null, waiting = null }) {
  const seconds = timeline.map(({ t_s }) => t_s);
  const hurt = hurtOf(timeline);
  // Room that is full makes nobody slow.
  const tiers = saturationsOf({ resources, cpu, limits, seconds, facts }).filter(({ fills }) => !fills || hasLost(hurt));
  const saturations = [...tiers, coresSaturation(facts, seconds)];
  const found = stageBottlenecksOf({
    stages: stages.length > 0 ? stages : [wholeLoad(seconds)],
    saturations: tiers,
    hurt,
    timeline,
    laws,
    facts,
  });
  const { bottleneck, reason } =
    (hasLost(hurt) ? bottleneckFollowed(waiting, ledger) : null) ?? namedIn({ found, stages, saturations, timeline, hurt, facts });
  const more = { saturations, timeline, hurt, unit: stages[0]?.unit ?? 'users' };
  const beside = bottleneck
    ? [
        joined({ ...more, tier: bottleneck.tier, ledger }),
        meanwhile({ saturations, timeline, hurt, tier: bottleneck.tier }),
        queuedElsewhere(timeLedger, stages, bottleneck.tier),
      ]
    : [];
  return {
    byStage: stages.length > 0 ? found : [],
    bottleneck,
    reason: [reason, ...beside.filter((text) => text !== '')].join('. '),
    givingWay: givingWay({ ...more, tier: bottleneck?.tier ?? null }),
  };
}

/**
 * @typedef {Omit<import('./saturations.js').StageInput, 'laws'> & { found: StageBottleneck[] }} Known  found: of each stage
 *
 * @param {Known} known
 * @returns {{ bottleneck: Bottleneck, reason: string }}
 */
function namedIn(known) {
  const { found, stages, saturations, timeline, hurt, facts } = known;
  const judged = judgedOver(saturations, timeline, hurt);
  if (judged?.tier) {
    const evidence = [...evidenceOver(judged, saturations), ...elsewhere(found, stages, judged.tier)];
    return { bottleneck: { tier: judged.tier, evidence }, reason: reasonOver(judged, hurt) };
  }
  // What is at its limit while nothing fails does not explain what fails.
  if (judged?.by === 'failures') return { bottleneck: null, reason: nothingOver(judged, known) };
  const last = lastBound(found, stages);
  if (last) {
    const tier = /** @type {import('../../record/types.js').Tier} */ (last.row.tier);
    return { bottleneck: { tier, evidence: [...last.row.evidence, ...elsewhere(found, stages, tier)] }, reason: last.why };
  }
  const used = usedUp(stages, facts);
  if (used) return used;
  // No stage is bound by a tier for most of its time; a limit may have been reached for some of it.
  const bottleneck = briefly(saturations, timeline);
  if (bottleneck) return { bottleneck, reason: 'it was at a limit, though in no stage for most of the time' };
  return { bottleneck: null, reason: judged ? nothingOver(judged, known) : nothingText(found, stages) };
}

/** @param {number[]} seconds @returns {import('../../record/types.js').Stage} of a load that has no stages */
const wholeLoad = (seconds) => ({
  .../** @type {any} */ ({ target: 0, unit: 'users', held: true, throughput_rps: null, bound_rps: null }),
  from_s: 0,
  to_s: seconds.at(-1) ?? 0,
});

/**
 * The last stage that a tier binds.
 * @type {(found: StageBottleneck[], stages: import('../../record/types.js').Stage[]) => { row: StageBottleneck, why: string } | null}
 */
function lastBound(found, stages) {
  const last = found.findLastIndex(({ tier }) => tier !== null);
  if (last < 0) return null;
  return {
    row: found[last],
    why: stages.length === 0 ? 'it was at a limit for most of the load' : `it binds in the stage ${stageName(stages[last])}`,
  };
}

/** The machine, where its cores were in use for all of a stage, the last such. @type {(stages: import('../../record/types.js').Stage[], facts: import('../ledger/facts.js').Facts) => { bottleneck: Bottleneck, reason: string } | null} */
function usedUp(stages, facts) {
  const busy = stages.map(({ from_s, to_s }) => machineBusyIn(facts, from_s, to_s));
  const last = busy.findLastIndex((share) => share >= FULL_SHARE);
  if (last < 0) return null;
  const evidence = [`${percent(busy[last])} of the machine's cores were in use`];
  return { bottleneck: { tier: 'machine', evidence }, reason: `hardly a core was free in the stage ${stageName(stages[last])}` };
}

/** What binds in the other stages. @type {(found: StageBottleneck[], stages: import('../../record/types.js').Stage[], named: string) => string[]} */
function elsewhere(found, stages, named) {
  const others = found.flatMap(({ tier }, at) =>
    tier && tier !== named ? [`${tierName(tier)} in the stage ${stageName(stages[at])}`] : [],
  );
  return others.length > 0 ? [`in other stages it is another: ${others.join(', ')}`] : [];
}

/** The tier that was longest at a limit, if for some seconds in a row; the machine, where no tier was. @type {(saturations: Saturation[], timeline: import('../../record/types.js').TimelineRow[]) => Bottleneck} */
function briefly(saturations, timeline) {
  const seconds = timeline.map(({ t_s }) => t_s);
  const binding = bindingBySecond(saturations, seconds).filter((_, index) => seconds[index] > 0);
  let run = 0;
  /** @type {Record<string, number>} */
  const longest = {};
  for (const [index, saturation] of binding.entries()) {
    run = saturation && saturation.tier === binding[index - 1]?.tier ? run + 1 : 1;
    if (saturation && run >= SUSTAINED_S) longest[saturation.tier] = Math.max(longest[saturation.tier] ?? 0, run);
  }
  const tiers = Object.keys(longest).sort((one, other) => longest[other] - longest[one]);
  const tier = tiers.find((name) => name !== 'machine') ?? tiers[0];
  if (tier === undefined) return null;
  const evidence = saturations.flatMap((saturation) => {
    const reached = saturation.reached.filter((value, index) => value && seconds[index] > 0).length;
    return saturation.tier === tier && reached > 0 ? [`${saturation.name}: ${saturation.what} for ${reached} s`] : [];
  });
  return { tier: /** @type {Saturation['tier']} */ (tier), evidence };
}

/** @type {(found: StageBottleneck[], stages: import('../../record/types.js').Stage[]) => string} */
function nothingText(found, stages) {
  const unexplained = found.findIndex(({ what }) => what.startsWith('no watched limit'));
  return unexplained < 0 ? NO_LIMIT : `no watched limit explains the rate in the stage ${stageName(stages[unexplained])}`;
}
