/**
 * Markdown as text, escaped by default, the way html.js does it for pages: whatever goes into a `markdown` template or a
 * table is shown as the reader would see it in the raw data, unless it came out of this file itself.
 *
 * The dialect is GitHub's, https://github.github.com/gfm/, because summaries and pull requests are read there.
 *
 * @typedef {Markdown | string | number | boolean | null | undefined} Piece
 * @typedef {Piece | readonly Piece[]} Content
 */

/** Starts a list, a rule or an underlined heading where it stands at the beginning of a line. */
const LINE_START = /^(\s*)([-+=]|\d+(?=[.)](?:\s|$)))/;
/** Inside a name, as in `failure_rate`, an underscore means nothing. */
const SPECIAL = /[\\`*[\]<>&|~#$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

export class Markdown {
  /** @param {string} text markup that is safe already */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/**
 * Text that reads as itself, in a line, at the beginning of one, or in a cell. It stays on one line, and spaces before it make
 * no code of it. A name after `@` would call somebody when the text is posted; a space of no width keeps it from being a
 * name, as a backslash does not.
 * @param {string} text
 * @returns {string}
 */
export const escapeMarkdown = (text) =>
  text
    .replace(/[ \r\n\t\f\v]+/g, ' ')
    .replace(SPECIAL, '\\$&')
    .replace(/(^|\W)@(?=\w)/g, '$1@\u200b')
    .replace(LINE_START, (_, space, mark) => (/\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`));

/**
 * False, null and undefined leave nothing, so that `condition && markdown...` can be written.
 * @param {TemplateStringsArray} strings
 * @param {...Content} values
 */
export function markdown(strings, ...values) {
  return new Markdown(strings.reduce((text, string, index) => text + markupOf(values[index - 1]) + string));
}

/**
 * @param {Content} value
 * @returns {string}
 */
function markupOf(value) {
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  if (value instanceof Markdown) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeMarkdown(String(value));
  return value.map(markupOf).join('');
}

/**
 * A code span. Nothing can be escaped in it, so its fence is longer than any that it holds.
 * @param {string} text
 */
export function markdownCode(text) {
  const line = text.replace(/[\r\n]+/g, ' ');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return new Markdown(longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`);
}

/**
 * A table, ending with a line break. A column whose head has `numeric` is set to the right.
 * @param {(Piece | { title: Piece, numeric: boolean })[]} heads
 * @param {Content[][]} rows
 * @returns {string}
 */
export function markdownTable(heads, rows) {
  const columns = heads.map((head) =>
    head !== null && typeof head === 'object' && 'title' in head ? head : { title: head, numeric: false },
  );
  return [
    tableRow(columns.map(({ title }) => title)),
    `| ${columns.map(({ numeric }) => (numeric ? '---:' : '---')).join(' | ')} |`,
    ...rows.map(tableRow),
    '',
  ].join('\n');
}

/** A bar ends a cell even in a code span, so one that is not escaped yet is. @param {Content[]} cells */
const tableRow = (cells) => `| ${cells.map((cell) => markupOf(cell).replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
