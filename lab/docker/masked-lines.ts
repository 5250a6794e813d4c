/**
 * Lines of a log without the values that the lab knows to be secret, in their order. A value may be broken over lines, and lines of standard
 * output and of standard error come in turns: so each of the two is looked through by itself, many lines at a time, and the last of them
 * wait for those that come after.
 */
export type Line = {
	stream: number;
	/** the engine's time, with the blank after it */
	stamp: string;
	text: string;
};

/** Looked through at a time. */
const TOGETHER = 1 << 16;
/** A value with all its breaks is no longer, as a rule: it waits with what begins it. */
const REACH = 8192;

export class MaskedLines {
	#without;
	#waiting: Line[] = [];
	#size = 0;

	/** @param without gives as many lines as it is given */
	constructor(without: (text: string) => string) {
		this.#without = without;
	}

	/** @returns those that are done */
	feed(lines: Line[]): Line[] {
		for (const line of lines) {
			this.#waiting.push(line);
			this.#size += line.text.length + 1;
		}
		if (this.#size < TOGETHER) return [];
		const masked = this.#masked();
		const end = masked.length - lastOf(masked);
		this.#waiting = masked.slice(end);
		// What waits again does not count: else the rest of a long line would be looked through with each that follows.
		this.#size = 0;
		return masked.slice(0, end);
	}

	/** @returns the rest */
	end(): Line[] {
		const masked = this.#masked();
		this.#waiting = [];
		this.#size = 0;
		return masked;
	}

	#masked() {
		const streams = [...new Set(this.#waiting.map(({ stream }) => stream))];
		const texts = new Map(streams.map((stream) => [stream, this.#without(textOf(this.#waiting, stream)).split('\n').values()]));
		return this.#waiting.map((line) => ({ ...line, text: texts.get(line.stream)?.next().value ?? '' }));
	}
}

const textOf = (lines: Line[], stream: number) =>
	lines
		.filter((line) => line.stream === stream)
		.map(({ text }) => text)
		.join('\n');

/** Of each stream so many that a value which is not over yet is among them. */
function lastOf(lines: Line[]): number {
	const reached: Map<number, number> = new Map(lines.map(({ stream }) => [stream, 0]));
	let open = reached.size;
	for (let back = 1; back <= lines.length; back += 1) {
		const { stream, text } = lines[lines.length - back];
		const before = reached.get(stream) as number;
		reached.set(stream, before + text.length + 1);
		if (before < REACH && before + text.length + 1 >= REACH) open -= 1;
		if (open === 0) return back;
	}
	return lines.length;
}
