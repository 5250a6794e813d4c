import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostPackets, parsePackets } from './packets.js';

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
