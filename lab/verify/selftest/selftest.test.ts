import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, mock, test } from 'node:test';
import { NotInjectedError, NotReadyError, RunFailedError, UnreadyMachineError } from '../../base/errors.ts';
import { REPORTS } from '../../base/paths.ts';
import { docker } from '../../docker/docker.ts';
import { listen } from '../../fixtures/reporter.ts';
import type { Score, SelftestRecord } from '../../record/selftest-total.ts';
import { projectSelftestRecord, selftestRecord } from '../../report/fixtures/selftest.ts';
import type { Place, SelftestTarget } from './selftest.ts';
import { testDiagnosis } from './selftest.ts';

const folder = await mkdtemp(join(os.tmpdir(), 'selftest-record-'));
after(() => rm(folder, { recursive: true }));
beforeEach(() => mock.method(docker, 'info', async () => ({})));
afterEach(() => mock.restoreAll());

const FAULTS = ['healthy', 'app-errors'];
const SCORE = { requests: 500, failures: 0, right_tier: 0, right: 0, unattributed: 0, where: {}, why: {}, pairs: [], misses: [] };

/** A target of which every run comes out right; its runs are named by their fault. */
const TARGET: SelftestTarget = {
	system: selftestRecord().system,
	budget: 'none',
	repeatsOfAll: 1,
	choose: () => FAULTS,
	titleOf: () => 'a fault',
	cannot: () => null,
	measure: async (id) => join(REPORTS, `a/${id}`),
	score: async (fault) => ({ ...SCORE, fault, run: `a/${fault}` }),
	mayRefuse: () => true,
};

/** @returns a new one, where nobody else makes runs */
async function newPlace(): Promise<Place> {
	const [own, docs] = [await mkdtemp(join(folder, 'own-')), await mkdtemp(join(folder, 'docs-'))];
	await mkdir(own, { recursive: true });
	return { folder: own, docs, lock: async () => async () => {} };
}

async function tested(changes: Partial<SelftestTarget>, env: Record<string, string> = {}, place?: Place) {
	const { around, result, err } = listen();
	const exitCode = await testDiagnosis({ ...TARGET, ...changes }, env, around, place ?? (await newPlace()));
	const record: SelftestRecord = result(exitCode).result.record;
	return { exitCode, record, said: err() };
}

/** Of which the runs from one on fail. */
function cutOff(from: number, error: Error = new UnreadyMachineError('Expected a quiet machine.', 'stop the other programs.')) {
	const made: string[] = [];
	const measure = async (id: string) => {
		made.push(id);
		if (made.length >= from) throw error;
		return join(REPORTS, `a/${id}`);
	};
	return { made, measure };
}

test('the record that a self-test left is scored again, of what is tested today', async () => {
	const place = await newPlace();
	const { exitCode, record } = await tested({}, {}, place);
	assert.deepEqual([exitCode, record.complete, record.scores.map(({ fault }) => fault)], [0, true, FAULTS]);
	const { system } = projectSelftestRecord();
	const scored = [] as string[][];
	const again = await tested(
		{
			system,
			score: async (fault, run) => {
				scored.push([fault, run]);
				return { ...SCORE, fault, run: `a/${fault}`, requests: 7 };
			},
		},
		{ FAULTS: 'again' },
		place,
	);
	assert.deepEqual(
		scored,
		FAULTS.map((fault) => [fault, join(REPORTS, `a/${fault}`)]),
	);
	assert.deepEqual([again.record.started, again.record.scores[0].requests], [record.started, 7]);
	assert.deepEqual(again.record.system, JSON.parse(JSON.stringify(system)));
});

test('a test of some faults leaves the record of all as it was, and what was cut off is found behind it', async () => {
	const place = await newPlace();
	await assert.rejects(tested(cutOff(2), {}, place), UnreadyMachineError);
	await tested({ choose: () => ['healthy'] }, { FAULTS: 'short' }, place);
	assert.equal((await tested({}, { FAULTS: 'again' }, place)).record.wanted, 'short');
	const { made, measure } = cutOff(2);
	const { record } = await tested({ measure }, { FAULTS: 'rest' }, place);
	assert.deepEqual([record.wanted, record.complete, record.scores.length, made], ['all', true, 2, ['app-errors']]);
});

test('where there is no record, or none to go on with, it is said how to get one', async () => {
	const place = await newPlace();
	const isSaid = (error: unknown) => error instanceof NotReadyError && /make selftest/.test(error.message);
	await assert.rejects(tested({}, { FAULTS: 'again' }, place), isSaid);
	await tested({}, {}, place);
	await assert.rejects(tested({}, { FAULTS: 'rest' }, place), isSaid);
});

test('all faults are run once, then all again, and a test that was cut off goes on where it was', async () => {
	const place = await newPlace();
	const before = cutOff(4);
	await assert.rejects(tested(before, { REPEATS: '2' }, place), UnreadyMachineError);
	assert.deepEqual(before.made, [...FAULTS, ...FAULTS]);
	const rest = cutOff(2);
	const { record } = await tested(rest, { FAULTS: 'rest' }, place);
	assert.deepEqual([rest.made, record.scores.length], [['app-errors'], 4]);
});

test('a self-test of all faults writes the page that the repository shows, one of some faults does not', async () => {
	const written = async (changes: Partial<SelftestTarget>, env = {}) => {
		const place = await newPlace();
		await tested(changes, env, place).catch(() => {});
		const own = 'FAULTS' in env ? join(place.folder, 'some') : place.folder;
		assert.match(await readFile(join(own, 'index.html'), 'utf8'), /<!doctype html>/);
		assert.deepEqual((await readdir(own)).sort(), ['diagnosis.md', 'index.html', 'record.json']);
		return readdir(place.docs);
	};
	assert.deepEqual(await written({}), ['diagnosis.md']);
	assert.deepEqual(await written({}, { FAULTS: 'short' }), []);
	assert.deepEqual(await written(cutOff(2)), []);
	assert.deepEqual(await written({ system: projectSelftestRecord().system }), []);
});

test('a machine that is busy or full by now fails no fault: none was put in', async () => {
	for (const error of [
		new UnreadyMachineError('Expected a quiet machine.', 'stop the other programs.'),
		Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }),
	])
		await assert.rejects(tested(cutOff(2, error)), error);
});

/** What becomes of a fault whose run ends so, after another. */
const endedBy = async (error: Error) => (await tested(cutOff(2, error))).record.scores[1];

test('a run that fails by itself costs that fault alone, unless nothing has run before', async () => {
	assert.match(JSON.stringify(await endedBy(new RunFailedError('The load ended early.'))), /The load ended early\./);
	const unready = new NotReadyError('Expected it to start.', 'look why.');
	assert.match(JSON.stringify(await endedBy(unready)), /Expected it to start\./);
	await assert.rejects(tested(cutOff(1, unready)), unready);
});

test('a fault that does not fit is left out with the reason', async () => {
	const refused = new NotInjectedError('there is no second one');
	assert.equal((await endedBy(refused)).skipped, 'there is no second one');
	const { record } = await tested({ ...cutOff(2, refused), mayRefuse: () => false });
	assert.equal(record.scores[1].skipped, undefined);
	const { record: known } = await tested({ cannot: (id) => (id === 'healthy' ? null : 'it has one worker') });
	assert.equal(known.scores[1].skipped, 'it has one worker');
});

const TAKEN = 'other machines took 14 %';

/** @param outcomes of the runs of one fault, in their order */
async function tried(...outcomes: Partial<Score>[]) {
	let runs = 0;
	const { record, said } = await tested({
		choose: () => ['healthy'],
		score: async (fault) => ({ ...SCORE, fault, run: `a/${runs}`, ...outcomes[runs++] }),
	});
	const [{ misses, skipped }] = record.scores;
	return { runs, misses, skipped, isSaid: said.includes(`once more: ${TAKEN}`) };
}

test('a run that comes out wrong is made once, whatever the machine did to others', async () => {
	const { runs, misses, isSaid } = await tried({ misses: ['found INVALID'] });
	assert.deepEqual([runs, misses, isSaid], [1, ['found INVALID'], false]);
});

test('a wrong run on a machine that was taken away is made once more, and that one counts', async () => {
	const { runs, misses, isSaid } = await tried({ misses: ['found INVALID'], spoilt: TAKEN }, { misses: ['no bottleneck'] });
	assert.deepEqual([runs, misses, isSaid], [2, ['no bottleneck'], true]);
});

test('if it was taken away again, nothing is judged by it', async () => {
	const { runs, skipped, misses } = await tried({ misses: ['found INVALID'], spoilt: TAKEN }, { misses: ['found INVALID'], spoilt: TAKEN });
	assert.deepEqual([runs, skipped, misses], [2, TAKEN, []]);
});
