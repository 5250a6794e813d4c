/**
 * CPU, throttling, memory, pressure, disk and open files of every container from the kernel's files, once a second. Nothing is asked of the
 * containers themselves, nor of the engine.
 */
import { readCgroupPressure, readDiskBytes, readOpenFiles, readProcesses, readUsage } from '../../docker/cgroup.js';
import { known } from '../../docker/proc.js';

const EVERY_MS = 1000;

/**
 * @param {{ name: string, cgroup: import('../../docker/cgroup.js').Cgroup }[]} watched
 * @param {import('../../docker/system.js').Lines} record
 * @returns {() => void} stops watching
 */
export function observeCgroups(watched, record) {
  const limits = new Map();
  const timer = setInterval(() => {
    for (const { name, cgroup } of watched) {
      const usage = readUsage(cgroup);
      if (!usage) continue;
      const pids = readProcesses(cgroup);
      const more = known({
        pressure: readCgroupPressure(cgroup),
        disk_bytes: readDiskBytes(cgroup, pids),
        fds: readOpenFiles(pids, limits),
      });
      record.write({ name, t: Date.now() / 1000, ...usage, ...more });
    }
  }, EVERY_MS);
  return () => clearInterval(timer);
}
