/**
 * Names and what is said of them, in two columns that fit the terminal.
 */

import { Help } from 'commander';

const WIDTH_MOST = 100;
/** In a narrower column words stand one below the other: there the terminal breaks the lines. */
const TEXT_LEAST = 20;

/** Characters of a line, of a terminal and of a file. */
export const lineWidth = () => Math.min(process.stdout.columns || WIDTH_MOST, WIDTH_MOST);

const help = () => Object.assign(new Help(), { helpWidth: lineWidth(), minWidthToWrap: TEXT_LEAST });

/** A heading, over as many lines as it needs. */
export const wrapped = (text: string) => help().boxWrap(text, lineWidth());

/** @returns with the end of its last line */
export function columns(rows: [string, string][]): string {
	const [width, by] = [Math.max(...rows.map(([name]) => name.length)), help()];
	return rows.map(([name, text]) => `${by.formatItem(name, width, text, by)}\n`).join('');
}
