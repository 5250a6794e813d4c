import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packJson, unpackJson } from '../../base/packed-json.ts';
import { packFiles, unpackFiles } from './archive.ts';
import type { RecordFiles } from './files.ts';

const archiveThere = async (files: RecordFiles) => unpackFiles(await unpackJson(await packJson(packFiles(files))));

const linesOf = (rows: any[]) => ({ 'raw/rows.ndjson': rows.map((row) => `${JSON.stringify(row)}\n`).join('') });

const ROWS: Record<string, any[]> = {
	'nothing at all': [],
	'rows of two services by turns': [
		{ name: 'a', t: 1795782646.498, cpu_s: 0.168362377, limit: null },
		{ name: 'b', t: 1795782646.498, cpu_s: 0.5, limit: null },
		{ name: 'a', t: 1795782647.5, cpu_s: 0.2, limit: 4 },
	],
	'lists that begin with a kind': [
		['call', 1, 100, null, 'GET'],
		['service', { name: 'a' }],
		['call', 1, 180, 190, 'GET'],
		['call', 2, 185, null, 'PUT', 3],
	],
	'lists of several lengths, and lists in them': [
		{ failed: [['1-1', 5]] },
		{ failed: [] },
		{
			failed: [
				['1-2', 6],
				['1-3', 7, 'x'],
			],
		},
	],
	'records that have other fields': [{ answered: {} }, { answered: { 200: 4 } }, { answered: { 200: 5, 500: 1 } }],
	'numbers that no power of ten makes whole': [0.1 + 0.2, 1e300, -5, 1 / 3],
	'sums of decimal numbers': [0.1 + 0.2, 1.1 + 2.2, 0.3, -0.1 - 0.2, 172452.16999999998],
	'texts of decimal numbers, and others': ['0.641', '12.005', '', '0.641, 0.002', '0.700', '-0.001', '00.100', '1234567890.123', '7.000'],
	'many whole numbers, of any size and sign': [
		0,
		-1,
		1,
		63,
		-64,
		64,
		8191,
		-8192,
		2 ** 31,
		-(2 ** 40),
		9_007_199_254_740_991,
		-9_007_199_254_740_991,
	],
	'many, of which one is no whole number that reads the same': [1, 2, 3, 4, 5, 6, 7, 8, -0, 9],
	'large numbers beside small ones': [9_007_199_254_740_991, 0.001, 2],
	'texts, booleans and nothing': ['a', true, null, false, ''],
};

for (const [what, rows] of Object.entries(ROWS))
	test(`${what} come out as they went in`, async () => assert.deepEqual(await archiveThere(linesOf(rows)), linesOf(rows)));

test('a clock that goes on takes a few letters a row', () => {
	const rows = Array.from({ length: 1000 }, (_, index) => ({ t: 1795782646.498 + index / 1000, began: 0 })).map(({ t }) => ({
		t: Number(t.toFixed(3)),
		again: Number(t.toFixed(3)),
	}));
	assert.ok(JSON.stringify(packFiles(linesOf(rows))).length < rows.length * 5);
});

test('times that are near to those of an earlier column take a few letters a row, where there are some', () => {
	const rows = Array.from({ length: 1000 }, (_, index) => {
		const asked = (index * 7919) % 1000003;
		return [`w${index}-1`, asked, 'GET', index % 3 ? asked + (index % 7) : null];
	});
	const asked = rows.map(([id, at, method]) => [id, at, method]);
	const bytes = (of: any[]) => JSON.stringify(packFiles(linesOf(of))).length;
	assert.ok(bytes(rows) - bytes(asked) < rows.length * 4);
});

test('a sum that grows by hundredths takes a few letters a row, and so does the text of a decimal number near to it', () => {
	let sum = 172452.17;
	const rows = Array.from({ length: 1000 }, (_, index) => {
		sum += (index % 5) / 100;
		return { sum, took_s: index * 0.25, text: (index * 0.25 + 0.001).toFixed(3) };
	});
	assert.ok(JSON.stringify(packFiles(linesOf(rows.map(({ sum }) => ({ sum }))))).length < rows.length * 6);
	assert.ok(JSON.stringify(packFiles(linesOf(rows.map(({ took_s, text }) => ({ took_s, text }))))).length < rows.length * 10);
});

test('rows of several kinds by turns are columns of each kind', async () => {
	const rows = Array.from({ length: 1000 }, (_, index) => ({ said: index % 2 ? { at: 1795782646 + index } : `${index % 3}` }));
	const packed = JSON.stringify(packFiles(linesOf(rows.map((row) => ({ rows: [row] })))));
	assert.ok(packed.length < rows.length * 8);
});

test('a text stays as it is, to the last blank', async () => {
	const files = { 'raw/nginx.conf': 'events {}\n\n', 'raw/empty.log': '', 'raw/half.ndjson': '{"t":1}\n{"t":' };
	assert.deepEqual(await archiveThere(files), files);
});

test('a line keeps its numbers as they were written, however long, and what looks like one that was taken out', async () => {
	const lines = [
		'2026/11/27 20:50:09 [error] 6#6: *7 at 1.007 s, 0 of 00 and 0007; id 00000000000000000012345678901234567890',
		'2026/11/27 20:50:11 [error] 6#6: *12 at 12.5 s, 1 of 22 and 1000; id 00000000000000000099999999999999999999',
		'1 0 2 00 123456789012345 1234567890123456',
		'٣ \ue001',
		'',
	];
	const files = {
		'raw/nginx-error.log': lines.join('\n'),
		'raw/a/log.txt': lines.map((line) => `2026-11-27T12:41:44.4Z ${line}\n`).join(''),
	};
	assert.deepEqual(await archiveThere(files), files);
});

test('lines that differ in their numbers alone take a few letters each', async () => {
	const lines = Array.from(
		{ length: 1000 },
		(_, index) => `20:50:${10 + (index % 50)} [error] *${1000 + index} recv() failed (104: reset)`,
	);
	assert.ok(JSON.stringify(packFiles({ 'raw/nginx-error.log': lines.join('\n') })).length < lines.length * 8);
});

test('what is JSON reads the same', async () => {
	const files = { 'manifest.json': '{ "run": 1.50 }', 'raw/rows.ndjson': '{"t":1.10}\n{"t":2.0}\n' };
	assert.deepEqual(await archiveThere(files), { 'manifest.json': '{"run":1.5}\n', 'raw/rows.ndjson': '{"t":1.1}\n{"t":2}\n' });
});

test("a line of k6's log keeps what a user wrote, and what k6 itself said", async () => {
	const said = {
		requests: [1795782659854, 96, 0, 100, 530, -2, 100, 730, 500, 1, 100],
		failed: [['178-8', 1795782659917, 53, 0, 1220, 'reset']],
	};
	const lines = [
		{ level: 'error', msg: JSON.stringify(said), source: 'console' },
		{ level: 'warning', msg: '{no JSON' },
		{ level: 'warning' },
	];
	const files = { 'raw/k6.log': lines.map((line) => `${JSON.stringify(line)}\n`).join('') };
	assert.deepEqual(await archiveThere(files), files);
});

test('a log that the engine wrote keeps its times to the nanosecond, however many digits they have', async () => {
	const lines = [
		'2026-11-27T12:41:44.325352676Z a',
		'2026-11-27T12:41:44.4Z b  c',
		'2026-11-27T12:41:45Z ',
		'2026-11-27T12:41:43.000000001Z d',
	];
	const files = {
		'raw/api/log.txt': lines.map((line) => `${line}\n`).join(''),
		'raw/db/log.txt': `${lines[0]}\nno time\n`,
		'raw/x/log.txt': lines[0],
	};
	assert.deepEqual(await archiveThere(files), files);
});
