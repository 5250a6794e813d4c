import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restartPolicyOf, restartsAfter, spelt } from './restart-policy.ts';

const speltOf = (service: Parameters<typeof restartPolicyOf>[0]) => spelt(restartPolicyOf(service));
const deployed = (policy: any) => speltOf({ restart: 'always', deploy: { restart_policy: policy } });

test('a policy is what the file says, with its number of times', () => {
	for (const restart of ['no', 'always', 'unless-stopped', 'on-failure', 'on-failure:3']) assert.equal(speltOf({ restart }), restart);
	assert.equal(speltOf({}), 'no');
});

test('what is said under deploy counts in the place of the other', () => {
	assert.equal(deployed({ condition: 'none' }), 'no');
	assert.equal(deployed({ condition: 'on-failure', max_attempts: 2, delay: '5s' }), 'on-failure:2');
	assert.equal(deployed({ condition: 'unless-stopped' }), 'unless-stopped');
	assert.equal(deployed(null), 'always');
	assert.equal(deployed({ max_attempts: 2 }), 'no', 'Compose takes no condition for none');
});

test('a number of times stands beside failures alone, because the engine refuses it elsewhere', () => {
	assert.equal(deployed({ condition: 'any', max_attempts: 2 }), 'always');
	assert.equal(speltOf({ restart: 'always:3' }), 'always');
});

test('a word that no engine knows starts nothing again', () => {
	for (const restart of ['constructor', 'sometimes', '']) assert.equal(speltOf({ restart }), 'no');
	assert.equal(deployed({ condition: 'constructor' }), 'no');
});

test('after which ends it is started again follows from the policy', () =>
	assert.deepEqual(
		['no', 'always', 'unless-stopped', 'on-failure:3'].map((restart) => restartsAfter(restartPolicyOf({ restart }))),
		['never', 'always', 'always', 'failure'],
	));
