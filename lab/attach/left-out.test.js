import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOut } from './left-out.js';

/** @param {string[]} services @returns {import('./dangers.js').Danger[]} */
const grave = (services) => services.map((service) => ({ service, what: 'is privileged', why: '', remedy: '', severity: 'refuse' }));

test('what could do harm is left out, unless requests pass it or who stays needs it', () => {
  const services = { web: {}, agent: {}, page: { depends_on: { agent: {} } }, db: {}, helper: {}, job: { network_mode: 'service:helper' } };
  assert.deepEqual(leftOut(grave(['agent', 'page']), { services }, ['web', 'db']), ['agent', 'page']);
  assert.deepEqual(leftOut(grave(['agent']), { services }, ['web', 'db']), []);
  assert.deepEqual(leftOut(grave(['db', 'helper']), { services }, ['web', 'db']), []);
});

test('a warning leaves nothing out', () => {
  const [danger] = grave(['agent']);
  assert.deepEqual(leftOut([{ ...danger, severity: 'warn' }], { services: { web: {}, agent: {} } }, ['web']), []);
});
