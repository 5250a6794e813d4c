import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODES, codeCause, codeMeaning } from './codes.js';
import { decoders } from './decoders.js';

test('the codes are those of protocols that are read', () => {
  const read = decoders.map(({ protocol }) => protocol);
  assert.deepEqual(
    Object.keys(CODES).filter((protocol) => !read.includes(protocol)),
    [],
  );
});

test('a code means what its own protocol means by it', () => {
  assert.equal(codeMeaning('postgres', '53300'), 'too many connections');
  assert.equal(codeMeaning('mysql', '1040'), 'too many connections');
  assert.equal(codeMeaning('amqp', '1040'), null);
  assert.equal(codeMeaning('http', '404'), null);
});

test('some codes say by themselves why they came about', () => {
  assert.equal(codeCause('postgres', '40P01'), 'deadlock');
  assert.equal(codeCause('mysql', '1213'), 'deadlock');
  assert.equal(codeCause('mongodb', '112'), 'conflict');
  assert.equal(codeCause('redis', 'OOM'), 'memory-short');
  assert.equal(codeCause('postgres', '23505'), null);
});
