import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { ROOT } from '../define/paths.js';
import { clean } from './clean.js';

const MANIFEST = {
  command: "make swarm-2a LOAD=smoke SEED=1 HOSTS='host2=unix:///tmp/engines-1/2/docker.sock host3=ssh://lab@10.0.0.3'",
  hosts: [{ name: 'host1', boot_id: '4aef93fa', cores: 2 }],
};

test('where engines answer and which start of a machine it was are taken out of a manifest', () => {
  const files = clean({ 'manifest.json': JSON.stringify(MANIFEST), 'raw/a.log': 'x' });
  assert.deepEqual(JSON.parse(files['manifest.json']), {
    command: 'make swarm-2a LOAD=smoke SEED=1',
    hosts: [{ name: 'host1', cores: 2 }],
  });
  assert.equal(files['raw/a.log'], 'x');
});

test('a record that names a folder of this machine is refused, and the place is told', () => {
  const files = { 'manifest.json': '{"command":"make run-a"}', 'raw/app/log.txt': `at ${ROOT}/app/server.js:1` };
  assert.throws(() => clean(files), {
    name: 'NotReadyError',
    message: /^raw\/app\/log\.txt: expected nothing that names this machine; found "/,
  });
  assert.throws(() => clean({ ...files, 'raw/app/log.txt': `at ${os.homedir()}/x` }), /names this machine/);
});
