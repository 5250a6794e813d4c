/**
 * Mean value analysis, exact, of a closed network with one class of users: Reiser & Lavenberg, Mean-Value Analysis of Closed Multichain
 * Queuing Networks, J. ACM 27, 1980; in these words, Menascé, Almeida & Dowdy, Performance by Design, 2004, chapter 12. What a user
 * meets at a station is the queue of a network with one user less:
 *
 *   R_i(k) = D_i (1 + Q_i(k - 1)),  X(k) = k / (Z + sum of R_i(k)),  Q_i(k) = X(k) R_i(k)
 *
 * It is exact for networks of product form: exponential service at stations that serve in the order of arrival, any at those that share.
 *
 * @typedef {object} Station
 * @property {number} demandS    service of one request here, seconds
 * @property {number} [delayS]   on top of it, without a queue
 * @property {number} [count]    so many alike, over which requests are spread evenly: demandS is that of each, for all requests
 *
 * @typedef {{ stations: Station[], thinkS: number }} Network
 * @typedef {{ users: number, rps: number, responseS: number }} Solution  responseS: mean, without the thinking
 */

/**
 * A tier with `cores` of CPU as a station. Of several cores a request uses one at a time: Seidmann, Schweitzer & Shalev-Oren,
 * Computerized Closed Queueing Network Models of Flexible Manufacturing Systems, 1987, put a queue with the speed of all of them and
 * a delay for the rest. Below one core it is a single server that is slower.
 * @param {number} cpuS   of a request, seconds
 * @param {number} cores  more than 0
 * @returns {Station}
 */
export function stationOf(cpuS, cores) {
  const servers = Math.max(1, cores);
  return { demandS: cpuS / cores, delayS: (cpuS * (servers - 1)) / servers };
}

/**
 * With one user, two, three, and so on, without end.
 * @param {Network} network
 * @returns {Generator<Solution, never>}
 */
export function* solutionsOf({ stations, thinkS }) {
  const queues = stations.map(() => 0);
  for (let users = 1; ; users += 1) {
    const residences = stations.map(({ demandS }, index) => demandS * (1 + queues[index]));
    const responseS = stations.reduce((total, { delayS = 0, count = 1 }, index) => total + delayS + count * residences[index], 0);
    const rps = users / (thinkS + responseS);
    for (const [index, residence] of residences.entries()) queues[index] = rps * residence;
    yield { users, rps, responseS };
  }
}

/**
 * @param {Network} network
 * @param {number} users  1 or more
 * @returns {Solution}
 */
export function solveForUsers(network, users) {
  for (const solution of solutionsOf(network)) if (solution.users >= users) return solution;
  throw new RangeError('the solutions have no end');
}

/**
 * The least number of users who ask for as many requests a second.
 * @param {Network} network
 * @param {number} rps
 * @param {number} mostS  mean response at which it is given up
 * @returns {Solution | null} null where the network does not bear the rate
 */
export function solveForRate(network, rps, mostS) {
  // As many users as there may be keep a station no more than busy.
  if (network.stations.some(({ demandS }) => rps * demandS >= 1)) return null;
  for (const solution of solutionsOf(network)) {
    if (solution.responseS > mostS) return null;
    if (solution.rps >= rps) return solution;
  }
  throw new RangeError('the solutions have no end');
}
