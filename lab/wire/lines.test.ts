import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lines } from './lines.ts';

function written(write: (lines: Lines) => void): string {
	const given: Buffer[] = [];
	const lines = new Lines((bytes) => given.push(bytes));
	write(lines);
	lines.flush();
	return Buffer.concat(given).toString();
}

const NUMBERS = [
	0,
	-0,
	1,
	9,
	10,
	99,
	100,
	999_999_999,
	1e9,
	1_000_000_001,
	2 ** 31,
	4_294_967_296,
	1e15 + 7,
	1e18,
	2 ** 60,
	-5,
	0.25,
	1e21,
];

test('numbers are written as JSON has them', () => {
	const row = written((lines) => {
		lines.begin('call');
		for (const number of NUMBERS) lines.number(number);
		lines.end();
	});
	assert.equal(row, `${JSON.stringify(['call', ...NUMBERS])}\n`);
	for (let power = 1; power < 16; power += 1)
		for (const number of [10 ** power - 1, 10 ** power, 7 * 10 ** power + 5])
			assert.equal(
				written((lines) => lines.number(number)),
				`,${number}`,
			);
});

test('texts are written as JSON has them, whatever signs they have', () => {
	const texts = [
		'',
		'GET',
		'a"b',
		'a\\b',
		'line\nbreak',
		'\u0000',
		'\u007f',
		'héllo',
		'日本',
		'\ud800',
		'x'.repeat(500_000),
		'日'.repeat(100_000),
	];
	const row = written((lines) => {
		lines.begin('connection');
		for (const text of texts) lines.text(text);
		lines.end();
	});
	assert.equal(row, `${JSON.stringify(['connection', ...texts])}\n`);
});

test('nulls within a row are written, and those at its end are not', () => {
	const rows = written((lines) => {
		lines.begin('call');
		lines.number(null);
		lines.text(undefined);
		lines.flag(false);
		lines.object(null);
		lines.object(['10.0.0.1']);
		lines.flag(null);
		lines.end();
		lines.begin('call');
		lines.flag(true);
		lines.end();
		lines.value({ wire: 1 });
	});
	assert.equal(rows, '["call",null,null,false,null,["10.0.0.1"]]\n["call",true]\n{"wire":1}\n');
});

test('lines are given whole, and not changed afterwards', () => {
	const given: Buffer[] = [];
	const lines = new Lines((bytes) => given.push(bytes));
	for (let index = 0; index < 50_000; index += 1) {
		lines.begin('call');
		lines.number(index);
		lines.end();
	}
	lines.flush();
	assert.ok(given.length > 2);
	assert.ok(given.every((bytes) => bytes.at(-1) === '\n'.charCodeAt(0)));
	const rows = Buffer.concat(given).toString().trim().split('\n');
	assert.deepEqual(
		rows.map((row) => JSON.parse(row)[1]),
		Array.from({ length: 50_000 }, (_, index) => index),
	);
});
