import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serversAtSockets } from './shared-sockets.js';

/** @type {(service: string, target: string, dependsOn?: string[]) => import('./shared-sockets.js').Sharing} */
const sharing = (service, target, dependsOn = []) => ({
  service,
  dependsOn,
  mounts: [{ type: 'volume', source: 'run', target, readOnly: false }],
});

test('who has the folder of a socket serves there; of several the one that is waited for', () => {
  const lb = sharing('lb', '/run/app', ['Web']);
  const [web, worker] = [sharing('Web', '/tmp'), sharing('worker', '/tmp')];
  const text = 'server unix:///run/app/web.sock fail_timeout=0;';
  assert.deepEqual(serversAtSockets(text, lb, [lb, web]), ['web']);
  assert.deepEqual(serversAtSockets(text, lb, [lb, web, worker]), ['web']);
  assert.deepEqual(serversAtSockets(text, { ...lb, dependsOn: [] }, [web, worker]), []);
  assert.deepEqual(serversAtSockets('server unix:/run/other.sock;', lb, [lb, web]), []);
});
