/**
 * Places before which a call of a request is looked for (by-order.js), as columns: there are as many as requests, and in each round others.
 */
export class Places {
  size = 0;
  /** The call that was served. @type {Int32Array} */
  request;
  /** Where the call that is looked for is over; and where at the latest. @type {Float64Array} */
  at;
  /** @type {Float64Array} */
  limit;
  /** Connection of the call that comes next; and that call. -1 before the answer. @type {Int32Array} */
  after;
  /** @type {Int32Array} */
  next;
  /** 1: that call may be another request's. @type {Uint8Array} */
  isDoubted;

  /** @param {number} most */
  constructor(most) {
    [this.request, this.after, this.next] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)];
    [this.at, this.limit] = [new Float64Array(most), new Float64Array(most)];
    this.isDoubted = new Uint8Array(most);
  }

  /** @param {number} request @param {number} at @param {number} limit @param {{ after: number, next: number, isDoubted: number }} behind */
  add(request, at, limit, { after, next, isDoubted }) {
    const place = this.size++;
    this.request[place] = request;
    this.at[place] = at;
    this.limit[place] = limit;
    this.after[place] = after;
    this.next[place] = next;
    this.isDoubted[place] = isDoubted;
  }

  /** Drops the others. @param {(place: number) => boolean} isKept */
  keep(isKept) {
    const { size } = this;
    this.size = 0;
    for (let place = 0; place < size; place += 1)
      if (isKept(place)) {
        const [after, next, isDoubted] = [this.after[place], this.next[place], this.isDoubted[place]];
        this.add(this.request[place], this.at[place], this.limit[place], { after, next, isDoubted });
      }
  }

  clear() {
    this.size = 0;
  }
}
