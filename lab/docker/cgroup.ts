/**
 * CPU, throttling and memory of a container from the kernel's own files. On the host's Linux they are read directly: asking
 * the Docker API costs the engine, containerd and each shim together 4 % of a core, which the load would miss.
 */

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { readIfThere } from '../base/bounded-file.ts';

/*
 * Reads the kernel's own files. They are read at once and not by promises: such a file is made in memory while it is read,
 * and a read that goes through Node's threads costs 20 to 30 times as much CPU (0.01 against 0.3 ms, measured), which the
 * load would miss.
 */

/**
 * The beginning of a file that would cost time to make as a whole.
 * @param {string} path
 * @param {number} bytes
 * @returns {string | null}
 */
export function readHead(path, bytes) {
	let file;
	try {
		file = openSync(path, 'r');
		const buffer = Buffer.alloc(bytes);
		return buffer.toString('latin1', 0, readSync(file, buffer, 0, bytes, 0));
	} catch {
		return null;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/**
 * Entries of a folder of /proc, such as a process's open files.
 * @param {string} path
 * @returns {number | null}
 */
function countEntries(path) {
	try {
		// From Linux 6.2 on the size of /proc/<pid>/fd is their number (https://docs.kernel.org/filesystems/proc.html); before, it is 0.
		return statSync(path).size || readdirSync(path).length;
	} catch {
		return null;
	}
}

/**
 * @param {string} text lines of a name and a number
 * @returns {Record<string, number>}
 */
function parseNumbers(text) {
	return Object.fromEntries(
		text
			.split('\n')
			.map((line) => line.split(' '))
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [name, Number(value)]),
	);
}

const MICROSECONDS = 1e6;

/**
 * Pressure stall information: the time in which some task waited for the resource (https://docs.kernel.org/accounting/psi.html).
 * @param {string | null} text of /proc/pressure/* or a cgroup's *.pressure
 * @returns {number | null} seconds since the boot, or since the cgroup was made; null where the kernel does not count it
 */
export function parsePressure(text) {
	const total = /^some .*\btotal=(\d+)/m.exec(text ?? '')?.[1];
	return total === undefined ? null : Number(total) / MICROSECONDS;
}

/**
 * What is known of some readings: those that could not be read are left out, so that none of them is taken for a zero.
 * @template Value
 * @param {Record<string, Value | null | undefined>} readings
 * @returns {Record<string, Value> | null} null when none could be read
 */
export function known(readings) {
	const found = Object.entries(readings).filter(([, value]) => value !== null && value !== undefined);
	return found.length === 0 ? null : /** @type {Record<string, Value>} */ (Object.fromEntries(found));
}

const ROOT = '/sys/fs/cgroup';
const NANOSECONDS = 1e9;
/** @typedef {{ cpu_s: number, periods: number, throttled_periods: number, throttled_s: number, memory_bytes: number, cpu_limit_cores?: number | null } & Partial<Shortness>} Usage  counters since the container's start, and memory and limits now; cpu_limit_cores: null where it has none, left out where that is not told */
/** @typedef {{ memory_limit_bytes: number, refaults: number }} Shortness  refaults: pages that had been thrown out of memory and came back from the disk, a counter; the limit is left out where there is none */
/** @typedef {{ cpu_s: number, memory_s: number, io_s: number }} Pressure  time in which some task of the container waited for it */
/** @typedef {{ open_files: number, limit: number | null }} OpenFiles  of the process that has most, and how many it may have */
/** @typedef {{ count: number, limit: number, refused: number }} Tasks  processes and threads now, how many there may be, and how often another was refused, a counter */
/** @typedef {{ version: 1 | 2, cpu: string, cpuacct: string, memory: string, pids?: string }} Cgroup  folders; pids: missing where the kernel does not count processes */

/** A container of the lab has a handful; a scan of more would cost the load. */
const PROCESSES_MOST = 16;

/** @typedef {{ id: string, pid: number }} Placed  a container, and the number of its first process on the machine of its engine */

/**
 * Whether the process of that number on this machine is the container's. Where the engine has a kernel of its own (Docker Desktop, another
 * host by DOCKER_HOST), the number is somebody else's here.
 * @param {Placed} container
 * @param {(path: string) => string | null} [read]
 */
export const isOnThisKernel = ({ id, pid }, read = readIfThere) => (read(`/proc/${pid}/cgroup`) ?? '').includes(id);

/**
 * @param {Placed} container
 * @returns {Cgroup | null} null where the files cannot be read, as on Docker Desktop
 */
export function findCgroup(container) {
	if (!isOnThisKernel(container)) return null;
	const cgroup = parseCgroup(readIfThere(`/proc/${container.pid}/cgroup`) ?? '');
	return cgroup && readUsage(cgroup) ? cgroup : null;
}

/**
 * @param {string} text of /proc/<pid>/cgroup (https://man7.org/linux/man-pages/man7/cgroups.7.html)
 * @returns {Cgroup | null}
 */
export function parseCgroup(text) {
	/** @type {Record<string, string>} */
	const folders = {};
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

/**
 * @param {Cgroup} cgroup
 * @returns {Usage | null} null once the container has ended
 */
export function readUsage({ version, cpu, cpuacct, memory }) {
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

/** It may be changed while the container runs. @param {1 | 2} version @param {string} folder @returns {{ cpu_limit_cores?: number | null }} */
function readCpuLimit(version, folder) {
	const text =
		version === 1
			? `${readIfThere(`${folder}/cpu.cfs_quota_us`)} ${readIfThere(`${folder}/cpu.cfs_period_us`)}`
			: readIfThere(`${folder}/cpu.max`);
	const [quota, period] = (text ?? '').trim().split(/\s+/);
	if (!(Number(period) > 0)) return {};
	// Version 1 says -1 where there is none, version 2 a word.
	return { cpu_limit_cores: Number(quota) > 0 ? Number(quota) / Number(period) : null };
}

/** Version 1 has the limit beside the counters, which have names of their own for the whole container. @param {Record<string, number>} stat @param {string | null} most */
function readShortness(stat, most) {
	const limit = most === null ? stat.hierarchical_memory_limit : Number(most);
	const refaults = ['workingset_refault_anon', 'workingset_refault_file'].map((name) => stat[`total_${name}`] ?? stat[name]);
	return known({
		memory_limit_bytes: limit < NO_LIMIT_BYTES ? limit : null,
		refaults: refaults.some((count) => count === undefined) ? null : refaults[0] + refaults[1],
	});
}
/** Version 1 has the largest number of whole pages where there is no limit, version 2 a word. */
const NO_LIMIT_BYTES = 2 ** 62;

/**
 * @param {Cgroup} cgroup
 * @returns {Partial<Pressure> | null} null where the kernel counts it for the whole machine alone
 */
export const readCgroupPressure = ({ version, cpu, memory }) =>
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
 * @param {Cgroup} cgroup
 * @returns {Tasks | null} null where it has no limit, or the kernel does not count them
 */
export function readTasks({ pids }) {
	if (pids === undefined) return null;
	const [count, limit] = ['pids.current', 'pids.max'].map((file) => Number.parseInt(readIfThere(`${pids}/${file}`) ?? '', 10));
	const refused = parseNumbers(readIfThere(`${pids}/pids.events`) ?? '').max;
	// A word stands there where there is no limit.
	return Number.isNaN(count) || Number.isNaN(limit) || refused === undefined ? null : { count, limit, refused };
}

/** @param {Cgroup} cgroup @param {(path: string) => string | null} [read] @returns {string[]} numbers of its processes, the first of them */
export const readProcesses = ({ cpu }, read = readIfThere) =>
	(read(`${cpu}/cgroup.procs`) ?? '')
		.split('\n')
		.filter((pid) => Number(pid) > 0)
		.slice(0, PROCESSES_MOST);

/**
 * What its processes made the disk read and write. Version 1 counts it for the container where the disk's scheduler or a limit does, which is
 * seldom (block/blk-throttle.c): there the processes tell, whose sum falls when one ends.
 * @param {Cgroup} cgroup
 * @param {string[]} pids  of its processes
 * @returns {number | null} bytes since they began; null where that is not shown to this user
 */
export function readDiskBytes({ version, cpu }, pids) {
	if (version === 2) return parseDiskBytes(readIfThere(`${cpu}/io.stat`), 2);
	const counts = pids.map((pid) => parseDiskBytes(readIfThere(`/proc/${pid}/io`), 1)).filter((count) => count !== null);
	return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/**
 * What came from the disk or goes there, and not what the cache had: https://docs.kernel.org/filesystems/proc.html of a process, and
 * https://docs.kernel.org/admin-guide/cgroup-v2.html#io-interface-files with a line for each disk.
 */
const DISK_BYTES = { 1: /^(?:read|write)_bytes: (\d+)/gm, 2: /\b[rw]bytes=(\d+)/g };

/** @param {string | null} text of a process's `io`, or of `io.stat` in version 2 @param {1 | 2} version @returns {number | null} */
const parseDiskBytes = (text, version) =>
	text === null ? null : [...text.matchAll(DISK_BYTES[version])].reduce((sum, [, count]) => sum + Number(count), 0);

/**
 * A server may accept in a worker, not in its first process: the process with most open files speaks for the container.
 * @param {string[]} pids  of its processes
 * @param {Map<string, number | null>} limits  of the processes that were seen before; a new one is added
 * @returns {OpenFiles | null} null where they belong to another user, and the lab is not root
 */
export function readOpenFiles(pids, limits) {
	let fullest = /** @type {{ pid: string, open: number } | null} */ (null);
	for (const pid of pids) {
		const open = countEntries(`/proc/${pid}/fd`);
		if (open !== null && open > (fullest?.open ?? 0)) fullest = { pid, open };
	}
	if (fullest === null) return null;
	if (!limits.has(fullest.pid)) limits.set(fullest.pid, parseOpenFilesLimit(readIfThere(`/proc/${fullest.pid}/limits`)));
	return { open_files: fullest.open, limit: limits.get(fullest.pid) ?? null };
}

/**
 * @param {string | null} text of /proc/<pid>/limits
 * @returns {number | null} the soft limit, which is the one that the kernel holds the process to; null when it has none or is not known
 */
function parseOpenFilesLimit(text) {
	const soft = /^Max open files\s+(\d+)/m.exec(text ?? '')?.[1];
	return soft === undefined ? null : Number(soft);
}
