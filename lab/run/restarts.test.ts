import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restartPolicyOf } from '../target/restart-policy.ts';
import { endRestarts, letRestart } from './restarts.ts';

/** @param policies by service, as a Compose file has them */
const modelsOf = (policies: Record<string, string>) =>
	Object.entries(policies).map(([service, restart]) => ({ service, restartPolicy: restartPolicyOf({ restart }) }));
/** @param names of containers, some of which are of one service */
const stackOf = (...names: string[]) => names.map((name) => ({ id: `id of ${name}`, name, service: name.replace(/-\d$/, '') }));

test('when the stack is up the engine is asked what each file says of an end, container by container, and the record has it', async () => {
	const asked: [string, object][] = [];
	const tell = async (id: string, policy: object) => asked.push([id, policy]);
	const models = modelsOf({ web: 'unless-stopped', job: 'no', worker: 'on-failure:3' });
	const { facts, notes } = await letRestart(stackOf('web-1', 'web-2', 'job', 'worker', 'unknown'), models, tell);
	assert.deepEqual(asked, [
		['id of web-1', { name: 'unless-stopped', most: 0 }],
		['id of web-2', { name: 'unless-stopped', most: 0 }],
		['id of worker', { name: 'on-failure', most: 3 }],
	]);
	assert.deepEqual(facts, { restart_policies: { web: 'unless-stopped', worker: 'on-failure:3' }, restarts: {} });
	assert.deepEqual(notes, []);
});

test('a policy that the engine does not take is said, and the record knows that an end stays an end', async () => {
	const tell = async (id: string) => {
		if (id === 'id of web') throw Object.assign(new Error('(HTTP code 500)'), { json: { message: 'no such update\nat all' } });
	};
	const { facts, notes } = await letRestart(stackOf('web', 'worker'), modelsOf({ web: 'always', worker: 'on-failure' }), tell);
	assert.deepEqual(facts, { restart_policies: { worker: 'on-failure' }, restarts: { web: 'always' } });
	assert.deepEqual(notes, [
		'web is not started again if it ends while the load goes on, as its Compose file has it (restart: always): the engine did not take that (no such update).',
	]);
});

test('at the end of a run nothing comes up again, and a container that is gone is no error', async () => {
	const asked: unknown[] = [];
	await endRestarts(stackOf('web', 'gone', 'job'), {
		isAgain: async (id) => id !== 'id of job',
		tell: async (id, { name }) => {
			asked.push([id, name]);
			if (id === 'id of gone') throw new Error('no such container');
		},
	});
	assert.deepEqual(asked, [
		['id of web', 'no'],
		['id of gone', 'no'],
	]);
});
