/**
 * A file of JSON lines in a run's `raw/`.
 */

import { createWriteStream } from 'node:fs';
import { asTold, RunFailedError } from '../base/errors.js';
import { NEW } from '../base/private-file.js';

export class RecordFile {
  #stream;
  /** @type {Error | null} */
  #error = null;

  /** @param {string} path  of a file that is not there yet */
  constructor(path) {
    this.#stream = createWriteStream(path, { flags: /** @type {any} */ (NEW) });
    // A full disk must not end the lab before its stack is down; close() tells.
    this.#stream.on('error', (error) => {
      this.#error = error;
    });
  }

  /** @param {object} line */
  write(line) {
    this.#stream.write(`${JSON.stringify(line)}\n`);
  }

  /** @throws {import('../base/errors.js').LabError} when a line could not be written */
  async close() {
    if (!this.#stream.closed) {
      this.#stream.end();
      // After an error it closes too.
      await new Promise((resolve) => this.#stream.once('close', () => resolve(null)));
    }
    if (this.#error) throw asTold(this.#error) ?? new RunFailedError(`The record could not be written: ${this.#error.message}`);
  }
}
