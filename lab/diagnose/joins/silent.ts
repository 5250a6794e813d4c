/**
 * On a connection that carries several questions at a time, who gives one up says nothing of it: its answer does not come, and those to later
 * questions do. It was waited for as long as the request went on that it was asked for, and no longer.
 *
 *
 * @import { WireCall } from '../../wire/record.ts'
 * @import { Lined } from './joined.ts'
 */

import { grouped } from '../../base/values.ts';
import { quantilesOf, upTo } from '../../stats/numbers.ts';
import { newCall } from '../../wire/calls.ts';
import { TOLERANCE_S } from './rules.ts';

/** Who gives up does so after one time: of fewer that tell it, the request that had begun last is taken. */
const ALONE_LEAST = 3;
/** Requests that had begun before a question, that are looked at: more are seldom under way in one container. */
const LOOKED_AT_MOST = 256;

/**
 * @param {WireCall[]} calls
 * @param {Pick<Lined, 'lines' | 'lineAt'>} lined
 * @returns {WireCall[]} the same, and where some were given up without a word, these as given up
 */
export function withSilentlyGivenUp(calls, { lines, lineAt }) {
	const lastAnswered = new Float64Array(lines.length).fill(Number.NEGATIVE_INFINITY);
	for (let index = 0; index < calls.length; index += 1) {
		const { role = 'call', end, began_at: at } = calls[index];
		if (lineAt[index] >= 0 && role === 'call' && end === 'answered')
			lastAnswered[lineAt[index]] = Math.max(lastAnswered[lineAt[index]], at);
	}
	const isSilent = (/** @type {number} */ index) =>
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
			.map(({ began_at: from, ended_at: to }) => ({ from, to: /** @type {number} */ (to) }))
			.sort((one, other) => one.from - other.from);
		for (const [index, at] of endsOf(own, calls, requests)) ended[index] = givenUp(calls[index], at);
	}
	return ended;
}

/** Those of a record are read as they are asked for, so that each field is named. @param {WireCall} call @param {number} at @returns {WireCall} */
function givenUp({ began_at: began, sent_at, sent_bytes, verb, template, id, trace, connection, ended_at: known }, at) {
	const given = { end: /** @type {const} */ ('given-up'), by: /** @type {const} */ ('client'), ended_at: Math.min(at, known ?? at) };
	return { ...newCall(began), ...{ sent_at, sent_bytes, verb, template, id, trace, connection }, ...given };
}

/** No byte of an answer is missing, and nobody said anything before its connection ended. @param {WireCall} call @param {Lined['lines'][number]['connection']} connection */
function isUnanswered({ role = 'call', first_at: first, end, ended_at: over, hole }, { transport, ended_at: closed }) {
	if (role !== 'call' || transport !== 'tcp' || first !== null || hole) return false;
	return end === 'open' || (end === 'given-up' && over !== null && closed !== null && over >= closed);
}

/** @typedef {{ from: number, to: number }} Request */

/** @param {number[]} own @param {WireCall[]} calls @param {Request[]} requests  as they began @returns {[call: number, at: number][]} */
function endsOf(own, calls, requests) {
	const begins = requests.map(({ from }) => from);
	const found = own.map((call) => ({ call, at: calls[call].began_at, around: aroundOf(requests, begins, calls[call].began_at) }));
	const alone = found.filter(({ around }) => around.length === 1).map(({ at, around: [{ to }] }) => to - at);
	const [usual] = alone.length < ALONE_LEAST ? [] : quantilesOf(alone, [0.5]);
	return found.flatMap(({ call, at, around }) => {
		const far = (/** @type {Request} */ { to }) => Math.abs(to - at - (usual ?? 0));
		const [nearest] = usual === undefined ? around.slice(-1) : around.toSorted((one, other) => far(one) - far(other));
		return nearest === undefined ? [] : [/** @type {[number, number]} */ ([call, nearest.to])];
	});
}

/** Those that had begun, and were not over. @param {Request[]} requests @param {number[]} begins @param {number} at @returns {Request[]} */
function aroundOf(requests, begins, at) {
	const begun = upTo(begins, at + TOLERANCE_S);
	return requests.slice(Math.max(0, begun - LOOKED_AT_MOST), begun).filter(({ to }) => to > at);
}
