/**
 * Does it go on with connections that a callee has closed? Who keeps them hands a dead one out again, and fails without asking anybody.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { ascending } from '../../stats/quantile.js';
import { asks, usageOf } from './asked.js';
import { once } from './once.js';
import { share, upTo } from './spread.js';
import { isAsSoonAsGood, isOwn } from './step.js';
import { counted, ended, percent } from './text.js';
import { isBlind } from './why-own.js';

/** Of the failed. */
const LACKING_SHARE = 0.9;
/** Failed ones among requests of the time in which none is missing, as a part of those of the time in which one is. The lab's own choice. */
const WHOLE_PART = 0.1;
/** Of the share of good ones that have a call: joins by order give some by chance. */
const SENT_PART = 0.5;
/** Each connection is handed out once in so many requests for each; fewer are handed out in no turn. The lab's own choice. */
const ROUNDS = 2;
const ROUND_LEAST = 10;

/** @param {Step} step @returns {Why | null} */
export function deadConnections(step) {
  const { seen, service, asked, failed } = step;
  if ((!isOwn(step) && !isAsSoonAsGood(step)) || asked.good === null || asked.failed > asked.good * SENT_PART || isBlind(step)) return null;
  const [usage, kinds] = [usageOf(seen, service), new Set(failed.map((call) => seen.kind[call]))];
  const callees = seen.calleesOf(service).filter((to) => asks(usage, kinds, to));
  return callees.map((to) => deadOf(step, to)).find((why) => why !== null) ?? null;
}

/** @param {Step} step @param {string} to @returns {Why | null} */
function deadOf({ seen, service, failed, good, asked, sign, time }, to) {
  const { closed, opened, isOpen } = keptOf(seen, service, to);
  const { began } = seen;
  if (closed.length === 0) return null;
  const replacedAt = (/** @type {number} */ at) => upTo(opened, at) - upTo(opened, closed[0]);
  const isLacking = (/** @type {number} */ call) => upTo(closed, began[call]) > replacedAt(began[call]);
  const [failedThen, goodThen] = [failed.filter(isLacking), good.filter(isLacking)];
  if (failedThen.length < LACKING_SHARE * failed.length) return null;
  const whole = share(failed.length - failedThen.length, failed.length - failedThen.length + good.length - goodThen.length);
  if (whole > WHOLE_PART * share(failedThen.length, failedThen.length + goodThen.length)) return null;
  const first = failedThen.reduce((least, call) => Math.min(least, began[call]), Number.POSITIVE_INFINITY);
  const before = goodThen.filter((call) => began[call] < first).length;
  if (before > Math.max(ROUND_LEAST, ROUNDS * (closed.length + opened.length))) return null;
  const alone = share(failed.filter((call) => !isOpen(began[call])).length, failed.length);
  const [lost, again] = [upTo(closed, time.to), replacedAt(time.to)];
  return {
    mechanism: 'dead-connections',
    title: `${ended(sign)} without asking ${to}, which had closed ${counted(lost)} of its connections; ${again === 0 ? 'none was' : `${counted(again)} were`} opened in their place`,
    basis: alone >= LACKING_SHARE ? 'counted' : 'inferred',
    place: { service, edge: { from: service, to } },
    evidence: [
      `${to} closed ${counted(lost)} connections of ${service}, which opened ${again === 0 ? 'none' : counted(again)} after the first of these.`,
      `${percent(asked.failed)} of the failed requests have a call of ${service}, of the good ${percent(asked.good ?? 0)}; ${percent(whole)} of such requests failed while no connection was missing.`,
      ...(alone >= LACKING_SHARE ? [`No connection of ${service} to ${to} was open when they failed.`] : []),
    ],
  };
}

/** Connections on which something was said: when the callee closed them, and when those of the edge were opened. */
const keptOf = once((seen, from, to) => {
  const lines = seen.lines(from, to).filter(({ connection }) => connection.transport === 'tcp' && connection.accepted_at !== null);
  const ends = lines.filter(
    ({ calls, connection: { by, ended_at: at, answered_at: answered } }) =>
      (calls.length > 0 || answered !== null) && by === 'server' && at !== null,
  );
  const opened = ascending(lines.map(({ connection }) => connection.opened_at));
  const over = ascending(lines.flatMap(({ connection: { ended_at: at } }) => (at === null ? [] : [at])));
  return {
    closed: ascending(ends.map(({ connection }) => /** @type {number} */ (connection.ended_at))),
    opened,
    isOpen: (/** @type {number} */ at) => upTo(opened, at) > upTo(over, at),
  };
});
