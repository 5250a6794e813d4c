/** Of each call those that were made for it, as they began. */
export class Children {
  /** Where those of a call begin in the row of all; those of the next end it. */
  #first;
  #row;

  /** @param {Int32Array} parents  of each call; -1 of none @param {Int32Array} order  of the calls that count, as they began */
  constructor(parents, order) {
    this.#first = new Int32Array(parents.length + 1);
    for (const call of order) if (parents[call] >= 0) this.#first[parents[call] + 1] += 1;
    for (let call = 0; call < parents.length; call += 1) this.#first[call + 1] += this.#first[call];
    this.#row = new Int32Array(this.#first[parents.length]);
    const next = this.#first.slice();
    for (const call of order) if (parents[call] >= 0) this.#row[next[parents[call]]++] = call;
  }

  /** @param {number} call @returns {number[]} */
  of(call) {
    const own = [];
    for (let at = this.#first[call]; at < this.#first[call + 1]; at += 1) own.push(this.#row[at]);
    return own;
  }
}
