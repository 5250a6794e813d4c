/**
 * Finds values in a text in whatever form a log may have them: as they are, escaped for JSON, a URL or HTML, in base64 (also within a longer
 * text, such as the pair of basic authentication), in hexadecimal digits, and broken over lines. A record has hundreds of MB and a system
 * dozens of values, so a text is passed once, whatever their number: four characters are looked up at each place, and only where a value
 * begins with these the whole is compared (the filter of Rabin and Karp, https://en.wikipedia.org/wiki/Rabin%E2%80%93Karp_algorithm).
 */
type Form = {
	/** its characters */
	units: Unit[];
	/** its first and last characters depend on what stands beside it */
	isWithin: boolean;
	/** it counts only where no letter and no digit stands beside it */
	isApart: boolean;
};

/** a character in each way in which it may be written */
type Unit = {
	/** as it is */
	plain: string[];
	/** behind one backslash, or more where JSON stands in JSON; in small letters */
	escaped: string[];
	/** in small letters */
	coded: string[];
};

/** Characters that are looked up. */
const GRAM = 4;
const TABLE_SIZE = 1 << 16;
/** Spreads codes of letters, which differ in their last bits, over the table; a greater one would leave small integers. */
const SPREAD = 521;
const [NEWLINE, RETURN, BLANK, TAB, BACKSLASH, LETTER_N, LETTER_R] = [10, 13, 32, 9, 92, 110, 114];
const PLAIN = /^[A-Za-z0-9]$/;
/** A short one is a part of many an id by chance. */
const HEXADECIMAL = /^[0-9a-f]{1,11}$/i;
/** What base64 drags along at an end that is not its value's own: at most so many characters. */
const EDGE = 3;
const OF_BASE64 = /[A-Za-z0-9+/_]/;
/** Of HTML. */
const NAMED: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** Of base64 for URLs. */
const SWAPPED: Record<string, string> = { '+': '-', '/': '_' };
/** Of JSON. */
const CONTROLS: Record<string, string> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

const hexOf = (bytes: Iterable<number>, before: string) =>
	[...bytes].map((byte) => `${before}${byte.toString(16).padStart(2, '0')}`).join('');

/** @returns in hexadecimal digits, of its units in UTF-16 */
const codesOf = (character: string): string[] =>
	Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, '0'));

const units: Map<string, Unit> = new Map();
function unitOf(character: string): Unit {
	const known = units.get(character) ?? madeUnit(character);
	units.set(character, known);
	return known;
}

function madeUnit(character: string): Unit {
	if (PLAIN.test(character)) return { plain: [character], escaped: [], coded: [] };
	const bytes = Buffer.from(character);
	const codes = codesOf(character);
	const code = Number(character.codePointAt(0));
	const url = [hexOf(bytes, '%'), hexOf(bytes, '%25')];
	return {
		plain: [character, ...(character === ' ' ? ['+'] : [])],
		// Half of a character beyond the first 65,536 has its own backslashes.
		escaped: [
			character,
			...['\\u', '\\\\u'].map((then) => `u${codes.join(then)}`),
			hexOf(bytes, '\\x').slice(1),
			CONTROLS[character] ?? character,
		],
		coded: [
			...url,
			...url.map((one) => `%5c${one}`),
			`&#${code};`,
			`&#0${code};`,
			`&#x${code.toString(16)};`,
			...(NAMED[character] ? [`&${NAMED[character]};`] : []),
		],
	};
}

const formOf = (text: string, { isWithin = false, isApart = false }: { isWithin?: boolean; isApart?: boolean } = {}): Form => ({
	units: [...text].map(unitOf),
	isWithin,
	isApart,
});

/** With what a value may begin that is written in one way as a whole. */
function beginningsOf(value: string): string[] {
	const begin = [...value].slice(0, 2 * GRAM).join('');
	const inJson = asJson(begin);
	const escaped = (text: string, which: RegExp) =>
		text.replace(which, (one) =>
			codesOf(one)
				.map((code) => `\\u${code}`)
				.join(''),
		);
	const json = [inJson, escaped(inJson, BEYOND_ASCII), escaped(inJson, GO_ESCAPES), inJson.replaceAll('/', '\\/')];
	const inBytes = begin.replace(BEYOND_ASCII, (one) => hexOf(Buffer.from(one), '\\x'));
	const html = ['amp', 'decimal', 'hexadecimal'].map((how) => begin.replace(/[&<>"']/g, (one) => entityOf(one, how)));
	const all = [begin, ...json, ...json.map(asJson), inBytes, ...html, ...[begin, inJson].flatMap(asUrl)];
	const both = all.flatMap((one) => [one, one.replace(CODES, (code) => code.toUpperCase().replace(/^\\[UX]/, (two) => two.toLowerCase()))]);
	return [...new Set(both.map((one) => one.slice(0, GRAM)))].filter((one) => one.length === GRAM && !/[\r\n]/.test(one));
}
const BEYOND_ASCII = /[^ -~]/gu;
const GO_ESCAPES = /[<>&\u2028\u2029]/g;
const CODES = /\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|%[0-9a-f]{2}/g;

const asJson = (text: string) => JSON.stringify(text).slice(1, -1);

const entityOf = (character: string, how: string) =>
	how === 'amp'
		? `&${NAMED[character]};`
		: how === 'decimal'
			? `&#${character.charCodeAt(0)};`
			: `&#x${character.charCodeAt(0).toString(16)};`;

function asUrl(text: string): string[] {
	const url = encodeURIComponent(Buffer.from(text).toString());
	const each = [url, new URLSearchParams({ '': text }).toString().slice(1), url.replaceAll('%', '%25')];
	return each.flatMap((one) => [one, one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

/** Base64 packs three bytes into four characters: the same value looks in three ways, by where it begins. */
function base64Forms(value: string): [beginnings: string[], form: Form][] {
	return [0, 1, 2].map((before) => {
		const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
		// Whose six bits are all of the value.
		const own = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
		const form = formOf(own, { isWithin: true });
		const swapped = form.units.map((unit, at) => (SWAPPED[own[at]] ? { ...unit, plain: [...unit.plain, SWAPPED[own[at]]] } : unit));
		const forUrl = own.replace(/[+/]/g, (one) => SWAPPED[one]);
		return [[...new Set([own, forUrl].flatMap(beginningsOf))], { ...form, units: swapped }];
	});
}

function formsOf(value: string): [beginnings: string[], form: Form][] {
	const digits = Buffer.from(value).toString('hex');
	return [
		[beginningsOf(value), formOf(value, { isApart: HEXADECIMAL.test(value) })],
		...base64Forms(value),
		...[digits, digits.toUpperCase()].map((one) => [[one.slice(0, GRAM)], formOf(one)] as [string[], Form]),
	];
}

/** Of the last four characters: each is shifted out by the fourth after it. */
const next: (hash: number, code: number) => number = (hash, code) => ((hash << 4) ^ (code * SPREAD)) & (TABLE_SIZE - 1);

function hashOf(gram: string) {
	let hash = 0;
	for (let at = 0; at < GRAM; at += 1) hash = next(hash, gram.charCodeAt(at));
	return hash;
}

/** @returns where one of them stands, in whatever form: in their order, apart from each other */
export function finderOf(values: string[]): (text: string) => [from: number, to: number][] {
	const isThere = new Uint8Array(TABLE_SIZE);
	const sought: Map<number, { gram: string; form: Form }[]> = new Map();
	for (const [beginnings, form] of values.flatMap(formsOf))
		for (const gram of beginnings) {
			const hash = hashOf(gram);
			isThere[hash] = 1;
			const known = sought.get(hash) ?? [];
			known.push({ gram, form });
			sought.set(hash, known);
		}
	return (text) => {
		const found: [number, number][] = [];
		const look = (hash: number, gram: string, from: number) => {
			for (const one of sought.get(hash) ?? []) if (one.gram === gram) found.push(...standingAt(text, from, one.form));
		};
		let hash = 0;
		for (let at = 0; at < text.length; at += 1) {
			const code = text.charCodeAt(at);
			hash = next(hash, code);
			if (isThere[hash] === 1) look(hash, text.slice(at + 1 - GRAM, at + 1), at + 1 - GRAM);
			if (code === NEWLINE || code === BACKSLASH) lookAcross(text, at, { isThere, look });
		}
		return merged(found);
	};
}

/** The four characters around a break, wherever they begin before it. */
function lookAcross(
	text: string,
	at: number,
	{ isThere, look }: { isThere: Uint8Array; look: (hash: number, gram: string, from: number) => void },
) {
	const from = text.charCodeAt(at) === NEWLINE && text.charCodeAt(at - 1) === RETURN ? at - 1 : at;
	const after = afterBreak(text, from);
	for (let before = 1; after >= 0 && before < GRAM; before += 1) {
		let hash = 0;
		for (let back = before; back > 0; back -= 1) hash = next(hash, text.charCodeAt(from - back));
		for (let on = 0; on < GRAM - before; on += 1) hash = next(hash, text.charCodeAt(after + on));
		if (isThere[hash] === 1) look(hash, text.slice(from - before, from) + text.slice(after, after + GRAM - before), from - before);
	}
}

/**
 * Where a line is broken, as it is or in JSON.
 * @returns where the next one begins; -1: there is no break
 */
function afterBreak(text: string, at: number): number {
	let end = at;
	if (text.charCodeAt(end) === BACKSLASH) {
		end = afterBackslashes(text, end);
		if (text.charCodeAt(end) === LETTER_R) end = afterBackslashes(text, end + 1);
		if (text.charCodeAt(end) !== LETTER_N || text.charCodeAt(end - 1) !== BACKSLASH) return -1;
	} else {
		if (text.charCodeAt(end) === RETURN) end += 1;
		if (text.charCodeAt(end) !== NEWLINE) return -1;
	}
	end += 1;
	while (text.charCodeAt(end) === BLANK || text.charCodeAt(end) === TAB) end += 1;
	return end;
}

function afterBackslashes(text: string, at: number) {
	let end = at;
	while (text.charCodeAt(end) === BACKSLASH) end += 1;
	return end;
}

/** @returns none, or one */
function standingAt(text: string, from: number, { units: all, isWithin, isApart }: Form): [number, number][] {
	let ends = [from];
	for (const [index, unit] of all.entries()) {
		const reached: Set<number> = new Set();
		for (const at of ends) {
			for (const end of endsOf(text, at, unit)) reached.add(end);
			const after = index === 0 ? -1 : afterBreak(text, at);
			// The blank before it may be the value's own.
			for (const begin of after < 0 ? [] : [after, after - 1]) for (const end of endsOf(text, begin, unit)) reached.add(end);
		}
		if (reached.size === 0) return [];
		ends = [...reached];
	}
	const to = Math.max(...ends);
	if (
		isApart &&
		(OF_WORD.test(text[to] ?? '') || (OF_WORD.test(text[from - 1] ?? '') && !ESCAPE.test(text.slice(Math.max(0, from - 6), from))))
	)
		return [];
	return [isWithin ? edges(text, from, to) : [from, to]];
}
const OF_WORD = /[A-Za-z0-9]/;
/** What an escape ends with is no letter of the text. */
const ESCAPE = /(?:\\[a-z]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})$/;

/** @returns where it may end that begins there */
function endsOf(text: string, at: number, { plain, escaped, coded }: Unit): number[] {
	const ends = plain.filter((one) => text.startsWith(one, at)).map((one) => at + one.length);
	// A letter or a figure is written in no other way.
	if (escaped.length === 0) return ends;
	for (const one of coded) if (isSame(text, at, one)) ends.push(at + one.length);
	const behind = afterBackslashes(text, at);
	if (behind === at) return ends;
	if (plain[0] === '\\') for (let end = at + 2; end <= behind; end += 1) ends.push(end);
	for (const one of escaped) if (isSame(text, behind, one)) ends.push(behind + one.length);
	return ends;
}

const isSame = (text: string, at: number, written: string) => text.slice(at, at + written.length).toLowerCase() === written.toLowerCase();

function edges(text: string, from: number, to: number): [number, number] {
	let [first, last] = [from, to];
	while (from - first < EDGE && OF_BASE64.test(text[first - 1] ?? '')) first -= 1;
	while (last - to < EDGE && (OF_BASE64.test(text[last] ?? '') || text[last] === '=')) last += 1;
	return [first, last];
}

function merged(found: [number, number][]) {
	const apart: [number, number][] = [];
	for (const [from, to] of found.toSorted(([one], [other]) => one - other)) {
		const last = apart.at(-1);
		if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
		else apart.push([from, to]);
	}
	return apart;
}
