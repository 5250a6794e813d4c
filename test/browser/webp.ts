/** An animated WebP of still ones: https://developers.google.com/speed/webp/docs/riff_container */

import type { Frame } from './moving-picture.ts';

export const [WIDTH, HEIGHT, LINE, MARGIN] = [1000, 680, 18, 16];
/** How often it is played: it ends on the report. */
const LOOPS = 3;

const HAS_ANIMATION = 0x02;
const NO_BLENDING = 0x02;
/** Of a RIFF file, and of a chunk. */
const [FILE_HEAD, CHUNK_HEAD] = [12, 8];

const uint = (value: number, bytes: number): Buffer => {
	const buffer = Buffer.alloc(bytes);
	buffer.writeUIntLE(value, 0, bytes);
	return buffer;
};

function chunk(name: string, ...parts: Buffer[]): Buffer {
	const data = Buffer.concat(parts);
	return Buffer.concat([Buffer.from(name), uint(data.length, 4), data, Buffer.alloc(data.length % 2)]);
}

/** The chunks of a still image, without what says of what kind the file is. */
function pixelsOf(image: Buffer): Buffer {
	const kept: Buffer[] = [];
	for (let at = FILE_HEAD; at + CHUNK_HEAD <= image.length; ) {
		const length = image.readUInt32LE(at + 4);
		const end = at + CHUNK_HEAD + length + (length % 2);
		if (['VP8 ', 'VP8L'].includes(image.toString('latin1', at, at + 4))) kept.push(image.subarray(at, end));
		at = end;
	}
	return Buffer.concat(kept);
}

export function animated(frames: Frame[]): Buffer {
	const size = [uint(WIDTH - 1, 3), uint(HEIGHT - 1, 3)];
	const chunks = [
		chunk('VP8X', uint(HAS_ANIMATION, 4), ...size),
		chunk('ANIM', uint(0, 4), uint(LOOPS, 2)),
		...frames.map(({ image, x, y, width, height, ms }) => {
			const head = [x / 2, y / 2, width - 1, height - 1, ms].map((value) => uint(value, 3));
			return chunk('ANMF', ...head, uint(NO_BLENDING, 1), pixelsOf(image));
		}),
	];
	return chunk('RIFF', Buffer.from('WEBP'), ...chunks);
}
