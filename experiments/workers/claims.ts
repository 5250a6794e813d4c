/** The claims of "DocDB v0.3 Scalability Analysis: 10 vs 20 Workers per Database". */

import type { CompareTest, LevelTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { published } from '../../lab/catalog/published.ts';

const { source, runs } = published.workers;
const [ten, twenty] = [runs['10'], runs['20']];
/** A fall that somebody would act on. */
const RATIO_DELTA = 0.05;
/** "p95 +65 %": grows by more than half. */
const GROWTH = 1.5;
/** The source calls its databases balanced "under 2 %". */
const SPREAD_MOST = 0.02;

const slower: (operation: string) => CompareTest = (operation) => ({
	kind: 'compare',
	label: `p95 of ${operation}s, 20 workers over 10`,
	metric: `latency_ms_p95_${operation}`,
	base: 'workers-10',
	other: 'workers-20',
	wanted: 'at least',
	threshold: GROWTH,
	published: twenty.latency_ms[operation].p95 / ten.latency_ms[operation].p95,
});

/** By the lab's measure, of the operations of the source's three databases with 20 workers: its own data miss its claim. */
const { most, least } = twenty.database_operations;
const SOURCE_SPREAD = (most - least) / (twenty.operations / 3);

const even: (arm: string, published: number | null) => LevelTest = (arm, value) => ({
	kind: 'level',
	label: `spread over the databases, ${arm}`,
	metric: 'database_spread',
	arm,
	wanted: 'at most',
	threshold: SPREAD_MOST,
	published: value,
});

export const claims: WrittenClaim[] = [
	{
		id: 'W1',
		statement: 'Throughput falls from 10 to 20 workers a database.',
		source,
		published: [
			{ label: '10 workers', text: `${ten.throughput_ops} operations a second` },
			{ label: '20 workers', text: `${twenty.throughput_ops} (${((twenty.throughput_ops / ten.throughput_ops - 1) * 100).toFixed(1)} %)` },
		],
		test: '20 workers a database give less goodput than 10, by more than delta.',
		delta: '5 %',
		tests: [
			{
				kind: 'compare',
				label: 'goodput, 20 workers over 10',
				metric: 'goodput_rps',
				base: 'workers-10',
				other: 'workers-20',
				wanted: 'at most',
				threshold: 1 - RATIO_DELTA,
				published: twenty.throughput_ops / ten.throughput_ops,
			},
		],
		carries: {
			tier: 'database',
			share: 0.9,
			source: 'the source calls its databases "I/O or lock-contention bound rather than CPU-bound"',
		},
		remarks: ['W1 and W2 are one fact here: where the rate stays, twice the workers wait twice as long (Little’s law).'],
		shown: ['10 workers: {goodput_rps@workers-10}', '20 workers: {goodput_rps@workers-20}', '40 workers: {goodput_rps@workers-40}'],
		quotes: {
			HOLDS: 'Throughput falls: 20 workers per database gave {test 1} the throughput of 10.',
			REFUTED: 'Throughput does not fall here. With 20 workers per database it was {test 1} the throughput with 10.',
			INCONCLUSIVE: 'With 20 workers a database the service gave {test 1} what it gives with 10: too uncertain to say that it falls.',
		},
	},
	{
		id: 'W2',
		statement: 'From 10 to 20 workers the p95 of every operation grows by more than half.',
		source,
		published: ['read', 'create', 'update', 'delete'].map((operation) => ({
			label: `p95 of ${operation}s`,
			text: `${ten.latency_ms[operation].p95} to ${twenty.latency_ms[operation].p95} ms`,
		})),
		test: 'The p95 of reads, creates, updates and deletes with 20 workers is at least 1.5 times that with 10.',
		delta: 'none: more than half is what is claimed',
		tests: ['read', 'create', 'update', 'delete'].map(slower),
		remarks: [
			'Creates grew {test 2}, updates {test 3}, deletes {test 4}.',
			'W1 and W2 are one fact here: where the rate stays, twice the workers wait twice as long (Little’s law).',
		],
		shown: ['median of all operations: {latency_ms_p50_ok@workers-10} with 10, {latency_ms_p50_ok@workers-20} with 20'],
		quotes: {
			HOLDS: 'The p95 of every operation grew by more than half: that of reads {test 1}.',
			REFUTED:
				'The p95 did not grow by more than half in every operation: reads {test 1}, creates {test 2}, updates {test 3}, deletes {test 4}.',
			INCONCLUSIVE:
				'The p95 of reads grew {test 1}, of creates {test 2}, of updates {test 3}, of deletes {test 4}: too near to one and a half to call.',
		},
	},
	{
		id: 'W3',
		statement: 'The load spreads evenly over the databases, within 2 %.',
		source,
		published: [
			{ label: 'said', text: 'under 2 % between the databases' },
			{
				label: "in the source's own figures, with 20 workers",
				text: `${(SOURCE_SPREAD * 100).toFixed(2)} % by this measure: they miss its claim`,
			},
		],
		test: 'With 10 and with 20 workers the busiest of the three databases is ahead of the least busy by at most 2 % of their mean.',
		delta: 'none: 2 % is what is claimed',
		tests: [even('workers-10', null), even('workers-20', SOURCE_SPREAD)],
		remarks: [
			'With 10 workers they differ by {test 1}.',
			`The source's own databases differ by ${(SOURCE_SPREAD * 100).toFixed(2)} % by this measure.`,
		],
		shown: [],
		quotes: {
			HOLDS: 'The three databases did the same work: with 20 workers they differ by {test 2}.',
			REFUTED: 'The three databases did not do the same work: they differ by {test 1} with 10 workers and by {test 2} with 20.',
			INCONCLUSIVE: 'The three databases differ by {test 1} with 10 workers and by {test 2} with 20: too near to 2 % to call.',
		},
	},
];
