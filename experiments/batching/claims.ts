/** The claims of "TigerFans: The Single-Worker Paradox", and the lab's own beside them. */

import type { CompareTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { published } from '../../lab/catalog/published.ts';

const { source, runs } = published.batching;
/** Differences that nobody would act on. */
const RATIO_DELTA = 0.05;

const rate = (workers: string) => `${runs[workers].throughput_ops} a second in batches of ${runs[workers].batch_size_mean}`;
const SOURCE_SAYS = [
	{ label: 'one worker', text: rate('1') },
	{ label: 'two', text: rate('2') },
	{ label: 'three', text: rate('3') },
];

const atLeast: (label: string, base: string, other: string, threshold: number, metric: string, published: number | null) => CompareTest = (
	label,
	base,
	other,
	threshold,
	metric,
	value,
) => ({
	kind: 'compare',
	label,
	metric,
	base,
	other,
	wanted: 'at least',
	threshold,
	published: value,
});

const smaller: (label: string, base: string, other: string, value: number) => CompareTest = (label, base, other, value) => ({
	...atLeast(label, base, other, 1 - RATIO_DELTA, 'batch_size_mean', value),
	wanted: 'at most',
});

export const claims: WrittenClaim[] = [
	{
		id: 'B1',
		statement: 'One worker sells at least as many tickets as three.',
		source,
		published: SOURCE_SAYS,
		test: 'One worker gives at least the goodput of three, less delta.',
		delta: '5 %',
		tests: [
			atLeast(
				'goodput, batched-1 over batched-3',
				'batched-3',
				'batched-1',
				1 - RATIO_DELTA,
				'goodput_rps',
				runs['1'].throughput_ops / runs['3'].throughput_ops,
			),
		],
		beside: [
			atLeast(
				'goodput, batched-2 over batched-1',
				'batched-1',
				'batched-2',
				1,
				'goodput_rps',
				runs['2'].throughput_ops / runs['1'].throughput_ops,
			),
		],
		remarks: [
			'In the source two workers sell as much as one (966 and 977 a second); here two sold {beside 1} what one did.',
			'k6 and the workers share the cores here: further workers take CPU from what is around them.',
		],
		shown: ['one worker: {goodput_rps@batched-1}', 'two workers: {goodput_rps@batched-2}', 'three workers: {goodput_rps@batched-3}'],
		quotes: {
			HOLDS: 'One worker completed {test 1} as many sales as three workers.',
			REFUTED: 'One worker sold less than three: {test 1}.',
			INCONCLUSIVE: 'One worker sold {test 1} what three sold: too uncertain to say that it is at least as much.',
		},
	},
	{
		id: 'B2',
		statement: 'The mean batch shrinks as workers are added.',
		source,
		published: SOURCE_SAYS,
		test: 'Two workers have smaller batches than one, and three than two, each by more than delta.',
		delta: '5 %',
		tests: [
			smaller('mean batch, batched-2 over batched-1', 'batched-1', 'batched-2', runs['2'].batch_size_mean / runs['1'].batch_size_mean),
			smaller('mean batch, batched-3 over batched-2', 'batched-2', 'batched-3', runs['3'].batch_size_mean / runs['2'].batch_size_mean),
		],
		remarks: ['With three workers it is {test 2} that of two. 64 users over more workers make smaller batches by arithmetic alone.'],
		shown: [],
		quotes: {
			HOLDS: 'The mean batch shrinks with every worker: with two it is {test 1} that of one.',
			REFUTED:
				'The mean batch does not shrink with every worker: {batch_size_mean@batched-1} tickets with one, {batch_size_mean@batched-2} with two, {batch_size_mean@batched-3} with three.',
			INCONCLUSIVE:
				'The mean batch was {batch_size_mean@batched-1} tickets with one worker, {batch_size_mean@batched-2} with two, {batch_size_mean@batched-3} with three: too uncertain to say that it shrinks.',
		},
	},
	{
		id: 'B3',
		statement: 'Batching beats not batching.',
		source: "the lab's own, beside TigerFans",
		own: true,
		published: [{ label: 'not measured by the source', text: 'all its workers batch' }],
		test: 'With one worker and with three, batches give more goodput than sales one by one, by more than delta.',
		delta: '5 %',
		tests: [
			atLeast('goodput, batched-1 over single-1', 'single-1', 'batched-1', 1 + RATIO_DELTA, 'goodput_rps', null),
			atLeast('goodput, batched-3 over single-3', 'single-3', 'batched-3', 1 + RATIO_DELTA, 'goodput_rps', null),
		],
		remarks: ['Three workers sold {test 2} what they sell one by one.'],
		shown: ['one worker, one by one: {goodput_rps@single-1}', 'three workers, one by one: {goodput_rps@single-3}'],
		quotes: {
			HOLDS: 'Batches pay: one worker sold {test 1} what it sells one by one.',
			REFUTED: 'Batches sold {test 1} what one worker sells one by one, and {test 2} what three do: they do not pay everywhere.',
			INCONCLUSIVE: 'Batches sold {test 1} what one worker sells one by one, and {test 2} what three do: too uncertain to call.',
		},
	},
];
