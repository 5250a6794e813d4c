/**
 * Reads a Caddyfile as far as the lab must know it: the lines of its blocks at the top, and what stands in each.
 * https://caddyserver.com/docs/caddyfile/concepts#structure
 */

/**
 * @typedef {object} Block
 * @property {'options' | 'snippet' | 'site'} kind
 * @property {string} name    as it stands before the brace
 * @property {number} first   index of the line that opens it
 * @property {number} last    index of the line that closes it
 * @property {string[]} directives  first words of its own lines, those of blocks within left out
 *
 * @typedef {object} Caddyfile
 * @property {string[]} lines
 * @property {Block[]} blocks
 * @property {number | null} bare  index of the last line of addresses, where the file is one site without braces
 * @property {string[]} directives  of that site
 */

/** Stands for the word that an earlier line has begun, so that it is taken for no directive. */
const CONTINUED = '"';

/** @param {string} text @returns {Caddyfile} */
export function readCaddyfile(text) {
  const lines = text.split('\n');
  const words = wordsByLine(lines);
  const blocks = blocksOf(words);
  const inBlock = (/** @type {number} */ index) => blocks.some(({ first, last }) => index >= first && index <= last);
  // The first line at the top that opens no block: addresses, and the rest of the file is what they are for.
  const at = words.findIndex((own, index) => own.length > 0 && !inBlock(index) && own[0] !== 'import' && own.at(-1) !== '{');
  if (at < 0) return { lines, blocks, bare: null, directives: [] };
  const bare = lastOfAddresses(words, at);
  // Addresses over several lines may lead to a block, whose first line has the last of them.
  if (inBlock(bare)) return { lines, blocks, bare: null, directives: [] };
  const before = blocks.filter(({ last }) => last < at);
  return { lines, blocks: before, bare, directives: directivesIn(words, bare + 1, words.length) };
}

/** Addresses go on in the next line after a comma. @param {string[][]} words @param {number} from @returns {number} index of their last line */
function lastOfAddresses(words, from) {
  let at = from;
  while (at + 1 < words.length && (words[at].length === 0 || words[at].at(-1)?.endsWith(',') === true)) at += 1;
  return at;
}

/** @param {string[][]} words by line @returns {Block[]} at the top, in their order */
function blocksOf(words) {
  /** @type {Block[]} */
  const blocks = [];
  let depth = 0;
  let first = 0;
  for (const [index, own] of words.entries()) {
    if (own[0] === '}') {
      depth -= 1;
      if (depth === 0) blocks.push(blockOf(words, first, index));
    } else if (own.at(-1) === '{') {
      if (depth === 0) first = index;
      depth += 1;
    }
  }
  return blocks;
}

/** @param {string[][]} words @param {number} first @param {number} last @returns {Block} */
function blockOf(words, first, last) {
  const name = words[first].slice(0, -1).join(' ');
  const kind = name === '' ? 'options' : /^&?\(/.test(name) ? 'snippet' : 'site';
  return { kind, name, first, last, directives: directivesIn(words, first + 1, last) };
}

/** @type {(words: string[][], from: number, to: number) => string[]} */
function directivesIn(words, from, to) {
  const found = [];
  let depth = 0;
  for (const own of words.slice(from, to)) {
    if (own[0] === '}') depth -= 1;
    else if (depth === 0 && own.length > 0 && own[0] !== CONTINUED) found.push(own[0]);
    if (own[0] !== '}' && own.at(-1) === '{') depth += 1;
  }
  return found;
}

/**
 * The words of each line. A word in quotes may go on over several lines, and so may a heredoc: what lies within has none of its own.
 * @param {string[]} lines
 * @returns {string[][]}
 */
function wordsByLine(lines) {
  let quote = '';
  let heredoc = '';
  return lines.map((line) => {
    if (heredoc !== '') {
      if (line.trim() === heredoc) heredoc = '';
      return [];
    }
    const continued = quote !== '';
    const { words, open } = wordsOf(line, quote);
    quote = open;
    heredoc = /^<<([A-Za-z0-9_-]+)$/.exec(words.at(-1) ?? '')?.[1] ?? '';
    return continued ? [CONTINUED, ...words.slice(1)] : words;
  });
}

/**
 * @param {string} line
 * @param {string} inside  the quote that an earlier line has opened; else empty
 * @returns {{ words: string[], open: string }} open: the quote that is open at the line's end
 */
function wordsOf(line, inside) {
  /** @type {string[]} */
  const words = [];
  let open = inside;
  let word = '';
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (open !== '') {
      if (letter === '\\' && open === '"') at += 1;
      else if (letter === open) open = '';
      // A word in quotes is never a brace that opens or closes.
      word += open === '' ? '' : '_';
    } else if (/\s/.test(letter)) {
      if (word !== '') words.push(word);
      word = '';
    } else if (word === '' && letter === '#') return { words, open };
    else if (word === '' && (letter === '"' || letter === '`')) {
      open = letter;
      word = '_';
    } else word += letter;
  }
  if (word !== '' && open === '') words.push(word);
  return { words, open };
}
