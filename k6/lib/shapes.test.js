import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadDuration, loadStart, PATIENT_USERS, SETTLE_S, shapeOfRun, shapes } from './shapes.js';

test('ramp is the published one: 20 s each to 100, 500, 1,000 and 2,000 users', () => {
	const { model, unit, stages } = shapes.ramp({});
	assert.deepEqual([model, unit], ['closed', 'users']);
	assert.deepEqual(
		stages,
		[100, 500, 1000, 2000].map((target) => ({ duration_s: 20, target })),
	);
});

test('smoke has the targets of ramp and takes 12 s', () => {
	const targets = shapes.smoke({}).stages.map(({ target }) => target);
	assert.deepEqual(
		targets,
		shapes.ramp({}).stages.map(({ target }) => target),
	);
	assert.equal(loadDuration(shapes.smoke({})), 12);
});

test('patient has the numbers of users of ramp, and says how long they think', () => {
	const { stages, title, model } = shapes.patient({ THINK_TIME_S: '6.4' });
	assert.deepEqual([model, stages], ['closed', shapes.ramp({}).stages]);
	assert.match(title, /2,000 users, who think for 6\.4 s, after a failure too$/);
	assert.equal(stages.at(-1)?.target, PATIENT_USERS);
	for (const env of [{}, { THINK_TIME_S: '' }]) assert.match(shapes.patient(env).title, /what one node serves/);
});

test('calibrate holds as many users as a node has connections to MongoDB, from its first second to its last', () => {
	const { stages, warmupUsers } = shapes.calibrate({});
	assert.deepEqual(stages, [{ duration_s: 12, target: 50, held: true }]);
	assert.equal(warmupUsers, 50);
});

test('plateaus holds every target of ramp for 30 s', () => {
	const held = shapes.plateaus({}).stages.filter((stage) => stage.held);
	assert.deepEqual(
		held,
		[100, 500, 1000, 2000].map((target) => ({ duration_s: 30, target, held: true })),
	);
});

test('steps holds a quarter, a half, three quarters and all of the users for 15 s each, after a warm-up with a quarter', () => {
	const { model, unit, stages, warmup_s, warmupUsers, title } = shapes.steps({ USERS: '1200' });
	assert.deepEqual([model, unit, warmup_s, warmupUsers], ['closed', 'users', 10, 300]);
	const step = (/** @type {number} */ target) => [
		{ duration_s: 5, target },
		{ duration_s: 15, target, held: true },
	];
	assert.deepEqual(stages, [300, 600, 900, 1200].flatMap(step));
	assert.match(title, /^1,200 users in four steps/);
});

test('brief is the same in 16 s, to see whether all of it works', () => {
	const { stages, warmup_s } = shapes.brief({ USERS: '40' });
	assert.deepEqual([warmup_s, stages.length, stages.reduce((sum, { duration_s: seconds }) => sum + seconds, 0)], [3, 8, 16]);
});

test('steps has whole users, at least one, and 200 where nobody says how many', () => {
	const targets = (/** @type {string} */ USERS) =>
		shapes
			.steps({ USERS })
			.stages.filter(({ held }) => held)
			.map(({ target }) => target);
	assert.deepEqual(targets('10'), [3, 5, 8, 10]);
	assert.deepEqual(targets('1'), [1, 1, 1, 1]);
	assert.deepEqual(targets(''), [50, 100, 150, 200]);
});

test('open rises to RATE requests a second and holds it, whatever becomes of the earlier ones', () => {
	const { model, unit, stages, title } = shapes.open({ RATE: '250' });
	assert.deepEqual([model, unit], ['open', 'rps']);
	assert.ok(stages.every(({ target }) => target === 250));
	assert.equal(stages.at(-1)?.held, true);
	assert.match(title, /250/);
});

test('open without RATE, or with the empty one that Compose passes, rises to 1,000', () => {
	assert.equal(shapes.open({}).stages[0].target, 1000);
	assert.equal(shapes.open({ RATE: '' }).stages[0].target, 1000);
});

test('surge goes to RATE for ten seconds and back to half of it, which it had before', () => {
	const { model, stages, warmupRate } = shapes.surge({ RATE: '400' });
	assert.deepEqual([model, warmupRate], ['open', 200]);
	assert.deepEqual(
		stages.filter(({ held }) => held).map(({ duration_s: seconds, target, surge }) => [seconds, target, surge === true]),
		[
			[18, 200, false],
			[9, 400, true],
			[39, 200, false],
		],
	);
});

test('an open load has as many users as arrive until they give up, from the published top to what k6 has memory for', () => {
	const most = (/** @type {Record<string, string>} */ env) => shapes.surge(env).usersMost;
	assert.equal(most({ RATE: '400' }), 2000);
	assert.equal(most({ RATE: '600', TIMEOUT: '2000' }), 2000);
	assert.equal(most({ RATE: '1000', TIMEOUT: '2000' }), 2500);
	assert.equal(most({ RATE: '100', TIMEOUT: '4000', RETRIES: '4' }), 2500);
	assert.equal(most({ RATE: '1000', TIMEOUT: '60000' }), 3000);
});

test('every load begins after its warm-up and a pause, so that no request belongs to both', () => {
	for (const [id, shapeOf] of Object.entries(shapes)) {
		const shape = shapeOf({});
		assert.ok(shape.warmup_s > 0 || shape.model === 'program', id);
		// What a surge's warm-up leaves takes longer.
		assert.equal(loadStart(shape), shape.warmup_s + (id === 'surge' ? 10 : SETTLE_S), id);
	}
});

test('a run may settle for longer than its shape says', () => {
	assert.deepEqual(shapeOfRun({ SHAPE: 'surge', RATE: '400', SETTLE_S: '' }), shapes.surge({ RATE: '400' }));
	const shape = shapeOfRun({ SHAPE: 'ramp', SETTLE_S: '10' });
	assert.deepEqual([shape.settle_s, loadStart(shape)], [10, shape.warmup_s + 10]);
});
