/** What waits its turn, such as questions in a pipeline: a list whose first is taken off in no time, however long it is. */
export class Queue<T> {
	#items: (T | undefined)[] = [];
	#first = 0;

	get size() {
		return this.#items.length - this.#first;
	}

	get first(): T | undefined {
		return this.#items[this.#first];
	}

	get last(): T | undefined {
		return this.size > 0 ? this.#items[this.#items.length - 1] : undefined;
	}

	/** @param index 0: the last, 1: the one before it */
	fromLast(index: number): T | undefined {
		return index >= 0 && index < this.size ? this.#items[this.#items.length - 1 - index] : undefined;
	}

	push(item: T) {
		this.#items.push(item);
	}

	shift(): T | undefined {
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

	/** All that wait, which then wait no more. */
	takeAll(): T[] {
		const items = (this.#first === 0 ? this.#items : this.#items.slice(this.#first)) as T[];
		this.#items = [];
		this.#first = 0;
		return items;
	}
}

/** Shorter lists are left as they are. */
const SHORTEN_AT = 32;
