/** How stale reads were, where nodes count it: against what had been acknowledged to the same node when the read began. */

import type { Breakdown } from '../record/types.js';
import { ratio, sum } from '../stats/numbers.ts';
import type { Facts } from './ledger/facts.ts';

/** Of a node's counts: stale reads that were at most so old, milliseconds (app/replica/staleness.js). */
const CLASS = /^stale_le_(\d+)$/;
const ALL = 'all nodes';
const TITLE = 'Staleness of reads';
const SHARE = 'stale_share';

/** @returns none where no node counts its reads */
export function stalenessBreakdown({ nodes }: Pick<Facts, 'nodes'>): Breakdown[] {
	const counted = Object.entries(nodes).filter(([, { own }]) => own.reads > 0);
	if (counted.length === 0) return [];
	const rows = [
		...counted.map(([name, { own }]) => stalenessRowOf(name, [own])),
		...(counted.length > 1
			? [
					stalenessRowOf(
						ALL,
						counted.map(([, { own }]) => own),
					),
				]
			: []),
	];
	return [
		{
			title: TITLE,
			caption:
				'A read is stale when it does not show a write that had been acknowledged to its node before it began. Its age is the time since then; percentiles are the upper ends of the classes in which nodes count, over all reads.',
			rows_label: 'node',
			columns: [
				{ id: 'reads', label: 'reads', unit: 'count' },
				{ id: 'stale', label: 'stale', unit: 'count' },
				{ id: SHARE, label: 'share', unit: 'share' },
				{ id: 'age_ms_p95', label: 'p95 of age, at most', unit: 'ms' },
				{ id: 'age_ms_p99', label: 'p99 of age, at most', unit: 'ms' },
			],
			rows,
		},
	];
}

function stalenessRowOf(name: string, owns: Record<string, number>[]): Breakdown['rows'][number] {
	const total = (key: string) => sum(owns.map((own) => own[key]));
	const [reads, stale] = [total('reads'), total('stale_reads')];
	const keys = [...new Set(owns.flatMap((own) => Object.keys(own)))];
	const classes = keys
		.flatMap((key) => {
			const ms = CLASS.exec(key)?.[1];
			return ms === undefined ? [] : [{ ms: Number(ms), count: total(key) }];
		})
		.sort((one, other) => one.ms - other.ms);
	// A read that is not stale has no age.
	const ageAt = (share: number) =>
		reads - stale >= share * reads ? 0 : (classes.find(({ count }) => reads - stale + count >= share * reads)?.ms ?? null);
	return { name, values: [reads, stale, ratio(stale, reads), ageAt(0.95), ageAt(0.99)] };
}

/**
 * @param breakdowns of a result
 * @returns share of all nodes' reads that were stale; null where no node counts them
 */
export function staleShareIn(breakdowns: Breakdown[]): number | null {
	const found = breakdowns.find(({ title }) => title === TITLE);
	return found?.rows.at(-1)?.values[found.columns.findIndex(({ id }) => id === SHARE)] ?? null;
}
