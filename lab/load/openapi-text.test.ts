import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { readOpenApiText } from './openapi-text.ts';

const refused: (text: string, words: RegExp) => void = (text, words) =>
	assert.throws(
		() => readOpenApiText(text),
		(error) => error instanceof NotReadyError && words.test(error.message),
	);

test('JSON and YAML are read, and YAML that begins as JSON does', () => {
	for (const text of ['{"openapi": "3.0.0"}', 'openapi: 3.0.0', ' {openapi: 3.0.0}', '{"openapi": 3.0.0,}'])
		assert.deepEqual(readOpenApiText(text), { openapi: '3.0.0' });
});

test('what is neither, and a name that stands twice, is told with its line', () => {
	refused('a: [', /expected YAML or JSON; found what is neither: .*\(line 1\)/);
	refused('a: 1\nb: {c: 1}\nb: 2', /expected each name once in its mapping; found "b" twice \(line 3\)/);
	refused('a: *nothing', /found what is neither/);
	refused(`a: &a [1]\nb: &b [${'*a, '.repeat(20)}]\nc: &c [${'*b, '.repeat(20)}]\nd: [${'*c, '.repeat(20)}]`, /found what is neither/);
});

test('YAML that would take all memory is refused', () => {
	const long = 'x'.repeat(1e7);
	refused(`{"a": "${long}"`, /at most 10 MB of YAML; found 10\.0 MB/);
	readOpenApiText(`{"a": "${long}"}`);
});

const paths = (count: number) => `paths:\n${Array.from({ length: count }, (_, index) => `  /items/${index}: {}\n`).join('')}`;

test('YAML of more paths than memory has room for is refused at once', () =>
	refused(paths(100_000), /at most 20000 paths in YAML; found 100000/));

test('the time that a mapping takes grows with its length, not with its square', () => {
	const cpuOf = (text: string) => {
		const before = process.cpuUsage();
		readOpenApiText(text);
		return process.cpuUsage(before).user;
	};
	cpuOf(paths(500));
	// Compared pair by pair, 16 times as many names take 256 times as long.
	const [few, many] = [cpuOf(paths(1000)), cpuOf(paths(16_000))];
	assert.ok(many < few * 64, `${few} and ${many} microseconds`);
});
