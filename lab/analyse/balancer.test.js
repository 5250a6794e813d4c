import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balancerRecord, nodeNames, nodeOf, upstreamStatus } from './balancer.js';
import { logError, recordOf } from './fixtures/record.js';
import { FROM, SECONDS, WARMUP_S } from './fixtures/story.js';

const window = { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - WARMUP_S };

/** @param {import('./fixtures/story.js').Story} [story] @param {(raw: import('./read-raw.js').Raw) => void} [change] */
function recordIn(story, change) {
  const raw = recordOf({ balanced: true, ...story });
  change?.(raw);
  return /** @type {import('./balancer.js').BalancerRecord} */ (balancerRecord(raw, window));
}

test('an architecture without a balancer has no record of one', () => {
  assert.equal(balancerRecord(recordOf(), window), null);
});

test('lines of the load are counted by outcome and by node, the warm-up not among them', () => {
  const answers = [
    { status: 500, count: 3, node: null },
    { status: 502, count: 2 },
    { status: 499, count: 4 },
  ];
  const { name, ok, errors, clientClosed, byNode, lines } = recordIn({ answers });
  assert.deepEqual(
    { name, ok, errors, clientClosed, lines: lines.length },
    { name: 'nginx', ok: 1000, errors: 5, clientClosed: 4, lines: 1009 },
  );
  assert.deepEqual(byNode, { 'app-1': 506, 'app-2': 500 });
});

test('a good status that did not reach the client whole is no good answer', () => {
  const { ok } = recordIn({}, (raw) => {
    raw.accessLines[5].completion = '';
  });
  assert.equal(ok, 999);
});

test('connections are those of the load, and dropped ones were accepted and not handled', () => {
  const { accepted, dropped } = recordIn({}, (raw) => {
    raw.balancerStatus[2].handled -= 7;
  });
  assert.deepEqual({ accepted, dropped }, { accepted: 100, dropped: 7 });
});

test('without totals from before and after the load nothing is known of connections', () => {
  for (const keep of [[], [0], [2]]) {
    const { accepted, dropped } = recordIn({}, (raw) => {
      raw.balancerStatus = keep.map((index) => raw.balancerStatus[index]);
    });
    assert.deepEqual({ accepted, dropped }, { accepted: null, dropped: null });
  }
});

test('the connection table is as large as that of all workers', () => {
  assert.equal(recordIn().slots, 1024);
  assert.equal(
    recordIn({}, (raw) => {
      raw.balancerConf = 'worker_processes 4;\nevents { }\n worker_connections 512;\n';
    }).slots,
    2048,
  );
  assert.equal(
    recordIn({}, (raw) => {
      raw.balancerConf = '';
    }).slots,
    null,
  );
});

const MESSAGES = /** @type {[string, string][]} */ ([
  ['reusing', '1024 worker_connections are not enough, reusing connections'],
  ['table_full', '64 worker_connections are not enough while connecting to upstream, client: 10.0.0.7'],
  ['no_descriptors', 'accept4() failed (24: Too many open files)'],
  ['no_ports', 'connect() to 10.0.0.1:3000 failed (99: Cannot assign requested address) while connecting to upstream'],
  ['no_live_upstreams', 'no live upstreams while connecting to upstream'],
  ['upstream_refused', 'connect() failed (111: Connection refused) while connecting to upstream'],
  ['upstream_unreachable', 'connect() failed (113: No route to host) while connecting to upstream'],
  ['upstream_timeout', 'upstream timed out (110: Connection timed out) while reading response header from upstream'],
  ['upstream_reset', 'recv() failed (104: Connection reset by peer) while reading response header from upstream'],
  ['upstream_closed', 'upstream prematurely closed connection while reading response header from upstream'],
  ['limited', 'limiting requests, excess: 5.120 by zone "one"'],
]);

for (const [id, text] of MESSAGES) {
  test(`the error log's line "${text}" means ${id} and nothing else`, () => {
    const { messages } = recordIn({}, (raw) => logError(raw, [-3, 2, 2, 9], text));
    assert.deepEqual(messages, { [id]: { count: 3, first: `[warn] ${text}`, times: [FROM + 2, FROM + 2, FROM + 9] } });
  });
}

test('a line of the error log that means nothing known is left out', () => {
  assert.deepEqual(recordIn({}, (raw) => logError(raw, [3], 'signal process started')).messages, {});
});

test('a line belongs to the node that was asked last', () => {
  const names = nodeNames(recordOf({ balanced: true }).manifest);
  const node = (/** @type {string} */ upstream) => nodeOf({ upstream }, names);
  assert.equal(node('10.0.0.1:3000'), 'app-1');
  assert.equal(node('10.0.0.1:3000, 10.0.0.2:3000'), 'app-2');
  assert.equal(node('10.0.0.1:3000 : 10.0.0.2:3000'), 'app-2');
  assert.equal(node('nodes'), null);
  assert.equal(node(''), null);
});

test('the status of an upstream is the last one that was given', () => {
  const last = (/** @type {string} */ status) => upstreamStatus({ upstream_status: status });
  assert.deepEqual(['200', '502, 200', '502, -', '-', ''].map(last), [200, 200, null, null, null]);
});
