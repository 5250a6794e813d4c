/**
 * The steps of action.yml as a runner plays them, on a real stack: environment files, an event, and an API for comments that is a stub.
 *
 * A verdict takes eight blocks, so the runs of the comparison are as short as they can be: one service that is healthy at once, and seconds of load. What
 * the head is worse by is more than a slow machine can do. By rule no verdict rests on runs while others used the machine: then it is held back, which the
 * job has to say.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { execa } from 'execa';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { EXIT } from '../../lab/base/errors.ts';
import { EXPERIMENT_RECORD, ROOT } from '../../lab/base/paths.ts';
import { QUIET_BUSY_SHARE } from '../../lab/catalog/budgets.ts';
import { waitForQuiet } from '../../lab/run/observe/machine.ts';
import { assertNothingIsLeft, machineImages, RUN_LIMIT_MS, readJson, start } from './commands.ts';

const LIMIT_MS = 3 * RUN_LIMIT_MS;
/** By how much an answer of the head comes later than one of its base. */
const LATER_MS = 200;
/** Without packets a run is seconds shorter. */
const DESCRIBED = {
	...{ compose: ['compose.yaml'], entry: 'http://web:3000/', services: { web: { tier: 'app', product: 'node', watch: 1 } }, edges: [] },
	...{ load: { script: 'load.js' }, capture: 'off' },
};

/**
 * So long that the machine's record has readings, where others leave it alone. Where they do not, so short that it has none of them to make a run INVALID,
 * which would be made twice. Each user waits longer than a busy machine may let k6 be late.
 */
const scriptOf = (isQuiet: boolean) => `import { sleep } from 'k6';
import http from 'k6/http';

export const options = { vus: 6, duration: '${isQuiet ? 3 : 1}s' };

export default () => {
	http.get('http://web:3000/well');
	sleep(0.2);
};
`;

type Step = { id?: string; if?: string; uses?: string; with?: Record<string, string>; env?: Record<string, string>; run?: string };

const action: { inputs: Record<string, { default?: string }>; outputs: Record<string, { value: string }>; runs: { steps: Step[] } } = parse(
	await readFile(join(ROOT, 'action.yml'), 'utf8'),
);

describe('the action, played', () => {
	let workspace = '';
	let base = '';
	const comments: { id: number; body: string; user: { type: string } }[] = [];
	const methods: string[] = [];
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
		for (const name of ['shop', 'kiosk']) await cp(join(ROOT, 'test/own'), join(workspace, name), { recursive: true });
		const { share } = await waitForQuiet({ busy: 'allow', say: () => {}, signal: AbortSignal.timeout(LIMIT_MS) });
		await writeFile(join(workspace, 'kiosk/load.js'), scriptOf(share <= QUIET_BUSY_SHARE));
		await writeFile(join(workspace, 'kiosk/doubletake.yaml'), stringify(DESCRIBED));
		await describeKiosk(0);
		await chmod(workspace, 0o755);
		const git = (...args: string[]) =>
			execa('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false', ...args], { cwd: workspace });
		await git('init', '--quiet');
		await git('add', '.');
		await git('commit', '--quiet', '--message', 'A shop and a kiosk');
		base = (await git('rev-parse', 'HEAD')).stdout;
		await describeKiosk(LATER_MS);
		await git('commit', '--quiet', '--all', '--message', 'The kiosk answers later');
	});
	after(async () => {
		api.close();
		await rm(workspace, { recursive: true, force: true });
		await assertNothingIsLeft();
	});

	/**
	 * The program of the shop, without the rest of it.
	 * @param delayMs of each answer
	 */
	async function describeKiosk(delayMs: number) {
		const { web } = parse(await readFile(join(ROOT, 'test/own/compose.yaml'), 'utf8')).services;
		const healthcheck = { ...web.healthcheck, interval: '200ms', retries: 300 };
		// With a quota a run bears more of others than without.
		const kiosk = { ...web, healthcheck, environment: { DELAY_MS: String(delayMs) }, ports: ['8080:3000'], cpus: 0.5 };
		await writeFile(join(workspace, 'kiosk/compose.yaml'), stringify({ services: { web: kiosk } }));
	}

	/** As `uses:` with these inputs. */
	async function use(given: Record<string, string>) {
		for (const name of Object.keys(given)) assert.ok(name in action.inputs, name);
		const [output, summary, event] = ['output', 'summary', 'event.json'].map((name) => join(workspace, name));
		for (const file of [output, summary]) await writeFile(file, '');
		await writeFile(event, JSON.stringify({ pull_request: { number: 12 } }));
		const known: Record<string, string> = { 'github.token': 'hunter2' };
		const filled = (text: string) => text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name) => known[name] ?? '');
		for (const [name, { default: standard = '' }] of Object.entries(action.inputs))
			known[`inputs.${name}`] = given[name] ?? filled(standard);
		const { port } = api.address() as AddressInfo;
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
		let exitCode: number | undefined;
		const kept: string[] = [];
		for (const { id, run, uses, env = {}, with: inputs = {} } of action.runs.steps) {
			if (run) {
				const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
				const script = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', filled(run)];
				const ended = await start('bash', script, {
					variables: { ...images, ...runner, ...own },
					cwd: workspace,
					limitMs: LIMIT_MS,
				});
				[log, exitCode] = [`${log}${ended.all}`, ended.exitCode];
				for (const [, name, , value] of (await readFile(output, 'utf8')).matchAll(/^(.*?)<<(.*)\n([\s\S]*?)\n\2$/gm))
					known[`steps.${id}.outputs.${name}`] = value;
			} else if (uses?.startsWith('actions/upload-artifact@')) kept.push(...filled(inputs.path).split('\n'));
		}
		const outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)]));
		return { exitCode, log, outputs, kept, summary: await readFile(summary, 'utf8') };
	}

	test('a revision that is worse than its base fails the job, and a comment says so', { timeout: LIMIT_MS }, async (t) => {
		const inputs = { folder: 'kiosk', 'compare-with': base, 'fail-on': 'worse', comment: 'true' };
		const { exitCode, log, outputs, kept, summary } = await use(inputs);
		assert.match(outputs.report, /^kiosk\/reports\/compare\/[^/]+\/compare\.html$/, log);
		assert.deepEqual(kept, [dirname(outputs.report)]);
		const { base: before, other, blocks, metrics } = await readJson(join(workspace, kept[0]), EXPERIMENT_RECORD.comparison);
		const [goodput, p95] = ['goodput_rps', 'latency_ms_p95_ok'].map((wanted) => metrics.find(({ id }: { id: string }) => id === wanted));
		const doubts = [...before.runs, ...other.runs].flatMap(({ validity }) => validity.reasons);
		const word = goodput.verdict === 'worse' ? 'WORSE' : 'INCONCLUSIVE';
		t.diagnostic(`${word}; ${blocks.complete} repetitions; ${doubts[0] ?? 'all VALID'}`);
		if (blocks.complete === blocks.least) {
			assert.ok(goodput.high < 1 && p95.low > 1 && Number(outputs['p95-ms']) > LATER_MS, JSON.stringify([goodput, p95, outputs]));
			if (word !== 'WORSE') for (const { held_back: why } of [goodput, p95]) assert.match(why, /^worse with SUSPECT runs, /);
		}
		if (word === 'WORSE') {
			assert.deepEqual([exitCode, outputs.verdict, outputs['exit-code']], [EXIT.worse, 'WORSE', '5'], log);
			assert.match(
				log,
				/^::error title=Doubletake::WORSE: kiosk has 0\.\d+ times the goodput of rev:\w+ \(95 %25 interval .*, 8 repetitions\): worse\./m,
			);
		} else {
			assert.notDeepEqual(doubts, [], log);
			assert.ok([EXIT.done, EXIT.failed].some((code) => code === exitCode) && outputs.verdict === 'INCONCLUSIVE', log);
		}
		assert.match(summary, new RegExp(`^## kiosk against rev:\\w+: ${word}$`, 'm'));
		assert.deepEqual([comments.length, methods], [1, ['POST']]);
		assert.ok(comments[0].body.endsWith(summary));
	});

	test('a second push that meets its thresholds replaces the comment', { timeout: LIMIT_MS }, async () => {
		const inputs = { folder: 'kiosk', urls: 'GET /well', load: 'brief', users: '10', expect: 'failure_rate<0.01', comment: 'true' };
		const { exitCode, log, outputs, kept, summary } = await use(inputs);
		assert.equal(exitCode, EXIT.done, log);
		assert.deepEqual([outputs.verdict, outputs['exit-code'], outputs['failure-rate']], ['MET', '0', '0']);
		assert.ok(Number(outputs['p95-ms']) > 0 && Number(outputs['throughput-rps']) > 1, JSON.stringify(outputs));
		assert.match(await readFile(join(workspace, outputs.report), 'utf8'), /^<!doctype html>/i);
		assert.equal(join(kept[0], 'report.html'), outputs.report);
		assert.match(summary, /Thresholds: 1 of 1 met/);
		assert.deepEqual([comments.length, methods], [1, ['POST', 'PATCH']]);
		assert.ok(comments[0].body.endsWith(summary));
		assert.doesNotMatch(log, /::error|hunter2/);
	});

	test(
		'a job with thresholds and a baseline has both: it fails by what is not met, and says that the stored runs were made at another time',
		{ timeout: LIMIT_MS },
		async () => {
			// The job before wrote its own load into the file.
			const inputs = {
				folder: 'kiosk',
				script: 'load.js',
				expect: `latency_ms_p95_ok<${LATER_MS}`,
				baseline: 'kiosk/reports/compare',
				repeats: '1',
			};
			const { exitCode, log, outputs, kept, summary } = await use(inputs);
			assert.deepEqual([exitCode, outputs.verdict], [EXIT.thresholdNotMet, 'NOT MET'], log);
			assert.match(log, /^::error title=Doubletake::NOT MET: expected latency_ms_p95_ok < 200 ms; found [2-9]\d\d/m);
			assert.match(summary, /Thresholds: 0 of 1 met[\s\S]*^## kiosk against kiosk \(baseline\): INCONCLUSIVE\n/m);
			assert.match(summary, /- Doubt: the baseline was measured at another time/);
			assert.deepEqual(
				kept.map((path) => dirname(path)),
				['kiosk/reports/kiosk', 'kiosk/reports/compare'],
			);
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
		const known = {
			CI_PROJECT_DIR: workspace,
			CI_BUILDS_DIR: workspace,
			CI_JOB_ID: '1',
			CI_JOB_NAME: 'doubletake',
			GITLAB_CI: 'true',
		} as Record<string, any>;
		const filled = (text: unknown) =>
			String(text)
				.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name) => (given as Record<string, string>)[name] ?? spec.inputs[name].default)
				.replaceAll(/\$(CI_\w+)/g, (whole, name) => known[name] ?? whole);
		const variables = Object.fromEntries(Object.entries<any>(job.variables).map(([name, value]) => [name, filled(value)]));
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
