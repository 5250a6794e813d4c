/**
 * Joins moments into times: those at most `gapS` apart belong together, and each reaches a little beyond its ends.
 * @param {number[]} moments in order
 * @param {{ gapS: number, beforeS: number, afterS: number }} reach
 */
export function episodes(moments, { gapS, beforeS, afterS }) {
  /** @type {{ from: number, to: number }[]} */
  const times = [];
  for (const moment of moments) {
    const last = times.at(-1);
    if (last && moment - last.to <= gapS) last.to = moment;
    else times.push({ from: moment, to: moment });
  }
  return times.map(({ from, to }) => ({ from: from - beforeS, to: to + afterS }));
}
