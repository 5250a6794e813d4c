/**
 * Pools that fail a request at once when they have none to give, as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said } from './fixtures/made-stack.ts';

const COUNT = 10;

/** Requests that go well until second 12; each second one connection more is used for good. */
function usedUp(stack: MadeStack, use: (stack: MadeStack, at: number, on: string) => void) {
	each(-5, 12, 0.1, (at, index) => {
		const used = at < 2 ? 0 : Math.floor(at - 2) + 1;
		if (used > COUNT || (used === COUNT && index % 10 !== 0)) return;
		stack.call('k6 web', at, at + 0.02);
		if (at >= 2 && index % 10 === 0) use(stack, at + 0.005, `${used}`);
		// The next that will be used for good is asked on meanwhile.
		else stack.call('web db', at + 0.005, at + 0.01, { ...SQL, on: `${Math.min(COUNT, used + 1)}` });
	});
	stack.reads('web', () => ({ cores: 0.1 }));
}

const failing = (stack: MadeStack, from: number) => each(from, 28, 0.1, (at) => stack.call('k6 web', at, at + 0.005, { status: 500 }));

test('requests fail at once while each connection of the pool is held in a transaction that nobody ends', () => {
	const stack = new MadeStack();
	usedUp(stack, (own, at, on) => own.call('web db', at, at + 0.005, { ...SQL, on, state: 'transaction' }));
	failing(stack, 12.05);
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['web: pool-held']);
	assert.deepEqual(findings[0].place.edge, { from: 'web', to: 'db' });
	assert.equal(
		findings[0].title,
		'answered 500 at once while it held all 10 connections of its pool to db and sent nothing on most of them',
	);
});

test('and while each waits for an answer', () => {
	const stack = new MadeStack();
	usedUp(stack, (own, at, on) => own.call('web db', at, 29, { ...SQL, on }));
	failing(stack, 12.05);
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: stands']);
	assert.equal(findings[0].title, 'web had all 10 connections of its pool to db in use');
});

test('but not where one was free, nor where good ones came when none was', () => {
	const free = new MadeStack();
	usedUp(free, (own, at, on) => own.call('web db', at, at + 0.005, { ...SQL, on, state: on === `${COUNT}` ? 'idle' : 'transaction' }));
	failing(free, 12.05);
	assert.deepEqual(reported(free), ['web: own-error']);
	const both = new MadeStack();
	usedUp(both, (own, at, on) => own.call('web db', at, 29, { ...SQL, on }));
	failing(both, 12.05);
	each(12.1, 28, 0.1, (at) => both.call('k6 web', at, at + 0.005));
	assert.deepEqual(reported(both), ['web: own-error']);
});
