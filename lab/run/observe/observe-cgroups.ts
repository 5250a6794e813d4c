/**
 * CPU, throttling, memory, pressure, disk and open files of every container from the kernel's files, once a second. Nothing is asked of the
 * containers themselves, nor of the engine.
 */

import { type Cgroup, readCgroupPressure, readDiskBytes, readOpenFiles, readProcesses, readTasks, readUsage } from '../../docker/cgroup.ts';
import type { Lines } from '../../docker/containers.ts';
import { known } from '../../docker/proc.ts';
import { EVERY_MS } from './observe-kernel.ts';

/** @returns stops watching */
export function observeCgroups(watched: { name: string; cgroup: Cgroup }[], record: Lines): () => void {
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
				tasks: readTasks(cgroup),
			});
			record.write({ name, t: Date.now() / 1000, ...usage, ...more });
		}
	}, EVERY_MS);
	return () => clearInterval(timer);
}
