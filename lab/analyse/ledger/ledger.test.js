import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causes } from '../../define/causes.js';
import { answerCases } from '../fixtures/answer-cases.js';
import { connectionCases } from '../fixtures/connection-cases.js';
import { endService, factsOf, ledgerOf, logError, recordOf } from '../fixtures/record.js';
import { overflowQueue } from '../fixtures/record-tiers.js';
import { SECONDS } from '../fixtures/story.js';
import { buildLedger } from './ledger.js';

const MIXES = 200;

test('each cause is reached by a case, and no case reaches a cause without words', () => {
  const placed = [
    ...connectionCases.flatMap(({ story, change }) => ledgerOf(story, change).failures),
    ...answerCases.flatMap(({ alone, answer, change }) => ledgerOf({ balanced: !alone, answers: [answer] }, change).failures),
  ];
  assert.deepEqual([...new Set(placed.map(({ cause }) => cause))].sort(), Object.keys(causes).sort());
  for (const { cause, cause_title: title, rule } of placed) {
    assert.equal(title, causes[cause].title);
    assert.equal(rule, causes[cause].rule);
  }
});

test('a healthy run has no rows and nothing unattributed', () => {
  const { failures, unattributed, checks } = ledgerOf({ balanced: true });
  assert.deepEqual(failures, []);
  assert.equal(unattributed, 0);
  assert.ok(checks.every(({ holds }) => holds));
});

test('the rows stand by size, with their share of all failures', () => {
  const { failures, unattributed } = ledgerOf({ kinds: { refused: { 2: 10 }, no_ports: { 3: 70 }, other: { 4: 20 } } });
  assert.deepEqual(
    failures.map(({ cause, count, share }) => [cause, count, share]),
    [
      ['generator-exhausted', 70, 0.7],
      ['unreachable', 10, 0.1],
    ],
  );
  assert.equal(unattributed, 20);
});

test('a lost connection is placed by the first rule that can prove its cause', () => {
  const { failures } = ledgerOf({ balanced: true, kinds: { server_closed_idle: { 3: 5 }, reset: { 3: 2 } } }, (raw) => {
    logError(raw, [3], '1024 worker_connections are not enough, reusing connections');
    overflowQueue(raw, 'nginx', 3);
  });
  assert.deepEqual(
    failures.map(({ cause, count }) => [cause, count]),
    [['connection-table-full-idle', 7]],
  );
});

test('whatever mix of failures there was, rows and unattributed sum to it exactly', () => {
  const random = randomNumbers(20_261_121);
  let rows = 0;
  for (let mix = 0; mix < MIXES; mix += 1) {
    const raw = randomRecord(random);
    const facts = factsOf(raw);
    const { failures, unattributed, tiers } = buildLedger(facts);
    const total = failures.reduce((sum, { count }) => sum + count, 0);
    const message = `mix ${mix}: ${JSON.stringify(facts.generator)}`;
    assert.equal(total + unattributed, facts.generator.failed, message);
    assert.ok(unattributed >= 0, message);
    assert.ok(
      failures.every(({ count }) => Number.isInteger(count) && count > 0),
      message,
    );
    assert.ok(
      tiers.every(({ lost }) => lost === null || lost >= 0),
      message,
    );
    rows += failures.length;
  }
  assert.ok(rows > MIXES, 'the mixes are meant to reach several rules each');
});

/**
 * Numbers from 0 up to 1, the same in every run (mulberry32, https://github.com/bryc/code/blob/master/jshash/PRNGs.md).
 * @param {number} seed
 */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const KINDS = ['eof', 'reset', 'server_closed_idle', 'broken_pipe', 'refused', 'unreachable', 'lookup', 'dial_timeout', 'timeout'].concat([
  'no_descriptors',
  'no_ports',
  'generator_exhausted',
  'cut_at_end',
  'other',
]);
const ERRORS = ['', 'TypeError', 'MongoNetworkError', 'MongoServerError', 'MongoPoolClearedError', 'MongoWaitQueueTimeoutError'];
const STATUSES = [500, 502, 503, 504, 499, 418];

/** @param {() => number} random */
function randomRecord(random) {
  const upTo = (/** @type {number} */ most) => Math.floor(random() * (most + 1));
  const oneOf = (/** @type {any[]} */ list) => list[upTo(list.length - 1)];
  const chance = (/** @type {number} */ share) => random() < share;
  const some = (/** @type {any[]} */ list) => list.filter(() => chance(0.4));
  const second = () => 1 + upTo(SECONDS - 1);
  const answers = Array.from({ length: upTo(4) }, () => ({
    second: second(),
    status: oneOf(STATUSES),
    node: oneOf(['app-1', 'app-2', null]),
    error: oneOf(ERRORS),
    connect_s: oneOf(['-', '0.001']),
    count: upTo(40),
  }));
  // Some mixes hold answers alone, so that one placed too often cannot hide among the connections.
  const kinds = chance(0.7) ? KINDS : [];
  const raw = recordOf({
    balanced: chance(0.6),
    okPerS: 10,
    kinds: Object.fromEntries(some(kinds).map((kind) => [kind, { [second()]: upTo(50), [second()]: upTo(50) }])),
    late: Object.fromEntries(some(kinds).map((kind) => [kind, upTo(20)])),
    answers,
    ...(chance(0.5) && { statuses: Object.fromEntries(some([...STATUSES, 'other']).map((status) => [status, upTo(60)])) }),
  });
  for (const { name } of some(raw.manifest.services)) {
    if (chance(0.3)) endService(raw, name, second(), { outOfMemory: chance(0.3), ...(chance(0.5) && { back: SECONDS }) });
    if (chance(0.3)) overflowQueue(raw, name, second());
  }
  const full = '1024 worker_connections are not enough';
  if (chance(0.4)) logError(raw, [second(), second()], chance(0.5) ? full : `${full}, reusing connections`);
  if (raw.balancerStatus.length > 0 && chance(0.4)) raw.balancerStatus[2].handled -= upTo(60);
  return raw;
}
