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

/** @param {Buffer} buffer @returns {{ frames: { stream: number, bytes: Buffer }[], rest: Buffer }} rest: of a frame that has not ended */
function framesIn(buffer) {
  const frames = [];
  let at = 0;
  while (at + HEADER_BYTES <= buffer.length) {
    const end = at + HEADER_BYTES + buffer.readUInt32BE(at + 4);
    if (end > buffer.length) break;
    frames.push({ stream: buffer[at], bytes: buffer.subarray(at + HEADER_BYTES, end) });
    at = end;
  }
  return { frames, rest: buffer.subarray(at) };
}

/**
 * @param {Buffer} buffer  framed; its last frame may be cut off
 * @returns {string} output and errors together, in their order
 */
export function demultiplex(buffer) {
  const { frames, rest } = framesIn(buffer);
  return Buffer.concat([...frames.map(({ bytes }) => bytes), rest.subarray(HEADER_BYTES)]).toString('utf8');
}

/** Whole lines of framed output. Frames of standard output and of standard error come in turns, and each of the two has lines of its own. */
export class LogLines {
  #isFramed;
  /** @type {Buffer} */
  #rest = Buffer.alloc(0);
  /** The beginnings of lines whose end is still to come. @type {Map<number, Buffer>} */
  #begun = new Map();

  /** @param {{ isFramed: boolean }} options  not framed: of a container with a terminal */
  constructor({ isFramed }) {
    this.#isFramed = isFramed;
  }

  /** @param {Buffer} piece @returns {string[]} the lines that it completes */
  feed(piece) {
    if (!this.#isFramed) return this.#split(TERMINAL, piece);
    const { frames, rest } = framesIn(Buffer.concat([this.#rest, piece]));
    this.#rest = rest;
    return frames.flatMap(({ stream, bytes }) => this.#split(stream, bytes));
  }

  /** @returns {string[]} the last lines, which have no end */
  end() {
    return [...this.#begun.values()].filter((line) => line.length > 0).map(asText);
  }

  /** @param {number} stream @param {Buffer} bytes @returns {string[]} */
  #split(stream, bytes) {
    const buffer = Buffer.concat([this.#begun.get(stream) ?? Buffer.alloc(0), bytes]);
    const lines = [];
    let at = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, at)) {
      lines.push(asText(buffer.subarray(at, end)));
      at = end + 1;
    }
    this.#begun.set(stream, buffer.subarray(at));
    return lines;
  }
}

/** A terminal ends its lines with two characters. @param {Buffer} line */
const asText = (line) => line.toString('utf8').replace(/\r$/, '');

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
  let bytes = 0;
  for await (const piece of pieces) {
    const text = reader.feed(piece).map(kept).join('');
    bytes += Buffer.byteLength(text);
    if (bytes > mostBytes) {
      onCut();
      // A line of its own, without a time: it is not the container's.
      yield `(The log is longer than ${mostBytes.toLocaleString('en-US')} bytes; the rest of it is not on record.)\n`;
      return;
    }
    if (text !== '') yield text;
  }
  const last = reader.end().map(kept).join('');
  if (last !== '') yield last;
}
