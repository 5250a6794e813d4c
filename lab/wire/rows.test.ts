import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lines } from './lines.ts';
import { Row } from './row.ts';

function written(write: (lines: Lines) => void): Buffer {
	const given: Buffer[] = [];
	const lines = new Lines((bytes) => given.push(bytes));
	write(lines);
	lines.flush();
	return Buffer.concat(given);
}

/** @returns at the first value of a row */
function begun(text: string): Row {
	const row = new Row();
	assert.equal(row.texts.all[row.begin(Buffer.from(text), 0)], 'call');
	return row;
}

test('numbers read as they were written', () => {
	const numbers = [0, 1, 9, 10, 999_999_999, 1e9, 2 ** 31, 4_294_967_296, 1e15 - 1, 1e15 + 7, 2 ** 60, -5, 0.25, 1e21];
	const bytes = written((lines) => {
		lines.begin('call');
		for (const number of numbers) lines.number(number);
		lines.end();
	});
	const row = begun(String(bytes));
	for (const number of numbers) assert.equal(row.number(), number);
	assert.equal(row.end(), bytes.length);
});

test('texts read as they were written, whatever signs they have, and the same one has one number', () => {
	const texts = ['', 'GET', 'a"b', 'a\\', 'line\nbreak', '\u007f', 'héllo', '日本', '],[', 'x'.repeat(5000)];
	const bytes = written((lines) => {
		lines.begin('call');
		for (const text of texts) lines.text(text);
		lines.text('GET');
		lines.end();
	});
	const row = begun(String(bytes));
	const numbers = texts.map(() => row.text());
	assert.deepEqual(
		numbers.map((number) => row.texts.all[number]),
		texts,
	);
	assert.equal(row.text(), numbers[1]);
	assert.equal(row.end(), bytes.length);
});

test('many texts are told apart', () => {
	const row = new Row();
	const numberOf = (index: number) => row.begin(Buffer.from(`["id-${index}"]\n`), 0);
	const numbers = Array.from({ length: 20_000 }, (_, index) => numberOf(index));
	assert.equal(new Set(numbers).size, 20_000);
	assert.ok(numbers.every((number, index) => row.texts.all[number] === `id-${index}` && numberOf(index) === number));
});

test('what is null, or missing at the end, is none of its kind', () => {
	const row = begun('["call",null,null,null,null,7,true,false,["10.0.0.1",{"a":"]"}]]\n["call"]\n');
	assert.deepEqual([row.number(), row.text(), row.flag(), row.object()], [Number.NaN, 0, false, undefined]);
	assert.deepEqual([row.number(), row.flag(), row.flag(), row.object()], [7, true, false, ['10.0.0.1', { a: ']' }]]);
	for (let times = 0; times < 3; times += 1) assert.deepEqual([row.number(), row.text()], [Number.NaN, 0]);
});

test('values that nobody asks for are passed over', () => {
	const bytes = Buffer.from('["call",1,"later",{"new":[]}]\n["call",2]\n');
	const row = new Row();
	row.begin(bytes, 0);
	assert.equal(row.number(), 1);
	row.begin(bytes, row.end());
	assert.equal(row.number(), 2);
});

test('what is no row is told', () => {
	assert.equal(new Row().begin(Buffer.from('{"wire":1}\n'), 0), 0);
	for (const text of ['["call",1"a"]\n', '["call",1']) {
		const row = begun(text);
		assert.throws(() => [row.number(), row.text()], SyntaxError);
	}
	assert.throws(() => begun('["call","a]\n').text(), SyntaxError);
	assert.throws(() => begun('["call",yes]\n').number(), SyntaxError);
});

test('a value of another kind is reported: a row of another shape would be read as something else', () => {
	assert.throws(() => begun('["call","10.0.0.1"]\n').number(), /a string where a row has a number/);
	assert.throws(() => begun('["call",40400,"10.0.0.1"]\n').text(), /a number where a row has a string/);
	assert.throws(() => begun('["call",1]\n').flag(), /a number where a row has a boolean/);
});
