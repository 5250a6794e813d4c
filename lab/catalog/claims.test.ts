import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures, scenarioOf } from './architectures.ts';
import { armsIn, armsOfClaim, armsOfTest, claimsOf } from './claims.ts';
import { experiments } from './experiments.ts';
import { metricOf } from './metrics.ts';
import { shapeOf } from './scenarios.ts';

const claims = Object.keys(experiments).flatMap((id) => claimsOf(id, 2));

test('every claim names an experiment, and in its tests only arms and metrics that there are', () => {
	for (const { id, experiment, tests, relief } of claims) {
		const arms = experiments[experiment].arms.map((arm) => arm.id);
		const named = tests.flatMap(armsOfTest);
		for (const arm of [...named, ...(relief ? [relief.before, ...relief.rows.map((row) => row.arm)] : [])])
			assert.ok(arms.includes(arm), `${id} names the arm ${arm}, which ${experiment} does not have`);
		for (const part of tests) if (part.kind === 'compare') assert.ok(metricOf(part.metric));
		assert.ok(tests.length > 0 && tests.every(({ threshold }) => Number.isFinite(threshold)), id);
	}
});

test('claims name the experiment in whose folder they are', () => {
	for (const id of Object.keys(experiments)) for (const { experiment } of claimsOf(id)) assert.equal(experiment, id);
});

test('ids of claims are unique', () => {
	assert.equal(new Set(claims.map(({ id }) => id)).size, claims.length);
});

test('every experiment names architectures, a load, and in its pairs and its curve its own arms', () => {
	for (const [id, { arms, pairs, load, curve }] of Object.entries(experiments)) {
		const ids = arms.map((arm) => arm.id);
		assert.equal(new Set(ids).size, ids.length, id);
		for (const { architecture } of arms) assert.ok(architectures[architecture], `${id}: ${architecture}`);
		for (const arm of [...pairs.flat(), ...Object.keys(curve?.x ?? {})]) assert.ok(ids.includes(arm), `${id}: ${arm}`);
		const scenario = scenarioOf(arms[0].architecture);
		assert.ok(shapeOf(scenario, load), id);
		// One load cannot be two things.
		assert.ok(
			arms.every(({ architecture }) => scenarioOf(architecture) === scenario),
			`${id}: one scenario`,
		);
		if (curve) assert.ok(metricOf(curve.metric));
	}
});

test('a metric that is not there is an error', () => {
	assert.throws(() => metricOf('speed'), /no metric speed/);
});

test('a claim that replaces another has an id of its own, and the other one is gone', () => {
	for (const { id, replaces } of claims.filter((claim) => claim.replaces !== undefined))
		assert.ok(!claims.some((claim) => claim.id === replaces), `${id} replaces ${replaces}, which is still there`);
});

test('a claim is about the arms of its tests, its relief and its sentences, each once', () => {
	const d3 = claimsOf('doubling').find(({ id }) => id === 'D3');
	assert.deepEqual(d3 && armsOfClaim(d3).toSorted(), ['2a', '2a-keepalive', '2a-pool500', '2a-slots']);
});

test('a test on the published file needs no arm', () => {
	const [d5a] = claimsOf('doubling').filter(({ id }) => id === 'D5a');
	assert.deepEqual(d5a.tests.flatMap(armsOfTest), []);
});

test('a sentence names arms by their figures alone', () => {
	assert.deepEqual(armsIn('{goodput_rps@2a} against {lost@a-lb}, {test 1}'), ['2a', 'a-lb']);
});
