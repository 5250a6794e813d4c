import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seen } from '../wire/fixtures/seen.js';
import { observedOf } from '../wire/observed.js';
import { entriesOf, mostReaching, reachedFrom } from './observe.js';
import { PLACEHOLDER } from './project-schema.js';

const ENTRIES = [
  { service: 'result', url: 'http://result:80/' },
  { service: 'vote', url: 'http://vote:80/' },
];
const proposal = { services: {}, edges: [], entries: ENTRIES };
const root = [{ method: 'GET', path: '/' }];
/** @type {import('./project-schema.js').Project} */
const PROJECT = { compose: ['compose.yaml'], entry: 'http://result:80/', services: {}, edges: [], load: PLACEHOLDER };

test('each service at which users could enter is asked, unless its user chose one or says what to ask for', () => {
  assert.deepEqual(entriesOf(PROJECT, { requests: root, proposal }), ENTRIES);
  assert.deepEqual(entriesOf({ ...PROJECT, entry: 'http://vote:80/' }, { requests: root, proposal }), [ENTRIES[1]]);
  assert.deepEqual(entriesOf(PROJECT, { requests: [{ method: 'GET', path: '/sums' }], proposal }), [ENTRIES[0]]);
  assert.deepEqual(entriesOf({ ...PROJECT, load: { script: 'load.js' } }, { requests: [], proposal }), [ENTRIES[0]]);
});

test('users come in where a request needs the most services, and where that is the same, where it was proposed', () => {
  const at = [1050, 1052, 1054];
  const later = (/** @type {number} */ s) => at.map((moment) => moment + s);
  const { record } = new Seen({ result: ['result'], vote: ['vote'], votes: ['votes'], rows: ['rows'] })
    .asks('host', 'result', { at: later(20), lastS: 0.1 })
    .asks('host', 'vote', { at, lastS: 0.1 })
    .asks('vote', 'votes', { protocol: 'redis', at: later(0.02) })
    .asks('result', 'rows', { protocol: 'postgres', at: Array.from({ length: 100 }, (_, index) => 1000.5 + index) });
  const seen = ENTRIES.map((entry) => ({ entry, observed: observedOf(record, { entry: entry.service, generator: 'load' }) }));
  assert.deepEqual(mostReaching(seen).map(reachedFrom), [['vote', 'votes'], ['result']]);
  assert.deepEqual(
    mostReaching([seen[0], seen[0]]).map(({ entry }) => entry.service),
    ['result', 'result'],
  );
});
