import assert from 'node:assert/strict';
import { test } from 'node:test';
import { once } from './asked.js';

test('what is asked of the same record and names again is not found out again', () => {
  let times = 0;
  const askedOf = once((_seen, from, to) => {
    times += 1;
    return `${from} ${to} ${times}`;
  });
  const [one, other] = [/** @type {any} */ ({}), /** @type {any} */ ({})];
  assert.deepEqual([askedOf(one, 'a', 'b'), askedOf(one, 'a', 'b'), askedOf(one, 'a', 'c')], ['a b 1', 'a b 1', 'a c 2']);
  assert.equal(askedOf(other, 'a', 'b'), 'a b 3');
});
