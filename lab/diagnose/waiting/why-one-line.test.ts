/** Calls that stand in one line behind another. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.ts';

const REDIS = { protocol: 'redis', status: null, template: '' } as const;

/**
 * A program with one connection to its store, on which it also waits for messages, for three seconds each time.
 * @param given isStoreSlow: the store answers nobody meanwhile; isOwnLine: it waits for messages
 * on a connection apart
 */
function oneLine({ isStoreSlow = false, isOwnLine = false }: { isStoreSlow?: boolean; isOwnLine?: boolean } = {}) {
	const stack = new MadeStack();
	const blocks = [6, 15, 24];
	const endOf = (at: number) => blocks.find((from) => at > from && at < from + 3);
	each(-8, 29, 0.05, (at, index) => {
		const from = endOf(at);
		const isHeld = from !== undefined && (!isOwnLine || isStoreSlow);
		const over = isHeld ? from + 3.002 : at + 0.003;
		stack.call('k6 api', at, isHeld ? Math.min(over + 0.002, at + 1.2) : at + 0.006, isHeld && from + 3 > at + 1.2 ? { status: 503 } : {});
		stack.call('api store', at + 0.001, over, { ...REDIS, verb: 'HGETALL', on: 'one' });
		if (index % 3 === 0)
			stack.call('badge store', at + 0.01, isStoreSlow && from !== undefined ? from + 3.002 : at + 0.011, {
				...REDIS,
				verb: 'HGETALL',
				on: 'badge',
			});
	});
	for (const from of blocks) {
		stack.call('k6 api', from, from + 3.002, { template: '/inbox' });
		stack.call('api store', from + 0.0005, from + 3, { ...REDIS, verb: 'BLPOP', on: isOwnLine ? 'own' : 'one' });
	}
	// Calls as they began, as the record has them.
	stack.wire.calls.sort((one, other) => one.began_at - other.began_at);
	return stack;
}

test('who sends calls behind one that waits on purpose, on the same connection, keeps them waiting itself', () => {
	const [finding] = oneLine().follow().findings;
	assert.deepEqual([said(finding), finding.basis, finding.place.edge], ['api: held-by-one', 'counted', { from: 'api', to: 'store' }]);
	assert.equal(
		finding.title,
		'sent calls to store on a connection on which the command BLPOP was not answered yet: store answers one after the other there',
	);
});

test('a store that answers nobody meanwhile is the place, though one waits for messages there on a connection apart', () => {
	const [finding] = oneLine({ isStoreSlow: true, isOwnLine: true }).follow().findings;
	assert.match(said(finding), /^store: /);
});

/**
 * Sellers of one raffle: each takes its row, asks the bank, and commits; the next waits for that, some too long.
 * @param held seconds that the answer of the bank takes
 * @param others that sell at the same time
 */
function raffle(held: number, others: number) {
	const stack = new MadeStack();
	const sql = { protocol: 'mysql' };
	const update = { ...sql, verb: 'UPDATE', template: 'UPDATE raffle' };
	each(-8, 29, held + 0.006, (at, index) => {
		const shop = `shop-${(index % 2) + 1}`;
		const on = `${shop} ${index % 8}`;
		stack.call(`k6 ${shop}`, at, at + held + 0.006);
		stack.call(`${shop} db`, at + 0.001, at + 0.0015, { ...sql, verb: 'BEGIN', template: 'BEGIN', on, state: 'transaction' });
		stack.call(`${shop} db`, at + 0.002, at + 0.0025, { ...update, on, state: 'transaction' });
		stack.call(`${shop} bank`, at + 0.003, at + held + 0.003, { template: '/charge', verb: 'POST' });
		stack.call(`${shop} db`, at + held + 0.004, at + held + 0.005, { ...sql, verb: 'COMMIT', template: 'COMMIT', on, state: 'idle' });
	});
	each(3, 26, 1, (at) => {
		for (let other = 0; other < others; other += 1) {
			const [begun, on] = [at + other / 50, `late ${at} ${other}`];
			stack.call('k6 shop-1', begun, begun + 2.004, { status: 500 });
			stack.call('shop-1 db', begun + 0.001, begun + 0.0015, { ...sql, verb: 'BEGIN', template: 'BEGIN', on, state: 'transaction' });
			stack.call('shop-1 db', begun + 0.002, begun + 2.002, { ...update, code: '1205', bad: true, on, state: 'transaction' });
			stack.call('shop-1 db', begun + 2.0025, begun + 2.003, { ...sql, verb: 'ROLLBACK', template: 'ROLLBACK', on, state: 'idle' });
		}
	});
	return stack.follow().findings;
}

test('a lock that one transaction after the other held, while it asked somebody else, is told with whom', () => {
	const [finding] = raffle(0.27, 3);
	assert.deepEqual(
		[said(finding), finding.title],
		['db: lock', 'let calls wait for a lock that transactions of shop-1 and shop-2 held one after the other, while they waited for bank'],
	);
	assert.deepEqual(finding.doubts, [
		'which of them held the very same row is not on record',
		'that these calls to bank were made for them is known by their time alone',
	]);
});

test('but not where those that got it held it for a small part of the wait', () => {
	const [finding] = raffle(0.002, 3).filter(({ mechanism }) => mechanism === 'lock');
	assert.ok(
		finding.evidence.includes('Who held the lock is not on record: no transaction was seen that was open before and through these calls.'),
	);
});
