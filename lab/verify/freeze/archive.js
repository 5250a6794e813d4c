/**
 * The one file of a frozen record: its files packed together, what is in rows as columns. What was packed comes out as text that reads the same,
 * not as the same text: of JSON nothing but its values is kept.
 */
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { RAW } from '../../base/paths.js';
import { EACH, HEAD } from '../../record/k6-requests.js';
import { packRows, unpackRows } from './columns.js';

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];

/**
 * A text that is in none of the other forms; lines of JSON; those of k6's log; one JSON; lines that begin with a time.
 * @typedef {['text' | 'lines' | 'k6' | 'json' | 'log', any]} Packed
 */

/** As the engine writes a time before each line: nanoseconds, without zeros at the end. */
const TIMED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z (.*)$/;
const NANO_DIGITS = 9;

/** @param {any} value  JSON @returns {Promise<Buffer>} */
export const packJson = async (value) => {
  const bytes = Buffer.from(JSON.stringify(value));
  return compress(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
};

/** @param {Uint8Array} bytes @returns {Promise<any>} */
export const unpackJson = async (bytes) => JSON.parse(String(await decompress(bytes)));

/** @param {import('./files.js').RecordFiles} files @returns {Record<string, Packed>} */
export const packFiles = (files) => Object.fromEntries(Object.entries(files).map(([name, text]) => [name, packText(name, text)]));

/** @param {Record<string, Packed>} packed @returns {import('./files.js').RecordFiles} */
export const unpackFiles = (packed) => Object.fromEntries(Object.entries(packed).map(([name, one]) => [name, unpackText(one)]));

/** @param {string} name @param {string} text @returns {Packed} */
function packText(name, text) {
  const rows = rowsIn(text);
  if (rows === null) return packLog(text) ?? ['text', text];
  if (rows.length === 1 && text.startsWith('{')) return ['json', rows[0]];
  return name.endsWith(RAW.k6Log) ? ['k6', packRows(rows.map(openLine))] : ['lines', packRows(rows)];
}

/** @param {Packed} packed */
function unpackText([form, kept]) {
  if (form === 'text') return kept;
  if (form === 'log') return unpackLog(kept);
  if (form === 'json') return `${JSON.stringify(kept)}\n`;
  const rows = unpackRows(kept);
  return (form === 'k6' ? rows.map(closeLine) : rows).map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** @param {string} text @returns {any[] | null} null where a line is no JSON, or a number in it would not read the same */
function rowsIn(text) {
  if (text === '') return null;
  try {
    return [JSON.parse(text)];
  } catch {
    // Lines, perhaps.
  }
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } catch {
    return null;
  }
}

/** @param {string} text @returns {Packed | null} null where a line has no such time */
function packLog(text) {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.length === 0) return null;
  const read = lines.map((line) => TIMED.exec(line));
  const [first] = read;
  if (!first || read.some((one) => one === null)) return null;
  const began = Date.parse(`${first[1]}Z`);
  const times = read.flatMap((one) => {
    const [, second, fraction = ''] = /** @type {RegExpExecArray} */ (one);
    // Whole nanoseconds from the first second on: a run is short enough for them to be exact.
    const nano = ((Date.parse(`${second}Z`) - began) / 1000) * 10 ** NANO_DIGITS + Number(fraction.padEnd(NANO_DIGITS, '0'));
    return [{ nano, digits: fraction.length }];
  });
  return ['log', [began, packRows(times), read.map((one) => one?.[3])]];
}

/** @param {[number, ReturnType<typeof packRows>, string[]]} kept */
function unpackLog([began, times, texts]) {
  const lines = unpackRows(times).map(({ nano, digits }, index) => {
    const second = Math.floor(nano / 10 ** NANO_DIGITS);
    const fraction = String(nano - second * 10 ** NANO_DIGITS)
      .padStart(NANO_DIGITS, '0')
      .slice(0, digits);
    const at = new Date(began + second * 1000).toISOString().slice(0, SECOND_ENDS);
    return `${at}${digits > 0 ? `.${fraction}` : ''}Z ${texts[index]}\n`;
  });
  return lines.join('');
}
/** `2026-11-27T12:41:44`. */
const SECOND_ENDS = 19;

/** What a user wrote, in the line of k6's log, and of its numbers each request by itself. @param {any} line */
function openLine(line) {
  const told = typeof line.msg === 'string' && line.msg.startsWith('{') ? parsedOrNull(line.msg) : null;
  if (told === null) return line;
  return { ...line, msg: mapNumbers(told, (numbers) => [numbers.slice(0, HEAD), inFours(numbers.slice(HEAD))]) };
}

/** @param {any} line */
function closeLine(line) {
  if (typeof line.msg !== 'object' || line.msg === null) return line;
  return { ...line, msg: JSON.stringify(mapNumbers(line.msg, ([head, each]) => [...head, ...each.flat()])) };
}

/** @param {any} told @param {(numbers: any[]) => any[]} change */
const mapNumbers = (told, change) =>
  Object.fromEntries(
    Object.entries(told).map(([name, value]) => [
      name,
      (name === 'requests' || name === 'warm') && Array.isArray(value) ? change(value) : value,
    ]),
  );

/** @param {number[]} numbers */
const inFours = (numbers) => Array.from({ length: Math.ceil(numbers.length / EACH) }, (_, at) => numbers.slice(at * EACH, (at + 1) * EACH));

/** @param {string} text */
function parsedOrNull(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
