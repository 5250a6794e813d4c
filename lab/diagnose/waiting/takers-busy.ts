/** Is who should do the work busy with what it has? Then it fetches no more of what waits at whom both ask. */

import { upTo } from '../../stats/numbers.ts';
import { ownLocksTo } from './own-locks.ts';
import type { Seen } from './seen.ts';
import { middle, poolAt } from './spread.ts';
import { CALM_LEAST, type Of, type Why } from './step.ts';
import { counted, few, seconds, things } from './text.ts';
import { isIdle } from './why-few.ts';
import { takersOf } from './why-push.ts';

/**
 * Calls stand in a service that has nothing to do, and whoever fetches work from it, who waits there in calm seconds, asks it for none: a queue
 * answers when a taker has done the work. Where several calls are fetched by turns no decoder has to read them.
 */
export function takersBusy(step: Of<'calm' | 'caller' | 'failed' | 'moments' | 'path' | 'seen' | 'service', 'quotas' | 'use'>): Why | null {
	const { seen, service, caller, calm, failed, moments, path } = step;
	if (calm.length < CALM_LEAST || !isIdle(step)) return null;
	const isOnWay = (name: string) => path.includes(name) || seen.calleesOf(caller).includes(name);
	for (const { name, names, sent } of takersOf({ seen, service: caller }, service, ({ sent }) => sent.length > 0)) {
		const [now, before] = [fetchedAt(seen, names, service, moments), fetchedAt(seen, names, service, calm)];
		// Who keeps a transaction open fetches nothing, and neither does who keeps tables locked.
		const isLocking = ownLocksTo(seen, service).some(
			({ from, to, line, isOfTables }) => isOfTables && names.includes(line.from) && upTo(moments, to) > upTo(moments, from),
		);
		const isFetching = now.total > 0 && now.held === 0 && !isLocking && before.asking >= FREE_PART * before.total;
		if (names.some(isOnWay) || !isFetching || now.asking > BUSY_PART * now.total) continue;
		const { took_s: took, questions } = workOf(seen, names, service, moments);
		const { took_s: usual } = workOf(seen, names, service, calm);
		// Each came back for more: who ended, or was done for good, is none whom the others wait for.
		if (took === null || questions < now.total || took < LONGER_TIMES * (usual ?? 0)) continue;
		return {
			mechanism: 'workers-taken',
			title: `worked on what it had fetched from ${service} on ${Math.round(now.total) === 1 ? 'its one connection' : `all its ${things(Math.round(now.total), 'connection')}`} there, and fetched nothing else`,
			basis: 'timed',
			place: { service: name, edge: { from: name, to: service } },
			evidence: [
				`${names.join(', ')} had ${things(Math.round(now.total), 'connection')} to ${service}, and waited there for work on ${few(now.asking)} of them while requests failed, in calm seconds on ${few(before.asking)}.`,
				`From an answer to its next question it took ${seconds(took)} then${usual === null ? '' : `, and ${seconds(usual)} in calm seconds`}; it asked ${counted(sent.length)} times in all.`,
				`${counted(failed.length)} calls of ${caller} waited in ${service}, which was idle.`,
			],
			doubts: [`that ${caller} waited for what ${names.join(', ')} does is inferred: both ask ${service}, and nobody else was busy`],
		};
	}
	return null;
}
/** Of the connections on which it fetches work: so few wait for some when it is busy, so many when it is not. */
const BUSY_PART = 0.1;
const FREE_PART = 0.3;
/** As long for one piece of work as in calm seconds. The lab's own choice, as for slowness (step.ts). */
const LONGER_TIMES = 3;

function fetchedAt(seen: Seen, names: string[], to: string, moments: number[]) {
	const pools = names.map((name) => poolAt(seen, name, to, moments));
	return {
		total: pools.reduce((sum, { total }) => sum + total, 0),
		asking: pools.reduce((sum, { states }) => sum + states.asking, 0),
		held: pools.reduce((sum, { states }) => sum + states.held, 0),
	};
}

/**
 * From an answer to its next question on the same connection, as it goes on at some moments. Who asks no more has ended, or has something else to do.
 * @returns took_s: as a middle; questions: with which such times ended
 */
function workOf(seen: Seen, names: string[], to: string, moments: number[]): { took_s: number | null; questions: number } {
	const { began, over } = seen;
	let questions = 0;
	const spans = names
		.flatMap((name) => seen.lines(name, to))
		.flatMap(({ calls }) =>
			calls.slice(1).flatMap((next, index) => {
				const length = upTo(moments, began[next]) - upTo(moments, over[calls[index]]);
				if (length > 0) questions += 1;
				// At each moment: a long one counts as often as it lasts.
				return Array(Math.max(0, length)).fill(began[next] - over[calls[index]]);
			}),
		);
	return { took_s: spans.length === 0 ? null : middle(spans), questions };
}
