/**
 * JSON, packed: two streams. One is JSON without its long lists of whole numbers, the other has these, each number in as many bytes as it needs. Bytes of
 * numbers pack to less than their digits.
 */

import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];

/** Of a list of numbers that goes into the second stream; what stands in its place takes as much as a shorter one. */
const LIST_LEAST = 8;
/** Key of what stands in its place. */
const TAKEN = '#';
/** Of the number of bytes of the first stream. */
const LENGTH_BYTES = 4;
/** https://protobuf.dev/programming-guides/encoding/#varints: seven bits a byte, the lowest first; the sign is the lowest bit. */
const [GROUP, MORE] = [128, 128];

/** @param value JSON */
export async function packJson(value: any): Promise<Buffer> {
	const bytes: number[] = [];
	const json = JSON.stringify(value, (_, one) => {
		if (one !== null && typeof one === 'object' && TAKEN in one) throw new Error(`Expected no field ${TAKEN}; found one.`);
		const isTaken =
			Array.isArray(one) && one.length >= LIST_LEAST && one.every((number) => Number.isSafeInteger(number) && !Object.is(number, -0));
		if (!isTaken) return one;
		for (const number of one) putNumber(bytes, number);
		return { [TAKEN]: one.length };
	});
	const [text, numbers] = await Promise.all([compressed(Buffer.from(json)), compressed(Buffer.from(bytes))]);
	const length = Buffer.alloc(LENGTH_BYTES);
	length.writeUInt32BE(text.length);
	return Buffer.concat([length, text, numbers]);
}

const compressed = (bytes: Buffer) =>
	compress(bytes, {
		params: {
			[constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
			[constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
			[constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
		},
	});

function putNumber(bytes: number[], number: number) {
	// The lowest bit is no bit of the number, which may have 53.
	let rest = BigInt(number) < 0n ? -2n * BigInt(number) - 1n : 2n * BigInt(number);
	for (; rest >= GROUP; rest /= BigInt(GROUP)) bytes.push(Number(rest % BigInt(GROUP)) + MORE);
	bytes.push(Number(rest));
}

export async function unpackJson(bytes: Uint8Array): Promise<any> {
	const packed = Buffer.from(bytes);
	const begin = LENGTH_BYTES + packed.readUInt32BE();
	const [text, numbers] = await Promise.all([decompress(packed.subarray(LENGTH_BYTES, begin)), decompress(packed.subarray(begin))]);
	let at = 0;
	const next = () => {
		let [number, unit] = [0n, 1n];
		for (; numbers[at] >= MORE; unit *= BigInt(GROUP)) number += unit * BigInt(numbers[at++] - MORE);
		number += unit * BigInt(numbers[at++]);
		return Number(number % 2n === 0n ? number / 2n : -(number + 1n) / 2n);
	};
	// In the order in which they were put: a list is met before what stands after it.
	return putBack(JSON.parse(String(text)), (length) => Array.from({ length }, next));
}

function putBack(value: any, take: (length: number) => number[]): any {
	if (Array.isArray(value)) return value.map((one) => putBack(one, take));
	if (value === null || typeof value !== 'object') return value;
	if (TAKEN in value) return take(value[TAKEN]);
	return Object.fromEntries(Object.entries<any>(value).map(([key, one]) => [key, putBack(one, take)]));
}
