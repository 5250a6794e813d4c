import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../define/paths.js';
import { serviceModels } from './compose-model.js';
import { generatorOf } from './generator.js';
import { GENERATOR, overlayText } from './overlay.js';

/** As Compose resolves it, as far as it matters here. */
const compose = parse(readFileSync(join(ROOT, 'compose', 'compose.yaml'), 'utf8'), { merge: true, maxAliasCount: -1 });
const config = {
  services: {
    k6: {
      ...compose.services.k6,
      image: 'grafana/k6:1.1.0',
      command: ['run', '--quiet', '/scripts/scenarios/requests.js'],
      environment: { ...compose.services.k6.environment, TARGET: 'http://web:8000/$$x' },
      volumes: [
        { type: 'volume', source: 'raw', target: '/raw' },
        { type: 'bind', source: join(ROOT, 'k6'), target: '/scripts', read_only: true },
      ],
    },
  },
};

test('the generator has the settings of compose.yaml, and what the user’s load needs besides', () => {
  const { image, user, command, environment } = generatorOf(config, { users: 40, seed: 7, user: '10001:10001' });
  assert.deepEqual([image, user], ['grafana/k6:1.1.0', '10001:10001']);
  assert.deepEqual(command, ['run', '--quiet', '/scripts/scenarios/requests.js']);
  for (const name of Object.keys(compose.services.k6.environment)) assert.ok(name in environment, name);
  assert.equal(environment.K6_WEB_DASHBOARD_RECORD, '/raw/k6-record.ndjson');
  assert.equal(environment.TARGET, 'http://web:8000/$x');
  assert.deepEqual([environment.USERS, environment.SEED, environment.REQUESTS_FILE], ['40', '7', '/requests.json']);
});

test('it may write to the record alone, and reads the requests from a mount of their own', () => {
  const { mounts } = generatorOf(config, { users: 40, seed: 7, user: '10001:10001' });
  assert.deepEqual(mounts, [
    { source: join(ROOT, 'k6'), target: '/scripts', readOnly: true },
    { source: 'raw:', target: '/raw', readOnly: false },
    { source: 'raw:requests.json', target: '/requests.json', readOnly: true },
  ]);
});

test('a script of the user’s own is run in its folder, by the wrapper around it, and its thresholds are judged', () => {
  const mounts = [{ source: '/shop', target: '/shop', readOnly: true }];
  const script = { folder: '/shop', mounts, notes: [], shape: /** @type {any} */ (null) };
  const {
    entrypoint,
    folder,
    command,
    environment,
    mounts: all,
  } = generatorOf(config, { users: 40, seed: 7, user: '10001:10001', script });
  assert.deepEqual([entrypoint, folder, command], [['sh'], '/shop', ['-c', 'exec k6 run --quiet - </doubletake-wrapper.js']]);
  assert.equal(environment.K6_NO_THRESHOLDS, 'false');
  assert.deepEqual(all.slice(-2), [{ source: 'raw:', target: '/raw', readOnly: false }, ...mounts]);
});

test('it has the rights, the weight and the limits that compose.yaml gives it', () => {
  const models = serviceModels({ services: { web: { image: 'web', networks: { default: null } } } });
  const generator = generatorOf(config, { users: 40, seed: 7, user: '10001:10001' });
  const services = { web: { tier: /** @type {const} */ ('app'), product: 'opaque', watch: /** @type {const} */ (0) } };
  const project = { compose: [], entry: 'http://web:80/', services, edges: [], load: {} };
  const text = overlayText({ models, project, parts: {}, run: { rawFolder: '/raw', generator } });
  const own = parse(text, { logLevel: 'silent' }).services[GENERATOR];
  for (const key of ['cpu_shares', 'mem_limit', 'tmpfs', 'read_only', 'cap_drop', 'security_opt', 'ports', 'restart', 'labels'])
    assert.deepEqual(own[key], compose.services.k6[key], key);
});
