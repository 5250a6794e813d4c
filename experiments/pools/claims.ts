/** The claims of the Server example in Piscina's documentation, and the case that it leaves out. */

import type { CompareTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { published } from '../../lab/catalog/published.ts';

const { source, runs } = published.pools;
/** Differences that nobody would act on. */
const RATIO_DELTA = 0.05;
/** "Within 10 %". */
const NEAR = 0.9;
/** Threads of the pool in every pooled variant. */
const THREADS = 6;
/** Of the number of cores that a pool may fall short of: the load and the main thread need some of them. */
const CORES_SHARE = 0.75;

const rate = (variant: string) => runs[variant].throughput_rps;

const goodput: (base: string, other: string, wanted: 'at least' | 'at most', threshold: number, known?: boolean) => CompareTest = (
	base,
	other,
	wanted,
	threshold,
	known = true,
) => ({
	kind: 'compare',
	label: `goodput, ${other} over ${base}`,
	metric: 'goodput_rps',
	base,
	other,
	wanted,
	threshold,
	published: known ? rate(other) / rate(base) : null,
});

const figures = (...variants: string[]) => variants.map((variant) => ({ label: variant, text: `${rate(variant)} requests a second` }));

const ofEveryMachine: WrittenClaim[] = [
	{
		id: 'P1',
		statement: 'For asynchronous work a worker pool lowers throughput.',
		source,
		published: figures('async-unpooled', 'async-pooled'),
		test: 'With the pool asynchronous work has less goodput than without, by more than delta.',
		delta: '5 %',
		tests: [goodput('async-unpooled', 'async-pooled', 'at most', 1 - RATIO_DELTA)],
		remarks: ['Six of ten connections are 0.60: that is the bound, and not a cost of handing work over.'],
		shown: [],
		quotes: {
			HOLDS:
				'A pool of six threads lowers throughput. For work that only waits, throughput with the pool was {test 1} the throughput without a pool.',
			REFUTED: 'With a pool of six threads work that only waits had {test 1} the throughput without the pool: the pool cost nothing.',
			INCONCLUSIVE: 'With a pool of six threads work that only waits had {test 1} the throughput without the pool: too uncertain to call.',
		},
	},
	{
		id: 'P2',
		statement: 'For synchronous work it raises throughput.',
		source,
		published: figures('sync-unpooled', 'sync-pooled'),
		test: 'With the pool synchronous work has more goodput than without, by more than delta.',
		delta: '5 %',
		tests: [goodput('sync-unpooled', 'sync-pooled', 'at least', 1 + RATIO_DELTA)],
		shown: [],
		quotes: {
			HOLDS: 'Work that blocks its thread went {test 1} as fast in a pool of six threads.',
			REFUTED: 'Work that blocks its thread went {test 1} as fast in a pool of six threads: no faster than without.',
			INCONCLUSIVE: 'Work that blocks its thread went {test 1} as fast in a pool of six threads: too uncertain to call.',
		},
	},
	{
		id: 'P3',
		statement: 'Tuned, the pool comes within 10 % of no pool for asynchronous work.',
		source,
		published: figures('async-unpooled', 'async-pooled-tuned'),
		test: 'With ten tasks to a thread, asynchronous work in the pool has at least 90 % of the goodput that it has without.',
		delta: 'none: 10 % is what is claimed',
		tests: [goodput('async-unpooled', 'async-pooled-tuned', 'at least', NEAR)],
		shown: ['untuned: {goodput_rps@async-pooled}'],
		quotes: {
			HOLDS: 'With ten tasks to a thread the pool gives {test 1} the throughput of no pool.',
			REFUTED: 'Even with ten tasks to a thread the pool gives only {test 1} the throughput of no pool.',
			INCONCLUSIVE: 'With ten tasks to a thread the pool gives {test 1} the throughput of no pool: too near to 90 % to call.',
		},
	},
	{
		id: 'P4',
		statement: 'Tuning has no noticeable impact on synchronous work.',
		source,
		published: figures('sync-pooled', 'sync-pooled-tuned'),
		test: 'The tuned pool gives synchronous work the goodput of the untuned one, within delta on either side.',
		delta: '5 % either side',
		tests: [
			goodput('sync-pooled', 'sync-pooled-tuned', 'at least', 1 - RATIO_DELTA),
			{ ...goodput('sync-pooled', 'sync-pooled-tuned', 'at most', 1 + RATIO_DELTA), label: 'the same, from above' },
		],
		changed:
			'It was tested on one side ("does not help"), so that a loss to a sixth counted as no help; the source says "no noticeable impact", which has two sides.',
		remarks: [
			'With all its threads started at once the tuned pool gives {goodput_rps@sync-pooled-tuned-started}, the untuned one {goodput_rps@sync-pooled}.',
			'Piscina 5 was measured, which gives a task to a thread that has room before it starts another one. No earlier version was, so that the author may have measured one that does otherwise.',
		],
		shown: [
			'untuned: {goodput_rps@sync-pooled}',
			'tuned: {goodput_rps@sync-pooled-tuned}',
			'tuned, with all threads started at once: {goodput_rps@sync-pooled-tuned-started}',
		],
		quotes: {
			HOLDS:
				'Tuned, the pool gives blocking work {test 1} the throughput of the untuned one: extra tasks queued on a blocked thread just wait.',
			REFUTED: 'Tuning does change blocking work: the tuned pool gives {test 1} the throughput of the untuned one.',
			INCONCLUSIVE: 'Tuned, the pool gives blocking work {test 1} the throughput of the untuned one: too uncertain to call.',
		},
	},
];

function hashing(machineCores: number): WrittenClaim {
	const cores = Math.min(THREADS, machineCores);
	return {
		id: 'P5',
		statement: 'For work that needs the CPU a pool raises throughput by the number of cores.',
		source: "the lab's own: the case that the source leaves out",
		own: true,
		published: [{ label: 'not measured by the source', text: 'its work sleeps, which costs no CPU' }],
		test: `On this machine the pool may use ${cores} ${cores === 1 ? 'core' : 'cores'}: a hash in the pool has at least ${(cores * CORES_SHARE).toFixed(2)} times the goodput of the same hash in the main thread.`,
		delta: 'a quarter of the cores: the load and the main thread need some of them',
		tests: [goodput('hash-unpooled', 'hash-pooled', 'at least', cores * CORES_SHARE, false)],
		shown: ['in the main thread: {goodput_rps@hash-unpooled}', 'in the pool: {goodput_rps@hash-pooled}'],
		quotes: {
			HOLDS: `On ${cores} cores hashing went {test 1} as fast in a pool of six threads.`,
			REFUTED: `On ${cores} cores hashing went only {test 1} as fast in a pool of six threads.`,
			INCONCLUSIVE: `On ${cores} cores hashing went {test 1} as fast in a pool of six threads: too uncertain to call.`,
		},
	};
}

/** @param cores of the machine that measures: what the pool can gain is counted in them */
export const claims = (cores: number): WrittenClaim[] => [...ofEveryMachine, hashing(cores)];
