import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../define/errors.js';
import { dangersOf, refuseDangers } from './dangers.js';
import { configOf } from './fixtures/systems.js';

/** @param {any} config */
const found = (config) => dangersOf(config).map(({ service, severity, what }) => `${service} ${severity}: ${what}`);

test('a volume and a network that are new for the run are no danger', () => {
  assert.deepEqual(found(configOf('shop')), []);
});

test('what was resolved under another project’s name is not taken for the run’s own', () => {
  const config = configOf('shop');
  config.name = 'doubletake-0000';
  assert.ok(found(config).includes('postgres refuse: uses the volume "data" by the fixed name doubletake-7f3a_data'));
});

test('a folder that a service can write to is refused, and a host outside of the file is told by its variable', () => {
  assert.deepEqual(found(configOf('notes')), [
    'api refuse: can write to /home/ada/notes/uploads of this machine (mounted at /app/uploads)',
    'api warn: names a host outside of this file in STRIPE_URL',
  ]);
});

test('everything that a hostile file holds is found', () => {
  assert.deepEqual(found(configOf('hostile')), [
    '1.0 refuse: joins the external network "edge"',
    '0x1f refuse: uses the volume "cache" by the fixed name shared-cache',
    '0x1f refuse: uses the volume "exports", which lies in //files.example.test/exports',
    '0x1f refuse: joins the network "shared" by the fixed name everybody',
    'constructor refuse: mounts /var/run/docker.sock of this machine',
    'constructor warn: mounts / of this machine, where the engine’s socket lies',
    'constructor refuse: uses the volumes of a container that is not the run’s',
    'constructor refuse: is privileged',
    'constructor refuse: uses the machine’s own network',
    'constructor warn: sees the machine’s processes',
    'constructor warn: uses /dev/kvm of this machine',
    'constructor warn: has a name for this machine',
    'null warn: names a host outside of this file in PAYMENTS',
    'y refuse: uses the external volume "pgdata"',
  ]);
});

test('a volume that a service only reads is no danger, whoever’s it is', () => {
  const config = configOf('hostile');
  config.services.y.volumes[0].read_only = true;
  assert.ok(!found(config).some((line) => line.startsWith('y ')));
});

test('devices are read as older versions of Compose give them', () => {
  assert.deepEqual(found({ name: 'run', services: { one: { devices: ['/dev/dri:/dev/dri:rwm'] } } }), [
    'one warn: uses /dev/dri of this machine',
  ]);
});

test('hosts of the file itself and of the container itself are not outside', () => {
  const environment = { A: 'http://127.0.0.1:1/', B: 'http://0.0.0.0/', C: 'http://web.internal/', D: 'http://localhost/' };
  const networks = { default: { aliases: ['web.internal'] } };
  const config = { name: 'run', networks: { default: { name: 'run_default' } }, services: { one: { environment, networks } } };
  assert.deepEqual(found(config), []);
});

test('a run with refused dangers does not start, and the message has all of them and what to do', () => {
  const dangers = dangersOf(configOf('hostile'));
  assert.throws(
    () => refuseDangers(dangers, { allowData: false }),
    (error) => {
      assert.ok(error instanceof NotReadyError);
      for (const { service, what, remedy, severity } of dangers) {
        assert.equal(error.message.includes(`${service} ${what}: `), severity === 'refuse', what);
        if (severity === 'refuse') assert.ok(error.message.includes(remedy));
      }
      assert.match(error.message, /--allow-data/);
      return true;
    },
  );
});

test('a run starts when the user allows it, and when there are only warnings', () => {
  const dangers = dangersOf(configOf('hostile'));
  assert.doesNotThrow(() => refuseDangers(dangers, { allowData: true }));
  assert.doesNotThrow(() => refuseDangers(dangers.filter(({ severity }) => severity === 'warn')));
  assert.doesNotThrow(() => refuseDangers([]));
});
