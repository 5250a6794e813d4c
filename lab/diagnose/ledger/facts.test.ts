import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestLog } from '../../adapters/complete-lines.ts';
import { endService, factsOf, logError, recordOf } from '../fixtures/record.ts';
import { logAttempt } from '../fixtures/record-requests.ts';
import { overflowQueue } from '../fixtures/record-tiers.ts';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM, WARMUP_S } from '../fixtures/story.ts';
import { logLine, raise, refuse, SAID, tell } from '../fixtures/tell.ts';
import type { Edge } from '../topology.ts';

const wanted = new Set(['w1-1', 'w2-7']);

const parse = (...lines: string[]) => parseRequestLog(lines.join('\n'), 'app-1', wanted);

/** A failed request, with what nodes had of it. */
const failedAt = (id: string, second: number, more?: object) => ({
	id,
	t: FROM + second,
	waited_s: 1,
	status: 0,
	code: 1000,
	kind: 'eof',
	...more,
});

test('a failed request is joined with the line and the attempts of its name, in the order of their ends', () => {
	const tracesIn = (balanced: boolean) => {
		const raw = recordOf({ balanced });
		raw.failures = [failedAt('w2-7', 9), failedAt('w1-1', 4)];
		raw.attempts = parse(`#${FROM * 1000}`, '+w1-1 250').attempts;
		if (balanced) logLine(raw, 'w2-7');
		return factsOf(raw).traces;
	};
	assert.deepEqual(
		tracesIn(true).map((trace) => [trace.id, trace.seen?.id ?? null, trace.attempts.length]),
		[
			['w1-1', null, 1],
			['w2-7', 'w2-7', 0],
		],
	);
	assert.deepEqual(
		tracesIn(false).map((trace) => trace.seen),
		[null, null],
	);
});

test('a request that came without an id, or with one that a proxy gave it, is none that the generator can be asked about', () => {
	assert.equal(parse('#1800000000000', '+ 1', '+5f2c9d1e 2', '+w1-1 3', '+12-34 4').received, 2);
});

test('an answer that the client had is the one that the node logs, though the clock of the node is ahead', () => {
	const traceOf = (more: object) => {
		const raw = recordOf();
		raw.failures = [failedAt('w1-1', 0.9, more)];
		raw.attempts = parse(`#${FROM * 1000}`, '+w1-1 5250', '-w1-1 5750 500 MongoNetworkError').attempts;
		return factsOf(raw).traces;
	};
	const [reported] = traceOf({ status: 500, code: 1500, kind: 'status' });
	assert.deepEqual([reported.attempts.map(({ error }) => error), reported.late], [['MongoNetworkError'], []]);
	const [given] = traceOf({ kind: 'timeout' });
	assert.deepEqual([given.attempts, given.late.length], [[], 1]);
});

test('a node whose log lacks a hundredth of its requests is no witness of what is not there, unless it was killed', () => {
	const raw = recordOf({ balanced: true });
	const watched = () => [...factsOf(raw).watched].sort();
	raw.unlogged = { 'app-1': 5, 'app-2': 0 };
	assert.deepEqual(watched(), ['app-1', 'app-2', 'nginx']);
	raw.unlogged = { 'app-1': 60, 'app-2': 0 };
	assert.deepEqual(watched(), ['app-2', 'nginx']);
	assert.deepEqual(
		factsOf(raw).unlogged.map(({ name, count, share }) => [name, count, Number(share.toFixed(2))]),
		[['app-1', 60, 0.11]],
	);
	endService(raw, 'app-1', 4);
	assert.deepEqual(watched(), ['app-1', 'app-2', 'nginx']);
});

test('a balancer whose log lacks requests that it counted is none either, unless one of its processes took them with it', () => {
	const raw = recordOf({ balanced: true });
	raw.accessLines = raw.accessLines.slice(0, 501);
	const { watched, unlogged } = factsOf(raw);
	assert.deepEqual([...watched].sort(), ['app-1', 'app-2']);
	assert.deepEqual(unlogged, [{ name: 'nginx', count: 500, share: 0.5 }]);
	logError(raw, [4], SAID.workerDied);
	assert.deepEqual([...factsOf(raw).watched].sort(), ['app-1', 'app-2', 'nginx']);
});

test('the load enters at the balancer where there is one, else at the node', () => {
	assert.deepEqual(factsOf(recordOf({ balanced: true })).entry, { name: 'nginx', tier: 'load-balancer' });
	assert.deepEqual(factsOf(recordOf()).entry, { name: 'app-1', tier: 'app' });
});

test('the load of a program enters at the store that it is in', () => {
	assert.deepEqual(factsOf(programRecord()).entry, { name: 'tokyo', tier: 'database' });
});

test('what MongoDB inserted and stored in the load leaves the warm-up out', () => {
	const { inserts, documents, name } = factsOf(recordOf()).database;
	assert.deepEqual({ inserts, documents, name }, { inserts: 1000, documents: 1000, name: 'mongo' });
});

test('what MongoDB deleted in the load is taken from what it stored, and the warm-up is in neither', () => {
	const { inserts, deletes, documents } = factsOf(crudRecord()).database;
	assert.deepEqual({ inserts, deletes, documents }, { inserts: 450, deletes: 150, documents: 300 });
});

test('what MongoDB did in the load is every operation of its counters, those that it does not count left out', () => {
	assert.equal(factsOf(crudRecord()).database.operations, 1500);
	assert.equal(factsOf(recordOf()).database.operations, 1000);
});

test('a MongoDB that counts no deletes has none', () => {
	assert.equal(factsOf(recordOf()).database.deletes, 0);
});

test("a program's store has what its files hold, and it refuses no connections because it has none", () => {
	const holds = (records: number) => ({
		name: 'tokyo',
		rejected: null,
		refusals: [],
		set: null,
		inserts: records,
		deletes: 0,
		operations: records,
		documents: records,
		documentsAt: { before: 0, after: records },
		answered: [],
	});
	assert.deepEqual(factsOf(programRecord()).database, holds(4000));
	assert.deepEqual(factsOf(programRecord([{}, { stored: 1990 }])).database, holds(3990));
	assert.deepEqual(factsOf(programRecord([{}, { stored: null }])).database, holds(2000));
});

/** Of a database that told none. */
const NO_FIGURES = {
	rejected: null,
	refusals: [],
	set: null,
	inserts: null,
	deletes: null,
	operations: null,
	documents: null,
	documentsAt: { before: null, after: null },
	answered: [],
};

test('an architecture without a database has none of its figures', () => {
	assert.deepEqual(factsOf(poolsRecord()).database, { name: null, ...NO_FIGURES });
});

test('copies of the same documents have what the most advanced of them had before the load, and after it', () => {
	const raw = recordOf();
	raw.database = ['mongo-1', 'mongo-2', 'mongo-3'].flatMap((name) => raw.database.map((row) => ({ ...row, name, set: 'rs0' })));
	const names = new Set(raw.database.map(({ name }) => name));
	raw.manifest.services = raw.manifest.services.flatMap((service: any) =>
		service.tier === 'database' ? [...names].map((name) => ({ ...service, name })) : [service],
	);
	for (const row of raw.database) {
		if (row.name !== 'mongo-1') row.operations = { insert: 1 };
		if (row.name === 'mongo-2' && row.t <= FROM) row.documents = 0;
		if (row.name === 'mongo-1' && row.event === 'stop') row.documents_exact -= 30;
	}
	const { inserts, documents } = factsOf(raw).database;
	assert.deepEqual({ inserts, documents }, { inserts: 1000, documents: 1000 });
});

test('documents are not known of a database whose record has no last line', () => {
	const raw = recordOf();
	raw.database.pop();
	const { inserts, documents } = factsOf(raw).database;
	assert.deepEqual({ inserts, documents }, { inserts: 1000, documents: null });
});

test("refused connections are MongoDB's counter, or before 6.3 the lines of its log", () => {
	const raw = recordOf();
	for (const row of raw.database) row.connections = { ...row.connections, refused: row.t > FROM + 3 ? 9 : 2 };
	assert.deepEqual(factsOf(raw).database.rejected, { before: 2, after: 9 });
	for (const row of raw.database) delete row.connections.refused;
	raw.databaseRefusals = [FROM - 2, FROM + 4, FROM + 4].map((t) => ({ t, name: 'mongo' }));
	assert.deepEqual(factsOf(raw).database.rejected, { before: 1, after: 3 });
});

test('a database that answered no observer has no figures, which is not the same as zero', () => {
	const raw = recordOf();
	raw.database = [{ t: FROM - 2, error: 'no answer' }];
	assert.deepEqual(factsOf(raw).database, { name: 'mongo', ...NO_FIGURES });
});

test("the kernel's counters are those gained in the load", () => {
	const raw = recordOf({ balanced: true });
	overflowQueue(raw, 'app-2', 3);
	const { kernel } = factsOf(raw);
	assert.deepEqual(kernel['app-2'].gained, { ListenOverflows: 17, ListenDrops: 17 });
	assert.deepEqual(kernel['app-1'].gained, {});
});

test('each failed request has what k6, the balancer and the nodes recorded of it, in the order of their ends', () => {
	const raw = recordOf({ balanced: true, kinds: { eof: { 9: 1 } }, answers: [{ status: 502, upstream_status: '502', second: 3 }] });
	tell(SAID.reset, 'app-1', 3)(raw);
	logAttempt(raw, 'a0-0', {});
	const [answered, broken] = factsOf(raw).traces;
	assert.deepEqual([answered.id, answered.seen?.status, answered.attempts.length, answered.own], ['a0-0', 502, 1, []]);
	assert.deepEqual(
		answered.asked.map(({ to, status, message }) => [to, status, message?.signal]),
		[['app-1', null, 'connection_terminated']],
	);
	assert.deepEqual([broken.id, broken.seen, broken.attempts, broken.asked], ['eof-9-0', null, [], []]);
});

test('a request that another node answered well is no failed one, and its attempts are kept', () => {
	const raw = recordOf({ balanced: true });
	const line = raw.accessLines.find(({ t }) => t > FROM);
	Object.assign(line, { id: 'r1', upstream: '10.0.0.1:3000, 10.0.0.2:3000', upstream_status: '502, 200' });
	logAttempt(raw, 'r1', { node: 'app-2' });
	const { traces, retried } = factsOf(raw);
	assert.deepEqual(traces, []);
	assert.deepEqual(
		retried.map(({ seen, attempts }) => [seen.asked.map(({ status }) => status), attempts.map(({ node }) => node)]),
		[[[null, 200], ['app-2']]],
	);
});

test('counters that can decide are kept by service and by the seconds in which they rose', () => {
	const raw = recordOf({ balanced: true });
	raise(raw, 'app-2', 3, { EmbryonicRsts: 4 });
	refuse(raw, 6, 2);
	raw.balancerStatus[2].handled -= 5;
	const { increments } = factsOf(raw);
	assert.deepEqual(increments['app-2 EmbryonicRsts'], [{ from: FROM + 2, to: FROM + 3, left: 4 }]);
	assert.deepEqual(increments['app-1 EmbryonicRsts'], []);
	assert.deepEqual(increments['mongo rejected'], [{ from: FROM + 5, to: FROM + 6, left: 2 }]);
	assert.deepEqual(increments['nginx table-full-new'].at(-1), { from: FROM - 0.2, to: FROM + 11, left: 5 });
});

test('a MongoDB that does not count the connections that it refuses has a line in its log for each', () => {
	const raw = recordOf();
	for (const row of raw.database) row.connections = { open: 60, free: 940 };
	raw.databaseRefusals = [FROM + 4, FROM + 6.5].map((t) => ({ t, name: 'mongo' }));
	assert.deepEqual(factsOf(raw).increments['mongo rejected'], [
		{ from: FROM + 3, to: FROM + 5, left: 1 },
		{ from: FROM + 5.5, to: FROM + 7.5, left: 1 },
	]);
});

test('the moments at which MongoDB answered its observer are known, be it in the warm-up', () => {
	const { answered } = factsOf(recordOf()).database;
	assert.deepEqual([answered[0], answered.length], [FROM - WARMUP_S, 18]);
});

test('a MongoDB that was started again counts anew, and what it did in its lives is added up', () => {
	const raw = recordOf();
	for (const row of raw.database.filter(({ t }) => t > FROM + 4)) row.operations = { insert: row.operations.insert - 500 };
	// Of the 100 between the readings around its end nobody knows how many were before it.
	assert.equal(factsOf(raw).database.inserts, 400 + 100 + 500);
});

/** @param manifest of a record that is made by hand otherwise */
function topologyIn(manifest: Partial<Raw['manifest']>) {
	const raw = recordOf();
	Object.assign(raw.manifest, manifest);
	return factsOf(raw);
}

/** services by name, each with its tier */
function pairs(tiers: Record<string, string>, edges?: Edge[]): string[] {
	const services = Object.entries(tiers).map(([name, tier]) => ({ name, tier }));
	return topologyIn({ services, edges }).edges.map(({ from, to }) => `${from} > ${to}`);
}

test('the generator talks to the first tier that is there, and each tier to the next', () => {
	assert.deepEqual(pairs({ mongo: 'database', nginx: 'load-balancer', 'app-1': 'app', 'app-2': 'app', k6: 'generator' }), [
		'k6 > nginx',
		'nginx > app-1',
		'nginx > app-2',
		'app-1 > mongo',
		'app-2 > mongo',
	]);
	assert.deepEqual(pairs({ 'app-1': 'app' }), ['k6 > app-1']);
	assert.deepEqual(pairs({ tokyo: 'database' }), ['k6 > tokyo']);
});

test('observers talk about the system, and not within it', () => {
	assert.deepEqual(pairs({ 'app-1': 'app', 'database-observer': 'observer' }), ['k6 > app-1']);
});

test('several balancers share the users, and each talks to every node', () => {
	assert.deepEqual(pairs({ 'lb-1': 'load-balancer', 'lb-2': 'load-balancer', 'app-1': 'app', 'app-2': 'app' }), [
		'k6 > lb-1',
		'k6 > lb-2',
		'lb-1 > app-1',
		'lb-1 > app-2',
		'lb-2 > app-1',
		'lb-2 > app-2',
	]);
});

test('a queue stands between the nodes and the database', () => {
	assert.deepEqual(pairs({ 'app-1': 'app', kafka: 'queue', mongo: 'database' }), ['k6 > app-1', 'app-1 > kafka', 'kafka > mongo']);
});

test('where the manifest names its edges they are these and no others: a cache beside the database, a service that calls a service', () => {
	const edges = [
		{ from: 'k6', to: 'front' },
		{ from: 'front', to: 'back' },
		{ from: 'back', to: 'redis' },
		{ from: 'back', to: 'mongo' },
	];
	const tiers = { entryProxy: 'app', back: 'app', redis: 'database', mongo: 'database' };
	assert.deepEqual(pairs(tiers, edges), ['k6 > front', 'front > back', 'back > redis', 'back > mongo']);
});

test('services of several containers have a name in common, and others none', () => {
	const services = [
		{ name: 'api-1', service: 'api' },
		{ name: 'api-2', service: 'api' },
		{ name: 'db', service: 'db' },
		{ name: 'of-an-old-record' },
	];
	assert.deepEqual([...topologyIn({ services: services.map((one) => ({ ...one, tier: 'app' })) }).replicas], [['api', ['api-1', 'api-2']]]);
});
