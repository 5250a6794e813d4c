/** Patterns that look through a text again from each of its lines: a stranger's file of empty lines takes hours. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** From the beginning of a line on over ends of lines: from each empty line all that follow. */
const OVER_LINES = /\/[^/\n]*\^\(?\\s[*+][^\n]*\/[a-z]*m[a-z]*\b/;

test('no pattern goes from the beginning of each line over all empty lines behind it', () => {
	const files = execFileSync('git', ['ls-files', 'lab/*.ts', 'k6/*.js'], { encoding: 'utf8' }).split('\n').filter(Boolean);
	const found = files
		.filter((file) => !file.endsWith('.test.ts'))
		.flatMap((file) =>
			readFileSync(file, 'utf8')
				.split('\n')
				.flatMap((line, at) => (OVER_LINES.test(line) ? `${file}:${at + 1}` : [])),
		);
	assert.deepEqual(found, []);
});
