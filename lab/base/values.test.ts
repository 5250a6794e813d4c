import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLines } from './values.ts';

test('a last line that is cut is left out, and any other that is no row is told', () => {
	assert.deepEqual(parseLines('{"a":1}\n\n{"a":2}\n{"a":'), [{ a: 1 }, { a: 2 }]);
	const others: [number, string][] = [];
	const rows = parseLines('{"a":1}\nno\nnull\n[]\n{}\n{"a":2}\n', (line, found) => others.push([line, found]));
	assert.deepEqual(rows, [{ a: 1 }, { a: 2 }]);
	assert.deepEqual(others, [
		[2, 'no'],
		[3, 'null'],
		[4, '[]'],
		[5, '{}'],
	]);
	parseLines('{"a":1}\nnull\n', (line) => others.push([line, 'the last']));
	assert.deepEqual(others.at(-1), [2, 'the last']);
});
