import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultSentence, faultsOf, recoveryText } from './fault-words.js';

/** @param {Partial<import('../record/result.js').FaultEffect>} [given] @returns {import('../record/result.js').FaultEffect} */
const effect = (given = {}) => ({
  text: 'pause mongo@20s+5s',
  began_s: 20,
  ended_s: 25,
  failed: null,
  before: { seconds: 10, goodput_rps: 912, failure_rate: 0 },
  during: { goodput_rps: 3.1, failure_rate: 0.25 },
  recovered_after_s: 1.9,
  watched_after_s: 55,
  metastable: false,
  loop: null,
  later_rps: null,
  ...given,
});

/** @param {string} text */
const plain = (text) => text.replaceAll('\u00a0', ' ');

test('a fault is told as it was before it, while it was there and after it', () => {
  assert.equal(
    plain(faultSentence(effect())),
    'pause mongo@20s+5s: 912 rps of good answers before; 3.1 rps while it was there, 25 % failed; as before: after 1.9 s',
  );
});

test('what is not known is told as such', () => {
  assert.equal(plain(recoveryText(effect({ recovered_after_s: null }))), 'not in the 55 s until the load ended');
  assert.match(
    recoveryText(effect({ recovered_after_s: null, metastable: true })),
    /^METASTABLE: not in the 55.s until the load ended, with the arrivals of before$/,
  );
  assert.equal(recoveryText(effect({ recovered_after_s: 0 })), 'at once');
  assert.equal(recoveryText(effect({ before: null })), 'not told: too few seconds before it that nothing disturbed');
  const none = { began_s: null, ended_s: null, before: null, during: null, recovered_after_s: null, watched_after_s: null };
  assert.equal(
    faultSentence(effect({ ...none, failed: 'there is no container x to kill' })),
    'pause mongo@20s+5s: was not put in, there is no container x to kill',
  );
});

test('of a queue it is told what waited in it', () => {
  const backlog = { before: 403, most: 2956, at_end: 1533, recovered_after_s: null };
  assert.match(
    plain(faultSentence(effect({ backlog }))),
    /as before: after 1\.9 s; in the queue 403 at most before, 2,956 since; as few as before: not in the 55 s until the load ended, with 1,533 then$/,
  );
  const back = effect({ backlog: { ...backlog, recovered_after_s: 12 } });
  assert.match(plain(faultSentence(back)), /as few as before: after 12 s$/);
  assert.match(faultSentence(effect({ backlog: { ...backlog, recovered_after_s: 0 } })), /as few as before: at once$/);
});

test('an older result has none', () => assert.deepEqual(faultsOf({}), []));
