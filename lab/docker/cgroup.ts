/**
 * CPU, throttling and memory of a container from the kernel's own files. On the host's Linux they are read directly: asking
 * the Docker API costs the engine, containerd and each shim together 4 % of a core, which the load would miss.
 */

import { readIfThere } from '../base/bounded-file.ts';
import { countEntries, known, MICROSECONDS, parseNumbers, parsePressure } from './proc.ts';

const ROOT = '/sys/fs/cgroup';
const NANOSECONDS = 1e9;
/**
 * counters since the container's start, and memory and limits now; cpu_limit_cores: null where it has none, left out where that is not told
 */
export type Usage = {
	cpu_s: number;
	periods: number;
	throttled_periods: number;
	throttled_s: number;
	memory_bytes: number;
	cpu_limit_cores?: number | null;
} & Partial<Shortness>;

/** refaults: pages that had been thrown out of memory and came back from the disk, a counter; the limit is left out where there is none */
type Shortness = { memory_limit_bytes: number; refaults: number };

/** time in which some task of the container waited for it */
type Pressure = { cpu_s: number; memory_s: number; io_s: number };

/** of the process that has most, and how many it may have */
type OpenFiles = { open_files: number; limit: number | null };

/** processes and threads now, how many there may be, and how often another was refused, a counter */
type Tasks = { count: number; limit: number; refused: number };

/** folders; pids: missing where the kernel does not count processes */
export type Cgroup = { version: 1 | 2; cpu: string; cpuacct: string; memory: string; pids?: string };

/** A container of the lab has a handful; a scan of more would cost the load. */
const PROCESSES_MOST = 16;

/** a container, and the number of its first process on the machine of its engine */
export type Placed = { id: string; pid: number };

/**
 * Whether the process of that number on this machine is the container's. Where the engine has a kernel of its own (Docker Desktop, another
 * host by DOCKER_HOST), the number is somebody else's here.
 */
export const isOnThisKernel = ({ id, pid }: Placed, read: (path: string) => string | null = readIfThere) =>
	(read(`/proc/${pid}/cgroup`) ?? '').includes(id);

/** @returns null where the files cannot be read, as on Docker Desktop */
export function findCgroup(container: Placed): Cgroup | null {
	if (!isOnThisKernel(container)) return null;
	const cgroup = parseCgroup(readIfThere(`/proc/${container.pid}/cgroup`) ?? '');
	return cgroup && readUsage(cgroup) ? cgroup : null;
}

/** @param text of /proc/<pid>/cgroup (https://man7.org/linux/man-pages/man7/cgroups.7.html) */
export function parseCgroup(text: string): Cgroup | null {
	const folders: Record<string, string> = {};
	for (const line of text.split('\n')) {
		const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
		for (const controller of controllers?.split(',') ?? [])
			folders[controller] = controller === '' ? `${ROOT}${path}` : `${ROOT}/${controller}${path}`;
	}
	const { cpu, cpuacct, memory, pids, '': unified } = folders;
	// A hybrid machine mounts version 2 without controllers beside version 1.
	if (cpu && cpuacct && memory) return { version: 1, cpu, cpuacct, memory, ...(pids ? { pids } : {}) };
	return unified ? { version: 2, cpu: unified, cpuacct: unified, memory: unified, pids: unified } : null;
}

/** @returns null once the container has ended */
export function readUsage({ version, cpu, cpuacct, memory }: Cgroup): Usage | null {
	const stat = readIfThere(`${cpu}/cpu.stat`);
	const held = readIfThere(`${memory}/${version === 1 ? 'memory.usage_in_bytes' : 'memory.current'}`);
	const detail = readIfThere(`${memory}/memory.stat`);
	const used = version === 1 ? readIfThere(`${cpuacct}/cpuacct.usage`) : '';
	if (stat === null || held === null || detail === null || used === null) return null;
	const cpuNumbers = parseNumbers(stat);
	const memoryNumbers = parseNumbers(detail);
	// The page cache is not the program's: subtracted as `docker stats` does.
	const cache = memoryNumbers.total_inactive_file ?? memoryNumbers.inactive_file ?? 0;
	return {
		cpu_s: version === 1 ? Number(used) / NANOSECONDS : cpuNumbers.usage_usec / MICROSECONDS,
		periods: cpuNumbers.nr_periods ?? 0,
		throttled_periods: cpuNumbers.nr_throttled ?? 0,
		throttled_s: version === 1 ? (cpuNumbers.throttled_time ?? 0) / NANOSECONDS : (cpuNumbers.throttled_usec ?? 0) / MICROSECONDS,
		memory_bytes: Math.max(0, Number(held) - cache),
		...readCpuLimit(version, cpu),
		...readShortness(memoryNumbers, version === 1 ? null : readIfThere(`${memory}/memory.max`)),
	};
}

/** It may be changed while the container runs. */
function readCpuLimit(version: 1 | 2, folder: string): { cpu_limit_cores?: number | null } {
	const text =
		version === 1
			? `${readIfThere(`${folder}/cpu.cfs_quota_us`)} ${readIfThere(`${folder}/cpu.cfs_period_us`)}`
			: readIfThere(`${folder}/cpu.max`);
	const [quota, period] = (text ?? '').trim().split(/\s+/);
	if (!(Number(period) > 0)) return {};
	// Version 1 says -1 where there is none, version 2 a word.
	return { cpu_limit_cores: Number(quota) > 0 ? Number(quota) / Number(period) : null };
}

/** Version 1 has the limit beside the counters, which have names of their own for the whole container. */
function readShortness(stat: Record<string, number>, most: string | null) {
	const limit = most === null ? stat.hierarchical_memory_limit : Number(most);
	const refaults = ['workingset_refault_anon', 'workingset_refault_file'].map((name) => stat[`total_${name}`] ?? stat[name]);
	return known({
		memory_limit_bytes: limit < NO_LIMIT_BYTES ? limit : null,
		refaults: refaults.some((count) => count === undefined) ? null : refaults[0] + refaults[1],
	});
}
/** Version 1 has the largest number of whole pages where there is no limit, version 2 a word. */
const NO_LIMIT_BYTES = 2 ** 62;

/** @returns null where the kernel counts it for the whole machine alone */
export const readCgroupPressure = ({ version, cpu, memory }: Cgroup): Partial<Pressure> | null =>
	version === 1
		? null
		: known({
				cpu_s: parsePressure(readIfThere(`${cpu}/cpu.pressure`)),
				memory_s: parsePressure(readIfThere(`${memory}/memory.pressure`)),
				io_s: parsePressure(readIfThere(`${cpu}/io.pressure`)),
			});

/**
 * How many processes and threads it has, of those that it may have (https://docs.kernel.org/admin-guide/cgroup-v2.html#pid-interface-files,
 * and the same files in version 1).
 * @returns null where it has no limit, or the kernel does not count them
 */
export function readTasks({ pids }: Cgroup): Tasks | null {
	if (pids === undefined) return null;
	const [count, limit] = ['pids.current', 'pids.max'].map((file) => Number.parseInt(readIfThere(`${pids}/${file}`) ?? '', 10));
	const refused = parseNumbers(readIfThere(`${pids}/pids.events`) ?? '').max;
	// A word stands there where there is no limit.
	return Number.isNaN(count) || Number.isNaN(limit) || refused === undefined ? null : { count, limit, refused };
}

/** @returns numbers of its processes, the first of them */
export const readProcesses = ({ cpu }: Cgroup, read: (path: string) => string | null = readIfThere): string[] =>
	(read(`${cpu}/cgroup.procs`) ?? '')
		.split('\n')
		.filter((pid) => Number(pid) > 0)
		.slice(0, PROCESSES_MOST);

/**
 * What its processes made the disk read and write. Version 1 counts it for the container where the disk's scheduler or a limit does, which is
 * seldom (block/blk-throttle.c): there the processes tell, whose sum falls when one ends.
 * @param pids of its processes
 * @returns bytes since they began; null where that is not shown to this user
 */
export function readDiskBytes({ version, cpu }: Cgroup, pids: string[]): number | null {
	if (version === 2) return parseDiskBytes(readIfThere(`${cpu}/io.stat`), 2);
	const counts = pids.map((pid) => parseDiskBytes(readIfThere(`/proc/${pid}/io`), 1)).filter((count) => count !== null);
	return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/**
 * What came from the disk or goes there, and not what the cache had: https://docs.kernel.org/filesystems/proc.html of a process, and
 * https://docs.kernel.org/admin-guide/cgroup-v2.html#io-interface-files with a line for each disk.
 */
const DISK_BYTES = { 1: /^(?:read|write)_bytes: (\d+)/gm, 2: /\b[rw]bytes=(\d+)/g };

/** @param text of a process's `io`, or of `io.stat` in version 2 */
const parseDiskBytes = (text: string | null, version: 1 | 2): number | null =>
	text === null ? null : [...text.matchAll(DISK_BYTES[version])].reduce((sum, [, count]) => sum + Number(count), 0);

/**
 * A server may accept in a worker, not in its first process: the process with most open files speaks for the container.
 * @param pids of its processes
 * @param limits of the processes that were seen before; a new one is added
 * @returns null where they belong to another user, and the lab is not root
 */
export function readOpenFiles(pids: string[], limits: Map<string, number | null>): OpenFiles | null {
	let fullest = null as { pid: string; open: number } | null;
	for (const pid of pids) {
		const open = countEntries(`/proc/${pid}/fd`);
		if (open !== null && open > (fullest?.open ?? 0)) fullest = { pid, open };
	}
	if (fullest === null) return null;
	if (!limits.has(fullest.pid)) limits.set(fullest.pid, parseOpenFilesLimit(readIfThere(`/proc/${fullest.pid}/limits`)));
	return { open_files: fullest.open, limit: limits.get(fullest.pid) ?? null };
}

/**
 * @param text of /proc/<pid>/limits
 * @returns the soft limit, which is the one that the kernel holds the process to; null when it has none or is not known
 */
function parseOpenFilesLimit(text: string | null): number | null {
	const soft = /^Max open files\s+(\d+)/m.exec(text ?? '')?.[1];
	return soft === undefined ? null : Number(soft);
}
