/**
 * The texts of a record, each kept once and known by its number: hundreds of thousands of rows have few, and an id comes on every hop of a
 * request. They are looked up by their bytes, so that no text is made of what is known already.
 */

/** Of slots: a power of two. At most half of them are taken, so that a text is near its own. */
const SLOTS_FIRST = 4096;
/** FNV-1a. */
const [BASIS, PRIME] = [0x811c9dc5, 0x01000193];

export class Texts {
	/** By their numbers; 0 is none. */
	all: any[] = [undefined];
	/** Numbers, each in the first slot from its hash on that was free. */
	#slots = new Int32Array(SLOTS_FIRST);
	/** Of each text. */
	#hashes = [0];

	/** @param to the text, of ASCII */
	numberOf(bytes: Buffer, from: number, to: number): number {
		let hash = BASIS;
		for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ bytes[at], PRIME);
		const last = this.#slots.length - 1;
		let slot = hash & last;
		for (let number = this.#slots[slot]; number !== 0; number = this.#slots[slot]) {
			if (this.#hashes[number] === hash && isAt(this.all[number], bytes, from, to)) return number;
			slot = (slot + 1) & last;
		}
		return this.#add(bytes.toString('latin1', from, to), hash, slot);
	}

	/** One of any signs, as hardly any is: it is not looked up. */
	add(text: string): number {
		this.#hashes.push(0);
		return this.all.push(text) - 1;
	}

	#add(text: string, hash: number, slot: number) {
		const number = this.all.push(text) - 1;
		this.#hashes.push(hash);
		this.#slots[slot] = number;
		if (number * 2 > this.#slots.length) this.#grow();
		return number;
	}

	#grow() {
		const known = this.#slots.filter((number) => number !== 0);
		this.#slots = new Int32Array(this.#slots.length * 2);
		const last = this.#slots.length - 1;
		for (const number of known) {
			let slot = this.#hashes[number] & last;
			while (this.#slots[slot] !== 0) slot = (slot + 1) & last;
			this.#slots[slot] = number;
		}
	}
}

function isAt(text: string, bytes: Buffer, from: number, to: number) {
	if (text.length !== to - from) return false;
	for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) !== bytes[from + index]) return false;
	return true;
}
