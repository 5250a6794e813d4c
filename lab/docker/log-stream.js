/**
 * Makes lines of what the engine sends of a container's output, piece by piece, so that a long log is never in memory as a whole.
 *
 * The engine frames each piece of output with a header of 8 bytes: stream, three zeros, length
 * (https://docs.docker.com/reference/api/engine/, "Stream format"). docker-modem's demuxStream reads such frames too: it calls itself for each,
 * and has no stack left at 5,000 in one piece of 0.3 MB; it holds nothing back where the reader is slow.
 */

const HEADER_BYTES = 8;
const NEWLINE = 0x0a;
/** Of a container with a terminal the engine sends the bytes as they are: one stream, no headers. */
const TERMINAL = 0;
/** Before each line, and the blank after it: the engine's time. */
const STAMP = /^\S+ /;

/**
 * Of a line so much is kept: a line that no program meant is no end of memory. The engine itself writes lines of a container in pieces of 16 KB
 * (daemon/logger/copier.go), and four of them are more than any product's line of a request. The lab's own choice.
 */
const LINE_MOST_BYTES = 65_536;

/** @typedef {{ stream: number, bytes: Buffer }} Output  of a frame, or a part of one */

/** Takes frames apart as they come; nothing but a header is ever waited for. */
export class Frames {
  #header = Buffer.alloc(HEADER_BYTES);
  /** Of the header. */
  #has = 0;
  /** Of what the frame holds. */
  #left = 0;

  /** @param {Buffer} piece @returns {Output[]} */
  feed(piece) {
    const parts = [];
    for (let at = 0; at < piece.length; ) {
      if (this.#left > 0) {
        const bytes = piece.subarray(at, at + this.#left);
        parts.push({ stream: this.#header[0], bytes });
        this.#left -= bytes.length;
        at += bytes.length;
      } else {
        const read = piece.copy(this.#header, this.#has, at, at + HEADER_BYTES - this.#has);
        this.#has += read;
        at += read;
        if (this.#has < HEADER_BYTES) break;
        this.#left = this.#header.readUInt32BE(4);
        this.#has = 0;
      }
    }
    return parts;
  }
}

/**
 * @param {Buffer} buffer  framed; its last frame may be cut off
 * @returns {string} output and errors together, in their order
 */
export const demultiplex = (buffer) => Buffer.concat(new Frames().feed(buffer).map(({ bytes }) => bytes)).toString('utf8');

/** The beginning of a line whose end is still to come. */
class Begun {
  /** @type {Buffer[]} */
  #parts = [];
  #kept = 0;
  #isCut = false;

  /** @param {Buffer} bytes */
  add(bytes) {
    const kept = bytes.subarray(0, LINE_MOST_BYTES - this.#kept);
    if (kept.length < bytes.length) this.#isCut = true;
    if (kept.length === 0) return;
    // A part of a piece would keep all of it.
    this.#parts.push(kept.length === bytes.length ? kept : Buffer.from(kept));
    this.#kept += kept.length;
  }

  /** @returns {string} the line */
  end() {
    const text = (this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts)).toString('utf8').replace(/\r$/, '');
    const cut = this.#isCut ? CUT_LINE : '';
    this.#parts = [];
    this.#kept = 0;
    this.#isCut = false;
    return `${text}${cut}`;
  }

  get isEmpty() {
    return this.#kept === 0;
  }
}
const CUT_LINE = ` (The rest of the line is not on record: it is longer than ${LINE_MOST_BYTES.toLocaleString('en-US')} bytes.)`;

/** Whole lines of framed output. Frames of standard output and of standard error come in turns, and each of the two has lines of its own. */
export class LogLines {
  #frames;
  /** @type {Map<number, Begun>} */
  #begun = new Map();

  /** @param {{ isFramed: boolean }} options  not framed: of a container with a terminal */
  constructor({ isFramed }) {
    this.#frames = isFramed ? new Frames() : null;
  }

  /** @param {Buffer} piece @returns {string[]} the lines that it completes */
  feed(piece) {
    const parts = this.#frames ? this.#frames.feed(piece) : [{ stream: TERMINAL, bytes: piece }];
    return parts.flatMap(({ stream, bytes }) => this.#split(stream, bytes));
  }

  /** @returns {string[]} the last lines, which have no end */
  end() {
    return [...this.#begun.values()].flatMap((begun) => (begun.isEmpty ? [] : begun.end()));
  }

  /** @param {number} stream @param {Buffer} bytes @returns {string[]} */
  #split(stream, bytes) {
    const begun = this.#begun.get(stream) ?? new Begun();
    this.#begun.set(stream, begun);
    const lines = [];
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
      begun.add(bytes.subarray(at, end));
      lines.push(begun.end());
      at = end + 1;
    }
    if (at < bytes.length) begun.add(bytes.subarray(at));
    return lines;
  }
}

/**
 * The log as the record keeps it.
 * @param {AsyncIterable<Buffer>} pieces  that the engine sends, with its time before each line
 * @param {object} options
 * @param {boolean} options.isFramed
 * @param {(line: string) => string} options.redact
 * @param {number} options.mostBytes
 * @param {() => void} options.onCut      called when what comes after that many bytes is left out
 * @returns {AsyncGenerator<string>}
 */
export async function* keptLog(pieces, { isFramed, redact, mostBytes, onCut }) {
  const reader = new LogLines({ isFramed });
  const kept = (/** @type {string} */ line) => {
    const stamp = STAMP.exec(line)?.[0] ?? '';
    return `${stamp}${redact(line.slice(stamp.length))}\n`;
  };
  // As they come, so that a line without an end counts too.
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > mostBytes) {
      onCut();
      // A line of its own, without a time: it is not the container's.
      yield `(The log is longer than ${mostBytes.toLocaleString('en-US')} bytes; the rest of it is not on record.)\n`;
      return;
    }
    const text = reader.feed(piece).map(kept).join('');
    if (text !== '') yield text;
  }
  const last = reader.end().map(kept).join('');
  if (last !== '') yield last;
}
