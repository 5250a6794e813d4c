import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCgroup, parseOpenFilesLimit, readCgroupPressure, readOpenFiles, readUsage } from './cgroup.js';

test('a machine with cgroup version 1 has a folder for each controller', () => {
  const cgroup = parseCgroup('11:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n0::/docker/abc\n');
  assert.deepEqual(cgroup, {
    version: 1,
    cpu: '/sys/fs/cgroup/cpu/docker/abc',
    cpuacct: '/sys/fs/cgroup/cpuacct/docker/abc',
    memory: '/sys/fs/cgroup/memory/docker/abc',
  });
});

test('a machine with cgroup version 2 has one folder', () => {
  const folder = '/sys/fs/cgroup/system.slice/docker-abc.scope';
  assert.deepEqual(parseCgroup('0::/system.slice/docker-abc.scope\n'), { version: 2, cpu: folder, cpuacct: folder, memory: folder });
});

test('a process that cannot be read has no cgroup', () => {
  assert.equal(parseCgroup(''), null);
});

const gone = '/sys/fs/cgroup/there/is/no/such/folder';
const ended = { version: /** @type {const} */ (2), cpu: gone, cpuacct: gone, memory: gone };

test('a container that has ended has no usage, no pressure and no open files', () => {
  assert.deepEqual([readUsage(ended), readCgroupPressure(ended), readOpenFiles(ended, new Map())], [null, null, null]);
});

test('cgroup version 1 counts no pressure', () => {
  assert.equal(readCgroupPressure({ ...ended, version: 1 }), null);
});

test('a process is held to the soft limit of its open files', () => {
  const limits =
    'Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 524288               files\n';
  assert.equal(parseOpenFilesLimit(limits), 1024);
  assert.equal(parseOpenFilesLimit('Max open files            unlimited            unlimited            files\n'), null);
  assert.equal(parseOpenFilesLimit(null), null);
});
