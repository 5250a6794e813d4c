import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disagreements } from './wire-and-hops.js';

/** @param {string} to @param {number} calls @param {string} [protocol] */
const edge = (to, calls, protocol = 'http') =>
  /** @type {import('../define/result.js').WireEdge} */ ({ from: 'k6', to, port: 80, protocol, calls });
/** @param {string} service @param {number | null} received */
const hop = (service, received) => ({ service, received, source: 'HTTP log' });

test('a log that leaves lines out is told, with both counts', () => {
  // A proxy that does not wait for its output loses lines: 989 passed, 987 were logged.
  assert.deepEqual(disagreements({ edges: [edge('lb', 900), edge('lb', 89)] }, [hop('lb', 987)]), [
    '989 requests passed the networks to lb, and its own record (HTTP log) has 987',
  ]);
});

test('what agrees, is not on record, or is no HTTP is no disagreement', () => {
  const edges = [edge('lb', 5004), edge('web', 10), edge('db', 70, 'other')];
  assert.deepEqual(disagreements({ edges }, [hop('lb', 5000), hop('web', null), hop('db', 9), hop('none', 4)]), []);
  assert.equal(disagreements({ edges }, [hop('lb', 4998)]).length, 1);
});
