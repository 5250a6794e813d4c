/**
 * The claims of "I Doubled My Servers and Wrecked My Availability".
 */
import { published } from '../published.js';
import { latencyClaims } from './doubling-latency.js';

const { source, runs } = published.doubling;
const [one, two] = [runs.a, runs['2a']];
/** Twice the nodes, in proportion, give twice the requests; "about" may fall short of that by a tenth. */
const PROPORTION = 2;
const PROPORTION_DELTA = 0.1;
const IN_PROPORTION = PROPORTION * (1 - PROPORTION_DELTA);
/**
 * The published rates are over 80.5 s for one node and 96.3 s for two, whose requests took long to drain: 1.66 times. Under the
 * same load the number of requests says more: 1.98 times in all, 1.456 times the good ones.
 */
const GROWTH = {
  rate: two.throughput_rps / one.throughput_rps,
  all: two.requests / one.requests,
  good: (two.requests - two.failures) / (one.requests - one.failures),
};
/** Differences that nobody would act on: 5 % of a rate or a latency, one failed request in a thousand. */
const RATIO_DELTA = 0.05;
const FAILURE_DELTA = 0.001;
/** A cost in availability that a user would notice, and the least that relieving the culprit has to take away. */
const FAILURE_COST = 0.01;
/** A tier that is guilty lost at least half of what was lost. */
const GUILTY_SHARE = 0.5;

const rate = (/** @type {number} */ value) => `${Math.round(value).toLocaleString('en-US')} requests a second`;

/** @type {import('../claims.js').Claim[]} */
export const doublingClaims = [
  {
    id: 'D1a',
    replaces: 'D1',
    experiment: 'doubling',
    statement: 'Doubling the app nodes raises throughput about in proportion.',
    source,
    published: [
      { label: 'one node', text: rate(one.throughput_rps) },
      { label: 'two nodes', text: `${rate(two.throughput_rps)}, failed ones included: ${GROWTH.rate.toFixed(2)} times` },
      { label: 'by the number of requests', text: `${GROWTH.all.toFixed(2)} times; the rates are over 80 s and 96 s` },
    ],
    test: `Two nodes finish at least ${IN_PROPORTION.toFixed(1)} times the requests a second of one, failures included, as the source counts: twice as many, less delta.`,
    delta: 'a tenth of twice',
    tests: [
      {
        kind: 'compare',
        label: 'throughput, 2a over a',
        metric: 'throughput_rps',
        base: 'a',
        other: '2a',
        wanted: 'at least',
        threshold: IN_PROPORTION,
        published: GROWTH.all,
      },
    ],
    relief: null,
    shown: ['failed with one node: {failure_rate@a}', 'failed with two: {failure_rate@2a}'],
    quotes: {
      HOLDS:
        'Two nodes finished {test 1} the requests of one, failures included: {failure_rate@2a} of them failed, and a user whose request fails is soon back with another.',
      REFUTED: 'Two nodes finished {test 1} the requests of one, failures included: less than in proportion.',
      INCONCLUSIVE:
        'Two nodes finished {test 1} the requests of one, failures included: too uncertain to say whether that is in proportion.',
    },
  },
  {
    id: 'D1b',
    replaces: 'D1',
    experiment: 'doubling',
    statement: 'Doubling the app nodes raises the good answers about in proportion.',
    source: `${source}; the lab's own reading: a failed request serves nobody`,
    published: [
      { label: 'by the number of good answers', text: `${GROWTH.good.toFixed(3)} times` },
      { label: 'the source itself', text: 'says that its results invalidate the hypothesis' },
    ],
    test: `Two nodes give at least ${IN_PROPORTION.toFixed(1)} times the good answers a second of one: twice as many, less delta.`,
    delta: 'a tenth of twice',
    tests: [
      {
        kind: 'compare',
        label: 'goodput, 2a over a',
        metric: 'goodput_rps',
        base: 'a',
        other: '2a',
        wanted: 'at least',
        threshold: IN_PROPORTION,
        published: GROWTH.good,
      },
    ],
    relief: null,
    shown: [
      'throughput of one node: {throughput_rps@a}',
      'throughput of two, failures included: {throughput_rps@2a}',
      'two nodes with room in the connection table: {goodput_rps@2a-slots} of goodput',
      'one node behind the tuned balancer: {goodput_rps@1a-tuned}; two: {goodput_rps@2a-tuned}',
    ],
    quotes: {
      HOLDS: 'Two nodes gave {test 1} the good answers of one, about in proportion.',
      REFUTED:
        "Two nodes gave only {test 1} the good answers of one; with room in the balancer's connection table they give {goodput_rps@2a-slots} instead of {goodput_rps@2a}.",
      INCONCLUSIVE: 'Two nodes gave {test 1} the good answers of one: too uncertain to say whether that is in proportion.',
    },
  },
  {
    id: 'D2',
    experiment: 'doubling',
    statement: 'The second node costs availability.',
    source,
    published: [
      { label: 'failed with one node', text: '0 %' },
      { label: 'failed with two', text: `${(two.failure_rate * 100).toFixed(2)} %` },
    ],
    test: 'Two nodes fail at least one request in a hundred more than one node, and still do when both stand behind the same balancer: otherwise what costs availability is the balancer that came with the second node.',
    delta: 'one request in a hundred',
    tests: [
      {
        kind: 'compare',
        label: 'failure rate, 2a less a',
        metric: 'failure_rate',
        base: 'a',
        other: '2a',
        wanted: 'at least',
        threshold: FAILURE_COST,
        published: two.failure_rate - one.failure_rate,
      },
      {
        kind: 'compare',
        label: 'failure rate, 2a less a-lb',
        metric: 'failure_rate',
        base: 'a-lb',
        other: '2a',
        wanted: 'at least',
        threshold: FAILURE_COST,
        published: null,
      },
    ],
    relief: null,
    shown: [
      'failed with one node: {failure_rate@a}',
      'failed with one node behind the balancer: {failure_rate@a-lb}',
      'failed with two nodes behind it: {failure_rate@2a}',
      'with room in the balancer: one node {failure_rate@1a-tuned}, two nodes {failure_rate@2a-tuned}',
    ],
    quotes: {
      HOLDS:
        'With the same balancer in front, two nodes failed {failure_rate@2a} of requests and one {failure_rate@a-lb}: it is the second node that costs availability.',
      REFUTED:
        'Two nodes behind the balancer failed {failure_rate@2a} of requests, one node behind the same balancer {failure_rate@a-lb}: it is not the second node that costs availability, it is what came with it.',
      INCONCLUSIVE:
        'Two nodes failed {failure_rate@2a} of requests, one node behind the same balancer {failure_rate@a-lb}: too close to say which of them costs availability.',
    },
  },
  {
    id: 'D2b',
    experiment: 'doubling',
    statement: 'The second node costs availability where the balancer has room, too.',
    source: "the lab's own: the other half of D2, so that nodes and balancer are each changed while the other stays",
    published: [{ label: 'not measured by the source', text: 'it has one balancer, and no node alone behind it' }],
    test: 'Behind a balancer with room for every user, two nodes fail at least one request in a hundred more than one.',
    delta: 'one request in a hundred',
    tests: [
      {
        kind: 'compare',
        label: 'failure rate, 2a-tuned less 1a-tuned',
        metric: 'failure_rate',
        base: '1a-tuned',
        other: '2a-tuned',
        wanted: 'at least',
        threshold: FAILURE_COST,
        published: null,
      },
    ],
    relief: null,
    shown: [
      'balancer as published: one node {failure_rate@a-lb}, two nodes {failure_rate@2a}',
      'balancer with room: one node {failure_rate@1a-tuned}, two nodes {failure_rate@2a-tuned}',
    ],
    quotes: {
      HOLDS:
        'Behind a balancer with room, two nodes failed {failure_rate@2a-tuned} of requests and one {failure_rate@1a-tuned}: the second node costs availability there too.',
      REFUTED: 'Behind a balancer with room, two nodes failed {failure_rate@2a-tuned} of requests and one {failure_rate@1a-tuned}.',
      INCONCLUSIVE:
        'Behind a balancer with room, two nodes failed {failure_rate@2a-tuned} of requests and one {failure_rate@1a-tuned}: too close to tell.',
    },
  },
  {
    id: 'D3',
    experiment: 'doubling',
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
        threshold: GUILTY_SHARE,
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
    shown: ['lost in 2a: {lost@2a}'],
    quotes: {
      HOLDS: 'The ledger places {test 1} of the failures on MongoDB or its pool, and a larger pool takes failures away: MongoDB it is.',
      REFUTED:
        "Of the failures of two nodes {test 1} were MongoDB's or its pool's. With ten times the pool {failure_rate@2a-pool500} still failed; with 8,192 slots in the balancer's connection table and nothing else changed, {failure_rate@2a-slots}.",
      INCONCLUSIVE: 'The ledger places {test 1} of the failures on MongoDB or its pool; relieving the pool changed too little to tell.',
    },
  },
  {
    id: 'D4',
    experiment: 'doubling',
    statement: "The load balancer's own penalty is negligible.",
    source,
    published: [{ label: 'said', text: 'assumed, not measured' }],
    test: 'One node behind the balancer gives at least 95 % of the goodput of the node alone, fails at most one request in a thousand more, and its p95 of successes is at most 5 % longer.',
    delta: '5 % of goodput and latency; one request in a thousand',
    tests: [
      {
        kind: 'compare',
        label: 'goodput, a-lb over a',
        metric: 'goodput_rps',
        base: 'a',
        other: 'a-lb',
        wanted: 'at least',
        threshold: 1 - RATIO_DELTA,
        published: null,
      },
      {
        kind: 'compare',
        label: 'failure rate, a-lb less a',
        metric: 'failure_rate',
        base: 'a',
        other: 'a-lb',
        wanted: 'at most',
        threshold: FAILURE_DELTA,
        published: null,
      },
      {
        kind: 'compare',
        label: 'p95 of successes, a-lb over a',
        metric: 'latency_ms_p95_ok',
        base: 'a',
        other: 'a-lb',
        wanted: 'at most',
        threshold: 1 + RATIO_DELTA,
        published: null,
      },
    ],
    relief: null,
    shown: ['lost in a-lb: {lost@a-lb}'],
    quotes: {
      HOLDS: "One node behind the balancer gave {test 1} the goodput of the node alone: the balancer's own penalty is negligible.",
      REFUTED:
        'Nothing but the balancer was added, and one node went from {failure_rate@a} to {failure_rate@a-lb} of requests failed and to {goodput_rps@a-lb} from {goodput_rps@a} of goodput.',
      INCONCLUSIVE:
        'One node behind the balancer gave {test 1} the goodput of the node alone: too uncertain to call the penalty negligible.',
    },
  },
  ...latencyClaims,
];
