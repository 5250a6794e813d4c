import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from './fixtures/made.js';
import { madeStack, scoresOf } from './fixtures/made-stack.js';
import { joinedOf } from './joined.js';

const SQL = { protocol: 'postgres', status: null, template: 'SELECT' };
const CACHED = { protocol: 'redis', status: null, template: 'GET' };

/** A stack in which each of two kinds was alone three times: /list asks the cache and then the database, /item the database alone. */
function known() {
  const made = new Made();
  for (let time = 0; time < 3; time += 1) {
    made.call('k6 web', time, time + 0.03, { template: '/list' });
    made.call('web cache', time + 0.001, time + 0.002, CACHED);
    made.call('web db', time + 0.003, time + 0.029, SQL);
    made.call('k6 web', time + 0.5, time + 0.53, { template: '/item' });
    made.call('web db', time + 0.501, time + 0.529, SQL);
  }
  return made;
}

test('a call that a kind was never seen to ask is of another, though it lies nearer', () => {
  const made = known();
  const list = made.call('k6 web', 10, 10.05, { template: '/list' });
  const item = made.call('k6 web', 10.001, 10.02, { template: '/item' });
  const cached = made.call('web cache', 10.0015, 10.003, CACHED);
  const [its, other] = [made.call('web db', 10.002, 10.0195, SQL), made.call('web db', 10.004, 10.0495, SQL)];
  const { parent } = joinedOf(made.record).joins;
  assert.deepEqual([parent[cached], parent[its], parent[other]], [list, item, list]);
});

test('a request that fails may stop early, and one may ask again what went wrong', () => {
  const made = known();
  const cut = made.call('k6 web', 10, 10.01, { template: '/list', status: 500, bad: true });
  const tried = made.call('k6 web', 10.0005, 10.09, { template: '/list' });
  const first = made.call('web cache', 10.001, 10.0095, { ...CACHED, bad: true });
  const [again, once] = [made.call('web cache', 10.0015, 10.02, { ...CACHED, bad: true }), made.call('web cache', 10.021, 10.05, CACHED)];
  const asked = made.call('web db', 10.051, 10.0895, SQL);
  const { parent } = joinedOf(made.record).joins;
  assert.deepEqual(
    [first, again, once, asked].map((call) => parent[call]),
    [cut, tried, tried, tried],
  );
});

test('what a kind asks is told where it was alone often enough, and of others nothing', () => {
  const made = known();
  const rare = made.call('k6 web', 20, 20.1, { template: '/rare' });
  const { askedAlone } = joinedOf(made.record).joins;
  assert.deepEqual([askedAlone(0, 'cache'), askedAlone(0, 'db'), askedAlone(3, 'cache'), askedAlone(rare, 'db')], [1, 1, 0, null]);
});

test('a request that began while another was there, or just after it, was not alone', () => {
  const made = new Made();
  for (let time = 0; time < 5; time += 1) {
    const one = made.call('k6 web', time, time + 0.1, { template: '/one' });
    assert.ok(one >= 0);
    made.call('k6 web', time + 0.05, time + 0.2, { template: '/two' });
    made.call('k6 web', time + 0.201, time + 0.3, { template: '/three' });
    made.call('web db', time + 0.21, time + 0.29, SQL);
  }
  const { askedAlone } = joinedOf(made.record).joins;
  assert.deepEqual([askedAlone(0, 'db'), askedAlone(1, 'db'), askedAlone(2, 'db')], [null, null, null]);
});

/** @param {{ users: number, ids: boolean, isLoop: boolean }} about */
function scored(about) {
  const sums = { calls: 0, right: 0, told: 0, wrongTold: 0 };
  for (const seed of [1, 2, 3]) {
    const stack = madeStack({ seed, requests: 300, ...about });
    const { app } = scoresOf(stack, joinedOf(stack.record).joins);
    for (const name of /** @type {(keyof typeof sums)[]} */ (Object.keys(sums))) sums[name] += app[name];
  }
  return sums;
}

test('in made stacks of which the truth is known, most calls behind the first hop are joined rightly, and what is told as certain is so', () => {
  for (const isLoop of [true, false])
    for (const ids of [true, false])
      for (const [users, least] of [
        [1, 0.999],
        [10, 0.93],
        [20, 0.8],
      ]) {
        const { calls, right, told, wrongTold } = scored({ users, ids, isLoop });
        const what = `${users} users, ${ids ? 'with' : 'without'} ids, ${isLoop ? 'a loop' : 'threads'}`;
        assert.ok(right >= calls * least, `${what}: ${right} of ${calls} right`);
        assert.ok(wrongTold <= told * 0.03, `${what}: ${wrongTold} wrong of ${told} that are told as certain`);
      }
});

test('the work grows with the number of requests and no faster', () => {
  const [few, many] = [1000, 4000].map((requests) => {
    const work = { steps: 0 };
    joinedOf(madeStack({ seed: 3, users: 20, requests, isLoop: false }).record, work);
    return work.steps / requests;
  });
  assert.ok(many < few * 1.1, `${many} steps a request, ${few} with fewer`);
});
