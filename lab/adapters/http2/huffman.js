/**
 * The code in which HPACK packs texts. https://www.rfc-editor.org/rfc/rfc7541#appendix-B
 *
 * It is canonical: of codes of one length the numbers rise with the symbols, so that the lengths say all.
 */

/** Of the symbols 0 to 255 and of the end, as letters: A is 5 bits. */
const LENGTHS =
  'ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJI' +
  'XPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRSVVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ';
const SHORTEST = 5;
const END = 256;

/** By length and then by code. @type {Map<number, Map<number, number>>} */
const symbols = new Map();
const ordered = Array.from(LENGTHS, (letter, symbol) => ({ symbol, length: letter.charCodeAt(0) - 65 + SHORTEST })).sort(
  (one, other) => one.length - other.length || one.symbol - other.symbol,
);
let next = 0;
let before = SHORTEST;
for (const { symbol, length } of ordered) {
  next *= 2 ** (length - before);
  before = length;
  const ofLength = symbols.get(length) ?? new Map();
  symbols.set(length, ofLength.set(next, symbol));
  next += 1;
}

/** @param {Buffer} bytes @returns {string | null} null: it is none */
export function unpack(bytes) {
  let text = '';
  let code = 0;
  let length = 0;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((byte >> bit) & 1);
      length += 1;
      const symbol = symbols.get(length)?.get(code);
      if (symbol === END || length > 30) return null;
      if (symbol === undefined) continue;
      text += String.fromCharCode(symbol);
      code = 0;
      length = 0;
    }
  // What is left fills the last byte with ones.
  return length < 8 && code === 2 ** length - 1 ? text : null;
}
