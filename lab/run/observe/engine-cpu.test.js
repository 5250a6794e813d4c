import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineCpu, parseProcessStat } from './engine-cpu.js';

/** @type {(pid: string, name: string, ticks: number) => string} */
const stat = (pid, name, ticks) => `${pid} (${name}) S 1 1 1 0 -1 4194560 9 9 9 9 ${ticks} 50 700 700 20 0 1 0 9`;

/** @param {Record<string, [string, number]>} processes  name and ticks in user space, by number */
const procOf = (processes) => ({
  list: () => ['cpuinfo', ...Object.keys(processes)],
  read: (/** @type {string} */ path) => {
    const pid = path.split('/')[2];
    return processes[pid] ? stat(pid, ...processes[pid]) : null;
  },
});

test('a process has its own time in user space and in the kernel, whatever its name is', () => {
  assert.deepEqual(parseProcessStat(stat('7', 'a (b) c', 150)), { name: 'a (b) c', cpu_s: 2 });
  assert.equal(parseProcessStat(''), null);
});

test('it is what the engine used since the first reading, and nobody else', () => {
  /** @type {Record<string, [string, number]>} */
  const processes = { 1: ['init', 900], 7: ['dockerd', 1000], 8: ['containerd-shim', 20] };
  const engine = new EngineCpu(procOf(processes));
  assert.equal(engine.read(), 0);
  Object.assign(processes, { 1: ['init', 1900], 7: ['dockerd', 1100], 8: ['containerd-shim', 30] });
  assert.ok(Math.abs(Number(engine.read()) - 1.1) < 1e-9);
});

test('what ended keeps its time, what began later is found, and a number that became another process’s is let go', () => {
  /** @type {Record<string, [string, number]>} */
  const processes = { 7: ['dockerd', 100], 8: ['containerd-shim', 0] };
  const engine = new EngineCpu(procOf(processes));
  engine.read();
  Object.assign(processes, { 8: ['bash', 5000], 9: ['containerd-shim', 50] });
  for (let reads = 1; reads < 10; reads += 1) assert.equal(engine.read(), 0);
  // 0.5 s in user space and 0.5 s in the kernel.
  assert.equal(engine.read(), 1);
});

test('a machine without an engine has no figure of one', () => assert.equal(new EngineCpu(procOf({ 1: ['init', 5] })).read(), null));
