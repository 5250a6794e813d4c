import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faults } from '../../adapters/shipped-faults.js';
import { NotReadyError } from '../../base/errors.js';
import { listen } from '../../fixtures/reporter.js';
import { consentTo, lengthOf } from './consent.js';
import { selftestShipped } from './targets.js';

const FOLDER = '/home/ada/shop';

test('where nobody can be asked it is refused with the number of runs, their time and what to type', async () => {
  const ids = Object.keys(faults).flatMap((id) => [id, id, id]);
  await assert.rejects(consentTo(ids, null, FOLDER), (error) => {
    assert.ok(error instanceof NotReadyError);
    const [, runs, hours] =
      /in \/home\/ada\/shop, or a yes to (\d+) runs .*, about (\d+) h( \d+ min)?; found neither/.exec(error.message) ?? [];
    assert.equal(Number(runs), ids.length);
    // Of runs of half a minute and more.
    assert.ok(Number(hours) >= Math.floor((ids.length * 30) / 3600), error.message);
    assert.match(error.message, /doubletake selftest --yes .*FAULTS=short/);
    return true;
  });
});

test('who is asked is told the same, and a yes begins', async () => {
  const asked = /** @type {string[]} */ ([]);
  const ask = (/** @type {boolean} */ answer) => async (/** @type {string} */ question) => {
    asked.push(question);
    return answer;
  };
  await consentTo(['healthy'], ask(true), FOLDER);
  assert.match(
    asked[0],
    /^There is no doubletake\.yaml in \/home\/ada\/shop: this tests the lab itself, with 1 run of .*, about a minute\. Begin\? \[y\/N\] $/,
  );
  await assert.rejects(consentTo(['healthy'], ask(false), FOLDER), NotReadyError);
});

test('the self-test asks with all its runs before it takes anything, and what is wrong in its variables is told first', async () => {
  const reported = /** @type {string[][]} */ ([]);
  const consent = async (/** @type {string[]} */ left) => {
    reported.push(left);
    throw new NotReadyError('no', 'none.');
  };
  await assert.rejects(selftestShipped({ FAULTS: 'healthy,healthy-balanced', REPEATS: '2' }, listen().around, consent), NotReadyError);
  assert.deepEqual(reported, [['healthy', 'healthy-balanced', 'healthy', 'healthy-balanced']]);
  await assert.rejects(selftestShipped({ FAULTS: 'unknown' }, listen().around, consent), /found "unknown"/);
  assert.equal(reported.length, 1);
});

test('a time is reported in minutes, and in hours from the first on', () => {
  assert.deepEqual([30, 61, 3540, 3600, 8041].map(lengthOf), ['a minute', '2 minutes', '59 minutes', '1 h', '2 h 15 min']);
});
