import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../record/types.js';
import { clientText } from './client-words.ts';
import { queueText } from './wire-beside-rows.ts';

const queue = {
	accepted: 1000,
	completed: 900,
	completed_in_load: 400,
	failed: 10,
	left: 40,
	lost: 50,
	unlogged: 5,
	lag_ms: { p50: 100, p95: 4000, p99: 5000, max: 6000 },
	backlog: [0, 300, 120],
	oldest_s: [0, 2.5, 1],
	drained_after_s: null,
};

test('accepted and done are two figures, and what was lost is said', () => {
	const text = String(queueText({ queue, gone_writes: null, duration_s: 10 })).replaceAll(/\s/gu, ' ');
	assert.match(text, /^1,000 writes were accepted, 100 rps; 40 rps were completed during the load\. /);
	assert.match(text, /900 were completed \(90 %\), 10 failed, and are gone, 40 are still in the queue, 50 were lost\./);
	assert.match(text, /The backlog reached 300, its oldest waited 2\.5 s\. /);
});

test('beside writes that are gone by their ids nobody says that none was lost', () => {
	const given = { queue: { ...queue, failed: 0, lost: 0 }, gone_writes: null, duration_s: 10 };
	assert.match(String(queueText(given)), /, 0 were lost\./);
	const gone = { count: 5, at_least: false, text: '5 accepted writes are gone.', to_do: [] };
	assert.doesNotMatch(String(queueText({ ...given, gone_writes: gone })), /0 were lost/);
});

test('what is not known is said to be so, and without a queue there is nothing to say', () => {
	const text = String(queueText({ queue: { ...queue, left: null, lost: null }, gone_writes: null, duration_s: 10 }));
	assert.match(text, /how many are still in the queue is not known, how many were lost is not known/);
	assert.equal(queueText({ queue: null, gone_writes: null, duration_s: 10 }), null);
});

const CLIENT = {
	timeout_ms: 3000,
	retries: 4,
	backoff_ms: 0,
	budget_percent: null as number | null,
	retry_after: false,
	requests: 1000,
	gave_up: 50,
	attempts: 2600,
	amplification: 2.6,
	latency_ms_ok: { p50: 12, p95: 900, p99: 2000, max: 3100 },
};

const reported = (given: Partial<NonNullable<Result['client']>> = {}) =>
	clientText({ client: { ...CLIENT, ...given } })?.replaceAll('\u00a0', ' ');

test('what users do and what they got is one text', () => {
	assert.equal(
		reported(),
		'Users wait for 3 s and try again up to 4 times, at once. Of their 1,000 requests 95 % succeeded, at 2.6 attempts each; p95 900 ms, all attempts together.',
	);
	assert.match(
		String(reported({ timeout_ms: null, backoff_ms: 100, budget_percent: 10, retry_after: true })),
		/^Users try again up to 4 times, after 100 ms and twice as long each time, of which they wait a random part, as long as Retry-After says, 10 % of their requests at most\. /,
	);
});

test('one attempt each is one', () => assert.match(String(reported({ amplification: 1 })), /at 1 attempt each/));

test('users as published are not told of', () => assert.equal(clientText({ client: null }), null));
