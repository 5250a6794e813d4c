/**
 * Markup as text, escaped by default: whatever goes into an `html` template is shown as the reader would see it in the
 * raw data, unless it came out of an `html` template itself.
 *
 * @typedef {Html | string | number | boolean | null | undefined} Piece
 * @typedef {Piece | readonly Piece[]} Content
 */

import { withCodes } from '../base/hidden-characters.ts';

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
const escapeText = (text) => withCodes(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);

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

/**
 * Markdown as text, escaped by default in the same way: whatever goes into a `markdown` template or a table is shown as the reader would see
 * it in the raw data, unless it came out of this file itself.
 *
 * The dialect is GitHub's, https://github.github.com/gfm/, because summaries and pull requests are read there.
 *
 * @typedef {Markdown | string | number | boolean | null | undefined} MarkdownPiece
 * @typedef {MarkdownPiece | readonly MarkdownPiece[]} MarkdownContent
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
	withCodes(text.replace(/[ \r\n\t\f\v]+/g, ' '))
		.replace(SPECIAL, '\\$&')
		.replace(/(^|\W)@(?=\w)/g, '$1@\u200b')
		.replace(LINE_START, (_, space, mark) => (/\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`));

/**
 * False, null and undefined leave nothing, so that `condition && markdown...` can be written.
 * @param {TemplateStringsArray} strings
 * @param {...MarkdownContent} values
 */
export function markdown(strings, ...values) {
	return new Markdown(strings.reduce((text, string, index) => text + markdownOf(values[index - 1]) + string));
}

/**
 * @param {MarkdownContent} value
 * @returns {string}
 */
function markdownOf(value) {
	if (value === null || value === undefined || typeof value === 'boolean') return '';
	if (value instanceof Markdown) return value.text;
	if (typeof value === 'string' || typeof value === 'number') return escapeMarkdown(String(value));
	return value.map(markdownOf).join('');
}

/**
 * A code span. Nothing can be escaped in it, so its fence is longer than any that it holds.
 * @param {string} text
 */
export function markdownCode(text) {
	const line = withCodes(text.replace(/[\r\n]+/g, ' '));
	const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([fence]) => fence.length));
	const fence = '`'.repeat(longest + 1);
	return new Markdown(longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`);
}

/**
 * A table, ending with a line break. A column whose head has `numeric` is set to the right.
 * @param {(MarkdownPiece | { title: MarkdownPiece, numeric: boolean })[]} heads
 * @param {MarkdownContent[][]} rows
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

/** A bar ends a cell even in a code span, so one that is not escaped yet is. @param {MarkdownContent[]} cells */
const tableRow = (cells) => `| ${cells.map((cell) => markdownOf(cell).replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
