/**
 * Of answers that a service gave by itself: a limit, a mistake.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

import { ascending, upTo } from '../../stats/numbers.js';
import { isByTurns, unreadBytes } from '../../wire/turns.js';
import { some } from '../joins/rules.js';
import { GOOD_LEAST, once } from './asked.js';
import { average, Going } from './spread.js';
import { isAsSoonAsGood, isOwn } from './step.js';
import { counted, ended, endedText, few, percent, seconds } from './text.js';
import { otherAnswer } from './why-earlier.js';
import { askedBy } from './why-full.js';
import { isTurnedAway } from './why-gone.js';

const LOOKED_AT_MOST = 200;
/** So long before a request; as fine as the record's times are. */
const CLOCK_S = 1e-6;

/**
 * Whether it asked somebody for most of the failed, and what came of it is not on record: it could not be read, or passed a network that was not
 * recorded.
 * @param {Of<'failed' | 'seen' | 'service'>} step
 */
export function isBlind({ seen, service, failed }) {
  const { from, until } = unreadOf(seen, service);
  const hidden = failed.filter((call) => upTo(from, seen.over[call]) > upTo(until, seen.began[call]));
  const isUnseen = seen.wire.networks.some(({ unseen, members = [] }) => unseen !== '' && members.includes(service));
  return isUnseen || hidden.length >= HIDDEN_SHARE * failed.length;
}
/**
 * Whether most of the failed asked somebody whose answers are not read: one of them may have been the error.
 * @param {Of<'failed' | 'seen'>} step
 */
const isReportedByTurns = ({ seen, failed }) =>
  failed.filter((call) => seen.childrenOf(call).some((child) => isTurn(seen, child))).length >= HIDDEN_SHARE * failed.length;

/** @param {Step['seen']} seen @param {number} call */
const isTurn = ({ lineOf }, call) => isByTurns(lineOf(call)?.connection ?? { protocol: '', calls: 0 });

/** Of the failed. The lab's own choice: the rest, which ended alike, asked nobody else. */
const HIDDEN_SHARE = 0.5;

/** When its connections were open on which something could not be read. */
const unreadOf = once((seen, service) => {
  const unread = seen
    .calleesOf(service)
    .flatMap((to) => seen.lines(service, to))
    .filter(({ connection }) => unreadBytes(connection) > 0);
  return {
    from: ascending(unread.map(({ connection }) => connection.opened_at)),
    until: ascending(unread.map(({ connection }) => connection.ended_at ?? Number.POSITIVE_INFINITY)),
  };
});

/** At once, while no call for it went wrong. @param {Of<'asked' | 'failed' | 'good' | 'good_s' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>} step @returns {Why | null} */
export function ownAnswer(step) {
  const { service, asked, failed, sign, seen } = step;
  if ((!isOwn(step) && !isAsSoonAsGood(step)) || isBlind(step) || isReportedByTurns(step)) return null;
  const isAlone = seen.madeBy(service).length === 0;
  const beside = asked.beside.filter(({ calls }) => calls >= failed.length / 2).slice(0, 2);
  const other = otherAnswer(step);
  const after = other === null ? '' : `, after ${other.than} answers of ${other.to} than for good ones`;
  return {
    mechanism: isTurnedAway(step) ? 'turned-away' : 'own-error',
    // A counter that is above a limit is no other answer.
    title: isTurnedAway(step) ? `turned requests away with ${sign}` : `${ended(sign)} by itself${after}`,
    basis: isAlone || asked.good !== null ? 'counted' : 'inferred',
    evidence: [
      endedText(step),
      ...(isAlone || (asked.failed === 0 && asked.good === 0)
        ? [isAlone ? `${service} asks nobody.` : `${service} asks nobody for such requests.`]
        : percent(asked.failed) === percent(asked.good ?? -1)
          ? []
          : [
              `${service} asked somebody for ${percent(asked.failed)} of these${asked.good === null ? '' : `, and for ${percent(asked.good)} of the good ones`}; no call that went badly goes with them.`,
            ]),
      ...(other === null ? [] : [other.evidence]),
      ...(isTurnedAway(step) ? atWork(step) : []),
      ...beside.map(
        (one) =>
          `${counted(one.calls)} calls to ${one.to} were ${ended(one.sign)} beside them: ${percent(one.failed)} of the failed${one.good === null ? '' : ` and ${percent(one.good)} of the good`} have one, and ${percent(one.back)} of them lie in a failed request.`,
      ),
    ],
  };
}

/** How much it had to do of what it takes such requests for: one that is full is busy. @param {Of<'failed' | 'good' | 'seen' | 'service'>} step @returns {string[]} */
function atWork({ seen, service, failed, good }) {
  const callees = askedBy(seen, service, new Set(failed.map((call) => seen.kind[call])));
  if (callees.length === 0 || good.length < GOOD_LEAST) return [];
  const open = callees.map((to) => new Going(seen.onEdge(service, to), seen.began, seen.over));
  const meanAt = (/** @type {number[]} */ calls) =>
    average(some(calls, LOOKED_AT_MOST).map((call) => open.reduce((sum, going) => sum + going.at(seen.began[call] - CLOCK_S), 0)));
  return [
    `When these came it had ${few(meanAt(failed))} calls open to ${callees.join(' and ')}, when good ones came ${few(meanAt(good))}.`,
  ];
}

/** @param {Of<'asked' | 'failed' | 'moments' | 'service' | 'sign' | 'took_s', 'queued'>} step @returns {Why} of requests that it closed or reset, and asked nobody for */
export const brokenOff = ({ service, asked, failed, sign, took_s: took, readings, moments }) => {
  const queue = readings.queued(service, moments);
  return {
    mechanism: 'broken-off',
    basis: 'counted',
    evidence: [
      `${counted(failed.length)} requests in ${service} were ${ended(sign)}, after ${seconds(took)} at the median.`,
      `${service} asked somebody for ${percent(asked.failed)} of them, and for ${percent(asked.good ?? 0)} of the good ones.`,
      ...(queue && queue.most > 0 ? [`Up to ${counted(queue.most)} connections waited to be accepted.`] : []),
    ],
  };
};
