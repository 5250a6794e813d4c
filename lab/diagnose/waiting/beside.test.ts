/**
 * What is said beside a place: a cache that had nothing, a callee that is asked again and again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, SQL } from './fixtures/made-stack.ts';

const CACHE = { protocol: 'redis', verb: 'GET', template: '' };
const PAGE = { ...CACHE, answered_bytes: 900 };
const NOTHING = { ...CACHE, answered_bytes: 5 };

/** Pages come from the cache but in seconds 12 to 20, when each asks the database and is given up. */
function stampede({ missed = NOTHING, isAsked = false, good = PAGE }: { missed?: object; isAsked?: boolean; good?: object }) {
	const stack = new MadeStack();
	each(-9, 29, 0.1, (at, index) => {
		const isOut = at >= 12 && at < 20;
		const lasts = isOut ? { end: 'given-up' as const, by: 'client' as const } : {};
		const over = isOut ? at + 2 : at + (isAsked ? 1 : 0.02);
		stack.call('k6 web', at, over, lasts);
		stack.call('web cache', at + 0.001, at + 0.002, { ...(isOut ? missed : good), on: `${index % 40}` });
		if (isOut) stack.call('web db', at + 0.003, at + 2.5, { ...SQL, on: `${index % 40}` });
		else if (isAsked) stack.call('web db', at + 0.003, at + 0.99, { ...SQL, on: `${index % 40}` });
		else stack.call('web db', at + 0.003, at + 0.004, { ...SQL, template: 'SELECT users', on: `u ${index % 3}` });
	});
	stack.reads('db', () => ({ cores: 0.1 }));
	stack.reads('web', () => ({ cores: 0.1 }));
	return stack.follow().findings;
}

test('it is said who had nothing, of how many, and how many asked in its place', () => {
	const [finding] = stampede({});
	assert.equal(finding.place.service, 'db');
	assert.match(finding.title ?? '', /; cache had had nothing for them$/);
	const text = finding.evidence.find((one) =>
		one.startsWith(
			'Cache had nothing for 100 % of the failed requests in web, and for 0 % of the good ones, by the time alone; what it has is 900 bytes long.',
		),
	);
	assert.match(text ?? '', /\. \d+ calls stood at db at once, 0 in calm seconds\.$/);
});

test('but not where good ones had nothing either, or it is never more, or it had something', () => {
	const isSaid = (given: Parameters<typeof stampede>[0]) => stampede(given).some(({ title }) => title?.includes('had nothing'));
	assert.equal(isSaid({ good: NOTHING }), false);
	assert.equal(isSaid({ good: { ...CACHE, answered_bytes: 12 } }), false);
	assert.equal(isSaid({ missed: PAGE }), false);
});

test('nor where as many asked in calm seconds', () => {
	assert.equal(
		stampede({ isAsked: true }).some(({ title }) => title?.includes('had nothing')),
		false,
	);
});

/** @param rows of a page, each asked for by itself */
const paged = (rows: number) => {
	const stack = new MadeStack();
	each(-9, 29, 0.5, (at) => {
		const isLate = at >= 10 && Math.round(at * 2) % 2 === 0;
		stack.call('k6 shop', at, at + (isLate ? 3 : 0.4), { template: '/orders', ...(isLate ? { end: 'given-up', by: 'client' } : {}) });
		if (!isLate) each(at + 0.01, at + 0.01 + rows * 0.005, 0.005, (from) => stack.call('shop db', from, from + 0.001, { ...SQL, on: '1' }));
	});
	stack.reads('shop', () => ({ cores: 0.2 }));
	return stack.follow().findings[0].evidence.filter((text) => text.startsWith('Shop asked db'));
};

test('it is said how often a callee is asked for one request, where that is often', () => {
	assert.deepEqual(paged(60), ['Shop asked db 60 times for each GET /orders in calm seconds, at the median.']);
	assert.deepEqual(paged(5), []);
});
