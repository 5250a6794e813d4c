import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from '../../../k6/lib/random.js';
import { causes } from '../../record/causes.js';
import { waitedCauses } from '../../record/waited-causes.js';
import { answerCases } from '../fixtures/answer-cases.js';
import { connectionCases } from '../fixtures/connection-cases.js';
import { foolingCases } from '../fixtures/fooling-cases.js';
import { heldCases } from '../fixtures/held-cases.js';
import { ownCases } from '../fixtures/own-cases.js';
import { preloadCases } from '../fixtures/preload-cases.js';
import { endService, factsOf, ledgerOf, logError, recordOf } from '../fixtures/record.js';
import { logAttempt } from '../fixtures/record-requests.js';
import { overflowQueue } from '../fixtures/record-tiers.js';
import { FROM, SECONDS } from '../fixtures/story.js';
import { bench, logLine, SAID, without } from '../fixtures/tell.js';
import { Counters } from './counters.js';
import { buildLedger, placeAll, rules } from './ledger.js';

const MIXES = 200;
const cases = [...answerCases, ...connectionCases, ...ownCases, ...preloadCases, ...heldCases];

/** @param {{ story: import('../fixtures/story.js').Story, change?: (raw: import('../fixtures/story.js').Raw) => void }} given */
function factsIn({ story, change }) {
  const raw = recordOf(story);
  change?.(raw);
  return factsOf(raw);
}

/** @param {(import('./place.js').Placement | null)[]} placements @returns {import('../fixtures/answer-cases.js').Row[]} counted, by name */
function rowsOf(placements) {
  const counts = new Map();
  for (const placement of placements) {
    if (!placement) continue;
    const { tier, service, cause, where, why, amplifier } = placement;
    const key = JSON.stringify([
      tier,
      service,
      cause,
      where,
      why,
      amplifier && `${amplifier.tier} ${amplifier.service} ${amplifier.cause}`,
    ]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => {
      const [tier, service, cause, where, why, amplifier] = JSON.parse(key);
      return /** @type {import('../fixtures/answer-cases.js').Row} */ ([
        tier,
        service,
        cause,
        count,
        where,
        why,
        ...(amplifier ? [amplifier] : []),
      ]);
    })
    .sort(byName);
}

/** @type {(one: import('../fixtures/answer-cases.js').Row, other: import('../fixtures/answer-cases.js').Row) => number} */
const byName = (one, other) => one.join().localeCompare(other.join());

/** @param {import('./place.js').Facts} facts */
const placedIn = (facts) => rowsOf(placeAll(facts).map(({ placement }) => placement));

for (const { rule, sentence, takes, ...given } of cases) {
  test(`the rule ${rule} ${sentence}`, () => {
    const facts = factsIn(given);
    const counters = new Counters(facts.gains);
    const { place } = /** @type {import('./place.js').Rule} */ (rules.find(({ id }) => id === rule));
    assert.ok(facts.traces.length > 0);
    assert.deepEqual(rowsOf(facts.traces.map((trace) => place(trace, facts, counters))), takes.toSorted(byName));
    // And no other rule comes before it.
    if (takes.length > 0) assert.deepEqual(placedIn(facts), takes.toSorted(byName));
  });
}

for (const { sentence, rows, ...given } of foolingCases) {
  test(sentence, () => assert.deepEqual(placedIn(factsIn(given)), rows.toSorted(byName)));
}

test('each rule has a case that it takes and one that it leaves', () => {
  for (const { id } of rules) {
    const own = cases.filter(({ rule }) => rule === id);
    assert.ok(
      own.some(({ takes }) => takes.length > 0),
      `${id} takes`,
    );
    assert.ok(
      own.some(({ takes }) => takes.length === 0),
      `${id} leaves`,
    );
  }
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
});

test('each cause is reached by a case, and no case reaches a cause without words', () => {
  const rows = cases.flatMap(({ story, change }) => ledgerOf(story, change).failures);
  assert.deepEqual(
    [...new Set(rows.map(({ cause }) => cause))].sort(),
    Object.keys(causes)
      .filter((cause) => !(cause in waitedCauses))
      .sort(),
  );
  for (const { cause, cause_title: title, rule, amplifier } of rows) {
    assert.equal(title, causes[cause].title);
    assert.equal(rule, causes[cause].rule);
    if (amplifier) assert.equal(amplifier.cause_title, causes[amplifier.cause].title);
  }
});

test('a healthy run has no rows, nothing unattributed and no near misses', () => {
  const { failures, unattributed, unattributed_reason: reason, near_misses: misses, checks } = ledgerOf({ balanced: true });
  assert.deepEqual([failures, unattributed, reason, misses], [[], 0, '', []]);
  assert.ok(checks.every(({ holds }) => holds));
});

test('the rows stand by size, with their share of all failures and how each of them is known', () => {
  const {
    failures,
    unattributed,
    unattributed_reason: reason,
  } = ledgerOf({ kinds: { refused: { 2: 10 }, no_ports: { 3: 70 }, other: { 4: 20 } } });
  assert.deepEqual(
    failures.map(({ cause, count, share, basis }) => [cause, count, share, basis]),
    [
      ['generator-exhausted', 70, 0.7, { where: { proved: 70 }, why: { proved: 70 } }],
      ['refused', 10, 0.1, { where: { proved: 10 }, why: { proved: 10 } }],
    ],
  );
  assert.deepEqual([unattributed, reason], [20, 'no record explains what k6 saw (other)']);
});

test('failures of one cause are one row, though they are known in different ways', () => {
  const { failures } = ledgerOf({ kinds: { eof: { 6: 20 }, refused: { 7: 30 } } }, (raw) => endService(raw, 'app-1', 5));
  assert.deepEqual(
    failures.map(({ cause, count, basis }) => [cause, count, basis]),
    [['app-crashed', 50, { where: { timed: 20, proved: 30 }, why: { timed: 50 } }]],
  );
});

test('failures that k6 left no name of are not placed, and that is the reason', () => {
  const nameless = ledgerOf({ kinds: { refused: { 2: 10 } } }, (raw) => raw.failures.splice(0, 4));
  assert.deepEqual([nameless.failures[0].count, nameless.unattributed, nameless.unattributed_reason], [6, 4, 'k6 left no id of 4']);
});

test('what a node without a whole log may have read is not placed, and that is the reason', () => {
  const {
    failures,
    unattributed,
    unattributed_reason: reason,
  } = ledgerOf({ kinds: { eof: { 6: 3 } } }, (raw) => {
    raw.unlisted['app-1'] = 300;
  });
  assert.deepEqual(
    [failures, unattributed, reason],
    [[], 3, 'no record explains what k6 saw (eof); 300 requests that app-1 received are not in its log'],
  );
});

test('failures of one trigger are two rows where something made more of some of them', () => {
  const answers = ['MongoPoolClearedError', 'MongoNetworkError'].map((error, index) => ({ error, count: 5 - index }));
  const { failures } = ledgerOf({ answers }, (raw) => endService(raw, 'mongo', 4));
  assert.deepEqual(
    failures.map(({ cause, count, amplifier }) => [cause, count, amplifier?.cause ?? null]),
    [
      ['database-down', 5, 'pool-cleared'],
      ['database-down', 4, null],
    ],
  );
});

test('failures by another trigger are another row, though the same tier made more of both', () => {
  const { failures } = ledgerOf(
    { balanced: true, answers: [3, 9].map((second) => ({ second, status: 502, node: null, upstream: 'nodes', connect_s: '-' })) },
    (raw) => {
      raw.balancerConf += 'server app-1:3000 fail_timeout=2s;';
      for (const [index, line] of raw.accessLines.filter(({ id }) => id !== '').entries())
        raw.errorLines.push({ t: Math.floor(line.t), level: 'error', connection: 900 + index, text: SAID.noLive });
      bench(raw, 1, 'app-1', SAID.refused);
      bench(raw, 7, 'app-2', SAID.reset);
    },
  );
  assert.deepEqual(failures.map(({ service, cause, amplifier }) => [service, cause, amplifier?.cause]).sort(), [
    ['app-1', 'upstream-refused', 'no-live-upstream'],
    ['app-2', 'closed-unread', 'no-live-upstream'],
  ]);
  for (const { chain } of failures)
    assert.match(chain ?? '', /^app-\d: .*\. nginx then left nodes out for 2 s at a time \(2 times\), and turned 1 request away/);
});

test('whatever mix of failures there was, rows and unattributed sum to it exactly, and each is known in some way', () => {
  const random = randomOf(20_261_121);
  let rows = 0;
  for (let mix = 0; mix < MIXES; mix += 1) {
    const facts = factsOf(randomRecord(random));
    const ledger = buildLedger(facts);
    const total = ledger.failures.reduce((sum, { count }) => sum + count, 0);
    const message = `mix ${mix}: ${JSON.stringify(facts.generator)}`;
    assert.equal(total + ledger.unattributed, facts.generator.failed, message);
    assert.ok(ledger.unattributed >= 0, message);
    for (const { count, basis } of ledger.failures) {
      assert.ok(Number.isInteger(count) && count > 0, message);
      for (const known of [basis.where, basis.why])
        assert.equal(
          Object.values(known).reduce((sum, times) => sum + times, 0),
          count,
          message,
        );
    }
    for (const { unseen } of ledger.edges) assert.ok(unseen === null || unseen >= 0, message);
    assert.deepEqual(buildLedger(facts), ledger, message);
    rows += ledger.failures.length;
  }
  assert.ok(rows > MIXES, 'the mixes are meant to reach several rules each');
});

const KINDS = ['eof', 'reset', 'server_closed_idle', 'broken_pipe', 'refused', 'unreachable', 'lookup', 'dial_timeout', 'timeout'].concat([
  'no_descriptors',
  'no_ports',
  'generator_exhausted',
  'cut_at_end',
  'unanswered',
  'other',
]);
const ERRORS = ['', 'TypeError', 'MongoNetworkError', 'MongoServerError', 'MongoPoolClearedError', 'MongoWaitQueueTimeoutError'];
const STATUSES = [500, 502, 503, 504, 499, 418];
const OUTCOMES = /** @type {const} */ (['answered', 'broken', 'open']);
const PLACES = ['app', 'pool', 'database', ''];

/** @param {() => number} random */
function randomRecord(random) {
  const upTo = (/** @type {number} */ most) => Math.floor(random() * (most + 1));
  const oneOf = (/** @type {readonly any[]} */ list) => list[upTo(list.length - 1)];
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
  });
  const isBalanced = raw.accessLines.length > 0;
  for (const failed of raw.failures) {
    failed.waited_s = oneOf([0.01, 2, 8]);
    if (chance(0.3)) logAttempt(raw, failed.id, { node: oneOf(Object.keys(raw.nodes)), outcome: oneOf(OUTCOMES), place: oneOf(PLACES) });
    if (isBalanced && failed.status === 0 && chance(0.2)) logLine(raw, failed.id, { node: oneOf(['app-1', 'app-2', null]) });
  }
  for (const { name } of some(raw.manifest.services)) {
    if (chance(0.3)) endService(raw, name, second(), { outOfMemory: chance(0.3), ...(chance(0.5) && { back: SECONDS }) });
    if (chance(0.3)) overflowQueue(raw, name, second());
  }
  if (chance(0.3)) raw.database = without(raw.database, 2, second());
  if (isBalanced) {
    for (const said of some(Object.values(SAID))) logError(raw, [second(), second()], said);
    for (const { id } of some(raw.accessLines.filter((line) => line.id !== ''))) {
      const connection = raw.accessLines.find((line) => line.id === id)?.connection;
      raw.errorLines.push({
        t: FROM + second(),
        level: 'error',
        connection,
        text: `${oneOf(Object.values(SAID))}, upstream: "http://10.0.0.1:3000/"`,
      });
    }
    if (chance(0.5)) bench(raw, second(), oneOf(['app-1', 'app-2']), oneOf([SAID.reset, SAID.refused, SAID.timeout]));
    if (chance(0.4)) raw.balancerStatus[2].handled -= upTo(60);
  }
  // k6 may have left no name of some.
  if (chance(0.3)) raw.failures.splice(0, upTo(5));
  return raw;
}
