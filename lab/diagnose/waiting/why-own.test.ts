import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionRecord } from '../../wire/connection.ts';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

test('an error of its own is said only where what it asked is on record', () => {
	const make = (rest: Partial<ConnectionRecord>) => {
		const stack = new MadeStack();
		each(-5, 30, 0.1, (at, index) => stack.call('k6 api', at, at + 0.02, { status: at > 5 && index % 5 === 0 ? 500 : 200 }));
		stack.connect('api partner', -8, { ...rest, last_at: ZERO + 29 });
		return stack.follow().findings.map(said);
	};
	assert.deepEqual(make({ hidden_bytes: 0 }), ['api: own-error']);
	assert.deepEqual(make({ hidden_bytes: 9000 }), ['api: stands']);
	assert.deepEqual(make({ hidden_bytes: 9000, ended_at: ZERO - 6, outcome: 'closed', by: 'client' }), ['api: own-error']);
});

test('of equal services the one that fails is held against the other, unless that fails so too', () => {
	const make = (everySecond: number) => {
		const stack = new MadeStack();
		each(-5, 30, 0.1, (at, index) => {
			const to = index % 2 === 0 ? 'web-a' : 'web-b';
			const isBad = at > 5 && (index % 6 === 1 || (index % everySecond === 0 && to === 'web-a'));
			stack.call('k6 lb', at, at + 0.02, { status: isBad ? 500 : 200 });
			stack.call(`lb ${to}`, at + 0.002, at + 0.018, { status: isBad ? 500 : 200 });
		});
		return stack.follow().findings.flatMap(({ evidence }) => evidence.filter((text) => text.startsWith('Meanwhile ')));
	};
	assert.deepEqual(make(1000), ['Meanwhile web-a answered all 123 such requests of lb well, and none so.']);
	assert.deepEqual(make(40), []);
});

/**
 * Requests that ask a store for more and then fail, each after another while.
 * @param tookOf seconds of the store's answer
 * @param how its call ends
 */
function afterStore(tookOf: (index: number) => number, how: 'good' | 'given-up' = 'good') {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBad = at > 5 && index % 10 === 0;
		const took = isBad ? tookOf(index) : 0.002;
		stack.call('k6 web', at, at + took + 0.006, { status: isBad ? 500 : 200 });
		stack.call('web store', at + 0.002, at + 0.002 + took, {
			...SQL,
			on: `${index % 20}`,
			...(isBad && how === 'given-up' ? { end: 'given-up', by: 'client' } : {}),
		});
	});
	return reported(stack);
}

test('who fails soon after good answers, each time after another while, does so by itself', () => {
	assert.deepEqual(
		afterStore((index) => 0.06 + (index % 70) / 1000),
		['web: own-error'],
	);
});

test('but not where it takes as long each time, or longer than a time limit may be, or gives up', () => {
	assert.deepEqual(
		afterStore(() => 0.2),
		['store: stands'],
	);
	assert.deepEqual(
		afterStore((index) => 0.7 + (index % 70) / 100),
		['store: stands'],
	);
	assert.deepEqual(
		afterStore((index) => 0.06 + (index % 70) / 1000, 'given-up'),
		['store: stands'],
	);
});

test('what could not be read hides why of the requests alone that it was asked for', () => {
	const make = (deadFrom: number) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			const isBug = index % 20 === 0;
			stack.call('k6 web', at, at + (isBug ? 0.002 : 0.01), { status: isBug ? 500 : 200 });
			if (!isBug) stack.call('web store', at + 0.003, at + 0.009, { ...SQL, on: `${index % 4}` });
			// A cache, of whose protocol nothing can be read, is asked on a connection of its own each time until it dies.
			if (at < deadFrom)
				stack.connect('web cache', at + 0.001, {
					...{ asked_at: ZERO + at + 0.001, unknown_bytes: 12 },
					...{ ended_at: ZERO + at + 0.0015, outcome: 'closed' as const, by: 'client' as const },
				});
		});
		stack.event('cache', 'die', deadFrom, 137);
		return stack.follow().findings.map(said);
	};
	assert.deepEqual(make(5), ['web: own-error']);
	assert.deepEqual(make(25), ['web: stands']);
});
