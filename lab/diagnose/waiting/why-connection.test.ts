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
