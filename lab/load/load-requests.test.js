import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseElsewhere, requestsOf } from './load-requests.js';

const noFile = () => null;
const OPENAPI = `
openapi: 3.0.0
paths:
  /orders:
    get: {}
    post: {}
`;

test('requests come from a list, each with its weight', () => {
  const { requests, notes } = requestsOf({ urls: ['GET /', 'POST /orders'] }, noFile);
  assert.deepEqual(requests, [
    { method: 'GET', path: '/', weight: 1 },
    { method: 'POST', path: '/orders', weight: 1 },
  ]);
  assert.deepEqual(notes, []);
});

test('requests come from an OpenAPI document, and what is not sent of it is told', () => {
  const { requests, notes } = requestsOf({ openapi: 'api.yaml' }, (file) => (file === 'api.yaml' ? OPENAPI : null));
  assert.deepEqual(
    requests.map(({ method, path }) => `${method} ${path}`),
    ['GET /orders'],
  );
  assert.match(notes.join(), /^POST \/orders is not sent: /);
});

test('a document that is not there, or has nothing to send, is refused', () => {
  assert.throws(() => requestsOf({ openapi: 'api.yaml' }, noFile), /load\.openapi: expected a file "api\.yaml"; found none/);
  const writes = () => OPENAPI.replace('    get: {}\n', '');
  assert.throws(() => requestsOf({ openapi: 'api.yaml' }, writes), /expected an operation that can be sent; found none\.\n +POST \/orders/);
});

test('headers go with every request by their names alone, whatever its source, and their values are for the generator', () => {
  const headers = { Authorization: `Bearer \${TOKEN}`, 'X-Tenant': 'acme-4711' };
  for (const load of [{ urls: ['GET /', 'POST /orders {}'] }, { openapi: 'api.yaml', include: ['POST /orders'] }]) {
    const found = requestsOf({ ...load, headers }, () => OPENAPI, { env: { TOKEN: 'Tr0ub4dor' } });
    assert.deepEqual(found.headers, { Authorization: 'Bearer Tr0ub4dor', 'X-Tenant': 'acme-4711' });
    assert.deepEqual(
      found.requests.map(({ given }) => given),
      [Object.keys(headers), Object.keys(headers)],
    );
    assert.doesNotMatch(JSON.stringify([found.requests, found.notes]), /Tr0ub4dor|acme-4711|TOKEN/);
  }
  assert.throws(() => requestsOf({ urls: ['GET /'], headers }, noFile, { env: {} }), /expected the environment variable TOKEN; found none/);
});

test('operations are sent or left out as doubletake.yaml names them', () => {
  const read = () => OPENAPI;
  const { requests, notes } = requestsOf({ openapi: 'api.yaml', include: ['post /orders'], exclude: ['GET /orders'] }, read);
  assert.deepEqual(
    requests.map(({ name }) => name),
    ['POST /orders'],
  );
  assert.deepEqual(notes, ['GET /orders is not sent: it is named under exclude.']);
});

test('a script says itself what it sends', () => {
  assert.deepEqual(requestsOf({ script: 'load.js' }, noFile), { requests: [], headers: {}, notes: [] });
});

test('what the load expects is expected of each request', () => {
  for (const load of [{ urls: ['GET /', 'GET /nope'] }, { openapi: 'api.yaml' }]) {
    const { requests } = requestsOf({ ...load, expect: [200, 404] }, () => OPENAPI);
    assert.ok(requests.length > 0);
    for (const { expect } of requests) assert.deepEqual(expect, [200, 404]);
  }
});

test('a request that would leave the entry is refused, however its path came to be', () => {
  refuseElsewhere([{ method: 'GET', path: '/@me' }], 'http://my_shop:8080/v1/');
  for (const path of ['@evil.example/x', '//evil.example/', '0', '/\\evil.example'])
    assert.throws(
      () => refuseElsewhere([{ method: 'GET', path }], 'http://web:8080'),
      /expected a path of http:\/\/web:8080; found /,
      path,
    );
});
