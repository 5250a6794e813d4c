/** Gives each question to each of several a number, from 0 on: those of one are in a row by the numbers of the questions, so that none is looked for. */
export class Asked {
  /** @type {Map<unknown, Row>} */
  #rows = new Map();
  count = 0;

  /** @param {unknown} whom  an edge, or a service */
  on(whom) {
    const row = this.#rows.get(whom) ?? new Row(this);
    this.#rows.set(whom, row);
    return row;
  }
}

class Row {
  #asked;
  /** @type {number[]} */
  #numbers = [];

  /** @param {Asked} asked */
  constructor(asked) {
    this.#asked = asked;
  }

  /** @param {number} question */
  numberOf(question) {
    this.#numbers[question] ??= this.#asked.count++;
    return this.#numbers[question];
  }
}
