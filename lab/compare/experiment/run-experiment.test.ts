import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { planOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { listen } from '../../fixtures/reporter.ts';

const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-conduct-'));
after(() => rm(folder, { recursive: true }));
// Read once, as the lab is loaded.
process.env.DOUBLETAKE_REPORTS = join(folder, 'reports');
const { runPlan } = await import('./command.ts');
const { quietly } = await import('../plan.ts');

const said: string[] = [];
const progress = { say: (text: string) => void said.push(text), load: () => {}, done: () => {} };

/** Of a system whose doubletake.yaml is not there, so that no run can be made. */
const plan = () =>
	planOf({
		arms: ['POOL=8', 'POOL=32'].map((id) => ({
			...{ id, architecture: 'shop' },
			resolved: { title: id, given: [id], compose: [], commit: null, absent: [], fingerprint: id },
		})),
		load: 'steps',
		loads: {
			steps: { shape: { title: 'a load', model: 'closed', unit: 'users', warmup_s: 3, stages: [] }, change: {}, fingerprint: 'f1' },
		},
		allow_data: false,
	});
const carriedOut = () => {
	said.length = 0;
	const { reporter, signal } = listen().around;
	return runPlan({ plan: plan(), reporter: { ...reporter, progress }, signal, goOn: 'RESUME=here doubletake compare' });
};
const isKept = () => said.includes('what was measured is kept; go on with: RESUME=here doubletake compare');

test('a comparison that ends in its middle says how to go on, and why it ended', async () => {
	const here = process.cwd();
	process.chdir(folder);
	try {
		await assert.rejects(carriedOut(), { name: 'NotReadyError' });
		assert.ok(isKept(), said.join('\n'));
	} finally {
		process.chdir(here);
	}
});

test('where not even its plan could be written there is nothing to go on with', async () => {
	await rm(join(folder, 'reports'), { recursive: true });
	await writeFile(join(folder, 'reports'), 'no folder');
	await assert.rejects(carriedOut(), { code: 'EEXIST' });
	assert.ok(!isKept(), said.join('\n'));
	await rm(join(folder, 'reports'));
	await mkdir(join(folder, 'reports'));
});

test('among many runs it is said that one waits for a quiet machine, what is the same in each is said once, and what each of them does is not', () => {
	said.length = 0;
	const { say } = quietly(progress, new Set());
	for (const text of ['the machine is 40 % busy; waiting up to 60 s for it to be quiet', 'taking the stack down', 'note: one', 'note: one'])
		say(text);
	assert.deepEqual(said, ['the machine is 40 % busy; waiting up to 60 s for it to be quiet', 'note: one']);
});
