import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { execa } from 'execa';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, RECORD, ROOT } from '../base/paths.ts';
import { judgePlan } from '../compare/experiment/judge.ts';
import type { Plan } from '../compare/plan.ts';
import { listen } from '../fixtures/reporter.ts';
import type { ExperimentResult } from '../record/types.js';
import { plansIn } from '../report/reports.ts';
import { throughputOf } from '../stats/usl-fit.ts';
import { asOwn, LAW, ownPlan, scalePlan, scaleRuns } from './fixtures/scale-runs.ts';
import { planNodes } from './plan-nodes.ts';

const { reporter } = listen();

const refused: (action: Promise<unknown>, expected: RegExp) => Promise<void> = (action, expected) =>
	assert.rejects(action, (error) => error instanceof NotReadyError && expected.test(error.message));

/** By what is asked of it: a plan reads of its record that it was judged, and the rest of its runs. */
const judged: Map<string, ExperimentResult | null> = new Map();

/** An experiment below a reports/ of its own. */
async function stored(
	context: TestContext,
	{ given, atFour = 1, isOwn = false }: { given?: Partial<Plan>; atFour?: number; isOwn?: boolean } = {},
) {
	const reports = await mkdtemp(join(os.tmpdir(), 'doubletake-plan-'));
	context.after(() => rm(reports, { recursive: true }));
	const plan = isOwn ? ownPlan(given) : scalePlan(given);
	const folder = join(reports, plan.id);
	const shipped = scaleRuns(plan, (n) => throughputOf(LAW, n) * (n === 4 ? atFour : 1));
	const runs = (isOwn ? shipped.map((run) => asOwn(run)) : shipped).map(({ attempt, result }) => {
		const own = attempt.run.split('/').slice(2).join('/');
		return { attempt: { ...attempt, run: `${plan.id}/${own}` }, result, own };
	});
	for (const { result, own } of runs) {
		await mkdir(join(folder, own), { recursive: true });
		await writeFile(join(folder, own, RECORD.result), JSON.stringify(result));
	}
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, RECORD.manifest), JSON.stringify({ ...plan, attempts: runs.map(({ attempt }) => attempt) }));
	const key = JSON.stringify([given, isOwn]);
	if (!judged.has(key)) judged.set(key, judgePlan({ ...plan, pairs: [] }, runs, { isKept: () => true, hasIndex: true }).experiment);
	await writeFile(join(folder, EXPERIMENT_RECORD.result), JSON.stringify(judged.get(key)));
	return { reports, folder };
}

/** The command as it is given. */
const give = (reports: string, env: Record<string, string>, args: string[] = []) =>
	execa(process.execPath, [join(ROOT, 'lab/cli/main.ts'), 'plan', ...args], {
		all: true,
		reject: false,
		env: { ...env, DOUBLETAKE_REPORTS: reports, DOUBLETAKE_FOLDER: ROOT },
	});

test('a target is wanted, of whole numbers, and nothing else is taken', async () => {
	await refused(
		planNodes('x', {}, reporter),
		/^TARGET_RPS: expected the good requests a second .*; found none\.\n.*make plan TARGET_RPS=500 P95_MS=200/,
	);
	await refused(planNodes('x', { TARGET_RPS: 'many' }, reporter), /^TARGET_RPS: expected a whole number from 1 /);
	await refused(planNodes('x', { TARGET_RPS: '100', P95_MS: '0' }, reporter), /^P95_MS: expected a whole number of milliseconds from 1 /);
	await refused(
		planNodes('x', { TARGET_RPS: '100', LOAD: 'ramp' }, reporter),
		/^LOAD: expected none, because it changes nothing about a capacity plan/,
	);
});

test('what is no judged experiment over numbers of nodes is refused', async (context) => {
	await refused(
		planNodes(join(os.tmpdir(), 'nothing-there'), { TARGET_RPS: '100' }, reporter),
		/^RUN: expected the folder of an experiment/,
	);
	const { folder } = await stored(context, { given: { curve: null, experiment: 'doubling', schedule: [] } });
	await refused(
		planNodes(folder, { TARGET_RPS: '100' }, reporter),
		/expected an experiment with goodput against numbers of nodes; found doubling/,
	);
	await rm(join(folder, EXPERIMENT_RECORD.result));
	await refused(planNodes(folder, { TARGET_RPS: '100' }, reporter), /expected an experiment that was judged; found no experiment\.json/);
});

test('a target outside of the data ends with 2, and leaves nothing behind', async (context) => {
	const { reports, folder } = await stored(context);
	const { exitCode, all } = await give(reports, { TARGET_RPS: '50000', P95_MS: '200' });
	assert.equal(exitCode, EXIT.notReady, all);
	assert.match(all, /^error: plan: expected a target inside the data, up to [\d,]+ requests a second with P95_MS=200; /);
	assert.deepEqual(await plansIn(folder), []);
});

test('a plan is made of the newest experiment, stands in its folder and in the list of everything', async (context) => {
	const { reports, folder } = await stored(context);
	const { exitCode, all } = await give(reports, { TARGET_RPS: '560', P95_MS: '400' });
	assert.equal(exitCode, EXIT.done, all);
	const [{ path, record }] = await plansIn(folder);
	assert.equal(path, 'plans/560rps-400ms');
	assert.equal(record.index, '../../../../index.html');
	assert.match(record.command, /^make plan RUN=\S+ TARGET_RPS=560 P95_MS=400$/);
	assert.ok(all.replaceAll('\u00a0', ' ').includes(record.headline));
	assert.match(await readFile(join(folder, path, CAPACITY_RECORD.page), 'utf8'), /^<!doctype html>/);
	const list = await readFile(join(reports, 'index.html'), 'utf8');
	assert.ok(list.includes(`./${record.experiment.id}/${path}/${CAPACITY_RECORD.page}`));
});

test('a plan whose hold-out check fails ends with 1, and is given as JSON all the same', async (context) => {
	const { reports, folder } = await stored(context, { atFour: 0.6 });
	const { exitCode, all, stdout } = await give(reports, { TARGET_RPS: '200' }, [folder, '--json']);
	const [{ record }] = await plansIn(folder);
	assert.deepEqual(JSON.parse(stdout).result, record);
	assert.equal(exitCode, EXIT.failed, all);
	assert.match(all, /Not to be trusted\./);
});

test('without an experiment over numbers of nodes it says how to make one', async (context) => {
	const reports = await mkdtemp(join(os.tmpdir(), 'doubletake-plan-'));
	context.after(() => rm(reports, { recursive: true }));
	const { exitCode, all } = await give(reports, { TARGET_RPS: '200' });
	assert.equal(exitCode, EXIT.notReady, all);
	assert.match(all, /found none\.\n {2}To do: measure one with "make experiment-scale"/);
});

test('an experiment of a user’s own system is planned from as one of the lab, and says how it is measured again', async (context) => {
	const { reports, folder } = await stored(context, { isOwn: true });
	const { exitCode, all } = await give(reports, { TARGET_RPS: '560', P95_MS: '400' });
	assert.equal(exitCode, EXIT.done, all);
	const [{ record }] = await plansIn(folder);
	assert.match(record.headline, /^560 requests a second with a p95 of at most 400 ms want 5 nodes, /);
	assert.match(all, /^ {2}the service app: one, /m);
	const few = await stored(context, { isOwn: true, given: { repeats: 4 } });
	const refusal = await give(few.reports, { TARGET_RPS: '560' });
	assert.equal(refusal.exitCode, EXIT.notReady, refusal.all);
	assert.match(
		refusal.all,
		/found 4 with 1 .*\n {2}To do: add blocks: RESUME=reports\/experiment-nodes\/\S+ REPEATS=8 doubletake experiment/,
	);
});
