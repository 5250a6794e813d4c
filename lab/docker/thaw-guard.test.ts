import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-thaw-'));
after(() => rmSync(folder, { recursive: true }));

/** In the place of Docker's own: keeps what it was asked. */
const asked = join(folder, 'asked');
writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho "$@" >> '${asked}'\n`);
chmodSync(join(folder, 'docker'), 0o755);

/** On a busy machine. */
const LOOK_MOST_MS = 30_000;
const SETTLED_MS = 1000;

/** @param then what a lab does that guards two containers */
function lab(then: string) {
	const url = JSON.stringify(new URL('thaw-guard.ts', import.meta.url).href);
	const program = `import { guardPaused } from ${url}; const release = guardPaused(['a', 'b']); ${then}`;
	const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
	return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', program], {
		stdio: ['ignore', 'pipe', 'ignore'],
		env,
	});
}

test('of a lab that is killed the containers go on', async () => {
	const child = lab("console.log('ready'); setInterval(() => {}, 1000);");
	await new Promise((resolve) => child.stdout?.once('data', resolve));
	assert.ok(!existsSync(asked));
	child.kill('SIGKILL');
	const all = () => existsSync(asked) && readFileSync(asked, 'utf8') === 'unpause a\nunpause b\n';
	for (const until = Date.now() + LOOK_MOST_MS; !all() && Date.now() < until; ) await wait(20);
	assert.ok(all());
	rmSync(asked);
});

test('of one that says that none stands still nothing is done, and the guard keeps nobody from ending', async () => {
	const child = lab('release();');
	assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
	await wait(SETTLED_MS);
	assert.ok(!existsSync(asked));
});
