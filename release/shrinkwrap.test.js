import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shrinkwrapOf } from './shrinkwrap.js';

const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(import.meta.dirname, '..', name), 'utf8'));
const lock = read('package-lock.json');
const { packages } = shrinkwrapOf(lock);

test('holds every package that the lab needs, at the version of the lock file', () => {
  const needed = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
  assert.deepEqual(
    Object.entries(packages).map(([path, { version }]) => [path, version]),
    needed.map(([path, { version }]) => [path, version]),
  );
  for (const [name, version] of Object.entries(read('package.json').dependencies)) {
    assert.equal(packages[`node_modules/${name}`].version, version, name);
  }
});

test('holds no package that only development needs', () => {
  const names = ['@biomejs/biome', 'playwright-core', 'typescript'].map((name) => `node_modules/${name}`);
  for (const name of names) assert.ok(lock.packages[name].dev && !Object.hasOwn(packages, name), name);
  assert.ok(Object.values(packages).every(({ dev }) => dev === undefined));
  assert.ok(!Object.hasOwn(packages[''], 'devDependencies'));
});

test('has npm run no install script, though some packages have one', () => {
  const withScript = (/** @type {any} */ all) => Object.values(all).filter(({ hasInstallScript }) => hasInstallScript).length;
  assert.ok(withScript(lock.packages) > 0);
  assert.equal(withScript(packages), 0);
});
