import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { afterEach, mock, test } from 'node:test';
import { serviceModel } from '../../adapters/fixtures/service-model.js';
import { faults as ofPgbouncer } from '../../adapters/pgbouncer/faults.js';
import { faults as ofPostgres } from '../../adapters/postgres/faults.js';
import { everyAdapter } from '../../adapters/registry.js';
import { inConf } from '../../adapters/shipped-faults/balancer.js';
import { NotInjectedError } from '../../base/errors.js';
import { docker } from '../../docker/docker.js';
import { checkConfig } from '../../run/attach/checked-system.js';
import { serviceModels } from '../../target/compose-model.js';
import { detectTiers } from '../../target/detect.js';
import { configOf } from '../../target/fixtures/systems.js';
import { chooseProject } from '../../target/init.js';
import { actionsOf, changedFolder, injectionOf, obstacleTo, overrideOf, withChange, withCommand } from './injection.js';

afterEach(() => mock.restoreAll());

const SHAPE = /** @type {import('../../../k6/lib/shapes.js').Shape} */ ({
  title: '',
  model: 'closed',
  unit: 'users',
  warmup_s: 2,
  settle_s: 3,
  stages: [{ duration_s: 40, target: 9 }],
});
const CFG = 'frontend web\n    mode http\n    default_backend app\nbackend app\n    mode http\n    server a a:1 maxconn 9\n';

/** The shop, as a run of it would be, with HAProxy watched at this level. @param {1 | 2} watch */
function shop(watch = 2) {
  const config = configOf('shop');
  const models = serviceModels(config);
  const project = chooseProject(detectTiers(models, everyAdapter), models);
  project.services.haproxy.watch = watch;
  return { runProject: 'doubletake-run-1', mark: 'a1b2c3d4e5f6', ...checkConfig(config, { project, allowData: false, read: () => null }) };
}

/** @param {string} product @param {string} id */
function faultOf(product, id) {
  const found = everyAdapter
    .find((adapter) => adapter.product === product)
    ?.faults?.(serviceModel({ image: `${product}:1` }))
    .find((fault) => fault.id === id);
  assert.ok(found);
  return found;
}

/** Containers as the engine tells them. @param {string[]} names @returns {any[]} */
const stackOf = (names) => names.map((name) => ({ name, service: name.replace(/-\d+$/, ''), id: name }));

test('a change is made before the lab’s own, so that the service is watched as ever', () => {
  const path = '/usr/local/etc/haproxy/haproxy.cfg';
  const { originals, parts } = withChange(faultOf('haproxy', 'short-queue'), 'haproxy', shop(2));
  assert.deepEqual([originals.length, originals[0].path], [1, path]);
  const { text, changes } = originals[0].configuration.overlaid(CFG);
  assert.ok(text.includes('server a a:1 maxconn 1\n') && text.includes('X-Request-Id'), text);
  assert.match(changes[0], /^one connection to each server/);
  assert.ok(changes.length > 1);
  assert.deepEqual(parts.haproxy.mounts, shop(2).parts.haproxy.mounts);
});

test('where the lab lays nothing over the file, a changed copy is laid over it for the run', () => {
  const { originals, parts } = withChange(faultOf('haproxy', 'short-queue'), 'haproxy', shop(1));
  assert.deepEqual(
    originals.map(({ service, file }) => [service, file]),
    [['haproxy', '/home/ada/shop/haproxy.cfg']],
  );
  assert.deepEqual(parts.haproxy.mounts, [{ source: 'raw:haproxy.cfg', target: '/usr/local/etc/haproxy/haproxy.cfg', readOnly: true }]);
  assert.doesNotMatch(originals[0].configuration.overlaid(CFG).text, /X-Request-Id/);
  const [ofPool] = withChange(ofPgbouncer(serviceModel())[0], 'pgbouncer', shop()).originals.slice(1);
  assert.deepEqual([ofPool.service, ofPool.file], ['pgbouncer', null]);
});

test('a text that has nothing to change cannot take the fault, and says so', () => {
  const { originals } = withChange(faultOf('haproxy', 'short-queue'), 'haproxy', shop(1));
  assert.throws(() => originals[0].configuration.overlaid('frontend web\n'), NotInjectedError);
});

test('a command gets the fault’s settings after its own', () => {
  const [fault] = ofPostgres(serviceModel({ image: 'postgres:15', command: ['postgres', '-c', 'max_connections=100'] }));
  const { parts } = withCommand(fault, 'postgres', shop());
  assert.deepEqual(parts.postgres.command?.slice(0, 3), ['postgres', '-c', 'max_connections=100']);
  assert.ok(parts.postgres.command?.includes('max_connections=4'));
  assert.equal(withCommand(faultOf('opaque', 'paused'), 'web', shop()).parts.web.command, undefined);
});

test('what is done in the load is done at its share of it, and what is done before goes on for as much of it', () => {
  const paused = actionsOf(faultOf('opaque', 'paused'), () => 'web-1', SHAPE, { before: false });
  assert.deepEqual(paused, [
    { after_s: 16, service: 'web-1', action: 'pause' },
    { after_s: 24, service: 'web-1', action: 'unpause' },
  ]);
  const taken = faultOf('postgres', 'connections-taken');
  assert.deepEqual(
    actionsOf(taken, () => 'postgres', SHAPE, { before: false }),
    [],
  );
  const [held] = actionsOf(taken, () => 'postgres', SHAPE, { before: true });
  // 40 % of 40 s, and the 5 s before the load.
  assert.deepEqual([held.after_s, held.command?.at(-1), held.limit_s], [0, '21', 81]);
});

test('it is asked before the load whether the container can take the fault', async () => {
  const fault = { service: 'web', how: faultOf('opaque', 'worker-killed') };
  /** @type {string[]} */
  const asked = [];
  const open =
    (/** @type {() => Promise<any>} */ execute) =>
    (/** @type {{ name: string }} */ { name }) => {
      asked.push(name);
      return { execute };
    };
  const stack = stackOf(['web-10', 'web-2', 'postgres']);
  assert.equal(
    await obstacleTo(
      fault,
      stack,
      open(async () => ({ exitCode: 0, output: '' })),
    ),
    null,
  );
  assert.match(
    String(
      await obstacleTo(
        fault,
        stack,
        open(async () => ({ exitCode: 1, output: '' })),
      ),
    ),
    /no worker processes/,
  );
  assert.match(
    String(
      await obstacleTo(
        fault,
        stack,
        open(async () => Promise.reject(new Error('no sh'))),
      ),
    ),
    /no worker processes/,
  );
  assert.deepEqual(asked, ['web-2', 'web-2', 'web-2']);
  assert.equal(await obstacleTo({ service: 'web', how: faultOf('opaque', 'paused') }, []), null);
});

test('the control changes nothing, and the manifest names every other fault', () => {
  const control = injectionOf({ id: 'control', title: '', demand: {}, service: '', how: null, cannot: null }, async () => {});
  const checked = shop();
  assert.equal(control.change(checked), checked);
  assert.equal(control.fault, null);
  const how = faultOf('opaque', 'paused');
  const paused = injectionOf({ id: 'web.paused', title: 'web: paused', demand: {}, service: 'web', how, cannot: null }, async () => {});
  assert.deepEqual(paused.fault, { id: 'web.paused', title: 'web: paused' });
});

test('what is run in a container and does not end well is reported when the load has ended', async () => {
  const exec = {
    start: async () => [],
    inspect: async () => ({ Running: false, ExitCode: 2 }),
  };
  const state = { State: { Pid: 7 }, HostConfig: {}, NetworkSettings: { Networks: {} } };
  const labels = { 'doubletake.name': 'postgres', 'doubletake.tier': 'database', 'com.docker.compose.service': 'postgres' };
  mock.method(docker, 'listContainers', async () => [{ Id: 'p', Labels: labels, Image: '', ImageID: '' }]);
  mock.method(docker, 'getContainer', () => ({ inspect: async () => state, exec: async () => exec }));
  const fault = { id: 'x', title: '', demand: {}, service: 'postgres', how: faultOf('postgres', 'connections-taken'), cannot: null };
  const injection = injectionOf(fault, async () => {});
  const during = {
    stack: stackOf(['postgres']),
    shape: SHAPE,
    system: { project: 'p', cwd: '/', flags: [] },
    signal: new AbortController().signal,
  };
  await injection.whenUp(during);
  await assert.rejects(injection.duringLoad(1, during), (error) => error instanceof NotInjectedError && /ended with 2/.test(error.message));
});

const BY_NAME = { 'app-1': 'tickets-1', nginx: 'nginx-1a-tuned' };
const CONF = inConf(/worker_connections \d+;/, 'worker_connections 64;');

test('settings are given to the service that has the name in this architecture', () => {
  const services = { 'app-1': { environment: { STOCK: '1' } } };
  assert.deepEqual(overrideOf({ services }, BY_NAME, null), {
    services: { 'tickets-1': { environment: { STOCK: '1' } } },
    networks: {},
  });
});

test('a changed conf is mounted in the place of the lab’s own, beside other settings of the balancer', () => {
  const { services } = overrideOf({ services: { nginx: { ulimits: { nofile: 64 } } }, change: CONF }, BY_NAME, '/tmp/conf');
  assert.deepEqual(services['nginx-1a-tuned'], { ulimits: { nofile: 64 }, volumes: ['/tmp/conf:/etc/doubletake:ro'] });
});

test('a network that the settings name is declared', () => {
  assert.deepEqual(overrideOf({ networks: ['private'] }, BY_NAME, null).networks, { private: { labels: { 'doubletake.lab': 'yes' } } });
});

test('a change of the conf is made in a copy, with its snippets beside it', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'inject-test-'));
  try {
    const copy = await changedFolder(CONF, folder);
    assert.match(await readFile(join(copy, '2a.conf'), 'utf8'), /worker_connections 64;/);
    assert.ok(await readFile(join(copy, 'snippets', 'http.conf'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('what is done to a way names the containers at both its ends', () => {
  const actions = [{ at: 0.5, action: /** @type {const} */ ('lose'), other: 'pool', share: 0.7 }];
  const named = actionsOf({ actions }, (service = 'store') => `${service}-1`, SHAPE, { before: false });
  assert.deepEqual(named, [{ after_s: 20, service: 'store-1', action: 'lose', other: 'pool-1', share: 0.7 }]);
});
