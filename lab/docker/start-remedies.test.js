import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remedyOf } from './stack.js';

/** @type {(state: import('./stack.js').Standing['state'], isOutOfMemory?: boolean) => import('./stack.js').Standing} */
const standing = (state, isOutOfMemory = false) => ({ service: 'web', state, isOutOfMemory });

test('what the engine says of its own parts is followed by what to do', () => {
  const overlap = 'failed to create network x_back: Error response from daemon: Pool overlaps with other one on this address space';
  assert.match(remedyOf(overlap, []), /^the file gives a network a subnet that another network of this machine has/);
  assert.match(remedyOf('could not select device driver "nvidia" with capabilities: [[gpu]]', []), /a device or a runtime/);
  const mount = 'error mounting "/shop/web.conf": Are you trying to mount a directory onto a file (or vice-versa)?';
  assert.match(remedyOf(mount, [standing('created')]), /^create the file that is mounted/);
});

test('else the state of a container says it', () => {
  assert.match(remedyOf('', [standing('unhealthy')]), /^try its health check/);
  assert.match(remedyOf('', [standing('starting')]), /what it waits for/);
  assert.match(remedyOf('', [standing('ended')]), /write "tier: other" for it/);
  assert.match(remedyOf('', [standing('ended', true)]), /^give it more memory/);
  assert.match(remedyOf('something new', []), /^correct what the lines above name/);
});
