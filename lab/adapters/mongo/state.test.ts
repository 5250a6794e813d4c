import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, eachSecond, filesOf, line } from '../fixtures/hop-files.ts';
import { read } from './read.ts';
import { redact } from './redact.ts';
import { stateIn } from './state.ts';

const ABOUT = aboutOf();

/** What mongod 6.0.5 wrote, of which the values and names were changed. */
const LINES = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8')
	.trimEnd()
	.split('\n');
const LOG = LINES.map((text, index) => line(1 + index / 100, text)).join('');
const KEPT = LINES.map((text, index) => line(1 + index / 100, redact(text))).join('');

const readLog = (log: string) => read(filesOf(log), ABOUT);
const entry = (attr: Record<string, unknown>, changes: Partial<{ s: string; id: number; msg: string }> = {}) =>
	JSON.stringify({ s: 'I', c: 'COMMAND', id: 51803, ctx: 'conn1', msg: 'Slow query', ...changes, attr });
const said = (text: string, second: number = 1) => readLog(line(second, text)).messages.map(({ signal, text }) => [signal, text]);

test('long operations are reported, by the number of that message', () => {
	assert.deepEqual(
		readLog(LOG).messages.map(({ signal, text }) => [signal, text]),
		[['slow', 'Slow query: 394 ms, COLLSCAN']],
	);
});

test('what the record keeps is read to the same messages', () => {
	assert.deepEqual(readLog(KEPT), readLog(LOG));
});

test('of what the user’s program sent nothing is kept', () => {
	assert.match(LOG, /hunter2/);
	assert.doesNotMatch(KEPT, /hunter2|shop|orders/);
	assert.equal(redact('user hunter2 was made'), '(its text is not kept)');
	assert.equal(redact('{"msg":"hunter2"}'), '(its text is not kept)');
	assert.equal(redact(''), '');
	assert.doesNotMatch(
		redact(entry({ durationMillis: 'hunter2', planSummary: 'IXSCAN { hunter2: 1 }', ns: 'hunter2.local.', appName: 'hunter2' })),
		/hunter2/,
	);
});

test('a long operation is one of the users’, of 100 ms and above', () => {
	assert.deepEqual(said(entry({ durationMillis: 100, ns: 'shop.orders', planSummary: 'IXSCAN { email: 1 }' })), [
		['slow', 'Slow query: 100 ms, IXSCAN { email: 1 }'],
	]);
	for (const attr of [
		{ durationMillis: 99, ns: 'shop.orders' },
		{ durationMillis: 900, ns: 'local.oplog.rs' },
		{ durationMillis: 900, ns: 'admin.$cmd', appName: 'doubletake' },
	])
		assert.deepEqual(said(entry(attr)), [], JSON.stringify(attr));
});

test('outside the load nothing is reported, and of what is no line of its own neither', () => {
	assert.deepEqual(readLog(line(20, entry({ durationMillis: 900 }))).messages, []);
	for (const text of ['2026-11-21T20:00:01.000+0000 I NETWORK [conn1] end connection', '{', 'null', '{"id":1}'])
		assert.deepEqual(readLog(line(1, text)).messages, [], text);
});

test('a refusal says how many connections there are, whoever was refused', () => {
	for (const remote of ['172.17.0.9:41000', '127.0.0.1:41000']) {
		const { limits } = readLog(line(1, entry({ remote, connectionCount: 15 }, { id: 22942, msg: 'Connection refused' })));
		assert.deepEqual(
			limits.map(({ size, used }) => [size, used.map((point) => point.used)]),
			[[14, [14]]],
		);
	}
});

const STATUS = JSON.parse(readFileSync(new URL('./fixtures/status.json', import.meta.url), 'utf8'));

test('of its status numbers are kept, and no name', () => {
	const state = stateIn(STATUS);
	assert.deepEqual(Object.keys(state).sort(), ['connections', 'tickets']);
	assert.ok(Number(state.connections?.available) > 0);
	assert.equal(state.tickets?.read.totalTickets, 128);
	assert.doesNotMatch(JSON.stringify(state), /:"/);
});

test('sections that a version does not have are left out', () => {
	assert.deepEqual(stateIn({ connections: { current: 3, available: 7 } }), { connections: { current: 3, available: 7 } });
	assert.deepEqual(stateIn({ wiredTiger: { concurrentTransactions: { read: { out: 1, totalTickets: 4 } } } }), {
		tickets: { read: { out: 1, totalTickets: 4 } },
	});
});

const STATE = stateIn(STATUS);
const READ_ABOUT = aboutOf({ service: 'store' });
const READ_LOG = line(1, '{"s":"W","id":22942,"msg":"Connection refused because there are too many open connections"}');

test('its status tells what runs full in it, and of requests it knows nothing', () => {
	const record = read(filesOf(READ_LOG, eachSecond(STATE)), READ_ABOUT);
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'full' });
	assert.deepEqual([record.product, record.tier, record.received], ['mongo', 'database', null]);
});

test('connections and tickets have limits', () => {
	assert.deepEqual(
		read(filesOf(READ_LOG, eachSecond(STATE)), READ_ABOUT).limits.map(({ resource, size, unit }) => [resource, size, unit]),
		[
			['connections', STATUS.connections.current + STATUS.connections.available, undefined],
			['read tickets', 128, 'operations'],
			['write tickets', 128, 'operations'],
		],
	);
});

test('when every connection is taken, those that it refused say so, for the lab is told nothing', () => {
	const refused = line(3, '{"s":"W","id":22942,"msg":"Connection refused","attr":{"connectionCount":15}}');
	const samples = eachSecond({ refused: true });
	const [limit] = read(filesOf(refused, samples), READ_ABOUT).limits;
	assert.deepEqual([limit.resource, limit.size], ['connections', 14]);
	assert.ok(limit.used.length > 1 && limit.used.every(({ used }) => used === 14));
});

test('tickets whose number the server changes itself are no limit', () => {
	const samples = eachSecond(STATE, (second) => ({
		tickets: { read: { out: 5, totalTickets: 10 + second }, write: { out: 5, totalTickets: 10 } },
	}));
	assert.deepEqual(
		read(filesOf(READ_LOG, samples), READ_ABOUT).limits.map(({ resource }) => resource),
		['connections', 'write tickets'],
	);
});

test('without samples and log nothing is covered', () => {
	const record = read(filesOf(''), READ_ABOUT);
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
	assert.deepEqual([record.limits, record.messages], [[], []]);
});

test('at level 0 the log is not read', () => {
	assert.deepEqual(read(filesOf(LOG), { ...READ_ABOUT, level: 0 }).messages, []);
});
