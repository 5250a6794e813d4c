import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readIfThere } from '../../base/bounded-file.ts';
import { readProject } from '../../catalog/project-file.ts';
import { PROJECT_FILE } from '../../catalog/project-schema.ts';
import { planOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { loadFingerprint } from '../../run/project/fingerprint.ts';
import type { Attempt } from '../plan.ts';
import { imagesOf } from '../plan.ts';
import { settingsOf } from '../planned-systems.ts';
import { openPlanned } from '../systems.ts';
import { loadUnder } from './experiment-file.ts';

const resolved = { title: '', given: [], compose: [], commit: null, absent: [], fingerprint: '' };
const arms = ['POOL=8', 'POOL=32'].map((id) => ({ id, architecture: 'shop', resolved }));
const shape = { title: 'a load', model: 'closed' as const, unit: 'users' as const, warmup_s: 3, stages: [] };
const LOADS = { steps: { shape, change: {} }, heavy: { shape, change: { users: 9 } } };
const FILE =
	'compose: [compose.yaml]\nentry: http://web:80/\nservices:\n  web: { tier: app, product: opaque, watch: 0 }\nload:\n  urls: ["GET /"]\n';
const attempt: (arm: string, images?: Record<string, string>) => Attempt = (arm, images) => ({
	block: 1,
	arm,
	run: 'compare/x/runs/1',
	validity: 'VALID',
	took_s: 40,
	images,
});

/**
 * Prepares the runs of a plan of two loads, in a folder of its own.
 * @param file doubletake.yaml; null: there is none
 * @param fingerprints as they were before the first run, by load; those of today unless given
 */
async function prepared(file: string | null, fingerprints: Record<string, string> = {}) {
	const here = process.cwd();
	const folder = await realpath(await mkdtemp(join(os.tmpdir(), 'doubletake-test-')));
	try {
		process.chdir(folder);
		if (file !== null) await writeFile(PROJECT_FILE, file);
		const { load, ...project } = file === null ? { load: {} } : await readProject(folder);
		const today = (name: 'steps' | 'heavy') =>
			loadFingerprint({ ...project, load: loadUnder(load, name, LOADS[name].change) } as any, readIfThere, folder);
		const loads = Object.fromEntries(
			(['steps', 'heavy'] as const).map((name) => [
				name,
				{ ...LOADS[name], fingerprint: fingerprints[name] ?? (file === null ? '' : today(name)) },
			]),
		);
		const plan = planOf({ arms, experiment: 'compare', load: 'steps', loads, allow_data: false });
		const progress = { say: () => {}, load: () => {}, done: () => {} };
		const systems = openPlanned({ plan, progress, signal: new AbortController().signal });
		await systems.prepare().finally(() => systems.close());
	} finally {
		process.chdir(here);
		await rm(folder, { recursive: true });
	}
}

test('the runs of an own system are made in the folder of its doubletake.yaml, and not without one', async () => {
	await assert.rejects(prepared(null), /^NotReadyError: compare: expected doubletake\.yaml in /);
});

test('a run is not made under another load than those that the plan was made for', async () => {
	await prepared(FILE);
	for (const load of ['steps', 'heavy'])
		await assert.rejects(
			prepared(FILE, { [load]: 'another' }),
			/^NotReadyError: doubletake\.yaml: expected it and the files of its load as they were/,
		);
});

test('what was built for an arm is what its last run had, and no other arm’s', () => {
	const attempts = [
		attempt('POOL=8', { web: 'sha256:1' }),
		attempt('POOL=8', { web: 'sha256:2' }),
		attempt('POOL=32', { web: 'sha256:3' }),
	];
	assert.deepEqual(imagesOf({ attempts }, 'POOL=8'), { web: 'sha256:2' });
	assert.deepEqual(imagesOf({ attempts: [] }, 'POOL=8'), {});
});

test('a run has the options of all runs, and in the place of them those of its arm', () => {
	const arm = { id: 'x', architecture: 'shop', resolved: { ...resolved, options: { RETRIES: '3', BUDGET: 'web=0.5' } } };
	const loads = { busy: { ...LOADS.steps, fingerprint: '' } };
	const plan = planOf({ arms: [arm], load: 'busy', loads, variables: { LOAD: 'open', RATE: '50', RETRIES: '1' } });
	const { load, rate, client, cores } = settingsOf(plan, 'x');
	assert.deepEqual([load, rate, client?.retries, cores], ['open', 50, 3, { web: 0.5 }]);
});
