/**
 * The top of a document of BSON, as far as it was recorded: names, and the few values that are asked for. https://bsonspec.org/spec.html
 *
 * @typedef {{ name: string, type: number, at: number, size: number }} Element  at: where its value begins; size: of the value
 */

const LENGTH = 4;
const NAME_MOST = 64;
/** @type {Record<number, number>} */
const SIZES = { 1: 8, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 16: 4, 17: 8, 18: 8, 19: 16, 127: 0, 255: 0 };
/** A length, that many bytes. */
const TEXTS = new Set([2, 13, 14]);
/** A length that counts itself. */
const DOCUMENTS = new Set([3, 4, 15]);
const BINARY = 5;

/**
 * @param {Buffer} bytes
 * @param {number} from  where the document begins
 * @param {number} [most]  elements that are wanted
 * @returns {{ elements: Element[], isCut: boolean }} isCut: it goes on where it was not recorded, or is none
 */
export function readElements(bytes, from, most = Number.MAX_SAFE_INTEGER) {
  /** @type {Element[]} */
  const elements = [];
  const end = from + LENGTH <= bytes.length ? from + bytes.readInt32LE(from) : 0;
  let at = from + LENGTH;
  while (at < end && at < bytes.length && elements.length < most) {
    const type = bytes[at];
    if (type === 0) return { elements, isCut: false };
    const stop = bytes.indexOf(0, at + 1);
    if (stop < 0 || stop - at > NAME_MOST) break;
    const name = bytes.toString('latin1', at + 1, stop);
    const size = sizeOf(bytes, type, stop + 1);
    if (size === null || size < 0) break;
    elements.push({ name, type, at: stop + 1, size });
    at = stop + 1 + size;
  }
  return { elements, isCut: true };
}

/** @param {Buffer} bytes @param {number} type @param {number} at @returns {number | null} null: it is not known */
function sizeOf(bytes, type, at) {
  if (type in SIZES) return SIZES[type];
  if (at + LENGTH > bytes.length) return null;
  const length = bytes.readInt32LE(at);
  if (TEXTS.has(type)) return LENGTH + length;
  if (DOCUMENTS.has(type)) return length;
  return type === BINARY ? LENGTH + 1 + length : null;
}

/** @param {Buffer} bytes @param {Element | undefined} element @returns {number | null} null: there is none, or it was not recorded */
export function readNumber(bytes, element) {
  if (!element || element.at + element.size > bytes.length) return null;
  if (element.type === 1) return bytes.readDoubleLE(element.at);
  if (element.type === 8) return bytes[element.at];
  if (element.type === 16) return bytes.readInt32LE(element.at);
  return element.type === 18 ? Number(bytes.readBigInt64LE(element.at)) : null;
}

/** @param {Buffer} bytes @param {Element | undefined} element @returns {string} empty: it is none, or was not recorded */
export function readText(bytes, element) {
  if (element?.type !== 2 || element.at + element.size > bytes.length) return '';
  return bytes.toString('utf8', element.at + LENGTH, element.at + element.size - 1);
}
