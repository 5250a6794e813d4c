/**
 * Rows of a record as columns, of which each row is a view. A run has hundreds of thousands of them; as objects of their own they take twice the
 * memory, and a collector goes through all that again and again.
 *
 * @typedef {{ texts: any[], templates: string[] }} Book  by their numbers; a text of the number 0 is none. Templates are known at the
 *   record's end
 */

/** Rows whose columns are made at a time. */
export const TOGETHER = 16_384;

/** Columns of rows of one kind. @template {{ size: number }} Columns  size: rows that they have */
export class Blocks {
  #make;
  /** @type {Columns | null} */
  #last = null;

  /** @param {() => Columns} make */
  constructor(make) {
    this.#make = make;
  }

  /** @returns {Columns} with room for one more */
  open() {
    if (this.#last === null || this.#last.size === TOGETHER) this.#last = this.#make();
    return this.#last;
  }
}

/** @param {number} at  none that is a number of what has no such time */
export const timeOf = (at) => (Number.isNaN(at) ? null : at);
