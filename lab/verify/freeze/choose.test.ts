import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT } from '../../base/paths.ts';
import { differenceOf } from './choose.ts';
import { clean } from './clean.ts';

const MANIFEST = {
	command: "make swarm-2a LOAD=smoke SEED=1 HOSTS='host2=unix:///tmp/engines-1/2/docker.sock host3=ssh://lab@10.0.0.3'",
	hosts: [{ name: 'host1', boot_id: '4aef93fa', cores: 2 }],
};
const PLAIN = { 'manifest.json': '{"command":"make run-a"}' };

test('where engines answer and which start of a machine it was are taken out of a manifest', () => {
	const files = clean({ 'manifest.json': JSON.stringify(MANIFEST), 'raw/a.log': 'x' });
	assert.deepEqual(JSON.parse(files['manifest.json']), {
		command: 'make swarm-2a LOAD=smoke SEED=1',
		hosts: [{ name: 'host1', cores: 2 }],
	});
	assert.equal(files['raw/a.log'], 'x');
});

test('of a file of this machine its name is left, and what containers have stays', () => {
	const text = `at file://${ROOT}/package.json:1 in /app/server.js, /etc/hosts and GET /item/1`;
	const { 'raw/k6.log': left } = clean({ ...PLAIN, 'raw/k6.log': text });
	assert.equal(left, 'at file://package.json:1 in /app/server.js, /etc/hosts and GET /item/1');
});

test('seconds of counters are kept to the microsecond, what is no number stays, and what no figure comes from goes', () => {
	const text = '{"cpu_s":1.293264375,"loop_delay_ms":{"mean":1},"t":1795811374.307,"at":"1.1234567","to":[2.00000049],"available_bytes":5}';
	const { 'raw/containers.ndjson': kept } = clean({ ...PLAIN, 'raw/containers.ndjson': text });
	assert.equal(kept, '{"cpu_s":1.293264,"t":1795811374.307,"at":"1.1234567","to":[2]}');
});

test('a record that names a folder of this machine all the same is refused, and the place is told', () => {
	const files = { ...PLAIN, 'raw/app/log.txt': `at ${ROOT}/no such file` };
	assert.throws(() => clean(files), {
		name: 'NotReadyError',
		message: /^raw\/app\/log\.txt: expected nothing that names this machine; found "/,
	});
});

test('requests that moved alike are counted together, most first, and those that stayed are not told', () => {
	const shown = (...kinds: string[]) => ({ result: {}, placed: kinds.map((kind, index) => ({ id: String(index), kind })) });
	const result = resultOf();
	const { requests } = differenceOf('x', { ...shown('d', 'a', 'a', 'a', 'b', 'c'), result }, { ...shown('a', 'b', 'b', 'a', 'b'), result });
	assert.deepEqual(
		requests?.map(({ text }) => text),
		['2 requests from a to b', '1 request from d to a', '1 request from c to no failed request'],
	);
});

const resultOf = (more: object = {}): any => ({
	ledger: {
		failures: [
			{
				tier: 'app',
				service: 'web',
				cause: 'own-error',
				count: 7,
				basis: { where: { proved: 7, timed: 0 }, why: { proved: 5, inferred: 2 } },
			},
		],
		unattributed: 3,
	},
	...more,
});
const finding = {
	place: { service: 'web', edge: { from: 'web', to: 'store' } },
	mechanism: 'pool-full',
	count: 10,
	basis: 'counted',
	why_basis: 'timed',
};
const waitingOf = (...findings: object[]) => resultOf({ waiting: { findings } });

const movesOf = (before: any, now: any) => differenceOf('x', { result: before }, { result: now }).moves ?? [];
const NOTHING = { ledger: { failures: [], unattributed: 0 } };
/** Rows of a result, as all of them come about. */
const rowsOf = (result: any) => movesOf(NOTHING, result).map(({ now }) => now);

test('placements are the rows of the ledger, what could not be placed, and what following the waiting found', () => {
	assert.deepEqual(rowsOf(waitingOf(finding)), [
		{ from: 'ledger', place: 'app web', why: 'own-error', count: 7, basis: 'where proved; why proved 5, inferred 2' },
		{ from: 'ledger', place: 'unattributed', why: '', count: 3, basis: '' },
		{ from: 'waiting', place: 'web (web → store)', why: 'pool-full', count: 10, basis: 'where counted; why timed' },
	]);
});

test('rows that differ in what made their failures many are two placements', () => {
	const result = resultOf();
	const amplifier = { service: 'lb', cause: 'no-live-upstream' };
	result.ledger.failures.push({ ...result.ledger.failures[0], amplifier });
	assert.deepEqual(
		rowsOf(result).map((row) => row?.why),
		['own-error', 'own-error, made many by lb no-live-upstream', ''],
	);
});

test('a result from before the waiting was followed has rows of the ledger alone', () => {
	assert.equal(rowsOf(resultOf()).length, 2);
	assert.equal(rowsOf(resultOf({ waiting: null })).length, 2);
});

test('nothing moves between equal placements, in whatever order they are', () => {
	const [before, now] = [waitingOf(finding), waitingOf(finding)];
	before.ledger.failures.push({ ...before.ledger.failures[0], cause: 'busy' });
	now.ledger.failures.unshift({ ...now.ledger.failures[0], cause: 'busy' });
	const { outcome, moves, fields } = differenceOf('x', { result: before }, { result: now });
	assert.deepEqual([outcome, moves, fields], ['moved', [], ['ledger.failures[].cause']]);
});

test('another count, another basis, what is gone and what is new have moved, each told before and now', () => {
	const now = waitingOf(
		{ ...finding, why_basis: 'inferred' },
		{ ...finding, mechanism: null, why_basis: null, count: 2, place: { service: 'store', edge: null } },
	);
	now.ledger = { failures: [], unattributed: 10 };
	assert.deepEqual(
		movesOf(waitingOf(finding), now).map((move) => [
			move.place,
			move.why,
			move.before?.count,
			move.before?.basis,
			move.now?.count,
			move.now?.basis,
		]),
		[
			['app web', 'own-error', 7, 'where proved; why proved 5, inferred 2', undefined, undefined],
			['unattributed', '', 3, '', 10, ''],
			['web (web → store)', 'pool-full', 10, 'where counted; why timed', 10, 'where counted; why inferred'],
			['store', '', undefined, undefined, 2, 'where counted'],
		],
	);
});

const fieldsThatDiffer = (before: object, now: object) =>
	differenceOf('x', { result: resultOf(before) }, { result: resultOf(now) }).fields ?? [];

test('fields that differ are named once each, of lists without a place, and no deeper than three', () => {
	const before = {
		a: 1,
		same: [1, { b: 2 }],
		list: [
			{ t: 1, v: 2 },
			{ t: 2, v: 3 },
		],
		deep: { er: { and: { deeper: { still: 1 } } } },
		gone: 0,
	};
	const now = {
		...structuredClone(before),
		a: 2,
		list: [
			{ t: 1, v: 9 },
			{ t: 2, v: 9 },
		],
		deep: { er: { and: { deeper: { still: 2 } } } },
		new: null,
	};
	delete (now as any).gone;
	assert.deepEqual(fieldsThatDiffer(before, now), ['a', 'list[].v', 'deep.er.and', 'gone', 'new']);
	assert.deepEqual(fieldsThatDiffer(before, structuredClone(before)), []);
	assert.deepEqual(fieldsThatDiffer({ list: [1] }, { list: [1, 2] }), ['list']);
	assert.deepEqual(fieldsThatDiffer({ a: [] }, { a: {} }), ['a']);
});
