/**
 * The calls of a record as numbers: what is asked of each in columns, and in the order of a time of theirs. Millions of calls are told apart by
 * few numbers, and no text is made of each.
 */

import type { WireCall } from '../../wire/record.ts';
import type { Joined, Known, Line } from './joined.ts';
import { workedUntil } from './rules.ts';

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

/*
 * The calls of a record as columns: when each began and was over, on which edge, of which kind; and by service what it served and made.
 */

export class Spans {
	calls;
	/** Seconds from the first call. */
	began: Float64Array;
	/** When its asker knew that it was over; endless where it was open. */
	ended: Float64Array;
	/** The same, and the record's end where it was open. */
	over: Float64Array = new Float64Array();
	/** Until when its server may have worked for it: beyond `ended` where the asker gave up. */
	worked: Float64Array;
	/** Number in `edges`. */
	edge: Int32Array;
	/** Number of its edge, verb and template. */
	kind: Int32Array;
	/** Number of the service that was asked and its kind there: the same of all its containers, whoever asks. */
	way: Int32Array;
	/** Number of its protocol. */
	protocol: Int32Array;
	/** Number of its verb and template. */
	asked: Int32Array;
	/** Number of its status and code. */
	answer: Int32Array;
	/** Number of the state in which it left its connection. */
	state: Int32Array;
	/** 1: a set-up that was turned away. */
	turnedAway: Uint8Array;
	/** Id of its connection. */
	connection: Int32Array;
	/** Number of the id that it carries, and of its trace; below `marks`. */
	id: Int32Array;
	trace: Int32Array;
	marks = 0;
	edges: { from: string; to: string }[] = [];
	/** From the first call to the last. */
	length_s = 0;
	/** by container, in the order of their beginnings */
	#containers: Map<string, { service: string; served: number[]; made: number[] }> = new Map();
	serviceOf: (container: string) => string;

	constructor(
		{
			calls,
			lines,
			lineAt,
			began,
			over,
			question,
			order,
		}: Pick<Joined, 'calls' | 'lines' | 'lineAt' | 'began' | 'over' | 'question' | 'order'>,
		serviceOf: (container: string) => string,
	) {
		this.calls = calls;
		this.serviceOf = serviceOf;
		const size = calls.length;
		[this.began, this.ended, this.worked] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
		[this.edge, this.kind, this.protocol] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
		[this.answer, this.connection, this.state] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
		[this.id, this.trace] = [new Int32Array(size), new Int32Array(size)];
		this.asked = question;
		this.turnedAway = new Uint8Array(size);
		this.way = new Int32Array(size);
		const [edges, protocols, answers, states] = Array.from({ length: 4 }, () => new Numbering());
		const [kinds, ways, marks] = [new Asked(), new Asked(), new Marks()];
		const zero = size === 0 ? 0 : began[order[0]];
		const onLine = ({ connection, from, to }: Line) => {
			const edge = edges.of(from, to);
			if (edge === this.edges.length) this.edges.push({ from, to });
			const served = null as number[] | null;
			const numbers = { protocol: protocols.of(connection.protocol, null), kinds: kinds.on(edge), ways: ways.on(serviceOf(to)) };
			return { to, edge, ...numbers, made: this.#of(from).made, served };
		};
		/** What all calls of an edge and protocol have in common: of each connection, there may be as many as calls. */
		const likeAt = likeness(lines);
		const known: ReturnType<typeof onLine>[] = [];
		for (let place = 0; place < size; place += 1) {
			const index = order[place];
			const call = calls[index];
			const at = lineAt[index];
			const { role = 'call' } = call;
			const isRefused = role === 'connect' && isTurnedAway(call);
			if (at < 0 || (role !== 'call' && !isRefused)) continue;
			known[likeAt[at]] ??= onLine(lines[at]);
			const about = known[likeAt[at]];
			const { edge, protocol, made } = about;
			this.edge[index] = edge;
			this.protocol[index] = protocol;
			this.connection[index] = lines[at].connection.id;
			this.id[index] = marks.of(call.id);
			this.trace[index] = marks.of(call.trace);
			this.answer[index] = answers.of(call.status, call.code);
			this.state[index] = states.of(call.state, null);
			this.kind[index] = about.kinds.numberOf(question[index]);
			this.way[index] = about.ways.numberOf(question[index]);
			this.began[index] = began[index] - zero;
			this.ended[index] = over[index] - zero;
			this.worked[index] = workedUntil(call, over[index]) - zero;
			this.length_s = Math.max(this.length_s, this.began[index], over[index] === Number.POSITIVE_INFINITY ? 0 : this.ended[index]);
			this.turnedAway[index] = isRefused ? 1 : 0;
			made.push(index);
			// Who turned it away served nothing.
			if (isRefused) continue;
			about.served ??= this.#of(about.to).served;
			about.served.push(index);
		}
		this.marks = marks.size;
		this.over = new Float64Array(size);
		for (let index = 0; index < size; index += 1) this.over[index] = Math.min(this.ended[index], this.length_s);
	}

	containers(): Iterable<{ service: string; served: number[]; made: number[] }> {
		return this.#containers.values();
	}

	/** The service that was asked. */
	calleeOf = (call: number) => this.serviceOf(this.edges[this.edge[call]].to);

	/** @param name of a container */
	#of(name: string) {
		const own = this.#containers.get(name) ?? { service: this.serviceOf(name), served: [], made: [] };
		this.#containers.set(name, own);
		return own;
	}
}

/** @returns of each line a number: the same of those between the same two in the same protocol */
function likeness(lines: Line[]): Int32Array {
	const [pairs, numbers] = [new Numbering(), new Numbering()];
	return Int32Array.from(lines, ({ from, to, connection }) => numbers.of(pairs.of(from, to), connection.protocol));
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

/** Gives each mark a number. */
class Marks {
	#known: Map<string, number> = new Map();

	/** Numbers that there may be. */
	get size() {
		return this.#known.size + 1;
	}

	of(mark: string | undefined) {
		if (!mark) return UNMARKED;
		let number = this.#known.get(mark);
		if (number === undefined) {
			number = this.size;
			this.#known.set(mark, number);
		}
		return number;
	}
}

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
