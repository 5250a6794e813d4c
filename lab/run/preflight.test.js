import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saying, withDocker } from '../docker/fixtures/docker-program.js';
import { checkCompose, clockOffset } from './preflight.js';

const NOW = Date.parse('2026-11-21T20:00:00Z');

test("the engine's clock is apart from this machine's by what no waiting for the answer explains", () => {
  assert.equal(clockOffset(NOW + 400, NOW, NOW + 900), 0);
  assert.equal(clockOffset(NOW + 3900, NOW, NOW + 900), 3);
  assert.equal(clockOffset(NOW - 3000, NOW, NOW + 900), -3);
  assert.equal(clockOffset(Date.parse('2026-11-21T21:00:00.123456789+01:00'), NOW, NOW + 900), 0);
});

test('of an engine that tells no time nothing is known', () => {
  assert.equal(clockOffset(Number.NaN, NOW, NOW), null);
});

test('a version of Compose is enough when its first number that differs is higher', async () => {
  const check = (/** @type {string} */ version) => withDocker(saying(version), () => checkCompose());
  for (const version of ['2.24.6', '2.24.10', '2.25', '3.0.0', '10.1.2', '2.24.6-desktop.1', '2.40.3+ds1'])
    assert.equal(await check(`v${version}`), version);
  for (const version of ['2.24.5', '2.24', '2.9.9', '1.29.2', '', 'dev'])
    await assert.rejects(check(version), new RegExp(`^NotReadyError: Expected .* 2\\.24\\.6 or newer; found ${version || 'none'}\\.`));
});
