/**
 * Requests are conserved: what one tier sent, the next received, or it was lost on the way. The edges between the tiers, and
 * whether their counts add up.
 */

import type { Stage } from '../../../k6/lib/shapes.js';
import { ownOf } from '../../base/values.ts';
import type { Ledger } from '../../record/types.js';
import { sum } from '../../stats/numbers.ts';
import type { Raw } from '../read-raw.ts';
import { wasAborted } from '../time/load-end.ts';
import type { Facts } from './facts.ts';
import type { Hop, Seen } from './hops.ts';
import type { PlacedTrace } from './ledger.ts';

/** Counts of different tiers may differ by this share: requests that crossed the load's edges. */
const TOLERANCE = 0.001;
/** A tier writes its record once a second; one that ended by itself took its last lines with it. */
const UNWRITTEN_S = 2.5;
/** What k6 did not wait for to the end; the tiers may still have answered it. */
const WAITED = new Set(['timeout', 'unanswered', 'cut_at_end']);

type Check = Ledger['checks'][number];

/** What the two ends of each connection say of the requests between them, and how many the callee never saw. */
export function edgesOf(facts: Facts, hops: Map<string, Hop>, all: PlacedTrace[]): Ledger['edges'] {
	// An attempt may be lost of a request that was answered well in the end.
	const seen = [...all.map(({ trace }) => trace), ...facts.retried];
	const edges = facts.edges.filter(({ from, to }) => hops.has(from) && hops.has(to));
	return edges.map(({ from, to }) => {
		const [caller, callee] = [hops.get(from) as Hop, hops.get(to) as Hop];
		// What has several callers, and cannot tell them apart, has no count for one of them.
		const shared = callee.saw === null && edges.filter((edge) => edge.to === to).length > 1;
		const sent = caller.sentTo(to);
		return {
			from,
			to,
			sent,
			sent_source: caller.sent_source,
			received: shared ? null : callee.counts.received,
			received_source: shared ? `${callee.received_source}, of all its callers together` : callee.received_source,
			unseen: sent === null ? null : unseenAt(caller, callee, to, seen),
		};
	});
}

/** What the caller sent there, and the callee has no record of. */
function unseenAt({ asked }: Hop, { saw }: Hop, to: string, seen: Seen[]): number | null {
	if (asked === null || saw === null) return null;
	return sum(seen.map((request) => Math.max(0, asked(request, to) - saw(request))));
}

/** @param edges as they have been counted */
export function checksOf(facts: Facts, hops: Map<string, Hop>, edges: Ledger['edges'], all: PlacedTrace[]): Ledger['checks'] {
	const { generator, raw } = facts;
	// A program's counts are all its own; what it left in its files is checked beside them.
	if (raw.program) return [];
	const gaveUp = all.filter(({ trace }) => WAITED.has(trace.kind));
	const allowed = unended(facts, gaveUp) + unwritten(facts) + cutOff(raw);
	return [
		check(
			`${generator.name}: successful plus failed requests equal the finished requests`,
			generator.ok + generator.failed,
			generator.finished,
			0,
		),
		check(`${generator.name}: each failed request has a status or an error code`, all.length, generator.failed, 0),
		...edges.flatMap(({ from, to, sent, received, unseen }) => {
			if (sent === null || received === null || unseen === null || !hops.get(from)?.isComplete || !hops.get(to)?.isComplete) return [];
			// Where a connection that it has used before breaks before an answer, k6's HTTP client asks again, and k6 counts that once.
			const again = from === generator.name ? (ownOf(facts.repeated, to) ?? 0) : 0;
			const what = again > 0 ? 'sent, also again,' : 'sent';
			return [
				check(
					`requests that ${from} ${what} = requests that ${to} received + requests without a record there`,
					received + unseen,
					sent + again,
					allowed,
				),
			];
		}),
		...commonNameChecks(facts, hops, all, allowed),
		...goodAnswerChecks(facts, hops, all, allowed),
		// Of what a user gave up on nothing says whether it was a create or a delete.
		...databaseChecks(facts, gaveUp.length + unwritten(facts)),
	];
}

/** Of containers that were asked by one name: all of them together. */
function commonNameChecks(facts: Facts, hops: Map<string, Hop>, all: PlacedTrace[], allowed: number): Check[] {
	const seen = [...all.map(({ trace }) => trace), ...facts.retried];
	return [...hops].flatMap(([from, { asked_by_name: common = [], sentToAll, asked }]) =>
		common.flatMap((name) => {
			const callees = facts.replicas.get(name) ?? [];
			const received = callees.map((to) => (hops.get(to)?.isComplete ? (hops.get(to)?.counts.received ?? null) : null));
			if (received.includes(null) || !sentToAll || !asked) return [];
			const unseen = sum(seen.map((request) => asked(request, name)));
			return [
				check(
					`what ${from} sent to ${name}, ${callees.join(', ')} received or have no record of`,
					sum(received) + unseen,
					sentToAll(name),
					allowed,
				),
			];
		}),
	);
}

/** Of each tier that asks others: what they answered well, it had as good answers, or it had stopped waiting for them. */
function goodAnswerChecks(facts: Facts, hops: Map<string, Hop>, all: PlacedTrace[], allowed: number): Check[] {
	const seen = [...all.map(({ trace }) => trace), ...facts.retried];
	return [...hops].flatMap(([from, { good, had }]) => {
		const asked = facts.edges.filter((edge) => edge.from === from).map(({ to }) => to);
		const callees = asked.flatMap((to) => hops.get(to) ?? []);
		if (callees.length < asked.length || callees.some(({ isComplete }) => !isComplete)) return [];
		const answered = callees.map(({ counts }) => counts.answered_ok);
		if (good === null || had === null || asked.length === 0 || answered.includes(null)) return [];
		const missed = sum(seen.map((request) => Math.max(0, sum(callees.map((callee) => callee.answered?.(request) ?? 0)) - had(request))));
		return [
			check(
				`successful answers of ${asked.join(', ')} = those that ${from} received + those that ${from} had given up on`,
				sum(answered),
				good + missed,
				allowed,
			),
		];
	});
}

function databaseChecks(facts: Facts, edge: number): Check[] {
	const { generator, workers, database } = facts;
	const isQueued = Object.keys(workers).length > 0;
	const nodes = isQueued ? workers : facts.nodes;
	const there = sum(Object.values(nodes).map((node) => node.own.stored_already ?? 0));
	const nodeOk = sum(Object.values(nodes).map((node) => node.answered['2xx'] ?? 0));
	const checks = [];
	if (database.inserts !== null) {
		const failedAtNodes = sum(Object.values(nodes).flatMap((node) => Object.values(node.errors)));
		const aborted = sum(Object.values(nodes).map((node) => node.aborted));
		const allowed = failedAtNodes + aborted + unwritten(facts);
		// Where every good answer is a document the nodes' own count decides, which knows of answers that never arrived.
		const everyAnswer = generator.created === generator.ok;
		const each = isQueued ? `write that ${Object.keys(workers).join(', ')} did` : `good answer${everyAnswer ? '' : ' to a create'}`;
		const statement = `${facts.store.title} inserted one document for each ${each}`;
		checks.push(
			check(statement, database.inserts, everyAnswer || isQueued ? nodeOk : generator.created, allowed + (everyAnswer ? 0 : edge)),
		);
	}
	if (database.deletes !== null && generator.deleted > 0)
		checks.push(
			check(`${facts.store.title} deleted one document for each good answer to a delete`, database.deletes, generator.deleted, edge),
		);
	if (database.documents !== null && database.inserts !== null) {
		const kept = database.inserts - (database.deletes ?? 0) - there;
		const less = [...(database.deletes ? ['what it deleted'] : []), ...(there > 0 ? ['what was there already'] : [])];
		const statement = `${facts.store.title} stored what it inserted${less.length > 0 ? `, less ${less.join(' and ')}` : ''}`;
		checks.push(
			check(
				statement,
				database.documents,
				kept,
				unwritten(
					facts,
					facts.databases.map(({ name }) => name),
				),
			),
		);
	}
	return checks;
}

/** Of what users gave up on, that which a tier was still at work on when its record ended: one may count it and the next not. */
const unended: (facts: Facts, gaveUp: PlacedTrace[]) => number = ({ window }, gaveUp) =>
	gaveUp.filter(
		({ trace: { t, attempts, late } }) => t > window.to - UNWRITTEN_S || [...attempts, ...late].some(({ ended }) => ended === null),
	).length;

/** Where k6 aborted the load it took each of its users away, maybe from a request that nobody told of. */
const cutOff = ({ manifest: { shape }, ending: { said } }: Raw) =>
	wasAborted(said) ? (shape.usersMost ?? Math.max(0, ...shape.stages.map(targetOf))) : 0;

const targetOf = ({ target }: Stage) => target;

/** What ends took from records: those of all services, or of some. */
function unwritten({ restarts, snapshots, entryProxy }: Facts, names?: (string | null)[]) {
	const busiest = Math.max(0, ...snapshots.map(({ metrics }) => metrics.lab_finished?.count ?? 0));
	const ends =
		names === undefined
			? restarts.length + (entryProxy?.said['worker-died']?.count ?? 0)
			: restarts.filter(({ name }) => names.includes(name)).length;
	return ends * UNWRITTEN_S * busiest;
}

function check(statement: string, left: number, right: number, allowed: number): Check {
	const mayDiffer = Math.floor(allowed + TOLERANCE * Math.max(left, right));
	return { statement, left, right, may_differ: mayDiffer, holds: Math.abs(left - right) <= mayDiffer };
}
