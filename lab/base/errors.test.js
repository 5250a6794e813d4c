import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, NotReadyError, toUserError } from './errors.js';

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
