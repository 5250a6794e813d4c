/** A file of JSON lines in a run's `raw/`. */

import { RunFailedError, toUserError, writing } from '../base/errors.ts';
import { streamTo } from '../base/files.ts';
import { secrets } from '../base/secrets.ts';

export class RecordFile {
	#stream;
	#error: Error | null = null;

	/** @param path of a file that is not there yet */
	constructor(path: string) {
		this.#stream = streamTo(path);
		// A full disk must not end the lab before its stack is down; close() tells.
		this.#stream.on('error', (error) => {
			this.#error = writing(error, path);
		});
	}

	write(line: object) {
		this.#stream.write(`${secrets.without(JSON.stringify(line))}\n`);
	}

	/** @throws {import('../base/errors.ts').LabError} when a line could not be written */
	async close() {
		if (!this.#stream.closed) {
			this.#stream.end();
			// After an error it closes too.
			await new Promise((resolve) => this.#stream.once('close', () => resolve(null)));
		}
		if (this.#error) throw toUserError(this.#error) ?? new RunFailedError(`The record could not be written: ${this.#error.message}`);
	}
}
