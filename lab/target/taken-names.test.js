import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseTakenNames } from './taken-names.js';

test('a service by the name of the generator, or of a file of the record, is refused', () => {
  assert.throws(() => refuseTakenNames([{ service: 'web' }, { service: 'k6' }], 1), /no service "k6", which is the load generator’s name/);
  for (const service of ['k6.log', 'program.json', '..']) assert.throws(() => refuseTakenNames([{ service }], 1), /has a file for/);
  refuseTakenNames([{ service: 'web' }, { service: 'k6-stub' }, { service: 'k6-1' }], 1);
  assert.throws(() => refuseTakenNames([{ service: 'k6-1' }], 2), /no service "k6-1", which is the load generator’s name/);
});
