/**
 * Whether it is interrupted or refuses what it finds, the lab leaves nothing of a stack. Nothing is measured. A signal during a load is in
 * the tests of comparisons and of all experiments.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { REPORTS, ROOT } from '../../lab/base/paths.ts';
import { assertNothingIsLeft, doubletake, doubletakeIn, machineImages, RUN_LIMIT_MS, saysSo, start } from './commands.ts';

const timeout = 60_000;
const BALANCER_PORT = 8080;

test('Ctrl-C while the stack starts ends with 130 and leaves nothing', { timeout: RUN_LIMIT_MS }, async () => {
	const child = start('lab/doubletake', ['run', 'a'], { variables: { LOAD: 'smoke' }, detached: true });
	await saysSo(child, /bringing the stack up/);
	assert.ok(child.pid);
	process.kill(-child.pid, 'SIGINT');
	const { exitCode, all } = await child;
	assert.equal(exitCode, EXIT.interrupted, String(all));
	await assertNothingIsLeft();
});

test('a threshold that cannot be read ends with 2 before anything is measured', { timeout }, async () => {
	const runs = () => readdir(join(REPORTS, 'a')).catch(() => []);
	const before = await runs();
	const { exitCode, output } = await doubletake(['run', 'a'], { LOAD: 'calm', EXPECT: 'latency<800' });
	assert.equal(exitCode, EXIT.notReady, output);
	assert.match(output, /EXPECT: expected one of .*latency_ms_p95_ok.*; found "latency"/);
	assert.deepEqual(await runs(), before);
	await assertNothingIsLeft();
});

test('a busy port ends with 2, named, and leaves nothing', { timeout }, async () => {
	const neighbour = net.createServer().listen(BALANCER_PORT, '127.0.0.1');
	await once(neighbour, 'listening');
	try {
		const { exitCode, output } = await doubletake(['run', '2a'], { LOAD: 'smoke' });
		assert.equal(exitCode, EXIT.notReady, output);
		assert.match(output, new RegExp(`\\b${BALANCER_PORT}\\b`));
	} finally {
		neighbour.close();
	}
	await assertNothingIsLeft();
});

test(
	'a load whose every request fails is not begun, asked at several entries, of which one speaks TLS',
	{ timeout: RUN_LIMIT_MS },
	async (context) => {
		const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-refused-'));
		context.after(() => rm(folder, { recursive: true }));
		await cp(join(ROOT, 'test/own'), folder, { recursive: true });
		const variables = await machineImages();
		const init = await doubletakeIn(folder, ['init'], variables);
		assert.equal(init.exitCode, EXIT.done, init.output);
		const names = ['compose.yaml', 'edge.conf', 'doubletake.yaml'];
		const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
		const [key, certificate] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
		const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=shop.example', '-keyout', key, '-out', certificate];
		execFileSync('openssl', made, { stdio: 'ignore' });
		await chmod(key, 0o644);
		const [compose, conf, project] = texts;
		await writeFile(
			join(folder, names[0]),
			compose.replace('volumes: ["./edge', 'volumes: ["./key.pem:/tls/key.pem:ro", "./cert.pem:/tls/cert.pem:ro", "./edge'),
		);
		await writeFile(
			join(folder, names[1]),
			conf.replace('listen 8000;', 'listen 8000 ssl; ssl_certificate /tls/cert.pem; ssl_certificate_key /tls/key.pem;'),
		);
		const load = 'load:\n  urls: ["GET /gone", "GET http://web:3000/gone"]\n  shape: brief\n';
		const changed = project.replace(/entry: .*/, 'entry: [http://edge:8000/, http://web:3000/]').replace(/load:[\s\S]*/, load);
		await writeFile(join(folder, names[2]), changed);
		const { exitCode, output } = await doubletakeIn(folder, ['run'], variables);
		assert.equal(exitCode, EXIT.notReady, output);
		const line = changed.split('\n').indexOf('load:') + 2;
		const wanted = 'expected a request that http://edge:8000/ or http://web:3000/ answers well';
		assert.ok(output.includes(`error: doubletake.yaml:${line}, load.urls: ${wanted}`), output);
		assert.match(
			output,
			/GET https:\/\/edge:8000\/gone is answered with 410 Gone.*\n +GET http:\/\/web:3000\/gone is answered with 410 Gone/,
		);
		assert.match(output, /script: load\.js, which lies there[\s\S]*"expect: \[410\]" under load/);
		assert.doesNotMatch(output, / load: /);
		await assertNothingIsLeft();
	},
);
