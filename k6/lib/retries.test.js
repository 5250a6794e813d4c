import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from './random.js';
import { GIVES_UP, newRetries, policyOf } from './retries.js';

/** @type {(given: Partial<import('./retries.js').Policy>, random?: () => number) => ReturnType<typeof newRetries>} */
const retriesOf = (given, random = () => 0.5) =>
	newRetries({ retries: 3, backoffMs: 0, budget: null, retryAfter: false, ...given }, random);

test('a request is tried again so often, and the next one too', () => {
	const { begin, after } = retriesOf({ retries: 2 });
	for (const _ of [1, 2]) {
		begin();
		assert.deepEqual([after(undefined), after(undefined), after(undefined)], [0, 0, GIVES_UP]);
	}
});

test('a backoff doubles, of which a random part is waited, and has an end', () => {
	const { begin, after } = retriesOf({ retries: 10, backoffMs: 100 });
	begin();
	const waited = Array.from({ length: 10 }, () => after(undefined));
	assert.deepEqual(waited, [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
});

test('a budget of a tenth lets a tenth of the requests be tried again, however many fail', () => {
	const random = randomOf(7);
	let tried = 0;
	for (let user = 0; user < 200; user += 1) {
		const { begin, after } = retriesOf({ budget: 0.1 }, random);
		for (let request = 0; request < 50; request += 1) {
			begin();
			while (after(undefined) !== GIVES_UP) tried += 1;
		}
	}
	assert.ok(tried > 900 && tried < 1100, `${tried} of 10,000`);
});

test('what was saved in calm times is one retry and no more', () => {
	const { begin, after } = retriesOf({ budget: 0.1 });
	for (let request = 0; request < 1000; request += 1) begin();
	assert.deepEqual([after(undefined), after(undefined)], [0, GIVES_UP]);
});

test('Retry-After is waited for where the user heeds it, and is a number of seconds', () => {
	const heeds = retriesOf({ retryAfter: true, backoffMs: 100 });
	heeds.begin();
	assert.deepEqual([heeds.after('2'), heeds.after(undefined), heeds.after('Wed, 21 Oct 2026 07:28:00 GMT')], [2000, 100, 200]);
	const deaf = retriesOf({});
	deaf.begin();
	assert.equal(deaf.after('2'), 0);
});

test('without RETRIES there is no policy', () => {
	assert.equal(policyOf({}), null);
	assert.equal(policyOf({ RETRIES: '', BACKOFF: '100' }), null);
	assert.deepEqual(policyOf({ RETRIES: '4', RETRY_BUDGET: '10', BACKOFF: '', RETRY_AFTER: '1' }), {
		retries: 4,
		backoffMs: 0,
		budget: 0.1,
		retryAfter: true,
	});
});
