import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionRecord } from '../../wire/connection.ts';
import { cpuTime } from '../../wire/fixtures/cpu.ts';
import { Made } from '../joins/fixtures/made.ts';
import { joinedOf } from '../joins/joined.ts';
import { standingOf } from './standing.ts';

const HALF = 0.5;

const stood = (made: Made, to: number, about: Partial<Parameters<typeof standingOf>[1]> = {}) =>
	standingOf(joinedOf(made.record), { from: 0, to, entry: new Set(['k6']), ...about });

const byName = ({ services }: ReturnType<typeof standingOf>): Record<string, number[]> =>
	Object.fromEntries(services.map(({ name, standing }) => [name, standing.map((value) => Math.round(value * 1000) / 1000)]));

/** @param edge "lb web" */
const edgeOf = ({ edges }: ReturnType<typeof standingOf>, edge: string) =>
	edges.find(({ from, to }) => `${from} ${to}` === edge) ?? assert.fail(`${edge} is not there`);

/** The connection that was made last. */
const connection = (made: Made, rest: Partial<ConnectionRecord>) => Object.assign(made.record.connections.at(-1) as object, rest);

const OPEN = { end: 'open', by: null, status: null } as const;

test('a request stands in the service that waits for nobody', () => {
	const made = new Made();
	for (const at of [0, 0, 0]) {
		made.call('k6 lb', at, null, OPEN);
		made.call('lb api', at, null, OPEN);
	}
	made.call('api db', 0, 1, { protocol: 'postgres', status: null });
	const reported = stood(made, 2);
	assert.equal(reported.step_s, HALF);
	assert.deepEqual(byName(reported), { lb: [0, 0, 0, 0], api: [2, 2, 3, 3], db: [1, 1, 0, 0] });
	assert.deepEqual(edgeOf(reported, 'lb api').waiting, [3, 3, 3, 3]);
	assert.deepEqual(
		[reported.good, reported.failed],
		[
			[0, 0, 0, 0],
			[0, 0, 0, 3],
		],
	);
});

test('what lasts for a part of a step counts for that part, and the steps sum to the time that was spent', () => {
	const made = new Made();
	made.call('k6 web', 0.4, 0.6);
	made.call('k6 web', 1.1, 1.2);
	const { web } = byName(stood(made, 1.5));
	assert.deepEqual(web, [0.2, 0.2, 0.2]);
});

test('connections that are held in a transaction while nothing is asked are reported, and the requests stand in who holds them', () => {
	const made = new Made();
	for (let index = 0; index < 5; index += 1) made.call('k6 api', 0, null, OPEN);
	for (const on of ['a', 'b']) made.call('api db', 0.5, 1, { protocol: 'postgres', status: null, on, state: 'transaction' });
	const reported = stood(made, 2);
	assert.deepEqual(byName(reported), { api: [5, 3, 5, 5], db: [0, 2, 0, 0] });
	const { connections } = edgeOf(reported, 'api db');
	assert.deepEqual(connections.asking, [0, 2, 0, 0]);
	assert.deepEqual(connections.in_transaction, [0, 0, 2, 2]);
	assert.deepEqual(connections.idle, [0, 0, 0, 0]);
});

test('one request that asks three at a time is one request', () => {
	const made = new Made();
	made.call('k6 api', 0, 1);
	for (const name of ['one', 'two', 'three']) {
		made.call(`api ${name}`, 0, 1);
		made.call(`${name} db`, 0, 1);
	}
	const reported = stood(made, 1);
	assert.deepEqual(byName(reported), { api: [0, 0], one: [0, 0], three: [0, 0], two: [0, 0], db: [1, 1] });
	assert.deepEqual(edgeOf(reported, 'api one').waiting, [1, 1]);
});

test('what is being connected stands before the callee', () => {
	const made = new Made();
	made.call('k6 web', 0, null, OPEN);
	made.call('web db', 5, null, OPEN);
	connection(made, { opened_at: 0, accepted_at: null, asked_at: null, syns: 2, outcome: 'unanswered' });
	made.record.calls.pop();
	made.call('k6 web', 0, null, OPEN);
	made.call('web db', 5, null, OPEN);
	connection(made, { opened_at: 0.5, accepted_at: null, asked_at: null, ended_at: 0.75, outcome: 'refused', by: 'server' });
	made.record.calls.pop();
	const reported = stood(made, 3);
	assert.deepEqual(byName(reported), { web: [1, 0.5, 1, 1, 2, 2], db: [1, 1.5, 1, 1, 0, 0] });
	assert.deepEqual(edgeOf(reported, 'web db').connections.opening, [1, 1.5, 1, 1, 0, 0]);
	assert.deepEqual(edgeOf(reported, 'web db').connections.refused, [0, 1, 0, 0, 0, 0]);
});

test('an answer that its asker does not read on stands at the asker', () => {
	const made = new Made();
	made.call('k6 api', 0, null, OPEN);
	made.call('api db', 0, null, { protocol: 'postgres', first_at: 0.2, ...OPEN });
	connection(made, { closed_window: { client: { times: 3, first_at: 0.5, last_at: 1.7 }, server: null } });
	const reported = stood(made, 2);
	assert.deepEqual(byName(reported), { api: [0, 1, 1, 1], db: [1, 0, 0, 0] });
	assert.deepEqual(edgeOf(reported, 'api db').connections.unread, [0, 1, 1, 1]);
});

test('calls that nobody asked for, that wait on purpose or are of another client are no requests', () => {
	const made = new Made();
	for (let at = 0; at < 20; at += 1) made.call('lb web', at + 0.4, at + 0.9, { template: '/health' });
	for (let at = 10; at < 20; at += 1) made.call('k6 lb', at, at + 1);
	made.call('web queue', 0, 20, { role: 'wait' });
	made.call('k6 web', 12, 13);
	made.call('report db', 0, 20);
	made.call('web db', 12, 13);
	const reported = stood(made, 20);
	const means = byName(reported);
	assert.deepEqual(
		[means.lb.slice(18, 28), means.web.slice(18, 28), means.db.slice(23, 27)],
		[
			[0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
			[0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
			[0, 1, 1, 0],
		],
	);
	assert.deepEqual(edgeOf(reported, 'report db').waiting.slice(0, 2), [1, 1]);
});

test('behind a service whose callers cannot be read a call is a request', () => {
	const made = new Made();
	made.call('k6 web', 0, 1);
	connection(made, { hidden_bytes: 900, protocol: 'tls' });
	made.record.calls.pop();
	made.call('web db', 0, 1);
	assert.deepEqual(byName(stood(made, 1)), { web: [0, 0], db: [1, 1] });
});

test('services that ask each other lose no request', () => {
	const made = new Made();
	for (const edge of ['k6 one', 'one two', 'two one', 'one db']) made.call(edge, 0, 1);
	const means = byName(stood(made, 1));
	assert.ok(Math.abs(means.one[0] + means.two[0] + means.db[0] - 1) < 0.01, JSON.stringify(means));
	assert.deepEqual(means.two, [0, 0]);
});

test('what the lab asks is left out', () => {
	const made = new Made();
	made.call('k6 db', 0, 1);
	made.call('host db', 0, 1);
	made.call('observer db', 0, 1);
	const reported = stood(made, 1, { own: new Set(['observer']) });
	assert.deepEqual(
		reported.edges.map(({ from }) => from),
		['k6'],
	);
});

test('answers at the entry are counted in the step in which they came, as the generator took them', () => {
	const made = new Made();
	made.call('k6 web', 0, 0.2);
	made.call('k6 web', 0, 0.7, { status: 502, bad: true });
	made.call('k6 web', 0, 0.9, { id: 'odd' });
	made.call('k6 web', 0.1, 1.4, { end: 'given-up', by: 'client', status: null });
	made.call('web db', 0, 0.1, { bad: true });
	const reported = stood(made, 1.5, { isFailed: ({ id, bad, end }) => id === 'odd' || bad || end !== 'answered' });
	assert.deepEqual(
		[reported.good, reported.failed],
		[
			[1, 0, 0],
			[0, 2, 1],
		],
	);
	assert.deepEqual(edgeOf(reported, 'k6 web').gave_up, [0, 0, 1]);
});

test('a long record takes little time: walks that are not in order would take minutes', () => {
	const made = new Made();
	for (let index = 0; index < 30_000; index += 1) {
		const at = index / 1000;
		made.call('k6 lb', at, at + 0.05, { on: `u${index % 200}` });
		made.call('lb web', at, at + 0.04, { on: `l${index}` });
		made.call('web db', at, at + 0.03, { on: `d${index % 50}` });
	}
	const joined = joinedOf(made.record);
	const took = cpuTime(() => standingOf(joined, { from: 0, to: 30, entry: new Set(['k6']) }));
	assert.ok(took < 5000, `${took} ms`);
});

test('what goes on long after its request was answered is waited for by nobody; behind callers that give up it is', () => {
	const shop = (answered: object) => {
		const made = new Made();
		for (let at = 0; at < 20; at += 0.5) {
			made.call('k6 shop', at, at + 0.1, answered);
			made.call('shop db', at + 0.01, at + 0.09, { protocol: 'postgres', status: null });
			made.call('shop log', at + 0.02, at + 2);
		}
		const { shop: own, log, db } = byName(stood(made, 20));
		return [own, db, log].map((all) => Math.max(...all));
	};
	assert.deepEqual(shop({}), [0.04, 0.16, 0]);
	const [, , log] = shop({ end: 'given-up', by: 'client', status: null });
	assert.ok(log > 0.1, `${log}`);
});
