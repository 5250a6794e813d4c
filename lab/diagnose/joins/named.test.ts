import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTime } from '../../wire/fixtures/cpu.ts';
import { Made } from './fixtures/made.ts';
import { withNamed } from './named.ts';

const failure = (id: string, t: number, waited: number = 0.02, status: number = 400) => ({
	id,
	t,
	waited_s: waited,
	status,
	code: 1400,
	kind: 'status',
});
const idsOf = (made: Made, failures: Parameters<typeof withNamed>[1]) =>
	withNamed(made.record, failures).calls.map(({ id, id_by_time: byTime }) => [id, byTime === true]);
const bad = { status: 400, hole: true };

test('a call of the generator without an id is the failed request with its status that went on while it did', () => {
	const made = new Made();
	made.call('k6 lb', 1, 1.001, { id: 'good', on: 'a' });
	made.call('k6 lb', 2, 2.001, { ...bad, on: 'a' });
	// Of another status, of another asker, and with an id of its own.
	made.call('k6 lb', 2, 2.001, { ...bad, status: 404 });
	made.call('lb web', 2, 2.001, bad);
	made.call('k6 lb', 2, 2.001, { ...bad, id: 'other' });
	const before = structuredClone(made.record.calls);
	assert.deepEqual(idsOf(made, [failure('f1', 2.002, 0.003), failure('other', 2.002, 0.003)]), [
		['good', false],
		['f1', true],
		[undefined, false],
		[undefined, false],
		['other', false],
	]);
	assert.deepEqual(made.record.calls, before);
});

test('what no call went on within is named nowhere, and what failed without a status is not named by time', () => {
	const made = new Made();
	made.call('k6 lb', 2, 2.001, bad);
	made.call('k6 lb', 8, 9, { ...bad, status: null, end: 'given-up', by: 'client' });
	const failures = [failure('before', 1.9), failure('late', 5, 0.5), { ...failure('gone', 9, 1, 0), kind: 'timeout' }];
	assert.equal(withNamed(made.record, []), made.record);
	assert.deepEqual(idsOf(made, failures), [
		[undefined, false],
		[undefined, false],
	]);
});

test('as many are named as can be, whatever lies within what', () => {
	const made = new Made();
	for (const [began, ended] of [
		[1.1, 3],
		[2.06, 2.1],
		[2.2, 2.9],
		[2.95, 2.99],
	])
		made.call('k6 lb', began, ended, bad);
	const failures = [failure('longest', 3.2, 3), failure('outer', 2.5, 0.5), failure('inner', 2.901, 0.702), failure('last', 2.991, 0.05)];
	assert.deepEqual(idsOf(made, failures), [
		['longest', true],
		['outer', true],
		['inner', true],
		['last', true],
	]);
});

test('an answer that the generator read late is its own all the same, and not in place of one that it read at once', () => {
	const made = new Made();
	made.call('k6 lb', 2, 2.01, bad);
	made.call('k6 lb', 2.5, 2.51, bad);
	assert.deepEqual(idsOf(made, [failure('late', 2.52, 0.01), failure('soon', 2.511, 0.012)]), [
		['late', true],
		['soon', true],
	]);
});

test('many are named in little time', () => {
	const made = new Made();
	const failures: ReturnType<typeof failure>[] = [];
	for (let index = 0; index < 60_000; index += 1) {
		made.call('k6 lb', index / 1000, index / 1000 + 0.5, { ...bad, on: `${index % 20}` });
		if (index % 2 === 0) failures.push(failure(`f${index}`, index / 1000 + 0.5005, 0.501));
	}
	const spent = cpuTime(() => {
		assert.equal(idsOf(made, failures).filter(([, byTime]) => byTime).length, failures.length);
	});
	assert.ok(spent < 2500, `${spent} ms`);
});
