/**
 * Parts of a page that people write which are made by the lab, each between two marks.
 */

/** @param {string} name */
const startOf = (name) => `<!-- ${name}: made by "make docs" -->`;
/** @param {string} name */
const endOf = (name) => `<!-- end of ${name} -->`;

/**
 * @param {string} page
 * @param {string} name of the part
 * @param {string} text
 * @returns {string} the page with the text between the marks
 * @throws {Error} when a mark is missing
 */
export function withPart(page, name, text) {
  const [start, end] = [startOf(name), endOf(name)];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`expected the lines ${start} and ${end}`);
  return `${page.slice(0, from + start.length)}\n\n${text.trimEnd()}\n\n${page.slice(to)}`;
}
