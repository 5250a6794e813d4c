/**
 * What the CRUD service leaves of itself: each operation's latencies, how evenly the load spread over the databases, and how
 * fast the journal grew. The percentiles are of good answers and k6's own.
 */

import type { Facts } from '../../lab/diagnose/ledger/facts.ts';
import type { ScenarioFigures } from '../../lab/diagnose/scenario-figures.ts';
import type { Window } from '../../lab/diagnose/time/increments.ts';
import { lastBefore } from '../../lab/diagnose/time/increments.ts';
import type { Breakdown } from '../../lab/record/types.js';
import { max, mean, ratio, sum } from '../../lab/stats/numbers.ts';
import { DATABASES, OPERATIONS } from './k6/crud-user.js';

const BYTES_PER_MB = 1e6;

const OPERATION_COLUMNS: Breakdown['columns'] = [
	{ id: 'operations', label: 'good answers', unit: 'count' },
	{ id: 'latency_ms_p50_ok', label: 'p50', unit: 'ms' },
	{ id: 'latency_ms_p95_ok', label: 'p95', unit: 'ms' },
	{ id: 'latency_ms_p99_ok', label: 'p99', unit: 'ms' },
	{ id: 'misses', label: 'misses', unit: 'count' },
];

const DATABASE_COLUMNS: Breakdown['columns'] = [
	{ id: 'operations', label: 'good answers', unit: 'count' },
	...OPERATIONS.map((operation) => ({
		id: `latency_ms_p95_${operation}`,
		label: `p95 of ${operation}s`,
		unit: 'ms' as const,
	})),
];

/** @returns null for what k6 did not live to say */
export function figuresOf(facts: Facts): ScenarioFigures {
	const { summary, database } = facts.raw;
	const values = (metric: string) => summary?.metrics[metric]?.values ?? {};
	const p95 = (name: string) => values(`lab_latency_${name}`)['p(95)'] ?? null;
	const operationsIn = (name: string) =>
		summary === null ? null : sum(OPERATIONS.map((operation) => values(`lab_latency_${operation}_${name}`).count));
	const perDatabase = DATABASES.map(operationsIn);
	return {
		figures: {
			...Object.fromEntries(OPERATIONS.map((operation) => [`latency_ms_p95_${operation}`, p95(operation)])),
			database_spread: spreadOf(perDatabase),
			journal_mb_per_s: journalRate(database, facts.window),
		},
		breakdowns: [
			{
				title: 'By operation',
				caption: 'A miss is a read, an update or a delete of a document that is not there; users aim at documents that they own.',
				rows_label: 'operation',
				columns: OPERATION_COLUMNS,
				rows: OPERATIONS.map((operation) => ({ name: operation, values: operationValues(values, operation, summary !== null) })),
			},
			{
				title: 'By database',
				caption: 'Three databases of one server: each has the same number of users, and the server’s one journal.',
				rows_label: 'database',
				columns: DATABASE_COLUMNS,
				rows: DATABASES.map((name, index) => ({
					name,
					values: [perDatabase[index], ...OPERATIONS.map((operation) => p95(`${operation}_${name}`))],
				})),
			},
		],
		checks: [],
	};
}

function operationValues(values: (metric: string) => any, operation: string, known: boolean): (number | null)[] {
	const latency = values(`lab_latency_${operation}`);
	const counted = (count: number | undefined) => (known ? (count ?? 0) : null);
	return [
		counted(latency.count),
		latency.med ?? null,
		latency['p(95)'] ?? null,
		latency['p(99)'] ?? null,
		counted(values(`lab_missed_${operation}`).count),
	];
}

/**
 * @param counts one for each database
 * @returns the most less the least, as a share of the mean
 */
function spreadOf(counts: (number | null)[]): number | null {
	const most = max(counts);
	return most === null ? null : ratio(most - Math.min(...counts.map(Number)), mean(counts));
}

/**
 * @param rows the observer's
 * @returns megabytes a second, from the last line before the load to the last in it
 */
function journalRate(rows: any[], { from, to }: Window): number | null {
	const known = rows.filter(({ journal_bytes: bytes }) => typeof bytes === 'number');
	const before = lastBefore(known, from);
	const after = lastBefore(known, to);
	if (!before || !after) return null;
	return ratio((after.journal_bytes - before.journal_bytes) / BYTES_PER_MB, after.t - before.t);
}
