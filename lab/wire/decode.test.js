import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decoder as http } from '../adapters/http/wire.js';
import { decode } from './decode.js';
import { pcapOf, tcpFrame } from './fixtures/packet.js';

const GET = 'GET /a HTTP/1.1\r\n\r\n';
const OK = 'HTTP/1.1 204 No Content\r\n\r\n';

/** A request on a connection of its own, to each of so many ports. @param {number} times @param {number} at */
const requests = (times, at) =>
  Array.from({ length: times }, (_, index) => {
    const ends = { source: '10.0.0.1', sourcePort: 1000 + index, target: '10.0.0.2', targetPort: 80 };
    const back = { source: ends.target, sourcePort: 80, target: ends.source, targetPort: ends.sourcePort };
    return [
      tcpFrame({ ...ends, flags: 'S', sequence: 1 }),
      tcpFrame({ ...back, flags: 'SA', sequence: 5, acknowledged: 2 }),
      tcpFrame({ ...ends, sequence: 2, acknowledged: 6, payload: GET }),
      tcpFrame({ ...back, sequence: 6, acknowledged: 2 + GET.length, payload: OK }),
    ].map((frame) => ({ at, frame }));
  }).flat();

/** @param {Buffer} bytes */
async function* chunksOf(bytes) {
  for (let from = 0; from < bytes.length; from += 1000) yield bytes.subarray(from, from + 1000);
}

test('the files of several networks are read one after the other, and connections have numbers of their own', async () => {
  /** @type {[number, number | null][]} */
  const calls = [];
  /** @type {number[]} */
  const connections = [];
  const file = pcapOf(requests(3, 1000));
  const read = await decode(
    [
      { network: 'front', chunks: chunksOf(file) },
      { network: 'back', chunks: chunksOf(pcapOf(requests(2, 900)).subarray(0, -10)) },
      { network: 'none', chunks: chunksOf(Buffer.from('this is no capture file at all')) },
    ],
    [http],
    { call: (call, { id }) => calls.push([id, call.status]), connection: ({ id }) => connections.push(id) },
  );
  assert.deepEqual(
    calls.map(([, status]) => status),
    [204, 204, 204, 204, null],
  );
  assert.deepEqual(connections, [1, 2, 3, 4, 5]);
  assert.deepEqual(
    read.map(({ network, counters }) => [network, counters.packets, counters.first_at, counters.is_cut, counters.broken]),
    [
      ['front', 12, 1000, false, ''],
      ['back', 7, 900, true, ''],
      ['none', 0, null, false, 'its first bytes are not those of a capture file'],
    ],
  );
});
