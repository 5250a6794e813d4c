/**
 * Every promise of SECURITY.md is held by tests that there are, and that run with the others.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/base/paths.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const [, table = ''] = read('SECURITY.md').split('## What it promises');
const rows = (table.split('## ')[0] ?? '').split('\n').filter((line) => /^\| [A-Z`]/.test(line));
const PLACES_MOST = 3;

test('each threat has a promise, and tests of it', () => {
	assert.ok(rows.length > 0);
	for (const row of rows) {
		const [threat, promise, tests] = row.split(' | ');
		assert.match(threat, /\.$/);
		assert.match(promise, /\.$/);
		const files = [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file);
		assert.ok(files.length > 0 && files.length <= PLACES_MOST, row);
		for (const file of files) assert.match(read(file), /\btest\(/, file);
	}
});
