import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { endOrphanedCalls } from './call-guard.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-guard-'));
after(() => rmSync(folder, { recursive: true }));

/** On a busy machine. */
const LOOK_MOST_MS = 30_000;
const HANGS_S = 120;
const SETTLED_MS = 1000;
const BOUNDED = new URL('bounded.ts', import.meta.url);

async function soon(isSo: () => boolean) {
	for (const until = Date.now() + LOOK_MOST_MS; !isSo() && Date.now() < until; ) await wait(20);
	return isSo();
}

/** Dead ones that nobody has fetched do not run. */
const runs = (pid: number) => {
	try {
		process.kill(pid, 0);
		return !existsSync('/proc/self') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
	} catch {
		return false;
	}
};

/**
 * A lab that calls a docker whose plug-in ends at nothing but SIGKILL.
 * @param bounds of the call
 */
async function labWithHangingCall(bounds: string) {
	const pidFile = join(folder, `plugin-${readdirSync(folder).length}.pid`);
	const docker = join(folder, 'docker');
	const plugin = `trap "" TERM INT HUP; echo $$ >${pidFile}.new; mv ${pidFile}.new ${pidFile}; sleep ${HANGS_S}; sleep ${HANGS_S}`;
	writeFileSync(docker, `#!/bin/sh\nsh -c '${plugin}' &\nwait\n`, { mode: 0o755 });
	const program = `import { runBounded } from '${BOUNDED}'; await runBounded('${docker}', ['compose'], ${bounds});`;
	const lab = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
	assert.ok(await soon(() => existsSync(pidFile)), 'the plug-in began');
	const plug = Number(readFileSync(pidFile, 'utf8'));
	// The lab tells the shell beside it when the call has begun, and so has the plug-in.
	await wait(SETTLED_MS);
	const kill = async () => {
		lab.kill('SIGKILL');
		assert.ok(await soon(() => !runs(lab.pid ?? 0)));
	};
	return { lab, plug, kill };
}

/** The shell beside a lab: of its children the one that is no docker. */
function guardOf(lab: number) {
	const children = readFileSync(`/proc/${lab}/task/${lab}/children`, 'utf8').trim().split(' ').map(Number);
	return children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r line'));
}

test('a call that hangs ends with its lab, also when that is ended by force', async () => {
	const { plug, kill } = await labWithHangingCall('{ limitMs: 100_000 }');
	await kill();
	assert.ok(await soon(() => !runs(plug)), 'it ends a moment later');
});

test('one that takes a stack down has the time that it would have had', async () => {
	const { plug, kill } = await labWithHangingCall('{ limitMs: 3000, survives: true }');
	await kill();
	await wait(500);
	assert.ok(runs(plug), 'it goes on');
	assert.ok(await soon(() => !runs(plug)), 'and ends at its limit');
});

test(
	'what nobody ended the next run does, and touches nothing of labs that live',
	{ skip: !existsSync('/proc/self/environ') },
	async () => {
		const [dead, living] = [await labWithHangingCall('{ limitMs: 100_000 }'), await labWithHangingCall('{ limitMs: 100_000 }')];
		try {
			process.kill(Number(guardOf(dead.lab.pid ?? 0)), 'SIGKILL');
			await dead.kill();
			const said = [] as string[];
			endOrphanedCalls((text) => said.push(text));
			assert.ok(await soon(() => !runs(dead.plug)));
			assert.ok(runs(living.plug));
			assert.ok(
				said.some((text) => text.startsWith(`ended what a killed run had started: process ${dead.plug} (`)),
				said.join('\n'),
			);
			assert.ok(!said.some((text) => text.includes(`process ${living.plug} `)));
		} finally {
			await living.kill();
			assert.ok(await soon(() => !runs(living.plug)));
		}
	},
);

test('a lab that has nothing under way leaves no shell behind', async () => {
	const program = `import { runBounded } from '${BOUNDED}'; await runBounded('/bin/true', [], { limitMs: 5000 });`;
	const lab = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
	const code = await new Promise((resolve) => lab.once('exit', resolve));
	assert.equal(code, 0);
});
