/** Follows a file that another program appends to. */

import { closeSync, readSync } from 'node:fs';
import { openPrivate } from '../base/private-file.ts';

const PIECE_BYTES = 1 << 20;

export class FileTail {
	#path;
	#offset = 0;

	/** @param path of a file that may not be there yet */
	constructor(path: string) {
		this.#path = path;
	}

	/** @returns what was appended since the last call; empty when nothing was */
	async read(): Promise<string> {
		const file = openPrivate(this.#path);
		if (file === null) return '';
		try {
			const buffer = Buffer.alloc(PIECE_BYTES);
			const bytesRead = readSync(file, buffer, 0, PIECE_BYTES, this.#offset);
			this.#offset += bytesRead;
			return buffer.toString('utf8', 0, bytesRead);
		} finally {
			closeSync(file);
		}
	}
}
