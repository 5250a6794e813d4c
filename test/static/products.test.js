/**
 * The engine names no product: what knows one is its adapter. The files that still name some stand here with how often they do, and
 * the list may only get shorter.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lab/define/paths.js';
import { succeed } from './command.js';

/** In names, texts and comments. k6 is none of them: it is the lab's own generator, and the only one. */
const PRODUCT =
  /nginx|haproxy|envoy|caddy|mongo|redis(?!t|cover)|postgres|pgbouncer|tokyo|gunicorn|piscina|fastify|\bexpress(?!ed|es|i|ly)/gi;

/** What may name them: adapters, published claims and the experiments that judge them; tests, and what they read. */
const MAY_NAME = /^lab\/adapters\/|^lab\/define\/(claims|published|experiments)|\/fixtures\/|\.test\.js$/;

/** @type {Record<string, number>} */
const LEFT = {
  // By which names a service is taken for its tier: most of them have no adapter.
  'lab/attach/well-known.js': 23,
  // The shipped systems, and what is told of them.
  'lab/define/architectures.js': 36,
  'lab/define/causes.js': 7,
  'lab/define/images.js': 18,
  'lab/define/paths.js': 5,
  'lab/measure/components.js': 17,
  'lab/measure/program-record.js': 2,
  // The faults that are put into them.
  'lab/define/faults.js': 3,
  'lab/define/faults/application.js': 1,
  'lab/define/faults/balancer.js': 10,
  'lab/define/faults/connections.js': 1,
  'lab/define/faults/database.js': 14,
  'lab/define/faults/generator.js': 1,
  'lab/define/faults/several.js': 6,
  'lab/selftest/inject.js': 4,
};

/** @param {string} text */
const timesIn = (text) => text.match(PRODUCT)?.length ?? 0;

const files = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab']))
  .split('\n')
  .filter((file) => file !== '' && !MAY_NAME.test(file));
/** The name of a file counts too. */
const found = new Map(files.map((file) => [file, timesIn(`${file}\n${readFileSync(join(ROOT, file), 'utf8')}`)]));

test('a product is known by its name, and no other word is taken for one', () => {
  for (const text of ['const mongoUrl', 'nginx.conf', 'MongoServerError', 'one Express node', 'expressApp', 'REDIS_URL', 'redis7'])
    assert.equal(timesIn(text), 1, text);
  for (const text of ['an expression', 'expressed', 'redistribute', 'k6']) assert.equal(timesIn(text), 0, text);
  assert.ok(files.length > 100 && files.includes('lab/main.js') && files.includes('lab/doubletake'));
});

test('no other file of the engine names a product', () => {
  const others = [...found].filter(([file, times]) => times > 0 && !(file in LEFT)).map(([file, times]) => `${file}: ${times}`);
  assert.deepEqual(others, [], 'what knows a product belongs into its adapter');
});

for (const [file, times] of Object.entries(LEFT)) {
  test(`${file} names products ${times} times, as it did`, () => {
    const now = found.get(file) ?? 0;
    assert.ok(now <= times, `it names ${now} now: what knows a product belongs into its adapter`);
    assert.equal(now, times, `it names ${now} now: correct the list above`);
  });
}
