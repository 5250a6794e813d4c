/**
 * Jobs played from stored results: what a host gets to see of a run that meets its thresholds, of one that does not, of a comparison that is worse,
 * and of a second push.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, before, beforeEach, test } from 'node:test';
import { EXIT } from '../../base/errors.ts';
import { exitCodeOf } from '../../diagnose/expectations.ts';
import type { Comparison, Result } from '../../record/types.js';
import { formatCompareMarkdown } from '../../report/compare.ts';
import { comparisonFixture, hostileFixture } from '../../report/fixtures/comparisons.ts';
import { failingResult, healthyResult } from '../../report/fixtures/results.ts';
import { judgedOf } from '../../report/fixtures/thresholds.ts';
import { formatRunMarkdown } from '../../report/run-markdown.ts';
import type { Env, Measure, Measured } from './pipeline.ts';
import { pipeline } from './pipeline.ts';

type Comment = { id: number; body: string; user?: { type: string }; author_association?: string; author?: { id: number } };

let folder = '';
/** What the host has. */
let comments: Comment[] = [];
let asked: string[] = [];
let refusal = 0;
const api = createServer(async (request, response) => {
	const { method, url = '' } = request;
	asked.push(`${method} ${url} ${request.headers.authorization ?? request.headers['private-token']}`);
	let body = '';
	for await (const piece of request) body += piece;
	if (refusal > 0) return response.writeHead(refusal).end('{}');
	const own = { user: { type: 'Bot' }, author: { id: 7 } };
	if (method === 'POST') comments.push({ id: comments.length + 1, ...JSON.parse(body), ...own });
	if (method === 'PATCH' || method === 'PUT') Object.assign(comments[Number(url.split('/').at(-1)) - 1], JSON.parse(body));
	const page = Number(new URL(url, 'http://host').searchParams.get('page'));
	response.end(JSON.stringify(url === '/user' ? { id: 7 } : comments.slice(100 * (page - 1), 100 * page)));
});
before(async () => {
	api.listen(0, '127.0.0.1');
	await once(api, 'listening');
});
after(() => api.close());
beforeEach(async (t) => {
	[comments, asked, refusal] = [[], [], 0];
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-pipeline-'));
	(t as TestContext).after?.(() => rm(folder, { recursive: true }));
});

/** As doubletake would end, and leave files. */
async function left(words: string[], report: string, summary: string, found: object, exitCode: number): Promise<Measured> {
	await mkdir(join(folder, report), { recursive: true });
	const [page, text] = words[0] === 'run' ? ['report.html', 'summary.md'] : ['compare.html', 'compare.md'];
	await writeFile(join(folder, report, text), summary);
	return { exitCode, found: { folder: report, report: `${report}/${page}`, ...found } };
}

const runOf: (result: Result) => Measure =
	(result) =>
	async (words, { env }) => {
		const judged = judgedOf(env.EXPECT ?? '', result);
		const summary = formatRunMarkdown({ result, judged });
		return left(words, 'reports/shop/1', summary, { result, thresholds: judged }, exitCodeOf(result, judged, env.STRICT === '1'));
	};

const comparisonOf: (comparison: Comparison, exitCode: number) => Measure = (comparison, exitCode) => async (words) =>
	left(
		words,
		'reports/compare/1',
		formatCompareMarkdown(comparison),
		{ result: comparison, sentence: comparison.verdict.sentence },
		exitCode,
	);

/** Plays a job. */
async function play(inputs: Env, measure: Measure) {
	const [output, summary, event] = ['output', 'summary', 'event.json'].map((name) => join(folder, name));
	for (const file of [output, summary]) await writeFile(file, '');
	await writeFile(event, JSON.stringify({ pull_request: { number: 12 } }));
	await writeFile(join(folder, 'doubletake.yaml'), '# Mine.\nload:\n  openapi: api.yaml\n  users: 20\n');
	const { port } = api.address() as AddressInfo;
	const url = `http://127.0.0.1:${port}`;
	const gitHub = {
		GITHUB_ACTIONS: 'true',
		GITHUB_WORKSPACE: folder,
		GITHUB_OUTPUT: output,
		GITHUB_STEP_SUMMARY: summary,
		GITHUB_EVENT_PATH: event,
	};
	const repository = { GITHUB_API_URL: url, GITHUB_REPOSITORY: 'ada/shop', GITHUB_WORKFLOW: 'Doubletake', GITHUB_JOB: 'measure' };
	const ofGitLab = {
		GITLAB_CI: 'true',
		CI_PROJECT_DIR: folder,
		CI_API_V4_URL: url,
		CI_PROJECT_ID: '3',
		CI_MERGE_REQUEST_IID: '12',
		PIPELINE_OUTPUT: output,
	};
	const host = inputs.GITLAB_CI ? ofGitLab : { ...gitHub, ...repository };
	const lines: string[] = [];
	const called: { words: string[]; env: Env }[] = [];
	const exitCode = await pipeline(
		{ PIPELINE_COMMENT: 'true', PIPELINE_TOKEN: 'hunter2', PIPELINE_NAME: 'doubletake', ...host, ...inputs },
		{
			print: (line) => lines.push(line),
			measure: (words, given) => {
				called.push({ words, env: given.env });
				lines.push('::set-output name=verdict::MET');
				return measure(words, given);
			},
		},
	);
	const read = (file: string) => readFile(file, 'utf8');
	return { exitCode, lines, called, output: await read(output), summary: await read(summary) };
}

/** What stands in GITHUB_OUTPUT. */
const valuesIn = (text: string) =>
	Object.fromEntries([...text.matchAll(/^(.*?)<<(.*)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name, value]));

test('a run that meets its thresholds: outputs, a summary, a comment, and no annotation', async () => {
	const { exitCode, lines, called, output, summary } = await play({ EXPECT: 'failure_rate<0.5', FAIL_ON: 'worse' }, runOf(healthyResult()));
	assert.equal(exitCode, EXIT.done);
	const { report, verdict, folders, 'exit-code': code, 'failure-rate': failed, 'p95-ms': p95 } = valuesIn(output);
	assert.deepEqual([report, verdict, folders, code], ['reports/shop/1/report.html', 'MET', 'reports/shop/1', '0']);
	assert.deepEqual([failed, p95].map(Number), [healthyResult().metrics.failure_rate, healthyResult().metrics.latency_ms.ok.p95]);
	assert.match(summary, /Thresholds: 1 of 1 met/);
	assert.deepEqual(
		comments.map(({ body }) => body.replace(/^<!-- doubletake \S+ -->\n/, '')),
		[summary],
	);
	// What doubletake prints is nothing that the host obeys; of the comparison's options a run takes none, and the token is nobody's else.
	const [, end] = /^::stop-commands::(.+)$/.exec(lines[0]) ?? [];
	assert.deepEqual(lines.slice(1), ['::set-output name=verdict::MET', `::${end}::`]);
	assert.deepEqual(
		[called.length, called[0].words, called[0].env.FAIL_ON, JSON.stringify(called).includes('hunter2')],
		[1, ['run'], undefined, false],
	);
});

test('one that does not meet them fails with one annotation, in a line of its own', async () => {
	const { exitCode, lines, output, summary } = await play({ EXPECT: 'failure_rate<0.0001,goodput_rps>1' }, runOf(failingResult()));
	assert.deepEqual([exitCode, valuesIn(output).verdict], [EXIT.thresholdNotMet, 'NOT MET']);
	assert.equal(lines.length, 4);
	assert.match(lines[3], /^::error title=Doubletake::NOT MET: expected failure_rate < 0\.0001; found \d[^%]*/);
	assert.match(summary, /Thresholds: 1 of 2 met/);
});

test('a comparison that is worse, behind a run that meets its thresholds, decides how the job ends', async () => {
	const worse = comparisonFixture({ verdict: { word: 'worse', sentence: 'b is worse.\n::error::100 %\u001b[2J', reasons: [] } });
	const compare = comparisonOf({ ...worse, metrics: [] }, EXIT.worse);
	const { exitCode, lines, called, output, summary } = await play(
		{ EXPECT: 'failure_rate<0.5', PIPELINE_COMPARE_WITH: 'abc', PIPELINE_ALLOW: '../shared\n', FAIL_ON: 'worse' },
		(words, given) => (words[0] === 'run' ? runOf(healthyResult()) : compare)(words, given),
	);
	assert.deepEqual([exitCode, valuesIn(output).verdict], [EXIT.worse, 'WORSE']);
	assert.equal(valuesIn(output).folders, 'reports/shop/1\nreports/compare/1');
	assert.deepEqual(
		called.map(({ words, env }) => [words, env.EXPECT, env.FAIL_ON]),
		[
			[['run', '--allow=../shared'], 'failure_rate<0.5', undefined],
			[['compare', '--a', 'rev:abc', '--allow=../shared'], undefined, 'worse'],
		],
	);
	assert.equal(lines.at(-1), '::error title=Doubletake::WORSE: b is worse.%0A::error::100 %25\\u001b[2J');
	assert.match(summary, /Thresholds: 1 of 1 met[\s\S]*: WORSE/);
});

test('a second push replaces the comment; one that somebody else has marked stays theirs, as do those of other jobs', async () => {
	const mark = '<!-- doubletake Doubletake%2Fmeasure%2Fdoubletake%2F -->';
	comments = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, body: mark, user: { type: 'User' }, author_association: 'NONE' }));
	await play({}, runOf(failingResult()));
	await play({}, runOf(healthyResult()));
	await play({ PIPELINE_NAME: 'other' }, runOf(healthyResult()));
	assert.equal(comments.length, 102);
	assert.ok(comments.slice(0, 100).every(({ body }) => body === mark));
	assert.ok(comments[100].body.startsWith(mark) && comments[100].body.includes(healthyResult().headline.slice(0, 12)));
	assert.deepEqual(
		asked.filter((line) => !line.startsWith('GET')),
		['POST', 'PATCH', 'POST'].map(
			(method) => `${method} /repos/ada/shop/issues/${method === 'PATCH' ? 'comments/101' : '12/comments'} Bearer hunter2`,
		),
	);
});

test('a token that may not write costs a notice, and nothing else', async () => {
	refusal = 403;
	const { exitCode, lines } = await play({}, runOf(healthyResult()));
	assert.equal(exitCode, EXIT.done);
	assert.match(String(lines.at(-1)), /^::notice title=Doubletake::There is no comment: GET .* was answered with 403\./);
});

test('a baseline is as seen from the workspace; one that is not there yet is made', async () => {
	const compare = comparisonOf(comparisonFixture(), EXIT.done);
	await mkdir(join(folder, 'history'));
	const [there, missing] = [
		await play({ BASELINE: 'history', PIPELINE_FOLDER: '.' }, compare),
		await play({ BASELINE: 'nowhere' }, compare),
	];
	assert.deepEqual(
		[there, missing].map(({ called }) => [called[0].words, called[0].env.BASELINE]),
		[
			[['compare', '--b', '.'], 'history'],
			[['compare', '--b', '.'], ''],
		],
	);
	assert.match(missing.lines[0], /^::notice title=Doubletake::There is no baseline at nowhere yet: /);
});

test('what is too long for a comment is cut, and what the system said stays text', async () => {
	const hostile = hostileFixture();
	await play(
		{ BASELINE: 'history' },
		comparisonOf({ ...hostile, notes: Array.from({ length: 2000 }, (_, index) => `${index} @ada ${'x'.repeat(40)}`) }, EXIT.done),
	);
	const [{ body }] = comments;
	assert.ok(body.length < 65_536 && body.endsWith('*The rest is in the report.*\n'));
	assert.ok(!/(?<!\\)<script|(?<!\S)@\w/.test(body));
});

test('what could not be measured is told with what to do, and has no report', async () => {
	const error = { message: 'LOAD: expected <a load>; found x.', do: 'use brief.' };
	const { exitCode, lines, output, summary } = await play({ LOAD: 'x' }, async () => ({ exitCode: EXIT.notReady, found: { error } }));
	assert.deepEqual([exitCode, valuesIn(output).report, valuesIn(output).verdict], [EXIT.notReady, '', 'NOT MEASURED']);
	assert.match(summary, /not measured\n\nLOAD: expected \\<a load\\>; found x\.\n\nTo do: use brief\./);
	assert.equal(lines.at(-1), '::error title=Doubletake::NOT MEASURED: LOAD: expected <a load>; found x.');
});

test('the load of the inputs takes the place of that of doubletake.yaml, and nothing else of it changes', async () => {
	const file = () => readFile(join(folder, 'doubletake.yaml'), 'utf8');
	await play({ PIPELINE_URLS: 'GET /\nPOST /orders {"n": 1}\n' }, runOf(healthyResult()));
	assert.equal(await file(), `# Mine.\nload:\n  users: 20\n  urls:\n    - GET /\n    - 'POST /orders {"n": 1}'\n`);
	await play({ PIPELINE_SCRIPT: 'load.js' }, runOf(healthyResult()));
	assert.equal(await file(), '# Mine.\nload:\n  script: load.js\n');
});

test('a doubletake.yaml that leads out of the folder is neither read nor replaced', async () => {
	await mkdir(join(folder, 'led'));
	const file = join(folder, 'led/doubletake.yaml');
	await symlink('../doubletake.yaml', file);
	await play({ PIPELINE_FOLDER: 'led', PIPELINE_URLS: 'GET /' }, runOf(healthyResult()));
	assert.ok((await lstat(file)).isSymbolicLink());
});

test('GitLab gets the same: variables of a dotenv report, and a note that is replaced', async () => {
	const first = await play({ GITLAB_CI: 'true', EXPECT: 'failure_rate<0.0001' }, runOf(failingResult()));
	assert.equal(first.exitCode, EXIT.thresholdNotMet);
	assert.match(first.output, /^DOUBLETAKE_REPORT=reports\/shop\/1\/report\.html\nDOUBLETAKE_VERDICT=NOT MET\nDOUBLETAKE_EXIT_CODE=3\n/);
	comments.unshift({ id: 1, body: comments[0].body, author: { id: 8 } });
	comments[1].id = 2;
	await play({ GITLAB_CI: 'true' }, runOf(healthyResult()));
	assert.equal(comments.length, 2);
	assert.doesNotMatch(comments[1].body, /Thresholds/);
	assert.ok(asked.includes('PUT /projects/3/merge_requests/12/notes/2 hunter2'), asked.join('\n'));
});
