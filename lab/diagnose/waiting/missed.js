/**
 * What brought so many to a callee at once: somebody who is asked before it, as a cache is, had nothing for them, and has something as a rule.
 *
 * @typedef {import('./step.js').Step} Step
 */

/** @template {keyof Step} Fact @typedef {import('./step.js').Of<Fact>} Of */

import { grouped } from '../../base/values.js';
import { ascending, upTo } from '../../stats/numbers.js';
import { GOOD_LEAST } from './asked.js';
import { GOOD } from './seen.js';
import { countsAt, kindsOf, middle, share, spread } from './spread.js';
import { capital, counted, few, percent } from './text.js';

/** An answer that says no more than that there is nothing: `$-1`, `_`, `*0` or `END` and the end of their line. */
const NOTHING_MOST_BYTES = 8;
/** Answers of that kind, the largest tenth left out, as compared with it. The lab's own choice. */
const SOMETHING_TIMES = 4;
const HIGH = 0.9;
/** Of the failed, and of that share among the good ones. The lab's own choices. */
const MISSED_SHARE = 0.8;
const GOOD_PART = 1 / 3;
/** At once, as compared with calm seconds. The lab's own choice. */
const TOGETHER_TIMES = 3;
/** Whoever asks a cache does so first, and somebody else as soon as it has nothing. The lab's own choice. */
const SOON_S = 0.1;

/**
 * @param {Of<'calm' | 'failed' | 'good' | 'moments' | 'seen' | 'service'>} step
 * @param {string} to  whom the service asked afterwards
 * @returns {import('./follow.js').Through | null} null where as many stood there in calm seconds too
 */
export function missedBefore({ seen, service, failed, good, moments, calm }, to) {
  const { began, over, kind, sign } = seen;
  if (good.length < GOOD_LEAST) return null;
  const calls = seen.onEdge(service, to);
  // Those of a wave that nobody waits for any more go on into calm seconds.
  const before = calm.filter((at) => at < moments[0]);
  const [now, usual] = [moments, before.length > 0 ? before : calm].map((times) =>
    times.length === 0 ? 0 : middle(countsAt(seen, calls, seen.waited, times)),
  );
  if (now < TOGETHER_TIMES * Math.max(1, usual)) return null;
  const standing = calls.filter((call) => upTo(moments, seen.waited[call]) > upTo(moments, began[call]));
  for (const store of seen.calleesOf(service).filter((one) => one !== to)) {
    const something = somethingOf(seen, service, store);
    const misses = seen
      .onEdge(service, store)
      .filter((call) => something.has(kind[call]) && sign[call] === GOOD && isNothing(seen.calls[call]));
    const begins = misses.map((call) => began[call]);
    const ends = misses.map((call) => over[call]);
    const part = (/** @type {number[]} */ all) => share(withOneAfter(seen, all, begins), all.length);
    const [goodPart, theirs] = [part(good), part(failed)];
    // Others may not have come so far as to ask anybody.
    const first = share(withOneBefore(seen, standing, ends), standing.length);
    if (Math.max(theirs, first) < MISSED_SHARE || goodPart > Math.max(theirs, first) * GOOD_PART) continue;
    const size = middle([...kindsOf(seen, misses)].flatMap((one) => something.get(one) ?? []));
    return {
      text: `${store} had had nothing for them`,
      evidence: `${capital(store)} had nothing ${theirs < MISSED_SHARE ? `before ${percent(first)} of the calls that stood at ${to}` : `for ${percent(theirs)} of the failed requests in ${service}`}, and for ${percent(goodPart)} of the good ones; what it has is ${counted(size)} bytes long. ${few(now)} calls stood at ${to} at once, ${few(usual)} in calm seconds.`,
    };
  }
  return null;
}

/**
 * One to one, by the time alone: where many come at once the joins mix them up.
 * @param {Step['seen']} seen @param {number[]} requests  as they began @param {number[]} times  in their order @returns {number} requests that one came soon after
 */
function withOneAfter({ began }, requests, times) {
  let [count, next] = [0, 0];
  for (const request of requests) {
    while (next < times.length && times[next] < began[request]) next += 1;
    if (next === times.length || times[next] - began[request] > SOON_S) continue;
    count += 1;
    next += 1;
  }
  return count;
}

/** The same of what came before. @param {Step['seen']} seen @param {number[]} calls  as they began @param {number[]} times @returns {number} */
function withOneBefore({ began }, calls, times) {
  let [count, next] = [0, 0];
  const inOrder = ascending(times);
  for (const call of calls) {
    while (next < inOrder.length && inOrder[next] < began[call] - SOON_S) next += 1;
    if (next === inOrder.length || inOrder[next] > began[call]) continue;
    count += 1;
    next += 1;
  }
  return count;
}

/** @param {Step['seen']['calls'][number]} call */
const isNothing = ({ answered_bytes: bytes }) => bytes <= NOTHING_MOST_BYTES;

/** What it has for those that ask, by kind; kinds that are never answered with more than nothing are left out. @param {Step['seen']} seen @param {string} from @param {string} to @returns {Map<string, number>} bytes */
function somethingOf({ kind, sign, calls, onEdge }, from, to) {
  const sizes = grouped(
    onEdge(from, to).filter((call) => sign[call] === GOOD),
    (call) => kind[call],
  );
  const largest = [...sizes].map(
    ([one, own]) =>
      /** @type {const} */ ([
        one,
        spread(
          own.map((call) => calls[call].answered_bytes),
          HIGH,
        ),
      ]),
  );
  return new Map(largest.filter(([, bytes]) => bytes >= SOMETHING_TIMES * NOTHING_MOST_BYTES));
}
