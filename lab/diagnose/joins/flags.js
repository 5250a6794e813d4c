/** Which of all calls are meant, a bit for each: a set of a hundred thousand numbers takes a hundred times as much, and asks longer. */
export class Flags {
  #bits;

  /** @param {number} size  calls */
  constructor(size) {
    this.#bits = new Uint8Array((size >> 3) + 1);
  }

  /** @param {number} call */
  add(call) {
    this.#bits[call >> 3] |= 1 << (call & 7);
  }

  /** @param {number} call */
  has(call) {
    return (this.#bits[call >> 3] & (1 << (call & 7))) !== 0;
  }
}
