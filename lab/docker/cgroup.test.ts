import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { parseCgroup, readCgroupPressure, readDiskBytes, readOpenFiles, readProcesses, readTasks, readUsage } from './cgroup.ts';

const FILES_1 = {
	'cpu.stat': 'nr_periods 10\nnr_throttled 2\nthrottled_time 500000000\n',
	'cpuacct.usage': '2500000000\n',
	'memory.usage_in_bytes': '1100\n',
	'memory.stat':
		'workingset_refault_file 2\nhierarchical_memory_limit 2048\ntotal_inactive_file 100\ntotal_workingset_refault_anon 5\ntotal_workingset_refault_file 600\n',
};

test('a machine with cgroup version 1 has a folder for each controller', () => {
	const cgroup = parseCgroup(
		'12:pids:/docker/abc\n11:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n0::/docker/abc\n',
	);
	assert.deepEqual(cgroup, {
		version: 1,
		cpu: '/sys/fs/cgroup/cpu/docker/abc',
		cpuacct: '/sys/fs/cgroup/cpuacct/docker/abc',
		memory: '/sys/fs/cgroup/memory/docker/abc',
		pids: '/sys/fs/cgroup/pids/docker/abc',
	});
});

test('a machine with cgroup version 2 has one folder', () => {
	const folder = '/sys/fs/cgroup/system.slice/docker-abc.scope';
	assert.deepEqual(parseCgroup('0::/system.slice/docker-abc.scope\n'), {
		...{ version: 2, cpu: folder, cpuacct: folder, memory: folder, pids: folder },
	});
});

test('a process that cannot be read has no cgroup', () => {
	assert.equal(parseCgroup(''), null);
});

const gone = '/sys/fs/cgroup/there/is/no/such/folder';
const ended = { version: 2 as const, cpu: gone, cpuacct: gone, memory: gone, pids: gone };

test('a container that has ended has no usage, no pressure, no open files and nothing on the disk', () => {
	const pids = readProcesses(ended);
	assert.deepEqual(
		[readUsage(ended), readCgroupPressure(ended), readOpenFiles(pids, new Map()), readDiskBytes(ended, pids), readTasks(ended)],
		[null, null, null, null, null],
	);
	const noProcess = '4194305';
	assert.equal(readDiskBytes({ ...ended, version: 1 }, [noProcess]), null);
	assert.equal(readOpenFiles([noProcess], new Map()), null);
});

function inFolder(files: Record<string, string>, use: (folder: string) => void) {
	const folder = mkdtempSync(join(tmpdir(), 'cgroup-'));
	try {
		for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
		use(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const MEMORY_2 = 'anon 700\ninactive_file 100\npgfault 9\nworkingset_refault_anon 5\nworkingset_refault_file 600\n';
const FILES_2 = {
	'cpu.stat': 'usage_usec 2500000\nnr_periods 10\nnr_throttled 2\nthrottled_usec 500000\n',
	'memory.current': '1100\n',
	'memory.max': '2048\n',
	'memory.stat': MEMORY_2,
	'cpu.pressure': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1\n',
	'memory.pressure': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=2000000\n',
	'io.pressure': 'some avg10=0.00 avg60=0.00 avg300=0.00 total=3000000\n',
	'io.stat': '254:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=77 dios=1\n8:0 rbytes=1 wbytes=2 rios=1 wios=1 dbytes=0 dios=0\n',
};

test('version 2 tells limit, page-ins, pressure and disk in the files of one folder', () =>
	inFolder(FILES_2, (folder) => {
		const cgroup = { version: 2 as const, cpu: folder, cpuacct: folder, memory: folder };
		assert.deepEqual(readUsage(cgroup), {
			...{ cpu_s: 2.5, periods: 10, throttled_periods: 2, throttled_s: 0.5, memory_bytes: 1000 },
			...{ memory_limit_bytes: 2048, refaults: 605 },
		});
		assert.deepEqual(readCgroupPressure(cgroup), { cpu_s: 1, memory_s: 2, io_s: 3 });
		assert.equal(readDiskBytes(cgroup, []), 12_291);
	}));

test('a limit that is none is left out, in both versions', () => {
	inFolder({ ...FILES_2, 'memory.max': 'max\n' }, (folder) => {
		const usage = readUsage({
			...{ version: 2, cpu: folder, cpuacct: folder, memory: folder, pids: folder },
		});
		assert.equal(usage?.memory_limit_bytes, undefined);
		assert.equal(usage?.memory_bytes, 1000);
	});
	inFolder({ ...FILES_1, 'memory.stat': FILES_1['memory.stat'].replace('2048', '9223372036854771712') }, (folder) => {
		assert.equal(readUsage({ version: 1, cpu: folder, cpuacct: folder, memory: folder })?.memory_limit_bytes, undefined);
	});
});

test('version 1 tells limit and page-ins of the whole container beside its memory', () =>
	inFolder(FILES_1, (folder) => {
		assert.deepEqual(readUsage({ version: 1, cpu: folder, cpuacct: folder, memory: folder }), {
			...{ cpu_s: 2.5, periods: 10, throttled_periods: 2, throttled_s: 0.5, memory_bytes: 1000 },
			...{ memory_limit_bytes: 2048, refaults: 605 },
		});
	}));

test('the quota is read anew each time, and that there is none is said', () => {
	const limitOf = (version: 1 | 2, files: Record<string, string>) => {
		let limit: number | null | undefined;
		inFolder({ ...(version === 1 ? FILES_1 : FILES_2), ...files }, (folder) => {
			limit = readUsage({ version, cpu: folder, cpuacct: folder, memory: folder })?.cpu_limit_cores;
		});
		return limit;
	};
	assert.equal(limitOf(2, { 'cpu.max': '20000 100000\n' }), 0.2);
	assert.equal(limitOf(2, { 'cpu.max': 'max 100000\n' }), null);
	assert.equal(limitOf(1, { 'cpu.cfs_quota_us': '5000\n', 'cpu.cfs_period_us': '10000\n' }), 0.5);
	assert.equal(limitOf(1, { 'cpu.cfs_quota_us': '-1\n', 'cpu.cfs_period_us': '100000\n' }), null);
	assert.equal(limitOf(1, {}), undefined);
});

/** A folder that stands in the place of a process's own in /proc. */
const asProcess = (folder: string) => relative('/proc', folder);
const ON_LINUX = { skip: process.platform !== 'linux' };
const IO = 'rchar: 79444\nwchar: 14269\nsyscr: 81\nsyscw: 58\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 512\n';

test('where no file counts the disk for a container, each of its processes tells what it read and wrote there', ON_LINUX, () =>
	inFolder({ io: IO }, (folder) => {
		const cgroup = { ...ended, version: 1 as const };
		assert.equal(readDiskBytes(cgroup, [asProcess(folder)]), 12_288);
		assert.equal(readDiskBytes(cgroup, [asProcess(folder), '4194305', asProcess(folder)]), 24_576);
	}),
);

test('cgroup version 1 counts no pressure', () => {
	assert.equal(readCgroupPressure({ ...ended, version: 1 }), null);
});

test('a process is held to the soft limit of its open files', ON_LINUX, () => {
	const limitOf = (files: Record<string, string>) => {
		let limit: number | null | undefined;
		inFolder(files, (folder) => {
			mkdirSync(join(folder, 'fd'));
			writeFileSync(join(folder, 'fd', '0'), '');
			const found = readOpenFiles([asProcess(folder)], new Map());
			assert.ok(found !== null && found.open_files > 0);
			limit = found.limit;
		});
		return limit;
	};
	const head = 'Limit                     Soft Limit           Hard Limit           Units\n';
	assert.equal(limitOf({ limits: `${head}Max open files            1024                 524288               files\n` }), 1024);
	assert.equal(limitOf({ limits: `${head}Max open files            unlimited            unlimited            files\n` }), null);
	assert.equal(limitOf({}), null);
});

test('the process that has most open files speaks for its container', ON_LINUX, () => {
	const own = String(process.pid);
	const limits = new Map();
	const found = readOpenFiles(['4194305', own], limits);
	assert.ok(found !== null && found.open_files > 2 && found.limit === limits.get(own));
	limits.set(own, 7);
	assert.equal(readOpenFiles([own], limits)?.limit, 7);
});

test('processes and threads are counted where the kernel counts them and where there is a limit', () => {
	const [version, cpu] = [2 as const, gone];
	inFolder({ 'pids.current': '70\n', 'pids.max': '70\n', 'pids.events': 'max 636\n' }, (pids) =>
		assert.deepEqual(readTasks({ version, cpu, cpuacct: cpu, memory: cpu, pids }), { count: 70, limit: 70, refused: 636 }),
	);
	inFolder({ 'pids.current': '70\n', 'pids.max': 'max\n', 'pids.events': 'max 0\n' }, (pids) =>
		assert.equal(readTasks({ version, cpu, cpuacct: cpu, memory: cpu, pids }), null),
	);
	assert.equal(readTasks({ version, cpu, cpuacct: cpu, memory: cpu }), null);
});
