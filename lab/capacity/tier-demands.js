/**
 * What a good request costs each tier, and how that changes with the number of nodes: D = U / X, the service demand law (Denning &
 * Buzen, The Operational Analysis of Queueing Network Models, 1978), over the whole load.
 *
 * @typedef {import('../record/capacity-plan.js').Basis} Basis
 * @typedef {import('../record/capacity-plan.js').DemandRow} DemandRow
 */
import { median, rangeOf, sum } from '../stats/numbers.js';

/** The tier whose number is planned. */
export const NODES = 'app';

/**
 * @param {import('./readings.js').NumberOfNodes[]} points  of which all CPU is known
 * @returns {DemandRow[]} tier by tier, each by the number of nodes
 */
export function demandRows(points) {
  const tiers = [...new Set(points.flatMap(({ readings }) => readings.flatMap((reading) => Object.keys(reading.tiers))))];
  return tiers.flatMap((tier) =>
    points.map(({ n, readings }) => {
      const own = readings.map((reading) => ({ rps: reading.rps, used: Number(reading.tiers[tier].used) }));
      const { number, cores } = readings[0].tiers[tier];
      return {
        tier,
        n,
        number,
        cores: Number(cores),
        demand_ms: rangeOf(own.map(({ rps, used }) => (used * 1000) / rps)),
        busy: rangeOf(own.map(({ used }) => used / Number(cores))),
      };
    }),
  );
}

/**
 * The demand of a tier with any number of nodes: the median where it was measured, else on the straight line through the medians.
 * Beyond the data a demand that grows goes on growing, and one that falls stays: nobody knows how long it would.
 * @param {DemandRow[]} rows  of one tier
 * @param {number} n
 * @returns {{ ms: number, basis: Basis }}
 */
export function demandAt(rows, n) {
  const found = rows.find((row) => row.n === n);
  if (found) return { ms: Number(found.demand_ms.median), basis: 'measured' };
  const last = rows[rows.length - 1];
  const onLine = lineThrough(rows.map((row) => ({ x: row.n, y: Number(row.demand_ms.median) })))(n);
  if (n < last.n) return { ms: onLine, basis: 'fitted' };
  return { ms: Math.max(onLine, Number(last.demand_ms.median)), basis: 'extrapolated' };
}

/** Least squares. @param {{ x: number, y: number }[]} points of which the x differ @returns {(x: number) => number} */
function lineThrough(points) {
  const [middleX, middleY] = [sum(points.map(({ x }) => x)) / points.length, sum(points.map(({ y }) => y)) / points.length];
  const slope = sum(points.map(({ x, y }) => (x - middleX) * (y - middleY))) / sum(points.map(({ x }) => (x - middleX) ** 2));
  return (x) => middleY + slope * (x - middleX);
}

/** The share of its CPU that a tier was measured with at most, as a median. @param {DemandRow[]} rows of one tier */
export const busiestOf = (rows) => Math.max(...rows.map(({ busy }) => Number(busy.median)));

/** p95 over mean of the good answers, over all runs. @param {import('./readings.js').NumberOfNodes[]} points */
export const p95OverMean = (points) =>
  rangeOf(
    points.flatMap(({ readings }) => readings.map(({ p95Ms, meanMs }) => (p95Ms === null || meanMs === null ? null : p95Ms / meanMs))),
  );

/** @param {import('./readings.js').NumberOfNodes} point @returns {number | null} median of the runs' mean latency */
export const meanMsOf = ({ readings }) => median(readings.map(({ meanMs }) => meanMs));
