import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsIn, balancerRecord, groupByConnection, triedFor } from './balancer.js';
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

test('lines of the load are counted by outcome, the warm-up not among them', () => {
  const answers = [
    { status: 500, count: 3, node: null },
    { status: 502, count: 2 },
    { status: 499, count: 4 },
  ];
  const { name, ok, errors, clientClosed, lines } = recordIn({ answers });
  assert.deepEqual(
    { name, ok, errors, clientClosed, lines: lines.length },
    { name: 'nginx', ok: 1000, errors: 5, clientClosed: 4, lines: 1009 },
  );
});

test('a good status that did not reach the client whole is no good answer', () => {
  const { ok } = recordIn({}, (raw) => {
    raw.accessLines[5].completion = '';
  });
  assert.equal(ok, 999);
});

test('requests and connections are those of the load by its own count, and dropped ones were accepted and not handled', () => {
  const { requests, accepted, dropped } = recordIn({}, (raw) => {
    raw.balancerStatus[2].handled -= 7;
  });
  // One of the 1,001 was the question for these very totals.
  assert.deepEqual({ requests, accepted, dropped }, { requests: 1000, accepted: 100, dropped: 7 });
});

test('without totals from before and after the load nothing is known of its own counts', () => {
  for (const keep of [[], [0], [2]]) {
    const { requests, accepted, dropped } = recordIn({}, (raw) => {
      raw.balancerStatus = keep.map((index) => raw.balancerStatus[index]);
    });
    assert.deepEqual({ requests, accepted, dropped }, { requests: null, accepted: null, dropped: null });
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
  ['upstream_connect_timeout', 'upstream timed out (110: Connection timed out) while connecting to upstream'],
  ['upstream_invalid', 'upstream sent invalid header while reading response header from upstream'],
  ['benched', 'upstream server temporarily disabled while connecting to upstream'],
  ['worker_died', 'worker process 30 exited on signal 11'],
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

test('a message names the connection and the node that it is about, by address without its port', () => {
  const text = 'recv() failed (104: Connection reset by peer) while reading response header, upstream: "http://10.0.0.1:3000/"';
  const { log } = recordIn({}, (raw) => raw.errorLines.push({ t: FROM + 2, level: 'error', connection: 17, text }));
  assert.deepEqual(log, [{ id: 'upstream_reset', t: FROM + 2, connection: 17, address: '10.0.0.1', text, level: 'error' }]);
});

test('a node is left out for as long as the configuration says, else for as long as Nginx does by itself', () => {
  assert.equal(recordIn().failTimeoutS, 10);
  const told = recordIn({}, (raw) => {
    raw.balancerConf += 'server app-1:3000 max_fails=2 fail_timeout=3s;';
  });
  assert.equal(told.failTimeoutS, 3);
});

test('attempts are told apart whether they were retried or redirected', () => {
  assert.deepEqual(['', '-', '10.0.0.1:3000', '502, 200', '502 : 200'].map(attemptsIn), [
    [],
    ['-'],
    ['10.0.0.1:3000'],
    ['502', '200'],
    ['502', '200'],
  ]);
});

/** @type {(second: number, connection: number | null, id: string, address?: string | null) => import('./balancer.js').Message} */
const message = (second, connection, id, address = null) => ({ id, t: FROM + second, connection, address, text: id, level: 'error' });

/** @param {object} [more] @returns {import('./balancer.js').AccessLine} */
const retried = (more) => ({
  t: FROM + 4.5,
  id: 'w1-1',
  status: 200,
  request_s: 1,
  connection: 17,
  upstream: '10.0.0.1:3000, 10.0.0.2:3000',
  upstream_status: '502, 200',
  connect_s: '-, 0.001',
  upstream_s: '0.000, 0.016',
  error: '',
  completion: 'OK',
  ...more,
});

test('each attempt of a request has its status, whether it was connected, and the message that says why it failed', () => {
  const refused = message(3, 17, 'upstream_refused', '10.0.0.1');
  const { tried, own } = triedFor(retried(), groupByConnection([refused, message(3, 18, 'upstream_reset', '10.0.0.2')]));
  assert.deepEqual(tried, [
    { address: '10.0.0.1', status: 502, connected: false, message: refused },
    { address: '10.0.0.2', status: 200, connected: true, message: null },
  ]);
  assert.deepEqual(own, []);
});

test('a message of the same connection belongs to the request that was on it at the time, and to no other', () => {
  const log = [message(1, 17, 'upstream_reset', '10.0.0.1'), message(5, 17, 'upstream_reset', '10.0.0.1'), message(3, null, 'reusing')];
  const { tried, own } = triedFor(retried(), groupByConnection(log));
  assert.deepEqual([tried[0].message, own], [null, []]);
});

test('what is logged of the request as a whole is no attempt of it, and a group of nodes is tried by its name', () => {
  const none = message(4, 17, 'no_live_upstreams');
  const line = retried({ upstream: 'nodes', upstream_status: '502', connect_s: '-' });
  assert.deepEqual(triedFor(line, groupByConnection([none])), {
    tried: [{ address: 'nodes', status: 502, connected: false, message: null }],
    own: [none],
  });
});

test('of two attempts at the same node each has a message of its own', () => {
  const [first, second] = [message(3, 17, 'upstream_reset', '10.0.0.1'), message(4, 17, 'upstream_closed', '10.0.0.1')];
  const { tried } = triedFor(retried({ upstream: '10.0.0.1:3000, 10.0.0.1:3000' }), groupByConnection([first, second]));
  assert.deepEqual(
    tried.map((attempt) => attempt.message?.id),
    ['upstream_reset', 'upstream_closed'],
  );
});
