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

/**
 * The shape of `experiment.json`: what an experiment found, claim by claim. Rendering reads this and computes nothing.
 *
 * @typedef {'HOLDS' | 'REFUTED' | 'INCONCLUSIVE'} ClaimVerdict
 *
 * @typedef {object} ExperimentResult
 * @property {1} schema
 * @property {string} id            folder below reports/, such as `doubling/20261121T040000Z-1a2b`
 * @property {string} experiment    key of the table, such as `doubling`
 * @property {string} title
 * @property {string} question
 * @property {string} load          of several, with "and" between
 * @property {string} load_title
 * @property {string} budget
 * @property {number} seed
 * @property {string} started       ISO 8601
 * @property {string} ended
 * @property {string} command       repeats it
 * @property {string | null} index   link to the list of everything; null where there is none
 * @property {string} headline      the finding in one or two sentences
 * @property {{ wanted: number, complete: number, least: number, left_out: { arm: string, block: number, reasons: string[] }[] }} blocks
 * @property {ExperimentArm[]} arms
 * @property {ClaimResult[]} claims
 * @property {string | null} claims_hash  SHA-256 of the claims as they stood before the first run; null without claims
 * @property {Pair[]} pairs         comparisons made, each with a page of its own
 * @property {CurveResult | null} curve
 * @property {PublishedTable | null} published  the source's figures beside the measured ones; null where it gives none by arm
 * @property {string[]} notes
 * @property {{ text: string, cores: number, cpu_model: string, os: string, memory_bytes: number }} machine
 * @property {Record<string, string>} versions  component to version
 *
 * @typedef {object} ExperimentArm
 * @property {string} id
 * @property {string} title
 * @property {string} [load]        of its own, where the experiment has several
 * @property {number} runs          that count
 * @property {number} invalid       left out
 * @property {number} suspect       counted, with doubts
 * @property {Doubt | null} doubt  how many of the runs that count are SUSPECT, and why; null when none is
 * @property {Record<string, Range>} metrics  by metric id, over the runs that count
 * @property {LedgerRow[]} ledger
 * @property {import('./result.js').Breakdown[]} breakdowns  the median of each figure over the runs that count
 * @property {string | null} typical_run  href
 * @property {Outcomes | null} [outcomes]  of the typical run; written from 2026-11-23 on
 * @property {Price | null} [price]     of the typical run; written from 2026-11-23 on
 * @property {ArmRun[]} all_runs
 *
 * @typedef {object} Price
 * @property {number} containers        that serve
 * @property {number | null} database_connections  open at once, the most of any second; of several databases added up; null where one was not
 *   asked
 * @property {number | null} backlog    writes that a queue had accepted and nobody had taken, the most of any second; null without a queue
 * @property {number | null} drained_after_s  from the end of the load until the queue was empty
 * @property {number | null} stale_share  of the reads; null where nobody counts them
 *
 * @typedef {object} Outcomes           requests a second, over the whole load; they add up to all of them
 * @property {number} done_rps          answered well, or behind a queue done while the load went on
 * @property {number} accepted_rps      that a queue had accepted, and that were not done while the load went on
 * @property {number} refused_rps       failures in which a tier said no by a rule or a limit of its own
 * @property {number} failed_rps        all others
 *
 * @typedef {object} PublishedTable
 * @property {string} source
 * @property {number | null} within      how near a measured figure is expected to be, such as 0.05 for 5 %; null where none is
 * @property {{ arm: string, figures: PublishedFigure[] }[]} arms
 *
 * @typedef {object} PublishedFigure
 * @property {string} metric             id
 * @property {string} label
 * @property {import('../catalog/metrics.js').Unit} unit
 * @property {number} published
 * @property {Range} measured  over the runs that count
 * @property {number | null} ratio       measured median over published
 * @property {boolean | null} near       within `within`; null where nothing is expected of this figure
 * @property {string | null} reason      why it is not near, as found out; null where it is, or where nothing is expected
 *
 * @typedef {object} Pair
 * @property {string} base
 * @property {string} other
 * @property {string} href          compare.html
 * @property {Verdict} verdict
 *
 * @typedef {object} ClaimResult
 * @property {string} id            such as `D3`
 * @property {string} statement     what was claimed
 * @property {string} source        by whom
 * @property {{ label: string, text: string }[]} published figures, each in words
 * @property {string} test          what decides it, in words, as fixed before the run
 * @property {string} delta         in words
 * @property {ClaimVerdict} verdict
 * @property {string} quote         to be quoted: the sentence, what decided it, and what SUSPECT runs change about it
 * @property {string} [sentence]    the sentence alone; written from 2026-11-22 on
 * @property {{ label: string, text: string, holds: boolean | null }[]} measured  figures with their intervals; null: decides nothing
 * @property {string[]} [remarks]   what decided it, what SUSPECT runs change about it, and the claim's own; written from 2026-11-26 on
 * @property {number} [rules]       version of the rules by which it was judged; those from before 2026-11-26 have none
 * @property {ClaimTest[]} tests    the parts of the test, for drawing, over all runs that count
 * @property {ArmDoubt[]} [doubts]  arms that it shows or rests on of which runs were SUSPECT; written from 2026-11-22 on
 * @property {WithoutSuspect | null} [without_suspect]  the same tests without what was SUSPECT; null where its tests rest on nothing SUSPECT
 * @property {Relief | null} relief
 * @property {{ label: string, href: string }[]} evidence  pages that show it
 *
 * @typedef {{ arm: string, doubt: Doubt }} ArmDoubt
 *
 * @typedef {object} WithoutSuspect   another verdict than that of all runs makes the claim INCONCLUSIVE
 * @property {ClaimVerdict} verdict
 * @property {(ClaimTest & { over: string | null, why?: string })[]} tests  over: what was read, in words; null where nothing could be, and why
 *
 * @typedef {object} ClaimTest
 * @property {string} label
 * @property {'runs' | 'published'} [basis]  what the estimate was read from: runs unless said otherwise
 * @property {'ratio' | 'difference' | 'share'} scale
 * @property {number} blocks         that had a figure
 * @property {number | null} estimate
 * @property {number | null} low
 * @property {number | null} high
 * @property {number} threshold
 * @property {'at least' | 'at most'} wanted  side of the threshold on which the claim holds
 * @property {number | null} published  the published figure on the same scale
 * @property {ClaimVerdict} verdict
 *
 * @typedef {object} Relief           the claim's accusation, tested by relieving the accused and, beside it, the rival
 * @property {string} sentence        "pool relieved: failures stay; balancer relieved: failures gone"
 * @property {Range} before           failure rate of the arm where nothing is relieved
 * @property {string} before_arm
 * @property {ReliefRow[]} rows
 *
 * @typedef {object} ReliefRow
 * @property {string} tier            that is relieved
 * @property {boolean} accused        by the claim
 * @property {string} arm             in which it is relieved
 * @property {string} relief          what was changed
 * @property {Range} after            failure rate
 * @property {'gone' | 'fewer' | 'stay' | 'more' | 'INCONCLUSIVE'} failures
 * @property {Doubt | null} [doubt]  of the arm's runs
 *
 *
 * @typedef {object} CurveResult      a metric against a number of nodes, workers or threads
 * @property {string} x_label         such as `nodes`
 * @property {string} metric          id
 * @property {string} metric_label
 * @property {import('../catalog/metrics.js').Unit} unit
 * @property {CurvePoint[]} points
 * @property {Usl | null} usl         null when it could not be fitted
 * @property {string | null} usl_refused  why there is no fit, or no peak
 * @property {number | null} knee     the x after which another one adds less than half of a linear share
 * @property {string | null} knee_refused  why no knee is looked for
 * @property {string} sentence
 *
 * @typedef {object} CurvePoint
 * @property {number} x
 * @property {string} arm
 * @property {Range} value
 * @property {number[]} values        one per run
 * @property {number | null} efficiency  of linear growth from the first point, 1 is linear
 * @property {Range} failure_rate
 *
 * @typedef {object} Usl              Universal Scalability Law: X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), Gunther 1993
 * @property {{ estimate: number, low: number, high: number }} lambda  throughput of one
 * @property {{ estimate: number, low: number, high: number }} sigma   contention
 * @property {{ estimate: number, low: number, high: number }} kappa   coherence
 * @property {{ n: number, value: number, low: number | null, high: number | null } | null} peak  null when it is not within reach of the data
 * @property {{ x: number, value: number, low: number, high: number }[]} line  fitted, with its band, within reach of the data
 * @property {string} method          how the interval was made
 */
export const EXPERIMENT_SCHEMA_VERSION = 1;

/**
 * By which rules a claim is judged. From version 2 on outcomes are judged by their interval, a run's doubt counts for the figures that it
 * can move, and a second look without SUSPECT runs counts only where it sees what the claim is about.
 */
export const JUDGING_RULES = 2;
