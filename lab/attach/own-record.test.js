import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readList } from '../../k6/lib/request-list.js';
import { makeOwnRecord } from './own-record.js';

test('each service has a folder that any user may write into, and the copy that is laid over its configuration', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  try {
    const rawFolder = join(folder, 'raw');
    const requests = [{ method: 'GET', path: '/', weight: 2 }];
    const copies = [{ service: 'web', name: 'haproxy.cfg', text: 'global\n', changes: [] }];
    const folders = [join(rawFolder, 'web', 'log')];
    await makeOwnRecord({ id: 'shop/1', folder, rawFolder, user: '1:1' }, { services: ['web', 'db'], folders, requests, copies });
    for (const name of ['web', 'db', 'web/log']) assert.equal((await stat(join(rawFolder, name))).mode & 0o777, 0o777, name);
    assert.equal(await readFile(join(rawFolder, 'web', 'haproxy.cfg'), 'utf8'), 'global\n');
    // As the generator reads them.
    assert.deepEqual(readList(await readFile(join(rawFolder, 'requests.json'), 'utf8')), requests);
  } finally {
    await rm(folder, { recursive: true });
  }
});
