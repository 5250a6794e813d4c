import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { planOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { describeMachine } from '../../docker/lock.ts';
import { readLab } from '../../run/components.ts';

const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-baseline-'));
// Read when it is loaded.
process.env.DOUBLETAKE_REPORTS = join(folder, 'reports');
const { planComparison } = await import('./make-plan.ts');
const { REPORTS } = await import('../../base/paths.ts');
const history = join(folder, 'history');
after(() => rm(folder, { recursive: true }));
beforeEach(() => rm(history, { recursive: true, force: true }));

const { git, version } = await readLab();
const machine = (await describeMachine()) as any;

/**
 * An earlier comparison of so many blocks.
 * @param day of its start
 */
async function store(day: number, given: object = {}, runs: number = 2) {
	const name = `2026-03-0${day}T000000Z-aaaa`;
	const attempts = Array.from({ length: runs }, (_, index) => ({
		block: index + 1,
		arm: 'a',
		run: `compare/${name}/runs/${day}-${index}`,
		validity: 'VALID',
		took_s: 50,
	}));
	const same = { git, lab: { version }, machine, load: 'smoke', budget: 'none' };
	const plan = planOf({
		id: `compare/${name}`,
		started: `2026-03-0${day}T00:00:00.000Z`,
		arms: [{ id: 'a', architecture: 'a' }],
		pairs: [],
		attempts,
		...same,
		...given,
	} as any);
	for (const { run } of attempts) {
		const place = join(history, name, 'runs', run.split('/').at(-1) ?? '');
		await mkdir(place, { recursive: true });
		for (const file of ['result.json', 'report.html']) await writeFile(join(place, file), '{}');
	}
	await writeFile(join(history, name, 'manifest.json'), JSON.stringify(plan));
	return join(history, name);
}
const planned = () => planComparison({ B: 'a', BASELINE: history });

test('of a folder of comparisons the newest five that fit are the baseline, and the others are named', async () => {
	for (let day = 1; day <= 6; day += 1) await store(day);
	await store(7, { machine: { ...machine, cores: 99 } });
	await store(8, { lab: { version: '0.0.0' } });
	await store(9, {
		variables: { USERS: '50' },
		load: 'smoke',
		arms: [{ id: '2a', architecture: '2a' }],
		attempts: [{ block: 1, arm: '2a', run: 'x', validity: 'VALID', took_s: 1 }],
	});
	const { baseline, notes, arms, id } = await planned();
	assert.deepEqual(
		arms.map((arm) => arm.id),
		['a (baseline)', 'a'],
	);
	assert.deepEqual(
		baseline?.history?.map(({ started, runs }) => [started.slice(0, 10), runs]),
		[6, 5, 4, 3, 2].map((day) => [`2026-03-0${day}`, 2]),
	);
	// Each with a block of its own, or the last of a block alone would count.
	assert.deepEqual(new Set(baseline?.attempts.map(({ block }) => block)).size, 10);
	assert.equal((await readdir(join(REPORTS, id, 'baseline'))).length, 10);
	assert.match(
		notes.join('\n'),
		/left out of the baseline, because they do not fit: 2026-03-09\S+ \(runs of 2a\), 2026-03-08\S+ \(another version of Doubletake\), 2026-03-07\S+ \(another machine: 99 cores/,
	);
	assert.match(notes.join('\n'), /left out of the baseline: 1 older than the newest 5 that fit/);
});

test('what was measured under other conditions than the newest that fits is left out too', async () => {
	await store(1, { load: 'ramp' });
	await store(2, { variables: { USERS: '50' } });
	await store(3);
	const { baseline, notes, load } = await planned();
	assert.deepEqual([baseline?.history?.length, load], [1, 'smoke']);
	assert.match(notes.join('\n'), /do not fit: 2026-03-02\S+ \(other options\), 2026-03-01\S+ \(another load\)/);
});

test('a folder of which nothing fits is refused with why, and a single comparison is taken as it is', async () => {
	const one = await store(1, { lab: { version: '0.0.0' } });
	await assert.rejects(
		planned(),
		/^NotReadyError: BASELINE: expected a comparison in \S+ that fits; found none: 2026-03-01\S+ \(another version of Doubletake\)/,
	);
	const { baseline } = await planComparison({ B: 'a', BASELINE: one });
	assert.deepEqual([baseline?.attempts.length, baseline?.history], [2, undefined]);
	await assert.rejects(planComparison({ B: '2a', BASELINE: one }), /BASELINE: expected runs of 2a in \S+; found runs of a\./);
});
