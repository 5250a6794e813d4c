import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack } from '../../waiting/fixtures/made-stack.js';
import { waitingSection } from './waiting.js';

/** @param {MadeStack} stack */
const sectionOf = (stack) => waitingSection(/** @type {any} */ ({ waiting: stack.follow() }));

test('the conclusion comes first, then the way with good and failed, then how it is known', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at, index) => {
    const status = at >= 5 && index % 5 === 0 ? 500 : 200;
    stack.call('k6 lb', at, at + 0.02, { status });
    stack.call('lb <b>', at + 0.001, at + 0.019, { status });
  });
  const text = String(sectionOf(stack)).replace(/\p{Zs}/gu, ' ');
  const parts = [
    '&lt;b&gt; answered 500 by itself: 50 failed requests',
    'lb → &lt;b&gt;: answered 500 (with 100 % of the failed requests and 0 % of the good ones, joined by order)',
    'Place: counted; reason: counted; requests: GET /',
    '50 of 50 failed requests were followed.',
  ];
  const places = parts.map((part) => text.indexOf(part));
  assert.ok(
    places.every((place) => place > 0),
    `${places}\n${text}`,
  );
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  assert.ok(!text.includes('<b>'));
});

test('a service without a reason on record is said to have none', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at, index) =>
    stack.call('k6 web', at, at + (index % 5 ? 0.01 : 2), index % 5 ? {} : { end: 'given-up', by: 'client' }),
  );
  assert.ok(String(sectionOf(stack)).includes('web is where 60 failed requests stood or ended; why is not on record'));
});

test('a run that failed nothing, and a result from before, have no section', () => {
  const stack = new MadeStack();
  each(-5, 30, 0.1, (at) => stack.call('k6 web', at, at + 0.01));
  assert.equal(sectionOf(stack), null);
  assert.equal(waitingSection(/** @type {any} */ ({})), null);
});
