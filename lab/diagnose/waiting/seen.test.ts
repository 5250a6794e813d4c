import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linedOf } from '../joins/joined.ts';
import { MadeStack, ZERO } from './fixtures/made-stack.ts';
import { once, serversOf, withLookupsEnded } from './seen.ts';

/** @returns when each ended, from the load's beginning on */
const ends = (stack: MadeStack): (number | null)[] =>
	withLookupsEnded(stack.wire).map(({ ended_at: at }) => (at === null ? null : Math.round((at - ZERO) * 1000) / 1000));

test('a lookup without an answer is over when whoever asked has given it up, whoever else asks for that name', () => {
	const stack = new MadeStack();
	stack.lookup('web resolver', 1, null, 'a.example');
	stack.lookup('web resolver', 2, 2.1, 'b.example');
	stack.lookup('web other', 3, null, 'a.example');
	stack.lookup('api resolver', 3.5, null, 'a.example');
	stack.call('web store', 4, null);
	assert.deepEqual(ends(stack), [5, 2.1, 7, 7.5, null]);
});

test('one that was asked again on the same socket waits from then on', () => {
	const stack = new MadeStack();
	stack.lookup('web resolver', 1, null, 'a.example');
	stack.wire.connections[0].last_at = ZERO + 3;
	assert.deepEqual(ends(stack), [7]);
});

test('a record without lookups is left as it is', () => {
	const stack = new MadeStack();
	stack.call('k6 web', 1, 2);
	assert.equal(withLookupsEnded(stack.wire), stack.wire.calls);
});

test('a host outside has the name that was looked up for it, else its address; who is in the stack, and who is not, is known by the record', () => {
	const stack = new MadeStack();
	stack.holds('web', 'store');
	stack.lookup('web resolver', 1, 1.1, 'api.example', { addresses: ['203.0.113.7'] });
	for (const server of ['203.0.113.7', '203.0.113.8', 'store']) stack.connect(`web ${server}`, 2);
	const { nameOf, isOutside } = serversOf(linedOf(stack.wire));
	const [, named, unnamed, own] = stack.wire.connections;
	assert.deepEqual([named, unnamed, own].map(nameOf), ['api.example', '203.0.113.8', 'store']);
	assert.deepEqual([named, unnamed, own].map(isOutside), [true, true, false]);
	stack.lookup('web 203.0.113.7', 3, 3.1, 'other.example');
	assert.equal(nameOf(stack.wire.connections[4]), '203.0.113.7', 'whom names are asked of');
});

test('what is asked of the same record and names again is not found out again', () => {
	let times = 0;
	const askedOf = once((_seen, from, to) => {
		times += 1;
		return `${from} ${to} ${times}`;
	});
	const [one, other] = [{} as any, {} as any];
	assert.deepEqual([askedOf(one, 'a', 'b'), askedOf(one, 'a', 'b'), askedOf(one, 'a', 'c')], ['a b 1', 'a b 1', 'a c 2']);
	assert.equal(askedOf(other, 'a', 'b'), 'a b 3');
});
