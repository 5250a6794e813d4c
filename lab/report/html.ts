/**
 * Markup as text, escaped by default: whatever goes into an `html` template is shown as the reader would see it in the
 * raw data, unless it came out of an `html` template itself.
 */

import { withCodes } from '../base/hidden-characters.ts';

export type Piece = Html | string | number | boolean | null | undefined;

export type Content = Piece | readonly Piece[];

/** More than any measurement here can tell apart. */
const DIGITS = 5;
/** Moments, in seconds since 1970, keep their fraction. */
const MOMENTS_FROM = 1e9;

/**
 * For JSON.stringify: fractions without the digits that mean nothing. Counts and moments stay as they are.
 * @param _ key
 */
const rounded = (_: string, value: unknown) =>
	typeof value === 'number' && !Number.isInteger(value) && Math.abs(value) < MOMENTS_FROM ? Number(value.toPrecision(DIGITS)) : value;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export class Html {
	text: string;

	/** @param text markup that is safe already */
	constructor(text: string) {
		this.text = text;
	}

	toString() {
		return this.text;
	}
}

const escapeText = (text: string) => withCodes(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);

/**
 * For text elements and for attributes in double quotes. False, null and undefined leave nothing, so that
 * `condition && html...` can be written.
 */
export function html(strings: TemplateStringsArray, ...values: Content[]) {
	return new Html(strings.reduce((text, string, index) => text + markupOf(values[index - 1]) + string));
}

function markupOf(value: Content): string {
	if (value === null || value === undefined || typeof value === 'boolean') return '';
	if (value instanceof Html) return value.text;
	if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
	return value.map(markupOf).join('');
}

/**
 * Data for a script element. HTML ends such an element at the first `</script`, wherever it stands, and reads `<!--`
 * as a comment; without `<` there is neither. Fractions are rounded.
 */
export const jsonText = (data: unknown) => new Html(JSON.stringify(data, rounded).replaceAll('<', '\\u003c'));

/**
 * Markdown as text, escaped by default in the same way: whatever goes into a `markdown` template or a table is shown as the reader would see
 * it in the raw data, unless it came out of this file itself.
 *
 * The dialect is GitHub's, https://github.github.com/gfm/, because summaries and pull requests are read there.
 */
type MarkdownPiece = Markdown | string | number | boolean | null | undefined;

export type MarkdownContent = MarkdownPiece | readonly MarkdownPiece[];

/** Starts a list, a rule or an underlined heading where it stands at the beginning of a line. */
const LINE_START = /^(\s*)([-+=]|\d+(?=[.)](?:\s|$)))/;
/** Inside a name, as in `failure_rate`, an underscore means nothing. */
const SPECIAL = /[\\`*[\]<>&|~#$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;

export class Markdown {
	text: string;

	/** @param text markup that is safe already */
	constructor(text: string) {
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
 */
export const escapeMarkdown = (text: string): string =>
	withCodes(text.replace(/[ \r\n\t\f\v]+/g, ' '))
		.replace(SPECIAL, '\\$&')
		.replace(/(^|\W)@(?=\w)/g, '$1@\u200b')
		.replace(LINE_START, (_, space, mark) => (/\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`));

/** False, null and undefined leave nothing, so that `condition && markdown...` can be written. */
export function markdown(strings: TemplateStringsArray, ...values: MarkdownContent[]) {
	return new Markdown(strings.reduce((text, string, index) => text + markdownOf(values[index - 1]) + string));
}

function markdownOf(value: MarkdownContent): string {
	if (value === null || value === undefined || typeof value === 'boolean') return '';
	if (value instanceof Markdown) return value.text;
	if (typeof value === 'string' || typeof value === 'number') return escapeMarkdown(String(value));
	return value.map(markdownOf).join('');
}

/** A code span. Nothing can be escaped in it, so its fence is longer than any that it holds. */
export function markdownCode(text: string) {
	const line = withCodes(text.replace(/[\r\n]+/g, ' '));
	const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([fence]) => fence.length));
	const fence = '`'.repeat(longest + 1);
	return new Markdown(longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`);
}

/** A table, ending with a line break. A column whose head has `numeric` is set to the right. */
export function markdownTable(heads: (MarkdownPiece | { title: MarkdownPiece; numeric: boolean })[], rows: MarkdownContent[][]): string {
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

/** A bar ends a cell even in a code span, so one that is not escaped yet is. */
const tableRow = (cells: MarkdownContent[]) => `| ${cells.map((cell) => markdownOf(cell).replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
