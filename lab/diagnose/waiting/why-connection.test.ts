/**
 * Connections that are the trouble themselves, as small records; beside each what looks the same and is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

/**
 * A program with four connections to its store, which is started again at second 5 and closes them.
 * @param given bugFrom: an error of its own from then on, whatever the store does
 */
function storeStartedAgain({ opensAgain = false, bugFrom = null }: { opensAgain?: boolean; bugFrom?: number | null } = {}) {
	const stack = new MadeStack();
	each(-8, 30, 0.1, (at, index) => {
		const isDead = at >= 5 && !opensAgain;
		const isBug = bugFrom !== null && at >= bugFrom && index % 2 === 0;
		stack.call('k6 api', at, at + (isDead || isBug ? 0.002 : 0.01), { status: isDead || isBug ? 500 : 200 });
		if (!isDead && !isBug) stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on: `${at >= 5 ? 'new' : 'old'} ${index % 4}` });
	});
	for (const connection of stack.wire.connections) {
		const isOld =
			connection.server === 'db' && stack.wire.calls.some((call) => call.connection === connection.id && call.began_at < ZERO + 5);
		if (isOld) Object.assign(connection, { ended_at: ZERO + 5, outcome: 'closed', by: 'server' });
	}
	return stack;
}

test('who opens no connections in place of those that a store had closed goes on with dead ones', () => {
	const [finding] = storeStartedAgain().follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['api: dead-connections', 'counted']);
	assert.equal(finding.title, 'answered 500 without asking db, which had closed 4 of its connections; none was opened in their place');
});

/**
 * Eight connections, of which each is closed so long after its last answer; a pause; then each fails a request before another takes its place.
 * @param idle seconds
 */
function closedIdle(idle: (index: number) => number) {
	const stack = new MadeStack();
	const ask = (at: number, on: string) => {
		stack.call('k6 api', at, at + 0.01);
		stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on });
	};
	each(-8, 5, 0.1, (at, index) => ask(at, `old ${index % 8}`));
	for (const [index, connection] of stack.wire.connections.filter(({ server }) => server === 'db').entries()) {
		const last = stack.wire.calls.findLast((call) => call.connection === connection.id);
		Object.assign(connection, { ended_at: (last?.ended_at ?? 0) + idle(index), outcome: 'closed', by: 'server' });
	}
	each(14, 14.8, 0.1, (at) => stack.call('k6 api', at, at + 0.002, { status: 500 }));
	each(15, 29, 0.1, (at, index) => ask(at, `new ${index % 8}`));
	return stack.follow().findings[0];
}

test('how long the callee keeps an idle connection is said where it closed each after as long', () => {
	const finding = closedIdle(() => 5);
	assert.equal(said(finding), 'api: dead-connections');
	assert.match(
		finding.title ?? '',
		/^answered 500 without asking db, which had closed 8 of its connections, each after 5\.00 s in which nothing was sent;/,
	);
	const other = closedIdle((index) => 1 + index * 0.9);
	assert.equal(said(other), 'api: dead-connections');
	assert.match(other.title ?? '', /^answered 500 without asking db, which had closed 8 of its connections; /);
});

test('but an error of its own beside connections that it opened again is its own, and one that was there before', () => {
	assert.deepEqual(reported(storeStartedAgain({ opensAgain: true, bugFrom: 8 })), ['api: own-error']);
	assert.deepEqual(reported(storeStartedAgain({ opensAgain: true, bugFrom: 2 })), ['api: own-error']);
});

/*
 * Connections that somebody between forgot, as small records; beside each what looks the same and is not.
 */

/**
 * A pool of twelve, of which a pause leaves all silent but three; then what is sent on those that were silent is lost, and what is sent on others is not.
 */
function forgetting({ isLost = (silent) => silent }: { isLost?: (silent: boolean, index: number) => boolean } = {}) {
	const stack = new MadeStack();
	const ask = (at: number, on: string, isBad = false) => {
		stack.call('k6 api', at, at + (isBad ? 4 : 0.02), isBad ? { status: 504 } : {});
		stack.call('api relay', at + 0.001, isBad ? null : at + 0.019, { ...SQL, on });
	};
	each(-5, 8, 0.05, (at, index) => ask(at, `p${index % 12}`));
	each(8, 18, 0.1, (at, index) => ask(at, `p${index % 3}`));
	each(18, 22, 0.05, (at, index) => {
		const silent = index % 4 === 0 && index < 36;
		ask(at, silent ? `p${3 + index / 4}` : `p${index % 3}`, isLost(silent, index));
	});
	return stack;
}

test('what is never answered on connections that were silent, and only there, was forgotten by who was asked', () => {
	const { findings } = forgetting().follow();
	assert.deepEqual(findings.map(said), ['relay: forgotten']);
	assert.match(findings[0].title ?? '', /^answered nothing any more on connections that had been silent for 1\d\.\d\d s or longer$/);
	assert.match(findings[0].evidence.join(), /9 of 9 calls of api to relay got no answer .+ of \d\d others in the same seconds 0 got none/);
});

test('but not where others got none either, or where silent ones were answered', () => {
	assert.ok(!reported(forgetting({ isLost: (silent, index) => silent || index % 3 === 0 })).includes('relay: forgotten'));
	assert.ok(!reported(forgetting({ isLost: (_, index) => index % 5 === 0 })).includes('relay: forgotten'));
});

test('a connection that the callee closed long before, and that good requests did without, is no dead one', () => {
	const stack = new MadeStack();
	const limit = 3;
	for (const on of ['idle 1', 'idle 2']) stack.call('mesh stock', -9, -8.99, { on });
	for (const { connection } of stack.wire.calls)
		Object.assign(stack.wire.connections[connection], { ended_at: ZERO + 2, outcome: 'closed', by: 'server' });
	each(-8, 29, 0.05, (at, index) => {
		const isOver = at >= 10 && index % 4 === 3;
		stack.call('k6 web', at - 0.001, at + 0.06, { status: isOver ? 502 : 200 });
		stack.call('web mesh', at, at + (isOver ? 0.0006 : 0.05), { status: isOver ? 503 : 200 });
		if (!isOver) stack.call('mesh stock', at + 0.001, at + 0.048, { on: `${index % limit}` });
	});
	assert.deepEqual(reported(stack), ['mesh: turned-away']);
});

/*
 * Packets that are lost, as small records; beside each what looks the same and is not.
 */

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
