import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { docker } from './docker.js';
import { keeperOf } from './stack.js';

afterEach(() => mock.restoreAll());

const { signal } = new AbortController();
const system = { project: 'doubletake-run-1a2b', cwd: '/', flags: [] };
const rules = {
  mayEnd: (/** @type {string} */ service) => service === 'job',
  comesBack: (/** @type {string} */ service) => service === 'api',
};

/** An engine with these containers; those that are started run. @param {Record<string, any>} states  by service */
function engineWith(states) {
  const started = /** @type {string[]} */ ([]);
  mock.method(docker, 'listContainers', async () =>
    Object.keys(states).map((service) => ({
      Id: service,
      Names: [`/run-${service}-1`],
      Labels: { 'com.docker.compose.service': service },
    })),
  );
  mock.method(docker, 'getContainer', (/** @type {string} */ id) => ({
    inspect: async () => ({ State: states[id], Config: { Tty: true } }),
    logs: async () => Buffer.from('no such table: items\n'),
    start: async () => {
      started.push(id);
      states[id] = { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false };
    },
  }));
  return started;
}

const ended = (/** @type {number} */ ExitCode) => ({ Status: 'exited', Running: false, ExitCode, OOMKilled: false });

test('what ends before the load and comes back by its file is started again, and a job that is done is left', async () => {
  const started = engineWith({ api: ended(1), job: ended(0) });
  const said = /** @type {string[]} */ ([]);
  const look = keeperOf({ system, rules, say: (text) => said.push(text), signal });
  assert.deepEqual([await look(), await look()], [false, true]);
  assert.deepEqual(started, ['api']);
  assert.deepEqual(said, ['api ended before the load, and is started again, as its Compose file has it']);
});

test('what ends and does not come back is told with its log', async () => {
  engineWith({ web: ended(2) });
  await assert.rejects(
    keeperOf({ system, rules, say: () => {}, signal })(),
    /did not stay so until the load\.\nrun-web-1 exited with code 2; the last lines of its log:\n {4}no such table: items\n {2}To do: correct/,
  );
});
