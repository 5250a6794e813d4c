/** Packets that are lost, as small records; beside each what looks the same and is not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

const FROM = 10;

/** Two workers, each with a connection to the store, on which they wait for what was sent again: no call is seen meanwhile. */
function stalled({ isSlow = (at) => at >= FROM, again = 40 }: { isSlow?: (at: number, index: number) => boolean; again?: number } = {}) {
	const stack = new MadeStack();
	each(-5, 28, 0.05, (at, index) => {
		const isBad = isSlow(at, index);
		stack.call('k6 lb', at, at + (isBad ? 1.001 : 0.02), { status: isBad ? 504 : 200 });
		stack.call('lb web', at + 0.0005, at + (isBad ? 1 : 0.019), isBad ? { end: 'given-up', by: 'client', status: null } : {});
		if (!isBad || index % 20 === 0) stack.call('web store', at + 0.001, at + 0.018, { ...SQL, on: `${index % 2}` });
	});
	for (const { connection } of stack.wire.calls.map((call) => ({ connection: stack.wire.connections[call.connection] })))
		if (connection.client === 'web') Object.assign(connection, { calls: 9, again, again_at: again > 0 ? ZERO + 28 : null });
	return stack;
}

/** @param timeouts in each second */
const counts = (stack: MadeStack, timeouts: (second: number) => number) => stack.reads('web', (second) => ({ timeouts: timeouts(second) }));

test('packets that are lost on the way to a callee explain what stands before it, though no call is seen meanwhile', () => {
	const stack = stalled();
	counts(stack, (second) => (second >= FROM ? 2 : 0));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.why_basis, finding.place.edge], ['store: packets-lost', 'timed', { from: 'web', to: 'store' }]);
	assert.ok(finding.evidence.some((text) => text.includes('80 in all')));
	assert.ok(
		finding.evidence.some((text) => /(1\.9|2\.0) times a second while requests failed, and 0\.[01] times in calm seconds/.test(text)),
	);
});

test('packets that are lost as often in calm seconds, seldom, or on other connections explain nothing', () => {
	const [asEver, seldom, elsewhere] = [stalled(), stalled(), stalled({ again: 0 })];
	counts(asEver, () => 2);
	counts(seldom, (second) => (second >= FROM && second % 4 === 0 ? 1 : 0));
	counts(elsewhere, (second) => (second >= FROM ? 2 : 0));
	for (const stack of [asEver, seldom, elsewhere]) assert.deepEqual(reported(stack), ['web: stands']);
});

test('packets that are lost explain no request that sleeps while others of its kind are quick', () => {
	const stack = stalled({ isSlow: (at, index) => at >= FROM && index % 20 === 0 });
	counts(stack, (second) => (second >= FROM ? 2 : 0));
	assert.deepEqual(reported(stack), ['web: stands']);
});

test('packets that are lost on the way to it explain calls that are given up', () => {
	const stack = new MadeStack();
	each(-5, 28, 0.1, (at) => {
		const isBad = at >= FROM;
		stack.call('k6 web', at, at + (isBad ? 2 : 0.02), {
			on: `${Math.round(at * 10) % 40}`,
			...(isBad ? { end: 'given-up', by: 'client', status: null } : {}),
		});
	});
	for (const connection of stack.wire.connections) Object.assign(connection, { calls: 5, again: 3, again_at: ZERO + 28 });
	counts(stack, (second) => (second >= FROM ? 10 : 0));
	assert.deepEqual(reported(stack), ['web: packets-lost']);
});

/**
 * An api that writes a line to a collector of logs for each request, which takes no more from second 10 on, or from the first on.
 * @param given quotas: the part of its periods in which the collector is throttled
 */
function blocked({ from, isBusy = false, quotas = () => 0 }: { from: number; isBusy?: boolean; quotas?: (second: number) => number }) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => {
		const isBad = at >= 10;
		stack.call('k6 api', at, at + (isBad ? 5 : 0.02), isBad ? { end: 'given-up', by: 'client' } : {});
		if (!isBad) stack.call('api store', at + 0.001, at + 0.019);
	});
	const closed_window = { client: null, server: { times: 12, first_at: ZERO + from, last_at: ZERO + 24 } };
	stack.connect('api logs', -8, { protocol: 'unknown', unknown_bytes: 9000, closed_window });
	stack.reads('api', () => ({ cores: isBusy ? 1 : 0.05 }));
	stack.reads('logs', (second) => ({ cores: 0.05, throttled: quotas(second) }));
	return stack.follow().findings[0];
}

test('who writes to somebody that takes no more waits for that', () => {
	const finding = blocked({ from: 10 });
	assert.deepEqual([said(finding), finding.place.edge], ['logs: not-read', { from: 'api', to: 'logs' }]);
	assert.equal(finding.title, 'took nothing more of what api sends it');
});

test('who is short of CPU meanwhile takes no more for want of it, unless it is so in calm seconds too', () => {
	const finding = blocked({ from: 10, quotas: (second) => (second >= 10 ? 1 : 0.1) });
	assert.equal(said(finding), 'logs: cpu-throttled');
	assert.equal(finding.title, 'was throttled, having used up its CPU quota, and took nothing more of what api sends it');
	assert.equal(said(blocked({ from: 10, quotas: () => 1 })), 'logs: not-read');
});

test('but not where it took no more in calm seconds too, nor where who writes is busy', () => {
	for (const given of [{ from: -7 }, { from: 10, isBusy: true }]) assert.notEqual(said(blocked(given)), 'logs: not-read');
});
