import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../define/errors.js';
import { configOf } from './fixtures/systems.js';
import { refuseMissingFiles } from './missing-files.js';

test('a file that is mounted, or handed out as a secret, is named where it is not there', () => {
  const config = configOf('shop');
  config.secrets = { key: { file: '/home/ada/shop/k$$y.txt' }, shell: { environment: 'KEY' } };
  assert.throws(
    () => refuseMissingFiles(config, () => false),
    (error) => {
      assert.ok(error instanceof NotReadyError);
      assert.match(error.message, /\n {4}\/home\/ada\/shop\/haproxy\.cfg, which haproxy mounts/);
      assert.match(error.message, /\n {4}\/home\/ada\/shop\/k\$y\.txt, the secret "key"/);
      return true;
    },
  );
  assert.doesNotThrow(() => refuseMissingFiles(config, () => true));
});

test('a folder that a service may write to is made when it is not there', () => {
  const config = { services: { web: { volumes: [{ type: 'bind', source: '/home/ada/shop/uploads', target: '/uploads' }] } } };
  assert.doesNotThrow(() => refuseMissingFiles(config, () => false));
});
