/**
 * Reads HAProxy's configuration as far as the lab must know it: its sections in their order, and whether a proxy speaks HTTP.
 */

/**
 * @typedef {object} Section
 * @property {string} kind    `global`, `defaults`, `frontend`, ...; empty for what stands before the first
 * @property {string} name    empty where it has none
 * @property {string | null} from  the section of defaults that it names itself
 * @property {string[]} lines as they were written; the first opens it
 */

/** Configuration manual, sections 2.7 to 4: words that open a section. */
const KINDS =
  'global defaults frontend backend listen userlist peers resolvers mailers cache program http-errors ring log-forward fcgi-app';
const OPENS = new RegExp(`^\\s*(${KINDS.split(' ').join('|')})(?:\\s|$)`);

/** @param {string} text @returns {Section[]} whose lines, put together, are the text */
export function sectionsOf(text) {
  /** @type {Section[]} */
  const sections = [{ kind: '', name: '', from: null, lines: [] }];
  for (const line of text.split('\n')) {
    if (OPENS.test(line)) {
      const words = wordsOf(line);
      const from = words.indexOf('from');
      const name = words[1] === 'from' ? '' : (words[1] ?? '');
      sections.push({ kind: words[0], name, from: from < 0 ? null : (words[from + 1] ?? null), lines: [] });
    }
    sections[sections.length - 1].lines.push(line);
  }
  return sections;
}

/** A line without its comment, as words. @param {string} line @returns {string[]} */
export const wordsOf = (line) =>
  line
    .replace(/(^|\s)#.*$/, '')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');

/**
 * Whether a proxy speaks HTTP: by its own `mode`, else by that of the defaults which it names or which stand nearest before it.
 * Without any it speaks TCP.
 * @param {Section} section
 * @param {Section[]} sections
 */
export function speaksHttp(section, sections) {
  /** @type {Section | undefined} */
  let current = section;
  // Each step goes to a section of defaults that stands before, so there are no more steps than sections.
  for (let step = 0; current !== undefined && step < sections.length; step += 1) {
    const mode = ownMode(current);
    if (mode !== null) return mode === 'http';
    current = defaultsOf(current, sections);
  }
  return false;
}

/** @param {Section} section @returns {string | null} the last that is given counts */
function ownMode({ lines }) {
  const modes = lines.map(wordsOf).filter((words) => words[0] === 'mode');
  return modes.at(-1)?.[1] ?? null;
}

/** @param {Section} section @param {Section[]} sections @returns {Section | undefined} */
function defaultsOf(section, sections) {
  const before = sections.slice(0, sections.indexOf(section)).filter(({ kind }) => kind === 'defaults');
  if (section.from !== null) return before.findLast(({ name }) => name === section.from);
  // Defaults do not build upon those before them unless they say so.
  return section.kind === 'defaults' ? undefined : before.at(-1);
}
