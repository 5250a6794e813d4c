/** What becomes of an input, by a seed: of texts, of bytes, and of values of JSON. The same seed makes the same. */

import { createRandom } from '../../lab/stats/random.ts';

/** a whole number below `most` */
export type Pick = (most: number) => number;

export function pickBy(seed: string): Pick {
	// FNV-1a.
	let hash = 0x811c9dc5;
	for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
	const { below } = createRandom(hash >>> 0);
	return (most) => below(Math.max(1, most));
}

export const oneOf = <T>(all: readonly T[], pick: Pick): T => all[pick(all.length)];

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
	// A pattern that looks through them again from each of their characters takes a minute.
	...['x', '7', ' ', '\n', '.', '/', 'a.', '"', '/* ', '{', '\\', '=', ':a'].map((part) => part.repeat(300_000)),
	'{"a":'.repeat(DEEP),
	'['.repeat(DEEP),
];

const OF_TEXT: ((text: string, pick: Pick, other: string) => string)[] = [
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

/** @param other of the same kind */
export function mutated(text: string, pick: Pick, other: string = text) {
	let changed = text;
	for (let times = 1 + pick(TIMES_MOST); times > 0; times -= 1) changed = oneOf(OF_TEXT, pick)(changed, pick, other);
	return changed;
}

function spliced(text: string, pick: Pick, more: string, less: number = 0) {
	const at = pick(text.length + 1);
	return text.slice(0, at) + more + text.slice(at + less);
}

const ofLines = (text: string, change: (lines: string[]) => string[]) => change(text.split('\n')).join('\n');

const swapped = (lines: string[], one: number, other: number) => lines.with(one, lines[other]).with(other, lines[one]);

function replacedAt(text: string, what: RegExp, pick: Pick, change: (found: string) => string) {
	const found = [...text.matchAll(what)];
	if (found.length === 0) return text;
	const { 0: word, index } = oneOf(found, pick);
	return text.slice(0, index) + change(word) + text.slice(index + word.length);
}

export function mutatedBytes(bytes: Buffer, pick: Pick): Buffer {
	const changed = Buffer.from(bytes);
	for (let times = 1 + pick(8); times > 0 && changed.length > 0; times -= 1)
		changed[pick(pick(2) ? Math.min(64, changed.length) : changed.length)] = [0, 1, 0x7f, 0x80, 0xff, pick(256)][pick(6)];
	if (pick(3) === 0) return changed.subarray(0, pick(changed.length + 1));
	if (pick(4) > 0) return changed;
	const [from, to] = [pick(changed.length), pick(changed.length)].sort((one, other) => one - other);
	return Buffer.concat([changed.subarray(0, from), changed.subarray(to)]);
}

/** Of any kind. */
const VALUES: readonly any[] = [
	null,
	true,
	false,
	0,
	-1,
	1e308,
	0.5,
	'',
	'x',
	[],
	{},
	[null],
	[[]],
	{ a: null },
	'__proto__',
	'../..',
	'$x',
	'é\u0000',
];

/**
 * Changes one place of it.
 * @param value JSON
 * @param options keepsKinds: a text stays a text, as a schema has it that was asked before
 */
export function mutatedValue(value: any, pick: Pick, { keepsKinds = false }: { keepsKinds?: boolean } = {}) {
	const copy = structuredClone(value);
	for (let times = 1 + pick(TIMES_MOST); times > 0; times -= 1) {
		const places = placesIn(copy);
		if (places.length === 0) return copy;
		const [holder, key] = oneOf(places, pick);
		changeAt(holder, key, pick, keepsKinds);
	}
	return copy;
}

function changeAt(holder: any, key: string | number, pick: Pick, keepsKinds: boolean) {
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

/** Also under the name `__proto__`. */
const put = (holder: any, key: string | number, value: any) =>
	Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

function alike(value: any, pick: Pick) {
	if (typeof value === 'string') return pick(2) ? oneOf(WORDS, pick) : mutated(value, pick);
	if (typeof value === 'number') return [0, -1, value * 1000, -value, 0.5, 2 ** 53][pick(6)];
	if (typeof value === 'boolean') return !value;
	if (Array.isArray(value)) return pick(2) ? [] : value.toReversed();
	return value;
}

function placesIn(value: any): [holder: any, key: string | number][] {
	const places: [any, string | number][] = [];
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
