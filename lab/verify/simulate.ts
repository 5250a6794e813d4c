/**
 * The command `simulate`: comparisons of known truth by STOP=early. Their runs are made up; order, looks and judgement are those of real ones.
 */

import { EXIT } from '../base/errors.ts';
import { integer } from '../base/format-command.ts';
import type { Reporter } from '../base/progress.ts';
import { judgePlan } from '../compare/experiment/judge.ts';
import { scheduleOf } from '../compare/experiment/read-plan.ts';
import { COMPARE } from '../compare/plan.ts';
import { MEASURED_NOISE, mostBlocks } from '../compare/stopping.ts';
import { ANY_LOOK } from '../stats/any-look.ts';
import { percent } from '../stats/figure-words.ts';
import { sum } from '../stats/numbers.ts';
import { createRandom } from '../stats/random.ts';

/** place: of all runs */
type Draw = (normal: () => number, isOther: boolean, place: number) => number;

const MOST = 100_000;
const RESOLUTION = 2 ** 32;

const WINDOWS = [0, 0];
/** noise: of variance 1. */
const CASES: Record<string, { noise?: Draw; loss?: number; failed?: Draw }> = {
	'no difference': {},
	'heavy tails, failures in one run of six': {
		// Student's t with 3 degrees of freedom.
		noise: (normal) => normal() / Math.hypot(normal(), normal(), normal()),
		failed: (normal) => Math.min(0.3, Math.max(0, normal() - 1)),
	},
	'each run 1 % slower, the second of a repetition 5 %': { noise: (normal, _, place) => normal() - (place + (place % 2) * 5) / 7 },
	'windows of a run for repetitions, each like the one before': {
		// An autoregression by 0.9: what no comparison does.
		noise(normal, isOther, place) {
			const arm = Number(isOther);
			WINDOWS[arm] = place < 2 ? normal() : 0.9 * WINDOWS[arm] + Math.sqrt(0.19) * normal();
			return WINDOWS[arm];
		},
	},
	// 4.7 points: the median noise of the stored comparisons.
	'40 % against 0 % failures': { failed: (normal, isOther) => (isOther ? 0.4 + 0.047 * normal() : 0) },
	'a loss of 10 %': { loss: 0.1 },
};
const ARMS = ['a', '2a'];

export function play(title: string, comparisons: number, seed: number) {
	const { noise = (normal) => normal(), loss = 0, failed = () => 0 } = CASES[title];
	const { below } = createRandom(seed);
	const uniform = () => (below(RESOLUTION) + 1) / RESOLUTION;
	// Box and Muller 1958.
	const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
	const most = mostBlocks(ANY_LOOK, null);
	const settled = {
		...{ id: COMPARE, experiment: COMPARE, load: 'smoke', arms: ARMS.map((id) => ({ id, architecture: id })), pairs: [ARMS] },
		...{ repeats: most, stopping: ANY_LOOK, machine: {}, variables: {}, notes: [], attempts: [] },
	};
	const ends = Array.from({ length: comparisons }, (_, index) => {
		const schedule = scheduleOf(ARMS, most, seed + index);
		const plan = { ...settled, schedule } as any;
		const runs: any[] = [];
		for (const [at, order] of schedule.entries()) {
			for (const arm of order) {
				const [isOther, place] = [arm !== ARMS[0], runs.length];
				const rate = (isOther ? 1 - loss : 1) * Math.exp((noise(normal, isOther, place) * MEASURED_NOISE) / Math.SQRT2);
				const result = resultOf(rate, failed(normal, isOther, place), Math.exp(MEASURED_NOISE * normal()));
				runs.push({ attempt: { arm, block: at + 1, run: '' }, result });
			}
			const [{ comparison }] = judgePlan(plan, runs, { isKept: () => false, hasIndex: false }).comparisons;
			const { word } = comparison.verdict;
			if (word !== 'INCONCLUSIVE') return { blocks: at + 1, word };
		}
		return { blocks: most, word: 'same' };
	});
	const within = (last: number) => ends.filter(({ blocks, word }) => word !== 'same' && blocks <= last).length / comparisons;
	return { title, different: within(most), within5: within(5), blocks: sum(ends.map(({ blocks }) => blocks)) / comparisons, most };
}

function resultOf(rate: number, failure_rate: number, p50: number) {
	const all = { p50, p95: p50, p99: p50 };
	const served = { throughput_rps: rate, goodput_rps: rate * (1 - failure_rate), failures: rate * failure_rate, failure_rate };
	return {
		...{ validity: { verdict: 'VALID', reasons: [], doubts: [] }, metrics: { ...served, latency_ms: { all, ok: all } } },
		...{ ledger: { failures: [], unattributed: 0 }, resources: {}, timeline: [], faults: [] },
	};
}

/** exit code */
export function simulate(comparisons: string, seed: string, reporter: Reporter): number {
	const [number, from] = [integer(1, MOST).parse('comparisons', comparisons), integer(0, MOST).parse('seed', seed)];
	const cases = Object.keys(CASES).map((title) => play(title, number, from));
	for (const { title, different, within5, blocks, most } of cases)
		reporter.tell(`${title}: ${percent(different)} different, ${percent(within5)} in 5 blocks; ${blocks.toFixed(1)} of ${most} blocks\n`);
	reporter.give({ result: { cases } });
	return EXIT.done;
}
