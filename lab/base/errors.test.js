import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becauseOf, EXIT, NotInjectedError, NotReadyError, toUserError } from './errors.js';

test('a full disk is reported in a sentence, whatever was being written', () => {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    const reported = toUserError(Object.assign(new Error(`${code}: no space left on device, write`), { code }));
    assert.equal(reported?.exitCode, EXIT.notReady);
    assert.match(String(reported?.message), /^The disk is full: \w+: no space left on device, write\.\n {2}To do: free some space/);
  }
});

test('what the lab tells stays as it is, and its own mistakes keep their trace', () => {
  const reported = new NotReadyError('Expected one.', 'give one.');
  assert.equal(toUserError(reported), reported);
  for (const mistake of [new TypeError('x is undefined'), Object.assign(new Error('no such file'), { code: 'ENOENT' }), 'text', undefined])
    assert.equal(toUserError(mistake), null);
});

const unready = () => Promise.reject(new NotReadyError('The stack did not start.', 'look at it'));
const fault = { id: 'db.small', title: 'small' };

test('a system that does not come up with a fault cannot take it', async () => {
  const expected = { name: 'NotInjectedError', message: 'the system does not come up with it: The stack did not start.' };
  await assert.rejects(becauseOf({ fault }, unready()), expected);
});

test('without a fault it is the system that is not ready, and any other error stays what it is', async () => {
  await assert.rejects(becauseOf({ fault: null }, unready()), NotReadyError);
  await assert.rejects(becauseOf({ fault }, Promise.reject(new TypeError('x'))), TypeError);
  await assert.rejects(
    becauseOf({ fault }, Promise.reject(new NotInjectedError('it names no server'))),
    /^NotInjectedError: it names no server$/,
  );
  assert.equal(await becauseOf({ fault }, Promise.resolve(7)), 7);
});
