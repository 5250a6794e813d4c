/**
 * A user's own Compose file, from init to the report, by the package that is installed in its folder.
 */
import assert from 'node:assert/strict';
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { EXIT } from '../../lab/base/errors.ts';
import { RAW, RECORD, ROOT, SERVICE_RECORD } from '../../lab/base/paths.ts';
import type { Result } from '../../lab/record/types.js';
import { checkPage } from '../browser/made-pages.ts';
import {
	assertNothingIsLeft,
	assertRan,
	doubletakeIn,
	installedIn,
	machineImages,
	newestProjectRun,
	npxIn,
	RUN_LIMIT_MS,
	readJson,
	readManifest,
	readResult,
	takenIn,
} from './commands.ts';
import type { Package } from './package.ts';
import { assertUnchanged, installPackage, testPackage } from './package.ts';

const INIT_LIMIT_S = 10;
const timeout = 60_000;
/** As long as it takes to put a fault in and to see what it does. Of no request at /well anything is wrong. */
const WELL = `import http from 'k6/http';
import { sleep } from 'k6';

export const options = { vus: 20, duration: '6s' };

export default () => {
  http.get('http://edge:8000/well');
  sleep(0.05);
};
`;

describe('a system of one’s own', () => {
	let folder = '';
	let variables: Record<string, string> = {};
	let installed: Package;
	before(
		async () => {
			folder = await mkdtemp(join(os.tmpdir(), 'doubletake-own-'));
			await cp(join(ROOT, 'test/own'), folder, { recursive: true });
			installed = await installPackage(folder);
			variables = await machineImages();
		},
		{ timeout },
	);
	after(async () => {
		await rm(folder, { recursive: true, force: true });
		await assertNothingIsLeft();
	});

	describe('the package', () => testPackage(() => installed));

	test('a folder without a Compose file is refused, and so is a run without doubletake.yaml', { timeout }, async (t) => {
		const empty = await mkdtemp(join(os.tmpdir(), 'doubletake-empty-'));
		t.after(() => rm(empty, { recursive: true }));
		for (const [command, wanted] of [
			['init', /expected one of compose\.yaml/],
			['run', /expected doubletake\.yaml/],
		]) {
			const { exitCode, output } = await doubletakeIn(empty, [String(command)]);
			assert.equal(exitCode, EXIT.notReady, output);
			assert.match(output, wanted as RegExp);
		}
	});

	test('init says in seconds what each service is taken for, and writes it', { timeout }, async () => {
		const { exitCode, output, seconds } = await npxIn(folder, ['init'], variables);
		assert.equal(exitCode, EXIT.done, output);
		assert.ok(seconds < INIT_LIMIT_S, `${seconds} s`);
		assert.match(output, /load-balancer +edge \(nginx\)/);
		assert.ok(output.trim().split('\n').length <= 15, output);
		const project = parse(await readFile(join(folder, 'doubletake.yaml'), 'utf8'));
		assert.equal(project.entry, 'http://edge:8000/');
		assert.deepEqual(
			[project.services.edge.product, project.services.edge.tier, project.services.web.tier],
			['nginx', 'load-balancer', 'app'],
		);
		assert.deepEqual(project.load, { script: 'load.js' });
		assert.match(output, /^ {2}load +The load is load\.js: a k6 script\.$/m);
		const again = await installedIn(folder, ['init'], variables);
		assert.deepEqual([again.exitCode, /expected no doubletake\.yaml/.test(again.output)], [EXIT.notReady, true], again.output);
		const explained = await installedIn(folder, ['init', '--explain'], variables);
		assert.equal(explained.exitCode, EXIT.done, explained.output);
		assert.match(explained.output, /What can be watched of each[\s\S]*doubletake\.yaml is there already, and stays/);
	});

	test('a run without doubletake.yaml looks at the Compose file first', { timeout }, async (t) => {
		const fresh = await mkdtemp(join(os.tmpdir(), 'doubletake-fresh-'));
		t.after(() => rm(fresh, { recursive: true }));
		await writeFile(join(fresh, 'compose.yaml'), 'services: { quiet: { image: "none:1" } }\n');
		const { exitCode, output } = await doubletakeIn(fresh, ['run']);
		assert.equal(exitCode, EXIT.notReady, output);
		assert.match(output, /expected a service that users can ask by its name; found no port of quiet/);
	});

	test('a script in a folder that is nobody’s but its user’s is refused until it is said', { timeout }, async () => {
		const { exitCode, output } = await installedIn(folder, ['run'], variables);
		assert.deepEqual([exitCode, /chmod o\+rX/.test(output)], [EXIT.notReady, true], output);
		await chmod(folder, 0o755);
	});

	describe('doubletake run', () => {
		let run = '';
		let result: Result;

		before(
			async () => {
				const path = join(folder, 'doubletake.yaml');
				const text = await readFile(path, 'utf8');
				// With consent its configuration is laid over, so that each request is on record.
				const changed = text
					.replace(/(edge: .*watch: )1/, '$12')
					// Who asks whom is left to be seen.
					.replace(/edges: .*/, 'edges: []')
					.replace(
						/load:[\s\S]*/,
						'load:\n  urls: ["GET /?token=canary"]\n  headers: { X-Custom: canary, Cookie: a=canary }\n  shape: brief\n  users: 20\n  think_ms: 50\n',
					);
				assert.notEqual(changed, text);
				await writeFile(path, changed);
				assertRan(await installedIn(folder, ['run'], variables));
				run = await newestProjectRun(folder);
				result = await readResult(run);
			},
			{ timeout: RUN_LIMIT_MS },
		);

		test('places each failure where the walk along its id ends, and says how that is known', () => {
			const { failures, unattributed } = result.ledger;
			assert.ok(result.metrics.failures > 0);
			assert.equal(unattributed, 0);
			assert.deepEqual(
				failures.map(({ tier, service, cause, basis }) => [tier, service, cause, Object.keys(basis.where), Object.keys(basis.why)]),
				[['app', 'web', 'app-error', ['proved'], ['counted']]],
			);
			assert.ok(
				result.ledger.checks.every(({ holds }) => holds),
				JSON.stringify(result.ledger.checks),
			);
		});

		test('takes from the wire who asks whom where doubletake.yaml does not say it', () => {
			const { wire, flow } = result;
			assert.deepEqual(
				flow.edges.map(({ from, to }) => `${from} ${to}`),
				['k6 edge', 'edge web'],
			);
			assert.match((wire?.differs ?? []).join('\n'), /^seen on the wire, not in doubletake\.yaml: edge asks web \(http\), [\d,]+ calls$/m);
		});

		test('reads from the wire who asked whom, as k6 counted it, and leaves no capture', async () => {
			const { wire, metrics } = result;
			assert.deepEqual(
				['k6 edge 8000', 'edge web 3000'].map(
					(wanted) => wire?.edges.find(({ from, to, port }) => `${from} ${to} ${port}` === wanted)?.calls,
				),
				[metrics.requests, metrics.requests],
				JSON.stringify(wire),
			);
			assert.equal(wire?.edges.find(({ from }) => from === 'edge')?.bad, metrics.failures);
			assert.deepEqual(
				(await readdir(os.tmpdir())).filter((name) => name.startsWith('doubletake-capture-')),
				[],
			);
		});

		test('says in its manifest what was run, and nothing of the user’s secrets', async () => {
			const manifest = await readManifest(run);
			assert.deepEqual(manifest.system.services.edge, { tier: 'load-balancer', product: 'nginx', watch: 2 });
			assert.match(manifest.versions.edge ?? manifest.versions.nginx, /^\d+\.\d+/);
			assert.equal(manifest.git, null);
			for (const file of [RECORD.manifest, RECORD.result, RECORD.report])
				assert.ok(!(await readFile(join(run, file), 'utf8')).includes('hunter2'), file);
			assert.ok((await readFile(join(run, RECORD.raw, 'edge', SERVICE_RECORD.log), 'utf8')).includes('doubletake1 '));
		});

		test('keeps nothing of what users and services said', async () => {
			const files = (await readdir(join(folder, 'reports'), { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
			for (const { name, parentPath } of files) {
				const bytes = await readFile(join(parentPath, name));
				const text = String(name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
				assert.ok(
					!text.includes('canary'),
					`${join(parentPath, name)}: ${text.slice(Math.max(0, text.indexOf('canary') - 100)).slice(0, 200)}`,
				);
			}
			assert.ok(files.some(({ name }) => name === `${RAW.wire}.gz`));
			assert.match(await readFile(join(run, RECORD.raw, 'web', SERVICE_RECORD.log), 'utf8'), / GET \/ of "\?" with user=\?$/m);
		});

		test('puts known faults in, after a run without one, and says whether each was found', { timeout: RUN_LIMIT_MS }, async (context) => {
			const path = join(folder, 'doubletake.yaml');
			const text = await readFile(path, 'utf8');
			await writeFile(join(folder, 'well.js'), WELL);
			await writeFile(path, text.replace(/load:[\s\S]*/, 'load:\n  script: well.js\n'));
			const refused = await installedIn(folder, ['selftest'], { ...variables, FAULTS: 'web.flooded' });
			assert.deepEqual(
				[refused.exitCode, /edge\.small-table, web\.worker-killed/.test(refused.output)],
				[EXIT.notReady, true],
				refused.output,
			);
			const { exitCode, output } = await installedIn(folder, ['selftest'], { ...variables, FAULTS: 'web.killed,web.worker-killed' });
			const taken = takenIn(output, /^– skipped +(control|web\.killed) /);
			if (taken) return context.skip(taken);
			assert.match(output, /^✓ right +control +0 /m);
			assert.match(output, /^✓ right +web\.killed /m);
			assert.match(output, /^– skipped +web\.worker-killed +it has no worker processes/m);
			assert.equal(exitCode, EXIT.done, output);
			const { scores, complete } = await readJson(join(folder, 'reports/selftest/some'), 'record.json');
			assert.equal(complete, true);
			const { fault } = await readManifest(join(folder, 'reports', scores[1].run));
			assert.equal(fault.id, 'web.killed');
			assert.match(await readFile(join(folder, 'reports/selftest/some/index.html'), 'utf8'), /doubletake selftest/);
		});

		test('shows a report that a browser reads without fault', { timeout }, async () => {
			await checkPage('report', join(run, RECORD.report));
		});

		test('is listed with the system, before what is shipped', { timeout }, async () => {
			const { exitCode, output } = await installedIn(folder, ['list']);
			assert.equal(exitCode, EXIT.done, output);
			assert.match(output, /^Your own system .*\n {2}edge +load-balancer, nginx, watch 2: .*\n {2}web +app, node, watch /m);
			const [own, shipped] = output.split('\nArchitectures (');
			assert.ok(own.includes(`reports/${run.split('/').slice(-2).join('/')}`), own);
			assert.match(shipped, /^ {2}2a /m);
			// There is no Makefile.
			assert.ok(shipped.startsWith('doubletake run <id>)\n'), shipped);
		});

		test('has its result and its report made anew, with what the wire said', { timeout }, async () => {
			const page = join(run, RECORD.report);
			const earlier = await readFile(page, 'utf8');
			await Promise.all([page, join(run, RECORD.result)].map((file) => rm(file)));
			const { exitCode, output } = await installedIn(folder, ['report', run]);
			assert.equal(exitCode, EXIT.done, output);
			assert.deepEqual(await readResult(run), result);
			assert.equal(await readFile(page, 'utf8'), earlier);
		});
	});

	test('nothing was written into the folder of the package by any of that', () => assertUnchanged(installed));
});
