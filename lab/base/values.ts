/**
 * What is made of values in every room.
 */

/** Nothing that the lab reads is nested as deep, and whoever goes through what is has no stack left at some thousands. */
const DEPTH_MOST = 200;

/** @returns null for what is no JSON (half a line, or one of another program's), or is nested too deep */
export function jsonIn(text: string): any {
	try {
		const value = JSON.parse(text);
		return isTooDeep(text) ? null : value;
	} catch {
		return null;
	}
}

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, [0x5b, 0x7b], [0x5d, 0x7d]];

/** @param text JSON */
function isTooDeep(text: string) {
	// What opens ends, too.
	if (text.length < 2 * DEPTH_MOST) return false;
	let depth = 0;
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfText(text, at);
		else if (OPENING.includes(code)) {
			depth += 1;
			if (depth > DEPTH_MOST) return true;
		} else if (CLOSING.includes(code)) depth -= 1;
	}
	return false;
}

/** @param from where it begins */
function endOfText(text: string, from: number) {
	let at = text.indexOf('"', from + 1);
	while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
	return at;
}

function isEscaped(text: string, at: number) {
	let before = at;
	while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
	return (at - before) % 2 === 1;
}

/** What a record has itself: a service may have a name that every object has, such as `constructor`. */
export const ownOf = <T>(record: Record<string, T>, name: string): T | undefined =>
	Object.hasOwn(record, name) ? record[name] : undefined;

/** @returns in the order in which each came first */
export function grouped<T, K>(all: T[], keyOf: (one: T) => K): Map<K, T[]> {
	const groups: Map<K, T[]> = new Map();
	// By numbers: an iterator makes an object for each of hundreds of thousands.
	for (let place = 0; place < all.length; place += 1) {
		const one = all[place];
		const key = keyOf(one);
		const own = groups.get(key);
		if (own) own.push(one);
		else groups.set(key, [one]);
	}
	return groups;
}

/** A row whose end is lacking. */
const isBegun = (line: string) => line.startsWith('{') && !line.endsWith('}');

/** Of a record of JSON lines each line is one. */
export const isRow = (value: any) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/**
 * A record of JSON lines.
 * @param text the last line may be cut when its writer was killed
 * @param onOther called for each other line that is no row, which is left out
 * @returns its rows
 */
export function parseLines(
	text: string,
	onOther: (line: number, found: string) => void = () => {},
	isOne: (value: any) => boolean = isRow,
): any[] {
	const lines = text.split('\n');
	const last = lines.findLastIndex((line) => line !== '');
	const rows = [];
	for (const [index, line] of lines.entries()) {
		if (line === '') continue;
		const value = jsonIn(line);
		if (isOne(value)) rows.push(value);
		else if (index < last || !isBegun(line)) onOther(index + 1, line);
	}
	return rows;
}

/**
 * Of a line, what stands before the words of another program, in quotes, as who ran it hands them on: `said into stderr: "…"`, `sent in stderr: "…"`,
 * `Got error '…'`.
 */
export const HANDED_ON = /\b(?:in|into) std(?:err|out): $|\bGot error $/;

/** What the system calls its errors (strerror of glibc). */
export const OF_SYSTEM =
	/^(?:Connection (?:refused|reset by peer|timed out)|No route to host|Network is unreachable|Broken pipe|Too many open files|Cannot (?:allocate memory|assign requested address)|No space left on device|Resource temporarily unavailable|Operation timed out)$/i;

const LISTS = new Intl.ListFormat('en-GB');
/** @returns `a, b and c` */
export const inWords = (names: string[]): string => LISTS.format(names);
