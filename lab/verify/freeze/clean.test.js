import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT } from '../../base/paths.js';
import { clean } from './clean.js';

const MANIFEST = {
  command: "make swarm-2a LOAD=smoke SEED=1 HOSTS='host2=unix:///tmp/engines-1/2/docker.sock host3=ssh://lab@10.0.0.3'",
  hosts: [{ name: 'host1', boot_id: '4aef93fa', cores: 2 }],
};
const PLAIN = { 'manifest.json': '{"command":"make run-a"}' };

test('where engines answer and which start of a machine it was are taken out of a manifest', () => {
  const files = clean({ 'manifest.json': JSON.stringify(MANIFEST), 'raw/a.log': 'x' });
  assert.deepEqual(JSON.parse(files['manifest.json']), {
    command: 'make swarm-2a LOAD=smoke SEED=1',
    hosts: [{ name: 'host1', cores: 2 }],
  });
  assert.equal(files['raw/a.log'], 'x');
});

test('of a file of this machine its name is left, and what containers have stays', () => {
  const text = `at file://${ROOT}/package.json:1 in /app/server.js, /etc/hosts and GET /item/1`;
  const { 'raw/k6.log': left } = clean({ ...PLAIN, 'raw/k6.log': text });
  assert.equal(left, 'at file://package.json:1 in /app/server.js, /etc/hosts and GET /item/1');
});

test('a record that names a folder of this machine all the same is refused, and the place is told', () => {
  const files = { ...PLAIN, 'raw/app/log.txt': `at ${ROOT}/no such file` };
  assert.throws(() => clean(files), {
    name: 'NotReadyError',
    message: /^raw\/app\/log\.txt: expected nothing that names this machine; found "/,
  });
});
