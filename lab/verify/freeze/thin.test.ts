import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesOf } from '../../diagnose/fixtures/stored-run.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { resultOf } from '../../diagnose/result.ts';
import type { Window } from '../../diagnose/time/window.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import type { WireRecord } from '../../wire/record.ts';
import { placedRequests, withFiles } from './files.ts';
import { thin } from './thin.ts';

const EACH = 2;
const ACCESS = 'raw/nginx-access.ndjson';
const files = await filesOf('systems', '2a');
const raw = await withFiles(files, readRaw);
const window = windowOf(raw) as Window;
const whole = { files, raw, window, placed: placedRequests(raw) };
const few = thin(whole, EACH);
const now = await withFiles(few, readRaw);
const linesOf = (text: string) => text.split('\n').filter(Boolean);

test('of each kind of failure some are kept, and each stands where it stood', () => {
	const before = new Map(whole.placed.map(({ id, kind }) => [id, kind]));
	const kept = placedRequests(now);
	for (const { id, kind } of kept) assert.equal(kind, before.get(id), id);
	assert.deepEqual(new Set(kept.map(({ kind }) => kind)), new Set(before.values()));
});

test('what is left out is in no log', () => {
	const ids = linesOf(few[ACCESS]).map((line) => JSON.parse(line).id);
	assert.ok(ids.length < linesOf(files[ACCESS]).length);
	for (const name of Object.keys(few).filter((file) => file.endsWith('-requests.log')))
		for (const line of linesOf(few[name])) if (line[0] !== '#') assert.ok(ids.includes(line.slice(1).split(' ')[0]), line);
});

test('good requests of the generator are as many as the balancer has', () => {
	const { metrics } = resultOf(now);
	const good = linesOf(few[ACCESS])
		.map((line) => JSON.parse(line))
		.filter(({ id, status }) => !id.startsWith('w') && status < 400);
	assert.equal(metrics.requests - metrics.failures, good.length);
});

test('no node has received more than its log has', () => {
	const missing = Object.values(now.unlogged).reduce((total, count) => total + count, 0);
	assert.equal(
		missing,
		Object.values(raw.unlogged).reduce((total, count) => total + count, 0),
	);
});

test('a node adds up the time of as many good answers as its log has', () => {
	for (const [name, rows] of Object.entries(now.nodes)) {
		const answers = linesOf(few[`raw/${name}-requests.log`]).filter((line) => /^-\S+ \d+ 2\d\d$/.test(line));
		const { count, handler, database } = rows[rows.length - 1].ok_ms;
		assert.equal(count, answers.length);
		assert.ok(handler > 0 && database > 0 && handler < Number(raw.nodes[name].at(-1)?.ok_ms.handler));
	}
});

test('no document is lost by it, where most requests failed before they came to the database', async () => {
	const ofPool = await filesOf('faults', 'pool-1');
	const record = await withFiles(ofPool, readRaw);
	const span = windowOf(record) as Window;
	const thinned = await withFiles(thin({ files: ofPool, raw: record, window: span, placed: placedRequests(record) }, EACH), readRaw);
	assert.ok(thinned.failures.length < record.failures.length);
	assert.equal(resultOf(thinned).ledger.writes.lost, 0);
});

test('what is measured by the second is as it was', () => {
	for (const name of ['raw/containers.ndjson', 'raw/kernel.ndjson', 'raw/host.ndjson']) assert.equal(few[name], files[name]);
});

test('where all may be kept, the analysis says the same', async () => {
	const all = await withFiles(thin(whole, Number.POSITIVE_INFINITY), readRaw);
	assert.deepEqual(resultOf(all), resultOf(raw));
});

test('on the wire whole trees of calls stay, on connections that say how many they carried', async () => {
	const ofWire = await filesOf('cases', 'haproxy-flap');
	const record = await withFiles(ofWire, readRaw);
	const span = windowOf(record) as Window;
	const thinned = await withFiles(thin({ files: ofWire, raw: record, window: span, placed: placedRequests(record) }, 1), readRaw);
	const { calls, connections } = thinned.wire as WireRecord;
	assert.ok(calls.length > 0 && calls.length < (record.wire?.calls.length ?? 0));
	const carried = new Map();
	for (const { connection } of calls) carried.set(connection, (carried.get(connection) ?? 0) + 1);
	for (const { id, calls: reported } of connections) assert.ok(reported >= (carried.get(id) ?? 0), `${id}`);
	const ids = new Set(calls.flatMap(({ id }) => id ?? []));
	const left = new Set(thinned.failures.map(({ id }) => id));
	const gone = record.failures.filter(({ id }) => !left.has(id));
	assert.ok(gone.length > 0 && gone.every(({ id }) => !ids.has(id)));
});

test('metrics that no figure comes from are left out, but those that have thresholds', () => {
	const name = 'raw/k6-summary.json';
	const summary = JSON.parse(files[name]);
	const metrics = { ...summary.metrics, vus: { values: {} }, http_req_failed: { values: {}, thresholds: {} }, http_reqs: { values: {} } };
	const kept = thin({ ...whole, files: { ...files, [name]: JSON.stringify({ ...summary, metrics }) } }, EACH);
	assert.deepEqual(Object.keys(JSON.parse(kept[name]).metrics), [...Object.keys(summary.metrics), 'http_req_failed']);
});
