import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.js';
import { serviceModels } from './compose-model.js';
import { copiesOf, originalsOf, writeCopies } from './configurations.js';

const PATH = '/usr/local/etc/haproxy/haproxy.cfg';
const CFG = 'frontend web\n    mode http\n    bind :8080\n';

/** @type {(watch: 1 | 2) => import('../catalog/project-schema.js').Project} */
const projectOf = (watch) => ({
  compose: ['compose.yaml'],
  entry: 'http://proxy:8080/',
  services: { proxy: { tier: 'load-balancer', product: 'haproxy', watch } },
  edges: [],
  load: { urls: ['GET /'] },
});

/** @param {any} service */
const modelsOf = (service) => serviceModels({ services: { proxy: { image: 'haproxy:2.6', ...service } } });

/** @type {(source: string, target: string, type?: string) => any} */
const mounted = (source, target, type = 'bind') => ({ volumes: [{ type, source, target, read_only: true }] });

test('the copy is made of the file that is mounted, of one in a folder that is mounted, or of the image’s own', () => {
  const fileOf = (/** @type {any} */ service) => originalsOf(modelsOf(service), projectOf(2)).map(({ path, file }) => [path, file]);
  assert.deepEqual(fileOf(mounted('/home/ada/haproxy.cfg', PATH)), [[PATH, '/home/ada/haproxy.cfg']]);
  assert.deepEqual(fileOf(mounted('/home/ada/conf', '/usr/local/etc/haproxy/')), [[PATH, '/home/ada/conf/haproxy.cfg']]);
  assert.deepEqual(fileOf({}), [[PATH, null]]);
});

test('below level 2 nothing is copied', () => {
  assert.deepEqual(originalsOf(modelsOf({}), projectOf(1)), []);
});

test('a configuration that lies in a volume, or that Compose lays, is refused', () => {
  const volume = modelsOf(mounted('conf', '/usr/local/etc/haproxy', 'volume'));
  assert.throws(
    () => originalsOf(volume, projectOf(2)),
    /services\.proxy\.watch: level 2 expected a file of this machine .* found a volume/,
  );
  const laid = modelsOf({ configs: [{ source: 'cfg', target: PATH }] });
  assert.throws(() => originalsOf(laid, projectOf(2)), /found an entry of "configs"/);
});

test('a copy is made of what is there, each change is told, and it lies in a folder that is the lab’s alone', async () => {
  const scratch = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  try {
    await writeFile(join(scratch, 'own.cfg'), CFG);
    const originals = originalsOf(modelsOf(mounted(join(scratch, 'own.cfg'), PATH)), projectOf(2));
    const copies = await copiesOf(originals, async () => '');
    const [{ service, name, text, changes }] = copies;
    assert.deepEqual([service, name], ['proxy', 'haproxy.cfg']);
    assert.match(text, /X-Request-Id/);
    assert.ok(changes.length > 0);
    await writeCopies(copies, join(scratch, 'copies'));
    const path = join(scratch, 'copies', service, name);
    assert.equal(await readFile(path, 'utf8'), text);
    // Its program may run as any user; nobody else comes through the folder around it.
    assert.equal((await stat(path)).mode & 0o777, 0o644);
    assert.equal((await stat(scratch)).mode & 0o777, 0o700);
  } finally {
    await rm(scratch, { recursive: true });
  }
});

test('a configuration that is not there is refused, wherever it was looked for', async () => {
  const refused = (/** @type {any} */ service) => copiesOf(originalsOf(modelsOf(service), projectOf(2)), async () => '');
  await assert.rejects(refused({}), (error) => error instanceof NotReadyError && /in its image; found none/.test(error.message));
  await assert.rejects(refused(mounted('/no/such/haproxy.cfg', PATH)), /configuration at \/no\/such\/haproxy\.cfg; found none/);
});
