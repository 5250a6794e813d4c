/**
 * The calls of a record as numbers: what is asked of each in columns, and in the order of a time of theirs. Millions of calls are told apart by
 * few numbers, and no text is made of each.
 */

import type { WireCall } from '../../wire/record.ts';
import type { Known } from './joined.ts';

/** Gives each pair a number, from 0 on. Millions of calls have few of them, and no text is made of each: to make it and look it up takes four times as long. */
export class Numbering {
	#known: Map<unknown, Map<unknown, number>> = new Map();
	#count = 0;

	of(one: unknown, other: unknown) {
		let own = this.#known.get(one);
		if (own === undefined) {
			own = new Map();
			this.#known.set(one, own);
		}
		let number = own.get(other);
		if (number === undefined) {
			number = this.#count++;
			own.set(other, number);
		}
		return number;
	}
}

/** Gives each question to each of several a number, from 0 on: those of one are in a row by the numbers of the questions, so that none is looked for. */
export class Asked {
	#rows: Map<unknown, Row> = new Map();
	count = 0;

	/** @param whom an edge, or a service */
	on(whom: unknown) {
		const row = this.#rows.get(whom) ?? new Row(this);
		this.#rows.set(whom, row);
		return row;
	}
}

class Row {
	#asked;
	#numbers: number[] = [];

	constructor(asked: Asked) {
		this.#asked = asked;
	}

	numberOf(question: number) {
		this.#numbers[question] ??= this.#asked.count++;
		return this.#numbers[question];
	}
}

/** What all readers ask of each call, looked up once. */
export function columnsOf(calls: WireCall[]): Pick<Known, 'began' | 'over' | 'question' | 'order'> {
	const size = calls.length;
	const [began, over, question] = [new Float64Array(size), new Float64Array(size), new Int32Array(size)];
	const questions = new Numbering();
	for (let index = 0; index < size; index += 1) {
		const { began_at: at, ended_at: ended, end, first_at: first, verb, template } = calls[index];
		began[index] = at;
		over[index] = ended ?? (end === 'answered' ? first : null) ?? Number.POSITIVE_INFINITY;
		question[index] = questions.of(verb, template);
	}
	return { began, over, question, order: inOrder(numbersTo(size), began) };
}

/** @returns from 0 on */
function numbersTo(size: number): Int32Array {
	const numbers = new Int32Array(size);
	for (let number = 0; number < size; number += 1) numbers[number] = number;
	return numbers;
}

/** More are compared by a sort of their own: a burst may have all. */
const FEW = 16;

/** @param times of each call by its number, none endless */
export function inOrder(calls: ArrayLike<number>, times: ArrayLike<number>): Int32Array {
	const size = calls.length;
	let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
	for (let place = 0; place < size; place += 1) {
		first = Math.min(first, times[calls[place]]);
		last = Math.max(last, times[calls[place]]);
	}
	const scale = last > first ? (size - 1) / (last - first) : 0;
	const slotOf = (call: number) => Math.floor((times[call] - first) * scale);
	const ends = new Int32Array(size + 1);
	for (let place = 0; place < size; place += 1) ends[slotOf(calls[place]) + 1] += 1;
	for (let slot = 0; slot < size; slot += 1) ends[slot + 1] += ends[slot];
	const [order, next] = [new Int32Array(size), ends.slice()];
	for (let place = 0; place < size; place += 1) order[next[slotOf(calls[place])]++] = calls[place];
	for (let slot = 0; slot < size; slot += 1) sortSlot(order, ends[slot], ends[slot + 1], times);
	return order;
}

/**
 * In a loop: a typed array's own filter takes several times as long.
 * @returns those that are, in that order
 */
export function those(order: Int32Array, isSuch: (call: number) => boolean): Int32Array {
	const kept = new Int32Array(order.length);
	let count = 0;
	for (let place = 0; place < order.length; place += 1) if (isSuch(order[place])) kept[count++] = order[place];
	return kept.slice(0, count);
}

/** @param order is changed */
function sortSlot(order: Int32Array, from: number, to: number, times: ArrayLike<number>) {
	if (to - from > FEW) {
		// It keeps those that are alike as they were (ECMA-262, %TypedArray%.prototype.sort).
		order.subarray(from, to).sort((one, other) => times[one] - times[other]);
		return;
	}
	for (let place = from + 1; place < to; place += 1) {
		const call = order[place];
		let at = place;
		for (; at > from && times[order[at - 1]] > times[call]; at -= 1) order[at] = order[at - 1];
		order[at] = call;
	}
}

/** Of a call that carries no id. */
export const UNMARKED = 0;

/** Which of all calls are meant, a bit for each: a set of a hundred thousand numbers takes a hundred times as much, and asks longer. */
export class Flags {
	#bits;

	/** @param size calls */
	constructor(size: number) {
		this.#bits = new Uint8Array((size >> 3) + 1);
	}

	add(call: number) {
		this.#bits[call >> 3] |= 1 << (call & 7);
	}

	has(call: number) {
		return (this.#bits[call >> 3] & (1 << (call & 7))) !== 0;
	}
}

/** Whether it was to set a connection up, and did not. */
export const isTurnedAway = (call: WireCall) => call.role === 'connect' && (call.bad || (call.end !== 'answered' && call.end !== 'open'));
