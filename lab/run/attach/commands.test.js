import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProjectSettings } from './commands.js';

test('a system is called by its folder, and its run is repeated by the same command', () => {
  const { name, seed, busy, command, expect } = readProjectSettings(
    '/home/ann/My Shop (2)',
    { SEED: '7', EXPECT: 'failure_rate<0.01' },
    true,
  );
  assert.deepEqual([name, seed, busy, command, expect.length], ['my-shop-2', 7, 'refuse', 'SEED=7 doubletake run --allow', 1]);
  assert.equal(readProjectSettings('/', {}, false).name, 'own');
});

test('what changes the load, its users or the quotas is in the command that repeats the run', () => {
  const given = { LOAD: 'constant', RATE: '50', RETRIES: '2', GENERATORS: '2', BUDGET: 'web=0.5,db=1', INTEGRITY: '1' };
  const { command, options } = readProjectSettings('/shop', given, false);
  assert.equal(command, 'LOAD=constant BUDGET=web=0.5,db=1 SEED=1 RATE=50 INTEGRITY=1 RETRIES=2 GENERATORS=2 doubletake run');
  assert.deepEqual([options.budget, options.integrity], [{ web: 0.5, db: 1 }, true]);
  for (const name of ['selftest', 'bench-overhead', 'init'])
    assert.throws(
      () => readProjectSettings('/shop', { RETRIES: '2' }, false, { command: /** @type {any} */ (name) }),
      /RETRIES: expected none/,
    );
});

test('a folder that is called as an architecture is none', () => {
  const nameOf = (/** @type {string} */ folder) => readProjectSettings(folder, {}, false).name;
  assert.deepEqual(['/home/ann/crud', '/home/ann/2a', '/home/ann/compare', '/home/ann/shop'].map(nameOf), [
    'crud-own',
    '2a-own',
    'compare-own',
    'shop',
  ]);
});

test('what the lab’s own architectures call theirs may be a user’s own, and is left alone', () => {
  assert.equal(readProjectSettings('/shop', { WORKERS: '4', THREADS: '2', IMAGES: 'local' }, false).images, 'local');
});

test('a variable that changes nothing about a user’s own system is refused, and so is a wrong one', () => {
  for (const variable of ['DELAY', 'HOSTS', 'PARTS'])
    assert.throws(() => readProjectSettings('/shop', { [variable]: '3' }, false), new RegExp(`^NotReadyError: ${variable}: expected none`));
  assert.throws(
    () => readProjectSettings('/shop', { REPEATS: '3' }, false),
    /REPEATS: expected none, .* it has an effect on make compare/s,
  );
  assert.throws(() => readProjectSettings('/shop', { BUSY: 'often' }, false), /BUSY: expected one of refuse, allow; found "often"/);
  assert.throws(() => readProjectSettings('/shop', { SEED: 'x' }, false), /SEED: expected a whole number/);
});
