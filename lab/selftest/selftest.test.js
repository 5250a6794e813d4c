import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { architectures } from '../define/architectures.js';
import { causes } from '../define/causes.js';
import { NotReadyError } from '../define/errors.js';
import { faults } from '../define/faults.js';
import { ROOT } from '../define/paths.js';
import { scenarios } from '../define/scenarios.js';
import { isRight } from './classify.js';
import { selftest } from './selftest.js';

/** Diagnoses that are no cause of a failure. */
const WITHOUT_FAILURES = ['none', 'saturated'];

test('a fault that is not known is named before anything is started', async () => {
  const chosen = selftest({ FAULTS: 'healthy,unknown' }, new AbortController().signal);
  await assert.rejects(chosen, (error) => error instanceof NotReadyError && /found "unknown"/.test(error.message));
});

test('each fault expects a diagnosis that exists, of an architecture and a load that exist', () => {
  for (const [id, { expected, architecture, load }] of Object.entries(faults)) {
    const known = [...Object.keys(causes), ...WITHOUT_FAILURES].filter((cause) => isRight(expected, { tier: expected.tier, cause }));
    assert.ok(known.length > 0, `${id}: ${expected.cause}`);
    assert.ok(architectures[architecture], `${id}: ${architecture}`);
    assert.ok(scenarios.documents.loads[load], `${id}: ${load}`);
  }
});

test('no diagnosis is right for all faults, so that the matrix can have a wrong cell', () => {
  const diagnoses = new Set(Object.values(faults).map(({ expected }) => `${expected.tier}: ${expected.cause}`));
  assert.ok(diagnoses.size > Object.keys(faults).length / 2);
});

test('the diagnosis knows nothing of the faults: no file of it reads them or the self-test', () => {
  const folder = join(ROOT, 'lab', 'analyse');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !file.endsWith('.test.js'),
  );
  assert.ok(files.length > 20);
  for (const file of files) assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /faults\.js|selftest\/|injection/, file);
});
