/**
 * The shape of `compare.json`: two arms of an experiment held against each other, block by block. The run is the sample.
 * Rendering reads this and computes nothing.
 *
 * @typedef {import('./result.js').Flow} Flow
 * @typedef {import('./result.js').Tier} Tier
 * @typedef {'better' | 'worse' | 'same' | 'INCONCLUSIVE'} MetricVerdict  of `other` against `base`
 *
 * @typedef {object} Comparison
 * @property {1} schema
 * @property {string} id            folder below reports/, such as `compare/20261121T040000Z-1a2b`
 * @property {string} title         such as `2a against 2a-tuned`
 * @property {string} load
 * @property {string} load_title
 * @property {string} budget
 * @property {number} seed          of the random order
 * @property {string} started       ISO 8601
 * @property {string} ended
 * @property {string} command       repeats it
 * @property {{ index: string | null, experiment: string | null }} links  to the list of everything, and to the experiment that it is part of; null where there is none
 * @property {Arm} base             the baseline
 * @property {Arm} other            the candidate, which is judged
 * @property {boolean} paired       block by block; false against a baseline, whose runs have no blocks in common with the others
 * @property {Blocks} blocks
 * @property {Control | null} control   the A/A control whose noise the deltas know of; null when none was measured here
 * @property {MetricComparison[]} metrics in the order of the metrics table, gates first
 * @property {string} correction    how many metrics were tested, and what was done about it, in words
 * @property {Survivorship | null} survivorship  null when no latency was shortened by dropping requests
 * @property {Verdict} verdict
 * @property {string[]} notes       doubts, in words
 * @property {{ text: string, cores: number, cpu_model: string, os: string, memory_bytes: number }} machine
 *
 * @typedef {object} Arm
 * @property {string} id            the same as its label in the schedule, such as `2a-tuned`
 * @property {string} architecture
 * @property {string} title         in words
 * @property {ArmRun[]} runs        in the order they were made
 * @property {Doubt | null} doubt   how many of the runs that count are SUSPECT, and why; null when none is
 * @property {number | null} failed_share  median failure rate of the runs that count
 * @property {string | null} headline      of the typical run
 * @property {string | null} typical_run   href of the run whose goodput is nearest to the median; null without one
 * @property {Flow | null} flow            of the typical run
 * @property {LedgerRow[]} ledger          over all runs that count
 * @property {ArmTimelineRow[]} timeline   over all runs that count
 *
 * @typedef {object} ArmRun
 * @property {number} block
 * @property {string | null} href    report.html of the run, relative to the folder of compare.json; null where it is not kept
 * @property {Pick<import('./result.js').Validity, 'verdict' | 'reasons'>} validity
 * @property {boolean} counts        false: INVALID, or its partner is
 * @property {Record<string, number | null>} metrics by metric id
 *
 * @typedef {object} Doubt          stands wherever the figures of these runs do
 * @property {number} suspect
 * @property {number} runs           that count, SUSPECT ones included
 * @property {string} text           `8 of 8 runs SUSPECT: the generator's CPU was at its quota for ...`
 *
 * @typedef {object} LedgerRow
 * @property {Tier | 'unattributed'} tier
 * @property {string} cause_title
 * @property {number} count          over all runs that count
 * @property {number} share          of the arm's failures
 *
 * @typedef {{ median: number | null, low: number | null, high: number | null }} Range  low and high are the extremes over the blocks
 *
 * @typedef {object} ArmTimelineRow
 * @property {number} t_s
 * @property {Range} goodput_rps
 * @property {Range} failures_per_s
 * @property {Range} latency_ms_p95_ok
 * @property {Range} vus
 *
 * @typedef {object} Blocks
 * @property {number} wanted
 * @property {number} complete       blocks in which both runs count
 * @property {number} least          blocks that a verdict needs
 * @property {{ arm: string, block: number, reasons: string[] }[]} left_out  INVALID runs
 *
 * @typedef {object} Control
 * @property {string} command        the A/A control
 * @property {string} started
 * @property {number} blocks
 * @property {Record<string, number>} noise  by metric id: largest ratio (minus 1) or difference that its interval allows
 *
 * @typedef {object} MetricComparison
 * @property {string} id
 * @property {string} label
 * @property {import('../catalog/metrics.js').Unit} unit
 * @property {'higher' | 'lower'} better
 * @property {boolean} gate
 * @property {'ratio' | 'difference'} scale
 * @property {Range} base             median and extremes of the runs that count
 * @property {Range} other
 * @property {number} blocks          pairs with a figure on both sides
 * @property {number | null} estimate other/base, or other-base; Hodges-Lehmann
 * @property {number | null} low      95 % interval
 * @property {number | null} high
 * @property {number | null} p        Wilcoxon signed-rank, two-sided, exact
 * @property {number | null} p_adjusted  Holm, within the gates or within the rest
 * @property {number | null} effect   matched-pairs rank-biserial correlation, -1 to 1; positive when other is larger
 * @property {number} delta           differences below it do not matter; on the scale of estimate (0.05 is 5 %)
 * @property {string} delta_from      why it is what it is
 * @property {MetricVerdict} verdict
 * @property {string | null} held_back  why a better value is not called better: the gate that is worse
 * @property {string} sentence        the verdict in words
 * @property {{ base: number | null, other: number | null } | null} failed_share  beside every latency of successes
 *
 * @typedef {object} Survivorship
 * @property {string} sentence
 * @property {string} arm             whose latency looks shorter
 * @property {number} failed_share
 * @property {{ base: number, other: number }} latency_ms_p95_ok
 * @property {number} rank            percentile of all requests sent that the arm's p95 of successes is at best, 0 to 100
 *
 * @typedef {object} Verdict
 * @property {'better' | 'worse' | 'same' | 'mixed' | 'INCONCLUSIVE'} word
 * @property {string} sentence        with figures, complete by itself
 * @property {string[]} reasons
 */
export const COMPARISON_SCHEMA_VERSION = 1;

/**
 * Blocks that a verdict needs. With 8, the least p that the exact signed-rank test can give is 2/2^8 = 0.0078; times the
 * six metrics of a family that is 0.047. With 7 it is 0.094, and no correction for six metrics could leave anything.
 */
export const LEAST_BLOCKS = 8;
