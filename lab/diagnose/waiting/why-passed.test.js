/**
 * An api asks a broker, which passes each question on to one of three workers with the mark of the question, and back what that one replies. Who is
 * given up is told nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported } from './fixtures/made-stack.js';

const BROKER = { protocol: 'broker', template: 'price', status: null };
const BROKEN_S = 15;
const GIVE_UP_S = 1.5;
const WORKERS = ['worker-1', 'worker-2', 'worker-3'];

/**
 * @param {object} given
 * @param {(worker: string, at: number, index: number) => number | null} given.takes  seconds until it replies; null: never
 * @param {(at: number) => number} [given.passes]  seconds until the broker passes a question on
 * @param {(at: number) => string[]} [given.subscribed]  workers; of none it says so at once
 * @param {(stack: MadeStack, at: number, index: number) => void} [given.also]
 */
function passing({ takes, passes = () => 0.0002, subscribed = () => WORKERS, also = () => {} }) {
  const stack = new MadeStack(30);
  for (const name of ['api', 'broker', ...WORKERS]) stack.reads(name, () => ({ cores: 0.01 }));
  each(-5, 30, 0.07, (at, index) => {
    const workers = subscribed(at);
    const worker = workers[index % workers.length];
    const [given, took] = [at + 0.002 + passes(at), worker === undefined ? 0 : takes(worker, at, index)];
    const replied = took === null ? null : given + took;
    const isBad = worker === undefined || replied === null || replied > at + GIVE_UP_S;
    const over = worker === undefined ? at + 0.005 : isBad ? at + GIVE_UP_S + 0.003 : Number(replied) + 0.002;
    stack.call('k6 api', at, over, { template: '/quote/:n', status: isBad ? 504 : 200 });
    const question = { ...BROKER, verb: 'PUB', id: `m${index}`, on: 'own', ...(worker === undefined ? { code: '503', bad: true } : {}) };
    stack.call('api broker', at + 0.002, worker === undefined ? at + 0.003 : replied === null ? null : replied + 0.0002, question);
    if (worker !== undefined)
      stack.call(`${worker} broker`, given, replied, { ...BROKER, verb: 'MSG', role: 'push', id: `m${index}`, on: 'own', by: 'client' });
    also(stack, given, index);
  });
  return stack;
}

const quick = (/** @type {number} */ index) => 0.012 + (index % 5) / 1000;

test('of three that are given the questions in turn, the one that replies to none any more is the place', () => {
  const [finding, ...more] = passing({
    takes: (worker, at, index) => (worker === 'worker-2' && at >= BROKEN_S ? null : quick(index)),
  }).follow().findings;
  assert.deepEqual([finding.place.service, finding.mechanism, finding.why_basis, more], ['worker-2', 'hung', 'counted', []]);
  assert.match(finding.title ?? '', /^was given \d+ messages of broker from second 1[56] on and replied to none$/);
  const text = finding.evidence.join(' ');
  assert.match(text, /broker passed 100 % of the failed calls on to worker-2, which never replied to them\./);
  assert.match(text, /Meanwhile worker-1 replied to \d+, worker-3 replied to \d+ of the good ones\./);
});

test('one that never replies to some is the place of these, and another that is given a copy of each and replies to none is not', () => {
  const stack = passing({
    takes: (_, __, index) => (index % 7 === 0 ? null : quick(index)),
    also: (made, at, index) =>
      made.call('audit broker', at, null, { ...BROKER, verb: 'MSG', role: 'push', id: `m${index}`, on: 'own', by: 'client' }),
  });
  const [finding, ...more] = stack.follow().findings;
  assert.equal(finding.place.service, WORKERS.join(', '));
  assert.deepEqual([finding.mechanism, more], ['deliveries-held', []]);
});

test('workers that are asked more than they reply to are the place, where their replies come too late', () => {
  let free = 0;
  const stack = passing({
    subscribed: () => ['worker-1'],
    takes(_, at) {
      free = Math.max(free, at) + (at < 5 ? 0.03 : 0.09);
      return free - at;
    },
  });
  const [finding] = stack.follow().findings;
  assert.deepEqual([finding.place.service, finding.mechanism, finding.why_basis], ['worker-1', 'workers-taken', 'inferred']);
  assert.match(finding.title ?? '', /replied to \S+ messages a second and was given/);
});

test('a broker that passes questions on late is not what its workers are accused of', () => {
  const stack = passing({ takes: (_, __, index) => quick(index), passes: (at) => (at < BROKEN_S ? 0.0002 : 1.49) });
  assert.deepEqual(
    stack.follow().findings.map(({ place }) => place.service),
    ['broker'],
  );
});

test('where the broker says that nobody takes it, the worker that hung up is gone', () => {
  const stack = passing({ takes: (_, __, index) => quick(index), subscribed: (at) => (at < BROKEN_S ? ['worker-1'] : []) });
  for (const connection of stack.wire.connections)
    if (connection.client === 'worker-1') Object.assign(connection, { ended_at: 1_000_000 + BROKEN_S, outcome: 'closed', by: 'client' });
  assert.deepEqual(reported(stack), ['worker-1: gone']);
});
