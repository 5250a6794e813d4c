import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changed } from './compose-changes.js';
import { aboutLeftOut, leftOut, withoutServices } from './left-out.js';

/** @param {string[]} services @returns {import('./dangers.js').Danger[]} */
const grave = (services) => services.map((service) => ({ service, what: 'is privileged', why: '', remedy: '', severity: 'refuse' }));

test('what could do harm is left out, unless requests pass it or who stays needs it', () => {
  /** @type {Record<string, any>} */
  const services = { web: {}, agent: {}, page: { depends_on: { agent: {} } }, db: {}, helper: {}, job: { network_mode: 'service:helper' } };
  assert.deepEqual(leftOut(grave(['agent', 'page']), { services }, ['web', 'db']), ['agent', 'page']);
  assert.deepEqual(leftOut(grave(['db', 'helper']), { services }, ['web', 'db']), []);
});

test('a warning leaves nothing out', () => {
  const [danger] = grave(['agent']);
  assert.deepEqual(leftOut([{ ...danger, severity: 'warn' }], { services: { web: {}, agent: {} } }, ['web']), []);
});

test('who waits for one that is left out starts without it, and that is said', () => {
  const healthy = { condition: 'service_healthy', required: true };
  const services = { web: { depends_on: { agent: healthy, db: healthy } }, db: { depends_on: { agent: healthy } }, agent: {} };
  const dangers = grave(['agent']);
  assert.deepEqual(leftOut(dangers, { services }, ['web', 'db']), ['agent']);
  const made = changed({ services }, withoutServices(['agent'], { services })).services;
  assert.deepEqual(
    [made.web.depends_on, made.db.depends_on, /** @type {any} */ (made.agent).profiles],
    [{ db: healthy }, undefined, ['doubletake-left-out']],
  );
  assert.deepEqual(aboutLeftOut(['agent'], dangers, { services }), [
    'agent: left out of the run, because it is privileged, and no request needs it; web, db, which would wait for it, start without.',
  ]);
});
