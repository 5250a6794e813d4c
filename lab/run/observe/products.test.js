import assert from 'node:assert/strict';
import { test } from 'node:test';
import { questionsFor, readEvent, readProductVersions } from './products.js';

/** @typedef {import('../../docker/containers.js').Service} Service */

/** @type {Record<string, Pick<Service, 'tier' | 'product' | 'watch'>>} */
const SERVICES = {
  proxy: { tier: 'load-balancer', product: 'haproxy', watch: 1 },
  web: { tier: 'app', product: 'opaque', watch: 1 },
  db: { tier: 'database', product: 'postgres', watch: 1 },
  old: { tier: 'database', product: 'postgres', watch: 0 },
  cache: { tier: 'cache', product: 'redis', watch: 1 },
  node: { tier: 'app', product: null, watch: 0 },
  'doubletake-k6': { tier: 'generator', product: null, watch: 0 },
};

/** @type {(service: string, name?: string, changes?: Partial<Service>) => Service} */
const container = (service, name = service, changes = {}) => ({
  ...{ service, name, ...SERVICES[service], address: '', addresses: [], cpuQuotaCores: null },
  ...{ id: name, pid: 1, image: '', imageId: '', ...changes },
});

/** A container that prints this whatever it is asked. @type {(outputs: Record<string, string>) => (service: { id: string }) => any} */
const printing = (outputs) => (service) => ({
  execute: async () => {
    if (outputs[service.id] === undefined) throw new Error('no such program');
    return { exitCode: 0, output: outputs[service.id] };
  },
});

test('each product tells its version, and one that does not is unknown', async () => {
  const outputs = {
    proxy: 'HAProxy version 2.6.12-1+deb12u1 2023/12/16',
    'db-1': 'postgres (PostgreSQL) 15.4',
    'db-2': 'asked once is enough',
    old: 'postgres (PostgreSQL) 13.2',
  };
  const containers = [
    container('proxy'),
    container('web'),
    container('node'),
    container('db', 'db-1'),
    container('db', 'db-2'),
    container('old'),
    container('cache'),
  ];
  assert.deepEqual(await readProductVersions(containers, printing(outputs)), {
    haproxy: '2.6.12-1+deb12u1',
    postgres: '15.4, 13.2',
    redis: 'unknown',
  });
});

test('a container that has ended is not asked', async () => {
  assert.deepEqual(await readProductVersions([container('db', 'db', { pid: 0 })], printing({})), {});
});

test('each container is asked for its state where its product has something to ask at that level', () => {
  const others = [
    container('web'),
    container('node'),
    container('old'),
    container('db', 'db-1'),
    container('db', 'db-2'),
    container('cache'),
    container('doubletake-k6', 'k6'),
  ];
  const names = (/** @type {Service[]} */ containers) => questionsFor(containers, printing({})).map(({ name }) => name);
  assert.deepEqual(names([container('proxy'), ...others]), ['db-1', 'db-2', 'cache']);
  assert.deepEqual(names([container('proxy', 'proxy', { watch: 2 }), ...others]), ['proxy', 'db-1', 'db-2', 'cache']);
});

test('a server that lets the lab in at no time is not asked for ever, and one that did once is asked again', async () => {
  const LOCKED_OUT = 'psql: error: FATAL:  role "postgres" does not exist';
  /** @param {(times: number) => string} says */
  const timesAsked = async (says) => {
    let times = 0;
    const open = () =>
      /** @type {any} */ ({
        execute: async () => {
          times += 1;
          return { exitCode: says(times) === '{}' ? 0 : 2, output: says(times) };
        },
      });
    const [{ ask }] = questionsFor([container('db')], open);
    for (let second = 0; second < 10; second += 1) await ask();
    return times;
  };
  assert.equal(await timesAsked(() => LOCKED_OUT), 3);
  assert.equal(await timesAsked((times) => (times % 3 === 0 ? '{}' : LOCKED_OUT)), 10);
  assert.equal(await timesAsked(() => 'ERROR:  canceling statement due to statement timeout'), 10);
});

const names = new Map([['abc', 'app-1']]);

test('an end is reported with its moment, its service and its exit code', () => {
  const line = JSON.stringify({
    Action: 'die',
    Actor: { ID: 'abc', Attributes: { exitCode: '137' } },
    timeNano: 1_800_000_000_500_000_000,
  });
  assert.deepEqual(readEvent(line, names), { t: 1_800_000_000.5, name: 'app-1', action: 'die', exit_code: 137 });
});

test('an event without an exit code has none, and one of another container is left out', () => {
  assert.equal(readEvent(JSON.stringify({ Action: 'oom', Actor: { ID: 'abc' }, timeNano: 1e18 }), names)?.exit_code, null);
  assert.equal(readEvent(JSON.stringify({ Action: 'die', Actor: { ID: 'xyz' }, timeNano: 1e18 }), names), null);
});
