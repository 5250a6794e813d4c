/**
 * Lines of a log without what varies from one to the next or is a user's: figures, times, ids, addresses, paths, values. What stays are the
 * words of the program. Each mask is bounded and begins where a word does, so that the time is linear in the line.
 */

/** More of a line says no more. */
const TEXT_MOST = 1_000;
const SHOWN_MOST = 160;
const MASK = '#';
const HIDDEN = '…';

/** First match wins, from left to right. */
const VARYING = new RegExp(
  [
    String.raw`(?<![\w.+-])[\w.+-]+@[\w.-]+`, // a mail address
    String.raw`:\/\/[^\s"'<>]+`, // an address, behind its scheme
    '"[A-Z]{3,9} [^"]*"', // a request line
    String.raw`(?<![\w\/.#)\]])\/[^\s"'<>(),;:\]]+`, // a path
    String.raw`(?<=\w)=(?:\([^)]{0,200}\)|"[^"]{0,200}"|'[^']{0,200}'|[^\s,;)\]}"'(]+)`, // a value, behind its key
    String.raw`(?<![\w-])[\w-]{8,}(?![\w-])`, // an id, or a long word
    String.raw`\d+(?:[.,:]\d+)*`, // a figure, a time, an address
  ].join('|'),
  'g',
);
/** A hexadecimal number, and a long mixture of letters and figures. */
const HEXADECIMAL = /^(?:0x)?(?=[a-f-]*\d)[\da-f-]+$/i;
const MIXED_LENGTH = 16;
const MIXED_FIGURES = 2;
const FIGURES = /0x[\da-f]+|\d+/gi;

/** Values in quotes; an apostrophe is none. */
const QUOTED = /"[^"]*"|(?<!\w)'[^']*'(?!\w)|`[^`]*`/g;

/**
 * Its words, with what is quoted in them.
 * @param {string} text a line, without its time
 */
export const maskedFigures = (text) => text.slice(0, TEXT_MOST).replace(VARYING, mask).replace(/#{2,}/g, MASK).replace(/\s+/g, ' ').trim();

/** @param {string} value */
function mask(value) {
  if (value.startsWith('://')) return `://${MASK}`;
  if (value.startsWith('"')) return `"${MASK}"`;
  if (value.startsWith('/')) return `/${MASK}`;
  if (value.startsWith('=')) return `=${MASK}`;
  return value.includes('@') || HEXADECIMAL.test(value) || isMixed(value)
    ? MASK
    : value.replace(/^\d[\d.,:]*$/, MASK).replace(FIGURES, MASK);
}

/** @param {string} value */
const isMixed = (value) => value.length >= MIXED_LENGTH && /[a-z]/i.test(value) && (value.match(/\d+/g)?.length ?? 0) >= MIXED_FIGURES;

/** @param {string} text @param {(quoted: string) => boolean} [isKept] */
const maskedQuotes = (text, isKept = () => false) =>
  text.replace(QUOTED, (quoted) => (isKept(quoted) ? quoted : quoted[0] + HIDDEN + quoted[0]));

/**
 * As it is shown: without what is quoted, but for the words of a known phrase.
 * @param {string} masked by `maskedFigures`
 * @param {RegExp} [known]
 */
export function shownTemplate(masked, known) {
  const found = known?.exec(masked);
  if (!known || !found) return cut(maskedQuotes(masked));
  // Of what the phrase itself quotes, its own words.
  const phrase = maskedQuotes(found[0], (quoted) => known.source.includes(quoted.slice(1, -1)));
  const [before, after] = [masked.slice(0, found.index), masked.slice(found.index + found[0].length)];
  const quoted = maskedQuotes(before);
  // A quote that is open where the phrase begins hides what stands in it before.
  const isOpen = quoted.split('"').length % 2 === 0;
  const words = isOpen ? `${quoted.slice(0, quoted.lastIndexOf('"') + 1)}${HIDDEN}` : quoted;
  const start = words.length + phrase.length > SHOWN_MOST ? HIDDEN : words;
  return cut(`${start}${phrase}${maskedQuotes(after)}`);
}

/** @param {string} text */
const cut = (text) => (text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST - 1)}${HIDDEN}` : text);
