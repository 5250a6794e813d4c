import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';

const own = process.env.TMPDIR;
let folder = '';
before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	process.env.TMPDIR = folder;
});
after(async () => {
	if (own === undefined) delete process.env.TMPDIR;
	else process.env.TMPDIR = own;
	await rm(folder, { recursive: true });
});

const module = JSON.stringify(new URL('scratch.ts', import.meta.url).href);

test('what a run that was ended by force left there is removed, and not what a living one has, nor another program', async () => {
	const { clearScratch, makeScratch } = await import('./scratch.ts');
	const run = join(folder, 'reports', 'shop', '1');
	for (const name of ['raw', 'written', 'written-by-services']) mkdirSync(join(run, name), { recursive: true });
	const program = `const { makeScratch, noteRun } = await import(${module}); const scratch = await makeScratch('run'); await noteRun(scratch, ${JSON.stringify(run)}); process.stdout.write(scratch); process.kill(process.pid, 'SIGKILL');`;
	const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
	assert.deepEqual([signal, existsSync(stdout)], ['SIGKILL', true]);
	writeFileSync(join(stdout, 'overlay.yaml'), 'Authorization: Bearer secret');
	const living = await makeScratch('run');
	assert.equal(statSync(living).mode & 0o777, 0o700);
	// As a container that shares the folder, and counts its own processes, calls one of a process that is not here.
	const elsewhere = basename(stdout).replace(/-run-\d+-/, '-run-1-');
	const others = [elsewhere, 'doubletake-test-abc', 'doubletake-run-999-1-abc', 'else'].map((name) => join(folder, name));
	for (const other of others) writeFileSync(other, '');
	const theirs = join(folder, 'theirs');
	mkdirSync(join(theirs, 'written'), { recursive: true });
	writeFileSync(join(theirs, 'run-folder'), theirs);
	symlinkSync(theirs, `${stdout}x`);
	await clearScratch();
	assert.ok(existsSync(join(theirs, 'written')), 'what somebody else put there names nothing');
	assert.equal(existsSync(stdout), false);
	assert.deepEqual(readdirSync(run), ['raw'], 'what its containers wrote, which nobody looked through, is gone too');
	for (const kept of [living, ...others]) assert.ok(existsSync(kept), kept);
});

test('a folder of reports that cannot be made is told in words, with where that is', { skip: !existsSync('/sys/kernel') }, async () => {
	const [{ makeRunFolder }, { toUserError }] = [await import('./run-folder.ts'), await import('../base/errors.ts')];
	// Nobody makes folders there, whoever it is.
	const run = { folder: '/sys/kernel/doubletake/shop/1' } as any;
	await assert.rejects(makeRunFolder(run), (error) => {
		assert.match(String(toUserError(error)), /Expected to be able to write to \/sys\/kernel\/doubletake; found .*To do: /s);
		return true;
	});
});
