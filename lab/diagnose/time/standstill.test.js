import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preloaded } from '../fixtures/preload-cases.js';
import { edgeLine, system } from '../fixtures/project-cases.js';
import { projectWire, REQUESTS } from '../fixtures/project-wire.js';
import { factsOf, recordOf } from '../fixtures/record.js';
import { SECONDS } from '../fixtures/story.js';
import { resultOf } from '../result.js';
import { timelineOf } from './seconds.js';
import { onsetInterval, onsetOf, standstillIn, stoodIn, stoodText, unreportedTimes } from './standstill.js';
import { timeLedgerOf } from './time-ledger.js';

/** @typedef {import('./standstill.js').AskedSecond} AskedSecond */

/**
 * A closed load: users who wait for an answer and ask again.
 * @param {number} length  seconds
 * @param {(t_s: number) => Partial<AskedSecond>} tell
 * @returns {AskedSecond[]}
 */
const load = (length, tell) =>
  Array.from({ length }, (_, index) => {
    const second = { t_s: index + 1, good: 0, failed: 0, begun: 0, waiting: 0, users: 50, ...tell(index + 1) };
    return { demand: second.users, ...second };
  });

const WELL = { good: 200, waiting: 50 };

test('a system that answers nobody from a second on has stopped, however few requests fail', () => {
  const found = standstillIn(
    load(90, (t_s) => (t_s <= 11 ? WELL : t_s <= 60 ? { waiting: 50 } : { users: 0, failed: t_s === 90 ? 50 : 0 })),
    60,
  );
  assert.deepEqual(found, { kind: 'stopped', intervals: [{ from_s: 11, to_s: 60 }], end_s: 60 });
});

test('one that refuses everybody at once has stopped as well', () => {
  const found = standstillIn(
    load(60, (t_s) => (t_s <= 11 ? WELL : { failed: 4000 })),
    60,
  );
  assert.deepEqual(found?.intervals, [{ from_s: 11, to_s: 60 }]);
});

test('a system that never answered well says so, and one that nobody asked says nothing', () => {
  const never = standstillIn(
    load(10, () => ({ failed: 3 })),
    10,
  );
  assert.deepEqual(never, { kind: 'never', intervals: [{ from_s: 0, to_s: 10 }], end_s: 10 });
  assert.equal(
    standstillIn(
      load(10, () => ({})),
      10,
    ),
    null,
  );
});

test('one that came back has, with when it stood each time', () => {
  const silent = (/** @type {number} */ t_s) => (t_s > 20 && t_s <= 31) || (t_s > 40 && t_s <= 45);
  const found = standstillIn(
    load(60, (t_s) => (silent(t_s) ? { waiting: 50 } : WELL)),
    60,
  );
  assert.deepEqual(found, {
    kind: 'came-back',
    intervals: [
      { from_s: 20, to_s: 31 },
      { from_s: 40, to_s: 45 },
    ],
    end_s: 60,
  });
  assert.deepEqual(found && onsetInterval(found), { from_s: 20, to_s: 31 });
  assert.deepEqual(found && onsetInterval({ ...found, kind: 'stopped' }), { from_s: 40, to_s: 45 });
  assert.deepEqual(
    [stoodIn(found, { from_s: 31, to_s: 40 }), stoodIn(found, { from_s: 30, to_s: 32 }), stoodIn(null, { from_s: 0, to_s: 9 })],
    [false, true, false],
  );
});

test('who is answered after the load has ended was answered: it came back', () => {
  const found = standstillIn(
    load(65, (t_s) => (t_s <= 50 ? WELL : t_s === 64 ? { good: 50 } : { waiting: 50, users: t_s <= 60 ? 50 : 0 })),
    60,
  );
  assert.deepEqual(found, { kind: 'came-back', intervals: [{ from_s: 50, to_s: 63 }], end_s: 60 });
});

test('a few that are still open when the load ends are no stop: nobody asks any more', () => {
  const found = standstillIn(
    load(90, (t_s) => (t_s <= 60 ? WELL : { users: 0, demand: 0, waiting: t_s < 90 ? 5 : 0, failed: t_s === 90 ? 5 : 0 })),
    60,
  );
  assert.equal(found, null);
});

test('a load of one request in five seconds does not stand still in between, and does when ten of them are missing', () => {
  const slow = (/** @type {number} */ until) =>
    standstillIn(
      load(120, (t_s) => ({ users: 1, demand: 0.2, ...(t_s % 5 === 0 && t_s <= until ? { good: 1 } : { waiting: 1 }) })),
      120,
    );
  assert.equal(slow(120), null);
  assert.equal(slow(90), null);
  assert.deepEqual(slow(60)?.intervals, [{ from_s: 60, to_s: 120 }]);
});

test('a user who waits five seconds for each answer sees no standstill', () => {
  const found = standstillIn(
    load(60, (t_s) => ({ users: 10, ...(t_s % 5 === 0 ? { good: 10 } : { waiting: 10 }) })),
    60,
  );
  assert.equal(found, null);
});

test('users who all think at once are no silence of the system, though one of them may fail meanwhile', () => {
  const found = standstillIn(
    load(60, (t_s) => (t_s > 20 && t_s <= 50 ? { failed: t_s === 30 ? 1 : 0 } : WELL)),
    60,
  );
  assert.equal(found, null);
});

test('two seconds are noise', () => {
  const silence = (/** @type {number} */ seconds) =>
    standstillIn(
      load(60, (t_s) => (t_s > 20 && t_s <= 20 + seconds ? { waiting: 50 } : WELL)),
      60,
    );
  assert.equal(silence(2), null);
  assert.deepEqual(silence(3)?.intervals, [{ from_s: 20, to_s: 23 }]);
});

test('of the first users of a ramp as much less is expected, and of the last', () => {
  const ramp = (/** @type {number} */ t_s) => (t_s <= 5 ? { users: 1, waiting: 1 } : { users: 500, good: 250, waiting: 500 });
  assert.equal(standstillIn(load(60, ramp), 60), null);
  const back = (/** @type {number} */ t_s) => (t_s > 55 ? { users: 1, waiting: 1 } : { users: 500, good: 250, waiting: 500 });
  assert.equal(standstillIn(load(60, back), 60), null);
});

test('what stands still again and again is found each time, for as long as it works in between', () => {
  const often = standstillIn(
    load(60, (t_s) => (t_s % 10 < 6 ? WELL : { waiting: 50 })),
    60,
  );
  assert.equal(often?.intervals.length, 6);
});

test('an interval lasts until the first good answer that is on record', () => {
  const found = standstillIn(
    load(60, (t_s) => (t_s > 20 && t_s <= 28 ? { waiting: 50 } : WELL)).filter(({ t_s }) => t_s < 27 || t_s > 28),
    60,
  );
  assert.deepEqual(found?.intervals, [{ from_s: 20, to_s: 28 }]);
});

test('seconds that are on no record are no silence', () => {
  const found = standstillIn(
    load(60, (t_s) => (t_s > 20 && t_s <= 24 ? { waiting: 50 } : WELL)).filter(({ t_s }) => t_s < 22 || t_s > 23),
    60,
  );
  assert.equal(found, null);
});

/** @typedef {import('./standstill.js').Standstill} Standstill */

/** @type {(kind: Standstill['kind'], ...intervals: [number, number][]) => Standstill} */
const stood = (kind, ...intervals) => ({ kind, intervals: intervals.map(([from_s, to_s]) => ({ from_s, to_s })), end_s: 60 });

/** @type {(standstill: Standstill | null, about?: object) => string | undefined} */
const textOf = (standstill, about = {}) => onsetOf(standstill, { failures: 9, ...about })?.text;

test('what stood at no time has no onset', () => {
  assert.equal(onsetOf(null, { failures: 9 }), null);
});

test('a stop is told from its last good answer on, with how long nobody came back', () => {
  assert.deepEqual(onsetOf(stood('stopped', [11, 60]), { failures: 9 }), {
    kind: 'stopped',
    from_s: 11,
    to_s: null,
    text: 'From second 11 on no request was answered well: service did not come back in the 49 seconds until the load ended.',
  });
  assert.equal(
    textOf(stood('stopped', [3, 8], [20, 31], [57, 60])),
    'From second 57 on no request was answered well, nor from second 3 to 8 and 20 to 31: service did not come back in the 3 seconds until the load ended.',
  );
});

test('what came back is told from when to when, the longest of several', () => {
  const one = onsetOf(stood('came-back', [20, 31]), { failures: 9 });
  assert.deepEqual(one, {
    kind: 'came-back',
    from_s: 20,
    to_s: 31,
    text: 'From second 20 to 31 no request was answered well; then service came back.',
  });
  const all = /** @type {const} */ ([
    [2, 5],
    [10, 16],
    [20, 31],
    [40, 44],
    [50, 53],
  ]);
  assert.equal(
    textOf(stood('came-back', ...all.map(([from, to]) => /** @type {[number, number]} */ ([from, to])))),
    'From second 10 to 16, 20 to 31, 40 to 44 and 2 more times no request was answered well; each time service came back.',
  );
  assert.equal(onsetOf(stood('came-back', [2, 5], [20, 31]), { failures: 9 })?.from_s, 20);
  assert.equal(textOf(stood('came-back', [0, 8])), 'Until second 8 no request was answered well.');
});

test('what never answered well is reported in the fewest words', () => {
  assert.deepEqual(onsetOf(stood('never', [0, 60]), { failures: 9 }), {
    kind: 'never',
    from_s: 0,
    to_s: null,
    text: 'No request was answered well.',
  });
});

test('where all were answered well in the end, nothing is said of bad answers', () => {
  assert.equal(textOf(stood('came-back', [20, 31]), { failures: 0 }), 'From second 20 to 31 no answer came; then service came back.');
  assert.equal(stoodText(stood('came-back', [20, 31]), false), 'From second 20 to 31 no answer came');
});

test('a fault that was there or had just been does not excuse the stop: both are said', () => {
  const fault = { text: 'kill db', began_s: 10.2, ended_s: 10.2 };
  const said = (/** @type {object} */ changed) => textOf(stood('stopped', [11, 60]), { faults: [{ ...fault, ...changed }] });
  assert.match(said({}) ?? '', / until the load ended\. "kill db" began at second 10\.$/);
  assert.match(said({ began_s: 2, ended_s: 30 }) ?? '', / "kill db" began at second 2\.$/);
  assert.match(said({ began_s: 11.4, ended_s: null }) ?? '', / "kill db" began at second 11\.$/);
  for (const other of [
    { began_s: 0.5, ended_s: 0.9 },
    { began_s: 12.1, ended_s: 20 },
    { began_s: null, ended_s: null },
  ])
    assert.doesNotMatch(said(other) ?? '', /kill/);
});

const ids = Array.from({ length: SECONDS }, (_, at) => `a${at}-0`);
/** A good answer a second, which HAProxy had for 19 ms: 2 ms waiting in its queue, 1 ms to connect, 16 ms behind it. */
const edge = ids.map((id, at) => edgeLine(id, at + 0.5, { status: 200, state: '----', timers: '0/2/1/16/19' })).join('');
/** The program's own record of them: each was there for 10 ms. */
const lines = ids.flatMap((id, at) => [`+${id} ${at * 1000 + 485}`, `-${id} ${at * 1000 + 495} 200`]);

/** @param {(raw: import('../fixtures/story.js').Raw) => void} change */
function timeIn(change) {
  const raw = recordOf({ balanced: true });
  change(raw);
  // As the manifest of a user's own system has it.
  raw.manifest.system = { title: 'shop', is_followed: true };
  const facts = factsOf(raw);
  const stages = /** @type {any[]} */ ([{ target: 3, from_s: 0, to_s: SECONDS }]);
  const found = timeLedgerOf(facts, timelineOf(raw, facts.window), stages);
  const labels = found?.parts.map(({ id, label, waits }) => `${label}${waits ? ' (waits)' : ''}: ${found.stages[0].parts[id]}`);
  return { labels, check: found?.check, unreported: unreportedTimes(facts) };
}

test('of a system of one’s own the proxy’s record tells its own time, connecting, and what is behind it together', () => {
  const { labels, check, unreported } = timeIn(system({ edge }));
  assert.deepEqual(labels, [
    'user connects (waits): 0',
    'between client and first tier (waits): 1',
    'in edge: 2',
    'edge connects (waits): 1',
    'in web, pool, store, not told apart: 16',
  ]);
  assert.deepEqual(check, { sum_ms: 19, measured_ms: 20, gap_fraction: 0.05 });
  assert.deepEqual(unreported, ['web: how long it had a request is not on record, for the lab knows no product in it']);
});

test('a program whose record tells too is told apart from the wait before it', () => {
  const { labels, unreported } = timeIn(preloaded({ edge }, { lines }));
  assert.deepEqual(labels?.slice(2), [
    'in edge: 2',
    'edge connects (waits): 1',
    'between edge and web (waits): 6',
    'in web, pool, store behind it included: 10',
  ]);
  assert.deepEqual(unreported, []);
});

test('a program that users ask themselves is the first that tells', () => {
  const { labels } = timeIn((raw) => {
    preloaded({}, { lines })(raw);
    raw.manifest.services = raw.manifest.services.filter((/** @type {any} */ { name }) => name !== 'edge');
    raw.adapted = raw.adapted.filter(({ service }) => service !== 'edge');
    raw.manifest.edges = [
      ['k6', 'web'],
      ['web', 'pool'],
      ['pool', 'store'],
    ].map(([from, to]) => ({ from, to }));
  });
  assert.deepEqual(labels, [
    'user connects (waits): 0',
    'between client and first tier (waits): 10.82',
    'in web, pool, store behind it included: 9.18',
  ]);
});

test('a program between two that tell is reported with the wait for the next one', () => {
  const { labels } = timeIn((raw) => {
    preloaded({ edge }, { lines })(raw);
    raw.manifest.services.splice(1, 0, { ...raw.manifest.services[1], service: 'gate', name: 'gate', address: '10.0.1.7' });
    raw.manifest.edges = [
      ['k6', 'edge'],
      ['edge', 'gate'],
      ['gate', 'web'],
      ['web', 'pool'],
      ['pool', 'store'],
    ].map(([from, to]) => ({ from, to }));
  });
  assert.deepEqual(labels?.slice(4), ['in gate or before web, not told apart: 6', 'in web, pool, store behind it included: 10']);
});

test('where the service that users talk to tells nothing there is no time, and it is said which level would tell it', () => {
  const { labels, unreported } = timeIn(system({ isWatched: false }));
  assert.equal(labels, undefined);
  assert.deepEqual(unreported, [
    'edge: how long it had each request it tells at watch: 2 (in doubletake.yaml); it was watched at 0',
    'web: how long it had a request is not on record, for the lab knows no product in it',
  ]);
});

test('a failed answer is in no time of good ones', () => {
  const failed = edgeLine('a9-9', 4.5, { status: 500, state: '----', timers: '0/0/1/8998/9000' });
  assert.deepEqual(timeIn(system({ edge: edge + failed })).labels, timeIn(system({ edge })).labels);
});

test('where a service does not tell, the wire has each apart, and its parts sum to what users waited', () => {
  const { source, labels, check, unreported } = timeOnWire(projectWire());
  assert.equal(source, 'wire');
  assert.deepEqual(labels, [
    'user connects: 0',
    'between client and first tier: 1',
    'in edge: 3',
    'in web: 10',
    'in pool: 2',
    'in store: 4',
  ]);
  assert.deepEqual(check, { sum_ms: 19, measured_ms: 20, gap_fraction: 0.05 });
  assert.deepEqual(unreported, []);
});

test('what was asked in a way that the wire does not read is in the time of who asked, and is said to be', () => {
  const wire = projectWire();
  const toStore = new Set(wire.connections.filter(({ server }) => server === 'store').map(({ id }) => id));
  for (const connection of wire.connections) if (toStore.has(connection.id)) Object.assign(connection, { hidden_bytes: 99 });
  wire.calls = wire.calls.filter(({ connection }) => !toStore.has(connection));
  assert.equal(timeOnWire(wire).labels?.at(-1), 'in pool, store behind it included: 6');
});

test('a service has the name that its figures have, whatever Compose calls it, and its containers are one', () => {
  const wire = projectWire();
  for (const tenure of wire.services) if (tenure.name !== 'web') tenure.service = `2a-${tenure.name}`;
  wire.services.push({ ...wire.services[3], address: 'other', name: 'web-2', container: 'web-2' });
  assert.deepEqual(
    timeOnWire(wire)
      .labels?.slice(2)
      .map((label) => label.split(':')[0]),
    ['in edge', 'in web', 'in pool', 'in store'],
  );
});

/** @param {import('../../wire/record.js').WireRecord} wire */
function timeOnWire(wire) {
  const raw = { ...recordOf({ balanced: true, okPerS: REQUESTS / SECONDS }), wire };
  system({ edge })(raw);
  raw.manifest.system = { title: 'shop', is_followed: true };
  const { time_ledger: found, time_untold: unreported } = resultOf(raw);
  const labels = found?.parts.map(({ id, label }) => `${label}: ${found.stages[0].parts[id]}`);
  return { source: found?.source, labels, check: found?.check, unreported };
}
