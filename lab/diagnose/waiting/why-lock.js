/**
 * Why a callee that asks nobody takes so long: a transaction that somebody keeps open, or one kind of call that holds it up, or that others stand
 * behind.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

import { grouped } from '../../base/values.js';
import { ascending, leading } from '../../stats/numbers.js';
import { lookUp } from '../../wire/tenancy.js';
import { TURN } from '../../wire/turns.js';
import { some } from '../joins/rules.js';
import { GOOD } from './seen.js';
import { once } from './seen.js';
import { kindsOf, lastBefore, middle, share, spread, stateAt, stretchesOf, transactionsOn } from './spread.js';
import { CALM_LEAST } from './step.js';
import { asked, capital, causeByCode, counted, few, percent, seconds } from './text.js';

/** Calls that are looked at. */
const LOOKED_AT_MOST = 200;
/** Of the calls that waited. */
const MOST = 0.5;
const GOOD_PART = 1 / 3;
/** A wait for a lock ends when its holder does: the answer comes within so long. The lab's own choice. */
const RELEASED_S = 0.05;
/** Shorter ones are over before anybody notices. */
const WAITED_LEAST_S = 0.1;
/** A stretch without an answer while somebody waits. Ten times what a quick server needs for a slow answer; the lab's own choice. */
const JAM_S = 0.15;
/** Of the time in which the failed waited. */
const JAMMED_SHARE = 0.2;
/** Of the jams: share of time that a kind was first in them, and how many times its share of calls. */
const FIRST_SHARE = 0.3;
const FIRST_TIMES = 3;
const FIRST_BEFORE_S = 0.5;
const CLOCK_S = 0.0005;
const ENDING_S = 0.03;

/** Any client's, not ours alone. @param {Of<'codeCause' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Why | null} */
export const lockHeld = (step) => heldBy(step)?.why ?? null;

/**
 * Most were over with it, and hardly any good ones waited through it: whatever else the service was short of then, they waited for this.
 * @param {Of<'codeCause' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Why | null}
 */
export function lockReleased(step) {
  const { why = null, isReleased = false } = heldBy(step) ?? {};
  return isReleased ? why : null;
}

/** @typedef {{ why: Why, isReleased: boolean } | null} Held */

/** Asked twice of a step, by its moments. @type {WeakMap<number[], Held>} */
const known = new WeakMap();

/** @param {Of<'codeCause' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Held} */
function heldBy(step) {
  const found = known.get(step.moments);
  if (found !== undefined) return found;
  const held = findHeld(step);
  known.set(step.moments, held);
  return held;
}

/** @param {Of<'codeCause' | 'failed' | 'good' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Held} */
function findHeld(step) {
  const { seen, service, failed, good, took_s: took } = step;
  const isCoded = causeByCode(step)?.cause === 'lock';
  if (took < WAITED_LEAST_S && !isCoded) return null;
  const waited = some(failed, LOOKED_AT_MOST);
  const holderOf = holdersOf(step);
  const held = waited.flatMap((call) => {
    const holder = holderOf(call);
    return holder ? [{ call, holder }] : [];
  });
  const part = share(held.length, waited.length);
  if (part < MOST) return isCoded ? { why: heldInTurn(step, waited) ?? HOLDER_UNKNOWN, isReleased: false } : null;
  const goods = some(good, LOOKED_AT_MOST);
  const goodPart = share(goods.filter((call) => holderOf(call) !== null).length, goods.length);
  // What was not over when the recording ended is not known to have ended with anything.
  const isOver = (/** @type {number} */ at) => at < seen.until - RELEASED_S;
  const ending = held.filter(({ call, holder }) => isOver(seen.over[call]) && Math.abs(holder.to - seen.over[call]) < RELEASED_S);
  const released = share(ending.length, held.length);
  // Good ones may have gone by, to other rows: where its code says that it waited for a lock, or the others were as quick as ever.
  const isSparing = goods.length > 0 && goodPart <= part * GOOD_PART;
  const isLift = released >= MOST || isSparing;
  const isOfRows = !isCoded && !isLift;
  if (isOfRows && !isOfSomeRows(step, held, holderOf)) return null;
  const [[client, own]] = [...grouped(held, ({ holder }) => holder.line.from)].toSorted(([, one], [, other]) => other.length - one.length);
  const longest = own.reduce((longer, { holder: { from, to } }) => Math.max(longer, to - from), 0);
  const isOfTables = own.some(({ holder: { from, to, line } }) =>
    line.calls.some((call) => seen.calls[call].verb.toUpperCase() === LOCK && seen.began[call] >= from && seen.began[call] <= to),
  );
  /** @type {Why} */
  const why = {
    mechanism: 'lock',
    title: isOfTables ? `let calls wait for tables that ${client} had locked` : `let calls wait for a transaction that ${client} kept open`,
    basis: isCoded || released >= MOST ? 'counted' : 'timed',
    evidence: [
      `${client} kept ${isOfTables ? 'tables locked' : 'a transaction open'} at ${service}, for up to ${seconds(longest)}, before and through ${percent(share(own.length, waited.length))} of the calls that waited${goods.length > 0 ? `, and ${percent(goodPart)} of the good ones` : ''}.`,
      ...(released >= MOST ? [`${percent(released)} of them were over within ${seconds(RELEASED_S)} of its end.`] : []),
    ],
    ...(isOfRows
      ? { doubts: [`${client} had changed the same table, and other calls to it went on: that it held these very rows is not on record`] }
      : {}),
  };
  return { why, isReleased: released >= MOST && isSparing };
}

/**
 * The holder's transaction changed what they ask for, and calls of their kind that it does not hold up are quick beside it.
 * @param {Of<'failed' | 'good' | 'seen' | 'took_s'>} step @param {{ call: number, holder: Transaction }[]} held @param {ReturnType<typeof holdersOf>} holderOf
 */
function isOfSomeRows(step, held, holderOf) {
  const { seen, failed, good, took_s: took } = step;
  const { began, over, calls, kind } = seen;
  const about = (/** @type {number} */ call) => wordsAfterVerb(calls[call].template, calls[call].verb);
  const isAbout = held.filter(({ call, holder: { from, to, line } }) => {
    const words = about(call);
    return line.calls.some(
      (own) =>
        began[own] >= from &&
        over[own] <= to &&
        CHANGES.has(calls[own].verb.toUpperCase()) &&
        about(own).some((word) => words.includes(word)),
    );
  });
  if (isAbout.length < MOST * held.length) return false;
  const kinds = kindsOf(seen, failed);
  // Who was let go with its end had waited for it too.
  const isHeld = (/** @type {number} */ call) => Math.abs((holderOf(call)?.to ?? over[call]) - over[call]) >= RELEASED_S;
  const beside = some(good, LOOKED_AT_MOST).filter((call) => kinds.has(kind[call]) && isHeld(call));
  return (
    beside.length >= OTHERS_LEAST &&
    spread(
      beside.map((call) => over[call] - began[call]),
      QUICK_SHARE,
    ) *
      QUICK_TIMES <
      took
  );
}
/** SQL's, of whole tables. */
const LOCK = 'LOCK';

/** Who only reads keeps nobody waiting. */
const CHANGES = new Set(['UPDATE', 'DELETE', 'INSERT', 'REPLACE', 'MERGE']);
/** Fewer others tell nothing of how it goes for them. */
const OTHERS_LEAST = 5;
/** Of the good ones beside them, and how many times as quick. The lab's own choice. */
const QUICK_SHARE = 0.9;
const QUICK_TIMES = 10;

/** Tables, of a statement. @param {string} template @param {string} verb */
const wordsAfterVerb = (template, verb) => template.split(/[\s,]+/).filter((word) => word !== '' && word !== verb);

/**
 * No transaction was open all through a wait, but one after the other that had done the same: each held what the next waited for.
 * @param {Of<'failed' | 'seen' | 'service'>} step @param {number[]} waited @returns {Why | null}
 */
function heldInTurn({ seen, service, failed }, waited) {
  const { began, over, sign, kind } = seen;
  const kinds = kindsOf(seen, failed);
  // From the answer that gave it what others wait for to its end.
  const turns = transactionsTo(seen, service).flatMap(({ from, to, line }) => {
    const got = line.calls.find((call) => began[call] >= from && over[call] <= to && sign[call] === GOOD && kinds.has(kind[call]));
    return got === undefined ? [] : [{ got, from: over[got], to, line }];
  });
  const open = waited.map((call) =>
    turns.filter(({ from, to, line }) => from < over[call] && to > began[call] && line.connection.id !== seen.calls[call].connection),
  );
  const long = new Set(longest([...new Set(open.flat())]));
  const within = open.map((own) => own.filter((turn) => long.has(turn)));
  const coveredOf = (/** @type {number} */ call, /** @type {typeof turns} */ own) =>
    share(sumOfSpans(own.map(({ from, to }) => [Math.max(from, began[call]), Math.min(to, over[call])])), over[call] - began[call]);
  const covered = waited.map((call, index) => coveredOf(call, within[index]));
  const isOfMost = covered.filter((part) => part >= COVERED_SHARE).length >= MOST * waited.length;
  const each = middle(within.map((own) => own.length));
  if (!isOfMost || each < IN_TURN_LEAST) return null;
  const all = [...new Set(within.flat())];
  const clients = [...grouped(all, ({ line }) => line.from)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([name]) => name);
  const whose = clients.slice(0, CLIENTS_SHOWN).sort().join(' and ');
  const [beside] = [
    ...grouped(
      all.flatMap((turn) => fillingIn(seen, service, turn)),
      (call) => seen.to[call],
    ),
  ].toSorted(([, one], [, other]) => other.length - one.length);
  const [callee, asking] = beside !== undefined && beside[1].length >= FILLED_SHARE * all.length ? beside : ['', []];
  return {
    mechanism: 'lock',
    title: `let calls wait for a lock that transactions of ${whose} held one after the other${callee === '' ? '' : `, while they waited for ${callee}`}`,
    basis: 'counted',
    evidence: [
      `While one of these waited, ${few(each)} other transactions that had got the same (${[...kinds].map(asked).sort().slice(0, CLIENTS_SHOWN).join(', ')}) came to their end; they held it for ${percent(middle(covered))} of the wait.`,
      `Each held it for ${seconds(middle(all.map(({ from, to }) => to - from)))} at the median${callee === '' ? '' : `; in ${percent(share(asking.length, all.length))} a call to ${callee} took up most of that, ${seconds(middle(asking.map((call) => over[call] - began[call])))}`}.`,
    ],
    doubts: [
      'which of them held the very same row is not on record',
      ...(callee === '' ? [] : [`that these calls to ${callee} were made for them is known by their time alone`]),
    ],
  };
}
/**
 * Calls of its client to others that lay within its turn, and took up most of it: what it did while it held the lock.
 * @param {Step['seen']} seen @param {string} service @param {{ from: number, to: number, line: import('./seen.js').Line }} turn @returns {number[]} at most one
 */
function fillingIn(seen, service, { from, to, line }) {
  const { began, over, madeBy } = seen;
  const made = madeBy(line.from);
  for (let at = leading(made, (call) => began[call] < from); at < made.length && began[made[at]] <= to; at += 1) {
    const call = made[at];
    if (seen.to[call] !== service && over[call] <= to && over[call] - began[call] >= COVERED_SHARE * (to - from)) return [call];
  }
  return [];
}
/** Of the turns. The lab's own choice. */
const FILLED_SHARE = 0.8;

/** Of a wait: between one and the next a moment passes. The lab's own choices. */
const COVERED_SHARE = 0.7;
/** One alone would be the holder. */
const IN_TURN_LEAST = 2;
const CLIENTS_SHOWN = 2;

/**
 * Those that make up nearly all of their time: others are of rows that nobody waits for.
 * @template {{ from: number, to: number }} T @param {T[]} turns @returns {T[]}
 */
function longest(turns) {
  const lengthOf = (/** @type {T} */ { from, to }) => to - from;
  const all = turns.reduce((sum, turn) => sum + lengthOf(turn), 0);
  let sum = 0;
  return turns
    .toSorted((one, other) => lengthOf(other) - lengthOf(one))
    .filter((turn) => {
      const isNeeded = sum < LONGEST_SHARE * all;
      sum += lengthOf(turn);
      return isNeeded;
    });
}
/** Of their time. The lab's own choice. */
const LONGEST_SHARE = 0.9;

/** How long they last together. @param {[from: number, to: number][]} spans */
function sumOfSpans(spans) {
  let [sum, until] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

/** @type {Why} */
const HOLDER_UNKNOWN = {
  mechanism: 'lock',
  title: 'let calls wait for a lock until it gave them up',
  basis: 'counted',
  evidence: ['Who held the lock is not on record: no transaction was seen that was open before and through these calls.'],
};

/**
 * Who held a call of a step up: of several transactions that were open throughout, one that asked nothing then: who waits in a transaction of
 * its own may wait for the same. Who waits for an answer of the same kind does.
 * @param {Of<'failed' | 'seen' | 'service' | 'took_s'>} step
 * @returns {(call: number) => Transaction | null}
 */
function holdersOf({ seen, service, failed, took_s: took }) {
  const kinds = kindsOf(seen, failed);
  const bySecond = openBySecond(
    transactionsTo(seen, service).filter(({ from, to }) => to - from >= took),
    seen.until,
  );
  return (call) => {
    const [began, ended, own] = [seen.began[call], seen.over[call] - RELEASED_S, seen.calls[call].connection];
    const middleOfCall = (began + seen.over[call]) / 2;
    let first = null;
    // A call may be shorter than the time in which it is let go.
    for (let second = Math.floor(Math.min(began, ended)); second <= Math.floor(began); second += 1)
      for (const span of bySecond.get(second) ?? []) {
        const { from, to, line } = span;
        if (from >= began || to < ended || line.connection.id === own) continue;
        if (stateAt(seen, line, middleOfCall) === 'held') return span;
        const last = lastBefore(seen, line, middleOfCall);
        if (last === null || !kinds.has(seen.kind[last])) first ??= span;
      }
    return first;
  };
}
/** @typedef {import('./spread.js').Transaction} Transaction */

/** Of any client, in the order of its connections: there may be as many as calls. */
const transactionsTo = once((seen, service) => seen.linesTo(service).flatMap((line) => transactionsOn(seen, line)));

/** @param {Transaction[]} spans @param {number} until @returns {Map<number, Transaction[]>} by each second in which they were open */
function openBySecond(spans, until) {
  /** @type {Map<number, Transaction[]>} */
  const bySecond = new Map();
  for (const span of spans)
    for (let second = Math.floor(span.from); second <= Math.floor(Math.min(span.to, until)); second += 1) {
      const own = bySecond.get(second);
      if (own) own.push(span);
      else bySecond.set(second, [span]);
    }
  return bySecond;
}

/** @param {Of<'failed' | 'seen' | 'service' | 'time' | 'took_s'>} step @returns {Why | null} */
export function heldByOne({ seen, service, failed, time, took_s: took }) {
  const jams = jamsOf(seen, service, time);
  const jammed = jams.reduce((sum, { length }) => sum + length, 0);
  const stood = stretchesOf(failed, seen).reduce((sum, { from, to }) => sum + to - from, 0);
  if (jammed < JAMMED_SHARE * stood) return null;
  const served = seen.servedBy(service).filter((call) => seen.began[call] <= time.to && seen.over[call] >= time.from);
  const counts = grouped(served, (call) => kindIn(seen, call));
  const rows = [...grouped(jams, ({ kind }) => kind)].map(([kind, own]) => {
    const first = own.reduce((sum, { length }) => sum + length, 0) / jammed;
    return { kind, first, times: first / share(counts.get(kind)?.length ?? 0, served.length), jams: own };
  });
  const [most] = rows
    .filter(({ first, times }) => first >= FIRST_SHARE && times >= FIRST_TIMES)
    .toSorted((one, other) => other.first - one.first);
  if (!most) return null;
  const longest = most.jams.reduce((longer, { length }) => Math.max(longer, length), 0);
  const isGivenUp = share(failed.filter((call) => seen.sign[call] === 'given-up').length, failed.length) > MOST;
  return {
    mechanism: 'held-by-one',
    ...(most.kind === '' ? {} : { title: `answered nobody while it worked on ${asked(most.kind)}` }),
    basis: 'inferred',
    evidence: [
      `${service} answered nobody for ${seconds(jammed)} in all while calls waited (a call took ${seconds(took)}).`,
      `${most.kind === '' ? 'A connection' : capital(asked(most.kind))} was first in ${percent(most.first)} of that time, ${most.times.toFixed(0)} times its share of calls, for up to ${seconds(longest)} at a time, ${counted(most.jams.length)} times.`,
    ],
    ...(isGivenUp ? { doubts: ['where callers give up, the first in a jam may be a call that came after the one that held it'] } : {}),
  };
}

/** Of a call that is not read its asker is all that tells it from others. @param {Step['seen']} seen @param {number} call */
const kindIn = ({ kind, from }, call) => (kind[call] === TURN ? `a call of ${from[call]}` : kind[call]);

/** @param {Step['seen']} seen @param {string} service @param {{ from: number, to: number }} time @returns {{ kind: string, length: number }[]} */
function jamsOf(seen, service, time) {
  const { began, over, servedBy } = seen;
  const served = servedBy(service);
  const jams = [];
  for (const silence of silencesOf(seen, service)) {
    const [from, to] = [Math.max(silence.from, time.from), Math.min(silence.to, time.to)];
    if (to - from < JAM_S) continue;
    for (let at = leading(served, (call) => began[call] <= from - FIRST_BEFORE_S); at < served.length; at += 1) {
      const call = served[at];
      if (began[call] >= to - ENDING_S) break;
      if (over[call] <= from + CLOCK_S) continue;
      jams.push({ kind: kindIn(seen, call), length: to - Math.max(from, began[call]) });
      break;
    }
  }
  return jams.filter(({ length }) => length >= JAM_S);
}

/** Stretches in which it answered nobody, whether or not anybody waited. */
const silencesOf = once(({ servedBy, calls, over }, service) => {
  const ends = ascending(
    servedBy(service)
      .filter((call) => calls[call].end === 'answered')
      .map((call) => over[call]),
  );
  const silences = [];
  // Where nobody is answered any more, who came first is not shown to have held the others.
  for (let index = 0; index < ends.length; index += 1) {
    const [from, to] = [ends[index - 1] ?? Number.NEGATIVE_INFINITY, ends[index]];
    if (to - from >= JAM_S) silences.push({ from, to });
  }
  return silences;
});

/*
 * Did its calls stand in one line? On a connection that is shared, and whose answers come in the order of the questions, what is sent behind a
 * call that waits on purpose waits for its end too.
 */

/** More tell no more; a line is not looked at further back. */
const MOMENTS_MOST = 100;
const LINE_MOST = 256;
/** Of the moments of the failed; of those, that have one kind first. The lab's own choices, as are the numbers below. */
const BLOCKED_SHARE = 0.5;
const KIND_SHARE = 0.8;
/** Of that share, in calm seconds. */
const CALM_PART = 1 / 3;
/** What waited for the first one's end alone is answered with it. */
const WITH_S = 0.05;
const WITH_SHARE = 0.9;
/** Those that are not behind it are so many times as quick. */
const ALONE_TIMES = 5;
const ALONE_LEAST = 20;

/**
 * @param {Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'waiting'>} step @returns {Why | null}
 */
export function behindOne(step) {
  const { seen, service, path } = step;
  const callees = seen.calleesOf(service).filter((to) => to !== service && !path.includes(to));
  return callees.map((to) => behindOn(step, to)).find((why) => why !== null) ?? null;
}

/** @param {Of<'calm' | 'moments' | 'seen' | 'service' | 'waiting'>} step @param {string} to @returns {Why | null} */
function behindOn({ seen, service, moments, calm, waiting }, to) {
  const { began, over, kind } = seen;
  const looked = some(moments, MOMENTS_MOST);
  const rows = looked.map((at) => rowsAt(seen, service, to, at));
  const blocked = rows.filter((lines) => lines.length > 0);
  if (share(blocked.length, looked.length) < BLOCKED_SHARE) return null;
  const lines = blocked.flat();
  const [[name, own]] = [...grouped(lines, ({ first }) => kind[first])].toSorted(([, one], [, other]) => other.length - one.length);
  const behind = [...new Set(own.flatMap((line) => line.behind))];
  const mean = own.reduce((sum, line) => sum + line.behind.length, 0) / looked.length;
  if (own.length < KIND_SHARE * lines.length || mean < BLOCKED_SHARE * waiting.standing) return null;
  const firsts = [...new Set(own.map(({ first }) => first))];
  const firstOf = new Map(own.flatMap((line) => line.behind.map((call) => [call, line.first])));
  const ended = behind.filter((call) => over[call] < seen.until);
  const withFirst = ended.filter((call) => Math.abs(over[call] - over[firstOf.get(call) ?? call]) <= WITH_S);
  if (ended.length === 0 || withFirst.length < WITH_SHARE * ended.length) return null;
  const still = some(calm, MOMENTS_MOST);
  const usual = share(still.filter((at) => rowsAt(seen, service, to, at).some(({ first }) => kind[first] === name)).length, still.length);
  if (usual > share(blocked.length, looked.length) * CALM_PART) return null;
  const [theirs, isBehind] = [kindsOf(seen, behind), new Set(behind)];
  const took = (/** @type {number[]} */ calls) => middle(calls.map((call) => over[call] - began[call]));
  const alone = seen.onEdge(service, to).filter((call) => theirs.has(kind[call]) && kind[call] !== name && !isBehind.has(call));
  if (alone.length < ALONE_LEAST || took(alone) * ALONE_TIMES > took(behind)) return null;
  return {
    mechanism: 'held-by-one',
    title: `sent calls to ${to} on a connection on which ${asked(name)} was not answered yet: ${to} answers one after the other there`,
    basis: 'counted',
    place: { service, edge: { from: service, to } },
    evidence: [
      `At ${percent(share(blocked.length, looked.length))} of the moments at which requests stood in ${service}, ${few(mean)} of its calls to ${to} stood on a connection behind ${asked(name)}, in calm seconds at ${percent(usual)}.`,
      `${counted(firsts.length)} such ${firsts.length === 1 ? 'call' : 'calls'} went on for ${seconds(took(firsts))}; ${percent(share(withFirst.length, ended.length))} of what stood behind was answered within ${seconds(WITH_S)} of its end.`,
      `What did not stand behind one took ${seconds(took(alone))}.`,
    ],
  };
}

/**
 * @param {Step['seen']} seen @param {string} from @param {string} to @param {number} at
 * @returns {{ first: number, behind: number[] }[]} of connections on which several calls wait for an answer
 */
function rowsAt(seen, from, to, at) {
  const { began, waited } = seen;
  return seen.lines(from, to).flatMap(({ calls }) => {
    const begun = leading(calls, (call) => began[call] <= at);
    const going = calls.slice(Math.max(0, begun - LINE_MOST), begun).filter((call) => waited[call] > at && !seen.isAttempt(call));
    return going.length < 2 ? [] : [{ first: going[0], behind: going.slice(1) }];
  });
}

/*
 * Calls that waited for a lock, as the service itself told once a second: who held it, whatever client that is.
 */

/** Of the requests that stood there: one may be between two waits, and a reading comes once a second. */
const WAITING_SHARE = 0.5;
const WAITING_LEAST = 1;
/** What waits so often in calm seconds too explains nothing. */
const LIFT_TIMES = 3;
const HOLDERS_SHOWN = 3;

/** @param {Of<'calm' | 'moments' | 'seen' | 'service' | 'waiting', 'holders'>} step @returns {Why | null} */
export function lockReported({ seen, readings, service, moments, calm, waiting }) {
  const holders = readings.holders(service, moments);
  const now = countOf(holders);
  const before = calm.length < CALM_LEAST ? null : countOf(readings.holders(service, calm));
  if (now < Math.max(WAITING_LEAST, WAITING_SHARE * waiting.standing) || (before ?? 0) * LIFT_TIMES > now) return null;
  const tenantAt = lookUp(seen.wire.services);
  const nameOf = (/** @type {string} */ address) =>
    address === '' ? `a client within ${service}` : (tenantAt(address, moments[0])?.name ?? address);
  return {
    mechanism: 'lock',
    title: `let calls wait for a lock that ${nameOf(holders[0].address)} held`,
    basis: before === null ? 'inferred' : 'counted',
    evidence: [
      ...holders
        .slice(0, HOLDERS_SHOWN)
        .map(
          ({ address, state, waiting: count, held_s: held }) =>
            `${nameOf(address)} held locks that ${few(count)} others waited for, by what ${service} told each second, in a transaction of up to ${seconds(held)} (${state || 'in an unknown state'}).`,
        ),
      ...(before === null ? [] : [`In calm seconds ${before === 0 ? 'nobody' : counted(before)} waited for a lock there.`]),
    ],
  };
}

/** @param {import('./readings.js').Holder[]} holders */
const countOf = (holders) => holders.reduce((sum, { waiting }) => sum + waiting, 0);
