/**
 * Ids that calls carry, as numbers: each is looked up once for all services that it passes, and who served it stands at its place.
 */

/** Of a call that carries none. */
export const UNMARKED = 0;

/** Gives each mark a number. */
export class Marks {
  /** @type {Map<string, number>} */
  #known = new Map();

  /** Numbers that there may be. */
  get size() {
    return this.#known.size + 1;
  }

  /** @param {string | undefined} mark */
  of(mark) {
    if (!mark) return UNMARKED;
    let number = this.#known.get(mark);
    if (number === undefined) {
      number = this.size;
      this.#known.set(mark, number);
    }
    return number;
  }
}

/** Calls that a service served, by their marks. Most marks are of one call alone. */
export class Served {
  #first;
  /** @type {Map<number, number[]>} */
  #several = new Map();

  /** @param {number} marks  that there may be */
  constructor(marks) {
    this.#first = new Int32Array(marks).fill(-1);
  }

  /** @param {number} mark @param {number} call */
  add(mark, call) {
    if (mark === UNMARKED) return;
    const first = this.#first[mark];
    if (first < 0) {
      this.#first[mark] = call;
      return;
    }
    const own = this.#several.get(mark);
    if (own) own.push(call);
    else this.#several.set(mark, [first, call]);
  }

  /** @param {number} mark @returns {boolean} whether any has it */
  has(mark) {
    return mark !== UNMARKED && this.#first[mark] >= 0;
  }

  /** @param {number} mark  that one has @returns {number | number[]} the call, or several as they were added */
  of(mark) {
    return this.#several.get(mark) ?? this.#first[mark];
  }
}
