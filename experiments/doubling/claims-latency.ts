/**
 * What "I Doubled My Servers and Wrecked My Availability" says of the p95 of successful requests: the figure, its direction,
 * and what it was called are claims of their own.
 */

import type { CompareTest, PublishedTest, WrittenClaim } from '../../lab/catalog/claims.ts';
import { published } from '../../lab/catalog/published.ts';

const { source, runs } = published.doubling;
const [one, two] = [runs.a, runs['2a']];
/** What the source says of the p95 of two nodes' successes; its file has 492.81 ms of all requests. */
const SAID_P95_MS = 492;
/** Differences that nobody would act on: 5 % of a latency, one failed request in a thousand. */
const RATIO_DELTA = 0.05;
const FAILURE_DELTA = 0.001;

const inTheFile: (label: string, wanted: 'at least' | 'at most', threshold: number) => PublishedTest = (label, wanted, threshold) => ({
	kind: 'published',
	label,
	value: two.latency_ms_p95_ok / SAID_P95_MS,
	wanted,
	threshold,
	published: null,
});

const FALLS: CompareTest = {
	kind: 'compare',
	label: 'p95 of successes, 2a over a',
	metric: 'latency_ms_p95_ok',
	base: 'a',
	other: '2a',
	wanted: 'at most',
	threshold: 1 - RATIO_DELTA,
	published: two.latency_ms_p95_ok / one.latency_ms_p95_ok,
};
/** Without quotas, as published; and users who think. */
const OTHERS = [
	{ load: 'ramp', budget: 'none' },
	{ load: 'patient', budget: 'fair' },
];
const P95_SHOWN = [
	'p95 of all, fast failures included: {latency_ms_p95_all@2a} with two',
	'where nothing else differs but the slots: {latency_ms_p95_ok@2a-slots} with two nodes',
];

export const latencyClaims: WrittenClaim[] = [
	{
		id: 'D5a',
		replaces: 'D5',
		statement: 'With two nodes the p95 of successful requests is 492 ms.',
		source,
		published: [
			{ label: 'in the published file, of all requests', text: `${two.latency_ms_p95_all} ms, fast failures included` },
			{ label: 'in the same file, of successes', text: `${two.latency_ms_p95_ok} ms` },
		],
		test: 'In the published file the p95 of successes is 492 ms, within delta. No run is needed.',
		delta: '5 % either side',
		tests: [
			inTheFile('p95 of successes in the published file, over 492 ms', 'at least', 1 - RATIO_DELTA),
			inTheFile('the same, from above', 'at most', 1 + RATIO_DELTA),
		],
		shown: [],
		quotes: {
			HOLDS: 'In the published file the p95 of successes is {test 1} 492 ms.',
			REFUTED: `The published file itself has ${two.latency_ms_p95_ok} ms for successes ({test 1} 492 ms); ${two.latency_ms_p95_all} ms is the p95 of all requests, fast failures included.`,
			INCONCLUSIVE: 'The published file does not say.',
		},
	},
	{
		id: 'D5b',
		replaces: 'D5',
		statement: 'The p95 of successful requests falls with the second node.',
		source,
		published: [
			{ label: 'one node', text: `${one.latency_ms_p95_ok} ms` },
			{ label: 'two, of successes', text: `${two.latency_ms_p95_ok} ms, with ${(two.failure_rate * 100).toFixed(1)} % failed` },
		],
		test: 'The p95 of successes with two nodes is at most 95 % of that with one. What failed is left out, as in the source: see D5c.',
		delta: '5 %',
		tests: [FALLS],
		elsewhere: OTHERS,
		remarks: [
			'It leaves out what failed: the slowest requests are not in it ({failure_rate@2a} failed with two nodes).',
			'With room in the connection table, and nothing else changed, the p95 of two nodes is {latency_ms_p95_ok@2a-slots}.',
		],
		shown: P95_SHOWN,
		quotes: {
			HOLDS: 'The p95 of successes fell with the second node: {test 1} that of one.',
			REFUTED: 'The p95 of successes did not fall by 5 % with the second node: {test 1} that of one.',
			INCONCLUSIVE: 'The p95 of successes with two nodes is {test 1} that of one: too uncertain to say that it fell.',
		},
	},
	{
		id: 'D5c',
		replaces: 'D5',
		statement: 'The lower p95 of successes is a false positive: more requests fail.',
		source,
		published: [
			{ label: 'heading', text: 'The False Positive of "Improved" Performance' },
			{ label: 'said of its p95', text: 'a survivorship bias metric' },
			{ label: 'failed with one node and with two', text: `0 % and ${(two.failure_rate * 100).toFixed(1)} %` },
		],
		test: 'The p95 of successes falls by 5 %, and at least one request in a thousand more fails: slow requests were dropped, not served faster.',
		delta: '5 % of the latency; one request in a thousand',
		changed:
			'The statement tested was "The lower p95 of successes is an improvement". The source says the opposite, so that its refutation was agreement with the source and was counted against it.',
		tests: [
			FALLS,
			{
				kind: 'compare',
				label: 'failure rate, 2a less a',
				metric: 'failure_rate',
				base: 'a',
				other: '2a',
				wanted: 'at least',
				threshold: FAILURE_DELTA,
				published: two.failure_rate - one.failure_rate,
			},
		],
		elsewhere: OTHERS,
		shown: P95_SHOWN,
		quotes: {
			HOLDS: 'The lab agrees with the source: the p95 of successes fell while more requests failed, {test 2}.',
			REFUTED: 'It is no false positive here: p95 of successes {test 1} that of one node, failures {test 2}.',
			INCONCLUSIVE: 'Too uncertain to call it a false positive: p95 of successes {test 1} that of one node, failures {test 2}.',
		},
	},
];
