/**
 * On a connection that carries several questions at a time, who gives one up says nothing of it: its answer does not come, and those to later
 * questions do. It was waited for as long as the request went on that it was asked for, and no longer.
 */

import { grouped } from '../../base/values.ts';
import { quantilesOf, upTo } from '../../stats/numbers.ts';
import { newCall } from '../../wire/calls.ts';
import type { WireCall } from '../../wire/record.ts';
import type { Lined } from './joined.ts';
import { TOLERANCE_S } from './rules.ts';

/** Who gives up does so after one time: of fewer that tell it, the request that had begun last is taken. */
const ALONE_LEAST = 3;
/** Requests that had begun before a question, that are looked at: more are seldom under way in one container. */
const LOOKED_AT_MOST = 256;

/** @returns the same, and where some were given up without a word, these as given up */
export function withSilentlyGivenUp(calls: WireCall[], { lines, lineAt }: Pick<Lined, 'lines' | 'lineAt'>): WireCall[] {
	const lastAnswered = new Float64Array(lines.length).fill(Number.NEGATIVE_INFINITY);
	for (let index = 0; index < calls.length; index += 1) {
		const { role = 'call', end, began_at: at } = calls[index];
		if (lineAt[index] >= 0 && role === 'call' && end === 'answered')
			lastAnswered[lineAt[index]] = Math.max(lastAnswered[lineAt[index]], at);
	}
	const isSilent = (index: number) =>
		lineAt[index] >= 0 &&
		isUnanswered(calls[index], lines[lineAt[index]].connection) &&
		lastAnswered[lineAt[index]] > calls[index].began_at;
	const silent = grouped([...calls.keys()].filter(isSilent), (index) => lines[lineAt[index]].from);
	if (silent.size === 0) return calls;
	const ended = calls.slice();
	for (const [name, own] of silent) {
		const requests = calls
			.filter(
				({ role = 'call', ended_at: over }, index) =>
					role === 'call' && over !== null && lineAt[index] >= 0 && lines[lineAt[index]].to === name,
			)
			.map(({ began_at: from, ended_at: to }) => ({ from, to: to as number }))
			.sort((one, other) => one.from - other.from);
		for (const [index, at] of endsOf(own, calls, requests)) ended[index] = givenUp(calls[index], at);
	}
	return ended;
}

/** Those of a record are read as they are asked for, so that each field is named. */
function givenUp(
	{ began_at: began, sent_at, sent_bytes, verb, template, id, trace, connection, ended_at: known }: WireCall,
	at: number,
): WireCall {
	const given = { end: 'given-up' as const, by: 'client' as const, ended_at: Math.min(at, known ?? at) };
	return { ...newCall(began), ...{ sent_at, sent_bytes, verb, template, id, trace, connection }, ...given };
}

/** No byte of an answer is missing, and nobody said anything before its connection ended. */
function isUnanswered(
	{ role = 'call', first_at: first, end, ended_at: over, hole }: WireCall,
	{ transport, ended_at: closed }: Lined['lines'][number]['connection'],
) {
	if (role !== 'call' || transport !== 'tcp' || first !== null || hole) return false;
	return end === 'open' || (end === 'given-up' && over !== null && closed !== null && over >= closed);
}

type Request = { from: number; to: number };

/** @param requests as they began */
function endsOf(own: number[], calls: WireCall[], requests: Request[]): [call: number, at: number][] {
	const begins = requests.map(({ from }) => from);
	const found = own.map((call) => ({ call, at: calls[call].began_at, around: aroundOf(requests, begins, calls[call].began_at) }));
	const alone = found.filter(({ around }) => around.length === 1).map(({ at, around: [{ to }] }) => to - at);
	const [usual] = alone.length < ALONE_LEAST ? [] : quantilesOf(alone, [0.5]);
	return found.flatMap(({ call, at, around }) => {
		const far = ({ to }: Request) => Math.abs(to - at - (usual ?? 0));
		const [nearest] = usual === undefined ? around.slice(-1) : around.toSorted((one, other) => far(one) - far(other));
		return nearest === undefined ? [] : [[call, nearest.to] as [number, number]];
	});
}

/** Those that had begun, and were not over. */
function aroundOf(requests: Request[], begins: number[], at: number): Request[] {
	const begun = upTo(begins, at + TOLERANCE_S);
	return requests.slice(Math.max(0, begun - LOOKED_AT_MOST), begun).filter(({ to }) => to > at);
}
