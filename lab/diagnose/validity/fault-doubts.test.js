import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsNotPut } from './fault-doubts.js';

/** @param {object[]} [faults] */
const doubtsOf = (faults) => faultsNotPut(/** @type {any} */ ({ facts: { raw: { manifest: faults ? { faults } : {} } } }));

test('a fault that was put in and undone is no doubt, nor is a run without any', () => {
  assert.deepEqual(doubtsOf(), []);
  assert.deepEqual(doubtsOf([{ text: 'pause mongo@2s+5s', began_s: 1, ended_s: 6, failed: null }]), []);
});

test('a run without the fault that was asked for says nothing of it', () => {
  const [gone, stuck] = doubtsOf([
    { text: 'kill app-2@30s', began_s: null, ended_s: null, failed: 'there is no container app-2 to kill' },
    { text: 'pause mongo@2s+5s', began_s: 1, ended_s: null, failed: 'it is not paused' },
  ]);
  assert.deepEqual(
    [gone.grade, gone.reason],
    ['INVALID', 'the fault "kill app-2@30s" was not put in: there is no container app-2 to kill'],
  );
  assert.equal(stuck.reason, 'the fault "pause mongo@2s+5s" was not undone: it is not paused');
});
