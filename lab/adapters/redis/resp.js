/**
 * One direction of a Redis connection as values of its protocol (RESP 2 and 3), over holes: where each begins and ends, the first words of
 * a list, the first word of an error. https://redis.io/docs/latest/develop/reference/protocol-spec/
 *
 * @typedef {object} Value
 * @property {number} began_at
 * @property {number} ended_at
 * @property {string} type     the sign that it begins with
 * @property {string[]} words  the first texts of a list, each as far as it was wanted and recorded; of an error or a line, itself
 * @property {number} length   in bytes
 * @property {boolean} isCut   what was wanted of it was not recorded
 */
import { StreamReader } from '../../wire/stream-reader.js';

const LF = 10;
/** A sign and a number. */
const LINE_MOST = 32;
/** Simple texts and errors. */
const TEXT_MOST = 4096;
const WORD_BYTES = 24;
const WORDS_MOST = 10;
/** More values than any command or answer has. */
const VALUES_MOST = 1e9;
const LISTS = new Map([
  ['*', 1],
  ['~', 1],
  ['>', 1],
  ['%', 2],
  ['|', 2],
]);
const TEXTS = new Set('$=!');
const SIMPLE = new Set('+-:_#,(');

export class RespReader {
  stream = new StreamReader();
  #told;
  /** Values that are still to come until the one that was begun is whole. */
  #left = 0;
  /** @type {Value | null} */
  #value = null;
  #beganAt = 0;
  /** A text whose end has not come. */
  #isInText = false;

  /** @param {{ onValue: (value: Value) => void, onLost: (bytes: number, at: number) => void }} told */
  constructor(told) {
    this.#told = told;
  }

  /** When the value began whose end has not come; null between values. */
  get beganAt() {
    return this.#value?.began_at ?? this.stream.at;
  }

  /** @param {import('../../wire/contract.js').Chunk} chunk */
  push(chunk) {
    this.stream.push(chunk);
    while (this.#step());
    this.stream.keep();
    const dropped = this.stream.takeDropped();
    if (dropped > 0) this.#told.onLost(dropped, chunk.at);
  }

  /** @returns {boolean} whether there may be more to read */
  #step() {
    const { stream } = this;
    if (this.#isInText) {
      if (stream.debt > 0) return false;
      this.#isInText = false;
      this.#ends();
      return true;
    }
    if (stream.isEmpty) return false;
    const sign = String.fromCharCode(stream.first ?? 0);
    const most = SIMPLE.has(sign) ? TEXT_MOST : LINE_MOST;
    const line = stream.peek(most);
    const end = line.indexOf(LF);
    if (end < 0) return line.length === most || stream.isCutWithin(most) ? this.#lose(sign, line) : false;
    return this.#takes(sign, line.toString('latin1', 1, end).replace(/\r$/, ''), end + 1);
  }

  /** @param {string} sign @param {string} text @param {number} size of the line */
  #takes(sign, text, size) {
    const { stream } = this;
    if (SIMPLE.has(sign)) {
      const value = this.#begins(sign);
      if (this.#isWanted(value)) value.words.push(text.slice(0, WORD_BYTES * 2));
      stream.skip(size);
      this.#ends();
      return true;
    }
    const number = /^-?\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(number) || !(LISTS.has(sign) || TEXTS.has(sign))) return this.#lose(sign, Buffer.alloc(0));
    if (TEXTS.has(sign)) return this.#takesText(sign, number, size);
    const value = this.#begins(sign);
    stream.skip(size);
    // Attributes come before the value that they are of.
    this.#left += Math.max(0, number) * /** @type {number} */ (LISTS.get(sign)) + (sign === '|' ? 1 : 0);
    if (this.#left > VALUES_MOST) return this.#lose(sign, Buffer.alloc(0));
    value.type = value.type === '|' ? sign : value.type;
    this.#ends();
    return true;
  }

  /** @param {string} sign @param {number} length @param {number} size of the line */
  #takesText(sign, length, size) {
    const { stream } = this;
    const want = Math.min(Math.max(0, length), WORD_BYTES);
    const isWanted = this.#value === null || this.#isWanted(this.#value);
    const bytes = stream.peek(size + want);
    if (isWanted && bytes.length < size + want && !stream.isCutWithin(size + want)) return false;
    const value = this.#begins(sign);
    if (isWanted) {
      value.words.push(bytes.toString('latin1', size));
      if (bytes.length < size + want) value.isCut = true;
    }
    stream.skip(size + (length < 0 ? 0 : length + '\r\n'.length));
    this.#isInText = true;
    return true;
  }

  /** @param {Value} value */
  #isWanted({ words }) {
    return words.length < WORDS_MOST;
  }

  /** @param {string} type @returns {Value} */
  #begins(type) {
    if (!this.#value) {
      this.#value = { began_at: /** @type {number} */ (this.stream.at), ended_at: 0, type, words: [], length: 0, isCut: false };
      this.#beganAt = this.stream.position;
      this.#left = 1;
    }
    return this.#value;
  }

  /** One value less is still to come. */
  #ends() {
    this.#left -= 1;
    const value = this.#value;
    if (this.#left > 0 || !value) return;
    this.#value = null;
    this.#told.onValue({ ...value, ended_at: this.stream.passedAt, length: this.stream.position - this.#beganAt });
  }

  /** Where the next value begins is not known. @param {string} sign @param {Buffer} line */
  #lose(sign, line) {
    const value = this.#value;
    this.#value = null;
    this.#left = 0;
    if (value || SIMPLE.has(sign)) {
      const words = value?.words ?? [line.toString('latin1', 1, WORD_BYTES * 2)];
      const { at } = this.stream;
      this.#told.onValue({
        ...{ began_at: value?.began_at ?? /** @type {number} */ (at), ended_at: Number.NaN, type: value?.type ?? sign },
        ...{ words, length: 0, isCut: true },
      });
    }
    this.stream.lose();
    return !this.stream.isEmpty;
  }
}
