import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorSignal, readObserved } from './store.ts';

const reported = (log: string, observers: string[] = [], observed: string = '') => {
	const files = { log: '', samples: [], file: (name: string) => (name === 'mongo.ndjson' ? observed : log) };
	const window = { from: 0, to: 9 };
	return readObserved(files, { service: 'mongo-1', tier: 'database', level: 2, names: new Map(), window, observers });
};
const parseRefusals = (log: string, own: string[] = []) => reported(log, own).refused;
const parseStops = (log: string) => reported(log).stopping;

test('what its observer was told stands in words that are no product’s, and of several that of each by its name', () => {
	const rows = [
		{ t: 1, name: 'mongo-1', error: 'no answer' },
		{ t: 2, name: 'mongo-2', connections: { current: 1, available: 9 } },
		{
			t: 3,
			name: 'mongo-1',
			event: 'stop',
			connections: { current: 4, available: 6, rejected: 2 },
			opcounters: { insert: 5 },
			latencies: { reads: { latency: 70, ops: 7 }, writes: { latency: 80, ops: 8 } },
			documents: 5,
			documents_exact: 5,
		},
	];
	assert.deepEqual(reported('', [], rows.map((row) => `${JSON.stringify(row)}\n`).join('')).readings, [
		rows[0],
		{
			t: 3,
			name: 'mongo-1',
			event: 'stop',
			connections: { open: 4, free: 6, refused: 2 },
			operations: { insert: 5 },
			worked: { reads: { us: 70, count: 7 }, writes: { us: 80, count: 8 } },
			documents: 5,
			documents_exact: 5,
		},
	]);
});

test("MongoDB's log tells when it refused a connection, by the number of that message alone", () => {
	const line = (id: number, date: string) =>
		`{"t":{"$date":"${date}"},"s":"I",  "c":"NETWORK",  "id":${id},   "ctx":"listener","msg":"text"}`;
	const text = [
		line(22943, '2026-11-21T01:10:09.808+00:00'),
		line(22942, '2026-11-21T01:10:10.500+00:00'),
		line(22942, '2026-11-21T02:10:11.000+01:00'),
		'{"id":22942 cut off',
	].join('\n');
	assert.deepEqual(parseRefusals(text), [1795223410.5, 1795223411]);
	assert.deepEqual(parseRefusals(''), []);
});

test("that it refused the lab's own observer is no client's refusal", () => {
	const line = (remote: string) =>
		`{"t":{"$date":"2026-11-21T01:10:10.500+00:00"},"s":"I",  "c":"NETWORK",  "id":22942,   "ctx":"listener","msg":"text","attr":{"remote":"${remote}:41000","connectionCount":20}}`;
	const text = [line('172.18.0.5'), line('172.18.0.9')].join('\n');
	assert.deepEqual([parseRefusals(text)?.length, parseRefusals(text, ['172.18.0.9'])?.length], [2, 1]);
});

test('it was told to stop when it logged a signal that ends it, and not when it was told to turn its log over', () => {
	const line = (signal: number, second: string) =>
		`{"t":{"$date":"2026-11-21T01:10:${second}.000+00:00"},"s":"I",  "c":"CONTROL",  "id":23377,   "ctx":"SignalHandler","msg":"Received signal","attr":{"signal":${signal},"error":"text"}}`;
	assert.deepEqual(parseStops([line(10, '08'), line(15, '09'), line(2, '10')].join('\n')), [1795223409, 1795223410]);
	assert.deepEqual(parseStops('{"t":{"$date":"2026-11-21T01:10:08.000+00:00"},"id":22942,"attr":{"signal":15}}'), []);
});

test('each error of the driver has one meaning, older names without "Mongo" among them', () => {
	for (const [error, signal] of [
		['MongoWaitQueueTimeoutError', 'pool-timeout'],
		['WaitQueueTimeoutError', 'pool-timeout'],
		['MongoPoolClearedOnNetworkError', 'pool-cleared'],
		['PoolClearedError', 'pool-cleared'],
		['MongoServerError', 'store-error'],
		['MongoNetworkError', 'connection-broken'],
		['MongoServerSelectionError', 'connect-failed'],
		['MongooseServerSelectionError', 'connect-failed'],
		['MongoNetworkTimeoutError', 'store-timeout'],
		['MongoOperationTimeoutError', 'store-timeout'],
	])
		assert.equal(errorSignal(error), signal, error);
});

test('an error of the driver that is none of these is of the database all the same, and one of the app is not', () => {
	assert.equal(errorSignal('MongoRuntimeError'), 'store-failed');
	for (const error of ['', 'TypeError', 'Error']) assert.equal(errorSignal(error), null, error);
});

test('what the driver says of the program that calls it is of the app, for no server was asked', () => {
	for (const error of ['MongoInvalidArgumentError', 'MongoClientClosedError', 'MongoTransactionError', 'MongoPoolClosedError'])
		assert.equal(errorSignal(error), null, error);
});
