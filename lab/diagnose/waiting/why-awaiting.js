/**
 * Whoever should give others something, what does it wait for itself?
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

import { upTo } from '../../stats/numbers.js';
import { GOOD_LEAST } from './asked.js';
import { GOOD } from './seen.js';
import { average, countsAt, middle, spread } from './spread.js';
import { counted, few, seconds, things } from './text.js';
import { busy, throttled } from './why-cpu.js';

/**
 * It waits by itself, at nearly all moments, for a callee that had answered it sooner when it had something to give.
 * @param {Step} step @param {string} to  who hands on what it gives @param {{ names: string[] }} taker @returns {Why | null}
 */
export function awaiting(step, to, { names }) {
  const { seen, service, moments } = step;
  const { began, over, waited, sign, calls } = seen;
  for (const callee of new Set(names.flatMap(seen.calleesOf))) {
    if (callee === to || callee === service || names.includes(callee)) continue;
    const all = names
      .flatMap((name) => seen.onEdge(name, callee))
      .filter((call) => (calls[call].role ?? 'call') === 'call')
      .sort((one, other) => began[one] - began[other]);
    const good = all.filter((call) => sign[call] === GOOD && over[call] < moments[0]);
    if (good.length < GOOD_LEAST || spread(countsAt(seen, all, waited, moments), LOW) < 1) continue;
    const going = all.filter((call) => upTo(moments, waited[call]) > upTo(moments, began[call]));
    const lengthsOf = (/** @type {number[]} */ these) => these.map((call) => waited[call] - began[call]);
    const [now, usual] = [middle(lengthsOf(going)), middle(lengthsOf(good))];
    if (now < SLOWER_TIMES * usual || now < SLOWER_LEAST_S) continue;
    const left = going.filter((call) => calls[call].end === 'open').length;
    const its = throttled({ ...step, service: callee }) ?? busy({ ...step, service: callee });
    const [name] = names;
    const isLeft = left * 2 > going.length;
    return {
      ...(its ?? {
        mechanism: null,
        title: isLeft
          ? `left ${things(left, 'call')} of ${name} unanswered, which gave ${to} less meanwhile`
          : `took ${seconds(now)} for each call of ${name}, which gave ${to} less meanwhile`,
      }),
      basis: 'inferred',
      place: { service: callee, edge: { from: name, to: callee } },
      evidence: [
        `Meanwhile ${names.toSorted().join(', ')} waited for ${few(average(countsAt(seen, all, waited, moments)))} answers of ${callee}, ${seconds(now)} for each${isLeft ? ' so far' : ''}, and ${seconds(usual)} for the ${counted(good.length)} calls before.`,
        ...(its?.evidence ?? []),
      ],
    };
  }
  return null;
}
/** As slownessOf has it. */
const SLOWER_TIMES = 3;
const SLOWER_LEAST_S = 0.05;
const LOW = 0.1;
