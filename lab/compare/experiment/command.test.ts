import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { execa } from 'execa';
import { EXIT } from '../../base/errors.ts';
import { RECORD, ROOT } from '../../base/paths.ts';
import { architectures } from '../../catalog/architectures.ts';
import type { Figures } from '../../diagnose/fixtures/experiment-runs.ts';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.ts';
import { listen } from '../../fixtures/reporter.ts';
import { NO_PERMISSION } from '../../options/allowed.ts';
import type { Plan } from '../plan.ts';
import { openSystem } from '../systems.ts';
import { isProjectComparison } from './command.ts';

let own = '';
before(async () => {
	own = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	await writeFile(join(own, 'doubletake.yaml'), '');
});
after(() => rm(own, { recursive: true }));

test('an arm that is given is of an own system, wherever the command is called', () => {
	assert.ok(isProjectComparison('/nowhere', { a: ['POOL=8'] }, {}));
	assert.ok(isProjectComparison('/nowhere', { b: ['rev:HEAD'] }, { A: 'a' }));
});

test('without arms it is the system of the folder, unless architectures are named or a plan goes on', () => {
	assert.ok(isProjectComparison(own, {}, {}));
	for (const env of [{ A: 'a', B: '2a' }, { A: 'a:DELAY=5', B: '2a' }, { B: '2a', BASELINE: 'x' }, { RESUME: 'x' }])
		assert.ok(!isProjectComparison(own, {}, env));
	assert.ok(isProjectComparison(own, {}, { A: 'POOL=8' }));
	// Misspelt, and told as what it may have been.
	assert.ok(!isProjectComparison('/nowhere', { a: ['2aa'], b: ['a'] }, {}));
	// Of a folder without a system, that of the lab apart, it is told how it gets one.
	assert.ok(isProjectComparison('/nowhere', {}, {}));
	assert.ok(!isProjectComparison(ROOT, {}, {}));
});

test('an architecture that there is not is refused with all that there are, and with the one that was meant', async () => {
	const opened = (architecture: string) => openSystem({ architecture, folder: own, permission: NO_PERMISSION }, {}, listen().reporter);
	await assert.rejects(
		opened('3z'),
		new RegExp(`^NotReadyError: architecture: expected one of ${Object.keys(architectures).join(', ')}; found "3z"`),
	);
	await assert.rejects(opened('2a-slot'), /To do: write "2a-slots" instead of "2a-slot"/);
	await assert.rejects(opened('constructor'), /found "constructor"/);
});

/**
 * Judges a stored comparison again, as the command line does, each of whose runs has this verdict.
 * @param verdicts of one block
 * @param asked figures: of the second arm
 */
async function judged(
	verdicts: ('VALID' | 'INVALID' | 'SUSPECT')[],
	{ failOn = '', figures = {}, plan: given = {} }: { failOn?: string; figures?: Figures; plan?: Partial<Plan> } = {},
) {
	const reports = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	const arms = ['a', '2a-slots'].map((id) => ({ id, architecture: id }));
	const plan = planOf({ id: 'compare/20260314T092600Z-77aa', experiment: 'compare', arms, pairs: [['a', '2a-slots']], ...given });
	const made = Object.fromEntries(arms.map(({ id }, index) => [id, { validity: verdicts[index], ...(index === 1 && figures) }]));
	for (const { attempt, result } of runsOf(plan, made)) {
		const own = attempt.run.split('/').slice(2).join('/');
		await mkdir(join(reports, plan.id, own), { recursive: true });
		await writeFile(join(reports, plan.id, own, RECORD.result), JSON.stringify(result));
		plan.attempts.push({ ...attempt, run: `${plan.id}/${own}` });
	}
	await writeFile(join(reports, plan.id, RECORD.manifest), JSON.stringify(plan));
	const env = { RUN: join(reports, plan.id), DOUBLETAKE_REPORTS: reports, DOUBLETAKE_FOLDER: ROOT, FAIL_ON: failOn };
	const found = await execa(process.execPath, [join(ROOT, 'lab/cli/main.ts'), 'report'], { all: true, reject: false, env });
	await rm(reports, { recursive: true });
	return { exitCode: found.exitCode, text: String(found.all) };
}

/** What is said of the next command, and of runs before it. */
const nextIn = (text: string) =>
	/\n( {2}(?:every run|\d+ of \d+ runs) INVALID.*\n)?( {2}next: .*\n)?\n {2}report: /.exec(text)?.slice(1) ?? [];

test('a comparison of which every run is INVALID ends as such a run does, and says why before the command that would make more', async () => {
	const { exitCode, text } = await judged(['INVALID', 'INVALID']);
	const [doubt, next] = nextIn(text);
	assert.deepEqual([exitCode, doubt], [EXIT.failed, '  every run INVALID: a reason\n'], text);
	assert.match(next, /^ {2}next: put that right, then .*REPEATS=16.* {2}\(of the 8 repetitions that a verdict needs 0 are VALID\)\n$/);
});

test('one of which some runs say something ends well', async () => {
	const { exitCode, text } = await judged(['INVALID', 'SUSPECT']);
	assert.deepEqual([exitCode, nextIn(text)[0]], [EXIT.done, '  8 of 16 runs INVALID: a reason\n'], text);
});

test('where no run is INVALID nothing is said of that, and of a comparison with a verdict nothing is next', async () => {
	const { text } = await judged(['SUSPECT', 'SUSPECT']);
	const [doubt, next] = nextIn(text);
	assert.equal(doubt, undefined, text);
	assert.match(next, /^ {2}next: (?!put that right).* 0 are VALID\)\n$/);
	assert.deepEqual(nextIn((await judged(['VALID', 'VALID'])).text), [undefined, undefined]);
});

test('a comparison fails by what FAIL_ON says of it, worse before INCONCLUSIVE, and by nothing else', async () => {
	const worse = { figures: { goodput: 400, p95: 50 } };
	const of = async (failOn: string, found: object = worse, runs: ('VALID' | 'SUSPECT')[] = ['VALID', 'VALID']) =>
		(await judged(runs, { failOn, ...found })).exitCode;
	assert.deepEqual(
		await Promise.all([of(''), of('worse'), of('inconclusive, worse:goodput_rps'), of('worse:failure_rate'), of('worse', {})]),
		[EXIT.done, EXIT.worse, EXIT.worse, EXIT.done, EXIT.done],
	);
	// Eight SUSPECT runs bear no verdict; what is of another scenario has no figure.
	assert.deepEqual(
		await Promise.all([
			of('worse', worse, ['SUSPECT', 'SUSPECT']),
			of('worse,inconclusive', worse, ['SUSPECT', 'SUSPECT']),
			of('worse:latency_ms_p95_delete', {}),
		]),
		[EXIT.done, EXIT.inconclusive, EXIT.inconclusive],
	);
});

test('a metric that there is not is refused with those that there are', async () => {
	const { exitCode, text } = await judged(['VALID', 'VALID'], { failOn: 'worse:p95' });
	assert.equal(exitCode, EXIT.notReady);
	assert.match(
		text,
		/FAIL_ON: expected one of goodput_rps, failure_rate, .*; found "p95" in "worse:p95"\.\n {2}To do: write "latency_ms_p95_/,
	);
});
