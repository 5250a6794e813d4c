/**
 * Which runs of an experiment count: those that are not INVALID, one for each arm and block, and for a pair only the
 * blocks in which both arms have one.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../plan.js').Attempt} Attempt
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {{ attempt: Attempt, result: Result }} Run
 */

/**
 * @param {Run[]} runs of the experiment
 * @param {string} arm
 * @returns {Map<number, Run>} by block
 */
export function countingRuns(runs, arm) {
  const valid = runs.filter(({ attempt, result }) => attempt.arm === arm && result.validity.verdict !== 'INVALID');
  // The last one, should a block ever have two.
  return new Map(valid.map((run) => [run.attempt.block, run]));
}

/**
 * @param {Run[]} runs
 * @param {string} base
 * @param {string} other
 * @returns {{ block: number, base: Run, other: Run }[]} the blocks in which both count, in order
 */
export function pairsOf(runs, base, other) {
  const [bases, others] = [countingRuns(runs, base), countingRuns(runs, other)];
  return [...bases]
    .flatMap(([block, run]) => {
      const partner = others.get(block);
      return partner ? [{ block, base: run, other: partner }] : [];
    })
    .sort((one, another) => one.block - another.block);
}

/**
 * The runs of two arms that are held against each other. Block by block; a baseline, measured at another time, has no
 * blocks in common with anything, so that all its runs stand against all of the other arm.
 * @param {Plan} plan
 * @param {Run[]} runs
 * @param {string} base
 * @param {string} other
 * @returns {{ base: Run[], other: Run[], paired: boolean, complete: number }} complete: blocks, or runs of the arm with fewer
 */
export function samplesOf(plan, runs, base, other) {
  if (plan.baseline?.arm === base) {
    const [bases, others] = [[...countingRuns(runs, base).values()], [...countingRuns(runs, other).values()]];
    return { base: bases, other: others, paired: false, complete: Math.min(bases.length, others.length) };
  }
  const pairs = pairsOf(runs, base, other);
  return { base: pairs.map((pair) => pair.base), other: pairs.map((pair) => pair.other), paired: true, complete: pairs.length };
}

/**
 * @param {Run[]} runs
 * @param {string[]} arms
 * @returns {{ arm: string, block: number, reasons: string[] }[]} INVALID runs
 */
export const leftOut = (runs, arms) =>
  runs
    .filter(({ attempt, result }) => arms.includes(attempt.arm) && result.validity.verdict === 'INVALID')
    .map(({ attempt, result }) => ({ arm: attempt.arm, block: attempt.block, reasons: result.validity.reasons }));
