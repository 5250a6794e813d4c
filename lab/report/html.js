/**
 * Markup as text, escaped by default: whatever goes into an `html` template is shown as the reader would see it in the
 * raw data, unless it came out of an `html` template itself.
 *
 * @typedef {Html | string | number | boolean | null | undefined} Piece
 * @typedef {Piece | readonly Piece[]} Content
 */

/** More than any measurement here can tell apart. */
const DIGITS = 5;
/** Moments, in seconds since 1970, keep their fraction. */
const MOMENTS_FROM = 1e9;

/**
 * For JSON.stringify: fractions without the digits that mean nothing. Counts and moments stay as they are.
 * @param {string} _ key
 * @param {unknown} value
 */
const rounded = (_, value) =>
  typeof value === 'number' && !Number.isInteger(value) && Math.abs(value) < MOMENTS_FROM ? Number(value.toPrecision(DIGITS)) : value;

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export class Html {
  /** @param {string} text markup that is safe already */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @param {string} text */
const escapeText = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

/**
 * For text elements and for attributes in double quotes. False, null and undefined leave nothing, so that
 * `condition && html...` can be written.
 * @param {TemplateStringsArray} strings
 * @param {...Content} values
 */
export function html(strings, ...values) {
  return new Html(strings.reduce((text, string, index) => text + markupOf(values[index - 1]) + string));
}

/**
 * @param {Content} value
 * @returns {string}
 */
function markupOf(value) {
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return value.map(markupOf).join('');
}

/**
 * Data for a script element. HTML ends such an element at the first `</script`, wherever it stands, and reads `<!--`
 * as a comment; without `<` there is neither. Fractions are rounded.
 * @param {unknown} data
 */
export const jsonText = (data) => new Html(JSON.stringify(data, rounded).replaceAll('<', '\\u003c'));
