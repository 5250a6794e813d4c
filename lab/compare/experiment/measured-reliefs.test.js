import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuredReliefs } from '../../catalog/measured-reliefs.js';
import { storedReliefs } from './measured-reliefs.js';

test('the table of measured reliefs is what the stored experiments say', async () => {
  assert.deepEqual(measuredReliefs, await storedReliefs());
});

test('it has what a stored experiment judged worse as well as what it judged better', () => {
  const words = measuredReliefs.map(({ base, relief, load, verdict }) => `${base} ${relief} ${load}: ${verdict}`);
  for (const said of ['2a 2a-slots ramp: better', '2a 2a-keepalive ramp: worse', '2a 2a-slots surge: worse'])
    assert.ok(words.includes(said), said);
});
