import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures } from '../catalog/architectures.js';
import { measuredReliefs } from '../catalog/measured-reliefs.js';
import { againOf, tryNextOf } from './try-next.js';

const lost = (/** @type {string} */ cause, tier = 'load-balancer') => /** @type {any} */ ({ failures: [{ tier, cause }] });
const FULL = lost('connection-table-full-idle');
const shipped = (/** @type {string} */ id) => ({ id, remedies: architectures[id].remedies });
const MADE = { command: 'make run-2a LOAD=ramp BUDGET=none SEED=7', load: 'ramp' };
const commandsOf = (/** @type {import('../record/result.js').TryNext[]} */ next) => next.map(({ command }) => command);

test('what takes away the cause of most failures is what to try next, spelt as the run was, and nothing when nothing does', () => {
  const installed = { command: 'LOAD=smoke doubletake run 2a', load: 'smoke' };
  assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), MADE, FULL)), ['make run-2a-slots LOAD=ramp']);
  assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), installed, FULL)), ['LOAD=smoke doubletake run 2a-slots']);
  assert.deepEqual(commandsOf(tryNextOf(shipped('a-lb'), MADE, FULL)), ['make run-a-lb-slots LOAD=ramp']);
  assert.deepEqual(tryNextOf(shipped('2a'), MADE, lost('app-crashed', 'app')), []);
  assert.deepEqual(tryNextOf(shipped('2a'), MADE, lost('no-live-upstream')), [], 'of the same tier, and for another cause');
  assert.deepEqual(tryNextOf(shipped('2a'), MADE, /** @type {any} */ ({ failures: [] })), []);
  assert.deepEqual(tryNextOf({ id: '2a' }, MADE, FULL), [], 'nothing is known of a system that names none');
});

test('what is to be tried comes with what stored experiments measured of it, the bad beside the good', () => {
  assert.equal(
    tryNextOf(shipped('2a'), { ...MADE, load: 'smoke' }, FULL)[0].why,
    'relieves the load balancer: 8,192 slots in the connection table (worker_connections) instead of 1,024; measured: 0.0 % instead of 65.3 % failed in 8 blocks under load ramp (experiment doubling); but worse: 35.2 % instead of 6.3 % failed in 9 blocks under load surge (experiment remedies-surge)',
  );
  assert.match(tryNextOf(shipped('a-lb'), MADE, FULL)[0].why, /; no stored experiment has measured it$/);
});

test('what the lab has judged worse, or never better, is not recommended, whatever it is meant to relieve', () => {
  const causes = Object.values(architectures).flatMap(({ remedies = [] }) => remedies.flatMap(({ causes: own }) => own));
  const recommended = causes.flatMap((cause) => commandsOf(tryNextOf(shipped('2a'), MADE, lost(cause))));
  assert.deepEqual([...new Set(recommended)], ['make run-2a-slots LOAD=ramp']);
  assert.deepEqual(tryNextOf(shipped('2a'), { ...MADE, load: 'surge' }, FULL), [], 'worse under this load, though better under another');
});

test('it is the measurements that decide, and no name: without any, or with better ones, each relief is told', () => {
  const ports = lost('balancer-exhausted');
  assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), MADE, ports, [])), ['make run-2a-keepalive LOAD=ramp']);
  const better = measuredReliefs.map((one) => ({ ...one, verdict: /** @type {const} */ ('better') }));
  assert.deepEqual(commandsOf(tryNextOf(shipped('2a'), MADE, ports, better)), ['make run-2a-keepalive LOAD=ramp']);
});

test('what is to be tried is tried under the same conditions', () => {
  const command =
    "make swarm-2a LOAD=ramp BUDGET=fair SEED=7 INTEGRITY=1 USERS=300 TIMEOUT=2000 FAULT='kill app-2@3s' HOSTS='host2=ssh://lab@10.0.0.2'";
  const [{ command: next }] = tryNextOf(shipped('2a'), { command, load: 'ramp', hosts: [] }, FULL);
  assert.equal(
    next,
    "make swarm-2a-slots LOAD=ramp BUDGET=fair INTEGRITY=1 USERS=300 TIMEOUT=2000 FAULT='kill app-2@3s' HOSTS='host2=ssh://lab@10.0.0.2'",
  );
});

test('of a run that says nothing the next is the same run, without what made it so', () => {
  assert.deepEqual(againOf({ command: 'make run-2a' }, ['stop the other programs']), [
    { command: 'make run-2a', why: 'again, for this run says nothing of the system; first stop the other programs' },
  ]);
});

test('a remedy that a user wrote is tried as a comparison with the values that it has', () => {
  /** @type {import('../catalog/project-schema.js').Remedy[]} */
  const remedies = [
    { change: 'a pool of 32', causes: ['pool-wait'], variables: { POOL: '32', MODE: 'two words' } },
    { change: 'more memory', causes: ['killed'], variables: { MEMORY: '2g' } },
  ];
  const own = { command: 'doubletake run', load: 'steps' };
  assert.deepEqual(tryNextOf({ id: 'shop', remedies }, own, lost('pool-wait', 'pool')), [
    { command: "doubletake compare --b 'POOL=32,MODE=two words'", why: 'relieves the connection pool: a pool of 32' },
  ]);
});
