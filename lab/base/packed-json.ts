/**
 * JSON, packed: three streams. One is JSON without its long lists of numbers; the second has the lists of whole numbers, the third those with
 * decimals or gaps, each number in as many bytes as it needs. Bytes of numbers pack to less than their digits.
 */

import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];

/** Of a list that goes into a stream of numbers; what stands in its place takes as much as a shorter one. */
const [WHOLE_LEAST, DECIMAL_LEAST] = [8, 4];
/** Key of what stands in its place, and of its number of decimals. */
const [TAKEN, DECIMALS] = ['#', 'decimals'];
/** At most: a list with more stays as it is. */
const DECIMALS_MOST = 4;
/** Of the number of bytes of a stream, all but the last of which have it before them. */
const LENGTH_BYTES = 4;
/** https://protobuf.dev/programming-guides/encoding/#varints: seven bits a byte, the lowest first; the sign is the lowest bit. */
const [GROUP, MORE] = [128, 128];
/** A gap is 0 there; from 0 on numbers are one more. */
const GAP = 0;

/** Whether bytes are of this kind: a stream of Brotli that is packed by itself begins with the size of its window, which is not 0. */
export const isPackedJson = (bytes: Uint8Array) => bytes[0] === 0;

/** @param value JSON */
export async function packJson(value: any): Promise<Buffer> {
	const [whole, decimal]: number[][] = [[], []];
	const json = JSON.stringify(value, (_, one) => {
		if (one !== null && typeof one === 'object' && TAKEN in one) throw new Error(`Expected no field ${TAKEN}; found one.`);
		if (!Array.isArray(one)) return one;
		if (one.length >= WHOLE_LEAST && one.every(isWhole)) {
			for (const number of one) putNumber(whole, number);
			return { [TAKEN]: one.length };
		}
		const decimals = one.length < DECIMAL_LEAST ? null : decimalsOf(one);
		if (decimals === null) return one;
		for (const number of one) putNumber(decimal, number === null ? GAP : shifted(scaled(number, decimals)));
		return { [TAKEN]: one.length, [DECIMALS]: decimals };
	});
	const streams = await Promise.all([Buffer.from(json), Buffer.from(whole), Buffer.from(decimal)].map(compressed));
	return Buffer.concat(streams.flatMap((stream, index) => (index === streams.length - 1 ? [stream] : [lengthOf(stream), stream])));
}

const isWhole = (one: unknown) => Number.isSafeInteger(one) && !Object.is(one, -0);

const scaled = (number: number, decimals: number) => Math.round(number * 10 ** decimals);
const shifted = (number: number) => (number >= GAP ? number + 1 : number);
const unshifted = (number: number) => (number > GAP ? number - 1 : number);

/** @returns as many as the numbers of a list are whole with; null where some other thing is in it */
function decimalsOf(list: any[]): number | null {
	if (!list.every((one) => one === null || (typeof one === 'number' && !Object.is(one, -0)))) return null;
	for (let decimals = 0; decimals <= DECIMALS_MOST; decimals += 1) {
		const isExact = (one: number) => Number.isSafeInteger(2 * scaled(one, decimals)) && scaled(one, decimals) / 10 ** decimals === one;
		if (list.every((one) => one === null || isExact(one))) return decimals;
	}
	return null;
}

function lengthOf(stream: Buffer) {
	const length = Buffer.alloc(LENGTH_BYTES);
	length.writeUInt32BE(stream.length);
	return length;
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

/**
 * @param most bytes that a stream may unpack to
 * @throws {Error} where the bytes are not whole
 */
export async function unpackJson(bytes: Uint8Array, most?: number): Promise<any> {
	const packed = Buffer.from(bytes);
	const text = streamAt(packed, 0);
	const whole = streamAt(packed, text.end);
	const [json, ...numbers] = await Promise.all(
		[text.stream, whole.stream, packed.subarray(whole.end)].map((stream) => decompress(stream, { maxOutputLength: most })),
	);
	const [nextWhole, nextDecimal] = numbers.map(numbersIn);
	// In the order in which they were put: a list is met before what stands after it.
	return putBack(JSON.parse(String(json)), (length, decimals) =>
		Array.from({ length }, () => {
			if (decimals === undefined) return nextWhole();
			const number = nextDecimal();
			return number === GAP ? null : unshifted(number) / 10 ** decimals;
		}),
	);
}

function streamAt(packed: Buffer, at: number) {
	const begin = at + LENGTH_BYTES;
	const end = begin + packed.readUInt32BE(at);
	return { stream: packed.subarray(begin, end), end };
}

/** @returns that gives the next number of a stream at each call */
function numbersIn(bytes: Buffer): () => number {
	let at = 0;
	const next = () => {
		if (at >= bytes.length) throw new Error('Expected more numbers.');
		return BigInt(bytes[at++]);
	};
	return () => {
		let [number, unit, group] = [0n, 1n, next()];
		for (; group >= MORE; unit *= BigInt(GROUP), group = next()) number += unit * (group - BigInt(MORE));
		number += unit * group;
		return Number(number % 2n === 0n ? number / 2n : -(number + 1n) / 2n);
	};
}

function putBack(value: any, take: (length: number, decimals?: number) => (number | null)[]): any {
	if (Array.isArray(value)) return value.map((one) => putBack(one, take));
	if (value === null || typeof value !== 'object') return value;
	if (TAKEN in value) return take(value[TAKEN], value[DECIMALS]);
	return Object.fromEntries(Object.entries<any>(value).map(([key, one]) => [key, putBack(one, take)]));
}
