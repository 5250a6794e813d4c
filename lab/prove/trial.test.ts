import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { secrets } from '../base/secrets.ts';
import { clearSecrets } from './trial.ts';

test('What stays of a change has no secret in it', async (t) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-proof-'));
	t.after(() => rm(folder, { recursive: true }));
	await clearSecrets(folder);
	await mkdir(join(folder, 'killed', 'changes'), { recursive: true });
	secrets.learn(['Tr0ub4dor-and-3']);
	const file = join(folder, 'killed', 'changes', 'knob.yaml');
	await writeFile(file, 'DATABASE_URL: postgres://shop:Tr0ub4dor-and-3@db/shop?pool_size=40\n');
	await clearSecrets(folder);
	assert.doesNotMatch(await readFile(file, 'utf8'), /Tr0ub4dor/);
	assert.match(await readFile(file, 'utf8'), /pool_size=40/);
	// More than a text can hold: no proof of the lab left it.
	await writeFile(join(folder, 'killed', 'changes', 'large'), '');
	await truncate(join(folder, 'killed', 'changes', 'large'), 3e9);
	await clearSecrets(folder);
});
