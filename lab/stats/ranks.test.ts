import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustHolm } from './holm.ts';
import { comparePaired } from './paired.ts';
import type { Compared } from './ranks.ts';
import { compareUnpaired } from './unpaired.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);

/** Of each set of so many things. */
const subsets = (n: number): boolean[][] => Array.from({ length: 2 ** n }, (_, set) => upTo(n).map((at) => ((set >> (at - 1)) & 1) === 1));

/**
 * Twice the smaller tail, counted out, and never above 1.
 * @param sums of all that are equally likely
 */
const countedP = (sums: number[], observed: number) => {
	const atMost = sums.filter((sum) => sum <= observed).length;
	const atLeast = sums.filter((sum) => sum >= observed).length;
	return Math.min(1, (2 * Math.min(atMost, atLeast)) / sums.length);
};

/** Sizes of differences, and their ranks, doubled: from 1 upwards, and ties share the mean of theirs. */
const RANKED: [number[], number[]][] = [
	[
		[30, 10, 20],
		[6, 2, 4],
	],
	[
		[5, 5, 1, 9, 5],
		[6, 6, 2, 10, 6],
	],
];

test('of pairs every pattern of signs counts once', () => {
	for (const [sizes, ranks] of RANKED) {
		const patterns = subsets(sizes.length);
		const sumOf = (pattern: boolean[]) => total(ranks.filter((_, index) => pattern[index]));
		const sums = patterns.map(sumOf);
		for (const pattern of patterns) {
			const other = sizes.map((size, index) => (pattern[index] ? size : -size));
			const found = comparePaired(new Array(sizes.length).fill(0), other, 'difference');
			assertClose(found, { p: countedP(sums, sumOf(pattern)), effect: (2 * sumOf(pattern)) / total(ranks) - 1 });
		}
	}
});

test('of arms that were measured apart every choice counts once', () => {
	for (const [values, ranks] of RANKED)
		for (const chosen of upTo(values.length - 1)) {
			const choices = subsets(values.length).filter((choice) => choice.filter(Boolean).length === chosen);
			const sumOf = (choice: boolean[]) => total(ranks.filter((_, index) => choice[index]));
			const sums = choices.map(sumOf);
			for (const choice of choices) {
				const after = values.filter((_, index) => choice[index]);
				const before = values.filter((_, index) => !choice[index]);
				assertClose(compareUnpaired(before, after, 'difference'), { p: countedP(sums, sumOf(choice)) });
			}
		}
});

test('what an interval leaves out is what R leaves out', () => {
	// Differences of which no two averages are the same: each of two, and each with itself.
	const paired = (n: number) => {
		const differences = upTo(n).map((at) => 2 ** at);
		const averages = differences.flatMap((one, index) => differences.slice(index).map((other) => (one + other) / 2));
		const { low, high } = comparePaired(new Array(n).fill(0), differences, 'difference');
		return leftOut(averages, low, high);
	};
	// R 4.2.2: qsignrank(0.025, 5:20), of which the first one left out at 0 means that there is no interval.
	const quantiles = [0, 1, 3, 4, 6, 9, 11, 14, 18, 22, 26, 30, 35, 41, 47, 53];
	assert.deepEqual(
		quantiles.map((_, index) => paired(index + 5)),
		quantiles.map((quantile) => (quantile === 0 ? null : quantile - 1)),
	);
	const unpaired = (n: number) => {
		const after = upTo(n).map((at) => 100 * at);
		const { low, high } = compareUnpaired(upTo(8), after, 'difference');
		const differences = after.flatMap((to) => upTo(8).map((from) => to - from));
		return leftOut(differences, low, high);
	};
	// R 4.2.2: qwilcox(0.025, 8, 3:10).
	const others = upTo(8).map((index) => index + 2);
	assert.deepEqual(
		others.map(unpaired),
		[3, 5, 7, 9, 11, 14, 16, 18].map((quantile) => quantile - 1),
	);
});

/** How many lie outside at either end. */
function leftOut(values: number[], low: number | null, high: number | null) {
	if (low === null || high === null) return null;
	const below = values.filter((value) => value < low).length;
	assert.equal(values.filter((value) => value > high).length, below);
	return below;
}

function assertClose(found: Compared, wanted: Record<string, number | null>, within: number = 1e-9) {
	for (const [name, figure] of Object.entries(wanted)) {
		const value = found[name as keyof Compared];
		if (figure === null || value === null) assert.equal(value, figure, name);
		else assert.ok(Math.abs(value - figure) < within, `${name}: ${value}, not ${figure}`);
	}
}

// Depression scale of nine patients before and after, Hollander and Wolfe 1973, page 29: the example of R's ?wilcox.test.
const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];

const base = [412.1, 398.4, 405.0, 420.7, 399.9, 401.2, 415.5, 408.8];
const other = [455.0, 431.2, 450.1, 447.7, 436.0, 399.1, 460.3, 452.9];

test('a difference is the one of the textbook', () => {
	// R 4.2.2: wilcox.test(before, after, paired = TRUE, exact = TRUE, conf.int = TRUE): V = 40; (40 - 5) / 45 is Kerby's r.
	assertClose(comparePaired(after, before, 'difference'), {
		n: 9,
		estimate: 0.46,
		low: 0.01,
		high: 0.786,
		p: 0.0390625,
		effect: 35 / 45,
	});
});

test('a ratio is the difference of the logarithms', () => {
	// R 4.2.2: wilcox.test(log(before), log(after), paired = TRUE, exact = TRUE, conf.int = TRUE): V = 39; exp() of the figures.
	assertClose(comparePaired(after, before, 'ratio'), {
		n: 9,
		estimate: Math.exp(0.32547182615888),
		low: Math.exp(-0.00904291893098),
		high: Math.exp(0.68661011637204),
		p: 0.0546875,
		effect: 33 / 45,
	});
	// R 4.2.2: w <- wilcox.test(log(other), log(base), paired = TRUE, exact = TRUE, conf.int = TRUE); exp(c(w$estimate, w$conf.int)).
	assertClose(comparePaired(base, other, 'ratio'), {
		n: 8,
		estimate: 1.0917157949,
		low: 1.04142486891,
		high: 1.10787671233,
		p: 0.015625,
		effect: 34 / 36,
	});
});

test('zeros and ties are counted exactly', () => {
	// SciPy 1.17.1: permutation_test((other - base,), lambda d: sum(rankdata(abs(d)) * (d > 0)), permutation_type='samples',
	// n_resamples=inf), differences rounded to 13 digits: 23.5 of 36, p = 0.3125. The interval: all 36 Walsh averages listed, the
	// fourth from either end, qsignrank(0.025, 8) being 4 in R 4.2.2.
	const failing = [0, 0, 0.02, 0, 0.01, 0, 0.03, 0.01];
	const failingToo = [0, 0.01, 0.02, 0.01, 0.03, 0, 0.01, 0.04];
	assertClose(comparePaired(failing, failingToo, 'difference'), {
		n: 8,
		estimate: 0.005,
		low: -0.01,
		high: 0.02,
		p: 0.3125,
		effect: 17 / 36,
	});
	// The same call gives p = 0.64453125 for the paired example of Wikipedia's "Wilcoxon signed-rank test", which holds a zero; without
	// it the rank sums are 27 and 18, and (27 - 18) / 45 = 0.2.
	const first = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145];
	const second = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135];
	assertClose(comparePaired(first, second, 'difference'), { n: 10, effect: 10 / 55, p: 0.64453125 });
	assertClose(comparePaired(first.toSpliced(4, 1), second.toSpliced(4, 1), 'difference'), { n: 9, effect: 0.2 });
});

test('six blocks that differ and two that do not are a finding, and p and interval agree on it', () => {
	const found = comparePaired([0, 0, 0, 0, 0, 0, 0, 0], [0.1, 0.2, 0, 0.3, 0.4, 0, 0.5, 0.6], 'difference');
	// The eight signs of the six differences that have one: 2 / 2^6.
	assertClose(found, { n: 8, estimate: 0.25, low: 0.05, high: 0.5, p: 2 / 64, effect: 33 / 36 });
});

test('the same figure in every block is no difference, and certainly none', () => {
	const zeros = [0, 0, 0, 0, 0, 0, 0, 0];
	assert.deepEqual(comparePaired(zeros, zeros, 'difference'), { n: 8, estimate: 0, low: 0, high: 0, p: 1, effect: 0 });
	assert.deepEqual(comparePaired(base, base, 'ratio'), { n: 8, estimate: 1, low: 1, high: 1, p: 1, effect: 0 });
});

test('with fewer than six pairs there is no interval, and with none nothing', () => {
	assertClose(comparePaired(base.slice(0, 5), other.slice(0, 5), 'ratio'), {
		n: 5,
		estimate: 1.0902725681420773,
		low: null,
		high: null,
		p: 2 / 32,
		effect: 1,
	});
	const six = comparePaired(base.slice(0, 6), other.slice(0, 6), 'ratio');
	// The range of all 21 Walsh averages: qsignrank(0.025, 6) is 1 in R 4.2.2.
	assertClose(six, { n: 6, low: 399.1 / 401.2, high: 450.1 / 405, p: 0.0625 });
	assert.deepEqual(comparePaired([], [], 'ratio'), { n: 0, estimate: null, low: null, high: null, p: null, effect: null });
	assert.equal(comparePaired([1], [2], 'ratio').p, 1);
});

test('a pair without a figure, or a ratio of nothing, does not count', () => {
	const found = comparePaired([0, null, 5, ...base], [3, 4, Number.NaN, ...other], 'ratio');
	assert.deepEqual(found, comparePaired(base, other, 'ratio'));
	assert.equal(comparePaired([0, null, 5], [3, 4, -1], 'difference').n, 2);
	assert.throws(() => comparePaired([1, 2], [1], 'ratio'), RangeError);
});

test('who is called base turns the finding round, and a unit changes nothing of a ratio', () => {
	const there = comparePaired(base, other, 'ratio');
	const back = comparePaired(other, base, 'ratio');
	assertClose(back, {
		estimate: 1 / Number(there.estimate),
		low: 1 / Number(there.high),
		high: 1 / Number(there.low),
		p: there.p,
		effect: -Number(there.effect),
	});
	const perMinute = (value: number) => value * 60;
	assertClose(comparePaired(base.map(perMinute), other.map(perMinute), 'ratio'), { ...there });
});

test('differences that only rounding tells apart are tied', () => {
	// 0.3 - 0.1 is 0.19999999999999998, and 0.2 - 0 is 0.2: with other ranks p would be another one.
	const found = comparePaired([0.1, 0.2, 0], [0.3, 0, 0.2], 'difference');
	assertClose(found, { effect: 2 / 6, p: 1 });
});

test('every two differences are averaged once, and each with itself', () => {
	// 0, 1, 2, 2, 3, 4; and 0, 1, 2, 4, 5, 8.
	assert.equal(comparePaired([0, 0, 0], [4, 0, 2], 'difference').estimate, 2);
	assert.equal(comparePaired([0, 0, 0], [8, 0, 2], 'difference').estimate, 3);
});

function unpairedAssertClose(found: Compared, wanted: Record<string, number | null>) {
	for (const [name, figure] of Object.entries(wanted)) {
		const value = found[name as keyof Compared];
		if (figure === null || value === null) assert.equal(value, figure, name);
		else assert.ok(Math.abs(value - figure) < 1e-9, `${name}: ${value}, not ${figure}`);
	}
}

// Permeability of a membrane at term and before, Hollander and Wolfe 1973, page 69: the other example of R's ?wilcox.test.
const atTerm = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
const earlier = [1.15, 0.88, 0.9, 0.74, 1.21];

const unpairedOther = [455.0, 431.2, 450.1, 447.7, 436.0, 399.1];

test('a shift is the one of the textbook', () => {
	// R 4.2.2: wilcox.test(atTerm, earlier, exact = TRUE, conf.int = TRUE): W = 35 of 50 pairs, of which Cliff's delta is 2 * 35 / 50 - 1.
	unpairedAssertClose(compareUnpaired(earlier, atTerm, 'difference'), {
		n: 5,
		estimate: 0.305,
		low: -0.15,
		high: 0.76,
		p: 0.2544122544122544,
		effect: 0.4,
	});
});

test('a ratio is the shift of the logarithms', () => {
	// R 4.2.2: w <- wilcox.test(log(other), log(base), exact = TRUE, conf.int = TRUE); exp(c(w$estimate, w$conf.int)): W = 41.
	unpairedAssertClose(compareUnpaired(base, unpairedOther, 'ratio'), {
		n: 6,
		estimate: 1.081929975978,
		low: 1.024958402662,
		high: 1.11952988247,
		p: 0.029304029304029304,
		effect: 34 / 48,
	});
});

test('ties are counted exactly', () => {
	// SciPy 1.17.1: permutation_test((other, base), lambda a, b: rankdata(concatenate([a, b]))[:len(a)].sum(),
	// permutation_type='independent', n_resamples=inf): 49, p = 0.7385947385947386. The interval: all 48 differences listed, the ninth
	// from either end, qwilcox(0.025, 8, 6) being 9 in R 4.2.2.
	const failing = [0, 0, 0.02, 0, 0.01, 0, 0.03, 0.01];
	const failingToo = [0, 0.01, 0.02, 0.01, 0.03, 0];
	unpairedAssertClose(compareUnpaired(failing, failingToo, 'difference'), {
		n: 6,
		estimate: 0,
		low: -0.01,
		high: 0.02,
		p: 0.7385947385947386,
		effect: 8 / 48,
	});
});

test('the same figures everywhere are no difference', () => {
	assert.deepEqual(compareUnpaired([0, 0, 0, 0], [0, 0, 0, 0, 0], 'difference'), { n: 4, estimate: 0, low: 0, high: 0, p: 1, effect: 0 });
});

test('few figures give no interval, and none nothing', () => {
	unpairedAssertClose(compareUnpaired([1, 2, 3], [11, 12, 13], 'difference'), {
		n: 3,
		estimate: 10,
		low: null,
		high: null,
		p: 0.1,
		effect: 1,
	});
	// With four of each, 1 of the 70 choices lies at either end: 1 - 2/70 is 97 %.
	unpairedAssertClose(compareUnpaired([1, 2, 3, 4], [11, 12, 13, 14], 'difference'), { low: 7, high: 13, p: 2 / 70 });
	assert.deepEqual(compareUnpaired([], [1], 'ratio'), { n: 0, estimate: null, low: null, high: null, p: null, effect: null });
});

test('what is missing, or has no ratio, does not count', () => {
	assert.deepEqual(compareUnpaired([0, null, ...base], [...unpairedOther, -1], 'ratio'), compareUnpaired(base, unpairedOther, 'ratio'));
});

const rounded = (values: (number | null)[]) => values.map((value) => value && Number(value.toFixed(6)));

test('the adjusted figures are those of R, in the order in which they came', () => {
	// R 4.2.2: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
	assert.deepEqual(rounded(adjustHolm([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02]);
	// R 4.2.2: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
	assert.deepEqual(rounded(adjustHolm([0.01, 0.02, 0.03, 0.04, 0.05])), [0.05, 0.08, 0.09, 0.09, 0.09]);
});

test('the example of ?p.adjust comes out as it does there', () => {
	// R 4.2.2: set.seed(123); x <- rnorm(50, mean = c(rep(0, 25), rep(3, 25))); p <- 2 * pnorm(sort(-abs(x))); the first and some later
	// ones of round(p, 6) and of round(p.adjust(p, "holm"), 6). All that are left out are above the last one.
	const p = [
		0, 0.000021, 0.000026, 0.000098, 0.000105, 0.000124, 0.000133, 0.000157, 0.000225, 0.00038, 0.000611, 0.001614, 0.003302, 0.003538,
		0.005237, 0.006832, 0.007059, 0.008805, 0.009401, 0.011298, 0.02115, 0.049227,
	];
	const adjusted = [
		0.000012, 0.00103, 0.001237, 0.004613, 0.004842, 0.005587, 0.005834, 0.006745, 0.009469, 0.015561, 0.02446, 0.062944, 0.125492,
		0.130919, 0.188532, 0.239117, 0.240014, 0.290569, 0.300833, 0.350237, 0.634505, 1,
	];
	const found = adjustHolm([...p, ...new Array(28).fill(0.5)]);
	// p is known to six digits only, and is multiplied by up to 50.
	adjusted.forEach((value, index) => {
		assert.ok(Math.abs(Number(found[index]) - value) < 50 * 5e-7, `${found[index]}, not ${value}`);
	});
});

test('a question that could not be asked does not count and stays unanswered', () => {
	assert.deepEqual(adjustHolm([null, 0.02, null, 0.5]), [null, 0.04, null, 0.5]);
	assert.deepEqual(adjustHolm([null]), [null]);
	assert.deepEqual(adjustHolm([]), []);
});

test('nothing is adjusted above 1, and equal figures stay equal', () => {
	assert.deepEqual(adjustHolm([0.9, 0.9, 0.6]), [1, 1, 1]);
	assert.deepEqual(adjustHolm([0.02, 0.02, 0.02]), [0.06, 0.06, 0.06]);
});
