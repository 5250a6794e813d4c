/**
 * What waits its turn, such as questions in a pipeline: a list whose first is taken off in no time, however long it is.
 * @template T
 */
export class Queue {
	/** @type {(T | undefined)[]} */
	#items = [];
	#first = 0;

	get size() {
		return this.#items.length - this.#first;
	}

	/** @returns {T | undefined} */
	get first() {
		return this.#items[this.#first];
	}

	/** @returns {T | undefined} */
	get last() {
		return this.size > 0 ? this.#items[this.#items.length - 1] : undefined;
	}

	/** @param {number} index  0: the last, 1: the one before it @returns {T | undefined} */
	fromLast(index) {
		return index >= 0 && index < this.size ? this.#items[this.#items.length - 1 - index] : undefined;
	}

	/** @param {T} item */
	push(item) {
		this.#items.push(item);
	}

	/** @returns {T | undefined} */
	shift() {
		if (this.size === 0) return undefined;
		const item = this.#items[this.#first];
		this.#items[this.#first] = undefined;
		this.#first += 1;
		if (this.#first === this.#items.length) this.takeAll();
		// What was taken off is half of it at most, so that this is paid for by as many that were.
		else if (this.#first >= SHORTEN_AT && this.#first * 2 >= this.#items.length) {
			this.#items = this.#items.slice(this.#first);
			this.#first = 0;
		}
		return item;
	}

	/** All that wait, which then wait no more. @returns {T[]} */
	takeAll() {
		const items = /** @type {T[]} */ (this.#first === 0 ? this.#items : this.#items.slice(this.#first));
		this.#items = [];
		this.#first = 0;
		return items;
	}
}

/** Shorter lists are left as they are. */
const SHORTEN_AT = 32;
