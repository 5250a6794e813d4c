import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../../diagnose/fixtures/record.js';
import { FROM } from '../../diagnose/fixtures/story.js';
import { bench, SAID, tellOf } from '../../diagnose/fixtures/tell.js';
import { benchesOf } from './benches.js';

/** @param {(raw: import('../../diagnose/fixtures/story.js').Raw) => void} change of a healthy run of two nodes */
function benchesIn(change) {
  const raw = recordOf({ balanced: true });
  change(raw);
  return factsOf(raw).front?.benches ?? [];
}

test('a node is left out from the moment that is logged until the time-out after the end of that second', () => {
  const [{ node, from, to }, ...others] = benchesIn((raw) => bench(raw, 3, 'app-2', SAID.refused));
  assert.deepEqual([node, from - FROM, to - FROM, others], ['app-2', 3, 14, []]);
});

test('what set it off is the failed attempt before it on the same connection, whatever else is logged between', () => {
  const [{ trigger, line }] = benchesIn((raw) => {
    tellOf(raw, 17, 3, SAID.reset, 'app-1');
    tellOf(raw, 18, 3, SAID.refused, 'app-1');
    tellOf(raw, 17, 3, SAID.timeout, 'app-2');
    tellOf(raw, 17, 3, SAID.benched, 'app-1');
  });
  assert.equal(trigger, 'connection_terminated');
  assert.match(line, /^\[error\] recv\(\) failed .*10\.0\.0\.1/);
});

test('of several attempts of a connection the last one before it set it off', () => {
  const [{ trigger }] = benchesIn((raw) => {
    tellOf(raw, 17, 2, SAID.timeout, 'app-1');
    tellOf(raw, 17, 3, SAID.closed, 'app-1');
    tellOf(raw, 17, 3, SAID.benched, 'app-1');
  });
  assert.equal(trigger, 'connection_terminated');
});

test('what failed on that connection seconds before did not set it off', () => {
  const [{ trigger }] = benchesIn((raw) => {
    tellOf(raw, 17, 1, SAID.reset, 'app-1');
    tellOf(raw, 17, 3, SAID.benched, 'app-1');
  });
  assert.equal(trigger, null);
});

test('where no attempt of that connection is logged the trigger is not known, and the line itself is shown', () => {
  const [{ trigger, line, request }] = benchesIn((raw) => {
    tellOf(raw, 18, 3, SAID.refused, 'app-1');
    tellOf(raw, 17, 3, SAID.benched, 'app-1');
  });
  assert.deepEqual([trigger, request], [null, null]);
  assert.match(line, /temporarily disabled/);
});

test('the request whose attempt it was is the one on that connection at the time', () => {
  const [{ request }] = benchesIn((raw) => {
    const [first, second, third] = raw.accessLines.filter(({ t }) => t > FROM);
    Object.assign(first, { id: 'w1-1', connection: 17, t: FROM + 2.5 });
    Object.assign(second, { id: 'w1-2', connection: 17, t: FROM + 4.2, request_s: 1 });
    Object.assign(third, { id: 'w2-1', connection: 18, t: FROM + 3.5 });
    tellOf(raw, 17, 3, SAID.reset, 'app-1');
    tellOf(raw, 17, 3, SAID.benched, 'app-1');
  });
  assert.equal(request, 'w1-2');
});

test('a node that was left out in the warm-up may still be so when the load begins, and one that was let in before is none', () => {
  const spans = benchesIn((raw) => bench(raw, -4, 'app-2', SAID.refused)).map(({ node, from, to }) => [node, from - FROM, to - FROM]);
  assert.deepEqual(spans, [['app-2', -4, 7]]);
  const early = benchesIn((raw) => {
    raw.balancerConf += 'server app-2:3000 fail_timeout=2s;';
    bench(raw, -4, 'app-2', SAID.refused);
  });
  assert.deepEqual(early, []);
});

test('a run without a balancer leaves nobody out', () => {
  assert.equal(factsOf(recordOf()).front, null);
});

test('of a time-out Nginx says so only after it has left the node out', () => {
  const message = (/** @type {import('../contract.js').Signal} */ signal, /** @type {number} */ connection) => ({
    signal,
    t: 1_800_000_005,
    connection,
    to: '10.0.0.1',
    text: signal,
  });
  const log = [message('benched', 4), message('http_response_timeout', 9), message('http_response_timeout', 4)];
  const [bench] = benchesOf(log, [], { names: new Map([['10.0.0.1', 'app-1']]), benchedS: 10 });
  assert.deepEqual([bench.node, bench.trigger], ['app-1', 'http_response_timeout']);
});
