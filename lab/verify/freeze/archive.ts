/**
 * The files of frozen records, packed: what is in rows as columns, and each line of a text as its words and its numbers. What was packed comes
 * out as text that reads the same; of JSON nothing but its values is kept.
 */

import { RAW } from '../../base/paths.ts';
import { jsonIn } from '../../base/values.ts';
import { EACH, HEAD } from '../../record/k6-requests.ts';
import type { RecordFiles } from './files.ts';

/**
 * Rows of a record as columns, which pack to a fraction of their text: rows of one shape stand together, every field once, and numbers as the
 * differences that are short. Whatever JSON goes in comes out, to the last digit. Pure.
 *
 * A column is a list of a letter and what that kind needs: see PACKED.
 */
/** Of a column the whole numbers that those of a later one may be near to, null where there is none; of another column nothing. */
type Column = [kind: string, ...rest: any[]];

type Whole = (number | null)[];

/** Decimal places of a number that is kept as a whole one: clocks and CPU times have at most nine. */
const PLACES_MOST = 9;
/** Whole numbers up to it are exact, and so is a whole one divided by a power of ten. */
const EXACT_MOST = Number.MAX_SAFE_INTEGER;

function packRows(rows: any[]): [order: Column, groups: [size: number, column: Column][]] {
	const groups: Map<string, { number: number; rows: any[] }> = new Map();
	const order = rows.map((row) => {
		const shape = shapeOf(row);
		const group = groups.get(shape) ?? { number: groups.size, rows: [] };
		groups.set(shape, group);
		group.rows.push(row);
		return group.number;
	});
	return [packColumn(order), [...groups.values()].map((group) => [group.rows.length, packColumn(group.rows)])];
}

function unpackRows([order, groups]: ReturnType<typeof packRows>): any[] {
	const total = groups.reduce((sum, [size]) => sum + size, 0);
	const rows = groups.map(([size, column]) => unpackColumn(column, size));
	const next = groups.map(() => 0);
	return unpackColumn(order, total).map((group) => rows[group][next[group]++]);
}

/** The id of a request, which no other row has. */
const ID = /^\w*\d+-\d+$/;

/** Rows of one service, and of one kind, are alike from one to the next. */
function shapeOf(row: any) {
	if (Array.isArray(row)) {
		const [first] = row;
		return `[${row.map((value) => kindOf(value)[0]).join('')}${typeof first === 'string' && !ID.test(first) ? first : ''}`;
	}
	if (kindOf(row) !== 'record') return kindOf(row);
	return JSON.stringify([row.name ?? '', ...Object.entries<any>(row).map(([name, value]) => [name, kindOf(value)])]);
}

function kindOf(value: any) {
	if (value === null) return 'none';
	if (Array.isArray(value)) return 'list';
	return typeof value === 'object' ? 'record' : typeof value;
}

/** @param before the columns before it */
function packColumn(values: any[], before: Whole[] = []): Column {
	const [first] = values;
	if (values.every((value) => value === first)) return ['s', first ?? null];
	const kinds = new Set(values.map(kindOf));
	if (kinds.size === 2 && kinds.has('none')) {
		const isThere = values.map((value) => (value === null ? 0 : 1));
		return ['o', packColumn(isThere), packColumn(present(values, isThere), besideOf(before, isThere))];
	}
	if (kinds.size > 1) return ['m', packRows(values)];
	if (kinds.has('number')) return packNumbers(values, before);
	if (kinds.has('record')) {
		const names = Object.keys(first);
		const isAlike = values.every((value) => JSON.stringify(Object.keys(value)) === JSON.stringify(names));
		if (!isAlike) return ['m', packRows(values)];
		return ['r', names, packFields(names.map((name) => values.map((value) => value[name])))];
	}
	if (kinds.has('list')) {
		if (values.every(({ length }) => length === first.length))
			return ['t', first.length, packFields([...first.keys()].map((place) => values.map((value) => value[place])))];
		return ['l', packColumn(values.map(({ length }) => length)), packRows(values.flat())];
	}
	return packDecimals(values, before) ?? ['v', values];
}

/** As logs of requests write seconds. */
const DECIMAL = /^(?:0|[1-9]\d{0,8})\.\d{3}$/;

/** @returns null where few of them are such texts */
function packDecimals(values: any[], before: Whole[]): Column | null {
	const is = values.map((value) => (DECIMAL.test(value) ? 1 : 0));
	const texts = present(values, is);
	if (texts.length * 2 < values.length || texts.length === 0) return null;
	const others = values.filter((_, index) => is[index] === 0);
	return ['f', packColumn(is), packNumbers(texts.map(Number), besideOf(before, is)), packColumn(others)];
}

/** Sums of decimal numbers are these numbers, but for some of the smallest steps that a number can take. */
function packSums(values: number[], before: Whole[]): Column {
	for (const places of SUM_PLACES) {
		const round = values.map((value) => Math.round(value * 10 ** places) / 10 ** places);
		const steps = values.map((value, index) => Number(bitsOf(value) - bitsOf(round[index])));
		if (placesOf(round) === null || !steps.every((step) => Math.abs(step) <= STEPS_MOST)) continue;
		return ['u', packNumbers(round, before), packColumn(steps)];
	}
	return ['v', values];
}
const SUM_PLACES = [2, 3, 6, 9];
const STEPS_MOST = 1e5;

function bitsOf(value: number) {
	FLOAT.setFloat64(0, value);
	return FLOAT.getBigInt64(0);
}
function stepped(value: number, steps: number) {
	FLOAT.setBigInt64(0, bitsOf(value) + BigInt(steps));
	return FLOAT.getFloat64(0);
}
const FLOAT = new DataView(new ArrayBuffer(8));

const present = <T>(values: T[], isThere: number[]): T[] => values.filter((_, index) => isThere[index] === 1);

/** Of the columns before one with gaps, what stands beside its values. */
const besideOf = (before: Whole[], isThere: number[]): Whole[] => before.map((whole) => present(whole, isThere));

function packFields(fields: any[][]) {
	const before: Whole[] = [];
	return fields.map((values) => {
		const packed = packColumn(values, before);
		before.push(wholeColumn(packed, values));
		return packed;
	});
}

function wholeColumn([kind, , second]: Column, values: any[]): Whole {
	if (kind === 'n') return wholeOf(values, second);
	if (kind !== 'o' || second[0] !== 'n') return [];
	return values.map((value) => (value === null ? null : wholeOf([value], second[2])[0]));
}

const wholeOf = (values: number[], places: number) => values.map((value) => Math.round(value * 10 ** places));

function packNumbers(values: number[], before: Whole[]): Column {
	const places = placesOf(values);
	if (places === null) return packSums(values, before);
	const whole = wholeOf(values, places);
	const beside = before.flatMap((other, at) => {
		const isWhole = other.length === whole.length && other.every((value) => value !== null);
		return isWhole ? [['b', whole.map((value, index) => value - Number(other[index])), at] as const] : [];
	});
	const ways = (
		[['p', whole], ['d', whole.map((value, index) => (index === 0 ? value : value - whole[index - 1]))], ...beside] as [
			string,
			number[],
			at?: number,
		][]
	).filter(([, differences]) => differences.every((value) => Math.abs(value) <= EXACT_MOST));
	const [[[way, least, ...at]]] = ways.map((one) => [one, JSON.stringify(one[1]).length] as const).sort((a, b) => a[1] - b[1]);
	return ['n', way, places, least, ...at];
}

/** @returns null where one has more */
function placesOf(values: number[]): number | null {
	let places = 0;
	for (const value of values) {
		if (Object.is(value, -0)) return null;
		while (places <= PLACES_MOST) {
			const whole = Math.round(value * 10 ** places);
			if (Math.abs(whole) <= EXACT_MOST && whole / 10 ** places === value) break;
			places += 1;
		}
		if (places > PLACES_MOST) return null;
	}
	// A smaller number may need more than those before it allow.
	return values.every((value) => Math.abs(value * 10 ** places) <= EXACT_MOST && Math.round(value * 10 ** places) / 10 ** places === value)
		? places
		: null;
}

function unpackColumn(column: Column, size: number, before: Whole[] = []): any[] {
	const unpack = PACKED[column[0]];
	return unpack(column, size, before);
}

const PACKED: Record<string, (column: any, size: number, before: Whole[]) => any[]> = {
	/** The same everywhere. */
	s: ([, value], size) =>
		typeof value === 'object' ? Array.from({ length: size }, () => structuredClone(value)) : Array(size).fill(value),
	/** As they are. */
	v: ([, values]) => values,
	/** Where there is none, and the others. */
	o: ([, mask, column], size, before) => {
		const isThere = unpackColumn(mask, size);
		const values = unpackColumn(column, present(isThere, isThere).length, besideOf(before, isThere));
		let at = 0;
		return isThere.map((is) => (is === 1 ? values[at++] : null));
	},
	/** Texts of decimal numbers, and others. */
	f: ([, mask, numbers, others], size, before) => {
		const is = unpackColumn(mask, size);
		const texts = unpackColumn(numbers, present(is, is).length, besideOf(before, is)).map((value) => value.toFixed(3));
		const rest = unpackColumn(others, size - texts.length);
		let [at, other] = [0, 0];
		return is.map((one) => (one === 1 ? texts[at++] : rest[other++]));
	},
	/** Numbers that are some steps from decimal ones. */
	u: ([, round, steps], size, before) => {
		const by = unpackColumn(steps, size);
		return unpackColumn(round, size, before).map((value, index) => stepped(value, by[index]));
	},
	/** Of several kinds. */
	m: ([, rows]) => unpackRows(rows),
	/** Numbers: plain, less the one before, or less the one beside in a column before. */
	n: (column, _, before) => unpackWhole(column, before).map((value) => value / 10 ** column[2]),
	/** Records of the same fields. */
	r: ([, names, fields], size) => {
		const columns = unpackFields(fields, size);
		return Array.from({ length: size }, (_, index) =>
			Object.fromEntries(names.map((name: string, at: number) => [name, columns[at][index]])),
		);
	},
	/** Lists of one length. */
	t: ([, , fields], size) => {
		const columns = unpackFields(fields, size);
		return Array.from({ length: size }, (_, index) => columns.map((values) => values[index]));
	},
	/** Lists of several. */
	l: ([, lengths, rows], size) => {
		const flat = unpackRows(rows);
		let at = 0;
		return unpackColumn(lengths, size).map((length) => {
			at += length;
			return flat.slice(at - length, at);
		});
	},
};

function unpackWhole([, way, , values, at]: Column, before: Whole[]): number[] {
	let sum = 0;
	return values.map((value: number, index: number) => {
		sum += value;
		if (way === 'd') return sum;
		return way === 'b' ? value + Number(before[at][index]) : value;
	});
}

function unpackFields(fields: Column[], size: number) {
	const before: Whole[] = [];
	return fields.map((column) => {
		const values = unpackColumn(column, size, before);
		before.push(wholeColumn(column, values));
		return values;
	});
}

/** Lines that are in none of the other forms; lines of JSON; those of k6's log; one JSON; lines that begin with a time. */
type Packed = ['text' | 'lines' | 'k6' | 'json' | 'log', any];

/** As the engine writes a time before each line: nanoseconds, without zeros at the end. */
const TIMED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z (.*)$/;
const NANO_DIGITS = 9;

/** by their paths */
export type PackedFiles = Record<string, Packed>;

export const packFiles = (files: RecordFiles): PackedFiles =>
	Object.fromEntries(Object.entries(files).map(([name, text]) => [name, packText(name, text)]));

export const unpackFiles = (packed: PackedFiles): RecordFiles =>
	Object.fromEntries(Object.entries(packed).map(([name, one]) => [name, unpackText(one)]));

function packText(name: string, text: string): Packed {
	const rows = rowsIn(text);
	if (rows === null) return packLog(text) ?? ['text', packLines(text.split('\n'))];
	if (rows.length === 1 && text.startsWith('{')) return ['json', rows[0]];
	return name.endsWith(RAW.k6Log) ? ['k6', packRows(rows.map(openLine))] : ['lines', packRows(rows)];
}

function unpackText([form, kept]: Packed) {
	if (form === 'text') return unpackLines(kept).join('\n');
	if (form === 'log') return unpackLog(kept);
	if (form === 'json') return `${JSON.stringify(kept)}\n`;
	const rows = unpackRows(kept);
	return (form === 'k6' ? rows.map(closeLine) : rows).map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** @returns null where a line is no JSON, or a number in it would not read the same */
function rowsIn(text: string): any[] | null {
	if (text === '') return null;
	try {
		return [JSON.parse(text)];
	} catch {
		// Lines, perhaps.
	}
	try {
		return text
			.split('\n')
			.filter((line) => line !== '')
			.map((line) => JSON.parse(line));
	} catch {
		return null;
	}
}

/** @returns null where a line has no such time */
function packLog(text: string): Packed | null {
	const lines = text.split('\n');
	if (lines.pop() !== '' || lines.length === 0) return null;
	const read = lines.map((line) => TIMED.exec(line));
	const [first] = read;
	if (!first || read.some((one) => one === null)) return null;
	const began = Date.parse(`${first[1]}Z`);
	const times = read.flatMap((one) => {
		const [, second, fraction = ''] = one as RegExpExecArray;
		// Whole nanoseconds from the first second on: a run is short enough for them to be exact.
		const nano = ((Date.parse(`${second}Z`) - began) / 1000) * 10 ** NANO_DIGITS + Number(fraction.padEnd(NANO_DIGITS, '0'));
		return [{ nano, digits: fraction.length }];
	});
	return ['log', [began, packRows(times), packLines(read.map((one) => one?.[3] ?? ''))]];
}

function unpackLog([began, times, lines]: [number, ReturnType<typeof packRows>, ReturnType<typeof packRows>]) {
	const texts = unpackLines(lines);
	const log = unpackRows(times).map(({ nano, digits }, index) => {
		const second = Math.floor(nano / 10 ** NANO_DIGITS);
		const fraction = String(nano - second * 10 ** NANO_DIGITS)
			.padStart(NANO_DIGITS, '0')
			.slice(0, digits);
		const at = new Date(began + second * 1000).toISOString().slice(0, SECOND_ENDS);
		return `${at}${digits > 0 ? `.${fraction}` : ''}Z ${texts[index]}\n`;
	});
	return log.join('');
}
/** `2026-11-27T12:41:44`. */
const SECOND_ENDS = 19;

/** What stands for digits in the words of a line: a number, as many of them with zeros before it, or more than a number holds. */
const [NUMBER, ZERO, DIGITS] = ['1', '0', '2'];
/** So many digits are written with zeros as often as without: seconds of a clock, and thousandths. */
const PADDED = [2, 3];
/** More of them may be no exact number. */
const DIGITS_MOST = 15;

/** Lines that differ in their numbers alone have the same words, and their numbers go on from one to the next. */
const packLines = (lines: string[]) =>
	packRows(
		lines.map((line) => {
			const numbers: (string | number)[] = [];
			const words = line.replace(/\d+/g, (digits) => {
				const hole = holeOf(digits);
				numbers.push(hole === DIGITS ? digits : Number(digits));
				return hole;
			});
			return [words, ...numbers];
		}),
	);

function holeOf(digits: string) {
	if (digits.length > DIGITS_MOST) return DIGITS;
	const isPadded = PADDED.includes(digits.length) || (digits.length > 1 && digits.startsWith(ZERO));
	return isPadded ? ZERO.repeat(digits.length) : NUMBER;
}

const unpackLines = (packed: ReturnType<typeof packRows>): string[] =>
	unpackRows(packed).map(([words, ...numbers]) => {
		let at = 0;
		return words.replace(/\d+/g, (hole: string) => {
			const number = String(numbers[at++]);
			return hole.startsWith(ZERO) ? number.padStart(hole.length, ZERO) : number;
		});
	});

/** What a user wrote, in the line of k6's log, and of its numbers each request by itself. */
function openLine(line: any) {
	const reported = typeof line.msg === 'string' && line.msg.startsWith('{') ? jsonIn(line.msg) : null;
	if (reported === null) return line;
	return { ...line, msg: mapNumbers(reported, (numbers) => [numbers.slice(0, HEAD), inFours(numbers.slice(HEAD))]) };
}

function closeLine(line: any) {
	if (typeof line.msg !== 'object' || line.msg === null) return line;
	return { ...line, msg: JSON.stringify(mapNumbers(line.msg, ([head, each]) => [...head, ...each.flat()])) };
}

const mapNumbers = (reported: any, change: (numbers: any[]) => any[]) =>
	Object.fromEntries(
		Object.entries<any>(reported).map(([name, value]) => [
			name,
			(name === 'requests' || name === 'warm') && Array.isArray(value) ? change(value) : value,
		]),
	);

const inFours = (numbers: number[]) =>
	Array.from({ length: Math.ceil(numbers.length / EACH) }, (_, at) => numbers.slice(at * EACH, (at + 1) * EACH));
