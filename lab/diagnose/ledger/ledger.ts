/**
 * The ledger: every failed request on one tier and one cause, how each is known, and the counts of every tier beside each
 * other.
 */

import { causes } from '../../record/causes.ts';
import type { Evidence, Failure, Ledger } from '../../record/types.js';
import { many } from '../../stats/figure-words.ts';
import { damagedWire } from '../damage.ts';
import type { Raw } from '../read-raw.ts';
import { placeAll } from '../rules.ts';
import { chainOf } from './chains.ts';
import { checksOf, edgesOf } from './conservation.ts';
import { evidenceOf, ofGenerator } from './evidence.ts';
import type { Facts } from './facts.ts';
import { hopCounts, hopsOf } from './hops.ts';
import { nearMissesOf, slowWorkOf } from './near-misses.ts';
import type { Placement, Trace } from './place.ts';
import { readingsOf, titleOf } from './waited.ts';
import { writesOf } from './writes.ts';

export type PlacedTrace = { trace: Trace; placement: Placement | null };

export function buildLedger(facts: Facts, all: PlacedTrace[] = placeAll(facts)): Ledger {
	const failed = facts.generator.failed;
	const groups = groupsOf(all);
	const reason = unattributedReason(facts, all);
	const failures = groups.map((group) => rowOf(group, facts, failed)).sort((one, other) => other.count - one.count);
	const placed = failures.reduce((total, { count }) => total + count, 0);
	const hops = hopsOf(facts);
	const counts = hopCounts(facts, hops);
	const edges = edgesOf(facts, hops, all);
	const checks = checksOf(facts, hops, edges, all);
	return {
		hops: counts,
		edges,
		failures,
		unattributed: Math.max(0, failed - placed),
		unattributed_reason: reason,
		// What stands with the failures that it is about is no miss.
		near_misses: nearMissesOf(facts, all).filter(
			({ id, service }) => id !== 'slow-work' || !failures.some((row) => isLongWork(row, service)),
		),
		writes: writesOf(facts),
		checks,
	};
}

type Group = { placement: Placement; traces: Trace[]; where: Record<string, number>; why: Record<string, number> };

function groupsOf(all: PlacedTrace[]): Group[] {
	const groups: Map<unknown, Group> = new Map();
	for (const { trace, placement } of all) {
		if (!placement) continue;
		const { tier, service, cause, amplifier, where, why, finding } = placement;
		const key = finding ?? [tier, service, cause, amplifier?.service, amplifier?.cause].join('/');
		const group = groups.get(key) ?? { placement, traces: [], where: {}, why: {} };
		groups.set(key, group);
		group.traces.push(trace);
		group.where[where] = (group.where[where] ?? 0) + 1;
		group.why[why] = (group.why[why] ?? 0) + 1;
	}
	return [...groups.values()];
}

function rowOf(group: Group, facts: Facts, failed: number): Failure {
	const { placement, traces, where, why } = group;
	const { tier, service, cause, amplifier, finding } = placement;
	const { title, ofIt } = finding ? titleOf(finding, cause) : causes[cause];
	const row: Failure = {
		tier,
		service,
		cause,
		cause_title: title,
		count: traces.length,
		share: traces.length / failed,
		rule: causes[cause].rule,
		basis: { where, why },
		amplifier: amplifier && { ...amplifier, cause_title: causes[amplifier.cause].title },
		chain: chainOf(group, facts),
		evidence: finding
			? [...ofGenerator(traces, facts), ...readingsOf(finding), ...longWork({ service, cause }, facts)]
			: evidenceOf(group, facts),
	};
	if (ofIt !== undefined) predicates.set(row, ofIt);
	return row;
}

/** Of the titles of rows, those whose subject is the place, without it: what befell several alike is told once. */
const predicates: WeakMap<Failure, string> = new WeakMap();
export const predicateOf = (row: Failure): string | null => predicates.get(row) ?? null;

/** Causes that are a service's own work, which may say by itself what it took long for. */
const LONG_WORK = new Set(['slow-kind', 'cpu-throttled', 'busy', 'unexplained', 'disk-wait']);
const isLongWork = ({ service: own, cause }: { service: string; cause: string }, service: string) =>
	own === service && LONG_WORK.has(cause);

const longWork = (row: { service: string; cause: string }, facts: Facts): Evidence[] =>
	slowWorkOf(facts)
		.filter(({ service }) => isLongWork(row, service))
		.flatMap(({ text, evidence }) => [{ kind: 'reading' as const, text: `${text}.` }, ...evidence]);

function wireLost(raw: Raw) {
	const lost = damagedWire(raw);
	return lost && `what passed the networks was recorded, and ${lost.path} ${lost.problem}`;
}

/** @returns empty where all are placed */
function unattributedReason({ generator, hops, unlogged, system, raw }: Facts, all: PlacedTrace[]): string {
	const nameless = generator.failed - all.length;
	const open = all.filter(({ placement }) => !placement).map(({ trace }) => trace);
	const seen = [...new Set(open.map(({ status, kind }) => (status > 0 ? `HTTP ${status}` : kind)))];
	const left = nameless > 0 ? `${generator.name} left no id of ${nameless.toLocaleString('en-US')}` : '';
	// What is followed on the wire needs nobody's log.
	const { isFollowed } = system;
	if (isFollowed && raw.wire)
		return [left, seen.length > 0 ? `the wire has no such request, or its kind was not followed (k6 saw ${seen.join(', ')})` : '']
			.filter(Boolean)
			.join('; ');
	// Whose record leaves out what could have said it: the nearest to the user first.
	const uncovered = open.length === 0 ? [] : hops.filter(({ coverage }) => coverage.requests !== 'full' || coverage.reasons !== 'full');
	const gaps = open.length === 0 ? [] : unlogged;
	return [
		open.length > 0 && isFollowed ? (wireLost(raw) ?? 'nothing that passed the networks is on record (CAPTURE)') : '',
		left,
		seen.length > 0 ? `no record explains what k6 saw (${seen.join(', ')})` : '',
		...uncovered.flatMap(({ uncovered: sentences }) => sentences.slice(0, 1)),
		...gaps.map(({ name, count }) => `${many(count, 'request')} that ${name} received ${count === 1 ? 'is' : 'are'} not in its log`),
	]
		.filter(Boolean)
		.join('; ');
}
