import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../define/errors.js';
import { listen } from '../fixtures/reporter.js';
import { adviceOf, bore, chooseOwn, namedIn, selftestOwn } from './own.js';
import { failedScore } from './score.js';

const KNOWN = ['control', 'lb.short-queue', 'store.locked-table'];

/** @type {import('../define/project-schema.js').Project} */
const PROJECT = {
  compose: ['compose.yaml'],
  entry: 'http://lb:8000/',
  services: { store: { tier: 'database', product: 'postgres', watch: 1 } },
  edges: [],
  load: { urls: ['GET /'] },
};

test('every fault is tried after a run without one, or those that are named', () => {
  assert.deepEqual(chooseOwn('all', KNOWN), KNOWN);
  assert.deepEqual(chooseOwn('store.locked-table', KNOWN), ['control', 'store.locked-table']);
  assert.deepEqual(chooseOwn('lb.short-queue,control', KNOWN), ['control', 'lb.short-queue']);
});

test('a fault that is not known is refused, with those that are', () => {
  assert.throws(
    () => chooseOwn('lb.short-queue,lb.long-queue', KNOWN),
    (error) => error instanceof NotReadyError && /store\.locked-table; found "lb\.long-queue"/.test(error.message),
  );
});

test('thresholds of the user’s are refused: each fault says itself what is to be found', async () => {
  await assert.rejects(
    selftestOwn('/shop', { EXPECT: 'failure_rate<1' }, { allowData: false, ...listen().around }),
    /^NotReadyError: EXPECT/,
  );
});

test('a demand on a service is one on its containers', () => {
  const services = [
    { service: 'web', name: 'web-1', tier: 'app' },
    { service: 'web', name: 'web-2', tier: 'app' },
    { service: 'store', name: 'store', tier: 'database' },
  ];
  const demand = namedIn(
    {
      expected: [
        { tier: 'app', cause: 'app-crashed', services: ['web'] },
        { tier: 'database', cause: 'database-slow' },
      ],
      near_misses: [{ ids: ['ended'], services: ['web'] }],
    },
    services,
  );
  assert.deepEqual(
    demand.expected?.map((one) => one.services),
    [['web-1', 'web-2'], undefined],
  );
  assert.deepEqual(demand.near_misses, [{ ids: ['ended'], services: ['web-1', 'web-2'] }]);
});

test('a fault that the system bore leaves nothing to diagnose; one that has to be said all the same does', () => {
  const expected = [{ tier: /** @type {const} */ ('app'), cause: 'app-crashed' }];
  assert.equal(bore({ expected, least: 1 }, 0), true);
  assert.equal(bore({ expected, least: 1 }, 1), false);
  assert.equal(bore({ expected, least: 0, near_misses: [{ ids: ['ended'], services: ['web'] }] }, 0), false);
  assert.equal(bore({ expected: [] }, 0), false);
});

/** @param {{ right?: number, unattributed?: number, watch?: 1 | 2 }} given */
function adviceFor({ right = 0, unattributed = 0, watch = 1 }) {
  const project = { ...PROJECT, services: { store: { ...PROJECT.services.store, watch } } };
  const how = /** @type {any} */ ({ told: { level: 2, gives: 'statements that take long' } });
  const ledger = /** @type {any} */ ({ unattributed_reason: 'no record explains what k6 saw' });
  const again = { command: 'doubletake run', why: 'again, for this run says nothing of the system' };
  const tryNext = [again, { command: 'lb: { watch: 2 } in doubletake.yaml', why: 'each request is then on record there' }];
  const score = { ...failedScore('store.locked-table', ''), failures: 100, right, unattributed };
  return adviceOf(score, { ledger, try_next: tryNext, command: again.command }, { service: 'store', how }, project);
}

test('where the ledger cannot know better, it is said why and what level would change it', () => {
  assert.deepEqual(adviceFor({ unattributed: 100 }), [
    'unattributed: no record explains what k6 saw',
    'write store: { watch: 2 } in doubletake.yaml: it then tells statements that take long',
    'write lb: { watch: 2 } in doubletake.yaml: each request is then on record there',
  ]);
  // It is watched at that level already.
  assert.ok(!adviceFor({ watch: 2 }).some((text) => text.startsWith('write store')));
});

test('a fault that was diagnosed rightly needs no advice', () => {
  assert.deepEqual(adviceFor({ right: 95, unattributed: 5 }), []);
});
