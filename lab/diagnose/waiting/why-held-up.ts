/** Did one kind of call hold all others up? Nobody is answered while calls wait, and such a one stands first. */

import { grouped } from '../../base/values.ts';
import { ascending, leading } from '../../stats/numbers.ts';
import { TURN } from '../../wire/turns.ts';
import { once } from './seen.ts';
import { share, spread, stretchesOf } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { asked, capital, counted, percent, seconds } from './text.ts';
import { MOST } from './why-hung.ts';

/** A stretch without an answer while somebody waits. Ten times what a quick server needs for a slow answer. */
const JAM_S = 0.15;
/** Of the time in which the failed waited. */
const JAMMED_SHARE = 0.2;
/** Of the jams: share of time that a kind was first in them, and how many times its share of calls. */
const FIRST_SHARE = 0.3;
const FIRST_TIMES = 3;
const FIRST_BEFORE_S = 0.5;
const CLOCK_S = 0.0005;
const ENDING_S = 0.03;

export function heldByOne({
	seen,
	service,
	failed,
	time,
	took_s: took,
}: Of<'failed' | 'seen' | 'service' | 'time' | 'took_s'>): Why | null {
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

/** Of a call that is not read its asker is all that tells it from others. */
const kindIn = ({ kind, from }: Step['seen'], call: number) => (kind[call] === TURN ? `a call of ${from[call]}` : kind[call]);

function jamsOf(seen: Step['seen'], service: string, time: { from: number; to: number }): { kind: string; length: number }[] {
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
			if (isInTheWay(seen, service, call, { from, to })) jams.push({ kind: kindIn(seen, call), length: to - Math.max(from, began[call]) });
			break;
		}
	}
	return jams.filter(({ length }) => length >= JAM_S);
}

/**
 * Another's call, or one of another kind, stood for longer than such calls usually take: who is asked for nothing else answers nothing else either.
 * @param first of those that were open in such a stretch
 */
function isInTheWay(seen: Step['seen'], service: string, first: number, { from, to }: { from: number; to: number }) {
	const { began, over, servedBy } = seen;
	const served = servedBy(service);
	const usual = usualByKind(seen, service);
	const isOther = (call: number) => kindIn(seen, call) !== kindIn(seen, first) || seen.from[call] !== seen.from[first];
	for (let at = leading(served, (call) => began[call] < began[first]); at < served.length && began[served[at]] < to - ENDING_S; at += 1) {
		const call = served[at];
		const stood = Math.min(over[call], to) - Math.max(began[call], from);
		if (stood > (usual.get(kindIn(seen, call)) ?? 0) && isOther(call)) return true;
	}
	return false;
}

/** Of answers, the quicker ones: others stood in jams themselves. */
const usualByKind = once((seen, service) => {
	const answered = seen.servedBy(service).filter((call) => seen.calls[call].end === 'answered');
	const took = (calls: number[]) => calls.map((call) => seen.over[call] - seen.began[call]);
	return new Map([...grouped(answered, (call) => kindIn(seen, call))].map(([kind, calls]) => [kind, spread(took(calls), QUICKER)]));
});
const QUICKER = 0.25;

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
