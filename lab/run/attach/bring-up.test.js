import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { toldByLogs } from './bring-up.js';
import { FailingLoadError } from './failing-load.js';
import { SilentEntryError } from './first-answer.js';

const PROJECT = /** @type {any} */ ({
  entry: 'http://web:80/',
  services: { web: {}, api: {}, db: {}, cache: {}, cron: {} },
  edges: [
    ['web', 'api'],
    ['api', 'db'],
    ['api', 'cache'],
    ['cron', 'db'],
  ],
});
const failing = (/** @type {boolean} */ isServers) => new FailingLoadError('expected', 'edit', isServers);

test('where servers fail, logs of the entry and of what it asks are quoted, the nearest first and at most three', () => {
  assert.deepEqual(toldByLogs(failing(true), PROJECT), ['web', 'api', 'db']);
});

test('of an entry that is silent its own log is quoted', () => {
  assert.deepEqual(toldByLogs(new SilentEntryError('expected', 'see'), PROJECT), ['web']);
});

test('where the wrong thing was asked for, or something else is wrong, no log says why', () => {
  assert.deepEqual(toldByLogs(failing(false), PROJECT), []);
  assert.deepEqual(toldByLogs(new NotReadyError('expected', 'see'), PROJECT), []);
});
