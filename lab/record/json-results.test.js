import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../base/paths.js';
import { JSON_RESULTS } from './json-results.js';

test('every command of the lab says what it gives as JSON, and no other does', () => {
  const commands = [...readFileSync(join(ROOT, 'lab/cli/main.js'), 'utf8').matchAll(/\.command\('([\w-]+)/g)].map(([, name]) => name);
  assert.ok(commands.length > 10);
  assert.deepEqual(Object.keys(JSON_RESULTS).sort(), commands.sort());
});
