import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCounters, parseDatagrams, parseSockets } from './observe-kernel.js';

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
