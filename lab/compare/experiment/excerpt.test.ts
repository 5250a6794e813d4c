import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { execa } from 'execa';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { EXAMPLES, EXCERPT_FILE, EXPERIMENT_RECORD, RECORD, ROOT } from '../../base/paths.ts';
import { listen } from '../../fixtures/reporter.ts';
import { readExcerpt } from '../../record/excerpt-file.ts';
import { planOfToday } from '../plan.ts';
import { excerpt } from './excerpt.ts';
import { writeRecords } from './write-records.ts';

/** A stored comparison of an architecture with itself. */
const CONTROL = join(EXAMPLES, 'control');
const stored = await readExcerpt(CONTROL);

async function emptyFolder(context: TestContext) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-excerpt-'));
	context.after(() => rm(folder, { recursive: true }));
	return folder;
}

/** The same comparison with all its runs, each as the typical one of its arm. */
async function wholeExperiment(folder: string) {
	const plan = stored[RECORD.manifest];
	const runOf = (attempt: any) => `${EXPERIMENT_RECORD.runs}/${basename(attempt.run)}`;
	for (const attempt of plan.attempts) {
		const kept = plan.attempts.find((one: any) => one.arm === attempt.arm && `${runOf(one)}/${RECORD.result}` in stored);
		await mkdir(join(folder, runOf(attempt), RECORD.raw), { recursive: true });
		for (const name of [RECORD.result, RECORD.manifest])
			await writeFile(join(folder, runOf(attempt), name), JSON.stringify(stored[`${runOf(kept)}/${name}`]));
	}
	await writeFile(join(folder, RECORD.manifest), JSON.stringify(plan));
	return plan;
}

const { reporter } = listen();

/** The command as it is given. */
const give = (reports: string, args: string[], env: Record<string, string> = {}) =>
	execa(process.execPath, [join(ROOT, 'lab/cli/main.ts'), ...args], {
		all: true,
		reject: false,
		env: { ...env, DOUBLETAKE_REPORTS: reports, DOUBLETAKE_FOLDER: ROOT },
	});

test('an excerpt has what was judged and the typical run of each arm in one file, and its pages', async (context) => {
	const parent = await emptyFolder(context);
	const [source, target] = ['source', 'shared'].map((name) => join(parent, name));
	const plan = await wholeExperiment(source);
	assert.equal(await excerpt(source, target, {}, reporter), EXIT.done);
	const records = await readExcerpt(target);
	assert.deepEqual(records[RECORD.manifest], planOfToday(plan));
	const results = Object.keys(records).filter((path) => basename(path) === RECORD.result);
	assert.equal(results.length, plan.arms.length);
	for (const path of results) assert.ok(existsSync(join(target, path.replace(RECORD.result, RECORD.report))), path);
	const { base, other } = records[EXPERIMENT_RECORD.comparison];
	for (const { typical_run: href } of [base, other]) assert.ok(existsSync(join(target, href)), href);
	assert.ok(existsSync(join(target, EXPERIMENT_RECORD.comparisonPage)));
	await assert.rejects(
		excerpt(source, target, {}, reporter),
		(error) => error instanceof NotReadyError && /INTO: expected a folder that is not there/.test(error.message),
	);
});

test('of a comparison it has the runs of complete blocks, which its page links to, and none where there is no such block', async (context) => {
	const parent = await emptyFolder(context);
	const { attempts, arms } = await wholeExperiment(join(parent, 'source'));
	const damage = async (attempt: any) => {
		const path = join(parent, 'source', EXPERIMENT_RECORD.runs, basename(attempt.run), RECORD.result);
		const result = JSON.parse(await readFile(path, 'utf8'));
		await writeFile(path, JSON.stringify({ ...result, validity: { ...result.validity, verdict: 'INVALID' } }));
	};
	const excerptTo = async (name: string) => {
		assert.equal(await excerpt(join(parent, 'source'), join(parent, name), {}, reporter), EXIT.done);
		const { base, other } = (await readExcerpt(join(parent, name)))[EXPERIMENT_RECORD.comparison];
		return [base.typical_run, other.typical_run];
	};

	const bases = attempts.filter(({ arm }: any) => arm === arms[0].id);
	await damage(bases[0]);
	for (const href of await excerptTo('one-block-less')) assert.ok(href && existsSync(join(parent, 'one-block-less', href)), href);

	await Promise.all(bases.slice(1).map(damage));
	assert.deepEqual(await excerptTo('no-block'), [null, null]);
	assert.ok(!Object.keys(await readExcerpt(join(parent, 'no-block'))).some((path) => basename(path) === RECORD.result));
});

test('it keeps the typical runs of the arms that are said, and links to no other', async (context) => {
	const parent = await emptyFolder(context);
	const [source, target] = ['source', 'shared'].map((name) => join(parent, name));
	const { arms, attempts } = await wholeExperiment(source);
	const [kept, left] = arms.map(({ id }: any) => id);
	const wanted = { 'ARMS: expected some of': { ARMS: `${kept},none of them` }, 'LOAD: expected none': { LOAD: 'smoke' } };
	for (const [reported, env] of Object.entries(wanted))
		await assert.rejects(excerpt(source, target, env, reporter), new RegExp(`^NotReadyError: ${reported}`));
	assert.ok(!existsSync(target));

	assert.equal(await excerpt(source, target, { ARMS: kept }, reporter), EXIT.done);
	const records = await readExcerpt(target);
	const runs = Object.keys(records).filter((path) => basename(path) === RECORD.result);
	const armOf = (path: string) => attempts.find(({ run }: any) => path.includes(basename(run))).arm;
	assert.deepEqual(runs.map(armOf), [kept]);
	const { base, other } = records[EXPERIMENT_RECORD.comparison];
	const typical = Object.fromEntries([base, other].map(({ id, typical_run: href }) => [id, href]));
	assert.ok(existsSync(join(target, typical[kept])));
	assert.equal(typical[left], null);
});

test('an excerpt of an excerpt is refused: it has not the results of all runs', async (context) => {
	const target = join(await emptyFolder(context), 'again');
	await assert.rejects(excerpt(CONTROL, target, {}, reporter), /an excerpt cannot be judged again/);
	assert.ok(!existsSync(target));
});

test('the report of an excerpt is its pages, and once they are there the list of everything leads to them', async (context) => {
	const reports = await emptyFolder(context);
	for (const name of ['one', 'other']) {
		await mkdir(join(reports, 'shared', name), { recursive: true });
		await cp(join(CONTROL, EXCERPT_FILE), join(reports, 'shared', name, EXCERPT_FILE));
	}
	const folder = join(reports, 'shared', 'one');
	const refused = await give(reports, ['report', folder], { EXPECT: 'failure_rate<1' });
	assert.equal(refused.exitCode, EXIT.notReady, refused.all);
	assert.match(refused.all, /EXPECT: expected none/);
	const { exitCode, all } = await give(reports, ['report', folder]);
	assert.equal(exitCode, EXIT.done, all);
	assert.match(all, /report: .*shared\/one\/compare\.html/);
	const list = await readFile(join(reports, 'index.html'), 'utf8');
	assert.ok(list.includes('./shared/one/compare.html'));
	assert.ok(!list.includes('shared/other'));
});

test('findings are made of excerpts as they are, with what has no claims beside what has', async (context) => {
	const reports = await emptyFolder(context);
	const copy = async (name: string) => {
		await mkdir(join(reports, 'shared', name), { recursive: true });
		await cp(join(EXAMPLES, name, EXCERPT_FILE), join(reports, 'shared', name, EXCERPT_FILE));
	};
	await copy('balancers');
	const refused = await give(reports, ['findings', join(reports, 'shared')]);
	assert.equal(refused.exitCode, EXIT.notReady, refused.all);
	assert.match(refused.all, /expected an experiment with claims/);

	await copy('batching');
	const { exitCode, all } = await give(reports, ['findings', join(reports, 'shared')]);
	assert.equal(exitCode, EXIT.done, all);
	const text = await readFile(join(reports, 'shared', 'findings.md'), 'utf8');
	const [claimed, unclaimed] = text.split('### Without a claim');
	assert.match(claimed, /\| \*\*B1\*\* .*\*\*HOLDS\*\*.*\[evidence\]\(\.\/batching\/experiment\.md\)/);
	assert.match(unclaimed, /\[evidence\]\(\.\/balancers\/experiment\.md\)/);
});

test('a record is written below its own folder alone', async () => {
	for (const path of ['../x/config.json', '/tmp/x/config.json', 'runs/../../x.json'])
		await assert.rejects(writeRecords(join(os.tmpdir(), 'doubletake-none'), { [path]: {} }), { name: 'NotReadyError' });
});
