import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCgroup, parseNumbers, readUsage } from './cgroup.js';

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

test('a container that has ended has no usage', async () => {
  const gone = '/sys/fs/cgroup/there/is/no/such/folder';
  assert.equal(await readUsage({ version: 2, cpu: gone, cpuacct: gone, memory: gone }), null);
});

test('the lines of a statistics file are names and numbers', () => {
  assert.deepEqual(parseNumbers('nr_periods 12\nthrottled_time 3400\n'), { nr_periods: 12, throttled_time: 3400 });
});
