/**
 * Messages that say their own length, one after the other in one direction: what most protocols of databases and queues are made of.
 * The beginning of each is given, and how long it was; the rest may be in a hole.
 *
 * @typedef {object} Frame
 * @property {number} began_at   its first byte passed
 * @property {number} ended_at   its last byte passed
 * @property {Buffer} bytes      its beginning with its head: at most `want` bytes, fewer where not more was recorded. A view of what is used
 *   again: copy what is kept
 * @property {number} length     of the whole, with its head
 * @property {boolean} isCut     bytes that were wanted were not recorded
 *
 * @typedef {object} FrameOptions
 * @property {() => number} head          bytes that the length is read from; asked anew for each message
 * @property {(head: Buffer) => number | null} lengthOf  of the whole message with its head; null: that is none. head: with what follows it
 * @property {number} want                bytes of each message that are given
 * @property {(frame: Frame) => void} onFrame  when its last byte has passed
 * @property {(bytes: number, at: number) => void} onLost  bytes that are in no message, up to the next turn: garbage, or the head was in a hole
 */
import { StreamReader } from './stream-reader.js';

export class FrameReader {
  #options;
  #stream = new StreamReader();
  /** Whose head is read and whose end has not come. @type {Frame | null} */
  #open = null;

  /** @param {FrameOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** The message whose end has not come, as far as it is known; null between messages. @returns {{ began_at: number, length: number | null, bytes: Buffer } | null} */
  get partial() {
    if (this.#open) return this.#open;
    const at = this.#stream.at;
    return at === null ? null : { began_at: at, length: null, bytes: this.#stream.peek(this.#options.want) };
  }

  /** @param {import('./contract.js').Chunk} chunk */
  push(chunk) {
    this.#stream.push(chunk);
    while (this.#step());
    this.#stream.keep();
    const dropped = this.#stream.takeDropped();
    if (dropped > 0) this.#options.onLost(dropped, chunk.at);
  }

  /** Ends to read: what is left goes on in another protocol. */
  takeRest() {
    return this.#stream.takeRest();
  }

  /** @returns {boolean} whether there may be more to read */
  #step() {
    if (this.#open) return this.#close(this.#open);
    if (this.#stream.isEmpty) return false;
    const size = this.#options.head();
    const beginning = this.#stream.peek(Math.max(size, this.#options.want));
    if (beginning.length < size) return this.#stream.isCutWithin(size) ? this.#lose() : false;
    const length = this.#options.lengthOf(beginning);
    if (length === null || length < size) return this.#lose();
    const want = Math.min(this.#options.want, length);
    // With a hole in it nothing more of it comes; else what is wanted is waited for.
    const isCut = this.#stream.isCutWithin(want);
    if (this.#stream.row < want && !isCut) return false;
    const bytes = beginning.length > want ? beginning.subarray(0, want) : beginning;
    const open = { began_at: /** @type {number} */ (this.#stream.at), ended_at: 0, bytes, length, isCut };
    this.#stream.skip(length);
    // What is here as a whole is given as it lies; what is waited for would be written over.
    this.#open = this.#stream.debt > 0 ? { ...open, bytes: Buffer.from(bytes) } : open;
    return true;
  }

  /** @param {Frame} frame */
  #close(frame) {
    if (this.#stream.debt > 0) return false;
    this.#open = null;
    frame.ended_at = this.#stream.passedAt;
    this.#options.onFrame(frame);
    return true;
  }

  #lose() {
    this.#stream.lose();
    return !this.#stream.isEmpty;
  }
}
