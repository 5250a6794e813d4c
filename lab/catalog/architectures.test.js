import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures, changeIn, profileOf, scenarioOf } from './architectures.js';
import { published } from './published.js';
import { scenarios } from './scenarios.js';

for (const [id, architecture] of Object.entries(architectures)) {
  test(`${id} says what it is, why one would run it and where the load goes`, () => {
    assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    assert.ok(architecture.title);
    assert.match(architecture.question, /\?$/);
    const isAsked = scenarios[scenarioOf(id)].driver === 'k6';
    assert.equal(architecture.entry !== undefined, isAsked);
    if (isAsked) assert.equal(new URL(architecture.entry ?? '').protocol, 'http:');
    // A profile's name needs two characters, and this is what compose.yaml calls it.
    assert.equal(profileOf(id), `arch-${id}`);
  });

  test(`${id} refers to published figures that are there, if to any`, () => {
    if (architecture.published === undefined) return;
    const [section, run] = architecture.published.split('.');
    assert.ok(published[section]?.runs?.[run], architecture.published);
    assert.ok(published[section].source);
  });
}

test('a system that is a remedy of another says what it changes', () => {
  assert.match(changeIn('2a-slots'), /^8,192 slots/);
  assert.equal(changeIn('2a'), '');
});
