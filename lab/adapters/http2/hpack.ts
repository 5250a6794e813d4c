/**
 * Headers as HTTP/2 packs them: by numbers of a fixed table and of one that grows with the connection, which is why reading begins with it.
 * https://www.rfc-editor.org/rfc/rfc7541
 *
 * Of the values those that are asked for are kept, of the others only how long they are. After bytes that were not recorded, what the
 * growing table had is not known any more; what is added to it from then on is.
 */

import { Queue } from '../../wire/queue.ts';
import { unpack } from './huffman.ts';

/** Of the fixed table: what may be wanted of it; all else is a name that nobody asks for. */
const FIXED: Record<number, [string, string]> = {
	2: [':method', 'GET'],
	3: [':method', 'POST'],
	4: [':path', '/'],
	5: [':path', '/index.html'],
	8: [':status', '200'],
	9: [':status', '204'],
	10: [':status', '206'],
	11: [':status', '304'],
	12: [':status', '400'],
	13: [':status', '404'],
	14: [':status', '500'],
};
const FIXED_SIZE = 61;
/** Names of the fixed table that count in the growing one: how long they are. */
const FIXED_NAME_LENGTHS =
	'10 7 7 5 5 7 7 7 7 7 7 7 7 7 14 15 15 13 6 27 3 5 13 13 19 16 16 14 16 13 12 6 4 4 6 7 4 4 8 17 13 8 19 13 4 8 12 18 19 5 7 7 11 6 10 25 17 10 4 3 16';
const NAME_LENGTHS = FIXED_NAME_LENGTHS.split(' ').map(Number);
const WANTED = new Set([':method', ':path', ':status', 'x-request-id', 'traceparent', 'grpc-status', 'content-type']);
/** What each entry counts beside its texts (section 4.1). */
const ENTRY_SIZE = 32;
const TABLE_SIZE = 4096;
/** Larger tables than anybody sets are noise. */
const TABLE_MOST = 1 << 20;
const SHIFT_MOST = 28;

/** value: empty where it is not asked for */
type Entry = { name: string; value: string; size: number };

export class HeaderTable {
	/** The oldest first. */
	#entries: Queue<Entry> = new Queue();
	#size = 0;
	#most = TABLE_SIZE;

	/** Bytes were not recorded that may have added to it. */
	lose() {
		this.#entries.takeAll();
		this.#size = 0;
	}

	/**
	 * @param block may be cut
	 * @returns those that are asked for
	 */
	read(block: Buffer): { headers: Map<string, string>; isComplete: boolean } {
		const headers: Map<string, string> = new Map();
		const reader = new BlockReader(block);
		while (reader.at < block.length) {
			const entry = this.#next(reader);
			if (entry === null) {
				this.lose();
				return { headers, isComplete: false };
			}
			if (entry && entry.value !== '') headers.set(entry.name, entry.value);
		}
		return { headers, isComplete: true };
	}

	/** @returns undefined: it says nothing of a header; null: it cannot be read */
	#next(reader: BlockReader): Entry | undefined | null {
		const byte = reader.first;
		if (byte & 0x80) {
			const index = reader.number(7);
			return index === null ? null : (this.#entryAt(index) ?? undefined);
		}
		if ((byte & 0xe0) === 0x20) {
			const most = reader.number(5);
			if (most === null || most > TABLE_MOST) return null;
			this.#most = most;
			this.#shrink();
			return undefined;
		}
		const isAdded = (byte & 0x40) !== 0;
		const index = reader.number(isAdded ? 6 : 4);
		if (index === null) return null;
		const name = index === 0 ? reader.text(true) : this.#nameAt(index);
		const value = name && reader.text(WANTED.has(name.text));
		if (!name || !value) return null;
		const entry = { name: name.text, value: WANTED.has(name.text) ? value.text : '', size: name.length + value.length + ENTRY_SIZE };
		if (isAdded) this.#add(entry);
		return entry;
	}

	#entryAt(index: number) {
		if (index > FIXED_SIZE) return this.#entries.fromLast(index - FIXED_SIZE - 1);
		const [name, value] = FIXED[index] ?? [];
		return name === undefined ? undefined : { name, value, size: 0 };
	}

	#nameAt(index: number): { text: string; length: number } {
		if (index <= FIXED_SIZE) return { text: FIXED_NAMES[index] ?? '', length: NAME_LENGTHS[index - 1] ?? 0 };
		const text = this.#entries.fromLast(index - FIXED_SIZE - 1)?.name ?? '';
		return { text, length: text.length };
	}

	#add(entry: Entry) {
		this.#entries.push(entry);
		this.#size += entry.size;
		this.#shrink();
	}

	#shrink() {
		while (this.#size > this.#most) this.#size -= (this.#entries.shift() as Entry).size;
	}
}

const FIXED_NAMES: Record<number, string> = {
	...Object.fromEntries(Object.entries(FIXED).map(([index, [name]]) => [index, name])),
	31: 'content-type',
};

class BlockReader {
	at = 0;
	#bytes;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	get first() {
		return this.#bytes[this.at];
	}

	/** @param bits of the first byte */
	number(bits: number): number | null {
		const most = 2 ** bits - 1;
		let value = this.#bytes[this.at] & most;
		this.at += 1;
		if (value < most) return value;
		for (let shift = 0; shift <= SHIFT_MOST; shift += 7) {
			const byte = this.#bytes[this.at];
			if (byte === undefined) return null;
			this.at += 1;
			value += (byte & 0x7f) * 2 ** shift;
			if (byte < 0x80) return value;
		}
		return null;
	}

	/** @returns length: of the text as it counts in a table */
	text(isWanted: boolean): { text: string; length: number } | null {
		if (this.at >= this.#bytes.length) return null;
		const isPacked = (this.first & 0x80) !== 0;
		const length = this.number(7);
		if (length === null || this.at + length > this.#bytes.length) return null;
		const bytes = this.#bytes.subarray(this.at, this.at + length);
		this.at += length;
		if (!isPacked) return { text: isWanted ? bytes.toString('latin1') : '', length };
		// How long it is unpacked counts in the table, so that it is unpacked in any case.
		const text = unpack(bytes);
		return text === null ? null : { text: isWanted ? text : '', length: text.length };
	}
}
