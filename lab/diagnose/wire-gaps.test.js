import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from './joins/fixtures/made.js';
import { wireApart } from './validity/wire-doubts.js';
import { gapsOf, gapText } from './wire-gaps.js';

const COUNTERS = { packets: 9, unread: 0, stray: 0, datagrams: 0, first_at: 0, last_at: 9, is_cut: false, broken: '' };
const WHOLE = { unseen: '', ended_early: '', dropped: 0, cpu_s: 0, counters: COUNTERS, hosts: [] };
const NETWORKS = { front: ['k6', 'lb', 'web'], back: ['web', 'db', 'queue'] };
const EXPECTED = [
  { from: 'k6', to: 'lb' },
  { from: 'lb', to: 'web' },
  { from: 'web', to: 'db' },
  { from: 'web', to: 'queue' },
];

/** Two networks; the name of a service is its address on the first, and on the other with a mark. @param {Partial<import('../wire/record.js').NetworkRecord>} [back] */
function recorded(back = {}) {
  const made = new Made();
  made.call('k6 lb', 1, 2);
  made.call('lb web', 1, 2);
  made.call('web* db*', 1, 2);
  made.record.networks = [
    { network: 'front', ...WHOLE },
    { network: 'back', ...WHOLE, ...back },
  ];
  made.record.services = Object.entries(NETWORKS).flatMap(([network, names]) =>
    names.map((name) => ({
      address: network === 'front' ? name : `${name}*`,
      network,
      ...{ service: name, name, container: name, from: 0, to: null },
    })),
  );
  return made.record;
}

/** @param {import('../wire/record.js').WireRecord} record */
const told = (record) => gapsOf(record, EXPECTED).map((gap) => [gap.kind, gapText(gap)]);

test('a whole record has no gap', () => {
  assert.deepEqual(told(recorded()), []);
});

test('what was lost of a network names the edges on it, seen or only known, and no other', () => {
  const missing = 'calls may be missing on web → db, web → queue';
  for (const [back, kind, text] of /** @type {const} */ ([
    [{ dropped: 3 }, 'dropped', '3 packets of back were dropped by the kernel'],
    [{ dropped: 1 }, 'dropped', '1 packet of back was dropped by the kernel'],
    [{ dropped: null }, 'dropped', 'whether packets of back were dropped is not known'],
    [{ ended_early: 'it had reached its limit' }, 'ended', 'the recording of back ended before the load: it had reached its limit'],
    [{ counters: { ...COUNTERS, is_cut: true } }, 'ended', 'the capture of back ends within a packet'],
    [{ unseen: 'no bridge' }, 'unseen', 'back was not recorded: no bridge'],
  ]))
    assert.deepEqual(told(recorded(back)), [[kind, `${text}; ${missing}`]]);
});

test('a record that does not say which network an address is of may miss calls on any edge', () => {
  const record = recorded({ dropped: 3 });
  for (const tenure of record.services) delete tenure.network;
  assert.match(told(record)[0][1], /missing on k6 → lb, lb → web, web → db, web → queue$/);
});

test("edges of a service on the machine's own network, and those of a network that others have too, are named", () => {
  const record = recorded();
  record.services = record.services.filter(({ name }) => name !== 'queue');
  const unseen = { ...WHOLE, dropped: null, counters: null };
  record.networks.push(
    { ...unseen, network: 'host', unseen: "queue is on the machine's own network", members: ['queue'] },
    { ...unseen, network: 'edge', unseen: "the network edge is not of the run's making", members: ['web', 'lb'] },
  );
  assert.deepEqual(told(record), [
    ['unseen', "queue is on the machine's own network; calls may be missing on web → queue"],
    ['unseen', "the network edge is not of the run's making; calls may be missing on lb → web"],
  ]);
});

test('connections that were there before the recording, and those that a decoder gave up, are named by their edges', () => {
  const record = recorded();
  Object.assign(record.connections[1], { midway: true });
  Object.assign(record.connections[2], { fault: 'TypeError' });
  assert.deepEqual(told(record), [
    ['late', 'the beginning of 1 connection was not recorded; calls may be missing on lb → web'],
    ['unread', 'the decoder of http failed in 1 connection; calls may be missing on web → db'],
  ]);
});

test('an edge of many is named with the first of them', () => {
  const edges = Array.from({ length: 9 }, (_, index) => ({ from: 'lb', to: `web-${index}` }));
  assert.match(gapText({ kind: 'dropped', text: 'lost', edges }), /web-5 and 3 more$/);
});

test('a difference between records is a doubt of the run only on an edge of which the wire has all', () => {
  const compared = EXPECTED.map(({ from, to }) => ({
    ...{ from, to, what: `sent by ${from}`, unit: /** @type {const} */ ('requests'), wire: 90, other: 100 },
    ...{ source: 'log', explained: [], left: 10, holds: false },
  }));
  const doubted = (/** @type {Parameters<typeof recorded>[0]} */ back = {}) => {
    const record = recorded(back);
    const wire = {
      edges: [],
      no_host: [],
      networks: record.networks.map(({ network: name }) => ({ name, packets: 9, dropped: 0, cpu_s: 0 })),
    };
    return wireApart({
      wire: { ...wire, doubts: [], gaps: gapsOf(record, EXPECTED), compared },
      facts: { generator: { name: 'k6', failed: 100 } },
    }).map(({ rule }) => rule);
  };
  assert.deepEqual(doubted(), ['wire: k6 lb', 'wire: lb web', 'wire: web db', 'wire: web queue']);
  assert.deepEqual(doubted({ dropped: 2 }), ['wire: k6 lb', 'wire: lb web']);
});
