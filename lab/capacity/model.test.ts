import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throughputOf } from '../stats/usl-fit.ts';
import { LAW, scalePoints } from './fixtures/scale-runs.ts';
import { fitCapacity, holdOut, solveForRate, solveForUsers, stationOf } from './model.ts';

const near: (found: number, wanted: number, within?: number) => void = (found, wanted, within = 1e-9) =>
	assert.ok(Math.abs(found / wanted - 1) <= within, `${found}, not ${wanted}`);

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
	const found = [1, 2, 3].map((users) => solveForUsers(network, users));
	assert.deepEqual(
		found.map(({ users, rps, responseS }) => [users, Number(rps.toFixed(4)), Number(responseS.toFixed(3))]),
		[
			[1, 0.0525, 4.055],
			[2, 0.1031, 4.401],
			[3, 0.1515, 4.8],
		],
	);
});

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

/** A fit takes half a second: several tests ask this one. */
const whole = fitCapacity(scalePoints());

test('the interval holds the law that made the runs, within the data and beyond it, and widens as it leaves them', () => {
	for (const n of [1, 2, 3, 4, 5, 6]) {
		const { estimate, low, high } = whole.at(n);
		assert.ok(low <= throughputOf(LAW, n) && throughputOf(LAW, n) <= high, `${n}: ${low} to ${high}`);
		assert.ok(low <= estimate && estimate <= high);
	}
	const width = (n: number) => (whole.at(n).high - whole.at(n).low) / whole.at(n).estimate;
	assert.ok(width(8) > width(6) && width(6) > width(4));
});

test('the same runs give the same interval, in whatever order it is asked for', () => {
	const other = fitCapacity(scalePoints());
	other.at(8);
	assert.deepEqual(other.at(5), whole.at(5));
	assert.match(other.method, /over 32 runs\. .* median of 8 runs: 1,000 bootstrap samples/);
});

test('a law that misses its points has the wider interval', () => {
	const bent = fitCapacity(scalePoints((n) => throughputOf(LAW, n) * (n === 3 ? 0.85 : 1)));
	const width = ({ at }: ReturnType<typeof fitCapacity>) => at(4).high - at(4).low;
	assert.ok(width(bent) > 1.5 * width(whole));
});

/** @param atFour what the runs with four nodes gave of what the law says */
const checked = (atFour: number = 1) => holdOut(scalePoints((n) => throughputOf(LAW, n) * (n === 4 ? atFour : 1)));
const [within, beside] = [checked(), checked(0.6)];

test('fitted on one to three nodes, the interval holds what was measured with four', () => {
	const { fitted_on: on, n, inside, predicted, measured, sentence } = within;
	assert.deepEqual([on, n, inside], [[1, 2, 3], 4, true]);
	assert.ok(predicted.low <= Number(measured.median) && Number(measured.median) <= predicted.high);
	assert.match(
		sentence,
		/^Fitted on 1 to 3 nodes it predicts \d+ requests a second \(\d+ to \d+\) for 4; measured, .*8 runs: \d+, inside\.$/,
	);
});

test('what goes another way with the fourth is outside, and said to be', () => {
	const { inside, runs_inside: runs, sentence } = beside;
	assert.deepEqual([inside, runs], [false, 0]);
	assert.match(sentence, /, outside\.$/);
});

test('what was measured with the held out number changes nothing of what is predicted for it', () => {
	assert.deepEqual(beside.predicted, within.predicted);
});
