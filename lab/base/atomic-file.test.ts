import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeFileAtomic } from './whole-file.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-whole-'));
after(() => rmSync(folder, { recursive: true }));

/** Of a program that was killed, and of one that writes. */
const [old, young] = [0, Date.now()].map((at) => `.doubletake-${at}-${randomUUID()}.new`);

test('a file is replaced, and nothing is left beside it', async () => {
	for (const draft of [old, young]) writeFileSync(join(folder, draft), '');
	for (const text of ['one', 'two']) await writeFileAtomic(join(folder, 'plan.json'), text);
	assert.deepEqual([readdirSync(folder), readFileSync(join(folder, 'plan.json'), 'utf8')], [[young, 'plan.json'], 'two']);
});

test('one that cannot be written leaves no half of it', async () => {
	mkdirSync(join(folder, 'taken'));
	for (const name of ['taken', 'n'.repeat(300)]) await assert.rejects(writeFileAtomic(join(folder, name), 'text'), /no file|ENAMETOOLONG/);
	assert.deepEqual(readdirSync(folder).sort(), [young, 'plan.json', 'taken']);
});
