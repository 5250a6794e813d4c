import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicNames } from './public-names.js';

test('names that variables give to the system itself are taken, and no service, address or secret', () => {
  const environment = {
    ALLOWED_HOSTS: 'shop.example.com, 127.0.0.1,web',
    APP_URL: 'https://www.example.com/start',
    NEXTCLOUD_TRUSTED_DOMAINS: 'cloud.example.org',
    DATABASE_URL: 'postgres://user:secret.word@db.example.com/x',
    API_KEY: 'abc.def.ghi',
  };
  assert.deepEqual(publicNames([{ environment, names: ['web'] }]), [
    'localhost',
    'shop.example.com',
    'www.example.com',
    'cloud.example.org',
  ]);
});
