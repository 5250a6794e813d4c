import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecrets } from './secret-names.js';

test('values of variables that are named like a secret are taken out of a text, and so are passwords of addresses', () => {
  const environment = ['DB_PASSWORD=hunter22', 'URL=postgres://shop:s3cr3t@db/shop', 'MODE=production', 'API_KEY=abc', 'EMPTY_TOKEN='];
  const log = 'login of shop with hunter22 refused\npostgres://shop:s3cr3t@db/shop: mode production abc\ns3cr3t';
  assert.equal(withoutSecrets(log, environment), 'login of shop with ? refused\npostgres://shop:?@db/shop: mode production abc\n?');
});

test('what is assigned to a name of a secret is taken out, whoever wrote it', () => {
  assert.equal(
    withoutSecrets('redis://:pw@cache password=abc, "token": "x y" Authorization: Basic', []),
    'redis://:?@cache password=?, "token": "? y" Authorization: ?',
  );
  const plain = 'FATAL: password authentication failed for user "shop"';
  assert.equal(withoutSecrets(plain, []), plain);
});
