/**
 * The calls of a record as columns: when each began and was over, on which edge, of which kind; and by service what it served and made.
 */

import { workedUntil } from './beside.ts';
import type { Joined, Line } from './joined.ts';
import { Asked, isTurnedAway, Numbering, UNMARKED } from './spans.ts';

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
