/**
 * The claims of "I Doubled My Servers and Wrecked My Availability".
 */

import type { CompareTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { published } from '../../lab/catalog/published.ts';
import { availabilityClaims, balancerClaims } from './claims-availability.ts';
import { latencyClaims } from './claims-latency.ts';

const { source, runs } = published.doubling;
const [one, two] = [runs.a, runs['2a']];
/** Twice the nodes, in proportion, give twice the requests; "about" may differ from that by a tenth, to either side. */
const PROPORTION = 2;
const PROPORTION_DELTA = 0.1;
const IN_PROPORTION = PROPORTION * (1 - PROPORTION_DELTA);
const BEYOND_PROPORTION = PROPORTION * (1 + PROPORTION_DELTA);
/** Without quotas, as published: the same load, all tiers on the same cores. */
const WITHOUT_QUOTAS = { load: 'ramp', budget: 'none' };
/**
 * The published rates are over 80.5 s for one node and 96.3 s for two, whose requests took long to drain: 1.66 times. Under the
 * same load the number of requests says more: 1.98 times in all, 1.456 times the good ones.
 */
const GROWTH = {
	rate: two.throughput_rps / one.throughput_rps,
	all: two.requests / one.requests,
	good: (two.requests - two.failures) / (one.requests - one.failures),
};
/** A cost in availability that a user would notice, and the least that relieving the culprit has to take away. */
const FAILURE_COST = 0.01;
/** A tier that is at fault lost at least half of what was lost. */
const AT_FAULT_SHARE = 0.5;

const rate = (value: number) => `${Math.round(value).toLocaleString('en-US')} requests a second`;

/** Two nodes over one. */
const grows: (
	metric: 'throughput_rps' | 'goodput_rps',
	wanted: 'at least' | 'at most',
	threshold: number,
	value: number | null,
) => CompareTest = (metric, wanted, threshold, value) => ({
	kind: 'compare',
	label: `${metric === 'goodput_rps' ? 'goodput' : 'throughput'}, 2a over a`,
	metric,
	base: 'a',
	other: '2a',
	wanted,
	threshold,
	published: value,
});

export const claims: WrittenClaim[] = [
	{
		id: 'D1a',
		replaces: 'D1',
		statement: 'Doubling the app nodes raises throughput about in proportion.',
		source,
		published: [
			{ label: 'one node', text: rate(one.throughput_rps) },
			{ label: 'two nodes', text: `${rate(two.throughput_rps)}, failed ones included: ${GROWTH.rate.toFixed(2)} times` },
			{ label: 'by the number of requests', text: `${GROWTH.all.toFixed(2)} times; the rates are over 80 s and 96 s` },
		],
		test: `Two nodes finish ${IN_PROPORTION.toFixed(1)} to ${BEYOND_PROPORTION.toFixed(1)} times the requests a second of one, failures included, as the source counts: twice as many, within delta.`,
		delta: 'a tenth of twice, on either side',
		changed:
			'It was tested on one side (at least 1.8 times), so that any excess counted as "in proportion"; "about in proportion" has two sides.',
		tests: [
			grows('throughput_rps', 'at least', IN_PROPORTION, GROWTH.all),
			{ ...grows('throughput_rps', 'at most', BEYOND_PROPORTION, GROWTH.all), label: 'the same, from above' },
		],
		elsewhere: [WITHOUT_QUOTAS],
		remarks: [
			'The source calls this its hypothesis, and says itself that its results invalidate it.',
			'A user whose request fails is soon back with another: {failure_rate@2a} of the requests of two nodes failed.',
		],
		shown: ['failed with one node: {failure_rate@a}', 'failed with two: {failure_rate@2a}'],
		quotes: {
			HOLDS: 'Two nodes finished about twice the requests of one, failures included: {test 1}.',
			REFUTED: 'Two nodes did not finish about twice the requests of one, failures included, but {test 1}.',
			INCONCLUSIVE: 'Two nodes finished {test 1} the requests of one, failures included: too uncertain to say whether that is about twice.',
		},
	},
	{
		id: 'D1b',
		replaces: 'D1',
		statement: 'Doubling the app nodes raises the good answers about in proportion.',
		source: `${source}; the lab's own reading: a failed request serves nobody`,
		own: true,
		published: [
			{ label: 'by the number of good answers', text: `${GROWTH.good.toFixed(3)} times` },
			{ label: 'the source itself', text: 'says that its results invalidate the hypothesis' },
		],
		test: `Two nodes give at least ${IN_PROPORTION.toFixed(1)} times the good answers a second of one: twice as many, less delta.`,
		delta: 'a tenth of twice',
		tests: [grows('goodput_rps', 'at least', IN_PROPORTION, GROWTH.good)],
		beside: [
			{
				...grows('goodput_rps', 'at least', IN_PROPORTION, null),
				label: 'goodput, 2a-tuned over 1a-tuned',
				base: '1a-tuned',
				other: '2a-tuned',
			},
		],
		elsewhere: [WITHOUT_QUOTAS],
		remarks: [
			'The source says the same: a refutation here is agreement with it.',
			'Behind a balancer with room for every user a second node gives {beside 1} the good answers of one.',
		],
		shown: [
			'throughput of one node: {throughput_rps@a}',
			'throughput of two, failures included: {throughput_rps@2a}',
			'two nodes with room in the connection table: {goodput_rps@2a-slots} of goodput',
			'one node behind the tuned balancer: {goodput_rps@1a-tuned}; two: {goodput_rps@2a-tuned}',
		],
		quotes: {
			HOLDS: 'Two nodes gave about twice the good answers of one: {test 1}.',
			REFUTED: 'Two nodes did not give about twice the good answers of one, but {test 1}.',
			INCONCLUSIVE: 'Two nodes gave {test 1} the good answers of one: too uncertain to say whether that is in proportion.',
		},
	},
	...availabilityClaims,
	{
		id: 'D3',
		statement: "The failures are MongoDB's: its connections are exhausted.",
		source,
		published: [
			{ label: 'said', text: '"explicit HTTP 500 errors"' },
			{ label: 'in the published file', text: `${two.failures_http_500} HTTP 500s among ${two.failures.toLocaleString('en-US')} failures` },
		],
		test: 'The ledger places at least half of the failures of 2a on MongoDB or the pool of connections to it, and a pool ten times as large takes away at least one failed request in a hundred.',
		delta: 'half of the failures; one request in a hundred',
		tests: [
			{
				kind: 'share',
				label: 'failures of 2a on MongoDB or its pool',
				arm: '2a',
				tiers: ['database', 'pool'],
				wanted: 'at least',
				threshold: AT_FAULT_SHARE,
				published: two.failures_http_500 / two.failures,
			},
			{
				kind: 'compare',
				label: 'failure rate, 2a-pool500 less 2a',
				metric: 'failure_rate',
				base: '2a',
				other: '2a-pool500',
				wanted: 'at most',
				threshold: -FAILURE_COST,
				published: null,
			},
		],
		relief: {
			before: '2a',
			rows: [
				{ tier: 'pool', accused: true, arm: '2a-pool500' },
				{ tier: 'load-balancer', accused: false, arm: '2a-slots' },
				// The usual advice: it saves connections to the nodes, and what it keeps takes slots.
				{ tier: 'load-balancer', accused: false, arm: '2a-keepalive' },
			],
		},
		remarks: [
			'With ten times the pool {failure_rate@2a-pool500} still failed.',
			"With 8,192 slots in the balancer's connection table and nothing else changed, {failure_rate@2a-slots} failed.",
		],
		elsewhere: [{ load: 'patient', budget: 'fair' }],
		shown: ['lost in 2a: {lost@2a}'],
		quotes: {
			HOLDS: 'MongoDB or its pool lost {test 1} of the failed requests of two nodes, and a larger pool takes failures away.',
			REFUTED:
				'The cause was not MongoDB or its pool. With two nodes, the share of failures that MongoDB and its pool caused was {test 1}.',
			INCONCLUSIVE: 'The ledger places {test 1} of the failures on MongoDB or its pool; relieving the pool changed too little to tell.',
		},
	},
	...balancerClaims,
	...latencyClaims,
];
