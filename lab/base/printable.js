/**
 * Texts as a terminal may have them. What programs under test, Compose, records and names of files say may hold bytes that move the cursor,
 * write to the clipboard, hide or turn around what stands beside them: each such character is shown as its code.
 */

import { withCodes } from './hidden-characters.js';
import { secrets } from './secrets.js';

/** A screen has a few hundred characters in a line; the longest that the lab itself prints has less than half of these. */
const LINE_MOST = 4000;
/**
 * @param {string} text  of lines
 * @returns {string} without what is known to be secret, and without what a terminal would obey; longer lines are cut
 */
export const printable = (text) => secrets.without(text).replaceAll('\r\n', '\n').split('\n').map(cut).join('\n');

/** @param {string} line */
function cut(line) {
	const shown = withCodes(line.slice(0, LINE_MOST));
	return line.length > LINE_MOST ? `${shown}… (${line.length - LINE_MOST} more characters)` : shown;
}

/** The same of a text that stands in one line. @param {string} text */
export const printableLine = (text) => printable(text).replaceAll('\n', '\\n');

/** @param {unknown} value @returns {string} JSON that a terminal may have, and that reads as the same */
export const printableJson = (value) => withCodes(secrets.without(JSON.stringify(value)));
