import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { formatOwner, readOwner, stateOf, thisOwner } from './lock.js';

const here = thisOwner();

test('a process says whose it is, and that it lives', () => {
  assert.ok(here.boot !== '' && here.started !== '' && here.pid === process.pid, JSON.stringify(here));
  assert.equal(stateOf(here, thisOwner()), 'alive');
  assert.deepEqual(readOwner(JSON.stringify(here)), here);
});

test('a process that has ended is gone, and so is one whose number was given to another', () => {
  const { pid } = spawnSync('true');
  assert.equal(stateOf({ ...here, pid }, here), 'gone');
  assert.equal(stateOf({ ...here, started: `${here.started}1` }, here), 'gone');
});

test('a process that was killed is gone before its parent has asked for it', { skip: process.platform !== 'linux' }, async () => {
  // The shell becomes a program that never asks for its child.
  const parent = spawn('sh', ['-c', 'sh -c "kill -9 \\$\\$" & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [reported] = await once(parent.stdout, 'data');
    const child = Number(String(reported));
    let found = stateOf({ ...here, pid: child }, here);
    for (let looks = 0; found !== 'gone' && looks < 200; looks += 1) {
      spawnSync('sleep', ['0.02']);
      found = stateOf({ ...here, pid: child }, here);
    }
    assert.equal(found, 'gone');
  } finally {
    parent.kill('SIGKILL');
  }
});

test('what a number means elsewhere is not known here', () => {
  for (const other of [{ boot: 'another' }, { boot: '' }, { space: 'pid:[1]' }, { host: 'another' }, { started: '' }])
    assert.equal(stateOf({ ...here, ...other }, here), 'unknown', JSON.stringify(other));
});

test('a label that another program wrote, or that is cut, names nobody', () => {
  for (const text of [
    undefined,
    '',
    '{',
    'null',
    '[]',
    '{"pid":1}',
    JSON.stringify({ ...here, pid: -1 }),
    JSON.stringify({ ...here, user: 7 }),
  ])
    assert.equal(readOwner(text), null, text);
});

test('it is told by process, user, host, time and folder', () => {
  const owner = { ...here, pid: 7, user: 'ada', host: 'bench', since: '2026-11-26T06:07:08.900Z', reports: '/srv/reports' };
  assert.equal(formatOwner(owner), 'process 7 of ada on bench, since 2026-11-26 06:07:08 UTC, with its reports in /srv/reports');
});
