import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { adapter } from './adapter.ts';

const { span: parseSpan, writer: parseWriter, stored: parseInform } = adapter.program as NonNullable<typeof adapter.program>;

const read = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const WRITE = read('tchmttest-write.txt');
const INFORM = read('tchmgr-inform.txt');
const SPAN = 'began 1795245211.269770000\nended 1795245211.302190000\nwriter 1 0\nwriter 2 1\n';
/** The end of a write into a folder that is not there. */
const FAILED = 'size: 0\ntchmttest: -: 701: tchdbclose: error: 3: file not found\ntime: 0.001\nerror\n';

test('a writer says what it took', () => {
	assert.deepEqual(parseWriter(WRITE), { seconds: 0.018, done: 1 });
	assert.deepEqual(parseWriter(FAILED), { seconds: 0.001, done: 0 });
});

test('a writer at work is as far as its dots, and the dot in the name of its file is none of them', () => {
	const lines = WRITE.split('\n');
	const untilFourth = lines.slice(0, 7).join('\n');
	assert.deepEqual(parseWriter(untilFourth), { seconds: null, done: 0.4 });
	assert.deepEqual(parseWriter(`${untilFourth}\n.....`), { seconds: null, done: 0.42 });
	assert.deepEqual(parseWriter(lines.slice(0, 3).join('\n')), { seconds: null, done: 0 });
});

test('a writer with a number of inserts that 250 does not divide prints more dots, and is never more than done', () => {
	assert.equal(parseWriter(`${'.'.repeat(333)} (00000999)\n`).done, 1);
});

test('the records of a file are the ones it holds, not its buckets', () => {
	assert.equal(parseInform(INFORM), 4000);
	assert.equal(parseInform('used bucket number: 12\n'), null);
});

test('a file that could not be read has no number of records', () => {
	assert.equal(parseInform('tchmgr: -: 3: file not found\n'), null);
	assert.equal(parseInform(''), null);
});

test('the span is in seconds since 1970, and the exit codes are in the order of the files', () => {
	assert.deepEqual(parseSpan(SPAN), { began_s: 1795245211.26977, ended_s: 1795245211.30219, exitCodes: [0, 1] });
});

test('what is not printed yet, or only in part, is not there', () => {
	assert.deepEqual(parseSpan(''), { began_s: null, ended_s: null, exitCodes: [] });
	assert.equal(parseSpan('began 1795245211.2697').began_s, null);
	const { ended_s, exitCodes } = parseSpan(SPAN.slice(0, -2));
	assert.equal(ended_s, 1795245211.30219);
	assert.deepEqual(exitCodes, [0]);
});
