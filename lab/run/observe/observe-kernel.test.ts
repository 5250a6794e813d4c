import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Watched } from './observe-kernel.ts';
import { observeKernel } from './observe-kernel.ts';

/** No process of this machine has it. */
const PID = 2 ** 30;
const WEB = { name: 'web', id: '', pid: PID, portRange: null };

/**
 * What is recorded, second by second.
 * @param seconds files below /proc in each
 * @param of before: files
 * when watching begins
 */
function observed(
	seconds: Record<string, string>[],
	{
		watched = [],
		isBridge = () => false,
		before = {},
	}: { watched?: Watched[]; isBridge?: (name: string) => boolean; before?: Record<string, string> } = {},
) {
	const rows = { host: [] as any[], kernel: [] as any[] };
	const into = (name: 'host' | 'kernel') => ({ write: (row: any) => rows[name].push(row) }) as any;
	let files: Record<string, string> = before;
	const proc = {
		read: (path: string) => files[path.startsWith('/proc/') ? path.slice('/proc/'.length) : path] ?? null,
		list: () => ['cpuinfo', ...Object.keys(files).map((path) => path.split('/')[0])],
		isBridge,
	};
	mock.timers.enable({ apis: ['setInterval'] });
	try {
		const stop = observeKernel(watched, { host: into('host'), kernel: into('kernel') }, proc);
		for (const now of seconds) {
			files = now;
			mock.timers.tick(1000);
		}
		stop();
		mock.timers.tick(1000);
	} finally {
		mock.timers.reset();
	}
	assert.equal(rows.host.length, seconds.length);
	return rows;
}

/** half a second in the kernel, and so many hundredths in user space */
const stat: (name: string, ticks: number) => string = (name, ticks) =>
	`1 (${name}) S 1 1 1 0 -1 4194560 9 9 9 9 ${ticks} 50 700 700 20 0 1 0 9`;
/** @param processes name and ticks in user space, by number */
const procOf = (processes: Record<string, [string, number]>) =>
	Object.fromEntries(Object.entries(processes).map(([pid, [name, ticks]]) => [`${pid}/stat`, stat(name, ticks)]));
const engineIn = (...seconds: Record<string, [string, number]>[]) =>
	observed(seconds.map(procOf)).host.map(({ engine_cpu_s: used }) => used && Number(used.toFixed(6)));

test('it is what the engine used since the first reading, and nobody else, whatever a process is called', () =>
	assert.deepEqual(
		engineIn(
			{ 1: ['init', 900], 7: ['dockerd', 1000], 8: ['containerd-shim', 20], 9: ['dockerd) S (x', 5] },
			{ 1: ['init', 1900], 7: ['dockerd', 1100], 8: ['containerd-shim', 30], 9: ['dockerd) S (x', 995] },
		),
		[0, 1.1],
	));

test('what ended keeps its time, what began later is found, and a number that became another process’s is let go', () => {
	const later = { 7: ['dockerd', 100], 8: ['bash', 5000], 9: ['containerd-shim', 50] };
	const seconds = [{ 7: ['dockerd', 50], 8: ['containerd-shim', 0] }, ...Array.from({ length: 11 }, () => later), {}] as Record<
		string,
		[string, number]
	>[];
	// 0.5 s in user space and 0.5 s in the kernel of what was found with the tenth reading after the first.
	assert.deepEqual(engineIn(...seconds), [0, ...Array.from({ length: 9 }, () => 0.5), 1.5, 1.5, 1.5]);
});

test('a machine without an engine has no figure of one', () => assert.deepEqual(engineIn({ 1: ['init', 5] }, {}), [undefined, undefined]));

const HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;
/** @param interfaces packets received and sent */
const table = (interfaces: Record<string, [number, number]>) =>
	HEAD +
	Object.entries(interfaces)
		.map(
			([name, [received, sent]]) =>
				`  ${name}: 502101790   ${received}    0    0    0     0          0         0   989282    ${sent}    0    0    0     0       0          0\n`,
		)
		.join('');

/** @param seconds /proc/net/dev in each */
const packetsIn = (seconds: string[], isBridge?: (name: string) => boolean) =>
	observed(
		seconds.map((text) => (text === '' ? {} : { 'net/dev': text }) as Record<string, string>),
		{ isBridge },
	).host.map(({ packets }) => packets);

test('a packet is taken up when it is received and when it is sent, on the loopback once', () =>
	assert.deepEqual(packetsIn([table({ lo: [29, 29], eth0: [12994, 9813] })]), [29 + 22807]));

test('the host counts on when an interface is gone, and one that is new counts from its beginning', () => {
	const seconds = [table({ eth0: [10, 0], veth1: [100, 100] }), table({ eth0: [15, 0], veth2: [7, 0] }), ''];
	assert.deepEqual(packetsIn(seconds), [210, 222, undefined]);
});

test('a bridge is left out: its members have counted what it passes on', () =>
	assert.deepEqual(
		packetsIn([table({ eth0: [10, 0], 'br-1': [100, 100] })], (name) => name === 'br-1'),
		[10],
	));

const SOCKSTAT = `sockets: used 27
TCP: inuse 3 orphan 1 tw 215 alloc 27 mem 62
UDP: inuse 9 mem 0
RAW: inuse 0
`;

const NETSTAT = `TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPTimeouts TCPAbortOnData
TcpExt: 0 17 18 4 5
IpExt: InNoRoutes OutRsts
IpExt: 7 8
`;

const SNMP = `Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin MaxConn AttemptFails EstabResets RetransSegs OutRsts
Tcp: 1 200 -1 21 22 23 24
Udp: InDatagrams NoPorts
Udp: 1 2
`;

/**
 * What is recorded of a container.
 * @param files below its /proc/<pid>/net
 */
const readingOf = (files: Record<string, string>) =>
	observed([Object.fromEntries(Object.entries(files).map(([name, text]) => [`${PID}/net/${name}`, text]))], { watched: [WEB] }).kernel[0];

test('TCP sockets are read by state, and those of other protocols are not', () => {
	assert.deepEqual(readingOf({ sockstat: SOCKSTAT }).sockets, { inuse: 3, orphan: 1, tw: 215, alloc: 27, mem: 62 });
	assert.deepEqual(readingOf({ sockstat: 'UDP: inuse 9 mem 0\n' }).sockets, {});
});

test('lookups are counted where there are more sockets for datagrams than the engine’s own, and not known without a line for them', () => {
	const udp = `  sl  local_address rem_address   st tx_queue rx_queue\n 1: 030013AC:A1B2 0B00007F:0035 01 00000000:00000000\n`;
	const lookupsOf = (sockstat: string) => readingOf({ sockstat, udp }).lookups;
	assert.deepEqual([SOCKSTAT, SOCKSTAT.replace('UDP: inuse 9', 'UDP: inuse 1'), ''].map(lookupsOf), [1, 0, undefined]);
});

test('a container that is started again is read in its new namespace, and while it is away in none', () => {
	const id = 'c0ffee';
	const cgroup = `0::/docker/${id}\n`;
	const watched = [{ name: 'web', id, pid: PID, portRange: null }];
	const life = (pid: number, inuse: number) => ({
		[`${pid}/cgroup`]: cgroup,
		[`${pid}/net/sockstat`]: `TCP: inuse ${inuse}\n`,
		[`/sys/fs/cgroup/docker/${id}/cgroup.procs`]: `${pid}\n`,
	});
	// By then the number of its first process is another's.
	const others = { [`${PID}/cgroup`]: '0::/user.slice\n', [`${PID}/net/sockstat`]: 'TCP: inuse 99\n' };
	const { kernel } = observed([life(PID, 1), {}, life(PID + 7, 2), { ...others, ...life(PID + 7, 3) }, others, life(PID + 9, 4)], {
		watched,
		before: life(PID, 1),
	});
	assert.deepEqual(
		kernel.map(({ sockets }) => sockets.inuse),
		[1, 2, 3, 4],
	);
});

test('a namespace that cannot be read has no line', () => assert.equal(readingOf({ netstat: NETSTAT }), undefined));

test('a container’s packets are those of its interfaces, without what it sends to itself', () =>
	assert.equal(readingOf({ sockstat: '', dev: table({ lo: [29, 29], eth0: [12994, 9813] }) }).packets, 22807));

const countersOf = (files: Record<string, string>) => readingOf({ sockstat: '', ...files }).counters;

test('counters that speak of connections are kept by name, the others are left out', () => {
	assert.deepEqual(countersOf({ netstat: NETSTAT }), { ListenOverflows: 17, ListenDrops: 18, TCPTimeouts: 4, TCPAbortOnData: 5 });
	assert.deepEqual(countersOf({ snmp: SNMP }), { AttemptFails: 21, EstabResets: 22, RetransSegs: 23, OutRsts: 24 });
});

test('a counter of another protocol with a kept name is not taken for TCP', () =>
	assert.equal(countersOf({ netstat: NETSTAT }).OutRsts, undefined));

test('an empty or broken file has no counters', () => {
	assert.deepEqual(countersOf({ netstat: '' }), {});
	assert.deepEqual(countersOf({ netstat: 'TcpExt: ListenOverflows' }), {});
});
