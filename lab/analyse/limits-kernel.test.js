import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from './fixtures/record.js';
import { FROM } from './fixtures/story.js';
import { limitsOf } from './limits.js';

const SECONDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** @param {(raw: import('./read-raw.js').Raw) => void} change of a healthy run of two nodes */
function limitsIn(change) {
  const raw = recordOf({ balanced: true });
  change(raw);
  return new Map(limitsOf(factsOf(raw), SECONDS).map((limit) => [limit.id, limit]));
}

/** @type {(rows: any[], name: string, second: number) => any} */
const rowOf = (rows, name, second) => rows.find((row) => row.name === name && row.t === FROM + second);

test('local ports are counted for the destination that took most, and bind from half of the range on', () => {
  const limits = limitsIn((raw) => {
    rowOf(raw.kernel, 'nginx', 1).ports = { range: [32768, 60999], by_destination: { '10.0.0.1:3000': 14_116, '10.0.0.2:3000': 9000 } };
    rowOf(raw.kernel, 'nginx', 6).ports = { range: [32768, 60999], by_destination: { '10.0.0.1:3000': 14_115 } };
  });
  const busiest = limits.get('ports-nginx');
  assert.deepEqual([busiest?.limit, busiest?.tier, busiest?.service], [14_116, 'load-balancer', 'nginx']);
  assert.deepEqual(busiest?.reached, [true, true, true, true, true, false, false, false]);
  const all = limits.get('ports-all-nginx');
  assert.deepEqual([all?.limit, all?.values[0]], [null, 23_116]);
  assert.ok(all?.reached.every((reached) => !reached));
});

test('a count of ports stands for the five seconds until the next, and no longer', () => {
  const limits = limitsIn((raw) => {
    rowOf(raw.kernel, 'k6', 2).ports = { range: [32768, 60999], by_destination: { '10.0.0.9:80': 3000 } };
  });
  assert.deepEqual(limits.get('ports-k6')?.values, [null, 3000, 3000, 3000, 3000, 3000, null, null]);
});

test('each listening port has its accept queue, which is full at its limit', () => {
  const limits = limitsIn((raw) => {
    for (const [second, queued] of [
      [1, 0],
      [2, 510],
      [3, 511],
    ]) // prettier-ignore
      rowOf(raw.kernel, 'app-1', second).accept = [{ port: 3000, queued, limit: 511 }];
  });
  const queue = limits.get('accept-app-1-3000');
  assert.deepEqual([queue?.tier, queue?.limit, queue?.reached.slice(0, 4)], ['app', 511, [false, false, true, null]]);
});

test('open files have the limit of the process', () => {
  const limits = limitsIn((raw) => {
    rowOf(raw.containers, 'mongo', 1).open_files = { used: 40, limit: 64 };
    rowOf(raw.containers, 'mongo', 2).open_files = { used: 64, limit: 64 };
  });
  const files = limits.get('files-mongo');
  assert.deepEqual([files?.tier, files?.values.slice(0, 2), files?.reached.slice(0, 2)], ['database', [40, 64], [false, true]]);
});

test('memory is the limit in a second that was spent for the most part waiting for it', () => {
  const limits = limitsIn((raw) => {
    let waited = 0;
    for (const row of raw.containers.filter(({ name }) => name === 'app-2')) {
      waited += { 2: 0.59, 3: 0.6 }[/** @type {2 | 3} */ (row.t - FROM)] ?? 0;
      row.pressure = { cpu_s: 0, memory_s: waited };
    }
  });
  const pressure = limits.get('memory-pressure-app-2');
  assert.deepEqual(pressure?.values.slice(0, 4), [0, 0.59, 0.6, 0]);
  assert.deepEqual(pressure?.reached.slice(0, 4), [false, false, true, false]);
});

test("the machine's table of tracked connections is the machine's limit", () => {
  const limits = limitsIn((raw) => {
    for (const row of raw.host) row.conntrack = { count: row.t < FROM + 3 ? 100 : 65_536, max: 65_536 };
  });
  const tracked = limits.get('conntrack');
  assert.deepEqual([tracked?.tier, tracked?.reached.slice(0, 4)], ['machine', [false, false, true, true]]);
});

test('a record that was made before these were read has none of them', () => {
  const ids = [...limitsIn(() => {}).keys()];
  assert.deepEqual(ids, ['balancer-connections', 'pool-app-1', 'loop-app-1', 'pool-app-2', 'loop-app-2', 'database-connections']);
});
