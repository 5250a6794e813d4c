import assert from 'node:assert/strict';
import { test } from 'node:test';
import { droppedInVain } from './dropped-in-vain.js';

/** @typedef {Parameters<typeof droppedInVain>[1]} About */

/** 100 arrivals a second and 200 users, of whom all are taken from second 4 on. @param {Partial<About> & { dropped?: number, shape?: object, share?: number }} [changed] */
function inVain({ dropped = 700, shape = {}, share = 0.2, ...about } = {}) {
  const raw = {
    manifest: {
      shape: { model: 'open', unit: 'rps', usersMost: 200, stages: [{ duration_s: 10, target: 100, held: true }], ...shape },
      services: [{ name: 'k6', tier: 'generator' }],
    },
  };
  const seconds = Array.from({ length: 10 }, (_, index) => index + 1);
  const asked = seconds.map((t_s) => ({
    ...{ t_s, good: t_s <= 2 ? 100 : 0, failed: 0, begun: 0, waiting: 0, demand: 100 },
    users: t_s <= 2 ? 3 : Math.min(200, (t_s - 2) * 100),
  }));
  return droppedInVain(/** @type {any} */ ({ raw, generator: { droppedArrivals: dropped } }), {
    standstill: { kind: 'stopped', spells: [{ from_s: 2, to_s: 10 }], end_s: 10 },
    asked,
    cpu: { k6: seconds.map(() => share) },
    timeline: /** @type {any[]} */ (seconds.map((t_s) => ({ t_s }))),
    ...about,
  });
}

test('arrivals that found no user while all of them waited for a system that stood still were dropped in vain', () => {
  assert.equal(inVain(), 700);
  assert.equal(inVain({ dropped: 0 }), 0);
});

test('where the system did not stand still, the generator had too few users', () => {
  assert.equal(inVain({ standstill: null }), 0);
  // Of the seven seconds from 4 on it stood still in four.
  assert.equal(inVain({ standstill: { kind: 'came-back', spells: [{ from_s: 2, to_s: 7 }], end_s: 10 } }), 400);
  assert.equal(inVain({ asked: null }), 0);
});

test('where users were free, or the generator was at its quota, it is the generator that could not begin them', () => {
  assert.equal(inVain({ shape: { usersMost: 400 } }), 0);
  assert.equal(inVain({ share: 1 }), 0);
});

test('a script has as many users as its stages have at most', () => {
  const of = (/** @type {number} */ target) => inVain({ shape: { model: 'closed', unit: 'users', stages: [{ duration_s: 10, target }] } });
  assert.deepEqual([of(200), of(400)], [700, 0]);
});
