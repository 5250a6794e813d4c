import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsFor } from './options.js';
import { shapes, WARMUP_USERS } from './shapes.js';

test('a ramp begins with one user, and a shape that is held from its start with all of them', () => {
	const startOf = (/** @type {string} */ shape) => /** @type {any} */ (optionsFor(shapes[shape]({})).scenarios.load).startVUs;
	assert.deepEqual(['ramp', 'plateaus', 'full'].map(startOf), [1, 1, 50]);
});

test('the warm-up has the users that its shape asks for', () => {
	assert.equal(optionsFor(shapes.ramp({})).scenarios.warmup.vus, WARMUP_USERS);
	assert.equal(optionsFor(shapes.full({})).scenarios.warmup.vus, 50);
});

test('a warm-up of arrivals sends as many as its shape says, with the users of the load', () => {
	const { warmup, load } = /** @type {any} */ (optionsFor(shapes.surge({ RATE: '400' })).scenarios);
	assert.deepEqual([warmup.executor, warmup.rate, warmup.exec], ['constant-arrival-rate', 200, 'warmup']);
	assert.deepEqual([warmup.maxVUs, warmup.preAllocatedVUs], [load.maxVUs, load.preAllocatedVUs]);
});

test('the metrics that the lab asks k6 for have the tags that they are told apart by, and k6 keeps no others', () => {
	const { systemTags, thresholds } = optionsFor(shapes.ramp({}));
	const asked = Object.keys(thresholds).flatMap((metric) => [...metric.matchAll(/([a-z_]+):/g)].map(([, tag]) => tag));
	assert.deepEqual(new Set(systemTags), new Set(asked));
});
