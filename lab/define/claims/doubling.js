/**
 * The claims of "I Doubled My Servers and Wrecked My Availability".
 */
import { published } from '../published.js';

const { source, runs } = published.doubling;
const [one, two] = [runs.a, runs['2a']];
/** The published second node added 65.9 % of throughput; "about in proportion" may fall short of that by a tenth. */
const PROPORTION = two.throughput_rps / one.throughput_rps;
const PROPORTION_DELTA = 0.1;
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
    id: 'D1',
    experiment: 'doubling',
    statement: 'Doubling the app nodes raises throughput about in proportion.',
    source,
    published: [
      { label: 'one node', text: rate(one.throughput_rps) },
      { label: 'two nodes', text: `${rate(two.throughput_rps)} (+${Math.round((PROPORTION - 1) * 100)} %), failed ones included` },
    ],
    test: `Two nodes give at least ${(PROPORTION * (1 - PROPORTION_DELTA)).toFixed(2)} times the goodput of one: the published growth less its delta. Goodput decides, because a failed request serves nobody; throughput stands beside it.`,
    delta: 'a tenth of the published growth',
    tests: [
      {
        kind: 'compare',
        label: 'goodput, 2a over a',
        metric: 'goodput_rps',
        base: 'a',
        other: '2a',
        wanted: 'at least',
        threshold: PROPORTION * (1 - PROPORTION_DELTA),
        published: (two.throughput_rps * (1 - two.failure_rate)) / one.throughput_rps,
      },
    ],
    relief: null,
    shown: [
      'throughput of one node: {throughput_rps@a}',
      'throughput of two, failures included: {throughput_rps@2a}',
      'two nodes with room in the balancer: {goodput_rps@2a-tuned} of goodput',
    ],
    quotes: {
      HOLDS: 'Two nodes gave {test 1} the good answers of one, about in proportion.',
      REFUTED:
        "Two nodes gave only {test 1} the good answers of one; with room in the balancer's connection table they give {goodput_rps@2a-tuned} instead of {goodput_rps@2a}.",
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
      'failed with two nodes behind one with room: {failure_rate@2a-tuned}',
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
        { tier: 'load-balancer', accused: false, arm: '2a-tuned' },
      ],
    },
    shown: ['lost in 2a: {lost@2a}'],
    quotes: {
      HOLDS: 'The ledger places {test 1} of the failures on MongoDB or its pool, and a larger pool takes failures away: MongoDB it is.',
      REFUTED:
        "Of the failures of two nodes {test 1} were MongoDB's or its pool's. With ten times the pool {failure_rate@2a-pool500} still failed; with room in the balancer's connection table, {failure_rate@2a-tuned}.",
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
  {
    id: 'D5',
    experiment: 'doubling',
    statement: 'The p95 of successful requests improved, to 492 ms.',
    source,
    published: [
      { label: 'one node', text: `${Math.round(one.latency_ms_p95_ok)} ms` },
      {
        label: 'said of two',
        text: `${Math.floor(two.latency_ms_p95_all)} ms; in the file that is the p95 of all requests, fast failures included`,
      },
      {
        label: 'in the published file, of successes',
        text: `${Math.round(two.latency_ms_p95_ok)} ms, with ${(two.failure_rate * 100).toFixed(1)} % failed`,
      },
    ],
    test: 'The p95 of successes with two nodes is at most 95 % of that with one, and it is not bought with failures: at most one request in a thousand more fails. Otherwise the slow requests were dropped, not served faster.',
    delta: '5 % of the latency; one request in a thousand',
    tests: [
      {
        kind: 'compare',
        label: 'p95 of successes, 2a over a',
        metric: 'latency_ms_p95_ok',
        base: 'a',
        other: '2a',
        wanted: 'at most',
        threshold: 1 - RATIO_DELTA,
        published: two.latency_ms_p95_ok / one.latency_ms_p95_ok,
      },
      {
        kind: 'compare',
        label: 'failure rate, 2a less a',
        metric: 'failure_rate',
        base: 'a',
        other: '2a',
        wanted: 'at most',
        threshold: FAILURE_DELTA,
        published: two.failure_rate - one.failure_rate,
      },
    ],
    relief: null,
    shown: [
      'p95 of successes: {latency_ms_p95_ok@a} with one node, {latency_ms_p95_ok@2a} with two, of which {failure_rate@2a} failed',
      'p95 of all, fast failures included: {latency_ms_p95_all@2a} with two',
      'where nothing is dropped: {latency_ms_p95_ok@2a-tuned} with two nodes and room in the balancer',
    ],
    quotes: {
      HOLDS: 'The p95 of successes went from {latency_ms_p95_ok@a} to {latency_ms_p95_ok@2a}, and no more requests failed than before.',
      REFUTED:
        'The p95 of successes went from {latency_ms_p95_ok@a} to {latency_ms_p95_ok@2a} while {failure_rate@2a} of requests got no answer; where none is dropped, two nodes take {latency_ms_p95_ok@2a-tuned}.',
      INCONCLUSIVE:
        'The p95 of successes went from {latency_ms_p95_ok@a} to {latency_ms_p95_ok@2a}: too uncertain to call it an improvement.',
    },
  },
];
