import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../define/errors.js';
import { ROOT } from '../define/paths.js';
import { selftest } from './selftest.js';

test('a fault that is not known is named before anything is started', async () => {
  const chosen = selftest({ FAULTS: 'healthy,unknown' }, new AbortController().signal);
  await assert.rejects(chosen, (error) => error instanceof NotReadyError && /found "unknown"/.test(error.message));
});

test('a number of repeats that is none is named before anything is started', async () => {
  const chosen = selftest({ FAULTS: 'healthy', REPEATS: 'many' }, new AbortController().signal);
  await assert.rejects(chosen, (error) => error instanceof NotReadyError && /^REPEATS/.test(error.message));
});

test('the diagnosis knows nothing of the faults: no file of it reads them or the self-test', () => {
  const folder = join(ROOT, 'lab', 'analyse');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !file.endsWith('.test.js'),
  );
  assert.ok(files.length > 20);
  for (const file of files) assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /faults\.js|selftest\/|injection/, file);
});
