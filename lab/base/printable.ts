/**
 * Texts as a terminal may have them. What programs under test, Compose, records and names of files say may hold bytes that move the cursor,
 * write to the clipboard, hide or turn around what stands beside them: each such character is shown as its code. So is what begins a command to the
 * program that runs a pipeline, which reads what its steps print.
 */

import { withCodes } from './hidden-characters.ts';
import { secrets } from './secrets.ts';

/** A screen has a few hundred characters in a line; the longest that the lab itself prints has less than half of these. */
const LINE_MOST = 4000;
/** https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
const OF_GITHUB = /^(\s*):(?=:)/;
/** https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands, https://www.jetbrains.com/help/teamcity/service-messages.html */
const OF_OTHERS = /#(?=#\w*\[)/g;
const unordered = (text: string) => text.replace(OF_OTHERS, String.raw`\u0023`);

/**
 * @param text of lines
 * @returns without what is known to be secret, and without what a terminal would obey; longer lines are cut
 */
export const printable = (text: string): string => secrets.without(text).replaceAll('\r\n', '\n').split('\n').map(cut).join('\n');

function cut(line: string) {
	const shown = unordered(withCodes(line.slice(0, LINE_MOST)).replace(OF_GITHUB, String.raw`$1\u003a`));
	return line.length > LINE_MOST ? `${shown}… (${line.length - LINE_MOST} more characters)` : shown;
}

/** The same of a text that stands in one line. */
export const printableLine = (text: string) => printable(text).replaceAll('\n', '\\n');

/** @returns JSON that a terminal may have, and that reads as the same */
export const printableJson = (value: unknown): string => unordered(withCodes(secrets.without(JSON.stringify(value))));
