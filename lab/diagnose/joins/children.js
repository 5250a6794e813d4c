/** Of each call those that were made for it, as they began. Loops by numbers: an iterator makes an object for each of hundreds of thousands. */
export class Children {
  /** Where those of a call begin in the row of all; those of the next end it. */
  #first;
  #row;

  /** @param {Int32Array} parents  of each call; -1 of none @param {Int32Array} order  of the calls that count, as they began */
  constructor(parents, order) {
    this.#first = new Int32Array(parents.length + 1);
    for (let place = 0; place < order.length; place += 1) if (parents[order[place]] >= 0) this.#first[parents[order[place]] + 1] += 1;
    for (let call = 0; call < parents.length; call += 1) this.#first[call + 1] += this.#first[call];
    this.#row = new Int32Array(this.#first[parents.length]);
    const next = this.#first.slice();
    for (let place = 0; place < order.length; place += 1) {
      const call = order[place];
      if (parents[call] >= 0) this.#row[next[parents[call]]++] = call;
    }
  }

  /** How many. @param {number} call */
  countOf(call) {
    return this.#first[call + 1] - this.#first[call];
  }

  /** One of them. @param {number} call @param {number} place */
  at(call, place) {
    return this.#row[this.#first[call] + place];
  }

  /** @param {number} call @returns {number[]} */
  of(call) {
    const own = [];
    for (let at = this.#first[call]; at < this.#first[call + 1]; at += 1) own.push(this.#row[at]);
    return own;
  }
}
