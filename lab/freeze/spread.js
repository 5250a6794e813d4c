/**
 * @template T
 * @param {T[]} list
 * @param {number} most
 * @returns {T[]} at most so many of it, the first and the last among them, as far apart as can be
 */
export function spread(list, most) {
  if (list.length <= most) return list;
  if (most < 2) return list.slice(0, most);
  return Array.from({ length: most }, (_, at) => list[Math.round((at * (list.length - 1)) / (most - 1))]);
}
