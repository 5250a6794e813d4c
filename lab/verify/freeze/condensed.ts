/**
 * A result as the archive of frozen records has it: of a long list, which nobody reads there, a digest is enough to tell whether it moved.
 */
import { createHash } from 'node:crypto';

/** A list that a person may want to read has fewer rows. The lab's own choice: the longest of sentences in a frozen result has 12. */
const ROWS_MOST = 12;
/** Hexadecimal digits; two lists meet in them by chance once in 10^14. */
const DIGITS = 12;

/**
 * @param value JSON
 * @returns the same, with how many rows a long list has, and a digest of each of their fields, in its place
 */
export function condensed(value: any): any {
	if (typeof value !== 'object' || value === null) return value;
	if (!Array.isArray(value)) return Object.fromEntries(Object.entries<any>(value).map(([name, one]) => [name, condensed(one)]));
	if (value.length <= ROWS_MOST) return value.map(condensed);
	const isOfRecords = value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row));
	if (!isOfRecords) return { rows: value.length, digest: digestOf(value) };
	const names = [...new Set(value.flatMap(Object.keys))];
	return {
		rows: value.length,
		...Object.fromEntries(names.map((name) => [name, digestOf(value.map((row) => (Object.hasOwn(row, name) ? [row[name]] : [])))])),
	};
}

const digestOf = (value: any) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, DIGITS);
