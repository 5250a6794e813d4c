import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { listen } from '../../fixtures/reporter.js';
import { consentTo } from './consent.js';
import { selftest } from './targets.js';

const FOLDER = '/home/ada/shop';

test('where nobody can be asked it is refused with the number of runs, their time and what to type', async () => {
  await assert.rejects(consentTo({ runs: 195, seconds: 195 * 74 }, null, FOLDER), (error) => {
    assert.ok(error instanceof NotReadyError);
    assert.match(error.message, /in \/home\/ada\/shop, or a yes to 195 runs of .*, about 4 h 1 min; found neither/);
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
  await consentTo({ runs: 1, seconds: 31 }, ask(true), FOLDER);
  assert.match(
    asked[0],
    /^There is no doubletake\.yaml in \/home\/ada\/shop: this tests the lab itself, with 1 run of .*, about a minute\. Begin\? \[y\/N\] $/,
  );
  await assert.rejects(consentTo({ runs: 1, seconds: 31 }, ask(false), FOLDER), NotReadyError);
});

test('the self-test asks with all its runs before it takes anything, and what is wrong in its variables is told first', async () => {
  const asked = /** @type {string[]} */ ([]);
  const ask = async (/** @type {string} */ question) => {
    asked.push(question);
    return false;
  };
  const started = (/** @type {Record<string, string>} */ env) => selftest(FOLDER, env, { allowData: false, ask, ...listen().around });
  await assert.rejects(started({ FAULTS: 'healthy,healthy-balanced', REPEATS: '2' }), NotReadyError);
  // Each takes half a minute and more.
  assert.match(asked[0], /with 4 runs of systems that the lab brings along, about [2-9] minutes\./);
  await assert.rejects(started({ FAULTS: 'unknown' }), /found "unknown"/);
  assert.equal(asked.length, 1);
});

for (const [seconds, length] of /** @type {[number, string][]} */ ([
  [30, 'a minute'],
  [61, '2 minutes'],
  [3540, '59 minutes'],
  [3600, '1 h'],
  [8041, '2 h 15 min'],
]))
  test(`${seconds} s are reported as ${length}`, async () => {
    await assert.rejects(consentTo({ runs: 2, seconds }, null, FOLDER), (/** @type {Error} */ { message }) =>
      message.includes(`, about ${length};`),
    );
  });
