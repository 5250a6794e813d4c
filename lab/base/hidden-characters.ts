/**
 * Characters that are not seen, and that a terminal or the order of a text obeys: each is shown as its code.
 */

/**
 * Controls but line break and tabulator; marks that turn the direction of a text around; what has no width; line and paragraph separators; fillers
 * that look like blanks, and tags (https://www.unicode.org/reports/tr36/, https://trojansource.codes).
 */
const HIDDEN =
	/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\ufff0-\ufff8\u{e0000}-\u{e0fff}]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\p{Surrogate}/gu;
/** Halves of a character beyond the first 65,536 are one in JSON. */
const UNIT = /[\s\S]/g;

/** @returns with codes in the place of what is not seen, and is obeyed */
export const withCodes = (text: string): string =>
	text.replace(HIDDEN, (hidden) => hidden.replace(UNIT, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`));

/** Of blanks, more than stand in a sentence: a terminal's next line would begin with what is behind them. */
const BLANKS = /(?<=[ \t]{3})[ \t]+/g;

/** The same of a text that has names of files in it, which may have ends of lines and many blanks, and stands in one line. */
export const lineWithCodes = (text: string) =>
	withCodes(text)
		.replaceAll('\n', '\\n')
		.replace(BLANKS, (blanks) => '\\u0020'.repeat(Math.min(blanks.length, 3)));
