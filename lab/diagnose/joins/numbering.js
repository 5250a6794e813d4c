/** Gives each pair a number, from 0 on. Millions of calls have few of them, and no text is made of each: to make it and look it up takes four times as long. */
export class Numbering {
  /** @type {Map<unknown, Map<unknown, number>>} */
  #known = new Map();
  #count = 0;

  /** @param {unknown} one @param {unknown} other */
  of(one, other) {
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
