/**
 * Reads the capture files of a run: a file for each network, one after the other, for no connection is on two.
 *
 * @typedef {import('./connections.js').AskedHost} AskedHost
 * @typedef {import('./connections.js').Counters & { is_cut: boolean, broken: string }} FileCounters  is_cut, broken: as of readPcap
 */

import { Connections } from './connections.js';
import { emptyTcp, readPacket, readPcap } from './packets.js';

/**
 * @param {readonly { network: string, chunks: AsyncIterable<Buffer> }[]} files
 * @param {readonly import('./contract.js').Decoder[]} decoders
 * @param {import('./connections.js').Sink} sink
 * @returns {Promise<{ network: string, counters: FileCounters, hosts: AskedHost[] }[]>} for each file
 */
export async function decode(files, decoders, sink) {
  const read = [];
  let firstId = 1;
  // Nobody keeps a packet, so that one is enough for all.
  const tcp = emptyTcp();
  for (const { network, chunks } of files) {
    const connections = new Connections(decoders, sink, firstId);
    const end = await readPcap(chunks, (at, bytes, length, link, from, to) => {
      connections.take(readPacket(at, bytes, length, link, from, to, tcp));
    });
    connections.end();
    firstId = connections.nextId;
    read.push({ network, counters: { ...connections.counters, is_cut: end.isCut, broken: end.broken }, hosts: connections.hosts });
  }
  return read;
}
