import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from './fixtures/record.js';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.js';
import { flowOf } from './flow.js';
import { buildLedger } from './ledger/ledger.js';

/** @param {import('./fixtures/story.js').Story} story @param {(raw: import('./fixtures/story.js').Raw) => void} [change] */
function flowIn(story, change) {
  const raw = recordOf(story);
  change?.(raw);
  return flowFrom(raw);
}

/** @param {import('./fixtures/story.js').Raw} raw */
function flowFrom(raw) {
  const facts = factsOf(raw);
  return flowOf(facts, buildLedger(facts));
}

test('the tiers stand in the order that requests pass', () => {
  const order = (/** @type {boolean} */ balanced) => flowIn({ balanced }).nodes.map(({ id }) => id);
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
  const { outlets } = flowOf(facts, { ...buildLedger(facts), failures: [/** @type {any} */ (failure)] });
  assert.deepEqual(outlets, [{ at: 'app-1', cause_title: 'app-1, app-2: it refused connections', count: 9, share: 0.009 }]);
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
  const failures = [87, 78, 78].map((count) => /** @type {any} */ ({ ...failure, count }));
  const { outlets } = flowOf(facts, { ...buildLedger(facts), failures });
  assert.deepEqual(outlets, [{ at: 'mongo', cause_title: 'it did not answer in time', count: 243, share: 0.243 }]);
});

test('a copy has documents that others were asked to store, and is not said to have answered for them', () => {
  const { nodes } = flowIn({}, (raw) => {
    for (const row of raw.database) row.set = 'rs0';
  });
  assert.equal(nodes.find(({ id }) => id === 'mongo')?.answered_ok, null);
});
