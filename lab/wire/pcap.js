/**
 * Reads a capture file as a stream, packet by packet, in a memory that does not grow with it.
 * https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
 *
 * @typedef {object} PcapEnd
 * @property {number} packets
 * @property {boolean} isCut  the file ends within a packet: whoever wrote it was stopped
 * @property {string} broken  from where on it is no capture file; empty where it is one to its end
 */

const FILE_HEAD = 24;
const PACKET_HEAD = 16;
/** By which a file says its byte order, and whether its fractions of a second are of a million or of a billion. */
const MAGIC = { micro: 0xa1b2c3d4, nano: 0xa1b23c4d };
/** Largest snap length that capturing programs take. */
const RECORDED_MOST = 262_144;

/** The kinds of links whose packets can be read (packets.js). @type {Record<number, import('./packets.js').Link>} */
export const LINKS = { 1: 'ethernet', 113: 'cooked', 276: 'cooked-2' };

/**
 * @param {AsyncIterable<Buffer>} chunks  of the file
 * @param {(at: number, bytes: Buffer, length: number, link: import('./packets.js').Link, from: number, to: number) => void} onPacket  at:
 *   seconds since 1970; bytes: in which it lies, from and to, as far as it was recorded, valid until it returns; length: on the wire
 * @returns {Promise<PcapEnd>}
 */
export async function readPcap(chunks, onPacket) {
  const end = { packets: 0, isCut: false, broken: '' };
  /** @type {Buffer} */
  let rest = Buffer.alloc(0);
  /** @type {ReturnType<typeof readFileHead> | null} */
  let file = null;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    if (file === null) {
      if (bytes.length < FILE_HEAD) {
        rest = bytes;
        continue;
      }
      file = readFileHead(bytes);
      if (file.broken !== '') return { ...end, broken: file.broken };
      from = FILE_HEAD;
    }
    const read = readPackets(bytes, from, file, onPacket);
    end.packets += read.packets;
    if (read.broken !== '') return { ...end, broken: read.broken };
    rest = bytes.subarray(read.from);
  }
  // A file without a byte is one of a capture that was stopped before it began.
  return { ...end, isCut: rest.length > 0 };
}

/** @param {Buffer} bytes @returns {{ isLittle: boolean, fraction: number, link: import('./packets.js').Link, broken: string }} */
function readFileHead(bytes) {
  const magics = [bytes.readUInt32LE(0), bytes.readUInt32BE(0)];
  const index = magics.findIndex((magic) => magic === MAGIC.micro || magic === MAGIC.nano);
  const isLittle = index === 0;
  const number = (isLittle ? bytes.readUInt32LE(20) : bytes.readUInt32BE(20)) & 0xffff;
  const link = LINKS[number];
  const broken =
    index < 0 ? 'its first bytes are not those of a capture file' : link === undefined ? `its packets are of link type ${number}` : '';
  return { isLittle, fraction: magics[index] === MAGIC.nano ? 1e9 : 1e6, link, broken };
}

/**
 * @param {Buffer} bytes
 * @param {number} begin
 * @param {{ isLittle: boolean, fraction: number, link: import('./packets.js').Link }} file
 * @param {Parameters<typeof readPcap>[1]} onPacket
 */
function readPackets(bytes, begin, { isLittle, fraction, link }, onPacket) {
  let from = begin;
  let packets = 0;
  while (from + PACKET_HEAD <= bytes.length) {
    const recorded = numberAt(bytes, from + 8, isLittle);
    if (recorded > RECORDED_MOST) return { packets, from, broken: `packet ${packets + 1} says that ${recorded} bytes of it were recorded` };
    const next = from + PACKET_HEAD + recorded;
    if (next > bytes.length) break;
    const at = numberAt(bytes, from, isLittle) + numberAt(bytes, from + 4, isLittle) / fraction;
    onPacket(at, bytes, numberAt(bytes, from + 12, isLittle), link, from + PACKET_HEAD, next);
    packets += 1;
    from = next;
  }
  return { packets, from, broken: '' };
}

/** @param {Buffer} bytes @param {number} at @param {boolean} isLittle */
const numberAt = (bytes, at, isLittle) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
