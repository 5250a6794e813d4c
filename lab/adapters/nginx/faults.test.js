import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { faults } from './faults.js';
import { configuration } from './read.js';

const EDGE = readFileSync(new URL('../../../test/own/edge.conf', import.meta.url), 'utf8');

/** The configuration with the fault in it. @param {string} text */
const withSmallTable = (text) => faults(serviceModel())[0].change?.changed(text);

/** Directives, in their order. @param {string | null | undefined} text @param {string} name */
const valuesOf = (text, name) => [...String(text).matchAll(new RegExp(`\\b${name}\\s+([^;]+);`, 'g'))].map(([, value]) => value);

test('one worker has a small table, whatever the configuration said of both', () => {
  for (const text of [
    EDGE,
    'worker_processes auto;\nevents {\n    multi_accept on;\n    worker_connections 1024;\n}\nhttp {}\n',
    'events {}\n',
  ]) {
    assert.deepEqual(valuesOf(withSmallTable(text), 'worker_processes'), ['1']);
    assert.deepEqual(valuesOf(withSmallTable(text), 'worker_connections'), ['16']);
  }
  assert.match(String(withSmallTable('events {\n    multi_accept on;\n}\n')), /events \{ worker_connections 16;\n {4}multi_accept on;\n\}/);
});

test('a text that is included by another has no table', () => {
  assert.equal(withSmallTable('server { listen 80; }\n'), null);
});

test('the changed file is still one over which the lab lays its own log', () => {
  assert.match(configuration.overlaid(String(withSmallTable(EDGE))).text, /worker_connections 16;[\s\S]*log_format doubletake1/);
});

test('the file is the one that the command names', () => {
  const [{ change }] = faults(serviceModel({ command: ['nginx', '-g', 'daemon off;', '-c', '/etc/nginx/edge.conf'] }));
  assert.equal(change?.path, '/etc/nginx/edge.conf');
});
