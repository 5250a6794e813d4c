/**
 * Facts about this machine: what it is, and how busy it is.
 */
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

const BUSY_SAMPLE_MS = 1000;

/** What the machine is, as the manifest records it. */
export async function describeMachine() {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return {
    os: /^PRETTY_NAME="?([^"\n]*)/m.exec(release)?.[1] ?? os.type(),
    kernel: os.release(),
    cpu_model: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memory_bytes: os.totalmem(),
  };
}

/** Milliseconds of CPU time since boot, all cores: busy and in all. */
export function readCpuTimes() {
  let busy = 0;
  let total = 0;
  for (const { times } of os.cpus()) {
    const working = times.user + times.nice + times.sys + times.irq;
    busy += working;
    total += working + times.idle;
  }
  return { busy, total };
}

/**
 * How busy the machine is right now.
 * @param {AbortSignal} [signal]
 * @returns {Promise<number>} share of all cores, 0 to 1, over one second
 */
export async function sampleBusyShare(signal) {
  const before = readCpuTimes();
  await wait(BUSY_SAMPLE_MS, undefined, { signal });
  const after = readCpuTimes();
  return (after.busy - before.busy) / Math.max(1, after.total - before.total);
}

/** Memory that programs can still have, in bytes. */
export async function availableMemory() {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1];
  return kilobytes === undefined ? os.freemem() : Number(kilobytes) * 1024;
}

/**
 * Open files that a process of this machine may have at most; containers get no more than the host's.
 * @returns {Promise<number>} Infinity when it is not known
 */
export async function openFilesLimit() {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const hard = /^Max open files\s+\d+\s+(\d+)/m.exec(text)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}
