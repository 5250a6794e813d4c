/**
 * What "I Doubled My Servers and Wrecked My Availability" found of its third architecture, two nodes and a queue. All was fixed before the
 * first run.
 */

import type { WrittenClaim } from '../../lab/catalog/claims.ts';
import { labQuestion, published } from '../../lab/catalog/published.ts';

const { source, runs } = published.doubling;
const [one, queued] = [runs.a, runs['2a-queue']];
/** A difference in availability that a user would notice: one request in a hundred. */
const FAILURE_COST = 0.01;
/** A difference that nobody would act on. */
const RATIO_DELTA = 0.05;
const OWN = labQuestion(source);

export const claims: WrittenClaim[] = [
	{
		id: 'D6',
		statement: 'A queue between app and database restores availability.',
		source,
		published: [
			{ label: 'failed with a queue', text: `${(queued.failure_rate * 100).toFixed(3)} % of ${queued.requests.toLocaleString('en-US')}` },
			{ label: 'good answers are', text: '202: a write was accepted, and nobody says when it was done' },
		],
		test: 'Two nodes with a queue fail at most one request in a hundred more than one node without.',
		delta: 'one request in a hundred',
		tests: [
			{
				kind: 'compare',
				label: 'failure rate, 2a-list less a',
				metric: 'failure_rate',
				base: 'a',
				other: '2a-list',
				wanted: 'at most',
				threshold: FAILURE_COST,
				published: queued.failure_rate - one.failure_rate,
			},
		],
		remarks: [
			'The source proposes the queue; its repository measured it once, with 0.646 % failed.',
			'Two nodes without a queue failed {failure_rate@2a}.',
		],
		shown: ['failed with a queue: {failure_rate@2a-list}', 'failed with two nodes without: {failure_rate@2a}'],
		quotes: {
			HOLDS: 'A queue restores availability. The failure rate of two nodes with it differs from one node’s by {test 1}.',
			REFUTED: 'A queue does not restore availability. Two nodes with a queue lost more requests than one node without a queue: {test 1}.',
			INCONCLUSIVE: 'With a queue {failure_rate@2a-list} of the requests failed: too uncertain to say whether availability is back.',
		},
	},
	{
		id: 'D6b',
		statement: 'What the queue accepts is done as fast as one node does it.',
		source: OWN,
		own: true,
		published: [
			{
				label: 'accepted',
				text: `${Math.round((queued.requests - queued.failures) / queued.duration_s).toLocaleString('en-US')} requests a second, where one node answered ${Math.round(one.throughput_rps).toLocaleString('en-US')}; done: not measured`,
			},
		],
		test: `With a queue at least ${1 - RATIO_DELTA} times as many writes are done a second, while the load goes on, as one node answers.`,
		delta: '5 %',
		tests: [
			{
				kind: 'compare',
				label: 'goodput, 2a-list over a',
				metric: 'goodput_rps',
				base: 'a',
				other: '2a-list',
				wanted: 'at least',
				threshold: 1 - RATIO_DELTA,
				published: null,
			},
		],
		remarks: ['Consumer, nodes and k6 share the cores of one machine: with cores of its own the consumer may do more.'],
		shown: ['done with a queue: {goodput_rps@2a-list}', 'answered by one node: {goodput_rps@a}'],
		quotes: {
			HOLDS: 'The consumer keeps up: it did {test 1} what one node answers.',
			REFUTED: 'The consumer does not keep up: it did {test 1} what one node answers.',
			INCONCLUSIVE: 'The consumer did {test 1} what one node answers: too uncertain to say whether it keeps up.',
		},
	},
	{
		id: 'D6c',
		statement: 'It takes a queue to restore availability.',
		source: OWN,
		own: true,
		published: [{ label: 'other remedies', text: 'not tried' }],
		test: 'Two nodes without a queue, with room in the connection table of the balancer and nothing else changed, fail at least one request in a hundred more than two with a queue.',
		delta: 'one request in a hundred',
		tests: [
			{
				kind: 'compare',
				label: 'failure rate, 2a-slots less 2a-list',
				metric: 'failure_rate',
				base: '2a-list',
				other: '2a-slots',
				wanted: 'at least',
				threshold: FAILURE_COST,
				published: null,
			},
		],
		elsewhere: [
			{ load: 'patient', budget: 'scale' },
			{ load: 'surge', budget: 'scale' },
		],
		shown: [
			'with more slots and no queue: {failure_rate@2a-slots} failed, {goodput_rps@2a-slots}',
			'with a queue: {failure_rate@2a-list} failed, {goodput_rps@2a-list}',
		],
		quotes: {
			HOLDS: 'It takes a queue: with room in the balancer alone more requests failed, {test 1}.',
			REFUTED: 'It takes no queue: with room in the balancer alone fewer requests failed than with a queue, {test 1}.',
			INCONCLUSIVE:
				"With room in the balancer's connection table {failure_rate@2a-slots} failed, with a queue {failure_rate@2a-list}: too uncertain to tell them apart.",
		},
	},
];
