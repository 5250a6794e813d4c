/**
 * Did its calls stand in one line? On a connection that is shared, and whose answers come in the order of the questions, what is sent behind a
 * call that waits on purpose waits for its end too.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @typedef {import('./step.js').Of<Fact>} Of */

import { grouped } from '../../base/values.js';
import { some } from '../joins/rules.js';
import { leading, middle, share } from './spread.js';
import { asked, counted, few, percent, seconds } from './text.js';

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
const QUICK_TIMES = 5;
const QUICK_LEAST = 20;

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
  const [theirs, isBehind] = [new Set(behind.map((call) => kind[call])), new Set(behind)];
  const took = (/** @type {number[]} */ calls) => middle(calls.map((call) => over[call] - began[call]));
  const alone = seen.onEdge(service, to).filter((call) => theirs.has(kind[call]) && kind[call] !== name && !isBehind.has(call));
  if (alone.length < QUICK_LEAST || took(alone) * QUICK_TIMES > took(behind)) return null;
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
