/**
 * The shape of `plan.json`: how many nodes a rate wants, by what an experiment over numbers of nodes measured. Rendering reads
 * this and computes nothing.
 *
 * @typedef {'measured' | 'fitted' | 'extrapolated'} Basis  read from runs; by the fit, within the numbers measured; by the fit or
 *   the model, where no run was made
 * @typedef {{ estimate: number, low: number, high: number }} Interval  95 %
 * @typedef {import('./comparison.js').Range} Range
 *
 * @typedef {object} CapacityPlan
 * @property {1} schema
 * @property {string} id              folder below reports/
 * @property {PlannedExperiment} experiment  that was read
 * @property {{ rps: number, p95_ms: number | null }} target
 * @property {string} command         makes it again
 * @property {string | null} index    link to the list of everything; null where there is none
 * @property {string} headline        in a few sentences
 * @property {'HOLDS' | 'REFUTED'} verdict  of the hold-out check; REFUTED: the plan is not to be trusted
 * @property {PlanDoubt | null} doubt   null where all runs are VALID
 * @property {number} nodes           the least number whose lower bound meets the target
 * @property {number} nodes_by_estimate  the least number whose estimate does
 * @property {NumberRow[]} numbers    every number of nodes that can be answered for, from 1
 * @property {{ measured: number, reach: number }} most  nodes: measured, and answered for
 * @property {number} most_rps        the largest rate that can be answered for, with the p95 asked for
 * @property {TierRow[]} tiers        at the target, with `nodes` nodes
 * @property {{ first: { tier: string, rps: number }, second: { tier: string, rps: number } | null }} saturates  first: of all tiers,
 *   with `nodes` nodes
 * @property {{ points: PointRow[], line: ({ n: number, value: number, low: number, high: number })[] }} curve  line: capacity, with
 *   its prediction interval
 * @property {{ lambda: number, sigma: number, kappa: number, method: string }} law
 * @property {HoldOut} hold_out
 * @property {DemandRow[]} demands    measured, of every tier with every number of nodes
 * @property {ModelRow[]} model       beside what was measured; empty where the experiment did not hold one number of users
 * @property {{ factor: number, measured: Range }} p95_over_mean  factor: of the plan; measured: in the runs, null where no mean was
 * @property {string[]} assumptions
 * @property {{ text: string, cores: number }} machine
 *
 * @typedef {object} PlannedExperiment
 * @property {string} id
 * @property {string} title
 * @property {string} href
 * @property {string} load
 * @property {string} load_title
 * @property {string} budget
 * @property {string} started         ISO 8601
 * @property {number} runs            that were read: VALID and SUSPECT
 * @property {number} left_out        INVALID
 * @property {{ complete: number, wanted: number }} blocks
 *
 * @typedef {object} PlanDoubt        of the runs that were read
 * @property {number} suspect
 * @property {number} runs
 * @property {string} text            why, in a clause
 * @property {boolean | null} differs  whether the VALID runs alone give another number of nodes; null where they are too few
 * @property {string} without         what the VALID runs alone give, in a sentence
 *
 * @typedef {object} NumberRow
 * @property {number} n
 * @property {Interval} capacity_rps  good requests a second; no more than the other tiers have CPU for
 * @property {{ tier: string, rps: number } | null} capped_by  that tier, where the nodes alone would serve more
 * @property {{ mean_ms: Response, p95_ms: Response } | null} response  at the target; null where the estimate does not bear it
 * @property {boolean} enough
 * @property {Basis} basis            of the capacity; a response is always extrapolated
 *
 * @typedef {{ estimate: number, low: number, high: number | null }} Response  high: with the low bound of the capacity; null where that
 *   does not bear the target
 *
 * @typedef {object} TierRow
 * @property {string} tier
 * @property {number} number          of servers
 * @property {number} demand_ms       CPU for a good request
 * @property {Basis} basis            of the demand
 * @property {number} full_rps        rate at which it has no CPU left
 * @property {number} busy            share of its CPU at the target, 0 to 1
 * @property {string} text
 *
 * @typedef {object} PointRow
 * @property {number} n
 * @property {string} arm
 * @property {number[]} values        goodput_rps, one per run
 * @property {Range} measured
 * @property {number} fitted
 *
 * @typedef {object} DemandRow
 * @property {string} tier
 * @property {number} n
 * @property {number} number          of servers
 * @property {number} cores           quota of all of them
 * @property {Range} demand_ms        CPU for a good request
 * @property {Range} busy             share of the quota, 0 to 1
 *
 * @typedef {object} ModelRow         at the users of the experiment
 * @property {number} n
 * @property {number} users
 * @property {number} measured_rps    median
 * @property {number} model_rps
 * @property {number | null} measured_ms  median of the runs' mean
 * @property {number} model_ms
 *
 * @typedef {object} HoldOut          fitted without the largest number of nodes
 * @property {number[]} fitted_on     numbers of nodes
 * @property {number} n               held out
 * @property {Interval} predicted
 * @property {Range} measured
 * @property {number} runs
 * @property {number} runs_inside
 * @property {boolean} inside         the measured median is in the interval
 * @property {string} sentence
 */
export const CAPACITY_SCHEMA_VERSION = 1;
