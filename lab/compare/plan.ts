/**
 * The shape of an experiment's manifest: everything that is decided before its first run, and the runs made so far. An
 * interrupted experiment is resumed from it, and judged by what stands in it.
 */
export type Plan = {
	schema: 2;
	/** folder below reports/ */
	id: string;
	/** key of the table, or `compare`; of a user's file `experiment`, and its name */
	experiment: string;
	title: string;
	question: string;
	/** of all arms that have none of their own */
	load: string;
	budget: string;
	/** blocks */
	repeats: number;
	/** of the random order */
	seed: number;
	images: ImageMode;
	/** of the command line, for all arms */
	variables: Record<string, string>;
	/** of all its runs, since its first; null when none needs it */
	calibration?: Calibration | null;
	/** of all its runs, where it follows from the calibration */
	think_time_s?: number | null;
	/** by their names, where these do not say what they are */
	loads?: Record<string, KeptLoad>;
	/** the user has said that what a run could harm may be harmed */
	allow_data?: boolean;
	/** and what else; of both a plan that is gone on with is told anew */
	allowed?: Allowed;
	/** in which an experiment is said, as a shell takes it; missing where that is experiment.yaml, and for those of the table */
	file?: string;
	arms: Arm[];
	pairs: [string, string][];
	curve: Curve | null;
	/** arms in the order of their runs, block by block */
	schedule: string[][];
	/** as they stood before the first run */
	claims: Claim[];
	/** SHA-256 of their JSON */
	claims_hash: string | null;
	/** the experiment's whole entry as it stood before the first run: the claims, and their tests it may be; null for a comparison, missing in plans made before it was kept */
	definition?: Definition | null;
	/** SHA-256 of its JSON */
	definition_hash?: string | null;
	/** by which it may end early */
	stopping?: AnyLook | null;
	stopping_hash?: string | null;
	control: Control | null;
	/** runs of an earlier experiment that stand for the first arm */
	baseline: Baseline | null;
	/** repeats it */
	command: string;
	machine: Record<string, any>;
	git: { commit: string; changed: boolean } | null;
	/** that measured; missing in plans made before it was kept */
	lab?: Pick<Lab, 'version'>;
	/** ISO 8601 */
	started: string;
	/** null while runs are missing */
	ended: string | null;
	/** of this machine now: given anew when it goes on */
	busy?: Settings['busy'];
	/** how often a run is made at most while it is INVALID; twice where it is missing */
	attempts_most?: number;
	/** runs made so far, in order */
	attempts: Attempt[];
	notes: string[];
};

export type KeptLoad = {
	shape: Shape;
	/** in what it is another than doubletake.yaml's */
	change: Pick<ProjectLoad, 'script' | 'shape' | 'users' | 'think_ms'>;
	/** that its users think; null where a script says it, missing in plans made before it was kept */
	think_s?: number | null;
	/** of doubletake.yaml and of what it says of the load */
	fingerprint: string;
};

export type Definition = Experiment & { claims: Claim[] };

type Baseline = {
	/** that they stand for; it is in no block */
	arm: string;
	/** the earlier experiment's id; of several the newest one's, as is what follows */
	from: string;
	/** ISO 8601 */
	started: string;
	same_machine: boolean;
	/** of several, newest first; their runs follow each other in attempts */
	history?: { from: string; started: string; runs: number }[];
	/** copied into this experiment's folder */
	attempts: Attempt[];
};

export type Lab = { version: string; git: Plan['git'] };

export type Attempt = {
	/** from 1 */
	block: number;
	arm: string;
	/** folder below reports/ */
	run: string;
	validity: 'VALID' | 'SUSPECT' | 'INVALID';
	/** the whole run, from nothing to nothing */
	took_s: number;
	/** ids of the images that were built for it, by service */
	images?: Record<string, string>;
};

import type { Shape } from '../../k6/lib/shapes.js';
import type { Progress } from '../base/progress.ts';
import type { Claim } from '../catalog/claims.ts';
import type { Curve, Experiment } from '../catalog/experiments.ts';
import type { ImageMode } from '../catalog/image-mode.ts';
import type { ProjectLoad } from '../catalog/project-schema.ts';
import type { Allowed } from '../options/allowed.ts';
import type { Arm } from '../options/arms.ts';
import type { Calibration } from '../options/calibration.ts';
import type { Settings } from '../options/settings.ts';
import type { Control } from '../record/types.js';
import type { AnyLook } from '../stats/any-look.ts';

export type { Arm };

export const PLAN_SCHEMA_VERSION = 2;

/**
 * The first version had what it kept of a user's own system under that name, and at first of its only load alone.
 * @param plan as it was read
 * @returns in the shape of today
 */
export function planOfToday({ own, arms, ...plan }: any): Plan {
	const { shape, fingerprint, loads = shape && { [plan.load]: { shape, change: {}, fingerprint } }, ...others } = own ?? {};
	return { ...plan, schema: PLAN_SCHEMA_VERSION, ...others, ...(loads && { loads }), arms: arms.map(armOfToday) };
}

/** The same of an arm. */
export const armOfToday: (arm: any) => Arm = ({ own, ...arm }) => (own ? { ...arm, resolved: own } : arm);

/** @returns the loads of its arms, in the order of the arms */
export const loadsOf = ({ arms, load }: Pick<Plan, 'arms' | 'load'>): string[] => [...new Set(arms.map((arm) => arm.load ?? load))];

/** What of a plan is made under one of its loads. */
export const partUnder = <Part extends Pick<Plan, 'arms' | 'load'>>(plan: Part, load: string): Part => ({
	...plan,
	load,
	arms: plan.arms.filter((arm) => (arm.load ?? plan.load) === load),
});

/** The group below reports/ of comparisons that are in no table; they have a page of their own and no experiment around it. */
export const COMPARE = 'compare';

/** An experiment of `compare`. */
export const VALUES = 'values';

export const askedBy = (experiment: string) => ([COMPARE, VALUES].includes(experiment) ? COMPARE : 'experiment') as keyof typeof ASKED;

/** By how many p is multiplied (Bonferroni). */
export const comparedAtOnce = ({ experiment, pairs }: Pick<Plan, 'experiment' | 'pairs'>) => (experiment === VALUES ? pairs.length : 1);

/** What each command asks of a folder. */
export const ASKED = {
	[COMPARE]: { command: COMPARE, or: 'two architectures' },
	experiment: { command: 'experiment', or: 'the id of an experiment of Doubletake' },
};

/** What all runs of a plan have of the command line. */
export const givenToAll = ({ images, seed, busy, variables }: Plan): Record<string, string | undefined> => ({
	IMAGES: images,
	SEED: String(seed),
	BUSY: busy,
	...variables,
});

/** What was built for the runs of an arm so far. */
export const imagesOf = ({ attempts }: Pick<Plan, 'attempts'>, arm: string) =>
	attempts.findLast((attempt) => attempt.arm === arm)?.images ?? {};

/**
 * Dozens of runs would bury the experiment's own lines; doubts are kept, and what may take minutes. What there is to say of the system is the same
 * for each run, and is said once.
 * @param said added to
 */
export const quietly = (progress: Progress, said: Set<string>): Progress => ({
	...progress,
	say: (text) => {
		if (/^(note:|still there:|building |pulling |the machine is )/.test(text) && !said.has(text)) progress.say(text);
		said.add(text);
	},
});
