/**
 * What the CRUD service leaves of itself: each operation's latencies, how evenly the load spread over the databases, and how
 * fast the journal grew. The percentiles are of good answers and k6's own.
 */

import { lastBefore } from '../../lab/diagnose/time/increments.ts';
import { max, mean, ratio, sum } from '../../lab/stats/numbers.ts';
import { DATABASES, OPERATIONS } from './k6/crud-user.js';

const BYTES_PER_MB = 1e6;

/** @type {import('../../lab/record/types.js').Breakdown['columns']} */
const OPERATION_COLUMNS = [
	{ id: 'operations', label: 'good answers', unit: 'count' },
	{ id: 'latency_ms_p50_ok', label: 'p50', unit: 'ms' },
	{ id: 'latency_ms_p95_ok', label: 'p95', unit: 'ms' },
	{ id: 'latency_ms_p99_ok', label: 'p99', unit: 'ms' },
	{ id: 'misses', label: 'misses', unit: 'count' },
];

/** @type {import('../../lab/record/types.js').Breakdown['columns']} */
const DATABASE_COLUMNS = [
	{ id: 'operations', label: 'good answers', unit: 'count' },
	...OPERATIONS.map((operation) => ({
		id: `latency_ms_p95_${operation}`,
		label: `p95 of ${operation}s`,
		unit: /** @type {const} */ ('ms'),
	})),
];

/**
 * @param {import('../../lab/diagnose/ledger/facts.ts').Facts} facts
 * @returns {import('../../lab/diagnose/breakdowns.ts').ScenarioFigures} null for what k6 did not live to say
 */
export function figuresOf(facts) {
	const { summary, database } = facts.raw;
	const values = (/** @type {string} */ metric) => summary?.metrics[metric]?.values ?? {};
	const p95 = (/** @type {string} */ name) => values(`lab_latency_${name}`)['p(95)'] ?? null;
	const operationsIn = (/** @type {string} */ name) =>
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

/** @type {(values: (metric: string) => any, operation: string, known: boolean) => (number | null)[]} */
function operationValues(values, operation, known) {
	const latency = values(`lab_latency_${operation}`);
	const counted = (/** @type {number | undefined} */ count) => (known ? (count ?? 0) : null);
	return [
		counted(latency.count),
		latency.med ?? null,
		latency['p(95)'] ?? null,
		latency['p(99)'] ?? null,
		counted(values(`lab_missed_${operation}`).count),
	];
}

/**
 * @param {(number | null)[]} counts one for each database
 * @returns {number | null} the most less the least, as a share of the mean
 */
function spreadOf(counts) {
	const most = max(counts);
	return most === null ? null : ratio(most - Math.min(...counts.map(Number)), mean(counts));
}

/**
 * @param {any[]} rows the observer's
 * @param {import('../../lab/diagnose/time/increments.ts').Window} window
 * @returns {number | null} megabytes a second, from the last line before the load to the last in it
 */
function journalRate(rows, { from, to }) {
	const known = rows.filter(({ journal_bytes: bytes }) => typeof bytes === 'number');
	const before = lastBefore(known, from);
	const after = lastBefore(known, to);
	if (!before || !after) return null;
	return ratio((after.journal_bytes - before.journal_bytes) / BYTES_PER_MB, after.t - before.t);
}
