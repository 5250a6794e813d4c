/**
 * What is made of values in every room.
 */

/** Nothing that the lab reads is nested as deep, and whoever goes through what is has no stack left at some thousands. The lab's own choice. */
const DEPTH_MOST = 200;

/** @param {string} text @returns {any} null for what is no JSON (half a line, or one of another program's), or is nested too deep */
export function jsonIn(text) {
	try {
		const value = JSON.parse(text);
		return isTooDeep(text) ? null : value;
	} catch {
		return null;
	}
}

const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, [0x5b, 0x7b], [0x5d, 0x7d]];

/** @param {string} text  JSON */
function isTooDeep(text) {
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

/** @param {string} text @param {number} from  where it begins */
function endOfText(text, from) {
	let at = text.indexOf('"', from + 1);
	while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
	return at;
}

/** @param {string} text @param {number} at */
function isEscaped(text, at) {
	let before = at;
	while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
	return (at - before) % 2 === 1;
}

/**
 * What a record has itself: a service may have a name that every object has, such as `constructor`.
 * @template T
 * @param {Record<string, T>} record
 * @param {string} name
 * @returns {T | undefined}
 */
export const ownOf = (record, name) => (Object.hasOwn(record, name) ? record[name] : undefined);

/** @template T @template K @param {T[]} all @param {(one: T) => K} keyOf @returns {Map<K, T[]>} in the order in which each came first */
export function grouped(all, keyOf) {
	/** @type {Map<K, T[]>} */
	const groups = new Map();
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

/** A row whose end is lacking. @param {string} line */
const isBegun = (line) => line.startsWith('{') && !line.endsWith('}');

/** Of a record of JSON lines each line is one. @param {any} value */
export const isRow = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/**
 * A record of JSON lines.
 * @param {string} text  the last line may be cut when its writer was killed
 * @param {(line: number, found: string) => void} [onOther]  called for each other line that is no row, which is left out
 * @param {(value: any) => boolean} [isOne]
 * @returns {any[]} its rows
 */
export function parseLines(text, onOther = () => {}, isOne = isRow) {
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
