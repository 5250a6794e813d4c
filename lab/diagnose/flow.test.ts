import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire, WireEdge } from '../record/types.js';
import { evidenceSection } from '../report/sections/evidence.ts';
import { flowSection } from '../report/sections/parts.ts';
import type { WireRecord } from '../wire/record.ts';
import { edgeLine, system } from './fixtures/project-cases.ts';
import { projectWire, REQUESTS } from './fixtures/project-wire.ts';
import { factsOf, recordOf } from './fixtures/record.ts';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.ts';
import type { Raw, Story } from './fixtures/story.ts';
import { flowOf, withWire } from './flow.ts';
import { linedOf } from './joins/joined.ts';
import { buildLedger } from './ledger/ledger.ts';
import { resultOf } from './result.ts';
import { wireOf } from './wire.ts';

const WIRE_SOURCE = 'calls on the wire';

function projectRun(wire: WireRecord, logs: Parameters<typeof system>[0] = {}) {
	const raw = { ...recordOf({ balanced: true, okPerS: REQUESTS / 10 }), wire };
	system(logs)(raw);
	raw.manifest.system = { title: 'shop', is_followed: true };
	return raw;
}

function reportedIn(raw: Raw) {
	const facts = factsOf(raw);
	const lined = raw.wire ? linedOf(raw.wire) : null;
	const ledger = withWire(buildLedger(facts), wireOf(lined, facts.window), lined, facts);
	const flow = flowOf(facts, ledger);
	return { ledger, flow, edge: (from: string) => ledger.edges.find((one) => one.from === from) };
}

const passed = ({ flow }: ReturnType<typeof reportedIn>) =>
	flow.edges.map(({ from, to, requests, source }) => [`${from} ${to}`, requests, source]);

test('an edge that no service counts has its calls on the wire, and says so', () => {
	const reported = reportedIn(projectRun(projectWire()));
	assert.deepEqual(passed(reported), [
		['k6 edge', 400, undefined],
		['edge web', 400, 'wire'],
		['web pool', 800, 'wire'],
		['pool store', 800, 'wire'],
	]);
	assert.deepEqual(
		reported.ledger.edges.map(({ sent, sent_source, received, received_source, unseen }) => [
			sent,
			sent_source,
			received,
			received_source,
			unseen,
		]),
		[
			[400, 'k6 metrics', 400, WIRE_SOURCE, null],
			[400, WIRE_SOURCE, 400, WIRE_SOURCE, 0],
			[800, WIRE_SOURCE, 800, WIRE_SOURCE, 0],
			[800, WIRE_SOURCE, 800, WIRE_SOURCE, 0],
		],
	);
	assert.ok(reported.ledger.checks.every(({ holds }) => holds));
});

test('what a service counts itself stays its own count, with what the wire saw beside it', () => {
	const log = edgeLine('good-0', 4.5, { status: 200, state: '----' });
	const { ledger, edge } = reportedIn(projectRun(projectWire(), { edge: log }));
	assert.deepEqual([edge('k6')?.received, edge('k6')?.received_source, edge('k6')?.wire?.calls], [1, 'HTTP log', 400]);
	assert.deepEqual([edge('edge')?.sent, edge('edge')?.received_source], [1, WIRE_SOURCE]);
	assert.equal(ledger.hops.find(({ service }) => service === 'edge')?.source, 'HTTP log');
});

test('requests that a program counts and calls of its database are no two ends of one count', () => {
	const raw = projectRun(projectWire());
	const facts = factsOf(raw);
	const ledger = buildLedger(facts);
	ledger.edges = ledger.edges.map((edge) => (edge.to === 'store' ? { ...edge, sent: 400, sent_source: 'node record' } : edge));
	const reported = withWire(ledger, wireOf(linedOf(raw.wire), facts.window, facts.gaps), linedOf(raw.wire), facts).edges.at(-1);
	assert.deepEqual([reported?.sent, reported?.received, reported?.wire?.calls], [400, null, 800]);
});

test('a tier that keeps no record has what the wire saw of it: answered well, with an error, not at all', () => {
	const stored = (_: number, index: number) =>
		index === 0 ? { code: '53300', bad: true } : index === 1 ? { end: 'given-up' as const, by: 'client' as const } : {};
	const { ledger, edge } = reportedIn(projectRun(projectWire({ stored })));
	const store = ledger.hops.find(({ service }) => service === 'store');
	assert.deepEqual(store, {
		...{ tier: 'database', service: 'store', source: WIRE_SOURCE, received: 800 },
		...{ answered_ok: 796, answered_error: 2, aborted: 2 },
	});
	const onWire = edge('pool')?.wire;
	assert.deepEqual([onWire?.calls, onWire?.answered, onWire?.bad, onWire?.given_up, onWire?.broken_off], [800, 798, 2, 2, 0]);
});

test('calls that carry no id, where the others of their edge do, are in no count of requests, and their number is told', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index % 40 === 0) made.call('edge web', at, at + 0.001, { on: 'check', end: 'cut', by: 'client', status: 200 });
		},
	});
	const { ledger, edge } = reportedIn(projectRun(wire));
	const web = ledger.hops.find(({ service }) => service === 'web');
	assert.deepEqual([web?.received, web?.answered_ok, web?.aborted, web?.left_out], [400, 400, 0, 10]);
	assert.deepEqual([edge('edge')?.received, edge('edge')?.wire?.calls], [400, 410]);
	// None of the pool's calls has one.
	assert.equal(ledger.hops.find(({ service }) => service === 'pool')?.received, 800);
});

test('an edge and the tier behind it count the same answers as errors, and the page shows the same of both', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index % 4 === 0) made.call('edge web', at, at + 0.001, { on: 'b', id: `good-${index}`, status: 429 });
		},
	});
	const raw = projectRun(wire);
	const { ledger, edge } = reportedIn(raw);
	const web = ledger.hops.find(({ service }) => service === 'web');
	assert.deepEqual([web?.received, web?.answered_ok, web?.answered_error], [500, 400, 100]);
	const onWire = edge('edge')?.wire;
	assert.deepEqual([onWire?.answered, onWire?.bad, onWire?.client_errors], [500, 0, 100]);
	assert.equal(edge('web')?.wire?.client_errors, undefined);
	const text = evidenceSection(resultOf(raw)).text.replaceAll('\u00a0', ' ');
	const cellsOf = (row: RegExp) =>
		[...(row.exec(text)?.[0] ?? '').matchAll(/<td[^>]*>(?:<b class="loss">)?([^<]*)/g)].map(([, cell]) => cell);
	assert.deepEqual(cellsOf(/edge → web(?!.*edge → web)[\s\S]*?<\/tr>/).slice(0, 3), ['500', '500', '100']);
});

test('of what users asked an answer is an error where the load took it for one, once, whatever its status', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index < 7) made.call('k6 edge', at, at + 0.001, { on: 'a', id: `more-${index}`, status: index < 5 ? 429 : 404 });
		},
	});
	const raw = projectRun(wire);
	const facts = { ...factsOf(raw), failedIds: new Set(['more-0', 'more-1', 'more-2', 'more-3', 'more-4']) };
	const lined = linedOf(wire);
	const ledger = withWire(buildLedger(facts), wireOf(lined, facts.window, [], facts.failedIds), lined, facts);
	const edge = ledger.hops.find(({ service }) => service === 'edge');
	assert.deepEqual([edge?.received, edge?.answered_ok, edge?.answered_error], [407, 402, 5]);
	assert.deepEqual([ledger.edges[0].wire?.bad, ledger.edges[0].wire?.client_errors], [5, undefined]);
});

test('answers of an error that the load takes for good are told at who made it', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index < 5) made.call('k6 edge', at, at + 0.001, { on: 'a', id: `more-${index}`, status: 404 });
		},
	});
	const raw = projectRun(wire);
	const facts = factsOf(raw);
	const lined = linedOf(wire);
	const counted = wireOf(lined, facts.window);
	const flow = flowOf(facts, withWire(buildLedger(facts), counted, lined, facts), counted);
	assert.equal(flow.nodes[0].note, '5 of them with an expected error');
});

test('what passed and cannot be read has no count of requests, and what is read in part has at least one', () => {
	const wire = projectWire({
		also: (made, at, index) => {
			if (index > 0) return;
			made.call('pool store', at, at + 0.001, { protocol: 'http', on: 'x' });
		},
	});
	const toStore = new Set(wire.connections.filter(({ server }) => server === 'store').map(({ id }) => id));
	for (const connection of wire.connections) if (toStore.has(connection.id)) Object.assign(connection, { hidden_bytes: 99 });
	const part = reportedIn(projectRun(structuredClone(wire)));
	assert.deepEqual(part.flow.edges.at(-1), { from: 'pool', to: 'store', requests: 801, source: 'wire', at_least: true, share: null });
	wire.calls = wire.calls.filter(({ connection }) => !toStore.has(connection));
	const none = reportedIn(projectRun(wire));
	assert.deepEqual(none.flow.edges.at(-1), { from: 'pool', to: 'store', requests: null, connections: 2, share: null });
	assert.equal(none.ledger.hops.find(({ service }) => service === 'store')?.received, null);
});

test('an edge of which nothing passed the networks is not counted: it may go another way', () => {
	const wire = projectWire();
	const gone = new Set(wire.connections.filter(({ server }) => server === 'store').map(({ id }) => id));
	wire.connections = wire.connections.filter(({ id }) => !gone.has(id));
	wire.calls = wire.calls.filter(({ connection }) => !gone.has(connection));
	const { flow, edge } = reportedIn(projectRun(wire));
	assert.deepEqual(flow.edges.at(-1), { from: 'pool', to: 'store', requests: null, share: null });
	assert.equal(edge('pool')?.wire, null);
});

test('a record of the wire that ends early is told edge by edge, and doubted', () => {
	const wire = projectWire();
	wire.calls.pop();
	const [lost] = wire.connections.splice(1, 1);
	const broken = reportedIn(projectRun(wire)).ledger.checks.filter(({ holds }) => !holds);
	assert.deepEqual(
		broken.map(({ statement, left, right }) => [statement, left, right]),
		[
			['the network record has every call on the connections from pool to store', 799, 800],
			['every call in the network record belongs to a recorded connection', 1999, 2399],
		],
	);
	assert.equal(lost.server, 'web');
	assert.ok(resultOf(projectRun(wire)).validity.reasons.some((reason) => reason.includes('the network record has every call')));
});

test('without a record of the wire the ledger is as it was', () => {
	const facts = factsOf(recordOf({ balanced: true }));
	const ledger = buildLedger(facts);
	assert.equal(withWire(ledger, null, null, facts), ledger);
});

test('the page says of each count which record it is from', () => {
	const result = resultOf(projectRun(projectWire()));
	const [flow, evidence] = [flowSection(result), evidenceSection(result)].map(({ text }) => text.replaceAll('\u00a0', ' '));
	assert.match(flow, /<tspan class="part"[^>]*>wire<\/tspan>/);
	assert.match(flow, /800 · wire/);
	assert.match(flow, /Counts marked “wire” are calls on the network/);
	assert.doesNotMatch(flow, /not counted/);
	assert.match(evidence, /Calls between services/);
	assert.match(evidence, /web → pool/);
});

function flowIn(story: Story, change?: (raw: Raw) => void) {
	const raw = recordOf(story);
	change?.(raw);
	return flowFrom(raw);
}

function flowFrom(raw: Raw) {
	const facts = factsOf(raw);
	return flowOf(facts, buildLedger(facts));
}

test('the tiers stand in the order that requests pass', () => {
	const order = (balanced: boolean) => flowIn({ balanced }).nodes.map(({ id }) => id);
	assert.deepEqual(order(true), ['k6', 'nginx', 'app-1', 'app-2', 'pool', 'mongo']);
	assert.deepEqual(order(false), ['k6', 'app-1', 'pool', 'mongo']);
});

test('the edges say how many requests passed, and how a tier shared them out', () => {
	const { edges } = flowIn({ balanced: true, kinds: { eof: { 2: 40 } } });
	assert.deepEqual(
		edges.map(({ from, to, requests, share }) => [from, to, requests, share]),
		[
			['k6', 'nginx', 1040, null],
			['nginx', 'app-1', 500, 0.5],
			['nginx', 'app-2', 500, 0.5],
			['app-1', 'pool', 500, null],
			['app-2', 'pool', 500, null],
			['pool', 'mongo', 1000, null],
		],
	);
});

test('every edge and every outlet is at a tier that is drawn', () => {
	for (const balanced of [true, false]) {
		const answers = ['TypeError', 'MongoWaitQueueTimeoutError', 'MongoNetworkError'].map((error) => ({ error, count: 4 }));
		const { nodes, edges, outlets } = flowIn({ balanced, kinds: { no_ports: { 2: 5 }, server_closed_idle: { 2: 5 } }, answers });
		const drawn = nodes.map(({ id }) => id);
		for (const { from, to } of edges) assert.ok(drawn.includes(from) && drawn.includes(to), `${from} ${to}`);
		for (const { at } of outlets) assert.ok(drawn.includes(at), at);
		assert.equal(outlets.length, 5);
	}
});

test('an outlet has its share of all requests, not of the failures', () => {
	const { outlets } = flowIn({ kinds: { no_ports: { 2: 250 } } });
	assert.deepEqual(outlets, [{ at: 'k6', cause_title: 'the load generator ran out of file descriptors or ports', count: 250, share: 0.2 }]);
});

test('a note says what limits a tier', () => {
	const notes = Object.fromEntries(flowIn({ balanced: true }).nodes.map(({ id, note }) => [id, note]));
	assert.deepEqual(notes, {
		k6: '',
		nginx: '1,024 connection slots',
		'app-1': '',
		'app-2': '',
		pool: '2,000 checkouts, mean wait 1.0 ms',
		mongo: 'refused 0 connections',
	});
});

test('requests that were never answered are noted at the generator', () => {
	const { nodes } = flowIn({}, (raw) => {
		raw.summary.metrics.lab_unanswered = { values: { count: 1234 } };
	});
	assert.equal(nodes[0].note, '1,234 never answered');
});

test('a trigger that two nodes share is one outlet, at the first of them, under both names', () => {
	const facts = factsOf(recordOf({ balanced: true }));
	const failure = { tier: 'app', service: 'app-1, app-2', cause_title: 'it refused connections', count: 9 };
	const { outlets } = flowOf(facts, { ...buildLedger(facts), failures: [failure as any] });
	assert.deepEqual(outlets, [{ at: 'app-1', cause_title: 'app-1, app-2: it refused connections', count: 9, share: 0.009 }]);
});

test('who lost requests that never passed it has a box of its own, bound to what it asked where that is on record', () => {
	const raw = projectRun(projectWire());
	const facts = factsOf(raw);
	const lined = linedOf(projectWire());
	const wire = wireOf(lined, facts.window) as Wire;
	const asked = wire.edges.find(({ to }) => to === 'store') as WireEdge;
	const failure = { tier: 'app', service: 'worker', cause_title: 'it took nothing more', count: 9 };
	const ledger = { ...buildLedger(facts), failures: [failure as any] };
	const aloneIn = flowOf(facts, ledger, wire);
	const bound = flowOf(facts, ledger, { ...wire, edges: [...wire.edges, { ...asked, from: 'worker' }, { ...asked, from: 'clock' }] });
	for (const { nodes, outlets } of [aloneIn, bound]) {
		assert.deepEqual([nodes.at(-1)?.id, nodes.at(-1)?.tier, nodes.at(-1)?.received], ['worker', 'app', null]);
		assert.deepEqual([outlets.length, outlets[0].at], [1, 'worker']);
	}
	const ends = aloneIn.edges.flatMap(({ from, to }) => [from, to]);
	assert.ok(!ends.includes('worker'));
	assert.deepEqual(bound.edges.slice(aloneIn.edges.length), [{ from: 'worker', to: 'store', requests: 800, source: 'wire', share: null }]);
});

test('where only messages passed that nobody answers, none is said to have been counted', () => {
	const raw = projectRun(projectWire());
	const facts = factsOf(raw);
	const lined = linedOf(projectWire());
	const whole = wireOf(lined, facts.window) as Wire;
	const passedWith = (beside: number) => {
		const ends = { answered: 0, 'given-up': 0, closed: 0, reset: 0, cut: 0, open: 0 };
		const wire = { ...whole, edges: whole.edges.map((edge) => (edge.to === 'store' ? { ...edge, ends, calls: 0, bad: 0, beside } : edge)) };
		const { nodes, edges } = flowOf(facts, withWire(buildLedger(facts), wire, lined, facts), wire);
		return [nodes.find(({ id }) => id === 'store')?.answered_ok, edges.at(-1)];
	};
	assert.deepEqual(passedWith(7), [null, { from: 'pool', to: 'store', requests: null, share: null }]);
	assert.deepEqual(passedWith(0), [0, { from: 'pool', to: 'store', requests: 0, source: 'wire', share: null }]);
});

test('what is not known of a tier is not said', () => {
	const { nodes, edges } = flowIn({ balanced: true }, (raw) => {
		raw.database = [];
		raw.balancerConf = '';
	});
	assert.deepEqual([nodes[1].note, nodes[5].note, nodes[5].received, edges[5].requests], ['', 'documents inserted', null, null]);
});

test('without a database the picture ends at the nodes', () => {
	const { nodes, edges } = flowFrom(poolsRecord());
	assert.deepEqual(
		nodes.map(({ id }) => id),
		['k6', 'app-1'],
	);
	assert.deepEqual(edges, [{ from: 'k6', to: 'app-1', requests: 1000, share: 1 }]);
});

test('a program is drawn straight into its store, whose note speaks of records', () => {
	const { nodes, edges } = flowFrom(programRecord([{}, { stored: 1990 }]));
	assert.deepEqual(
		nodes.map(({ id, note }) => [id, note]),
		[
			['tchmttest', ''],
			['tokyo', 'records inserted'],
		],
	);
	assert.deepEqual(edges, [{ from: 'tchmttest', to: 'tokyo', requests: 4000, share: null }]);
});

test('where not every request leaves a document, all operations reach MongoDB', () => {
	const { edges } = flowFrom(crudRecord());
	assert.deepEqual(edges.at(-1), { from: 'pool', to: 'mongo', requests: 1500, share: null });
});

test('what several nodes made more of is one loss, at the tier that began it', () => {
	const facts = factsOf(recordOf({ balanced: true }));
	const failure = { tier: 'database', service: 'mongo', cause_title: 'it did not answer in time' };
	const failures = [87, 78, 78].map((count) => ({ ...failure, count }) as any);
	const { outlets } = flowOf(facts, { ...buildLedger(facts), failures });
	assert.deepEqual(outlets, [{ at: 'mongo', cause_title: 'it did not answer in time', count: 243, share: 0.243 }]);
});

test('a copy has documents that others were asked to store, and is not said to have answered for them', () => {
	const { nodes } = flowIn({}, (raw) => {
		for (const row of raw.database) row.set = 'rs0';
	});
	assert.equal(nodes.find(({ id }) => id === 'mongo')?.answered_ok, null);
});
