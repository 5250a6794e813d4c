/**
 * Which services pass requests on as they are, as a reverse proxy does, whatever program they run: for each request that such a service
 * answers well it asks another the same, and gives the answer of that one. Pure.
 */

import { isIn, unionOf } from './need.ts';
import type { Tenure } from './record.ts';
import type { Question, TracedConnection } from './tenancy.ts';

/** Requests from which on it is known: the probe sends each of its URLs so often. */
const REQUESTS_LEAST = 3;
/** Of the requests, and of what is asked within them: a proxy has pages of its own, and checks its servers. */
const PASSED_SHARE = 0.95;
/** Where only one page was asked for, its answer is known as another's by its size: so long at least, and as long but for headers. */
const TELLING_BYTES = 2048;
const HEADERS_BYTES = 300;
/** From this status on nobody knew the page: a proxy has a word of its own for what it passes to none, and an app one for all. */
const UNKNOWN_PAGE = 400;
/** Times are of one clock, and rounded. */
const NEAR_S = 0.000_01;

/** @returns services */
export function passersOf(traced: TracedConnection[]): Set<string> {
	const services: Map<string, Map<string, { asked: Question[]; asking: Question[] }>> = new Map();
	const add = (end: Tenure | null, side: 'asked' | 'asking', calls: Question[]) => {
		if (end === null || calls.length === 0) return;
		const containers = services.get(end.service) ?? new Map();
		const own = containers.get(end.name) ?? { asked: [], asking: [] };
		// What went wrong a proxy answers by itself.
		for (const question of calls) if (question.call?.end === 'answered' && !question.call.bad) own[side].push(question);
		services.set(end.service, containers.set(end.name, own));
	};
	for (const { from, to, calls } of traced) {
		if (from !== null && from.service === to?.service) continue;
		add(from, 'asking', calls);
		add(to, 'asked', calls);
	}
	return new Set([...services].flatMap(([service, containers]) => (isPassing([...containers.values()]) ? [service] : [])));
}

/** @param containers of one service */
function isPassing(containers: { asked: Question[]; asking: Question[] }[]) {
	const pairs = containers.flatMap(pairsIn);
	const passed = new Set(pairs.map(({ to }) => to));
	const asked = containers.flatMap((own) => own.asked.filter((to) => passed.has(to) || Number(to.call?.status) < UNKNOWN_PAGE));
	if (asked.length < REQUESTS_LEAST) return false;
	const within = containers.reduce((sum, own) => sum + countWithin(own), 0);
	const isMost = pairs.length >= asked.length * PASSED_SHARE && pairs.length >= within * PASSED_SHARE;
	const pages = new Set(pairs.map(({ to }) => to.call?.template));
	return isMost && (pages.size > 1 || pairs.every(isAsLong));
}

/** Each request with the question within it that asks the same and is answered the same. */
function pairsIn({ asked, asking }: { asked: Question[]; asking: Question[] }) {
	const open: Map<string, { from: number; questions: Question[] }> = new Map();
	for (const question of asking.toSorted(byBegin)) {
		const kind = kindOf(question);
		const own = open.get(kind) ?? { from: 0, questions: [] };
		own.questions.push(question);
		open.set(kind, own);
	}
	return asked.toSorted(byBegin).flatMap((to) => {
		const own = open.get(kindOf(to));
		if (own === undefined || !to.call?.template) return [];
		while (own.from < own.questions.length && own.questions[own.from].from < to.from - NEAR_S) own.from += 1;
		const from = own.questions[own.from];
		if (from === undefined || from.to > to.to + NEAR_S) return [];
		own.from += 1;
		return [{ from, to }];
	});
}

const byBegin: (one: Question, other: Question) => number = (one, other) => one.from - other.from;

const kindOf = ({ call }: Question) => JSON.stringify([call?.verb, call?.template, call?.status]);

function countWithin({ asked, asking }: { asked: Question[]; asking: Question[] }) {
	const spans = unionOf(asked);
	return asking.filter(({ from }) => isIn(from, spans)).length;
}

function isAsLong({ from, to }: { from: Question; to: Question }) {
	const [got, given] = [from.call?.answered_bytes ?? 0, to.call?.answered_bytes ?? 0];
	return got >= TELLING_BYTES && Math.abs(got - given) <= HEADERS_BYTES;
}
