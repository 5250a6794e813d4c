import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from './figures.ts';
import { ticketSquare } from './k6/ticket-square.js';

const SOLD = [0, 1, 2, 3, 4, 5, 6, 7];
const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);

/** Eight tickets sold and answered by two nodes, of a stock of 100. */
function figuresFrom({
	stored = SOLD,
	answered = SOLD,
	stock = 100,
	soldOut = 0,
	failed = 0,
	summary = true,
}: {
	stored?: number[] | null;
	answered?: number[];
	stock?: number;
	soldOut?: number;
	failed?: number;
	summary?: boolean;
} = {}) {
	const metrics = {
		lab_ticket_sum: { values: { count: total(answered) } },
		lab_ticket_squares: { values: { count: total(answered.map(ticketSquare)) } },
	};
	return figuresOf({
		nodes: { 'app-1': { own: { batches: 1, batched: 5 } }, 'app-2': { own: { batches: 3, batched: 3 } } },
		generator: { ok: answered.length, failed: failed + soldOut, status: soldOut > 0 ? { 409: soldOut } : {} },
		raw: {
			writtenLines: stored?.map(String) ?? null,
			summary: summary ? { metrics } : null,
			manifest: { variables: { STOCK: String(stock) } },
		},
	} as any);
}

const broken = (story: Parameters<typeof figuresFrom>[0]) =>
	figuresFrom(story)
		.checks.filter(({ holds }) => !holds)
		.map(({ statement, left, right }) => [statement, left, right]);

test('the mean batch is over the batches of all nodes', () => {
	assert.deepEqual(figuresFrom().figures, { batch_size_mean: 2 });
});

test('nodes that sold nothing have no mean batch', () => {
	const facts = { nodes: { 'app-1': { own: {} } }, raw: { writtenLines: null } };
	assert.deepEqual(figuresOf(facts as any).figures, { batch_size_mean: null });
});

test('when every ticket answered is stored once, all checks hold', () => {
	assert.equal(figuresFrom().checks.length, 5);
	assert.deepEqual(broken({}), []);
});

test('a ticket that was sold twice breaks its check, and no unanswered sale excuses it', () => {
	const story = { stored: [...SOLD, 3], failed: 5 };
	assert.deepEqual(broken(story), [['no ticket was sold twice', 9, 8]]);
});

test('a ticket beyond the stock breaks its check, and no unanswered sale excuses it', () => {
	assert.deepEqual(broken({ stored: [...SOLD, 8], answered: SOLD, stock: 8, failed: 1 }), [['no ticket was sold beyond the stock', 9, 8]]);
	assert.deepEqual(broken({ stock: 8 }), []);
});

test('a ticket that was answered and is not stored breaks the count, whatever was unanswered', () => {
	const story = { stored: SOLD.slice(1), failed: 3 };
	assert.deepEqual(broken(story), [['the tickets stored are the tickets answered, by count', 7, 8]]);
});

test('a ticket that is stored and was answered to nobody is allowed for each unanswered sale, and no more', () => {
	const stored = [...SOLD, 8, 9];
	assert.deepEqual(broken({ failed: 2, stored }), []);
	assert.deepEqual(broken({ failed: 1, stored }), [['the tickets stored are the tickets answered, by count', 10, 8]]);
});

test('other tickets of the same count, or of the same sum, are not those that were answered', () => {
	const byCount = broken({ stored: [...SOLD.slice(1), 9] });
	assert.deepEqual(
		byCount.map(([statement]) => statement),
		[
			'the tickets stored are the tickets answered, by the sum of their numbers',
			'the tickets stored are the tickets answered, by the sum of their squares modulo 1,000,003',
		],
	);
	assert.deepEqual(
		broken({ stored: [10, 13], answered: [11, 12] }).map(([statement]) => statement),
		['the tickets stored are the tickets answered, by the sum of their squares modulo 1,000,003'],
	);
});

test('of sales without an answer the tickets are not known, so sums are not compared; nor without a summary', () => {
	for (const story of [{ failed: 1 }, { summary: false }]) assert.equal(figuresFrom(story).checks.length, 3);
	assert.equal(figuresFrom({ soldOut: 3, stock: 8 }).checks.length, 6);
});

test('where users were told that it is sold out, exactly the stock was sold', () => {
	assert.deepEqual(broken({ soldOut: 3, stock: 8 }), []);
	assert.deepEqual(broken({ soldOut: 3, stock: 9 }), [['exactly the stock was sold', 8, 9]]);
	assert.deepEqual(broken({ soldOut: 3, stock: 9, failed: 1 }), []);
});

test('a run whose tickets were not written down has no checks', () => {
	assert.deepEqual(figuresFrom({ stored: null }).checks, []);
});
