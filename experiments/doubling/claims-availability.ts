/**
 * What "I Doubled My Servers and Wrecked My Availability" says of the failures that came with the second node, and of the balancer
 * that came with it too.
 */

import type { CompareTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { published } from '../../lab/catalog/published.ts';

const { source, runs } = published.doubling;
const [one, two] = [runs.a, runs['2a']];
/** Differences that nobody would act on: 5 % of a rate or a latency, one failed request in a thousand. */
const RATIO_DELTA = 0.05;
const FAILURE_DELTA = 0.001;
/** A cost in availability that a user would notice. */
const FAILURE_COST = 0.01;

const failures: (base: string, other: string, wanted: 'at least' | 'at most', threshold: number, value?: number | null) => CompareTest = (
	base,
	other,
	wanted,
	threshold,
	value = null,
) => ({
	kind: 'compare',
	label: `failure rate, ${other} less ${base}`,
	metric: 'failure_rate',
	base,
	other,
	wanted,
	threshold,
	published: value,
});

/** One node behind a balancer, and the node alone: how much of the one is left, what more fails, how much longer it takes. */
const penalty: (other: string) => CompareTest[] = (other) => [
	{
		kind: 'compare',
		label: `goodput, ${other} over a`,
		metric: 'goodput_rps',
		base: 'a',
		other,
		wanted: 'at least',
		threshold: 1 - RATIO_DELTA,
		published: null,
	},
	failures('a', other, 'at most', FAILURE_DELTA),
	{
		kind: 'compare',
		label: `p95 of successes, ${other} over a`,
		metric: 'latency_ms_p95_ok',
		base: 'a',
		other,
		wanted: 'at most',
		threshold: 1 + RATIO_DELTA,
		published: null,
	},
];

export const availabilityClaims: WrittenClaim[] = [
	{
		id: 'D2',
		statement: 'The second node costs availability.',
		source,
		published: [
			{ label: 'failed with one node', text: '0 %' },
			{ label: 'failed with two', text: `${(two.failure_rate * 100).toFixed(2)} %` },
		],
		test: 'Two nodes fail at least one request in a hundred more than one node, as the source compares them.',
		delta: 'one request in a hundred',
		changed:
			"The lab had added a test of its own, two nodes less one behind the same balancer, and refuted the claim by it. The source says that more failed with two nodes than with one; what is the node's and what the balancer's is a question beside that.",
		tests: [failures('a', '2a', 'at least', FAILURE_COST, two.failure_rate - one.failure_rate)],
		beside: [
			failures('a-lb', '2a', 'at least', FAILURE_COST),
			{
				...failures('a-lb', '2a', 'at least', FAILURE_COST),
				label: 'share of the users’ time that failed, 2a less a-lb',
				metric: 'failed_user_time_share',
			},
		],
		elsewhere: [
			{ load: 'ramp', budget: 'none' },
			{ load: 'patient', budget: 'fair' },
		],
		remarks: [
			'The node or the balancer that came with it? Behind the same balancer, two nodes less one: {beside 1} of the requests.',
			'Users who fail come back sooner, which raises that share. Of the users’ time it is {beside 2}.',
		],
		shown: [
			'failed with one node: {failure_rate@a}',
			'failed with one node behind the balancer: {failure_rate@a-lb}',
			'failed with two nodes behind it: {failure_rate@2a}',
			'with room in the balancer: one node {failure_rate@1a-tuned}, two nodes {failure_rate@2a-tuned}',
		],
		quotes: {
			HOLDS: 'Two nodes failed more requests than one: {test 1}.',
			REFUTED: 'Two nodes did not fail more requests than one: {test 1}.',
			INCONCLUSIVE: 'Two nodes failed {failure_rate@2a} of requests, one node {failure_rate@a}: too close to call.',
		},
	},
	{
		id: 'D2b',
		statement: 'The second node costs availability where the balancer has room, too.',
		source: "the lab's own: the other half of D2, so that nodes and balancer are each changed while the other stays",
		own: true,
		published: [{ label: 'not measured by the source', text: 'it has one balancer, and no node alone behind it' }],
		test: 'Behind a balancer with room for every user, two nodes fail at least one request in a hundred more than one.',
		delta: 'one request in a hundred',
		tests: [failures('1a-tuned', '2a-tuned', 'at least', FAILURE_COST)],
		elsewhere: [
			{ load: 'hold', budget: 'scale' },
			{
				load: 'surge',
				budget: 'scale',
				tests: [failures('2a', '2a-slots', 'at least', FAILURE_COST)],
				instead: 'one node was not measured there; these are two nodes with room in the balancer, less the same two without',
			},
		],
		shown: [
			'balancer as published: one node {failure_rate@a-lb}, two nodes {failure_rate@2a}',
			'balancer with room: one node {failure_rate@1a-tuned}, two nodes {failure_rate@2a-tuned}',
		],
		quotes: {
			HOLDS: 'Behind a balancer with room two nodes failed more requests than one: {test 1}.',
			REFUTED: 'Behind a balancer with room two nodes did not fail more requests than one: {test 1}.',
			INCONCLUSIVE: 'Behind a balancer with room two nodes, less one node, failed {test 1}: too close to tell.',
		},
	},
];

export const balancerClaims: WrittenClaim[] = [
	{
		id: 'D4',
		statement: "The load balancer's own penalty is negligible.",
		source,
		published: [{ label: 'said', text: 'assumed, not measured: gains in processing outweigh the network hop' }],
		test: 'One node behind a balancer with room for every user gives at least 95 % of the goodput of the node alone, fails at most one request in a thousand more, and its p95 of successes is at most 5 % longer.',
		delta: '5 % of goodput and latency; one request in a thousand',
		changed:
			'It was tested with the balancer as published, whose connection table overflows: that is a table, not the network hop that the source speaks of. The hop alone is one node behind a balancer with room.',
		tests: penalty('1a-tuned'),
		beside: [
			...penalty('a-lb'),
			{
				...penalty('2a-tuned')[0],
				threshold: 1,
			},
		],
		remarks: [
			'The balancer as published, with its table of 1,024 connections, left {beside 1} the goodput of the node alone; its failure rate differed by {beside 2}.',
			'Is the hop outweighed, as the source expects? Two nodes behind a balancer with room gave {beside 4} the goodput of one alone.',
		],
		shown: ['lost in a-lb: {lost@a-lb}'],
		quotes: {
			HOLDS: 'The hop costs next to nothing: one node behind a balancer with room gave {test 1} the goodput of the node alone.',
			REFUTED: 'The hop is not negligible: one node behind a balancer with room gave {test 1} the goodput of the node alone.',
			INCONCLUSIVE:
				'The runs do not tell whether the hop is negligible: one node behind a balancer with room gave {test 1} the goodput of the node alone.',
		},
	},
];
