import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../options/settings.ts';
import type { AskedLoad } from './run-options.ts';
import { askedLoad, checkBudget, checkIntegrity, notesOfNames } from './run-options.ts';

const listed = { urls: ['GET /'], shape: 'brief' as const, users: 40, think_ms: 500 };
const settingsOf = (env: Record<string, string>) => readSettings('shop', env);
const asked: (env: Record<string, string>) => AskedLoad = (env) => askedLoad(listed, settingsOf(env));

test('where nothing is given the load is what doubletake.yaml says', () => {
	const { load, users, thinkTimeS, client, generators, shape } = asked({});
	assert.deepEqual([load, users, thinkTimeS, client, generators], ['brief', 40, 0.5, null, 1]);
	assert.equal(shape.stages.at(-1)?.target, 40);
});

test('users and think time that are given stand in the place of those, and other loads have its users', () => {
	const { load, users, thinkTimeS, shape } = asked({ LOAD: 'ramp', THINK: '0' });
	assert.deepEqual([load, users, thinkTimeS], ['ramp', 40, 0]);
	assert.deepEqual(
		shape.stages.map(({ target }) => target),
		[2, 10, 20, 40],
	);
	assert.equal(asked({ USERS: '8' }).shape.stages.at(-1)?.target, 8);
});

test('at a rate as many may wait as their patience and their retries want', () => {
	assert.deepEqual(
		[settingsOf({ LOAD: 'open', RATE: '40%' })].map(({ rate, rate_share: share }) => [rate, share]),
		[[null, 0.4]],
	);
	const { rate, shape } = asked({ LOAD: 'constant', RATE: '50' });
	assert.deepEqual([rate, shape.stages.at(-1)?.target, shape.usersMost], [50, 50, 2000]);
	assert.equal(asked({ LOAD: 'constant', RATE: '200', TIMEOUT: '5000', RETRIES: '1' }).shape.usersMost, 2500);
});

test('what a load does not take is refused with one that does', () => {
	const refused = (env: Record<string, string>, message: RegExp) => assert.throws(() => settingsOf(env), message);
	refused({ RATE: '50' }, /RATE: expected none, because LOAD=steps has no rate to be set; found "50"[\s\S]*use LOAD=open/);
	refused({ LOAD: 'open' }, /LOAD=open: expected RATE with it; found none[\s\S]*RATE=50 LOAD=open/);
	refused({ LOAD: 'open', RATE: '50', USERS: '9' }, /USERS: expected none, because LOAD=open has users of its own/);
	refused({ LOAD: 'patient' }, /LOAD: expected one of steps, brief, hold, ramp, /);
	refused({ USERS: '6000' }, /use GENERATORS=2/);
	refused({ GENERATORS: '2', DASHBOARD: '1' }, /DASHBOARD: expected none with GENERATORS=2/);
	refused({ RETRY_AFTER: '1' }, /RETRY_AFTER: expected RETRIES with it/);
});

test('a k6 script of the user’s own is run as it is: what it cannot be told is refused with how it says so itself', () => {
	for (const [env, message] of [
		[
			{ LOAD: 'constant', RATE: '50' },
			/LOAD: expected none, because the load is load\.js, a k6 script of yours, .*; found "LOAD=constant"/,
		],
		[{ USERS: '50' }, /To do: write the users into its options \(vus, stages\), or put urls or openapi in its place/],
		[{ RETRIES: '2' }, /To do: let it ask again itself/],
		[{ GENERATORS: '2' }, /To do: one k6 runs it/],
		[{ INTEGRITY: '1' }, /INTEGRITY: expected none, .*; found "INTEGRITY=1"[\s\S]*nobody knows which of its requests store what/],
	] as [Record<string, string>, RegExp][])
		assert.throws(() => askedLoad({ script: 'load.js' }, settingsOf(env)), message);
	assert.equal(askedLoad({ script: 'load.js' }, settingsOf({ BUDGET: 'web=0.5' })).generators, 1);
});

test('a budget is cores by service, which are there and fewer than all', () => {
	const { budget, cores } = settingsOf({ BUDGET: 'web=0.5, db=1' });
	assert.deepEqual([budget, cores], ['web=0.5,db=1', { web: 0.5, db: 1 }]);
	assert.deepEqual([settingsOf({}).budget, settingsOf({}).cores], ['none', null]);
	checkBudget(cores, [{ service: 'web' }, { service: 'db' }], 2);
	assert.throws(() => checkBudget(cores, [{ service: 'web' }, { service: 'store' }], 2), /services of the run, web, store; found "db"/);
	assert.throws(() => checkBudget({ web: 4 }, [{ service: 'web' }], 2), /at most the 2 cores of this machine; found web=4/);
	for (const text of ['fair', 'web', 'web=', 'web=0', 'web=0.001', 'web=x', 'web=1,web=2'])
		assert.throws(() => settingsOf({ BUDGET: text }), /^NotReadyError: BUDGET: expected/, text);
});

test('stored ids are compared where doubletake.yaml says how they are read, and a request of the load has one', () => {
	const how = { integrity: { service: 'db', command: ['psql'] } };
	const check = (body: string, headers: Record<string, string> = {}, project = how as { integrity?: typeof how.integrity }) =>
		checkIntegrity({ integrity: true }, project, { requests: [{ method: 'POST', path: '/', body }], headers });
	check('{{request_id}}');
	check('', { 'Idempotency-Key': '{{request_id}}' });
	assert.throws(
		() => check('{{request_id}}', {}, {}),
		/INTEGRITY=1: expected in doubletake\.yaml how the ids are read .*; found no "integrity" there/,
	);
	assert.throws(() => check('{request_id}'), /INTEGRITY=1: expected a request of the load with \{\{request_id\}\}/);
	checkIntegrity({ integrity: false }, {}, { requests: [], headers: {} });
});

test('an option whose name a Compose file reads is reported, because it changes the system too', () => {
	const read = (file: string) => (file === 'b.yaml' ? 'x: $RETRIES, $TIMEOUTS' : null);
	const [note, ...others] = notesOfNames({ RETRIES: '2', TIMEOUT: '5', POOL: '8' }, ['a.yaml', 'b.yaml'], read);
	assert.match(note, /^RETRIES is a variable of b\.yaml too, /);
	assert.deepEqual(others, []);
});
