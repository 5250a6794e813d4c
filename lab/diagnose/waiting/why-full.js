/**
 * Are its connections to a callee all held or all in use, or its workers all taken?
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */
import { grouped } from '../../base/values.js';
import { some } from '../joins/rules.js';
import { askedBy } from './asked.js';
import { GOOD, once } from './seen.js';
import { average, CLOCK_S, countsAt, kindsOf, middle, poolAt, share, spread, stateAt, within } from './spread.js';
import { answeredBeside, slownessOf } from './step.js';
import { asked, counted, ended, few, percent, seconds, things, tookText } from './text.js';
import { isHardlyAsked, isUnasked } from './why-own.js';
import { answeredText, keepersOf } from './why-slots.js';

/** Of a pool's connections: one may be on its way back. The lab's own choice. */
const HELD_SHARE = 0.8;
const ASKING_SHARE = 0.9;
/** Of the transactions that it keeps open, so many calls to another. The lab's own choice. */
const WAITED_SHARE = 0.5;
const IDLE_SHARE = 0.9;
/** One connection is no pool, and its being busy says little. */
const POOL_LEAST = 2;
/** Requests that wait before it, for each connection of it: fewer may be at work without it. */
const BEFORE_SHARE = 0.5;
/** One that waits may be between two steps. */
const STANDING_LEAST = 1;
const [LOW, HIGH] = [0.1, 0.9];
/** Of the moments: a number that nothing limits is seldom at its own highest. */
const AT_MOST_SHARE = 0.5;
/** Of the calls that are waited for, so that a callee is named. The lab's own choice. */
const CALLEE_SHARE = 0.1;
/** A single connection that is kept open may be anybody's. */
const IDLE_LEAST = 2;
const MOMENTS_MOST = 100;

/** @param {Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'waiting'>} step @returns {Why | null} */
export function poolHeld(step) {
  const { service, waiting } = step;
  for (const pool of poolsOf(step)) {
    const held = pool.states.held + pool.states.unread;
    if (held < HELD_SHARE * pool.total || waiting.own <= BEFORE_SHARE * pool.total) continue;
    const unread = pool.states.unread >= pool.states.held;
    const holder = unread ? null : holderBefore(step, pool);
    if (holder) return holder;
    const meanwhile = unread ? null : waitsBeside(step, service, pool.to, pool.states.held);
    return {
      mechanism: 'pool-held',
      title: `held its ${things(pool.total, 'connection')} to ${pool.to} and asked nothing on them${meanwhile ? ` while it waited for ${meanwhile.to}` : ''}`,
      basis: 'counted',
      place: { service, edge: { from: service, to: pool.to } },
      evidence: [
        `${service} held ${few(held)} of its ${things(pool.total, 'connection')} to ${pool.to} ${unread ? 'with an answer that it did not read to its end' : 'in a transaction'} and asked nothing on them.`,
        ...(meanwhile
          ? [
              `Meanwhile ${service} waited for ${few(meanwhile.mean)} answers of ${meanwhile.to}.`,
              tookText(meanwhile.to, slownessOf(step, meanwhile.to)),
            ]
          : []),
        `${few(waiting.own)} requests stood in ${service}.`,
      ],
    };
  }
  return null;
}

/**
 * Who hands transactions on holds none by itself: whoever of its callers keeps as many open does.
 * @param {Of<'moments' | 'seen' | 'service' | 'waiting'>} step @param {import('./spread.js').Pool} pool @returns {Why | null}
 */
function holderBefore({ seen, service, moments, waiting }, { to, total, states }) {
  const callers = [...new Set(seen.linesTo(service).map(({ from }) => from))].map((from) => ({
    from,
    held: poolAt(seen, from, service, moments).states.held,
  }));
  const [most] = callers.toSorted((one, other) => other.held - one.held);
  if (!most || most.held < HELD_SHARE * states.held) return null;
  const { from, held } = most;
  const meanwhile = waitsBeside({ seen, moments }, from, service, held);
  return {
    mechanism: 'pool-held',
    title: `kept ${things(Math.round(held), 'transaction')} open at ${service}, which has ${things(total, 'connection')} to ${to}, and asked nothing in them${meanwhile ? ` while it waited for ${meanwhile.to}` : ''}`,
    basis: 'counted',
    place: { service: from, edge: { from, to: service } },
    evidence: [
      `${service} held ${few(states.held)} of its ${things(total, 'connection')} to ${to} in a transaction in which nothing was asked; ${few(waiting.own)} requests stood in it.`,
      `${from} had ${few(held)} connections to ${service} in a transaction, and asked nothing on them.`,
      ...(meanwhile ? [`Meanwhile ${from} waited for ${few(meanwhile.mean)} answers of ${meanwhile.to}.`] : []),
    ],
  };
}

/**
 * Whom else it waits for, as many calls as it holds connections: what it does while it holds them.
 * @param {Of<'moments' | 'seen'>} step @param {string} from @param {string} but @param {number} held @returns {{ to: string, mean: number } | null}
 */
function waitsBeside({ seen, moments }, from, but, held) {
  const [most] = seen
    .calleesOf(from)
    .filter((to) => to !== but)
    .map((to) => ({ to, mean: average(countsAt(seen, seen.onEdge(from, to), seen.waited, moments)) }))
    .toSorted((one, other) => other.mean - one.mean);
  return most !== undefined && most.mean >= WAITED_SHARE * held ? most : null;
}

/** @param {Of<'failed' | 'moments' | 'seen' | 'service' | 'waiting'>} step @returns {{ to: string, total: number, text: string } | null} connections of it that nobody uses, while requests that would stand in it */
export function poolIdle(step) {
  for (const { to, total, states, isFlat, isKept } of poolsOf(step)) {
    if (total < POOL_LEAST || !isFlat || !isKept || states.idle < IDLE_SHARE * total || step.waiting.own < STANDING_LEAST) continue;
    return {
      ...{ to, total },
      text: `${few(states.idle)} of ${things(total, 'connection')} of ${step.service} to ${to} were open, and nothing was asked on them.`,
    };
  }
  return null;
}

/** All of them ask: its callee decides, if that takes longer than in calm seconds. @param {Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'waiting'>} step @returns {Why | null} */
export function poolFull(step) {
  const { service, waiting } = step;
  for (const pool of poolsOf(step)) {
    const { asking, held, unread } = pool.states;
    if (pool.total < POOL_LEAST || !pool.isFlat || !pool.isKept || asking + held + unread < ASKING_SHARE * pool.total) continue;
    if (waiting.own < STANDING_LEAST) continue;
    const slow = slownessOf(step, pool.to);
    const most = mostFor(step, [pool.to]);
    const evidence = [
      `All ${things(pool.total, 'connection')} of ${service} to ${pool.to} were in use, and ${few(waiting.own)} requests stood before them.`,
      ...(most === null ? [] : [most.text]),
      tookText(pool.to, slow),
    ];
    const full = `had all its ${things(pool.total, 'connection')} to ${pool.to} in use${most === null ? '' : `, most of them for ${most.kind}`}`;
    return {
      ...{ mechanism: 'pool-full', title: full, full },
      basis: 'counted',
      evidence,
      place: { service, edge: { from: service, to: pool.to } },
      ...onward(pool.to, slow),
    };
  }
  return null;
}

/**
 * As many at a time as it has workers, each waiting.
 * @param {Of<'asked' | 'calm' | 'equal_s' | 'failed' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s', 'queued'>} step
 * @returns {Why | null}
 */
export function workersTaken(step) {
  const { seen, service, moments, readings } = step;
  const isOfLoad = (/** @type {number} */ call) => seen.began[call] >= seen.load.warmupFrom;
  const callees = askedBy(seen, service, kindsServed(seen, service))
    // What goes on without requests takes no worker of theirs.
    .filter((to) => seen.onEdge(service, to).some((call) => isOfLoad(call) && seen.joins.parent[call] >= 0))
    .map((to) => ({ to, counts: countsAt(seen, seen.onEdge(service, to), seen.waited, moments, isOfLoad) }));
  const all = moments.map((_, index) => callees.reduce((sum, { counts }) => sum + counts[index], 0));
  const standing = average(countsAt(seen, seen.servedBy(service), seen.over, moments));
  // Hardly ever more, and mostly as many: between one that leaves and the next, a worker has none for a moment; one that was given up may be on
  // record for longer than it was kept.
  const high = spread(all, HARDLY_EVER);
  const before = standing - average(all);
  // Who is busy with itself has one call out at many moments by chance, and now and then two.
  const least = spread(all, 1) > high ? ALMOST_ALWAYS : AT_MOST_SHARE;
  if (!(high >= 1) || share(all.filter((count) => count === high).length, all.length) < least || before < STANDING_LEAST) return null;
  const [most] = callees.toSorted((one, other) => average(other.counts) - average(one.counts));
  const named = callees.filter(({ counts }) => average(counts) >= CALLEE_SHARE * average(all)).map(({ to }) => to);
  const whom = named.sort().join(' or ');
  const slow = slownessOf(step, most.to);
  const queue = readings.queued(service, moments);
  const spared = sparedBeside(step);
  const kept = mostFor(step, named);
  const full = `had all its workers taken, ${counted(high)} at a time, each waiting for ${whom}${kept === null ? '' : `, most of them for ${kept.kind}`}`;
  const otherwise =
    queuedText(step, high, whom) ??
    sharedText(step, high, most.to) ??
    (spared &&
      `sent ${spared.kinds} on to ${whom} ${counted(high)} at a time and let the others stand, not for a lack of workers: it answered other requests meanwhile`);
  return {
    ...{ mechanism: 'workers-taken', title: otherwise ?? full, ...(otherwise === null ? { full } : {}) },
    basis: 'counted',
    place: { service, edge: { from: service, to: most.to } },
    evidence: [
      `${service} worked on ${counted(high)} at a time and ${spread(all, 1) > high ? 'hardly ever' : 'never'} on more, each waiting for ${whom}; ${few(before)} more stood before them.`,
      ...(spared ? [spared.evidence] : []),
      ...(kept === null ? [] : [kept.text]),
      tookText(most.to, slow),
      ...(queue && queue.middle > 0 ? [`${things(queue.middle, 'connection')} waited to be accepted by ${service}.`] : []),
    ],
    ...onward(most.to, slow),
  };
}

/**
 * One kind of its requests for which most of the calls to them go on, though it is asked for by far less: the others wait for what that one keeps.
 * @param {Of<'moments' | 'seen' | 'service'>} step @param {string[]} callees @returns {{ kind: string, text: string } | null}
 */
function mostFor({ seen, service, moments }, callees) {
  const { began, kind, waited, joins } = seen;
  const [from, to] = [moments[0], moments[moments.length - 1]];
  const served = seen.servedBy(service).filter((call) => began[call] <= to && waited[call] >= from && !seen.isAttempt(call));
  const going = callees.flatMap((callee) => seen.onEdge(service, callee)).sort((one, other) => began[one] - began[other]);
  const rows = [...grouped(going, (call) => (joins.parent[call] < 0 ? '' : kind[joins.parent[call]]))]
    .map(([name, calls]) => ({ name, mean: average(countsAt(seen, calls, waited, moments)) }))
    .toSorted((one, other) => other.mean - one.mean);
  const all = rows.reduce((sum, { mean }) => sum + mean, 0);
  const unknown = rows.find(({ name }) => name === '')?.mean ?? 0;
  const [most] = rows;
  if (most === undefined || most.name === '' || unknown > UNKNOWN_SHARE * all || most.mean < KEPT_SHARE * all) return null;
  const part = share(served.filter((call) => kind[call] === most.name).length, served.length);
  if (part > share(most.mean, all) * ASKED_PART) return null;
  return {
    kind: asked(most.name),
    text: `Of ${few(all)} calls to ${callees.join(' and ')} that went on at the mean ${few(most.mean)} were made for ${asked(most.name)}, which was ${percent(part)} of what ${service} was asked.`,
  };
}
/** Of the calls that go on: made for one kind, and for whom is not known; and of that share, how often the kind is asked for. The lab's own choices. */
const KEPT_SHARE = 0.6;
const UNKNOWN_SHARE = 0.2;
const ASKED_PART = 1 / 2;

/**
 * Who answers after a time of its own what it sent on to nobody has read it, and kept it in a line of its own.
 * @param {Of<'asked' | 'equal_s' | 'failed' | 'seen' | 'sign'>} step @param {number} high @param {string} whom
 */
function queuedText(step, high, whom) {
  const { equal_s: equal, sign, seen, failed } = step;
  const isAnswered = failed.every((call) => seen.calls[call].end === 'answered');
  if (equal === null || !isAnswered || !isHardlyAsked(step)) return null;
  return `sent ${counted(high)} requests at a time on to ${whom} and no more, and ${ended(sign)} to what had waited ${seconds(equal)} in its queue`;
}
/** Of moments. The lab's own choices. */
const HARDLY_EVER = 0.95;
const ALMOST_ALWAYS = 0.7;

/**
 * Who has no worker left answers nobody.
 * @param {Of<'failed' | 'meanwhile' | 'moments' | 'seen' | 'took_s'>} step @returns {{ kinds: string, evidence: string } | null}
 */
function sparedBeside(step) {
  const { seen, failed } = step;
  const { others, quick, isThroughout } = answeredBeside(step);
  const kinds = kindsOf(seen, failed);
  if (!isThroughout || kinds.size > NAMED_MOST) return null;
  const usual = seconds(middle(quick.map((call) => seen.over[call] - seen.began[call])));
  return {
    kinds: [...kinds].map(asked).sort().join(' and '),
    evidence: `Meanwhile it answered ${counted(quick.length)} of ${counted(others.length)} other requests, in ${usual} at the median: its workers were not all taken.`,
  };
}
/** The lab's own choice. */
const NAMED_MOST = 2;

/**
 * Several calls go on at once on each connection, as streams of HTTP/2 do, of which either end may allow so many.
 * @param {Of<'moments' | 'seen' | 'service'>} step @param {number} high @param {string} to
 */
function sharedText({ seen, service, moments }, high, to) {
  const at = some(moments, MOMENTS_MOST);
  const open = at.map(() => 0);
  for (const line of seen.lines(service, to))
    for (const index of within(line, at)) if (stateAt(seen, line, at[index]) === 'asking') open[index] += 1;
  const lines = Math.round(middle(open));
  if (lines < 1 || high < 2 * lines) return null;
  return `asked ${to} ${counted(high)} at a time, on ${things(lines, 'connection')}, and let the others stand: a limit of its own, or of streams on a connection`;
}

/** Who reads a connection until its caller closes it serves nobody else. @param {Of<'failed' | 'moments' | 'seen' | 'service' | 'time', 'queued'>} step @returns {Why | null} */
export function workersIdle(step) {
  const { seen, service, moments, readings } = step;
  const queue = readings.queued(service, moments);
  if (!queue || queue.middle < 1) return null;
  const keepers = keepersOf(step);
  const idle = some(moments, MOMENTS_MOST).map((_, place) => keepers.reduce((sum, { open }) => sum + open[place], 0));
  if (middle(idle) < IDLE_LEAST || spread(idle, LOW) * 2 < spread(idle, HIGH)) return null;
  const again = askedAgain(step);
  if (again.lost > again.all / 2) return null;
  const [{ client, count, lines }] = keepers;
  const isOfOne = count >= OF_ONE_SHARE * middle(idle);
  const whose = isOfOne ? client : 'callers';
  const all = keepers.flatMap((keeper) => keeper.lines);
  const unread = all.filter(({ connection }) => connection.hidden_bytes > 0);
  // What was asked for there is that it go on in another protocol: it is in use.
  const became = unread.length >= OF_ONE_SHARE * all.length ? unread[0].connection.protocol : null;
  const onward = became === null ? [] : passedOnTo(step, lines);
  const as = `went on as ${became}${onward.length === 1 ? ` to ${onward[0]}` : ''}`;
  return {
    mechanism: 'workers-idle-connections',
    title: `had its workers held by ${things(Math.round(middle(idle)), 'connection')} ${became === null ? `that ${whose} kept open and did not use` : `of ${whose} that ${as}, each for ${seconds(middle(lines.map((line) => lengthOf(seen, line))))}`}`,
    basis: 'inferred',
    evidence: [
      `${became === null ? `Callers kept ${few(middle(idle))} connections to ${service} open and asked nothing on them` : `${few(middle(idle))} connections to ${service} ${as}`} (${keptBy(keepers)}), while ${few(queue.middle)} waited to be accepted.`,
      ...answeredText(step),
      ...(became === null ? [`${service} waited for no callee.`] : []),
    ],
    ...(again.all > 0 || became !== null
      ? {}
      : {
          doubts: [
            `nothing was asked on a connection that was kept open: a program that stands still would not have answered there either`,
          ],
        }),
  };
}

/** Of the connections. The lab's own choice. */
const OF_ONE_SHARE = 0.8;

/** @param {Step['seen']} seen @param {import('./seen.js').Line} line */
const endOf = ({ until }, { connection: { ended_at: at } }) => at ?? until;

/** @param {Step['seen']} seen @param {import('./seen.js').Line} line */
const lengthOf = (seen, line) => endOf(seen, line) - line.connection.opened_at;

/**
 * To whom it had a connection for most of the time of each of these, which ended with it.
 * @param {Of<'seen' | 'service'>} step @param {import('./seen.js').Line[]} lines @returns {string[]}
 */
const passedOnTo = ({ seen, service }, lines) =>
  seen.calleesOf(service).filter((to) => {
    const onward = seen.lines(service, to);
    const isBeside = (/** @type {import('./seen.js').Line} */ line, /** @type {import('./seen.js').Line} */ other) =>
      Math.abs(endOf(seen, line) - endOf(seen, other)) <= TOGETHER_S && lengthOf(seen, other) >= lengthOf(seen, line) / 2;
    return lines.filter((line) => onward.some((other) => isBeside(line, other))).length >= OF_ONE_SHARE * lines.length;
  });
/** The lab's own choice. */
const TOGETHER_S = 0.5;

/** @param {ReturnType<typeof keepersOf>} keepers */
const keptBy = (keepers) =>
  keepers
    .slice(0, KEEPERS_SHOWN)
    .map(({ client, count }) => `${few(count)} of ${client}`)
    .join(', ');
const KEEPERS_SHOWN = 4;

/** On connections that it had answered on before: a worker that keeps one does answer there. @param {Of<'seen' | 'service' | 'time'>} step */
function askedAgain({ seen, service, time }) {
  const { began, sign } = seen;
  const again = seen
    .linesTo(service)
    .flatMap(({ calls }) =>
      calls.slice(1).filter((call, place) => sign[calls[place]] === GOOD && began[call] >= time.from && began[call] <= time.to),
    );
  return { all: again.length, lost: again.filter((call) => sign[call] !== GOOD).length };
}

/** Of callees that requests of the failed ones' kinds ask: others are nothing that these wait for. @param {Of<'failed' | 'moments' | 'seen' | 'service'>} step */
const poolsOf = ({ seen, service, failed, moments }) =>
  askedBy(seen, service, kindsOf(seen, failed))
    .map((to) => poolAt(seen, service, to, moments))
    .filter(({ total }) => total >= 1)
    .toSorted((one, other) => other.total - one.total);

const kindsServed = once((seen, service) => kindsOf(seen, seen.servedBy(service)));

/** @param {string} to @param {ReturnType<typeof slownessOf>} slow @returns {Pick<Why, 'onTo' | 'doubts'>} */
const onward = (to, { isSlower, isCalm }) => ({
  ...(isSlower ? { onTo: to } : {}),
  ...(isCalm
    ? {}
    : { doubts: [`no second of the load was calm: whether ${to} took longer than usual is known from its quickest calls alone`] }),
});

/*
 * Had it no connection left to give? A pool that makes nobody wait fails a request at once, without asking anybody.
 */

/** Of the failed, and of the good as a part of that. The lab's own choices. */
const FULL_SHARE = 0.9;
const GOOD_PART = 1 / 3;
/** Of the connections that were in use: most are held, and nothing is asked on them. */
const MOSTLY_HELD_SHARE = 0.5;
const LOOKED_AT_MOST = 200;

const OWN_LIMIT = 'a limit of its own on requests at a time looks the same, unless a line of its log says which it was';

/** @param {Of<'asked' | 'calm' | 'failed' | 'good' | 'good_s' | 'moments' | 'path' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Why | null} */
export function poolExhausted(step) {
  const { seen, service, failed } = step;
  if (!isUnasked(step)) return null;
  const callees = askedBy(seen, service, kindsOf(seen, failed)).filter((to) => !step.path.includes(to));
  return callees.map((to) => exhausted(step, to)).find((why) => why !== null) ?? null;
}

/** @param {Of<'asked' | 'calm' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign'>} step @param {string} to @returns {Why | null} */
function exhausted(step, to) {
  const { seen, service, failed, good, sign } = step;
  const total = mostOpen(seen, service, to);
  if (total < POOL_LEAST) return null;
  const at = usedAt(step, to, failed);
  const isFull = (/** @type {Used} */ { open, used }) => open >= total && used >= open;
  const part = share(at.filter(isFull).length, at.length);
  const goodPart = share(usedAt(step, to, good).filter(isFull).length, Math.min(good.length, LOOKED_AT_MOST));
  if (part < FULL_SHARE || goodPart > part * GOOD_PART) return null;
  const full = at.filter(isFull);
  const mean = (/** @type {(used: Used) => number} */ of) => full.reduce((sum, one) => sum + of(one), 0) / full.length;
  const held = mean((one) => one.held);
  const isHeld = held >= MOSTLY_HELD_SHARE * mean(({ used }) => used);
  const slow = slownessOf(step, to);
  const further = onward(to, slow);
  return {
    mechanism: isHeld ? 'pool-held' : 'pool-full',
    title: `${ended(sign)} at once while ${isHeld ? `it held its ${things(total, 'connection')} to ${to} and asked nothing on most of them` : `all its ${things(total, 'connection')} to ${to} were in use`}`,
    ...(isHeld ? {} : { full: `had all its ${things(total, 'connection')} to ${to} in use` }),
    basis: isHeld ? 'counted' : 'inferred',
    place: { service, edge: { from: service, to } },
    evidence: [
      `All ${things(total, 'connection')} of ${service} to ${to} were in use when ${percent(part)} of the ${counted(failed.length)} failed requests came, and when ${percent(goodPart)} of the good ones did; it never had more.`,
      ...(isHeld ? [`${few(held)} of them were in a transaction in which nothing was asked.`] : [tookText(to, slow)]),
      `${service} asked somebody for ${percent(step.asked.failed)} of the failed requests, and for ${percent(step.asked.good ?? 0)} of the good ones.`,
    ],
    // Whoever turns requests away by a number of its own does so when it is busy too.
    ...(isHeld ? {} : { ...further, doubts: [OWN_LIMIT, ...(further.doubts ?? [])] }),
  };
}

/**
 * @typedef {{ open: number, used: number, held: number }} Used  connections of the edge when a request came
 * @param {Of<'seen' | 'service'>} step @param {string} to @param {number[]} calls @returns {Used[]}
 */
function usedAt({ seen, service }, to, calls) {
  const at = some(calls, LOOKED_AT_MOST)
    .map((call) => seen.began[call] - CLOCK_S)
    .sort((one, other) => one - other);
  const found = at.map(() => ({ open: 0, used: 0, held: 0 }));
  for (const line of linesOf(seen, service, to))
    for (const index of within(line, at)) {
      const state = stateAt(seen, line, at[index]);
      if (state === null) continue;
      found[index].open += 1;
      if (state !== 'idle') found[index].used += 1;
      if (state === 'held') found[index].held += 1;
    }
  return found;
}

/** Of the load and its warm-up, as far as anything was asked on them. */
const linesOf = once((seen, from, to) =>
  seen
    .lines(from, to)
    .filter(
      ({ calls, connection: { transport, ended_at: ended } }) =>
        transport === 'tcp' && calls.length > 0 && (ended ?? seen.until) >= seen.load.warmupFrom,
    ),
);

/** At a time. */
const mostOpen = once((seen, from, to) => {
  const changes = linesOf(seen, from, to)
    .flatMap(({ connection: { opened_at: opened, ended_at: over } }) => [
      { at: opened, by: 1 },
      ...(over === null ? [] : [{ at: over, by: -1 }]),
    ])
    .toSorted((one, other) => one.at - other.at || one.by - other.by);
  let [open, most] = [0, 0];
  for (const { by } of changes) {
    open += by;
    most = Math.max(most, open);
  }
  return most;
});
