import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfPlace, isTag, likelyValue, madeUp } from './made-up.js';

test('a value is made up by what its name says, and is the same each time', () => {
  assert.equal(likelyValue('DB_PASSWORD'), madeUp('DB_PASSWORD'));
  assert.notEqual(madeUp('A_TOKEN'), madeUp('B_TOKEN'));
  const values = Object.fromEntries(
    ['UPLOAD_LOCATION', 'WEB_PORT', 'APP_VERSION', 'DOMAIN_NAME', 'BASE_URL', 'ADMIN_EMAIL', 'PUID', 'TZ', 'DB_USER'].map((name) => [
      name,
      likelyValue(name),
    ]),
  );
  assert.deepEqual(values, {
    UPLOAD_LOCATION: './upload_location',
    WEB_PORT: '8080',
    APP_VERSION: 'latest',
    DOMAIN_NAME: 'localhost',
    BASE_URL: 'http://localhost',
    ADMIN_EMAIL: 'doubletake@localhost',
    PUID: '1000',
    TZ: 'UTC',
    DB_USER: 'doubletake',
  });
});

test('a folder, a port and a tag have a place that cannot be empty', () => {
  assert.deepEqual(['DATA_DIR', 'HTTP_PORT', 'TAG', 'MODE'].map(isOfPlace), [true, true, true, false]);
  assert.deepEqual(['WEB_TAG', 'HTTP_PORT'].map(isTag), [true, false]);
});
