/** DNS in datagrams: which name was asked for, and what came back. https://www.rfc-editor.org/rfc/rfc1035#section-4.1 */
import { brokenOff, newCall } from '../../wire/calls.ts';
import type { Call, Decoder } from '../../wire/contract.ts';
import { ADDRESSES_MOST } from '../../wire/contract.ts';
import { address6In, addressIn } from '../../wire/packets.ts';
import { hostTemplate } from '../../wire/templates.ts';

type Message = { id: number; isAnswer: boolean; code: number; type: string; name: string; addresses: string[] };

const HEAD = 12;
const LABEL_MOST = 63;
/** Type, class, time to live, length. */
const RECORD_HEAD = 10;
const NAME_MOST = 255;
const ASKED_MOST = 256;
/** Of an answer, aliases among them. */
const RECORDS_MOST = 32;
const TYPES = {
	1: 'A',
	2: 'NS',
	5: 'CNAME',
	6: 'SOA',
	12: 'PTR',
	15: 'MX',
	16: 'TXT',
	28: 'AAAA',
	33: 'SRV',
	65: 'HTTPS',
} as Record<number, string>;
const CODES = ['', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
/** Went wrong at whoever answers: there may be such a name. */
const BAD = new Set(['SERVFAIL', 'NOTIMP', 'REFUSED']);

export const decoder: Decoder = {
	protocol: 'dns',
	title: 'DNS',
	transport: 'udp',
	recognise(client, server) {
		const message = readMessage(client.length > 0 ? client : server);
		return message === null ? 'no' : 'yes';
	},
	open(emit) {
		/** By id. */
		const asked: Map<number, Call> = new Map();
		return {
			client({ at, bytes, hole }) {
				const message = readMessage(bytes);
				if (message === null || message.isAnswer || asked.size >= ASKED_MOST) return emit.unknown('client', bytes.length + hole, at);
				// Asked again: the first still waits.
				if (asked.has(message.id)) return;
				const { type, name } = message;
				asked.set(message.id, { ...newCall(at), sent_at: at, verb: type, template: hostTemplate(name), sent_bytes: bytes.length + hole });
			},
			server({ at, bytes, hole }) {
				const message = readMessage(bytes);
				const call = message?.isAnswer ? asked.get(message.id) : undefined;
				if (message === null || call === undefined) return emit.unknown('server', bytes.length + hole, at);
				asked.delete(message.id);
				const code = message.code === 0 ? null : (CODES[message.code] ?? 'other');
				emit.call({
					...call,
					...{ first_at: at, ended_at: at, code, bad: code !== null && BAD.has(code), end: 'answered', by: 'server' },
					answered_bytes: bytes.length + hole,
					...(message.addresses.length > 0 ? { addresses: message.addresses } : {}),
				});
			},
			close(end) {
				for (const call of asked.values()) emit.call(brokenOff(call, end));
				asked.clear();
			},
		};
	},
};

/** @returns null: it is none with one question */
function readMessage(bytes: Buffer): Message | null {
	if (bytes.length < HEAD + 5) return null;
	const flags = bytes.readUInt16BE(2);
	const isQuery = (flags & 0x7800) === 0 && (flags & 0x40) === 0;
	if (!isQuery || bytes.readUInt16BE(4) !== 1) return null;
	const labels: string[] = [];
	let at = HEAD;
	for (let size = bytes[at]; size !== 0; size = bytes[at]) {
		if (size === undefined || size > LABEL_MOST || at + 1 + size >= bytes.length || at - HEAD > NAME_MOST) return null;
		labels.push(bytes.toString('latin1', at + 1, at + 1 + size));
		at += 1 + size;
	}
	if (at + 5 > bytes.length || bytes.readUInt16BE(at + 3) !== 1) return null;
	const type = TYPES[bytes.readUInt16BE(at + 1)] ?? 'other';
	const isAnswer = (flags & 0x8000) !== 0;
	const addresses = isAnswer ? addressesIn(bytes, at + 5, bytes.readUInt16BE(6)) : [];
	return { id: bytes.readUInt16BE(0), isAnswer, code: flags & 15, type, name: labels.join('.'), addresses };
}

/**
 * The addresses of an answer, as far as it was recorded.
 * @param from of its first record
 */
function addressesIn(bytes: Buffer, from: number, records: number) {
	const found: string[] = [];
	let at = from;
	for (let read = 0; read < Math.min(records, RECORDS_MOST) && found.length < ADDRESSES_MOST; read += 1) {
		at = afterName(bytes, at);
		if (at + RECORD_HEAD > bytes.length) break;
		const [type, length] = [TYPES[bytes.readUInt16BE(at)], bytes.readUInt16BE(at + 8)];
		at += RECORD_HEAD;
		if (at + length > bytes.length) break;
		if (type === 'A' && length === 4) found.push(addressIn(bytes, at));
		if (type === 'AAAA' && length === 16) found.push(address6In(bytes, at));
		at += length;
	}
	return found;
}

/** Labels up to an empty one, or to where the rest of it stands. */
function afterName(bytes: Buffer, from: number) {
	let at = from;
	for (let size = bytes[at]; size !== undefined && size !== 0; size = bytes[at]) {
		if (size > LABEL_MOST) return at + 2;
		at += 1 + size;
	}
	return at + 1;
}
