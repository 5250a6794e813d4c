/**
 * Finds values in a text in whatever form a log may have them: as they are, escaped for JSON, a URL or HTML, in base64 (also within a longer
 * text, such as the pair of basic authentication), in hexadecimal digits, and broken over lines. A record has hundreds of MB and a system
 * dozens of values, so a text is passed once, whatever their number: four characters are looked up at each place, and only where they are
 * those of a value the whole is compared (the filter of Rabin and Karp, https://en.wikipedia.org/wiki/Rabin%E2%80%93Karp_algorithm).
 *
 * @typedef {object} Form
 * @property {string[]} units     patterns of its characters, in their order
 * @property {number} from        of the characters that are looked up, the first
 * @property {string} gram        those
 * @property {boolean} [isWithin]  its first and last characters depend on what stands beside it
 * @property {boolean} [isApart]   it counts only where no letter and no digit stands beside it
 */

/** Characters that are looked up. */
const GRAM = 4;
/** Spreads codes of letters, which differ in their last bits, over the table; a greater one would leave small integers. */
const SPREAD = 521;
const TABLE_SIZE = 1 << 16;
const [NEWLINE, RETURN, BLANK, TAB, BACKSLASH, LETTER_N, LETTER_R] = [10, 13, 32, 9, 92, 110, 114];
/** Where a line is broken within a value, as it is or in JSON. */
const BREAK = '(?:(?:\\r?\\n|(?:\\\\+r)?\\\\+n)[ \\t]*)?';
/** Behind a backslash a letter may be the end of a break. */
const PLAIN_RUN = new RegExp(`(?<!\\\\)[A-Za-z0-9]{${GRAM},}`, 'g');
const ESCAPES = '\\\\';
const PLAIN = /[A-Za-z0-9]/;
/** A short one is a part of many an id by chance. */
const HEXADECIMAL = /^[0-9a-f]{1,11}$/i;
/** What base64 drags along at an end that is not its value's own: at most so many characters. */
const EDGE = 3;
const OF_BASE64 = /[A-Za-z0-9+/_]/;
/** Of HTML. @type {Record<string, string>} */
const NAMED = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** Of base64 for URLs. @type {Record<string, string>} */
const SWAPPED = { '+': '-', '/': '_' };

/** @param {string} text */
const exact = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Of bytes. @param {Iterable<number>} bytes @param {string} before */
const hexOf = (bytes, before) =>
  [...bytes]
    .map((byte) => `${before}${[...byte.toString(16).padStart(2, '0')].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('')}`)
    .join('');

/** A character in each way in which it may be written. @param {string} character @returns {string} pattern */
function unitOf(character) {
  if (PLAIN.test(character)) return character;
  const bytes = Buffer.from(character);
  const codes = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const ways = [
    // Escaped once, or more often where JSON stands in JSON.
    `${ESCAPES}*${exact(character)}`,
    `(?:%5[Cc])*${hexOf(bytes, '%')}`,
    // JSON in a URL, and a URL in a URL.
    hexOf(bytes, '%25'),
    codes.map((code) => `\\\\+u${hexOf([code >> 8, code & 255], '')}`).join(''),
    hexOf(bytes, '\\\\+x'),
    `&#0*${character.codePointAt(0)};`,
    `&#[xX]0*${/** @type {number} */ (character.codePointAt(0)).toString(16)};`,
    ...(NAMED[character] ? [`&${NAMED[character]};`] : []),
    ...(character === ' ' ? ['\\+'] : []),
    ...(character === '\n' ? ['\\\\+n', '\\r\\n'] : []),
    ...(character === '\t' ? ['\\\\+t'] : []),
    ...(character === '\r' ? ['\\\\+r'] : []),
  ];
  return `(?:${ways.join('|')})`;
}

/** @param {string} value @param {Partial<Form>} [more] @returns {Form[]} none where no characters of it are the same in all of its forms */
function formOf(value, more = {}) {
  const characters = [...value];
  const text = characters.map((one) => (one.length === 1 ? one : '\ufffd')).join('');
  const runs = [...text.matchAll(PLAIN_RUN)].flatMap(({ 0: run, index }) =>
    Array.from({ length: run.length - GRAM + 1 }, (_, at) => ({ from: index + at, gram: run.slice(at, at + GRAM) })),
  );
  const [best] = runs.toSorted((one, other) => rarity(other.gram) - rarity(one.gram));
  return best === undefined ? [] : [{ units: characters.map(unitOf), ...best, ...more }];
}

/** Figures and capitals stand in fewer words. @param {string} gram */
const rarity = (gram) => [...gram].reduce((all, one) => all + (/[a-z]/.test(one) ? 0 : 1), 0);

/** Each way of writing all of it is a form of its own. @param {string} value @returns {Form[]} */
function literalForms(value) {
  const inJson = asJson(value);
  const ascii = (/** @type {string} */ text, /** @type {RegExp} */ escaped) =>
    text.replace(escaped, (one) =>
      toUnits(one)
        .map((code) => `\\u${code}`)
        .join(''),
    );
  const json = [inJson, ascii(inJson, BEYOND_ASCII), ascii(inJson, GO_ESCAPES), inJson.replaceAll('/', '\\/')];
  const all = [
    ...[value, ...json, ...json.map(asJson), ...[value, inJson].flatMap(asUrl)],
    ...[value.replace(/[&<>"']/g, (one) => `&${NAMED[one]};`), value.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)],
  ];
  return [...new Set(all)].flatMap((text) => {
    const gram = text.slice(0, GRAM);
    return text.length < GRAM || /[\r\n]/.test(gram) ? [] : [{ units: text.split('').map(exact), from: 0, gram }];
  });
}
const BEYOND_ASCII = /[^ -~]/g;
const GO_ESCAPES = /[<>&\u2028\u2029]/g;

/** @param {string} text */
const asJson = (text) => JSON.stringify(text).slice(1, -1);

/** @param {string} text @returns {string[]} */
function asUrl(text) {
  const url = encodeURIComponent(Buffer.from(text).toString());
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  return [url, form].flatMap((one) => [one, one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

/** @param {string} character @returns {string[]} in hexadecimal digits, of its units in UTF-16 */
const toUnits = (character) => Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, '0'));

/**
 * Base64 packs three bytes into four characters: the same value looks in three ways, by where it begins.
 * @param {string} value
 * @returns {Form[]}
 */
function base64Forms(value) {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    // Whose six bits are all of the value.
    const own = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return formOf(own, { isWithin: true }).map((form) => ({
      ...form,
      units: form.units.map((unit, at) => (SWAPPED[own[at]] ? `(?:${unit}|${exact(SWAPPED[own[at]])})` : unit)),
    }));
  });
}

/** @param {string} value @returns {Form[]} */
function formsOf(value) {
  const isApart = HEXADECIMAL.test(value);
  const plain = formOf(value, { isApart });
  const digits = Buffer.from(value).toString('hex');
  return [
    ...(plain.length > 0 ? plain : literalForms(value)),
    ...base64Forms(value),
    ...[digits, digits.toUpperCase()].flatMap((one) => formOf(one)),
  ];
}

/** Read from the end of the characters that are looked up. @param {Form} form */
function patternOf({ units, from, isApart = false }) {
  const before = units.slice(0, from + GRAM).join(BREAK);
  const after = units.slice(from + GRAM).map((unit) => `${BREAK}${unit}`);
  // What an escape ends with is no letter of the text.
  const begins = isApart ? '(?<=^|[^A-Za-z0-9]|\\\\[a-z]|%[0-9A-Fa-f]{2}|\\\\u[0-9a-fA-F]{4}|\\\\x[0-9a-fA-F]{2})' : '';
  return new RegExp(`(?<=(${begins}${before}))(${after.join('')})${isApart ? '(?![A-Za-z0-9])' : ''}`, 'y');
}

/** @param {string} gram */
const hashOf = (gram) => Array.from({ length: GRAM }, (_, at) => gram.charCodeAt(at)).reduce((hash, code) => next(hash, code), 0);

/** Of the last four characters: each is shifted out by the fourth after it. @type {(hash: number, code: number) => number} */
const next = (hash, code) => ((hash << 4) ^ (code * SPREAD)) & (TABLE_SIZE - 1);

/**
 * @param {string[]} values
 * @returns {(text: string) => [from: number, to: number][]} where one of them stands, in whatever form: in their order, apart from each other
 */
export function finderOf(values) {
  const isThere = new Uint8Array(TABLE_SIZE);
  /** @type {Map<number, Sought[]>} */
  const forms = new Map();
  for (const form of values.flatMap(formsOf)) {
    const hash = hashOf(form.gram);
    isThere[hash] = 1;
    forms.set(hash, [...(forms.get(hash) ?? []), { gram: form.gram, pattern: patternOf(form), isWithin: form.isWithin === true }]);
  }
  return (text) => {
    /** @type {[number, number][]} */
    const found = [];
    let hash = 0;
    /** Characters since the last break. */
    let since = GRAM;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE || code === RETURN) since = 0;
      else if (code === BACKSLASH && isBreak(text.charCodeAt(at + 1))) {
        since = 0;
        at += 1;
      } else if (since > 0 || (code !== BLANK && code !== TAB)) {
        since += 1;
        hash = next(hash, code);
        if (isThere[hash] === 1) found.push(...standingAt(text, at + 1, { isBroken: since < GRAM, forms: forms.get(hash) ?? [] }));
      }
    }
    return merged(found);
  };
}

/** Behind a backslash. @param {number} code */
const isBreak = (code) => code === LETTER_N || code === LETTER_R;

/** @typedef {{ gram: string, pattern: RegExp, isWithin: boolean }} Sought */

/** @type {(text: string, end: number, here: { isBroken: boolean, forms: Sought[] }) => [number, number][]} end: of the characters that are looked up */
function standingAt(text, end, { isBroken, forms }) {
  return forms.flatMap(({ gram, pattern, isWithin }) => {
    if (!isBroken && !text.startsWith(gram, end - GRAM)) return [];
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (match === null) return [];
    const [from, to] = [end - match[1].length, end + match[2].length];
    return [isWithin ? edges(text, from, to) : [from, to]];
  });
}

/** @type {(text: string, from: number, to: number) => [number, number]} */
function edges(text, from, to) {
  let [first, last] = [from, to];
  while (from - first < EDGE && OF_BASE64.test(text[first - 1] ?? '')) first -= 1;
  while (last - to < EDGE && (OF_BASE64.test(text[last] ?? '') || text[last] === '=')) last += 1;
  return [first, last];
}

/** @param {[number, number][]} found */
function merged(found) {
  /** @type {[number, number][]} */
  const apart = [];
  for (const [from, to] of found.toSorted(([one], [other]) => one - other)) {
    const last = apart.at(-1);
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
    else apart.push([from, to]);
  }
  return apart;
}
