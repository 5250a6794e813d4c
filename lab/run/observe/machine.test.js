import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busyAndTotal, parseStat } from './machine.js';

const STAT = `cpu  5153 10 1860 43576 675 3 284 235 0 0
cpu0 2500 5 900 21000 300 1 140 100 0 0
intr 123
`;

test('the first line of /proc/stat is the time of all cores by state, in seconds', () => {
  assert.deepEqual(parseStat(STAT), {
    user: 51.53,
    nice: 0.1,
    system: 18.6,
    idle: 435.76,
    iowait: 6.75,
    irq: 0.03,
    softirq: 2.84,
    steal: 2.35,
  });
});

test('a machine without /proc/stat, or with a shorter line, has no times by state', () => {
  assert.equal(parseStat(null), null);
  assert.equal(parseStat('cpu  1 2 3 4\n'), null);
});

test('waiting for a disk and stolen time are time in which the machine was not busy', () => {
  const stat = { user: 1, nice: 2, system: 4, idle: 8, iowait: 16, irq: 32, softirq: 64, steal: 128 };
  assert.deepEqual(busyAndTotal(stat), { busy: 103, total: 255 });
});
