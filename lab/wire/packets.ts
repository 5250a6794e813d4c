/** Packets as flat records: what Ethernet, IP, TCP, UDP and ARP say in their heads. Never throws: what is cut or broken has no record. */
type Link = 'ethernet' | 'cooked' | 'cooked-2';

type Addressed = {
	at: number;
	/** address */
	source: string;
	sourcePort: number;
	target: string;
	targetPort: number;
	/** as far as it was recorded; a view */
	payload: Buffer;
	/** of the payload on the wire */
	length: number;
};

type Segment = {
	kind: 'tcp';
	sequence: number;
	/** 0 where it acknowledges nothing */
	acknowledged: number;
	syn: boolean;
	ack: boolean;
	fin: boolean;
	rst: boolean;
	window: number;
};

export type TcpPacket = Addressed & Segment;

export type UdpPacket = Addressed & { kind: 'udp' };

export type ArpPacket = {
	kind: 'arp';
	at: number;
	source: string;
	target: string;
	isQuestion: boolean;
};

export type Packet = TcpPacket | UdpPacket | ArpPacket;

/** Of a link's head: its size, and where the number of what follows stands in it. */
const LINK_HEADS: Record<Link, { size: number; type: number }> = {
	ethernet: { size: 14, type: 12 },
	cooked: { size: 16, type: 14 },
	'cooked-2': { size: 20, type: 0 },
};
const TYPE = { ipv4: 0x0800, arp: 0x0806, ipv6: 0x86dd };
const VLANS = new Set([0x8100, 0x88a8]);
const VLANS_MOST = 2;
const PROTOCOL = { tcp: 6, udp: 17 };
/** Heads between that of IPv6 and what it carries; one that says that the packet is a part of a larger one is not among them. */
const EXTENSIONS = new Set([0, 43, 60]);
const EXTENSIONS_MOST = 8;
const NOTHING = Buffer.alloc(0);
const FLAG = { fin: 1, syn: 2, rst: 4, ack: 16 };

/**
 * @param length on the wire
 * @param from where it begins in the bytes
 * @param to where it ends there, as far as it was recorded
 * @param tcp that is written over where it is one of TCP: a run has a million of them
 * @returns null: none of those, or cut within its heads
 */
export function readPacket(
	at: number,
	bytes: Buffer,
	length: number,
	link: Link,
	from: number = 0,
	to: number = bytes.length,
	tcp: TcpPacket = emptyTcp(),
): Packet | null {
	const { size, type } = LINK_HEADS[link];
	if (to < from + size) return null;
	let number = bytes.readUInt16BE(from + type);
	let next = from + size;
	for (let vlans = 0; VLANS.has(number) && vlans < VLANS_MOST && to >= next + 4; vlans += 1) {
		number = bytes.readUInt16BE(next + 2);
		next += 4;
	}
	// Where it ended on the wire.
	const end = from + length;
	if (number === TYPE.ipv4) return readIpv4(at, bytes, next, to, end, tcp);
	if (number === TYPE.ipv6) return readIpv6(at, bytes, next, to, end, tcp);
	return number === TYPE.arp ? readArp(at, bytes, next, to) : null;
}

function readIpv4(at: number, bytes: Buffer, from: number, to: number, end: number, tcp: TcpPacket) {
	if (to < from + 20 || bytes[from] >> 4 !== 4) return null;
	const head = (bytes[from] & 15) * 4;
	// Of a packet that the kernel joined from many, and that is too long for the field.
	const total = bytes.readUInt16BE(from + 2) || end - from;
	const isLaterPart = (bytes.readUInt16BE(from + 6) & 0x1fff) !== 0;
	if (head < 20 || isLaterPart || total < head) return null;
	const protocol = bytes[from + 9];
	if (protocol === PROTOCOL.tcp)
		return readTcp(at, addressIn(bytes, from + 12), addressIn(bytes, from + 16), bytes, from + head, to, from + total, tcp);
	if (protocol === PROTOCOL.udp)
		return readUdp(at, addressIn(bytes, from + 12), addressIn(bytes, from + 16), bytes, from + head, to, from + total);
	return null;
}

function readIpv6(at: number, bytes: Buffer, from: number, to: number, end: number, tcp: TcpPacket) {
	if (to < from + 40 || bytes[from] >> 4 !== 6) return null;
	const carried = bytes.readUInt16BE(from + 4);
	const last = carried === 0 ? end : from + 40 + carried;
	let protocol = bytes[from + 6];
	let next = from + 40;
	for (let heads = 0; EXTENSIONS.has(protocol) && heads < EXTENSIONS_MOST; heads += 1) {
		if (to < next + 8) return null;
		protocol = bytes[next];
		next += 8 + bytes[next + 1] * 8;
	}
	if (protocol === PROTOCOL.tcp) return readTcp(at, address6In(bytes, from + 8), address6In(bytes, from + 24), bytes, next, to, last, tcp);
	if (protocol === PROTOCOL.udp) return readUdp(at, address6In(bytes, from + 8), address6In(bytes, from + 24), bytes, next, to, last);
	return null;
}

/**
 * @param from where its head begins
 * @param to up to where it was recorded
 * @param end up to where it went on the wire
 */
function readUdp(at: number, source: string, target: string, bytes: Buffer, from: number, to: number, end: number): UdpPacket | null {
	if (to < from + 8 || end < from + 8) return null;
	const ports = { sourcePort: bytes.readUInt16BE(from), targetPort: bytes.readUInt16BE(from + 2) };
	const payload = bytes.subarray(from + 8, Math.min(end, to));
	return { kind: 'udp', at, source, target, ...ports, payload, length: end - from - 8 };
}

/** As readUdp. */
function readTcp(
	at: number,
	source: string,
	target: string,
	bytes: Buffer,
	from: number,
	to: number,
	end: number,
	tcp: TcpPacket,
): TcpPacket | null {
	if (to < from + 20) return null;
	const begin = from + (bytes[from + 12] >> 4) * 4;
	if (begin < from + 20 || end < begin) return null;
	const flags = bytes[from + 13];
	const recorded = Math.min(end, to);
	tcp.at = at;
	tcp.source = source;
	tcp.sourcePort = bytes.readUInt16BE(from);
	tcp.target = target;
	tcp.targetPort = bytes.readUInt16BE(from + 2);
	tcp.sequence = bytes.readUInt32BE(from + 4);
	tcp.syn = (flags & FLAG.syn) !== 0;
	tcp.ack = (flags & FLAG.ack) !== 0;
	tcp.fin = (flags & FLAG.fin) !== 0;
	tcp.rst = (flags & FLAG.rst) !== 0;
	tcp.acknowledged = tcp.ack ? bytes.readUInt32BE(from + 8) : 0;
	tcp.window = bytes.readUInt16BE(from + 14);
	// Most packets have none, and each view of a buffer costs.
	tcp.payload = begin >= recorded ? NOTHING : bytes.subarray(begin, recorded);
	tcp.length = end - begin;
	return tcp;
}

/** @returns for readPacket */
export const emptyTcp = (): TcpPacket => ({
	kind: 'tcp',
	at: 0,
	source: '',
	sourcePort: 0,
	target: '',
	targetPort: 0,
	sequence: 0,
	acknowledged: 0,
	syn: false,
	ack: false,
	fin: false,
	rst: false,
	window: 0,
	payload: NOTHING,
	length: 0,
});

function readArp(at: number, bytes: Buffer, from: number, to: number): Packet | null {
	const isIpv4 = to >= from + 28 && bytes.readUInt16BE(from + 2) === TYPE.ipv4 && bytes[from + 5] === 4;
	if (!isIpv4) return null;
	const isQuestion = bytes.readUInt16BE(from + 6) === 1;
	return { kind: 'arp', at, source: addressIn(bytes, from + 14), target: addressIn(bytes, from + 24), isQuestion };
}

/** A stack has few addresses, and a run half a million packets. */
const known: Map<number, string> = new Map();
const KNOWN_MOST = 4096;

/** Of IPv4. */
export function addressIn(bytes: Buffer, from: number) {
	const number = bytes.readUInt32BE(from);
	const found = known.get(number);
	if (found !== undefined) return found;
	if (known.size >= KNOWN_MOST) known.clear();
	const text = `${bytes[from]}.${bytes[from + 1]}.${bytes[from + 2]}.${bytes[from + 3]}`;
	known.set(number, text);
	return text;
}

/** Of IPv6, in the form that the engine gives: the longest row of zeros left out. */
export function address6In(bytes: Buffer, from: number) {
	const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(from + index * 2).toString(16));
	const rows = [...groups.join(':').matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].sort(([one], [other]) => other.length - one.length);
	if (rows.length === 0) return groups.join(':');
	const text = groups.join(':');
	const { 0: row, index } = rows[0];
	return `${text.slice(0, index)}::${text.slice(index + row.length + 1)}`;
}

/**
 * Reads a capture file as a stream, packet by packet, in a memory that does not grow with it.
 * https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
 */
type PcapEnd = {
	packets: number;
	/** the file ends within a packet: whoever wrote it was stopped */
	isCut: boolean;
	/** from where on it is no capture file; empty where it is one to its end */
	broken: string;
};

const FILE_HEAD = 24;
const PACKET_HEAD = 16;
/** By which a file says its byte order, and whether its fractions of a second are of a million or of a billion. */
const MAGIC = { micro: 0xa1b2c3d4, nano: 0xa1b23c4d };
/** Largest snap length that capturing programs take. */
const RECORDED_MOST = 262_144;

/** The kinds of links whose packets can be read (packets.ts). */
const LINKS: Record<number, Link> = { 1: 'ethernet', 113: 'cooked', 276: 'cooked-2' };

/**
 * @param chunks of the file
 * @param onPacket at:
 * seconds since 1970; bytes: in which it lies, from and to, as far as it was recorded, valid until it returns; length: on the wire
 */
export async function readPcap(
	chunks: AsyncIterable<Buffer>,
	onPacket: (at: number, bytes: Buffer, length: number, link: Link, from: number, to: number) => void,
): Promise<PcapEnd> {
	const end = { packets: 0, isCut: false, broken: '' };
	let rest: Buffer = Buffer.alloc(0);
	let file: ReturnType<typeof readFileHead> | null = null;
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

function readFileHead(bytes: Buffer): { isLittle: boolean; fraction: number; link: Link; broken: string } {
	const magics = [bytes.readUInt32LE(0), bytes.readUInt32BE(0)];
	const index = magics.findIndex((magic) => magic === MAGIC.micro || magic === MAGIC.nano);
	const isLittle = index === 0;
	const number = (isLittle ? bytes.readUInt32LE(20) : bytes.readUInt32BE(20)) & 0xffff;
	const link = LINKS[number];
	const broken =
		index < 0 ? 'its first bytes are not those of a capture file' : link === undefined ? `its packets are of link type ${number}` : '';
	return { isLittle, fraction: magics[index] === MAGIC.nano ? 1e9 : 1e6, link, broken };
}

function readPackets(
	bytes: Buffer,
	begin: number,
	{ isLittle, fraction, link }: { isLittle: boolean; fraction: number; link: Link },
	onPacket: Parameters<typeof readPcap>[1],
) {
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

const numberAt = (bytes: Buffer, at: number, isLittle: boolean) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
