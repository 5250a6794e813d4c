/**
 * A file of JSON lines in a run's `raw/`.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export class RecordFile {
  #stream;

  /** @param {string} path */
  constructor(path) {
    this.#stream = createWriteStream(path, { flags: 'a' });
  }

  /** @param {object} line */
  write(line) {
    this.#stream.write(`${JSON.stringify(line)}\n`);
  }

  async close() {
    this.#stream.end();
    await once(this.#stream, 'close');
  }
}
