/**
 * The steps of action.yml as a runner plays them, on a real stack: environment files, an event, and an API for comments that is a stub. What a comparison
 * that is worse leaves is in lab/extras/pipeline/pipeline.test.js: a verdict takes eight quiet blocks.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { execa } from 'execa';
import { parse, parseAllDocuments } from 'yaml';
import { EXIT } from '../../lab/base/errors.js';
import { ROOT } from '../../lab/base/paths.js';
import { assertNothingIsLeft, machineImages, RUN_LIMIT_MS, start } from './commands.js';

const LIMIT_MS = 3 * RUN_LIMIT_MS;
const LOAD = { load: 'brief', users: '10', expect: 'failure_rate<0.01' };

/** @typedef {{ id?: string, if?: string, uses?: string, with?: Record<string, string>, env?: Record<string, string>, run?: string }} Step */
/** @type {{ inputs: Record<string, { default?: string }>, outputs: Record<string, { value: string }>, runs: { steps: Step[] } }} */
const action = parse(await readFile(join(ROOT, 'action.yml'), 'utf8'));

describe('the action, played', () => {
	let workspace = '';
	let commit = '';
	/** @type {{ id: number, body: string, user: { type: string } }[]} */
	const comments = [];
	/** @type {string[]} */
	const methods = [];
	const api = createServer(async (request, response) => {
		let body = '';
		for await (const piece of request) body += piece;
		assert.equal(request.headers.authorization, 'Bearer hunter2');
		const { method = '' } = request;
		if (method !== 'GET') methods.push(method);
		if (method === 'POST') comments.push({ id: 1, user: { type: 'Bot' }, ...JSON.parse(body) });
		if (method === 'PATCH') Object.assign(comments[0], JSON.parse(body));
		response.end(JSON.stringify(comments));
	});

	before(async () => {
		api.listen(0, '127.0.0.1');
		await once(api, 'listening');
		workspace = await mkdtemp(join(os.tmpdir(), 'doubletake-own-'));
		await cp(join(ROOT, 'test/own'), join(workspace, 'shop'), { recursive: true });
		await chmod(workspace, 0o755);
		const git = (/** @type {string[]} */ ...args) =>
			execa('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false', ...args], { cwd: workspace });
		await git('init', '--quiet');
		await git('add', '.');
		await git('commit', '--quiet', '--message', 'A shop');
		commit = (await git('rev-parse', 'HEAD')).stdout;
	});
	after(async () => {
		api.close();
		await rm(workspace, { recursive: true, force: true });
		await assertNothingIsLeft();
	});

	/** As `uses:` with these inputs. @param {Record<string, string>} given */
	async function use(given) {
		for (const name of Object.keys(given)) assert.ok(name in action.inputs, name);
		const [output, summary, event] = ['output', 'summary', 'event.json'].map((name) => join(workspace, name));
		for (const file of [output, summary]) await writeFile(file, '');
		await writeFile(event, JSON.stringify({ pull_request: { number: 12 } }));
		/** @type {Record<string, string>} */
		const known = { 'github.token': 'hunter2' };
		const filled = (/** @type {string} */ text) => text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name) => known[name] ?? '');
		for (const [name, { default: standard = '' }] of Object.entries(action.inputs))
			known[`inputs.${name}`] = given[name] ?? filled(standard);
		const { port } = /** @type {import('node:net').AddressInfo} */ (api.address());
		const runner = {
			...{
				GITHUB_ACTIONS: 'true',
				GITHUB_ACTION_PATH: ROOT,
				GITHUB_WORKSPACE: workspace,
				GITHUB_OUTPUT: output,
				GITHUB_STEP_SUMMARY: summary,
			},
			...{
				GITHUB_EVENT_PATH: event,
				GITHUB_API_URL: `http://127.0.0.1:${port}`,
				GITHUB_REPOSITORY: 'ada/shop',
				GITHUB_WORKFLOW: 'CI',
				GITHUB_JOB: 'shop',
			},
		};
		const images = await machineImages();
		let log = '';
		/** @type {number | undefined} */
		let exitCode;
		/** @type {string[]} */
		const kept = [];
		for (const { id, run, uses, env = {}, with: inputs = {} } of action.runs.steps) {
			if (run) {
				const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
				const script = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(run)];
				const ended = await start('bash', script, { variables: { ...images, ...runner, ...own }, cwd: workspace, limitMs: LIMIT_MS });
				[log, exitCode] = [`${log}${ended.all}`, ended.exitCode];
				for (const [, name, , value] of (await readFile(output, 'utf8')).matchAll(/^(.*?)<<(.*)\n([\s\S]*?)\n\2$/gm))
					known[`steps.${id}.outputs.${name}`] = value;
			} else if (uses?.startsWith('actions/upload-artifact@')) kept.push(...filled(inputs.path).split('\n'));
		}
		const outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)]));
		return { exitCode, log, outputs, kept, summary: await readFile(summary, 'utf8') };
	}

	test('a run that meets its thresholds leaves outputs, a summary, a report to be kept, and a comment', { timeout: LIMIT_MS }, async () => {
		const { exitCode, log, outputs, kept, summary } = await use({ folder: 'shop', urls: 'GET /well', comment: 'true', ...LOAD });
		assert.equal(exitCode, EXIT.done, log);
		assert.deepEqual([outputs.verdict, outputs['exit-code'], outputs['failure-rate']], ['MET', '0', '0']);
		assert.ok(Number(outputs['p95-ms']) > 0 && Number(outputs['throughput-rps']) > 1, JSON.stringify(outputs));
		assert.match(await readFile(join(workspace, outputs.report), 'utf8'), /^<!doctype html>/i);
		assert.equal(join(kept[0], 'report.html'), outputs.report);
		assert.match(summary, /Thresholds: 1 of 1 met/);
		assert.deepEqual([comments.length, methods], [1, ['POST']]);
		assert.ok(comments[0].body.endsWith(summary));
		assert.doesNotMatch(log, /::error|hunter2/);
	});

	test('a second push that does not meet them fails, and replaces the comment', { timeout: LIMIT_MS }, async () => {
		const { exitCode, log, outputs } = await use({ folder: 'shop', urls: 'GET /', comment: 'true', ...LOAD });
		assert.deepEqual([exitCode, outputs.verdict], [EXIT.thresholdNotMet, 'NOT MET'], log);
		assert.match(log, /^::error title=Doubletake::NOT MET: expected failure_rate < 0\.01; found 0\.0\d+$/m);
		assert.deepEqual([comments.length, methods], [1, ['POST', 'PATCH']]);
		assert.match(comments[0].body, /Thresholds: 0 of 1 met/);
	});

	test(
		'a comparison with a revision that is too short for a verdict ends with the code of INCONCLUSIVE',
		{ timeout: LIMIT_MS },
		async () => {
			const { exitCode, log, outputs, summary } = await use({
				...{ folder: 'shop', load: 'brief', users: '10', 'compare-with': commit, repeats: '1', 'fail-on': 'worse,inconclusive' },
			});
			// On a machine that others use every run may be INVALID.
			assert.ok(
				[EXIT.inconclusive, EXIT.failed].some((code) => code === exitCode),
				log,
			);
			assert.deepEqual([outputs.verdict, outputs['exit-code']], ['INCONCLUSIVE', String(exitCode)]);
			assert.match(summary, /: INCONCLUSIVE\n/);
			assert.match(outputs.report, /^shop\/reports\/compare\/[^/]+\/compare\.html$/);
		},
	);

	test(
		'its runs are the baseline of a later one, of which the page says that they were made at another time',
		{ timeout: LIMIT_MS },
		async () => {
			const { exitCode, log, outputs, summary } = await use({
				folder: 'shop',
				load: 'brief',
				users: '10',
				baseline: 'shop/reports/compare',
				repeats: '1',
			});
			assert.ok(
				[EXIT.inconclusive, EXIT.failed].some((code) => code === exitCode),
				log,
			);
			assert.equal(outputs.verdict, 'INCONCLUSIVE');
			assert.match(summary, /^## shop against shop \(baseline\): INCONCLUSIVE\n[\s\S]*- Doubt: the baseline was measured at another time/);
		},
	);

	test('what cannot be measured is reported with what to do, before anything is', { timeout: LIMIT_MS }, async () => {
		const { exitCode, log, outputs, kept, summary } = await use({ folder: 'shop', expect: 'p95<1' });
		assert.deepEqual([exitCode, outputs.verdict, outputs.report, kept], [EXIT.notReady, 'NOT MEASURED', '', ['']], log);
		assert.match(summary, /not measured[\s\S]*EXPECT: expected one of [\s\S]*To do: write "latency/);
	});

	test('the script of the template for GitLab does the same', { timeout: LIMIT_MS }, async () => {
		const [{ spec }, { doubletake: job }] = parseAllDocuments(await readFile(join(ROOT, 'templates/doubletake.yml'), 'utf8')).map(
			(document) => document.toJS(),
		);
		const output = join(workspace, 'doubletake.env');
		const given = { source: 'nowhere', folder: 'shop', expect: 'p95<1' };
		const known = /** @type {Record<string, any>} */ ({
			CI_PROJECT_DIR: workspace,
			CI_BUILDS_DIR: workspace,
			CI_JOB_ID: '1',
			CI_JOB_NAME: 'doubletake',
			GITLAB_CI: 'true',
		});
		const filled = (/** @type {unknown} */ text) =>
			String(text)
				.replaceAll(
					/\$\[\[ inputs\.(\w+) \]\]/g,
					(_, name) => /** @type {Record<string, string>} */ (given)[name] ?? spec.inputs[name].default,
				)
				.replaceAll(/\$(CI_\w+)/g, (whole, name) => known[name] ?? whole);
		const variables = Object.fromEntries(Object.entries(job.variables).map(([name, value]) => [name, filled(value)]));
		// A checkout of Doubletake is here already.
		await symlink(ROOT, join(workspace, 'doubletake-1'));
		const [clone, ...lines] = job.script;
		assert.match(clone, /^git clone .* "\$CI_BUILDS_DIR\/doubletake-\$CI_JOB_ID"$/);
		const ended = await start('bash', ['-eo', 'pipefail', '-c', lines.join('\n')], {
			variables: { ...known, ...variables, DOUBLETAKE_TOKEN: 'hunter2' },
			cwd: workspace,
		});
		assert.equal(ended.exitCode, EXIT.notReady, String(ended.all));
		assert.equal(
			await readFile(output, 'utf8'),
			'DOUBLETAKE_REPORT=\nDOUBLETAKE_VERDICT=NOT MEASURED\nDOUBLETAKE_EXIT_CODE=2\nDOUBLETAKE_FAILURE_RATE=\nDOUBLETAKE_P95_MS=\nDOUBLETAKE_THROUGHPUT_RPS=\nDOUBLETAKE_FOLDERS=\n',
		);
		assert.match(String(ended.all), /^error: NOT MEASURED: EXPECT: expected one of /m);
		await start('bash', ['-ec', filled(job.after_script.join('\n'))], { cwd: workspace });
		await access(join(ROOT, 'action.yml'));
	});
});
