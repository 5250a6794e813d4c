/**
 * Calls in the order of a time of theirs; of those alike, as they were. A run has hundreds of thousands, nearly evenly over its time: dealt to as
 * many slots of time as there are calls, few share one, and to compare them in pairs takes several times as long.
 */

/** More are compared by a sort of their own: a burst may have all. */
const FEW = 16;

/** @param {ArrayLike<number>} calls @param {ArrayLike<number>} times  of each call by its number, none endless @returns {Int32Array} */
export function inOrder(calls, times) {
  const size = calls.length;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let place = 0; place < size; place += 1) {
    first = Math.min(first, times[calls[place]]);
    last = Math.max(last, times[calls[place]]);
  }
  const scale = last > first ? (size - 1) / (last - first) : 0;
  const slotOf = (/** @type {number} */ call) => Math.floor((times[call] - first) * scale);
  const ends = new Int32Array(size + 1);
  for (let place = 0; place < size; place += 1) ends[slotOf(calls[place]) + 1] += 1;
  for (let slot = 0; slot < size; slot += 1) ends[slot + 1] += ends[slot];
  const [order, next] = [new Int32Array(size), ends.slice()];
  for (let place = 0; place < size; place += 1) order[next[slotOf(calls[place])]++] = calls[place];
  for (let slot = 0; slot < size; slot += 1) sortSlot(order, ends[slot], ends[slot + 1], times);
  return order;
}

/** In a loop: a typed array's own filter takes several times as long. @param {Int32Array} order @param {(call: number) => boolean} isSuch @returns {Int32Array} those that are, in that order */
export function those(order, isSuch) {
  const kept = new Int32Array(order.length);
  let count = 0;
  for (let place = 0; place < order.length; place += 1) if (isSuch(order[place])) kept[count++] = order[place];
  return kept.slice(0, count);
}

/** @param {Int32Array} order  is changed @param {number} from @param {number} to @param {ArrayLike<number>} times */
function sortSlot(order, from, to, times) {
  if (to - from > FEW) {
    // It keeps those that are alike as they were (ECMA-262, %TypedArray%.prototype.sort).
    order.subarray(from, to).sort((one, other) => times[one] - times[other]);
    return;
  }
  for (let place = from + 1; place < to; place += 1) {
    const call = order[place];
    let at = place;
    for (; at > from && times[order[at - 1]] > times[call]; at -= 1) order[at] = order[at - 1];
    order[at] = call;
  }
}
