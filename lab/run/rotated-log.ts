/**
 * Whether lines of the load may be missing in a log because its engine keeps so much of it and no more: the oldest lines go first, and nothing says
 * that they were there.
 */

import { bytesOf } from '../target/kept-logging.ts';
/** of a log as the engine sends it; firstS: the time of its first line, in seconds of the epoch */
export type Seen = { bytes: number; firstS: number | null };

/** as the engine has it, with what its own settings add */
type Logging = { Type?: string; Config?: Record<string, string> | null };

/** What the engine takes where nothing is said. https://docs.docker.com/engine/logging/drivers/local/ */
const STANDARD: Record<string, { size: string; files: number }> = { local: { size: '20m', files: 5 }, 'json-file': { size: '', files: 1 } };
/** Of a line's text the engine writes as much again and more: quotes, time and stream, each control character six times as long. */
const TEXT_SHARE = 1 / 8;
const FIRST_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?\d*Z/;
/** In which the first line's time stands: behind a frame's eight bytes. */
const HEAD_BYTES = 64;

/**
 * @param pieces of a log, with the engine's times
 * @param seen filled as they pass
 */
export async function* counted(pieces: AsyncIterable<Buffer>, seen: Seen): AsyncGenerator<Buffer> {
	let head = Buffer.alloc(0);
	for await (const piece of pieces) {
		seen.bytes += piece.length;
		if (seen.firstS === null && head.length < HEAD_BYTES) {
			head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES)]);
			const [time] = FIRST_TIME.exec(head.toString('latin1')) ?? [];
			if (time !== undefined) seen.firstS = Date.parse(time) / 1000;
		}
		yield piece;
	}
}

/**
 * @param given sinceS: when the load began
 * @returns why lines may be missing, as the end of a sentence that begins with "its log"; null: those of the load are all there
 */
export function whyRotated(
	{ bytes, firstS }: Seen,
	{ logging: { Type: type = '', Config: config = {} } = {}, sinceS }: { logging: Logging | undefined; sinceS: number },
): string | null {
	const standard = STANDARD[type];
	if (standard === undefined || bytes === 0) return null;
	const size = config?.['max-size'] ?? standard.size;
	const files = Number(config?.['max-file'] ?? standard.files);
	const most = bytesOf(size);
	// A line of before the load is older than all of it.
	if (most === null || (firstS !== null && firstS < sinceS)) return null;
	// What is thrown away is the oldest of so many files: then the others are full.
	if (bytes < (files - 1) * most * TEXT_SHARE) return null;
	return `may lack lines of the load: the engine keeps ${files === 1 ? 'one file' : `${files} files`} of ${size} of it, and the oldest line is of after the load began`;
}
