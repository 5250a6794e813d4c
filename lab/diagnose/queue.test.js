import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '../../k6/lib/shapes.js';
import { disturbedIn, faultEffects, leftByWarmup, queueOf, withCompleted, workersOf } from './queue.js';

const FROM = 1000;
const window = { from: FROM, to: FROM + 3, warmupFrom: FROM - 5 };

/** @type {(node: string, received: number, ended: number | null, status: number | null) => import('./ledger/traces.js').Attempt} */
const attempt = (node, received, ended, status) => ({
  node,
  received: FROM + received,
  ended: ended === null ? null : FROM + ended,
  outcome: ended === null ? 'open' : 'answered',
  status,
  error: '',
  place: '',
});

/** @param {Record<string, [accepted: number, taken?: number, done?: number | null, status?: number]>} writes  seconds of the load, by id */
function factsOf(writes, { left = /** @type {number | null} */ (0), documents = /** @type {number | null} */ (0) } = {}) {
  const put = new Map(Object.entries(writes).map(([id, [at]]) => [id, [attempt('app-1', at - 0.01, at, 202)]]));
  const taken = new Map(
    Object.entries(writes).flatMap(([id, [, at, done = null, status = 200]]) =>
      at === undefined ? [] : [[id, [attempt('consumer', at, done, done === null ? null : status)]]],
    ),
  );
  return /** @type {any} */ ({
    raw: { queued: { workers: ['consumer'], put, taken }, manifest: { drained: { left } } },
    window,
    database: { documents, answered: [FROM - 1] },
  });
}

test('workers are whom a queue hands its messages to', () => {
  const services = [
    { name: 'redis', tier: 'queue' },
    { name: 'app-1', tier: 'app' },
    { name: 'consumer', tier: 'app' },
  ];
  const edges = [
    { from: 'app-1', to: 'redis' },
    { from: 'redis', to: 'consumer' },
  ];
  assert.deepEqual(workersOf({ edges, services }), ['consumer']);
  assert.deepEqual(workersOf({ services }), []);
  const others = services.map((service) => ({ ...service, product: 'opaque' }));
  assert.deepEqual(workersOf({ edges, services: others }), []);
});

test('a write is followed to its end: done in the load or after it, with what it waited', () => {
  const queue = queueOf(factsOf({ a: [0.5, 0.6, 0.7], b: [1, 2.2, 2.5], c: [2.5, 3.5, 4.5] }, { documents: 3 }));
  assert.deepEqual([queue?.accepted, queue?.completed, queue?.completed_in_load, queue?.lost, queue?.drained_after_s], [3, 3, 2, 0, 1.5]);
  assert.deepEqual([queue?.lag_ms.p50, queue?.lag_ms.max], [1500, 2000]);
  // b waits at the ends of seconds 1 and 2, c at that of 3.
  assert.deepEqual(
    [queue?.backlog, queue?.oldest_s],
    [
      [1, 1, 1],
      [0, 1, 0.5],
    ],
  );
});

test('what is not stored, not failed and not in the queue is lost', () => {
  const writes = { a: [0.5, 0.6, 0.7], b: [1, 1.1, 1.2, 500], c: [1.5, 1.6], d: [2], e: [2.1] };
  const queue = queueOf(factsOf(/** @type {any} */ (writes), { left: 1, documents: 1 }));
  assert.deepEqual(
    [queue?.completed, queue?.failed, queue?.unlogged, queue?.left, queue?.lost, queue?.drained_after_s],
    [1, 1, 0, 1, 2, null],
  );
});

test('what is stored was done, though a worker that was killed left no line of it', () => {
  const queue = queueOf(factsOf({ a: [0.5, 0.6, 0.7], b: [1, 1.1], c: [2] }, { documents: 2 }));
  assert.deepEqual([queue?.completed, queue?.completed_in_load, queue?.unlogged, queue?.lost], [2, 1, 1, 1]);
});

test('where the queue or the database tells nothing, nobody knows what was lost', () => {
  assert.equal(queueOf(factsOf({ a: [1] }, { left: null, documents: 1 }))?.lost, null);
  assert.equal(queueOf(factsOf({ a: [1] }, { left: 0, documents: null }))?.lost, null);
});

test('what the warm-up had put in is none of the load’s', () => {
  const queue = queueOf(factsOf({ w1: [-2.8, -2.7, -2.6], a: [1, 1.1, 1.2], b: [2] }, { documents: 1 }));
  assert.deepEqual([queue?.accepted, queue?.completed, queue?.lost], [2, 1, 1]);
});

test('while it was still being done, nobody knows whose documents were counted', () => {
  const writes = { a: [1, 1.1, 1.2], b: [2] };
  // The database said a second before the load how many there were, and had counted them shortly before.
  for (const ended of [0.3, -0.5, -1.4]) {
    const queue = queueOf(factsOf(/** @type {any} */ ({ w1: [-2.8, -2.7, ended], ...writes }), { documents: 1 }));
    assert.deepEqual([queue?.accepted, queue?.completed, queue?.lost], [2, 1, null]);
  }
});

test('what the warm-up left is what was accepted in it and not done, in the queue or in hand', () => {
  const { raw } = factsOf({ w1: [-2, -1, -0.5], w2: [-2, -1, 0.5], w3: [-2, -1, null], w4: [-2], a: [1] });
  assert.equal(leftByWarmup(raw.queued, { window, at: FROM }), 3);
  assert.equal(leftByWarmup(raw.queued, { window, at: FROM - 1 }), 4);
});

test('in the timeline stands what was done, second by second', () => {
  const rows = /** @type {any} */ ([0, 1, 2, 3].map((t_s) => ({ t_s, warmup: t_s <= 0, goodput_rps: 9 })));
  const timeline = withCompleted(rows, factsOf({ a: [0.5, 0.6, 0.7], b: [1, 2.2, 2.5], c: [2, 2.3, 3, 500] }));
  assert.deepEqual(
    timeline.map(({ goodput_rps }) => goodput_rps),
    [9, 1, 0, 1],
  );
});

test('while a fault was there, good are the writes that were done', () => {
  const { raw } = factsOf({ a: [0.5, 0.6, 0.7], b: [1, 1.2, 1.5], c: [1.1, 2.3, 2.8] });
  const manifest = {
    faults: [{ text: 'pause mongo@1s+1s', at_s: 1, began_s: FROM + 1, ended_s: FROM + 2, failed: null }],
    load_began_s: FROM,
  };
  assert.deepEqual(disturbedIn({ ...raw, manifest, disturbed: [{ good: 700, failed: 3 }] }), [{ good: 1, failed: 3, finished: 703 }]);
  assert.deepEqual(disturbedIn({ ...raw, queued: null, manifest, disturbed: [{ good: 700, failed: 3 }] }), [{ good: 700, failed: 3 }]);
});

test('as many writes as a ramp makes can be followed', () => {
  const writes = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`r${index}`, [0.5, 0.6, 0.7]]));
  const queue = queueOf(factsOf(/** @type {any} */ (writes), { documents: 200_000 }));
  assert.deepEqual([queue?.completed, queue?.drained_after_s], [200_000, 0]);
});

/** @param {Record<number, [number, number]>} changed  good and failed of those seconds; 100 and 0 in all others */
const timelineOf = (changed, seconds = 40) =>
  Array.from({ length: seconds }, (_, index) => {
    const t_s = index + 1;
    const [good, failed] = changed[t_s] ?? [100, 0];
    return /** @type {import('../record/types.js').TimelineRow} */ (
      /** @type {unknown} */ ({ t_s, warmup: false, goodput_rps: good, failures_per_s: failed, throughput_rps: good + failed })
    );
  });

/** @type {(began: number | null, ended: number | null, more?: object) => any} */
const fault = (began, ended, more = {}) => ({
  text: 'pause mongo@20s+5s',
  at_s: began ?? 0,
  began_s: began === null ? null : FROM + began,
  ended_s: ended === null ? null : FROM + ended,
  failed: null,
  ...more,
});

/** @type {(faults: any[], timeline: ReturnType<typeof timelineOf>, given?: { shape?: object, disturbed?: { good: number, failed: number }[] | null, backlog?: number[] }) => import('../record/types.js').FaultEffect[]} */
const effectsOf = (faults, timeline, { shape, disturbed = null, backlog } = {}) =>
  faultEffects({ manifest: { faults, shape, load_began_s: FROM }, disturbed, nodes: {} }, timeline, backlog);

/** Seconds of a load with these good answers, the others with 100. @type {(from: number, to: number, good: number) => Record<number, [number, number]>} */
const span = (from, to, good) => Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [from + index, [good, 0]]));

test('a run without faults has no effects of any', () => assert.deepEqual(effectsOf([], timelineOf({})), []));

test('before and after are read from the seconds around it, during from the requests that ended while it was there', () => {
  const [effect] = effectsOf([fault(20.1, 25.1)], timelineOf({ 21: [0, 0], 26: [40, 10], 27: [80, 0] }), {
    disturbed: [{ good: 10, failed: 15 }],
  });
  assert.deepEqual(effect, {
    text: 'pause mongo@20s+5s',
    began_s: 20.1,
    ended_s: 25.1,
    failed: null,
    before: { seconds: 10, goodput_rps: 100, failure_rate: 0 },
    during: { goodput_rps: 2, failure_rate: 0.6 },
    recovered_after_s: 1.9,
    watched_after_s: 14.9,
    metastable: false,
    loop: null,
    later_rps: null,
    backlog: null,
  });
});

test('of a queue it is told when no more waited than before, though as many were done a second all along', () => {
  const backlog = Array.from({ length: 40 }, (_, index) => {
    const t = index + 1;
    if (t <= 20) return t % 2 === 0 ? 8 : 5;
    return t === 28 ? 7 : Math.max(4, 500 - 40 * (t - 20));
  });
  const [effect] = effectsOf([fault(20, 25)], timelineOf({}), { backlog });
  assert.equal(effect.recovered_after_s, 0);
  // Second 28 alone is no recovery; 33 is the first of those that last.
  assert.deepEqual(effect.backlog, { before: 8, most: 460, at_end: 4, recovered_after_s: 7 });
  const [never] = effectsOf([fault(20, 25)], timelineOf({}), { backlog: backlog.map((waiting, index) => (index < 20 ? waiting : 9)) });
  assert.deepEqual(never.backlog, { before: 8, most: 9, at_end: 9, recovered_after_s: null });
  // Of a second fault what the first had left waiting is not how it was before.
  const [, second] = effectsOf([fault(10, 15), fault(20, 25)], timelineOf({}), {
    backlog: backlog.map((n, index) => (index < 15 ? 900 : n)),
  });
  assert.equal(second.backlog?.before, 8);
});

test('a good second alone is no recovery, and one that does not come is none', () => {
  const [effect] = effectsOf([fault(20, 22)], timelineOf({ ...span(21, 40, 50), 30: [120, 0] }));
  assert.deepEqual([effect.recovered_after_s, effect.watched_after_s], [null, 18]);
});

test('what comes too early in the load, or too soon after another fault, has no before', () => {
  const timeline = timelineOf({});
  assert.equal(effectsOf([fault(2, 4)], timeline)[0].before, null);
  const [first, second] = effectsOf([fault(10, 12), fault(14, 15)], timeline);
  assert.deepEqual([first.before?.seconds, first.recovered_after_s, second.before], [10, 0, null]);
});

test('what begins while another one is there has no before', () => {
  const [, second] = effectsOf([fault(10, 30), fault(20, 22)], timelineOf({}));
  assert.equal(second.before, null);
});

test('where no request ended there is no share of failures, and what is over at once has no rate', () => {
  const [stood, killed] = effectsOf([fault(20, 22), fault(30, 30.05)], timelineOf({}), {
    disturbed: [
      { good: 0, failed: 0 },
      { good: 3, failed: 0 },
    ],
  });
  assert.deepEqual([stood.during, killed.during], [{ goodput_rps: 0, failure_rate: null }, null]);
});

test('a fault that was not put in has no effect, and says why', () => {
  const [effect] = effectsOf([fault(null, null, { failed: 'there is no container app-9 to kill' })], timelineOf({}));
  assert.deepEqual([effect.failed, effect.before, effect.during], ['there is no container app-9 to kill', null, null]);
  const ordered = effectsOf([fault(null, null, { text: 'later', at_s: 5 }), fault(3, 3, { text: 'earlier', at_s: 3 })], timelineOf({}));
  assert.deepEqual(
    ordered.map(({ text }) => text),
    ['earlier', 'later'],
  );
});

test('a surge is over when the load is as before, and what does not come back then is metastable', () => {
  const shape = shapes.surge({ RATE: '200' });
  const [back] = effectsOf([], timelineOf(span(21, 35, 40), 70), { shape });
  assert.deepEqual(
    [back.text, back.began_s, back.ended_s, back.recovered_after_s, back.metastable],
    ['surge to 200 requests a second', 20, 31, 4, false],
  );
  const [down] = effectsOf([], timelineOf(span(21, 70, 40), 70), { shape });
  assert.deepEqual([down.recovered_after_s, down.watched_after_s, down.metastable], [null, 39, true]);
  assert.deepEqual(down.loop, { arrivals_rps: 100, attempts_rps: 40, served_before_rps: 100, worked: null, in_vain: null });
});

test('users who wait for their answers, and a load that goes on changing, are not called metastable', () => {
  const stayedDown = timelineOf(span(21, 70, 40), 70);
  assert.equal(effectsOf([fault(20, 25)], stayedDown, { shape: shapes.steady({}) })[0].metastable, true);
  assert.equal(effectsOf([fault(20, 25)], stayedDown, { shape: shapes.open({}) })[0].metastable, false);
  assert.equal(effectsOf([fault(20, 25)], stayedDown, { shape: shapes.hold({}) })[0].metastable, false);
});

test('what came back for good is read long after its end, where the load goes on for so long', () => {
  const [back] = effectsOf([fault(20, 25)], timelineOf(span(21, 50, 10), 90));
  assert.deepEqual([back.recovered_after_s, back.later_rps], [25, 100]);
  const [down] = effectsOf([fault(20, 25)], timelineOf(span(21, 90, 10), 90));
  assert.equal(down.later_rps, 10);
  assert.equal(effectsOf([fault(20, 25)], timelineOf({}, 57))[0].later_rps, null);
});
