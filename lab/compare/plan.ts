/**
 * The shape of an experiment's manifest: everything that is decided before its first run, and the runs made so far. An
 * interrupted experiment is resumed from it, and judged by what stands in it.
 *
 * @typedef {import('../options/arms.ts').Arm} Arm
 *
 * @typedef {object} Plan
 * @property {2} schema
 * @property {string} id             folder below reports/
 * @property {string} experiment     key of the table, or `compare`; of a user's file `experiment`, and its name
 * @property {string} title
 * @property {string} question
 * @property {string} load           of all arms that have none of their own
 * @property {string} budget
 * @property {number} repeats        blocks
 * @property {number} seed           of the random order
 * @property {import('../options/settings.ts').ImageMode} images
 * @property {Record<string, string>} variables  of the command line, for all arms
 * @property {import('../options/calibration.ts').Calibration | null} [calibration]  of all its runs, since its first; null when none needs it
 * @property {number | null} [think_time_s]  of all its runs, where it follows from the calibration
 * @property {Record<string, KeptLoad>} [loads]  by their names, where these do not say what they are
 * @property {boolean} [allow_data]  the user has said that what a run could harm may be harmed
 * @property {import('../options/allowed.ts').Allowed} [allowed]  and what else; of both a plan that is gone on with is told anew
 * @property {string} [file]         in which an experiment is said, as a shell takes it; missing where that is experiment.yaml, and for those of the
 *   table
 * @property {Arm[]} arms
 * @property {[string, string][]} pairs
 * @property {import('../catalog/experiments.ts').Curve | null} curve
 * @property {string[][]} schedule   arms in the order of their runs, block by block
 * @property {import('../catalog/claims.ts').Claim[]} claims  as they stood before the first run
 * @property {string | null} claims_hash  SHA-256 of their JSON
 * @property {Definition | null} [definition]  the experiment's whole entry as it stood before the first run: the claims, and their tests
 *   it may be; null for a comparison, missing in plans made before it was kept
 * @property {string | null} [definition_hash]  SHA-256 of its JSON
 * @property {import('../stats/any-look.ts').AnyLook | null} [stopping]  by which it may end early
 * @property {string | null} [stopping_hash]
 * @property {import('../record/types.js').Control | null} control
 * @property {Baseline | null} baseline  runs of an earlier experiment that stand for the first arm
 * @property {string} command        repeats it
 * @property {Record<string, any>} machine
 * @property {{ commit: string, changed: boolean } | null} git
 * @property {Pick<Lab, 'version'>} [lab]  that measured; missing in plans made before it was kept
 * @property {string} started        ISO 8601
 * @property {string | null} ended   null while runs are missing
 * @property {import('../options/settings.ts').Settings['busy']} [busy]  of this machine now: given anew when it goes on
 * @property {number} [attempts_most]  how often a run is made at most while it is INVALID; twice where it is missing
 * @property {Attempt[]} attempts    runs made so far, in order
 * @property {string[]} notes
 *
 * @typedef {object} KeptLoad
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {Pick<import('../catalog/project-schema.ts').ProjectLoad, 'script' | 'shape' | 'users' | 'think_ms'>} change  in what it is another
 *   than doubletake.yaml's
 * @property {number | null} [think_s]  that its users think; null where a script says it, missing in plans made before it was kept
 * @property {string} fingerprint    of doubletake.yaml and of what it says of the load
 *
 * @typedef {import('../catalog/experiments.ts').Experiment & { claims: import('../catalog/claims.ts').Claim[] }} Definition
 *
 * @typedef {object} Baseline
 * @property {string} arm            that they stand for; it is in no block
 * @property {string} from           the earlier experiment's id; of several the newest one's, as is what follows
 * @property {string} started        ISO 8601
 * @property {boolean} same_machine
 * @property {{ from: string, started: string, runs: number }[]} [history]  of several, newest first; their runs follow each other in attempts
 * @property {Attempt[]} attempts    copied into this experiment's folder
 *
 * @typedef {{ version: string, git: Plan['git'] }} Lab
 *
 * @typedef {object} Attempt
 * @property {number} block          from 1
 * @property {string} arm
 * @property {string} run            folder below reports/
 * @property {'VALID' | 'SUSPECT' | 'INVALID'} validity
 * @property {number} took_s         the whole run, from nothing to nothing
 * @property {Record<string, string>} [images]  ids of the images that were built for it, by service
 */
export const PLAN_SCHEMA_VERSION = 2;

/**
 * The first version had what it kept of a user's own system under that name, and at first of its only load alone.
 * @param {any} plan  as it was read
 * @returns {Plan} in the shape of today
 */
export function planOfToday({ own, arms, ...plan }) {
	const { shape, fingerprint, loads = shape && { [plan.load]: { shape, change: {}, fingerprint } }, ...others } = own ?? {};
	return { ...plan, schema: PLAN_SCHEMA_VERSION, ...others, ...(loads && { loads }), arms: arms.map(armOfToday) };
}

/** The same of an arm. @type {(arm: any) => Arm} */
export const armOfToday = ({ own, ...arm }) => (own ? { ...arm, resolved: own } : arm);

/** @param {Pick<Plan, 'arms' | 'load'>} plan @returns {string[]} the loads of its arms, in the order of the arms */
export const loadsOf = ({ arms, load }) => [...new Set(arms.map((arm) => arm.load ?? load))];

/**
 * What of a plan is made under one of its loads.
 * @template {Pick<Plan, 'arms' | 'load'>} Part
 * @param {Part} plan
 * @param {string} load
 * @returns {Part}
 */
export const partUnder = (plan, load) => ({ ...plan, load, arms: plan.arms.filter((arm) => (arm.load ?? plan.load) === load) });

/** The group below reports/ of comparisons that are in no table; they have a page of their own and no experiment around it. */
export const COMPARE = 'compare';

/** An experiment of `compare`. */
export const VALUES = 'values';

/** @param {string} experiment */
export const askedBy = (experiment) => /** @type {keyof typeof ASKED} */ ([COMPARE, VALUES].includes(experiment) ? COMPARE : 'experiment');

/** By how many p is multiplied (Bonferroni). @param {Pick<Plan, 'experiment' | 'pairs'>} plan */
export const comparedAtOnce = ({ experiment, pairs }) => (experiment === VALUES ? pairs.length : 1);

/** What each command asks of a folder. */
export const ASKED = {
	[COMPARE]: { command: COMPARE, or: 'two architectures' },
	experiment: { command: 'experiment', or: 'the id of an experiment of Doubletake' },
};

/** What all runs of a plan have of the command line. @param {Plan} plan @returns {Record<string, string | undefined>} */
export const givenToAll = ({ images, seed, busy, variables }) => ({ IMAGES: images, SEED: String(seed), BUSY: busy, ...variables });

/**
 * What was built for the runs of an arm so far.
 * @param {Pick<Plan, 'attempts'>} plan
 * @param {string} arm
 */
export const imagesOf = ({ attempts }, arm) => attempts.findLast((attempt) => attempt.arm === arm)?.images ?? {};

/**
 * Dozens of runs would bury the experiment's own lines; doubts are kept, and what may take minutes. What there is to say of the system is the same
 * for each run, and is said once.
 * @param {import('../cli/reporter.ts').Progress} progress
 * @param {Set<string>} said  added to
 * @returns {import('../cli/reporter.ts').Progress}
 */
export const quietly = (progress, said) => ({
	...progress,
	say: (text) => {
		if (/^(note:|still there:|building |pulling |the machine is )/.test(text) && !said.has(text)) progress.say(text);
		said.add(text);
	},
});
