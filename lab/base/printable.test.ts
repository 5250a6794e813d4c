import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable, printableJson, printableLine } from './printable.ts';

/** What a terminal obeys, or hides. */
const HOSTILE = [
	...[
		'\u001b[2J',
		'\u001b]52;c;ZXZpbA==\u0007',
		'\u001b]0;title\u001b\\',
		'\u009b31m',
		'\u0090q',
		'\b\b\b',
		'\u007f',
		'\u0000',
		'\v',
		'\f',
	],
	...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069', '\u200e', '\u200f', '\u061c'],
	...['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u180e', '\u3164', '\u2028', '\u2029', '\u{e0041}', '\ud800'],
];
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u3164]/u;

test('nothing that a terminal obeys or hides is printed, and it is shown what was there', () => {
	for (const hostile of HOSTILE) {
		const shown = printable(`before ${hostile} after`);
		assert.doesNotMatch(shown, OBEYED, JSON.stringify(hostile));
		assert.match(shown, /^before .*\\u[0-9a-f]{4}.* after$/, shown);
	}
});

test('a program that runs a pipeline is commanded by nothing that is printed', () => {
	assert.equal(
		printable('a\n  ::set-output name=x::y\n::error::z\nIPv6 ::1'),
		'a\n  \\u003a:set-output name=x::y\n\\u003a:error::z\nIPv6 ::1',
	);
	assert.equal(printable('x ##vso[task.setvariable]y ##[error] ## [a]'), 'x \\u0023#vso[task.setvariable]y \\u0023#[error] ## [a]');
	const value = { log: '##teamcity[x]' };
	assert.ok(!printableJson(value).includes('##'));
	assert.deepEqual(JSON.parse(printableJson(value)), value);
});

test('a return alone does not write over its line, and one at its end is none', () => {
	assert.equal(printable('failed\rpassed\r\nnext'), 'failed\\u000dpassed\nnext');
});

test('line breaks, tabulators and letters of every language stay', () => {
	const text = 'one\ttwo\nÄ é e\u0301 العربية עברית 日本語 ½ … “x” 😀';
	assert.equal(printable(text), text);
});

test('a line that is too long is cut, and says so', () => {
	const shown = printable(`a\n${'x'.repeat(100_000)}\nb`);
	assert.match(shown, /^a\nx{4000}… \(96000 more characters\)\nb$/);
});

test('what stands in a line stays in it', () => {
	assert.equal(printableLine('one\ntwo\r\nthree'), 'one\\ntwo\\nthree');
});

test('JSON reads as it was', () => {
	const value = { text: HOSTILE.slice(0, -1).join(' '), list: ['é', 1, null] };
	const text = printableJson(value);
	assert.doesNotMatch(text, OBEYED);
	assert.deepEqual(JSON.parse(text), value);
});
