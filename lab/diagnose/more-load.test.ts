/** What is advised after a run of a user's own system that lost nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownCommand } from '../options/known-command.ts';
import { system } from './fixtures/project-cases.ts';
import { recordOf } from './fixtures/record.ts';
import { moreLoad } from './more-load.ts';
import { resultOf } from './result.ts';

const MADE = { scenario: 'requests', shape: { model: 'closed', stages: [{ target: 200 }] }, command: 'doubletake run' };
const HEALTHY: Parameters<typeof moreLoad>[1] = {
	doubts: { ofRun: [], ofStages: [] },
	result: { validity: { verdict: 'VALID' }, metrics: { requests: 100, failures: 0 }, bottleneck: null } as any,
};

/** Nothing of it failed. */
function advised(change: (raw: any) => void = () => {}) {
	const raw = recordOf({ balanced: true, answers: [] });
	system({})(raw);
	raw.manifest.command = 'SEED=1 doubletake run';
	raw.manifest.shape.stages = [{ duration_s: 10, target: 200 }];
	change(raw);
	const { try_next: next, metrics, validity } = resultOf(raw);
	assert.equal(metrics.failures, 0);
	return { next, commands: next.map(({ command }) => command), validity };
}

test('twice the users of that run are advised, by a command that can be typed', () => {
	const { next, validity } = advised();
	assert.notEqual(validity.verdict, 'INVALID');
	assert.deepEqual(
		next.map(({ command }) => command),
		['USERS=400 SEED=1 doubletake run'],
	);
	assert.match(next[0].why, /^nothing failed, and .*: twice the users show what gives way first$/);
	assert.equal(knownCommand(next[0].command), next[0].command);
	assert.deepEqual(
		advised(({ manifest }) => {
			manifest.command = 'LOAD=hold USERS=200 SEED=1 doubletake run';
		}).commands,
		['LOAD=hold USERS=400 SEED=1 doubletake run'],
	);
});

test('of arrivals twice the rate, and of a script, which says itself how much it asks, short faults', () => {
	assert.deepEqual(
		advised(({ manifest }) => {
			manifest.command = 'LOAD=open RATE=200 SEED=1 doubletake run';
			Object.assign(manifest.shape, { model: 'open', unit: 'rps' });
		}).commands,
		['LOAD=open RATE=400 SEED=1 doubletake run'],
	);
	const [{ command }] = moreLoad({ ...MADE, scenario: 'script' }, HEALTHY);
	assert.equal(command, 'FAULTS=short REPEATS=1 doubletake selftest');
});

test('nothing of that where it would say nothing: of an INVALID run, one that was broken, an arm, a full generator, and more users than one holds', () => {
	for (const [what, change] of [
		['interrupted', ({ manifest }) => Object.assign(manifest, { interrupted: true })],
		[
			'a fault',
			({ manifest }) =>
				Object.assign(manifest, { faults: [{ text: 'kill a@1s', kind: 'kill', service: 'app-1', at_s: 1, began_s: null }] }),
		],
		['an arm', ({ manifest }) => Object.assign(manifest.system, { arm: { id: 'POOL=8' } })],
		['too many', ({ manifest }) => Object.assign(manifest.shape.stages[0], { target: 3000 })],
		['one with a name', ({ manifest }) => Object.assign(manifest, { command: 'SEED=1 doubletake run a' })],
		['no command', ({ manifest }) => Object.assign(manifest, { command: 'rm -rf .' })],
	] as [string, (raw: any) => void][])
		assert.ok(!advised(change).commands.some((command) => /USERS=|selftest/.test(command)), what);
	const [full] = moreLoad(MADE, { ...HEALTHY, result: { ...HEALTHY.result, bottleneck: { tier: 'app', evidence: [] } } });
	assert.match(full.why, /^nothing failed, and the app was at a limit: /);
	for (const given of [
		{ ...HEALTHY, result: { ...HEALTHY.result, bottleneck: { tier: 'machine', evidence: [] } } },
		{ ...HEALTHY, doubts: { ofRun: [{ rule: 'at-quota', grade: 'SUSPECT', reason: '' }], ofStages: [] } },
		{ ...HEALTHY, result: { ...HEALTHY.result, metrics: { ...HEALTHY.result.metrics, failures: 1 } } },
	] as Parameters<typeof moreLoad>[1][])
		assert.deepEqual(moreLoad(MADE, given), []);
});
