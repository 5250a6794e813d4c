import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { Project } from '../catalog/project-schema.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-rate-'));
const reports = join(folder, 'reports');
after(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(reports, { recursive: true, force: true }));
process.env.DOCKER_HOST = `unix://${join(folder, 'no-engine.sock')}`;
process.env.DOUBLETAKE_REPORTS = reports;
const { describeMachine } = await import('../docker/lock.ts');
const { readSettings } = await import('../options/settings.ts');
const { VERSIONS } = await import('../record/versions.ts');
const { measuredFor, shapeOfShare, withRate } = await import('./measured-rate.ts');

const machine = await describeMachine();
const fingerprints = { files: 'f', load: 'l' };
const stage = { unit: 'users', target: 50, held: true, goodput_rps: 130 };
const RESULT = {
	...{
		schema: VERSIONS.result,
		validity: { verdict: 'VALID', reasons: [] },
		interrupted: false,
		faults: [],
		bottleneck: { tier: 'app', evidence: [] },
	},
	// A second without users' full number may have more.
	stages: [{ ...stage, target: 10, goodput_rps: 40 }, stage, { ...stage, held: false, goodput_rps: 150 }],
};
const MANIFEST = { machine, system: { fingerprints }, quotas_cores: {}, images: [{ name: 'web', image: 'web:1' }] };

function putRun(name: string, result: object = {}, manifest: object = {}): void {
	const at = join(reports, 'shop', name);
	mkdirSync(at, { recursive: true });
	writeFileSync(join(at, 'result.json'), JSON.stringify({ ...RESULT, started: name, ...result }));
	writeFileSync(join(at, 'manifest.json'), JSON.stringify({ ...MANIFEST, ...manifest }));
}

const asked: (env?: Record<string, string>, load?: object) => ReturnType<typeof measuredFor> = (env = {}, load = { urls: ['GET /'] }) => {
	const project = { load } as Project;
	return measuredFor({
		...{ settings: readSettings('shop', { LOAD: 'constant', RATE: '40%', ...env }), project, env },
		fingerprints: async () => fingerprints,
	});
};

test('a share is of the most that users were answered well in a held part of the newest VALID run under them', async () => {
	putRun('2026-01-01', { stages: [{ ...stage, goodput_rps: 500 }] });
	putRun('2026-01-02');
	putRun('2026-01-03', { validity: { verdict: 'SUSPECT', reasons: [] } });
	putRun('2026-01-04', { stages: [{ ...stage, unit: 'rps', goodput_rps: 52 }] });
	putRun('2026-01-05', { faults: [{}] });
	const measured = await asked();
	assert.equal(measured?.rate, 52);
	assert.match(
		String(measured?.said),
		/^RATE=40% is 52 requests a second, of the 130 good answers a second that \S*reports\/shop\/2026-01-02 gave at most, to 50 users; full there: the app\.$/,
	);
	assert.deepEqual(measured?.images, MANIFEST.images);
	const shape = { title: '52 requests a second for 100 s', unit: 'rps' as const, stages: [] };
	assert.match(
		shapeOfShare(shape as any, measured).title,
		/^52 requests a second for 100 s \(40 % of the 130 good answers a second that \S*reports\/shop\/2026-01-02 gave at most\)$/,
	);
	assert.equal(shapeOfShare(shape as any, null).title, shape.title);
	assert.equal(measured && withRate({ RATE: '40%' }, measured).RATE, '52');
});

test('where nothing was full, that is said; a run may be named', async () => {
	putRun('2026-01-01', { bottleneck: null });
	putRun('2026-01-02');
	assert.match(
		String((await asked({ RUN: join(reports, 'shop/2026-01-01') }))?.said),
		/2026-01-01 gave .*; nothing was seen to be full there/,
	);
});

test('without a run there is nothing to be a share of, and the refusal says how to make one', async () => {
	await assert.rejects(asked(), /^NotReadyError: RATE=40%: expected a VALID run of shop [\s\S]*found none\.\n.*"LOAD=hold doubletake run"/);
	await assert.rejects(asked({ RUN: join(folder, 'none') }), /RUN: expected the folder of a run, .*; found ".*none"/);
});

for (const [what, result, manifest, why] of [
	['another machine', {}, { machine: { ...machine, cores: 999 } }, /of another machine \(999 cores /],
	['an earlier lab', {}, { system: {} }, /whose record does not say what was measured/],
	['other files', {}, { system: { fingerprints: { ...fingerprints, files: 'other' } } }, /of which Compose made something else/],
	['other requests', {}, { system: { fingerprints: { ...fingerprints, load: 'other' } } }, /of which doubletake\.yaml said something else/],
	['other quotas', {}, { quotas_cores: { web: 1 } }, /with another BUDGET/],
	['a generator at its limit', { bottleneck: { tier: 'generator', evidence: [] } }, {}, /in which the generator was the limit/],
	['nothing served', { stages: [{ ...stage, goodput_rps: 0 }] }, {}, /less than one good answer/],
] as [string, object, object, RegExp][])
	test(`a run of ${what} says nothing of the system`, async () => {
		putRun('2026-01-01', result, manifest);
		await assert.rejects(asked(), why);
	});

test('a named run that is no measure is refused, and so is a share for a script; a number and a scenario ask for no run', async () => {
	putRun('2026-01-01', { validity: { verdict: 'INVALID', reasons: [] } });
	await assert.rejects(asked({ RUN: join(reports, 'shop/2026-01-01') }), /found .*, which is INVALID/);
	assert.equal(await asked({ RATE: '50' }), null);
	assert.equal(await asked({}, { scenario: 'documents' }), null);
	await assert.rejects(asked({}, { script: 'load.js' }), /expected none, because the load is load\.js/);
});
