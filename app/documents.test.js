import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { afterEach, mock, test } from 'node:test';
import { readConfig } from './config.js';
import { Document, documentHandler } from './documents.js';
import { newCounts } from './telemetry.js';

afterEach(() => mock.restoreAll());

class FakeResponse extends EventEmitter {
  statusCode = 200;
  writableFinished = false;
  /** @type {Record<string, string>} */
  headers = {};
  /** @type {any} */
  body = null;

  /** @param {string} name @param {string} value */
  setHeader(name, value) {
    this.headers[name] = value;
  }

  /** @param {number} code */
  status(code) {
    this.statusCode = code;
    return this;
  }

  /** @param {unknown} body */
  json(body) {
    this.body = body;
    this.writableFinished = true;
    this.emit('close');
  }
}

/** @param {{ create?: () => unknown, env?: Record<string, string> }} [options] */
async function ask({ create = () => ({}), env = {} } = {}) {
  const created = mock.method(Document, 'create', async () => create());
  mock.method(Document, 'findOne', () => ({ lean: async () => ({}) }));
  const counts = newCounts();
  const response = new FakeResponse();
  const request = { get: (/** @type {string} */ name) => (name === 'x-request-id' ? 'r-1' : undefined) };
  await documentHandler(readConfig({ NODE_NAME: 'app-7', ...env }), counts)(
    /** @type {any} */ (request),
    /** @type {any} */ (response),
    () => {},
  );
  return { response, counts, created };
}

/** @param {string} name */
const throwNamed = (name) => () => {
  throw Object.assign(new Error('no'), { name });
};

test('a good answer names its node and says where its time went', async () => {
  const { response, counts } = await ask();
  assert.equal(response.statusCode, 200);
  assert.equal(response.body.server, 'app-7');
  assert.equal(response.headers['X-Node'], 'app-7');
  assert.match(response.headers['Server-Timing'], /^pool;dur=[\d.]+, database;dur=[\d.]+, app;dur=[\d.]+$/);
  assert.equal(response.headers['X-Failed-Tier'], undefined);
  assert.deepEqual(counts.answered, { '2xx': 1 });
  assert.deepEqual([counts.received, counts.in_flight, counts.ok_ms.count], [1, 0, 1]);
});

test('one document is written for a request, with the request’s own id', async () => {
  const { created } = await ask();
  assert.equal(created.mock.callCount(), 1);
  assert.equal(/** @type {any} */ (created.mock.calls[0].arguments)[0].request, 'r-1');
});

test('a database call that throws is answered with 500, the tier and the error’s name', async () => {
  const { response, counts } = await ask({ create: throwNamed('MongoWaitQueueTimeoutError') });
  assert.equal(response.statusCode, 500);
  assert.equal(response.headers['X-Failed-Tier'], 'pool');
  assert.equal(response.headers['X-Error-Name'], 'MongoWaitQueueTimeoutError');
  assert.deepEqual(counts.answered, { '5xx': 1 });
  assert.deepEqual(counts.errors, { MongoWaitQueueTimeoutError: 1 });
  assert.equal(counts.ok_ms.count, 0);
});

test('a failure on purpose accuses the app and writes nothing', async () => {
  const { response, created } = await ask({ env: { ERROR_SHARE: '1' } });
  assert.equal(response.headers['X-Failed-Tier'], 'app');
  assert.equal(created.mock.callCount(), 0);
});

test('a caller that hangs up before the answer is out counts as aborted, not as answered', async () => {
  const counts = newCounts();
  const response = new FakeResponse();
  mock.method(Document, 'create', async () => response.emit('close'));
  mock.method(Document, 'findOne', () => ({ lean: async () => ({}) }));
  response.json = () => {};
  await documentHandler(readConfig({}), counts)(/** @type {any} */ ({ get: () => undefined }), /** @type {any} */ (response), () => {});
  assert.deepEqual([counts.aborted, counts.in_flight, counts.answered], [1, 0, {}]);
});
