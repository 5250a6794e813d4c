import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { checkCompose } from '../run/preflight.ts';
import { runBounded } from './bounded.ts';
import { readConfig } from './compose.ts';
import { projectSystem } from './containers.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-bounded-'));
after(() => rmSync(folder, { recursive: true }));

/** For what is to be there at once, on a busy machine. */
const LOOK_MOST_MS = 10_000;
/** For which the hanging one would go on. */
const HANGS_S = 60;
/** So much sooner it is given up. */
const WELL_BEFORE_MS = 20_000;

const pidFile = join(folder, 'plugin.pid');

/**
 * As the docker command line does it: it starts a plug-in, which here ends at nothing but SIGKILL, and is ended before it.
 * @param first what the plug-in does first
 */
function hangingDocker(first: string = ':') {
	rmSync(pidFile, { force: true });
	const plugin = join(folder, 'plugin');
	writeFileSync(
		plugin,
		`#!/bin/sh\n${first}\ntrap '' TERM INT HUP\necho $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'\nsleep ${HANGS_S}\n`,
		{ mode: 0o755 },
	);
	const docker = join(folder, 'docker');
	writeFileSync(docker, `#!/bin/sh\n'${plugin}' &\nwait\n`, { mode: 0o755 });
	return docker;
}

async function pluginIsUp() {
	for (const until = Date.now() + LOOK_MOST_MS; !existsSync(pidFile); await wait(10)) assert.ok(Date.now() < until, 'it began');
	return Number(readFileSync(pidFile, 'utf8'));
}

/** Whether the process runs; one that is dead and not yet fetched by its parent does not. */
function isRunning(pid: number) {
	try {
		process.kill(pid, 0);
		return existsSync('/proc/self') ? !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) : true;
	} catch {
		return false;
	}
}

async function isGone(pid: number) {
	for (const until = Date.now() + LOOK_MOST_MS; isRunning(pid) && Date.now() < until; ) await wait(10);
	return !isRunning(pid);
}

test('at its limit a plug-in that ignores SIGTERM is ended with the program that started it', async () => {
	const began = Date.now();
	const { timedOut, failed, shortMessage } = await runBounded(hangingDocker(), ['compose'], { limitMs: 1500, graceMs: 50 });
	assert.ok(Date.now() - began < WELL_BEFORE_MS, `${Date.now() - began} ms`);
	assert.deepEqual([timedOut, failed, /did not end in 1\.5 s$/.test(shortMessage)], [true, true, true]);
	assert.ok(await isGone(await pluginIsUp()), 'nothing goes on as an orphan');
});

test('what has closed its output does not go on either', async () => {
	const ending = runBounded(hangingDocker('exec >/dev/null 2>&1'), ['compose'], { limitMs: 1500, graceMs: 60_000 });
	const plugin = await pluginIsUp();
	assert.equal((await ending).timedOut, true);
	assert.ok(await isGone(plugin));
});

test('an interruption ends it in the same way', async () => {
	const interruption = new AbortController();
	const began = Date.now();
	const ending = runBounded(hangingDocker(), ['compose'], { limitMs: HANGS_S * 1000, graceMs: 50, signal: interruption.signal });
	const plugin = await pluginIsUp();
	interruption.abort();
	const { timedOut, failed } = await ending;
	assert.deepEqual([timedOut, failed], [false, true]);
	assert.ok(Date.now() - began < WELL_BEFORE_MS);
	assert.ok(await isGone(plugin));
});

test('a signal to the lab ends what was called without one, unless it takes down', async () => {
	const own = () => {};
	process.on('SIGHUP', own);
	try {
		const mortal = runBounded(hangingDocker(), ['compose'], { limitMs: HANGS_S * 1000, graceMs: 50 });
		await pluginIsUp();
		const surviving = runBounded('/bin/sh', ['-c', 'sleep 0.3; echo down'], { limitMs: LOOK_MOST_MS, survives: true });
		process.kill(process.pid, 'SIGHUP');
		assert.equal((await mortal).failed, true);
		assert.deepEqual([(await surviving).failed, (await surviving).stdout], [false, 'down']);
	} finally {
		process.removeListener('SIGHUP', own);
	}
});

test('what it wrote, and how it ended, is told', async () => {
	const ended = await runBounded('/bin/sh', ['-c', 'cat; echo wrong >&2; exit 3'], { limitMs: LOOK_MOST_MS, input: 'asked\n' });
	const { stdout, stderr, exitCode, failed, timedOut } = ended;
	assert.deepEqual(
		{ stdout, stderr, exitCode, failed, timedOut },
		{ stdout: 'asked', stderr: 'wrong', exitCode: 3, failed: true, timedOut: false },
	);
	assert.deepEqual(ended.all.split('\n').toSorted(), ['asked', 'wrong']);
	const missing = await runBounded(join(folder, 'nothing'), [], { limitMs: LOOK_MOST_MS });
	assert.deepEqual([missing.code, missing.failed], ['ENOENT', true]);
});

test('a variable can be taken away from it', async () => {
	process.env.COMPOSE_FILE = 'mine.yaml';
	const reported = (env: Record<string, string | undefined>) =>
		runBounded('/bin/sh', ['-c', 'echo "$COMPOSE_FILE"'], { limitMs: LOOK_MOST_MS, env }).then(({ stdout }) => stdout);
	assert.deepEqual([await reported({}), await reported({ COMPOSE_FILE: undefined })], ['mine.yaml', '']);
	delete process.env.COMPOSE_FILE;
});

test('a Compose that hangs is given up at the limit of the question, in words, by all who ask it', async () => {
	hangingDocker();
	const path = process.env.PATH;
	process.env.PATH = `${folder}:${path}`;
	const began = Date.now();
	try {
		const system = projectSystem({ project: 'doubletake-run-1a2b', folder, files: ['compose.yaml'] });
		await assert.rejects(
			readConfig(system, {}, () => {}, { limitMs: 1500, graceMs: 50 }),
			/did not end in time/,
		);
		assert.ok(await isGone(await pluginIsUp()));
		await assert.rejects(checkCompose({ limitMs: 300, graceMs: 50 }), /Expected Docker Compose 2\.24\.6 or newer; found none/);
	} finally {
		process.env.PATH = path;
	}
	assert.ok(Date.now() - began < WELL_BEFORE_MS);
});
