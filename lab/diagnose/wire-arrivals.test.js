import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causes } from '../record/causes.js';
import { BASES } from '../report/basis.js';
import { answerCases } from './fixtures/answer-cases.js';
import { connectionCases } from './fixtures/connection-cases.js';
import { heldCases } from './fixtures/held-cases.js';
import { ownCases } from './fixtures/own-cases.js';
import { preloadCases } from './fixtures/preload-cases.js';
import { factsOf, recordOf } from './fixtures/record.js';
import { Made } from './joins/fixtures/made.js';
import { linedOf } from './joins/lined.js';
import { placeAll } from './ledger/ledger.js';
import { heldAgainstWire } from './wire-arrivals.js';
import { failuresOnWire } from './wire-failures.js';
import { waysOf } from './wire-sides.js';

const COUNTERS = { packets: 9, unread: 0, stray: 0, datagrams: 0, first_at: 0, last_at: 9, is_cut: false, broken: '' };
const cases = [...answerCases, ...connectionCases, ...ownCases, ...preloadCases, ...heldCases];

/** A wire on which each service has its name for an address. @param {import('./fixtures/record.js').Raw} raw @param {number | null} dropped @param {Made} [made] */
function withWire(raw, dropped, { record } = new Made()) {
  record.networks = [{ network: 'run', unseen: '', ended_early: '', dropped, cpu_s: 0, counters: COUNTERS, hosts: [] }];
  record.services = raw.manifest.services.map((/** @type {{ name: string }} */ { name }) => ({
    ...{ address: name, network: 'run', service: name, name, container: name, from: 0, to: null },
  }));
  raw.wire = record;
  return raw;
}

/** @param {typeof cases[number]} one @param {number | null | undefined} dropped  undefined: nothing was recorded */
function placedIn({ story, change }, dropped) {
  const raw = recordOf(story);
  change?.(raw);
  if (dropped !== undefined) withWire(raw, dropped);
  const facts = factsOf(raw);
  return heldAgainstWire(placeAll(facts), facts);
}

/** @param {import('./ledger/place.js').Basis} basis */
const rank = (basis) => BASES.indexOf(basis);

test('with more packets dropped no basis becomes stronger, and what never arrived is proved on no edge that lost one', () => {
  let capped = 0;
  for (const one of cases) {
    const [whole, ...lossy] = [0, 1, 7, 1e6].map((dropped) => placedIn(one, dropped));
    let before = whole;
    for (const now of lossy) {
      for (const [index, { placement }] of now.entries()) {
        const earlier = before[index].placement;
        if (!placement || !earlier) continue;
        assert.deepEqual([placement.service, placement.cause], [earlier.service, earlier.cause]);
        for (const side of /** @type {const} */ (['where', 'why'])) {
          assert.ok(rank(placement[side]) >= rank(earlier[side]), one.sentence);
          if (causes[placement.cause].unarrived) assert.notEqual(placement[side], 'proved', one.sentence);
          if (placement[side] !== earlier[side]) capped += 1;
        }
      }
      before = now;
    }
  }
  assert.ok(capped > 20, `${capped}`);
});

test('without a loss, and without a record of the wire, each basis is as the records of services have it', () => {
  for (const one of cases) assert.deepEqual(placedIn(one, 0), placedIn(one, undefined), one.sentence);
});

test('whether packets were dropped is not known: then some may have been', () => {
  for (const one of cases) assert.deepEqual(placedIn(one, null), placedIn(one, 1), one.sentence);
});

/** k6 gave up; the balancer has a line of it and says that it had asked a node, which has none. @param {(made: Made, id: string, t: number) => void} pass */
function neverRead(pass) {
  const raw = recordOf({ balanced: true, kinds: { timeout: { 5: 1 } } });
  const [{ id, t }] = raw.failures;
  const made = new Made();
  pass(made, id, t);
  withWire(raw, 0, made);
  const facts = factsOf(raw);
  const spot = { tier: /** @type {const} */ ('app'), service: 'app-1', cause: 'never-read', amplifier: null };
  const all = facts.traces.map((trace) => ({
    trace,
    placement: { ...spot, where: /** @type {const} */ ('proved'), why: /** @type {const} */ ('proved') },
  }));
  const held = heldAgainstWire(all, facts);
  const ways = waysOf(linedOf(made.record), 0);
  return { why: held[0].placement?.why, failures: failuresOnWire(ways, facts, held) };
}

test('what the wire saw a service answer or pass on was read by it: the ledger does not prove otherwise, and both are told', () => {
  const asked = (/** @type {Made} */ made, /** @type {string} */ id, /** @type {number} */ t) => {
    made.call('k6 nginx', t - 3, t, { id, end: 'given-up', by: 'client', status: null });
    made.call('nginx app-1', t - 2.9, null, { id, end: 'open', by: null, status: null, first_at: null });
  };
  assert.equal(neverRead(asked).why, 'proved');
  const passedOn = neverRead((made, id, t) => {
    asked(made, id, t);
    made.call('app-1 mongo', t - 2.8, t - 2, { id });
  });
  assert.equal(passedOn.why, 'inferred');
  assert.deepEqual(
    passedOn.failures.apart.map(({ wire, ledger, count, arrived }) => [wire, ledger, count, arrived]),
    [['app-1', 'app-1', 1, true]],
  );
  assert.equal(passedOn.failures.agreed, 0);
  const answered = neverRead((made, id, t) => made.call('nginx app-1', t - 2.9, t - 1, { id }));
  assert.equal(answered.why, 'inferred');
  const tooLate = neverRead((made, id, t) => made.call('nginx app-1', t - 2.9, t + 4, { id }));
  assert.equal(tooLate.why, 'proved');
});
