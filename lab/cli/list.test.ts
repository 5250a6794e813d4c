import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Project } from '../catalog/project-schema.ts';

const place = await mkdtemp(join(os.tmpdir(), 'doubletake-list-'));
after(() => rm(place, { recursive: true }));
const [folder, reports] = [join(place, 'shop'), join(place, 'reports')];
// Before anything is imported that knows where reports lie.
process.env.DOUBLETAKE_REPORTS = reports;
const { architectures } = await import('../catalog/architectures.ts');
const { experiments } = await import('../catalog/experiments.ts');
const { parseProject, writeProject } = await import('../catalog/project-file.ts');
const { listen } = await import('../fixtures/reporter.ts');
const { failingResult } = await import('../report/fixtures/results.ts');
const { list } = await import('./list.ts');

/** What is listed in a folder of that name with such a system, in words and as data. */
async function listed({ project: own, runs: made }: { project: Project | null; runs: { path: string; result: object }[] }) {
	for (const one of [folder, reports]) {
		await rm(one, { recursive: true, force: true });
		await mkdir(one);
	}
	if (own !== null) await writeFile(join(folder, 'doubletake.yaml'), writeProject(own));
	for (const { path, result } of made) {
		await mkdir(join(reports, path), { recursive: true });
		await writeFile(join(reports, path, 'result.json'), JSON.stringify(result));
	}
	const { reporter, err, result } = listen();
	await list(folder, reporter);
	const data: Record<'architectures' | 'experiments' | 'loads' | 'budgets' | 'runs', any[]> & { project: object } = result().result;
	return { text: err(), data };
}

/** With a row's further lines behind its first. */
const unwrapped = (text: string) => text.replaceAll(/\n {3,}/g, ' ');

const project: Project = {
	compose: ['compose.yaml'],
	entry: 'http://edge:8000/',
	services: { edge: { tier: 'load-balancer', product: 'haproxy', watch: 2 }, web: { tier: 'app', product: 'opaque', watch: 0 } },
	edges: [],
	load: { script: 'load.js' },
};
const runs = ['2a/2026-11-22T070000Z-0002', 'shop/2026-11-21T070000Z-0001'].map((path) => ({ path, result: failingResult() }));
const { validity, headline } = failingResult();

test('a user’s own system comes first, with its load and its runs, and those of the lab after it', async () => {
	const text = unwrapped((await listed({ project, runs })).text);
	assert.ok(
		text.startsWith(
			`Your own system (doubletake run), as doubletake.yaml has it
  edge  load-balancer, haproxy, watch 2: a configuration laid over its own
  web   app, opaque, watch 0: its container

Its load
  script  load.js, with options of its own

Its runs, newest first
  reports/${runs[1].path}  ${validity.verdict}. ${headline}

Architectures (make run-<id>)
`,
		),
		text,
	);
	assert.ok(text.endsWith(`\nRuns, newest first\n  reports/${runs[0].path}  ${validity.verdict}. ${headline}\n`), text);
	for (const id of Object.keys(architectures)) assert.match(text, new RegExp(`^  ${id} `, 'm'));
});

test('where there is no system of one’s own nothing is said of one, and every run is among the runs', async () => {
	const text = (await listed({ project: null, runs })).text;
	assert.ok(text.startsWith('Architectures (make run-<id>)\n'));
	for (const { path } of runs) assert.match(text.slice(text.indexOf('\nRuns, newest first\n')), new RegExp(`^  reports/${path} `, 'm'));
});

test('a name of a folder does not end a line', async () => {
	const path = 'shop/2026-x\nerror: out of date';
	const { text } = await listed({ project: null, runs: [{ ...runs[0], path }] });
	assert.doesNotMatch(text, /^error/m);
	assert.match(text, /2026-x/);
});

test('no line is longer than 100 characters, or than the terminal is wide, and texts stand below each other', async () => {
	const long = { ...project, question: 'Does '.repeat(40) };
	const text = (await listed({ project: long, runs })).text;
	assert.deepEqual(
		text.split('\n').filter((line) => line.length > 100),
		[],
	);
	const [, first, second] = /^( {2}2a-list +)two nodes.*\n( +)\S/m.exec(text) ?? [];
	assert.equal(first.length, second.length);
	Object.assign(process.stdout, { columns: 72 });
	const narrow = (await listed({ project: long, runs })).text;
	Object.assign(process.stdout, { columns: undefined });
	assert.deepEqual(
		narrow.split('\n').filter((line) => line.length > 72),
		[],
	);
});

test('a variable is named once, with the architectures that have it', async () => {
	const text = unwrapped((await listed({ project: null, runs: [] })).text);
	assert.equal(text.match(/^ {2}STOCK .* on tickets-1, tickets-2, tickets-3$/gm)?.length, 1);
});

test('a heading stands only over something', async () => {
	assert.doesNotMatch((await listed({ project, runs: [] })).text, /Its runs|^Runs/m);
});

test('as data it has the same: the system, what can be run, and every run with its verdict', async () => {
	const { data } = await listed({ project, runs });
	assert.deepEqual(data.project, project);
	const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
	assert.deepEqual([idsOf(data.architectures), idsOf(data.experiments)], [Object.keys(architectures), Object.keys(experiments)]);
	assert.ok(data.loads.some(({ id, scenario }) => id === 'ramp' && scenario === 'documents') && idsOf(data.budgets).includes('fair'));
	assert.deepEqual(
		data.runs.map(({ folder, validity: { verdict } }) => [folder, verdict]),
		runs.map(({ path }) => [`reports/${path}`, validity.verdict]),
	);
});

const parsedOf = (load: string) =>
	parseProject(
		`
compose: [compose.yaml]
entry: http://edge:8000/
services:
  edge: { tier: load-balancer, product: nginx, watch: 2 }
  web: { tier: app, product: opaque, watch: 0 }
load: ${load}
`,
		'doubletake.yaml',
	);

/** The rows below a heading of a system of one's own. */
async function rowsBelow(heading: string, load: string): Promise<string[][]> {
	const text = unwrapped((await listed({ project: parsedOf(load), runs: [] })).text);
	const [, ...rows] =
		text
			.split('\n\n')
			.find((section) => section.startsWith(heading))
			?.split('\n') ?? [];
	return rows.map((row) => row.trim().split(/ {2,}/));
}
const aboutLoad = async (load: string) => (await rowsBelow('Its load', load))[0];

test('each service has a line with its tier, its product and how far it is watched', async () => {
	assert.deepEqual(await rowsBelow('Your own system', '{ script: load.js }'), [
		['edge', 'load-balancer, nginx, watch 2: a configuration laid over its own'],
		['web', 'app, opaque, watch 0: its container'],
	]);
});

test('a load is told by its shape, its users and its first requests, without their bodies', async () => {
	const urls = '["GET /", "3x GET /items/7", "POST /orders {\\"item\\": 7}", "GET /a", "GET /b"]';
	const [shape, about] = await aboutLoad(`{ urls: ${urls}, shape: brief, users: 20, think_ms: 5 }`);
	assert.equal(shape, 'brief');
	assert.match(about, /^20 users in four steps, .*, who think for 5 ms: GET \/, 3x GET \/items\/7, POST \/orders and 2 more$/);
});

test('what doubletake.yaml leaves out is reported as it is run', async () => {
	const [shape, about] = await aboutLoad('{ urls: ["GET /"] }');
	assert.equal(shape, 'steps');
	assert.match(about, /^200 users in four steps, .*, who think for 1000 ms: GET \/$/);
});

test('a load from a description or a script names its file', async () => {
	assert.match((await aboutLoad('{ openapi: openapi.yaml }'))[1], /: what openapi\.yaml describes$/);
	assert.deepEqual(await aboutLoad('{ script: load.js }'), ['script', 'load.js, with options of its own']);
});

test('a record that is none is named, with what is wrong in it, and the others are listed', { timeout: 20_000 }, async () => {
	const odd = [{ schema: -1e9 }, { ...failingResult(), validity: null }, { ...failingResult(), metrics: null }, []];
	const all = [...runs, ...odd.map((result, index) => ({ path: `shop/odd-${index}`, result }))];
	const { text, data } = await listed({ project, runs: all });
	assert.equal(data.runs.length, runs.length);
	const named = unwrapped(text.slice(text.indexOf('Not listed')));
	for (const index of odd.keys()) assert.match(named, new RegExp(`odd-${index}/result\\.json`));
	assert.match(named, /expected a version of it, from 1 on; found -1000000000/);
	assert.match(named, /found metrics must have/);
});

test('a record that lies elsewhere behind a link is named, and not read', async () => {
	await listed({ project, runs });
	const elsewhere = join(place, 'elsewhere');
	await mkdir(join(elsewhere, 'run'), { recursive: true });
	await writeFile(join(elsewhere, 'run', 'result.json'), JSON.stringify(failingResult()));
	await symlink(elsewhere, join(reports, 'linked'));
	await symlink(join(elsewhere, 'run'), join(reports, 'shop', 'other'));
	const { reporter, err, result } = listen();
	await list(folder, reporter);
	assert.equal(result().result.runs.length, runs.length);
	const named = unwrapped(err().slice(err().indexOf('Not listed')));
	for (const name of ['linked', 'shop/other']) assert.match(named, new RegExp(`reports/${name} leads to .*elsewhere`));
});
