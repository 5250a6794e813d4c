import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isOwnComparison } from './command.js';

const NONE = { a: [], b: [] };
let own = '';
before(async () => {
  own = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  await writeFile(join(own, 'doubletake.yaml'), '');
});
after(() => rm(own, { recursive: true }));

test('a side that is given is of an own system, wherever the command is called', () => {
  assert.ok(isOwnComparison('/nowhere', { a: ['POOL=8'], b: [] }, {}));
  assert.ok(isOwnComparison('/nowhere', { a: [], b: ['rev:HEAD'] }, { A: 'a' }));
});

test('without sides it is the system of the folder, unless architectures are named or a plan goes on', () => {
  assert.ok(isOwnComparison(own, NONE, {}));
  for (const env of [{ A: 'a', B: '2a' }, { B: '2a', BASELINE: 'x' }, { RESUME: 'x' }]) assert.ok(!isOwnComparison(own, NONE, env));
  assert.ok(!isOwnComparison('/nowhere', NONE, {}));
});
