import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../options/settings.ts';
import { describedAs } from '../../target/described.ts';
import type { TargetRun } from '../run-target.ts';
import { targetOf } from './target.ts';

const hostsCalled: (names: string[]) => any = (names) => ({ names, outages: [] });
const asked: (env: Record<string, string>, command?: 'run' | 'swarm') => TargetRun = (env, command = 'run') => ({
	...describedAs('2a'),
	settings: readSettings('2a', { LOAD: 'smoke', ...env }, { command }),
});

test('what a run is told of the machine and the load stands in the target, before anything is made', async () => {
	const run = asked({ BUSY: 'allow', DASHBOARD: '1', CAPTURE: '1', FAULT: 'kill app-2@3s+2s' });
	const { project, group, capture, settings, fingerprints } = await targetOf(run);
	assert.deepEqual([project, group, capture, settings, fingerprints], ['doubletake', '2a', true, run.settings, undefined]);
	assert.equal((await targetOf({ ...run, group: 'selftest' })).group, 'selftest');
});

test('on a Swarm nothing is published here, and a fault names a host that there is', async () => {
	const run = asked({ FAULT: 'drain host2@3s+2s' }, 'swarm');
	assert.deepEqual(await (await targetOf({ ...run, hosts: hostsCalled(['host1', 'host2']) })).published(), []);
	await assert.rejects(targetOf({ ...run, hosts: hostsCalled(['host1']) }), /expected one of the hosts host1 .*; found "host2"/);
});

test('the faults of a system are those that name it, and without the lab it is what was published, where that is the same', async () => {
	const { faults, bareArms } = await targetOf(asked({}));
	assert.ok(faults().size > 0 && [...faults().values()].every(({ on }) => on?.architecture === '2a'));
	assert.deepEqual(bareArms, {});
	const one = await targetOf({ ...describedAs('a'), settings: readSettings('a', {}) });
	assert.deepEqual(Object.keys(one.bareArms), ['plain', 'app', 'generator', 'unobserved']);
});
