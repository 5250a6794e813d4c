import assert from 'node:assert/strict';
import { test } from 'node:test';
import { solutionsOf, solveForRate, solveForUsers, stationOf } from './mva.js';

/** @type {(found: number, wanted: number, within?: number) => void} */
const near = (found, wanted, within = 1e-9) => assert.ok(Math.abs(found / wanted - 1) <= within, `${found}, not ${wanted}`);

test('one station with thinking users is the machine repairman, whose closed form it gives (M/M/1//N)', () => {
  const [serviceS, thinkS] = [0.02, 0.5];
  for (const users of [1, 2, 5, 20, 40]) {
    // p0 = 1 / sum of N! / (N - k)! (S / Z)^k, and X = (1 - p0) / S.
    let [term, all] = [1, 1];
    for (let k = 1; k <= users; k += 1) {
      term *= (users - k + 1) * (serviceS / thinkS);
      all += term;
    }
    const rps = (1 - 1 / all) / serviceS;
    const found = solveForUsers({ stations: [{ demandS: serviceS }], thinkS }, users);
    near(found.rps, rps);
    near(found.responseS, users / rps - thinkS);
  }
});

test('a balanced network without thinking gives N / (D (N + M - 1)), as many stations or as one that is counted', () => {
  for (const users of [1, 3, 12]) {
    const wanted = users / (0.05 * (users + 4 - 1));
    near(solveForUsers({ stations: [{ demandS: 0.05, count: 4 }], thinkS: 0 }, users).rps, wanted);
    near(solveForUsers({ stations: Array.from({ length: 4 }, () => ({ demandS: 0.05 })), thinkS: 0 }, users).rps, wanted);
  }
});

test('a CPU and two disks give what the recursion gives by hand', () => {
  // Alone: 0.605 + 2.1 + 1.35 = 4.055 s, X = 1 / 19.055, queues of 0.0318, 0.1102 and 0.0708; and so on.
  const network = { stations: [0.605, 2.1, 1.35].map((demandS) => ({ demandS })), thinkS: 15 };
  const found = [...take(network, 3)];
  assert.deepEqual(
    found.map(({ users, rps, responseS }) => [users, Number(rps.toFixed(4)), Number(responseS.toFixed(3))]),
    [
      [1, 0.0525, 4.055],
      [2, 0.1031, 4.401],
      [3, 0.1515, 4.8],
    ],
  );
});

/** @param {import('./mva.js').Network} network @param {number} number */
function* take(network, number) {
  for (const solution of solutionsOf(network)) {
    yield solution;
    if (solution.users === number) return;
  }
}

test('of several cores a request uses one: alone it takes its CPU time, and all together serve cores over demand', () => {
  const network = { stations: [stationOf(0.01, 3)], thinkS: 0 };
  near(solveForUsers(network, 1).responseS, 0.01);
  near(solveForUsers(network, 2000).rps, 300, 1e-3);
  // Half a core is a server at half the speed.
  near(solveForUsers({ stations: [stationOf(0.01, 0.5)], thinkS: 0 }, 1).responseS, 0.02);
});

test('the users of a rate are the fewest who ask for it, and a rate beyond the slowest station, or too slow, is not borne', () => {
  const network = { stations: [{ demandS: 0.01, count: 2 }, { demandS: 0.004 }], thinkS: 0.1 };
  const found = solveForRate(network, 80, 10);
  assert.ok(found);
  assert.ok(found.rps >= 80 && solveForUsers(network, found.users - 1).rps < 80);
  assert.equal(solveForRate(network, 100, 10), null);
  assert.equal(solveForRate(network, 99.9, 0.1), null);
});
