/**
 * Puts the segments of one direction in order: repeated bytes are left out, late ones wait for those before them, and what was never
 * recorded is a hole.
 *
 * @typedef {(at: number, bytes: Buffer, hole: number) => void} Give  hole: bytes after them that were not recorded
 * @typedef {{ sequence: number, at: number, payload: Buffer, length: number }} Segment  a packet, as far as it is read here
 */

/** Segments that wait for one before them: more than the kernel's own window of small ones. */
const WAITING_MOST = 256;
/** What is farther away is of another connection, or garbage. */
const FAR_BYTES = 64 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

export class Sequence {
  /** Sequence number of the next byte; null before the first. @type {number | null} */
  #next;
  /** In their order. @type {Segment[]} */
  #waiting = [];
  #give;

  /** Segments that carried nothing new, and when the last of them passed. */
  again = 0;
  /** @type {number | null} */
  againAt = null;

  /**
   * @param {number | null} next  null: the next segment begins it
   * @param {Give} give
   */
  constructor(next, give) {
    this.#next = next;
    this.#give = give;
  }

  /** What the next byte's number is now known to be. @param {number} next */
  begin(next) {
    this.#next ??= next;
  }

  /** @param {Segment} segment  with a payload */
  take(segment) {
    this.#next ??= segment.sequence;
    const ahead = distance(segment.sequence, this.#next);
    if (Math.abs(ahead) > FAR_BYTES) {
      // It goes on from there, whatever it is.
      this.settle(null);
      this.#next = segment.sequence;
    }
    if (ahead > 0 && ahead <= FAR_BYTES) {
      this.#wait(segment);
      return;
    }
    this.#deliver(segment);
    this.#deliverWaiting();
  }

  /**
   * The other side has everything before this number: what was not seen until now was not recorded.
   * @param {number | null} acknowledged  null: nothing more will come
   * @param {number} [at]
   */
  settle(acknowledged, at = 0) {
    while (this.#waiting.length > 0) {
      const [{ sequence, at: cameAt }] = this.#waiting;
      if (acknowledged !== null && distance(acknowledged, sequence) < 0) break;
      this.#skipTo(sequence, cameAt);
      this.#deliverWaiting();
    }
    if (acknowledged !== null && this.#next !== null) {
      const ahead = distance(acknowledged, this.#next);
      if (ahead > 0 && ahead <= FAR_BYTES) this.#skipTo(acknowledged, at);
    }
  }

  /** @param {number} sequence @param {number} at */
  #skipTo(sequence, at) {
    const hole = distance(sequence, /** @type {number} */ (this.#next));
    this.#next = sequence;
    if (hole > 0) this.#give(at, EMPTY, hole);
  }

  /** @param {Segment} segment */
  #wait(segment) {
    const { sequence, at, length, payload } = segment;
    const index = this.#waiting.findIndex((waiting) => distance(waiting.sequence, sequence) >= 0);
    if (index >= 0 && this.#waiting[index].sequence === sequence && this.#waiting[index].length >= length) {
      this.#repeat(segment);
      return;
    }
    // The file's memory is used again.
    this.#waiting.splice(index < 0 ? this.#waiting.length : index, 0, { sequence, at, length, payload: Buffer.from(payload) });
    if (this.#waiting.length > WAITING_MOST) this.settle(this.#waiting[0].sequence);
  }

  #deliverWaiting() {
    while (this.#waiting.length > 0 && distance(this.#waiting[0].sequence, /** @type {number} */ (this.#next)) <= 0)
      this.#deliver(/** @type {Segment} */ (this.#waiting.shift()));
  }

  /** @param {Segment} segment  that begins at the next byte, or before it */
  #deliver(segment) {
    const { sequence, at, payload, length } = segment;
    const known = distance(/** @type {number} */ (this.#next), sequence);
    if (known >= length) {
      this.#repeat(segment);
      return;
    }
    if (known > 0) this.#repeat(segment);
    this.#next = (sequence + length) >>> 0;
    const fresh = known === 0 ? payload : payload.subarray(Math.min(known, payload.length));
    this.#give(at, fresh, length - known - fresh.length);
  }

  /** One byte that was there already is how the kernel asks whether the other side is alive. @param {Segment} segment */
  #repeat({ at, length }) {
    if (length <= 1) return;
    this.again += 1;
    this.againAt = at;
  }
}

/** How far one number is ahead of another, in a circle of 2^32. @param {number} one @param {number} other */
export const distance = (one, other) => (one - other) | 0;
