/** Whoever should give others something, what does it wait for itself? */

import { grouped } from '../../base/values.ts';
import { upTo } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { average, countsAt, middle, spread } from './spread.ts';
import type { Step, Why } from './step.ts';
import { few, seconds, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';

/**
 * It waits by itself, at nearly all moments, for a callee that had answered it sooner when it had something to give.
 * @param to who hands on what it gives
 */
export function awaiting(step: Step, to: string, { names }: { names: string[] }): Why | null {
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
		const lengthsOf = (these: number[]) => these.map((call) => waited[call] - began[call]);
		// What it had never asked for may take as long as ever, and so may what took long before.
		const known = new Map([...grouped(good, (call) => seen.kind[call])].map(([kind, calls]) => [kind, middle(lengthsOf(calls))]));
		const going = all.filter((call) => known.has(seen.kind[call]) && upTo(moments, waited[call]) > upTo(moments, began[call]));
		if (average(countsAt(seen, going, waited, moments)) * 2 < average(countsAt(seen, all, waited, moments))) continue;
		const [now, usual] = [middle(lengthsOf(going)), middle(going.map((call) => known.get(seen.kind[call]) ?? 0))];
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
				`Meanwhile ${names.toSorted().join(', ')} waited for ${few(average(countsAt(seen, all, waited, moments)))} answers of ${callee}, ${seconds(now)} for each${isLeft ? ' so far' : ''}, and ${seconds(usual)} for such ones before.`,
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
