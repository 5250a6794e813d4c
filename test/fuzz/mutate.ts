/**
 * What becomes of an input, by a seed: of texts, of bytes, and of values of JSON. The same seed makes the same.
 *
 * @typedef {(most: number) => number} Pick  a whole number below `most`
 */

import { createRandom } from '../../lab/stats/numbers.ts';

/** @param {string} seed @returns {Pick} */
export function pickBy(seed) {
	// FNV-1a.
	let hash = 0x811c9dc5;
	for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
	const { below } = createRandom(hash >>> 0);
	return (most) => below(Math.max(1, most));
}

/** @template T @param {readonly T[]} all @param {Pick} pick @returns {T} */
export const oneOf = (all, pick) => all[pick(all.length)];

const DEEP = 3000;
/** What programs stumble over. */
const WORDS = [
	...[
		'',
		' ',
		'\t',
		'\0',
		'\r\n',
		'\u001b[2J',
		'\u202e',
		'\ud800',
		'é',
		'💥',
		'"',
		"'",
		'`',
		'\\',
		'{',
		'}',
		'[',
		']',
		'(',
		'<',
		'$',
		'%s',
		'#',
		'&',
		'*',
		'!',
		'|',
		'>',
		'- ',
		': ',
		', ',
	],
	...[
		'__proto__',
		'constructor',
		'hasOwnProperty',
		'toString',
		'null',
		'true',
		'NaN',
		'Infinity',
		'undefined',
		'--push',
		'../..',
		'/',
		'.',
		'..',
		'~',
		'k6',
		'raw',
	],
	...[
		'0',
		'-1',
		'1e309',
		'9007199254740993',
		'-0',
		'0x10',
		'1e-7',
		'99999999999999999999',
		'2026-11-21T20:00:01Z',
		'0.0.0.0:0',
		'::1',
		'[::]:1',
	],
	'x'.repeat(70_000),
	'{"a":'.repeat(DEEP),
	'['.repeat(DEEP),
];

/** @type {((text: string, pick: Pick, other: string) => string)[]} */
const OF_TEXT = [
	(text, pick) => text.slice(0, pick(text.length + 1)),
	(text, pick) => text.slice(pick(text.length + 1)),
	(text, pick) => spliced(text, pick, oneOf(WORDS, pick)),
	(text, pick) => spliced(text, pick, oneOf(WORDS, pick), 1 + pick(8)),
	(text, pick) => spliced(text, pick, '', 1 + pick(40)),
	(text, pick) => ofLines(text, (lines) => lines.toSpliced(pick(lines.length), 1 + pick(3))),
	(text, pick) => ofLines(text, (lines) => lines.toSpliced(pick(lines.length), 0, lines[pick(lines.length)])),
	(text, pick) => ofLines(text, (lines) => swapped(lines, pick(lines.length), pick(lines.length))),
	(text, pick) => ofLines(text, (lines) => lines.toSpliced(pick(lines.length), 0, oneOf(WORDS, pick))),
	(text, pick, other) => ofLines(text, (lines) => lines.toSpliced(pick(lines.length), 0, oneOf(other.split('\n'), pick))),
	(text, pick) => replacedAt(text, /\d+/g, pick, () => oneOf(WORDS, pick)),
	(text, pick) => replacedAt(text, /\w+/g, pick, () => oneOf(WORDS, pick)),
	(text, pick) => replacedAt(text, /\w+/g, pick, (word) => word.repeat(2 + pick(50))),
	(text, pick) => replacedAt(text, /[^\w\s]/g, pick, () => oneOf(WORDS, pick)),
];
const TIMES_MOST = 4;

/** @param {string} text @param {Pick} pick @param {string} [other]  of the same kind */
export function mutated(text, pick, other = text) {
	let changed = text;
	for (let times = 1 + pick(TIMES_MOST); times > 0; times -= 1) changed = oneOf(OF_TEXT, pick)(changed, pick, other);
	return changed;
}

/** @param {string} text @param {Pick} pick @param {string} more @param {number} [less] */
function spliced(text, pick, more, less = 0) {
	const at = pick(text.length + 1);
	return text.slice(0, at) + more + text.slice(at + less);
}

/** @param {string} text @param {(lines: string[]) => string[]} change */
const ofLines = (text, change) => change(text.split('\n')).join('\n');

/** @param {string[]} lines @param {number} one @param {number} other */
const swapped = (lines, one, other) => lines.with(one, lines[other]).with(other, lines[one]);

/** @param {string} text @param {RegExp} what @param {Pick} pick @param {(found: string) => string} change */
function replacedAt(text, what, pick, change) {
	const found = [...text.matchAll(what)];
	if (found.length === 0) return text;
	const { 0: word, index } = oneOf(found, pick);
	return text.slice(0, index) + change(word) + text.slice(index + word.length);
}

/** @param {Buffer} bytes @param {Pick} pick @returns {Buffer} */
export function mutatedBytes(bytes, pick) {
	const changed = Buffer.from(bytes);
	for (let times = 1 + pick(8); times > 0 && changed.length > 0; times -= 1)
		changed[pick(pick(2) ? Math.min(64, changed.length) : changed.length)] = [0, 1, 0x7f, 0x80, 0xff, pick(256)][pick(6)];
	if (pick(3) === 0) return changed.subarray(0, pick(changed.length + 1));
	if (pick(4) > 0) return changed;
	const [from, to] = [pick(changed.length), pick(changed.length)].sort((one, other) => one - other);
	return Buffer.concat([changed.subarray(0, from), changed.subarray(to)]);
}

/** Of any kind. @type {readonly any[]} */
const VALUES = [null, true, false, 0, -1, 1e308, 0.5, '', 'x', [], {}, [null], [[]], { a: null }, '__proto__', '../..', '$x', 'é\u0000'];

/**
 * Changes one place of it.
 * @param {any} value  JSON
 * @param {Pick} pick
 * @param {{ keepsKinds?: boolean }} [options]  keepsKinds: a text stays a text, as a schema has it that was asked before
 */
export function mutatedValue(value, pick, { keepsKinds = false } = {}) {
	const copy = structuredClone(value);
	for (let times = 1 + pick(TIMES_MOST); times > 0; times -= 1) {
		const places = placesIn(copy);
		if (places.length === 0) return copy;
		const [holder, key] = oneOf(places, pick);
		changeAt(holder, key, pick, keepsKinds);
	}
	return copy;
}

/** @param {any} holder @param {string | number} key @param {Pick} pick @param {boolean} keepsKinds */
function changeAt(holder, key, pick, keepsKinds) {
	const value = holder[key];
	const way = pick(5);
	if (way === 0 && Array.isArray(holder)) holder.splice(Number(key), 1);
	else if (way === 0) delete holder[key];
	else if (way === 1 && !Array.isArray(holder)) {
		delete holder[key];
		put(holder, oneOf(WORDS, pick), value);
	} else if (way === 2 && Array.isArray(value)) value.push(...structuredClone(value));
	else if (keepsKinds || pick(2)) put(holder, key, alike(value, pick));
	else put(holder, key, structuredClone(oneOf(VALUES, pick)));
}

/** Also under the name `__proto__`. @param {any} holder @param {string | number} key @param {any} value */
const put = (holder, key, value) => Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

/** @param {any} value @param {Pick} pick */
function alike(value, pick) {
	if (typeof value === 'string') return pick(2) ? oneOf(WORDS, pick) : mutated(value, pick);
	if (typeof value === 'number') return [0, -1, value * 1000, -value, 0.5, 2 ** 53][pick(6)];
	if (typeof value === 'boolean') return !value;
	if (Array.isArray(value)) return pick(2) ? [] : value.toReversed();
	return value;
}

/** @param {any} value @returns {[holder: any, key: string | number][]} */
function placesIn(value) {
	/** @type {[any, string | number][]} */
	const places = [];
	const open = [value];
	for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
		if (typeof holder !== 'object' || holder === null) continue;
		const keys = Array.isArray(holder) ? [...holder.keys()] : Object.keys(holder);
		for (const key of keys) {
			places.push([holder, key]);
			open.push(holder[key]);
		}
	}
	return places;
}
