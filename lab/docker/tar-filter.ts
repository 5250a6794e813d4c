/**
 * Lets the wanted entries of an archive through while it passes, as it is: what an entry has around it (long names, times) goes with it. A
 * library would take each apart and make it anew, and attributes that are no text (what a program may do without being root) would not outlive that.
 * https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 (ustar)
 */

import { Transform } from 'node:stream';

const BLOCK_BYTES = 512;
/** With two empty blocks an archive ends. */
const ARCHIVE_END = Buffer.alloc(2 * BLOCK_BYTES);
/** Offset and length in a header. */
const FIELDS = { name: [0, 100], size: [124, 12], type: [156, 1] };
/** Records about the entry that follows. */
const ABOUT_NEXT = ['x', 'g', 'L', 'K'];
const NO_BYTES = Buffer.alloc(0);

/** What passes is larger than it may be. */
export class TooLargeError extends Error {}

/** @returns that fails with TooLargeError where more would pass */
export function tarFilter({
	isWanted,
	mostBytes,
}: {
	/** name: of an entry, as far as it stands in its header (100 bytes of a longer one) */
	isWanted: (name: string) => boolean;
	/** that may pass */
	mostBytes: number;
}): Transform {
	let rest = NO_BYTES;
	/** Headers that belong to the entry that follows. */
	let before: Buffer[] = [];
	/** Of the entry that is passing. */
	let left = 0;
	let mode = 'pass' as 'pass' | 'drop' | 'gather';
	let passed = 0;
	const give = (stream: Transform, bytes: Buffer) => {
		passed += bytes.length;
		if (passed > mostBytes) throw new TooLargeError(`more than ${mostBytes} bytes`);
		stream.push(bytes);
	};
	const take = (stream: Transform, bytes: Buffer) => {
		if (mode === 'pass') give(stream, bytes);
		if (mode === 'gather') before.push(bytes);
	};
	const begin = (stream: Transform, header: Buffer) => {
		left = Math.ceil((Number.parseInt(fieldOf(header, 'size'), 8) || 0) / BLOCK_BYTES) * BLOCK_BYTES;
		const name = fieldOf(header, 'name');
		if (ABOUT_NEXT.includes(fieldOf(header, 'type'))) mode = 'gather';
		else {
			mode = name !== '' && isWanted(name) ? 'pass' : 'drop';
			if (mode === 'pass') for (const one of before) give(stream, one);
			before = [];
		}
		take(stream, header);
	};
	return new Transform({
		transform(chunk, _, done) {
			try {
				rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
				for (;;) {
					if (left > 0) {
						const bytes = rest.subarray(0, left);
						left -= bytes.length;
						rest = rest.subarray(bytes.length);
						take(this, bytes);
					}
					if (left > 0 || rest.length < BLOCK_BYTES) break;
					begin(this, rest.subarray(0, BLOCK_BYTES));
					rest = rest.subarray(BLOCK_BYTES);
				}
				done();
			} catch (error) {
				done(error as Error);
			}
		},
		flush(done) {
			this.push(ARCHIVE_END);
			done();
		},
	});
}

function fieldOf(header: Buffer, field: keyof typeof FIELDS) {
	const [offset, length] = FIELDS[field];
	// A name may have blanks in it; they end a number.
	const end = field === 'name' ? /\0.*$/s : /[\0 ].*$/s;
	return header.toString('utf8', offset, offset + length).replace(end, '');
}
