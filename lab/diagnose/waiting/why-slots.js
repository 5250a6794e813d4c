/**
 * Did it turn away whoever was more than it takes? It said so with a code, or closed further connections while as many were open as ever.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

import { grouped } from '../../base/values.js';
import { ascending } from '../../stats/numbers.js';
import { some } from '../joins/rules.js';
import { once } from './asked.js';
import { GOOD } from './seen.js';
import { average, before, lastBefore, middle, share, spread, stateAt, within } from './spread.js';
import { asked, causeByCode, counted, MECHANISMS, mebibytes, percent, things } from './text.js';

/** Ends of what came on a connection that its server did not keep. */
const CLOSED = new Set(['unasked', 'closed', 'reset']);
/** Of the failed: an answer has to be that of most of them. */
const MOST = 0.5;
/** Who keeps one connection serves one caller after the other. */
const SLOTS_LEAST = 2;
/** Of the number that is kept: a connection that is being closed counts on one side already. The lab's own choice. */
const NEAR_SHARE = 0.05;
const [LOW, HIGH] = [0.1, 0.99];
/** Of the share of the failed that came when it was full, so much of the connections that it took. */
const GOOD_PART = 1 / 3;
/** Of those that it closed when it was full, so many that it took: one ends as another comes. The lab's own choice. */
const TAKEN_PART = 0.1;
/** What stands for so long is kept: who is not wanted is closed sooner (TURNED_AWAY_S in seen.js). */
const KEPT_S = 1;
const LOOKED_AT_MOST = 400;
/** As fine as the record's times are. */
const CLOCK_S = 1e-6;

/**
 * @typedef {object} Slots
 * @property {number} count     connections that it kept when the failed came, and never more
 * @property {boolean} isOfBoth  those that it made itself are among them
 * @property {number} full      share of the failed that came when so many were kept
 * @property {number} goodFull  of the connections that it took
 * @property {boolean} isGivenBack  it took one again, when fewer were kept, after the first had failed
 */

/**
 * It closed connections, or what came first on them, while it kept as many as ever, whoever had asked for those; and took others when it kept fewer.
 * @param {Of<'failed' | 'moments' | 'seen' | 'service'>} step @returns {Why | null}
 */
export function slotsTaken(step) {
  const { seen, failed, service } = step;
  const closed = failed.filter((call) => CLOSED.has(seen.sign[call])).length;
  const slots = closed > failed.length * MOST ? slotsOf(step) : null;
  if (slots === null) return null;
  return {
    mechanism: 'slots-taken',
    title: `kept ${things(slots.count, 'connection')} open, as many as it takes${slots.isOfBoth ? ' with those that it made itself' : ''}, and closed further ones`,
    basis: slots.isGivenBack ? 'counted' : 'inferred',
    evidence: [`${service} closed ${counted(closed)} connections as soon as they came.`, ...slotsText(service, slots), ...takersText(step)],
    ...(slots.isGivenBack
      ? {}
      : { doubts: [`${service} took no further connection after that: whether it had taken one if fewer had been open is not known`] }),
  };
}

/** @param {Of<'failed' | 'seen' | 'service'>} step  whose service left them in its accept queue @returns {string[]} how many it had answered on meanwhile, if those were as many as it takes */
export function answeredText(step) {
  const slots = slotsOf(step, answeredBy);
  return slots ? slotsText(step.service, slots) : [];
}

/** @param {string} service @param {Slots} slots @returns {string[]} */
const slotsText = (service, { count, isOfBoth, full, goodFull }) => [
  `${service} kept ${things(count, 'connection')}${isOfBoth ? ', to its callers and to whom it asks,' : ''} and no more: ${percent(full)} of those that failed came when so many were open, and ${percent(goodFull)} of those that it took.`,
];

/**
 * @param {Of<'failed' | 'seen' | 'service'>} step @param {typeof takenBy} takenOf
 * @returns {Slots | null} null where others were taken when as many were kept, or its number is not the same
 */
function slotsOf({ seen, service, failed }, takenOf = takenBy) {
  const { lineOf } = seen;
  const first = failed.filter((call) => lineOf(call)?.calls[0] === call || seen.isAttempt(call));
  if (first.length <= failed.length * MOST) return null;
  const came = opened(first.flatMap((call) => lineOf(call) ?? []));
  const { kept, closed } = takenOf(seen, service);
  const made = seen.calleesOf(service).flatMap((to) => seen.lines(service, to).filter(isTcp));
  const about = { came, begun: opened(kept), closed };
  return limitOf(about, new Open(kept), false) ?? (made.length === 0 ? null : limitOf(about, new Open([...kept, ...made]), true));
}

/**
 * @param {{ came: number[], begun: number[], closed: number[] }} about  when connections came: the failed ones, all that it took, and all that it did not
 * @param {Open} open @param {boolean} isOfBoth @returns {Slots | null}
 */
function limitOf({ came, begun, closed }, open, isOfBoth) {
  const found = some(came, LOOKED_AT_MOST).map((at) => open.before(at));
  const count = Math.round(middle(found));
  const near = Math.round(NEAR_SHARE * count);
  const first = came.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const atTaken = begun.map((at) => open.before(at));
  if (count < SLOTS_LEAST || spread(found, LOW) < count - near || spread(atTaken, HIGH) + 1 > count + Math.max(1, near)) return null;
  const isFull = (/** @type {number} */ one) => one >= count;
  const [full, taken] = [share(found.filter(isFull).length, found.length), atTaken.filter(isFull).length];
  const goodFull = share(taken, atTaken.length);
  const turnedAway = closed.filter((at) => isFull(open.before(at))).length;
  if (goodFull > full * GOOD_PART || taken > turnedAway * TAKEN_PART) return null;
  return { count, isOfBoth, full, goodFull, isGivenBack: begun.some((at, place) => at > first && !isFull(atTaken[place])) };
}

/** How many were open just before a moment. */
class Open {
  #begun;
  #ended;

  /** @param {import('./seen.js').Line[]} lines */
  constructor(lines) {
    this.#begun = ascending(lines.map(({ connection }) => connection.opened_at));
    this.#ended = ascending(lines.flatMap(({ connection: { ended_at: at } }) => at ?? []));
  }

  /** @param {number} at */
  before(at) {
    return before(this.#begun, at - CLOCK_S) - before(this.#ended, at - CLOCK_S);
  }
}

/** @param {import('./seen.js').Line} line */
const isTcp = ({ connection }) => connection.transport === 'tcp';

/** @param {import('./seen.js').Line[]} lines @returns {number[]} when each came */
const opened = (lines) => lines.map(({ connection }) => connection.opened_at);

/** Connections on which a service answered well, and when others came. */
const answeredBy = once((seen, service) => parted(seen, service, ({ calls }) => calls.some((call) => seen.sign[call] === GOOD)));

/** Connections that a service took, and when others came. It took those on which it answered well, or that it let stand. */
const takenBy = once((seen, service) => {
  const isKept = (
    /** @type {import('./seen.js').Line} */ { calls, connection: { opened_at: at, accepted_at: accepted, ended_at: ended } },
  ) =>
    accepted !== null &&
    (calls.some((call) => seen.sign[call] === GOOD) || ((ended ?? seen.until) - at > KEPT_S && !calls.some(seen.isAttempt)));
  return parted(seen, service, isKept);
});

/** @param {Step['seen']} seen @param {string} service @param {(line: import('./seen.js').Line) => boolean} isKept */
function parted(seen, service, isKept) {
  const all = seen.linesTo(service).filter(isTcp);
  return { kept: all.filter(isKept), closed: opened(all.filter((line) => !isKept(line))) };
}

/** Who holds a lock is asked elsewhere (why-lock.js). @param {Of<'codeCause' | 'failed' | 'moments' | 'seen' | 'service' | 'sign' | 'time'>} step @returns {Why | null} */
export function reportedByCode(step) {
  const reported = causeByCode(step);
  if (reported === null || reported.cause === 'lock') return null;
  return {
    mechanism: reported.cause,
    title: reported.cause === 'turned-away' ? turnedAwayText(step, reported.code) : MECHANISMS[reported.cause].title,
    basis: 'counted',
    evidence: [
      `${step.service} answered ${reported.code} ${counted(reported.calls)} times.`,
      ...(reported.cause === 'turned-away' ? keptText(step) : []),
      ...(MET.has(reported.cause) ? metText(step) : []),
      ...(FILLED.has(reported.cause) ? senderText(step) : []),
    ],
  };
}

/** What is used up by what it is sent. @type {Set<import('./text.js').Mechanism>} */
const FILLED = new Set(['disk-full', 'memory-short']);
/** Of the bytes: of two, one sent half of them anyway. The lab's own choice. */
const SENDER_SHARE = 0.75;

/** Who sent it most of what it was sent, where several did. @param {Of<'seen' | 'service' | 'time'>} step @returns {string[]} none or a sentence */
function senderText({ seen, service, time }) {
  const { began, from, kind, calls } = seen;
  const bytesOf = (/** @type {number[]} */ all) => all.reduce((sum, call) => sum + calls[call].sent_bytes, 0);
  const mostOf = (/** @type {number[]} */ all, /** @type {string[]} */ names) => {
    const groups = [...grouped(all, (call) => names[call])].map(([name, own]) => ({ name, own, bytes: bytesOf(own) }));
    return { ...groups.toSorted((one, other) => other.bytes - one.bytes)[0], names: groups.length };
  };
  const sent = seen.servedBy(service).filter((call) => began[call] <= time.to);
  const total = bytesOf(sent);
  const most = mostOf(sent, from);
  if (total === 0 || most.names < 2 || most.bytes < SENDER_SHARE * total) return [];
  return [
    `Of the ${mebibytes(total)} that ${service} was sent in calls until then ${most.name} sent ${percent(most.bytes / total)}, most of it in ${asked(mostOf(most.own, kind).name)}.`,
  ];
}

/** Ends of transactions that met others. @type {Set<import('./text.js').Mechanism>} */
const MET = new Set(['deadlock', 'conflict']);
/** Statements of a transaction that are looked at, before one. */
const EARLIER_MOST = 64;
const WAYS_SHOWN = 3;

/**
 * What they had sent before in their transactions, and at what they were broken off; and whether two statements come in either order there: two
 * transactions that each hold what the other asks for next wait for each other.
 * @param {Of<'failed' | 'seen' | 'service' | 'sign'>} step @returns {string[]}
 */
function metText({ seen, service, failed, sign }) {
  const broken = failed.filter((call) => seen.sign[call] === sign);
  const ways = [...grouped(broken, (call) => JSON.stringify(statementsUntil(seen, call)))].map(([key, calls]) => ({
    statements: /** @type {string[]} */ (JSON.parse(key)),
    count: calls.length,
  }));
  const [last] = ways.toSorted((one, other) => other.count - one.count);
  const orders = last === undefined ? [] : ordersOf(seen, service, ways);
  return [
    ...ways
      .toSorted((one, other) => other.count - one.count)
      .slice(0, WAYS_SHOWN)
      .map(({ statements, count }) => {
        const before = statements.slice(0, -1);
        return `${counted(count)} of these were broken off at ${statements.at(-1)}, ${before.length === 0 ? 'the first of a transaction' : `after ${before.join(', ')} in the same transaction`}.`;
      }),
    ...orders,
  ];
}

/** Those of its transaction, as far back as is looked, each once and itself the last. @param {Step['seen']} seen @param {number} call @returns {string[]} */
function statementsUntil(seen, call) {
  const calls = seen.lineOf(call)?.calls ?? [];
  const at = calls.indexOf(call);
  const earlier = calls.slice(Math.max(0, at - EARLIER_MOST), Math.max(0, at));
  const since = earlier.findLastIndex((one) => seen.isWithin[one] === 0) + 1;
  const before = earlier.slice(since).map((one) => seen.kind[one]);
  return [...new Set(before.filter((kind) => isStatement(kind) && kind !== seen.kind[call])), seen.kind[call]];
}

/** What begins or ends a transaction asks for nothing. @param {string} kind */
const isStatement = (kind) => kind.includes(' ');

/**
 * At what they are broken off they waited: of pairs in either order that is one, and best both.
 * @param {Step['seen']} seen @param {string} service @param {{ statements: string[] }[]} ways @returns {string[]} none or a sentence
 */
function ordersOf(seen, service, ways) {
  const kinds = new Set(ways.flatMap(({ statements }) => statements));
  const waited = new Set(ways.map(({ statements }) => statements.at(-1) ?? ''));
  const ranked = (/** @type {{ first: string, second: string }} */ { first, second }) =>
    Number(waited.has(first)) + Number(waited.has(second));
  /** @type {Map<string, number>} */
  const pairs = new Map();
  for (const { calls } of seen.linesTo(service)) {
    /** @type {string[]} */
    let own = [];
    for (const call of calls) {
      const kind = seen.kind[call];
      if (kinds.has(kind) && !own.includes(kind)) {
        for (const first of own) pairs.set(JSON.stringify([first, kind]), (pairs.get(JSON.stringify([first, kind])) ?? 0) + 1);
        own.push(kind);
      }
      if (seen.isWithin[call] === 0) own = [];
    }
  }
  const [most] = [...pairs]
    .map(([key, count]) => {
      const [first, second] = JSON.parse(key);
      return { first, second, count, back: pairs.get(JSON.stringify([second, first])) ?? 0 };
    })
    .filter((pair) => pair.back >= ORDERS_LEAST && ranked(pair) > 0)
    .toSorted(
      (one, other) =>
        ranked(other) - ranked(one) || Math.min(other.count, other.back) - Math.min(one.count, one.back) || other.count - one.count,
    );
  return most === undefined
    ? []
    : [
        `${counted(most.count)} transactions sent ${most.first} before ${most.second}, and ${counted(most.back)} the other way round: two that each hold what the other asks for next wait for each other.`,
      ];
}
/** One alone may have been tried by hand. */
const ORDERS_LEAST = 2;

/** @param {Of<'failed' | 'moments' | 'seen' | 'service'>} step @param {string} code @returns {string} title, with who else has most of what there is */
export function turnedAwayText(step, code) {
  const { rows, total } = takersOf(step);
  const [most] = rows;
  // Whom nobody asks takes no part in requests.
  const isOther = most !== undefined && step.seen.servedBy(most.client).length === 0 && most.count > total / 2;
  if (isOther) return `turned connections away with ${code}, while ${most.client} kept ${counted(most.count)} of ${counted(total)} open`;
  const slots = slotsOf(step);
  return `turned connections away with ${code}${slots ? `, since it had ${counted(slots.count)} open and takes no more` : ''}`;
}

/** @param {Of<'failed' | 'moments' | 'seen' | 'service'>} step @returns {string[]} how many connections it kept, and whose */
export function keptText(step) {
  const slots = slotsOf(step);
  return [...(slots ? slotsText(step.service, slots) : []), ...takersText(step)];
}

/** @param {Of<'moments' | 'seen' | 'service'>} step @returns {string[]} none or a sentence */
function takersText(step) {
  const { rows } = takersOf(step);
  if (rows.length === 0) return [];
  return [
    `Connections open at ${step.service} then: ${rows
      .slice(0, TAKERS_SHOWN)
      .map(({ client, count }) => `${counted(count)} of ${client}`)
      .join(', ')}.`,
  ];
}
const TAKERS_SHOWN = 4;

/** Who had its connections open, at the moments of the failed. @param {Of<'moments' | 'seen' | 'service'>} step @returns {{ rows: { client: string, count: number }[], total: number }} the most first */
function takersOf({ seen, service, moments }) {
  const at = some(moments, MOMENTS_MOST);
  const rows = [...grouped(seen.linesTo(service), ({ from }) => from)].flatMap(([client, lines]) => {
    const open = at.map(() => 0);
    for (const line of lines) for (const index of within(line, at)) open[index] += 1;
    const count = Math.round(average(open));
    return count > 0 ? [{ client, count }] : [];
  });
  return { rows: rows.toSorted((one, other) => other.count - one.count), total: rows.reduce((sum, { count }) => sum + count, 0) };
}
const MOMENTS_MOST = 100;

/**
 * Who keeps connections open that it had been answered on and asks nothing on, at the moments of the failed.
 * @param {Of<'moments' | 'seen' | 'service'>} step
 * @returns {{ client: string, count: number, open: number[], lines: import('./seen.js').Line[] }[]} who keeps most first; count: at most moments;
 *   open: at each of some of them
 */
export function keepersOf({ seen, service, moments }) {
  const at = some(moments, MOMENTS_MOST);
  return [...grouped(seen.linesTo(service), ({ from }) => from)]
    .map(([client, all]) => {
      const open = at.map(() => 0);
      const lines = all.filter((line) => {
        const places = within(line, at).filter((index) => isIdleAfterUse(seen, line, at[index]));
        for (const index of places) open[index] += 1;
        return places.length > 0;
      });
      return { client, count: Math.round(middle(open)), open, lines };
    })
    .filter(({ lines }) => lines.length > 0)
    .toSorted((one, other) => other.count - one.count);
}

/** @param {Step['seen']} seen @param {import('./seen.js').Line} line @param {number} at */
function isIdleAfterUse(seen, line, at) {
  if (stateAt(seen, line, at) !== 'idle') return false;
  const last = lastBefore(seen, line, at);
  return last !== null && seen.calls[last].end === 'answered';
}
