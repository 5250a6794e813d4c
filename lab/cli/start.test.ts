import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { execa } from 'execa';
import { EXIT } from '../base/errors.ts';
import { ROOT } from '../base/paths.ts';

/** The lab with systems of its own. */
const root = mkdtempSync(join(os.tmpdir(), 'doubletake-start-'));
after(() => rmSync(root, { recursive: true }));
for (const entry of readdirSync(ROOT).filter((name) => !['compose', 'reports', '.git'].includes(name)))
	symlinkSync(join(ROOT, entry), join(root, entry));
const system = join(root, 'compose', 'broken');
mkdirSync(system, { recursive: true });

const list = (...options: string[]) =>
	execa(process.execPath, ['--preserve-symlinks', '--preserve-symlinks-main', join(root, 'lab', 'cli', 'start.ts'), 'list', ...options], {
		all: true,
		reject: false,
		timeout: 60_000,
		cwd: root,
		env: { DOUBLETAKE_FOLDER: root, DOUBLETAKE_REPORTS: join(root, 'reports') },
	});

test('a doubletake.yaml that is at fault is a sentence and exit code 2, whatever the command', async () => {
	writeFileSync(join(system, 'doubletake.yaml'), 'title: it\nquestion: none\n');
	const { exitCode, all } = await list();
	assert.equal(exitCode, EXIT.notReady, all);
	assert.match(
		String(all),
		/^error: .*compose\/broken\/doubletake\.yaml, line 2, question: expected .*; found "none"\.\n {2}To do: correct it\.$/,
	);
});

test('with --json it is an object', async () => {
	const { exitCode, stdout } = await list('--json');
	assert.equal(exitCode, EXIT.notReady);
	assert.equal(JSON.parse(stdout).error.do, 'correct it.');
});

test('one that is right is no such thing', async () => {
	writeFileSync(join(system, 'doubletake.yaml'), 'title: it\nquestion: How much?\n');
	const { all } = await list();
	assert.doesNotMatch(String(all), /doubletake\.yaml/);
});
