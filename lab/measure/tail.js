/**
 * Follows a file that another program appends to.
 */
import { open } from 'node:fs/promises';

const PIECE_BYTES = 1 << 20;

export class FileTail {
  #path;
  #offset = 0;

  /** @param {string} path of a file that may not be there yet */
  constructor(path) {
    this.#path = path;
  }

  /** @returns {Promise<string>} what was appended since the last call; empty when nothing was */
  async read() {
    const file = await open(this.#path, 'r').catch(() => null);
    if (!file) return '';
    try {
      const buffer = Buffer.alloc(PIECE_BYTES);
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, this.#offset);
      this.#offset += bytesRead;
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  }
}
