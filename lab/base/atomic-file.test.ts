import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeFileAtomic } from './whole-file.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-whole-'));
after(() => rmSync(folder, { recursive: true }));

test('a file is replaced, and nothing is left beside it', async () => {
	for (const text of ['one', 'two']) await writeFileAtomic(join(folder, 'plan.json'), text);
	assert.deepEqual([readdirSync(folder), readFileSync(join(folder, 'plan.json'), 'utf8')], [['plan.json'], 'two']);
});

test('one that cannot be written leaves no half of it', async () => {
	mkdirSync(join(folder, 'taken'));
	await assert.rejects(writeFileAtomic(join(folder, 'taken'), 'text'));
	assert.deepEqual(readdirSync(folder).sort(), ['plan.json', 'taken']);
});
