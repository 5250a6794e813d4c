import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadEnd, Result } from '../../record/types.js';
import { failingResult, healthyResult } from '../fixtures/results.ts';
import { stagesSection } from './headline-figures.ts';
import { verdictSection } from './verdict.ts';

const shown = (result: Result) => String(stagesSection(result)?.text).replaceAll('\u00a0', ' ');

test('a stage shows how many requests it had, whose percentiles these are, and all stages have all of them', () => {
	const { stages } = healthyResult();
	const text = shown({ ...healthyResult(), stages: stages.map((stage) => ({ ...stage, requests: 4321, latency_ms_p95_ok: 436 })) });
	assert.match(text, /Requests.*4,321.*436 ms/s);
	assert.match(text, /A request counts in the stage in which it ended/);
	assert.doesNotMatch(text, /typical second/);
});

test('of a record that tells no single request a percentile is called that of a typical second, and nothing else', () => {
	const { stages } = failingResult();
	const text = shown({ ...failingResult(), stages: stages.map((stage) => ({ ...stage, requests: null })) });
	for (const rank of ['p50', 'p95', 'p99']) assert.match(text, new RegExp(`typical second’s</span> ${rank}`));
	assert.match(text, /no percentile of the stage/);
	assert.doesNotMatch(text, /Requests/);
});

test('the page says when and why a load ended before its time', () => {
	const text = 'The load ended after 19.1 s of at most 60 s: all its iterations were done.';
	const page = (end: LoadEnd | null) => String(verdictSection({ ...healthyResult(), load_end: end }).text);
	assert.ok(page({ after_s: 19.1, most_s: 60, text }).includes(text));
	assert.doesNotMatch(page(null), /The load ended/);
});
