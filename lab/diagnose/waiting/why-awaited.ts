/**
 * Did it wait in a blocking read for what another client gives its callee (an element of a list, a message)? Such a read ends well when something is
 * given, and when its own time is up. So good requests have one that ended as that other client gave something, and failed ones have one that
 * nothing ended.
 */

import { grouped } from '../../base/values.ts';
import { upTo } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { GOOD_LEAST } from './asked.ts';
import { awaiting } from './awaiting.ts';
import { reasonOf } from './choose.ts';
import type { Seen } from './seen.ts';
import { share } from './spread.ts';
import type { Step, Why } from './step.ts';
import { asked, counted, few, percent, seconds } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { isSent, takerAway, takerGone, takersOf } from './why-push.ts';

/** Of the failed, and of the good. The lab's own choices, as are the numbers below. */
const READ_SHARE = 0.8;
/** Of its request's time, that the read of a failed one takes. */
const READ_PART = 0.8;
/** Of the reads of good requests, that ended as it gave something; and at most of those of the failed. */
const GIVEN_SHARE = 0.8;
const GIVEN_MOST = 0.2;
/** Between what is given and the end of the read that waited for it. */
const AT_ONCE_S = 0.02;
/** More tell no more. */
const GOOD_MOST = 2000;
/** Of what is given back, of all that was delivered; and at most before. */
const BACK_SHARE = 0.8;
const BACK_MOST = 0.2;

export function notGiven(step: Step): Why | null {
	const { seen, service, path, failed, good } = step;
	const goods = some(good, GOOD_MOST);
	if (goods.length < GOOD_LEAST) return null;
	for (const to of seen.calleesOf(service).filter((name) => name !== service && !path.includes(name))) {
		const reads = readsOn(seen, service, to);
		if (reads.length === 0) continue;
		const used: Set<number> = new Set();
		const lost = readsIn(seen, reads, failed, READ_PART, used);
		const well = readsIn(seen, reads, goods, 0, used);
		if (lost.length < READ_SHARE * failed.length || well.length < READ_SHARE * goods.length) continue;
		// Who was asked for nothing has nothing to give.
		const asks = (requests: number[], at: string) =>
			share(requests.filter((one) => isSent(seen, one, service, at)).length, requests.length);
		const others = seen.calleesOf(service).filter((name) => name !== to && asks(goods, name) >= READ_SHARE);
		if (others.some((name) => asks(failed, name) < READ_SHARE)) continue;
		const why = whoGives(step, to, { lost, well });
		if (why !== null) return why;
	}
	return null;
}

const readsOn = (seen: Seen, from: string, to: string) => seen.onEdge(from, to).filter((call) => seen.calls[call].role === 'wait');

/**
 * One for each request, that began and ended in its life.
 * @param part of its time, that the read takes at least
 * @param used is changed
 */
function readsIn({ began, over }: Seen, reads: number[], requests: number[], part: number, used: Set<number>): number[] {
	const begins = reads.map((call) => began[call]);
	return requests.flatMap((request) => {
		for (let at = upTo(begins, began[request]); at < reads.length && begins[at] <= over[request]; at += 1) {
			const read = reads[at];
			const isIn = over[read] <= over[request] && over[read] - began[read] >= part * (over[request] - began[request]);
			if (!isIn || used.has(read)) continue;
			used.add(read);
			return [read];
		}
		return [];
	});
}

function whoGives(step: Step, to: string, { lost, well }: { lost: number[]; well: number[] }): Why | null {
	const { seen, service, failed, time } = step;
	const { began, over } = seen;
	const isGiven = (given: number[]) => {
		const begins = given.map((call) => began[call]);
		return (read: number) => upTo(begins, over[read] + AT_ONCE_S) > upTo(begins, over[read] - AT_ONCE_S);
	};
	const [taker] = takersOf({ seen, service }, to, ({ sent }) => {
		const ends = isGiven(sent);
		return share(well.filter(ends).length, well.length) >= GIVEN_SHARE && share(lost.filter(ends).length, lost.length) <= GIVEN_MOST;
	});
	if (taker === undefined) return null;
	const { name, names, sent } = taker;
	const its = { ...step, service: name };
	const whys = [
		takerAway(step, to, taker),
		takerGone(step, to, taker),
		givenBack(step, taker),
		throttled(its),
		busy(its),
		awaiting(step, to, taker),
	];
	const during = sent.filter((call) => began[call] >= time.from && began[call] <= time.to).length;
	const [kind = ''] = [...grouped(sent, (call) => seen.kind[call]).keys()];
	const took = lost.map((read) => over[read] - began[read]).sort((one, other) => one - other)[Math.floor(lost.length / 2)];
	const why = reasonOf(whys) ?? {
		mechanism: 'hung' as const,
		title: `gave ${to} nothing for which these requests waited (${asked(kind)})`,
		basis: 'inferred' as const,
		evidence: [],
	};
	return {
		...why,
		place: why.place ?? { service: name, edge: { from: name, to } },
		evidence: [
			`${service} waited at ${to} (${asked(seen.kind[lost[0]])}) ${seconds(took)} for each of ${percent(share(lost.length, failed.length))} of these requests, and nothing came. For good ones it ended as ${names.toSorted().join(', ')} gave ${to} something (${asked(kind)}).`,
			`${name} did that ${counted(sent.length)} times, ${counted(during)} of them while requests failed.`,
			...why.evidence,
		],
		doubts: [...(why.doubts ?? []), `that ${name} was to give what did not come is inferred from the good requests`],
	};
}

/** Nearly all that a broker delivers to it, it gives back: that comes again, and what stands behind it has no turn. */
function givenBack({ seen, time }: Step, { name, names }: { name: string; names: string[] }): Why | null {
	const { calls, began, lineOf } = seen;
	const delivered = [...calls.keys()].filter((call) => calls[call].role === 'push' && names.includes(lineOf(call)?.from ?? ''));
	for (const [broker, own] of grouped(delivered, (call) => lineOf(call)?.to ?? '')) {
		const isBack = (call: number) => calls[call].code === 'NACK';
		const first = own.filter(isBack).reduce((least, call) => Math.min(least, began[call]), Number.POSITIVE_INFINITY);
		const [before, since] = [
			own.filter((call) => began[call] < first),
			own.filter((call) => began[call] >= first && began[call] <= time.to),
		];
		const back = since.filter(isBack).length;
		if (back < GOOD_LEAST || back < BACK_SHARE * since.length || first > time.to) continue;
		const usual = share(before.filter(isBack).length, before.length);
		if (usual > BACK_MOST) continue;
		const second = few(Math.max(0, Math.round(first - seen.load.from)));
		return {
			mechanism: 'deliveries-returned',
			title: `gave back ${counted(back)} of the ${counted(since.length)} messages that ${broker} delivered to it from second ${second} on`,
			basis: 'inferred',
			place: { service: name, edge: { from: name, to: broker } },
			evidence: [
				`Until second ${second} ${name} acknowledged ${counted(before.length)} messages of ${broker}. Then it refused ${counted(back)} of ${counted(since.length)} (NACK): a message that is queued again comes again, and the others wait behind it.`,
			],
		};
	}
	return null;
}
