/** Patterns that look through a text again from each of its lines or braces: a stranger's file of empty lines takes hours. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

/** From the beginning of a line on over ends of lines: from each empty line all that follow. */
const OVER_LINES = /\/[^/\n]*\^\(?\\s[*+][^\n]*\/[a-z]*m[a-z]*\b/;
/** From each brace that opens to one that closes, which need not be there. */
const OVER_BRACES = /(?<!\/\^.*)(?:\\\{.*?\[\^\}\]|<\(?\[\^>\])[*+]/;

function linesWith(pattern: RegExp): string[] {
	const files = execFileSync('git', ['ls-files', 'lab/*.ts', 'k6/*.js'], { encoding: 'utf8' }).split('\n').filter(Boolean);
	return files
		.filter((file) => !file.endsWith('.test.ts'))
		.flatMap((file) =>
			readFileSync(file, 'utf8')
				.split('\n')
				.flatMap((line, at) => (pattern.test(line) ? `${file}:${at + 1}` : [])),
		);
}

test('no pattern goes from the beginning of each line over all empty lines behind it', () => assert.deepEqual(linesWith(OVER_LINES), []));

test('no pattern goes from each brace over all others', () => {
	// What that one leaves out of a record may be of any length.
	assert.deepEqual(
		linesWith(OVER_BRACES).filter((place) => !place.includes('haproxy/redact')),
		[],
	);
});
