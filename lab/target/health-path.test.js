import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthPathOf } from './health-path.js';

test('the page that a health check asks is found in it, where it is one of the entry’s port', () => {
  const asked = (/** @type {string | string[]} */ check, port = 3000) => healthPathOf({ healthcheck: { test: check } }, port);
  assert.equal(asked(['CMD', 'curl', '-f', 'http://localhost:3000/healthz']), '/healthz');
  assert.equal(asked('wget -qO- "http://127.0.0.1:3000/up?full=1" || exit 1'), '/up?full=1');
  assert.equal(asked(['CMD-SHELL', 'curl http://localhost/health'], 80), '/health');
  assert.equal(asked(['CMD', 'curl', 'http://localhost:9000/healthz']), '');
  assert.equal(asked(['CMD', 'pg_isready']), '');
  assert.equal(healthPathOf({}, 80), '');
  assert.equal(healthPathOf({ healthcheck: { disable: true, test: ['CMD', 'curl', 'http://localhost/x'] } }, 80), '');
});
