import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported } from './fixtures/made-stack.ts';

const LINE = { protocol: 'unknown' };

/** Shops that ask a ledger in lines of its own, on a connection each; every third gives up after 0.4 s in the stretches given. */
function shop(isHeld: (at: number) => boolean) {
	const stack = new MadeStack();
	each(-9, 30, 0.05, (at) => {
		if (!isHeld(at)) {
			stack.call('k6 shop', at, at + 0.004);
			stack.call('shop ledger', at + 0.001, at + 0.003, LINE);
			return;
		}
		stack.call('k6 shop', at, at + 0.403, { status: 500, bad: true });
		stack.call('shop ledger', at + 0.001, at + 0.401, { ...LINE, end: 'given-up', by: 'client', first_at: null });
	});
	return stack;
}

const isJam = (at: number) => at >= 5 && at % 5 < 1.5;

test('a service whose protocol is not read is the end of the way: one client’s call held it', () => {
	const stack = shop(isJam);
	for (const at of [5, 10, 15, 20, 25]) stack.call('stats ledger', at - 0.01, at + 1.45, { protocol: 'redis', verb: 'EVAL', template: '' });
	const [finding, ...others] = stack.follow().findings;
	assert.equal(others.length, 0);
	assert.deepEqual(
		[finding.place.service, finding.mechanism, finding.title],
		['ledger', 'held-by-one', 'answered nobody while it worked on the command EVAL'],
	);
	assert.ok(
		finding.doubts.some((doubt) => doubt.includes('told by turns, since their protocol is not read')),
		finding.doubts.join('\n'),
	);
});

test('of calls that are not read their asker tells which held it', () => {
	const stack = shop(isJam);
	for (const at of [5, 10, 15, 20, 25]) stack.call('audit ledger', at - 0.01, at + 1.45, LINE);
	const [{ place, title }] = stack.follow().findings;
	assert.deepEqual([place.service, title], ['ledger', 'answered nobody while it worked on a call of audit']);
});

test('a service whose protocol is not read is the end of the way: it is busy computing', () => {
	const stack = shop(isJam);
	stack.reads('ledger', (second) => ({ cores: isJam(second) ? 0.99 : 0.1 }));
	stack.reads('shop', () => ({ cores: 0.1 }));
	assert.deepEqual(reported(stack), ['ledger: busy']);
});

test('an error that may stand in an answer that is not read is not the asker’s own', () => {
	const stack = new MadeStack();
	each(-9, 30, 0.05, (at, index) => {
		const isBad = at > 5 && index % 3 === 0;
		stack.call('k6 shop', at, at + 0.004, isBad ? { status: 500, bad: true } : {});
		stack.call('shop ledger', at + 0.001, at + 0.003, LINE);
	});
	const [finding] = stack.follow().findings;
	assert.deepEqual([finding.place.service, finding.mechanism], ['shop', null]);
});

test('an error of its own, where none of the failed asked whose protocol is not read', () => {
	const stack = new MadeStack();
	each(-9, 30, 0.05, (at, index) => {
		const isBad = at > 5 && index % 3 === 0;
		stack.call('k6 shop', at, at + 0.004, isBad ? { status: 500, bad: true } : {});
		if (!isBad) stack.call('shop ledger', at + 0.001, at + 0.003, LINE);
	});
	assert.deepEqual(reported(stack), ['shop: own-error']);
});
