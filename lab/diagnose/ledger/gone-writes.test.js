import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, factsOf, recordOf } from '../fixtures/record.js';
import { goneWrites } from './gone-writes.js';

/** @param {Partial<import('../../record/result.js').Writes>} [more] */
const writesWith = (more) => ({
  acknowledged: 2757,
  persisted: 2757,
  unacknowledged: 0,
  lost: 0,
  duplicated: /** @type {number | null} */ (0),
  ...more,
});

/** @param {Partial<import('../../record/result.js').Queue>} [more] */
const queueWith = (more) =>
  /** @type {import('../../record/result.js').Queue} */ ({ accepted: 1000, failed: 0, left: 0, lost: 0, ...more });

const BY_COUNT = { duplicated: null };
const UNKNOWN = { acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null };

/** @param {string[]} ended */
function factsWith(ended, queued = false) {
  const raw = recordOf();
  for (const name of ended) endService(raw, name, 5, { back: 8 });
  if (queued) {
    raw.manifest.services.push({ name: 'redis', tier: 'queue', product: 'redis', watch: 1 });
    raw.queued = { workers: ['app-1'], put: new Map(), taken: new Map() };
  }
  return factsOf(raw);
}

test('that none is gone is known by ids alone; equal counts, and no counts, say nothing', () => {
  const countOf = (/** @type {any} */ writes, /** @type {any} */ queue = null) => goneWrites(factsWith([]), writes, queue).count;
  assert.deepEqual([countOf(writesWith()), countOf(writesWith(BY_COUNT)), countOf(UNKNOWN)], [0, null, null]);
  assert.deepEqual([countOf(writesWith(), queueWith()), countOf(writesWith(BY_COUNT), queueWith())], [0, null]);
  // Nobody asked the queue what was left in it.
  assert.equal(countOf(writesWith({ lost: 3 }), queueWith({ left: null, lost: null })), null);
  assert.equal(countOf(writesWith({ lost: null }), queueWith()), null);
});

test('by ids it is as many as are gone, and by count at least so many', () => {
  const exact = goneWrites(factsWith([]), writesWith({ lost: 9 }), null);
  assert.deepEqual([exact.count, exact.at_least], [9, false]);
  assert.match(exact.text, /^9 acknowledged writes are gone: users were told that they were done, and the database does not hold them\.$/);
  const counted = goneWrites(factsWith([]), writesWith({ ...BY_COUNT, lost: 1 }), null);
  assert.deepEqual([counted.count, counted.at_least], [1, true]);
  assert.match(counted.text, /^At least 1 acknowledged write is gone: users were told that it was done, /);
});

test('of a queue those that were lost and those that failed are gone, and what is left in it is not', () => {
  const textOf = (/** @type {any} */ queue, writes = writesWith()) => goneWrites(factsWith([]), writes, queueWith(queue)).text;
  assert.equal(textOf({ failed: 2 }), '2 accepted writes are gone: they failed when they were to be done.');
  assert.equal(
    textOf({ failed: 10, lost: 50, left: 40 }),
    '60 accepted writes are gone: 50 were lost, 10 failed when they were to be done.',
  );
  assert.equal(textOf({ lost: 1 }), '1 accepted write is gone: 1 was lost.');
  assert.equal(
    textOf({ failed: 2, lost: null, left: null }),
    'At least 2 accepted writes are gone: 2 failed when they were to be done, how many more were lost is not known.',
  );
  // By ids three are neither stored nor left, where a duplicate hid one of them from the count.
  const { count } = goneWrites(factsWith([]), writesWith({ lost: 7, duplicated: 1 }), queueWith({ lost: 2, left: 4 }));
  assert.equal(count, 3);
});

test('what to do is of what ended, by its product, and of what the workers could not do; else that nothing on record explains it', () => {
  const of = (/** @type {string[]} */ ended, /** @type {any} */ queue = null) =>
    goneWrites(factsWith(ended, queue !== null), writesWith({ lost: 9 }), queue === null ? null : queueWith(queue)).to_do;
  assert.match(of(['mongo']).join('|'), /^mongo ended: acknowledge a write when it is in the journal .*j: true.*\.$/);
  assert.match(of([]).join('|'), /^no database or queue ended in this run: [^|]*\.$/);
  assert.match(of(['app-1']).join('|'), /^no database or queue ended/);
  // Mongo was away, and what it had acknowledged is there: the worker did not keep what it could not write.
  const failed = goneWrites(factsWith(['mongo'], true), writesWith({ lost: 2 }), queueWith({ failed: 2 }));
  assert.match(failed.to_do.join('|'), /^let the worker put back, or keep aside, [^|]*\.$/);
  assert.match(of(['app-1'], { lost: 9 }).join('|'), /^let the worker put back/);
  assert.deepEqual(goneWrites(factsWith(['mongo']), writesWith(), null).to_do, []);
});

test('a queue that was killed is to keep what it accepted', () => {
  const raw = recordOf();
  raw.manifest.services.push({ name: 'redis', tier: 'queue', product: 'redis', watch: 1 });
  raw.queued = { workers: ['app-1'], put: new Map(), taken: new Map() };
  const facts = { ...factsOf(raw), deaths: /** @type {any} */ ([{ name: 'redis' }]) };
  assert.match(goneWrites(facts, writesWith({ lost: 9 }), queueWith({ lost: 9 })).to_do.join('|'), /^redis ended: .*appendfsync always/);
});
