/**
 * Did its calls stand in one line? On a connection that is shared, and whose answers come in the order of the questions, what is sent behind a
 * call that waits on purpose waits for its end too.
 */

import { leading } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { kindsOf, middle, mostFirst, share } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { asked } from './text.ts';
import { tell } from './writing.ts';

const MOMENTS_MOST = 100;

/** A line is not looked at further back. */
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
const ALONE_TIMES = 5;
const ALONE_LEAST = 20;

export function behindOne(step: Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'waiting'>): Why | null {
	const { seen, service, path } = step;
	const callees = seen.calleesOf(service).filter((to) => to !== service && !path.includes(to));
	return callees.map((to) => behindOn(step, to)).find((why) => why !== null) ?? null;
}

function behindOn(
	{ seen, service, moments, calm, waiting }: Of<'calm' | 'moments' | 'seen' | 'service' | 'waiting'>,
	to: string,
): Why | null {
	const { began, over, kind } = seen;
	const looked = some(moments, MOMENTS_MOST);
	const rows = looked.map((at) => rowsAt(seen, service, to, at));
	const blocked = rows.filter((lines) => lines.length > 0);
	if (share(blocked.length, looked.length) < BLOCKED_SHARE) return null;
	const lines = blocked.flat();
	const [[name, own]] = mostFirst(lines, ({ first }) => kind[first]);
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
	const [theirs, isBehind] = [kindsOf(seen, behind), new Set(behind)];
	const took = (calls: number[]) => middle(calls.map((call) => over[call] - began[call]));
	const alone = seen.onEdge(service, to).filter((call) => theirs.has(kind[call]) && kind[call] !== name && !isBehind.has(call));
	if (alone.length < ALONE_LEAST || took(alone) * ALONE_TIMES > took(behind)) return null;
	return {
		mechanism: 'held-by-one',
		title: tell('held-by-one', 'line', { to, kind: asked(name) }),
		basis: 'counted',
		place: { service, edge: { from: service, to } },
		evidence: [
			tell('held-by-one', 'behind', { service, to, kind: asked(name), part: share(blocked.length, looked.length), usual, mean }),
			tell('held-by-one', 'with', {
				...{ firsts: firsts.length, took: took(firsts), part: share(withFirst.length, ended.length), within: WITH_S },
			}),
			tell('held-by-one', 'alone', { took: took(alone) }),
		],
	};
}

/** @returns of connections on which several calls wait for an answer */
function rowsAt(seen: Step['seen'], from: string, to: string, at: number): { first: number; behind: number[] }[] {
	const { began, waited } = seen;
	return seen.lines(from, to).flatMap(({ calls }) => {
		const begun = leading(calls, (call) => began[call] <= at);
		const going = calls.slice(Math.max(0, begun - LINE_MOST), begun).filter((call) => waited[call] > at && !seen.isAttempt(call));
		return going.length < 2 ? [] : [{ first: going[0], behind: going.slice(1) }];
	});
}
