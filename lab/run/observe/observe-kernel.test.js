import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineCpu, HostPackets, parseCounters, parseDatagrams, parsePackets, parseProcessStat, parseSockets } from './observe-kernel.js';

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

const HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;
/** @param {Record<string, [number, number]>} interfaces packets received and sent */
const table = (interfaces) =>
  HEAD +
  Object.entries(interfaces)
    .map(
      ([name, [received, sent]]) =>
        `  ${name}: 502101790   ${received}    0    0    0     0          0         0   989282    ${sent}    0    0    0     0       0          0\n`,
    )
    .join('');

test('a packet is taken up when it is received and when it is sent, on the loopback once', () => {
  assert.deepEqual(parsePackets(table({ lo: [29, 29], eth0: [12994, 9813] })), { lo: 29, eth0: 22807 });
  assert.deepEqual(parsePackets(''), {});
});

test('the host counts on when an interface is gone, and one that is new counts from its beginning', () => {
  const readings = [table({ eth0: [10, 0], veth1: [100, 100] }), table({ eth0: [15, 0], veth2: [7, 0] }), null];
  const packets = new HostPackets(
    () => readings.shift() ?? null,
    () => true,
  );
  assert.deepEqual([packets.count(), packets.count(), packets.count()], [210, 222, null]);
});

test('a bridge is left out: its members have counted what it passes on', () => {
  const packets = new HostPackets(
    () => table({ eth0: [10, 0], 'br-1': [100, 100] }),
    (name) => name !== 'br-1',
  );
  assert.equal(packets.count(), 10);
});

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

test('TCP sockets are read by state, and those of other protocols are not', () => {
  assert.deepEqual(parseSockets(SOCKSTAT), { inuse: 3, orphan: 1, tw: 215, alloc: 27, mem: 62 });
});

test('sockets for datagrams are counted, and not known where the file has no line for them', () => {
  assert.deepEqual([parseDatagrams(SOCKSTAT), parseDatagrams('')], [9, null]);
});

test('a file without a line for TCP has no sockets', () => {
  assert.deepEqual(parseSockets(''), {});
});

test('counters that speak of connections are kept by name, the others are left out', () => {
  assert.deepEqual(parseCounters(NETSTAT), { ListenOverflows: 17, ListenDrops: 18, TCPTimeouts: 4, TCPAbortOnData: 5 });
  assert.deepEqual(parseCounters(SNMP), { AttemptFails: 21, EstabResets: 22, RetransSegs: 23, OutRsts: 24 });
});

test('a counter of another protocol with a kept name is not taken for TCP', () => {
  assert.equal(parseCounters(NETSTAT).OutRsts, undefined);
});

test('an empty or broken file has no counters', () => {
  assert.deepEqual(parseCounters(''), {});
  assert.deepEqual(parseCounters('TcpExt: ListenOverflows'), {});
});
