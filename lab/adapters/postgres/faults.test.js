import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { faults } from './faults.js';
import { commandWithSettings } from './statements.js';

/** @param {string} id @param {Partial<import('../contract.js').ServiceModel>} [service] */
function faultOf(id, service = { image: 'postgres:15', command: ['postgres', '-c', 'max_connections=60'] }) {
  const found = faults(serviceModel(service)).find((fault) => fault.id === id);
  assert.ok(found);
  return found;
}

/** The value that holds: the last. @param {string[] | null | undefined} command */
const connectionsIn = (command) => command?.findLast((word) => word.startsWith('max_connections='));

test('the few connections come after the user’s own and after what the lab adds', () => {
  const { command } = faultOf('connections-taken');
  assert.equal(connectionsIn(command?.(undefined)), 'max_connections=4');
  assert.deepEqual(command?.(undefined)?.slice(0, 3), ['postgres', '-c', 'max_connections=60']);
  const ofLab = commandWithSettings(serviceModel({ image: 'postgres:15', command: ['postgres'] })) ?? [];
  assert.deepEqual(command?.(ofLab)?.slice(0, ofLab.length), ofLab);
  assert.equal(connectionsIn(command?.(ofLab)), 'max_connections=4');
});

test('a command that a shell runs is not changed', () => {
  const { command } = faultOf('connections-taken', { image: '', command: ['sh', '-c', 'postgres -D /data'] });
  assert.equal(command?.(undefined), null);
});

test('as many sessions are held as there are connections, from before the load', () => {
  const [{ at, command }] = faultOf('connections-taken').actions ?? [];
  const [, , script, , , seconds] = command?.(7.2) ?? [];
  assert.deepEqual([at, seconds], ['up', '8']);
  assert.match(script, /for slot in 1 2 3 4; do hold & done/);
});

test('the lock is held for the time that is asked for, and given back', () => {
  const [{ command }] = faultOf('locked-table').actions ?? [];
  const statement = command?.(8).at(-1) ?? '';
  assert.match(statement, /^begin;.*lock table .* access exclusive mode.*select pg_sleep\(8\);\ncommit$/s);
});

test('both ask first whether they may', () => {
  for (const id of ['connections-taken', 'locked-table']) assert.match(String(faultOf(id).needs?.command.at(-1)), /^select 1/);
});
