import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotInjectedError, NotReadyError } from '../../base/errors.js';
import { becauseOf, NO_INJECTION } from './injection.js';

const unready = () => Promise.reject(new NotReadyError('The stack did not start.', 'look at it'));
const fault = { id: 'db.small', title: 'small' };

test('a system that does not come up with a fault cannot take it', async () => {
  const expected = { name: 'NotInjectedError', message: 'the system does not come up with it: The stack did not start.' };
  await assert.rejects(becauseOf({ fault }, unready()), expected);
});

test('without a fault it is the system that is not ready, and any other error stays what it is', async () => {
  await assert.rejects(becauseOf(NO_INJECTION, unready()), NotReadyError);
  await assert.rejects(becauseOf({ fault }, Promise.reject(new TypeError('x'))), TypeError);
  await assert.rejects(
    becauseOf({ fault }, Promise.reject(new NotInjectedError('it names no server'))),
    /^NotInjectedError: it names no server$/,
  );
  assert.equal(await becauseOf({ fault }, Promise.resolve(7)), 7);
});
