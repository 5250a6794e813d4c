import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarios } from '../../lab/catalog/scenarios.ts';
import { figuresOf } from './figures.ts';

const FROM = 1000;
const TO = 1010;

const trend = (count: number, p95: number) => ({ values: { count, med: p95 / 2, 'p(95)': p95, 'p(99)': p95 * 2 } });

/** Each operation slower than the one before it; db2 with 12 operations, the others with 10 and 8. */
function newMetrics() {
	const metrics: Record<string, any> = { lab_missed_update: { values: { count: 3 } } };
	for (const [index, operation] of ['read', 'create', 'update', 'delete'].entries()) {
		metrics[`lab_latency_${operation}`] = trend(7.5, 10 * (index + 1));
		for (const [database, count] of Object.entries({ db1: 2.5, db2: 3, db3: 2 })) {
			metrics[`lab_latency_${operation}_${database}`] = trend(count, 10 * (index + 1) + count);
		}
	}
	return metrics;
}

/** The journal grows by 2 MB a second in the load, faster before and after it. */
const JOURNAL = [
	{ t: FROM - 3, journal_bytes: 0 },
	{ t: FROM - 0.5, journal_bytes: 9e6 },
	{ t: FROM + 5, error: 'no answer' },
	{ t: TO - 0.5, journal_bytes: 29e6 },
	{ t: TO + 0.5, journal_bytes: 99e6 },
];

const figuresFrom = ({ summary = { metrics: newMetrics() }, database = JOURNAL }: { summary?: any; database?: any[] } = {}) =>
	figuresOf({ window: { from: FROM, to: TO, warmupFrom: FROM - 10 }, raw: { summary, database } } as any);

test('the figures are those of the table', () => {
	const { figures } = figuresFrom();
	assert.deepEqual(
		Object.keys(figures),
		scenarios.crud.figures.map(({ id }) => id),
	);
});

test('each operation has the p95 of its good answers', () => {
	const { figures } = figuresFrom();
	const p95 = ['read', 'create', 'update', 'delete'].map((operation) => figures[`latency_ms_p95_${operation}`]);
	assert.deepEqual(p95, [10, 20, 30, 40]);
});

test('the spread is the most less the least of the databases, as a share of their mean', () => {
	assert.equal(figuresFrom().figures.database_spread, 0.4);
});

test('the journal’s growth is counted in the load alone', () => {
	assert.equal(figuresFrom().figures.journal_mb_per_s, 2);
	assert.equal(figuresFrom({ database: [] }).figures.journal_mb_per_s, null);
	assert.equal(figuresFrom({ database: JOURNAL.slice(0, 2) }).figures.journal_mb_per_s, null);
});

test('operations and databases have a row each, with a value for every column', () => {
	const [byOperation, byDatabase] = figuresFrom().breakdowns;
	assert.deepEqual(byOperation.rows[2], { name: 'update', values: [7.5, 15, 30, 60, 3] });
	assert.deepEqual(byOperation.rows[0].values.at(-1), 0);
	assert.deepEqual(byDatabase.rows[1], { name: 'db2', values: [12, 13, 23, 33, 43] });
	for (const { columns, rows } of [byOperation, byDatabase]) assert.ok(rows.every(({ values }) => values.length === columns.length));
});

test('a run that k6 left no summary of has no figures from it, and no zeros in their place', () => {
	const { figures, breakdowns } = figuresFrom({ summary: null });
	assert.equal(figures.database_spread, null);
	assert.equal(figures.latency_ms_p95_read, null);
	assert.ok(breakdowns.every(({ rows }) => rows.every(({ values }) => values.every((value) => value === null))));
});

test('databases without one good answer have no spread', () => {
	assert.equal(figuresFrom({ summary: { metrics: {} } }).figures.database_spread, null);
});
