/**
 * The calibration: what one request of the document service costs each tier on this machine, measured without quotas on the
 * published system of two nodes. Computed budgets and the think time of patient users follow from it. It is kept in
 * reports/calibration.json, and in the manifest of each run that uses it.
 */

import { PATIENT_USERS } from '../../k6/lib/shapes.js';
import { NotReadyError } from '../base/errors.ts';
import { formatCommand } from '../base/format-command.ts';
import { capacityOf, isComputed, type PerTier, quotasOf } from '../catalog/budgets.ts';
import { baseImages, imagesFor } from '../catalog/shipped-services.ts';
import type { Result } from '../record/types.js';
import { isTakenUnder } from './accepted-options.ts';
import type { Settings } from './settings.ts';

export type Calibration = {
	/** its record, a folder below reports/ */
	run: string;
	/** ISO 8601 */
	measured: string;
	validity: 'VALID' | 'SUSPECT';
	machine: { cpu_model: string; cores: number; kernel: string };
	/** by the variables of the Compose files */
	images: Record<string, string>;
	git: { commit: string; changed: boolean } | null;
	/** CPU milliseconds a finished request */
	demand_ms: PerTier;
	throughput_rps: number;
	/** of the system of which a load asks a share */
	served?: Served;
};

/** what a system answers well when it is full, measured with as many users as calibrate it */
export type Served = {
	architecture: string;
	budget: string;
	/** of its own */
	variables: Record<string, string>;
	/** the median */
	rps: number;
	/** records, folders below reports/ */
	runs: string[];
};

/** what a calibration has to fit */
export type Here = {
	machine: { cpu_model: string; cores: number; kernel: string };
	/** by the variables of the Compose files */
	images: Record<string, string>;
};

/** what of a run follows from its calibration */
type Conditions = {
	/** in cores */
	quotas: PerTier;
	/** null where the scenario's own holds */
	think_time_s: number | null;
	/** requests a second, where they are asked for as a share; null otherwise */
	rate_rps: number | null;
};

/** What is run to calibrate: every tier is in it, at work and with room. */
export const CALIBRATION = Object.freeze({ architecture: '2a', load: 'calibrate', budget: 'none' });
/** What says what a system serves when it is full. */
export const SERVED_LOAD = 'full';
/** 2: what a system serves is measured when it is warm. */
export const CALIBRATION_SCHEMA_VERSION = 2;
/** Of which the file keeps as many, to show how far they are apart. */
export const READINGS_KEPT = 3;

/** Clouds move machines and neighbours change: after a day it is measured anew. The lab's own rule. */
const FRESH_MS = 24 * 60 * 60 * 1000;
/** A failed request costs less than a good one; with more of them than this the mean says nothing of either. */
const FAILED_MOST = 0.01;
const TIERS = ['app', 'load-balancer', 'database', 'generator'];

/** Images of the calibrated system. */
function calibratedImages(variables: Record<string, string>): Record<string, string> {
	const needed = imagesFor([CALIBRATION.architecture]);
	const foreign = Object.keys(baseImages).flatMap((name) => (needed.includes(name) ? [] : [baseImages[name].variable]));
	return Object.fromEntries(Object.entries(variables).filter(([variable]) => !foreign.includes(variable)));
}

/**
 * @param result of the calibration's run
 * @throws {NotReadyError} when nothing can be built on that run
 */
export function calibrationOf(
	result: Result,
	{ machine: { cpu_model, cores, kernel }, images, git }: Here & { git: Calibration['git'] },
): Calibration {
	const { validity, metrics, resources, run, started } = result;
	if (validity.verdict === 'INVALID') throw refusal(run, `its run is INVALID: ${validity.reasons.join('; ')}`);
	const failed = metrics.failure_rate;
	if (failed === null) throw refusal(run, 'none of its requests is on record');
	if (failed > FAILED_MOST) throw refusal(run, `${(failed * 100).toFixed(1)} % of its requests failed`);
	const costOf = (tier: string) =>
		Object.values(resources)
			.filter((resource) => resource.tier === tier)
			.reduce((sum, { cpu_cores: cpu }) => sum + (cpu.mean ?? Number.NaN), 0);
	const demand = Object.fromEntries(TIERS.map((tier) => [tier, round((costOf(tier) * 1000) / metrics.throughput_rps)]));
	const unread = TIERS.filter((tier) => !(demand[tier] > 0));
	if (unread.length > 0) throw refusal(run, `no CPU time could be read of ${unread.join(', ')}`);
	return {
		run,
		measured: started,
		validity: validity.verdict,
		machine: { cpu_model, cores, kernel },
		images: calibratedImages(images),
		git,
		demand_ms: demand,
		throughput_rps: metrics.throughput_rps,
	};
}

const refusal = (run: string, why: string) =>
	new NotReadyError(
		`The calibration reports/${run} cannot be used: ${why}.`,
		`end what else keeps the machine busy, then "${formatCommand(['calibrate'])}".`,
	);

/** Microseconds are more than it can be read to. */
const round = (ms: number) => Math.round(ms * 1000) / 1000;

/**
 * @param now milliseconds since 1970
 * @returns why it says nothing of a run here and now, or null
 */
export function whyUnfit(calibration: Calibration | null, here: Here, now: number): string | null {
	if (calibration === null) return 'none was made here yet';
	const { machine, images, measured } = calibration;
	if (machine.cpu_model !== here.machine.cpu_model || machine.cores !== here.machine.cores || machine.kernel !== here.machine.kernel)
		return `the last one is of another machine (${machine.cores} cores ${machine.cpu_model}, kernel ${machine.kernel})`;
	const wanted = calibratedImages(here.images);
	const other = Object.keys(wanted).find((variable) => images[variable] !== wanted[variable]);
	if (other) return `the last one was made with another image (${images[other] ?? `no ${other}`}, now ${wanted[other]})`;
	const age = now - Date.parse(measured);
	return age >= 0 && age < FRESH_MS ? null : `the last one is of ${measured}, and holds for a day`;
}

/** How far readings are apart in what a whole request costs: a machine that changes its speed changes the cost of all tiers alike. */
export const costSpread = (readings: Calibration[]) => spreadOf(readings.map(({ demand_ms: demand }) => requestCost(demand)));

/**
 * How far they are apart in the share that each tier has of it, from which the quotas follow: those are the same on a machine of half
 * the speed.
 */
export const shareSpreads = (readings: Calibration[]): PerTier =>
	Object.fromEntries(TIERS.map((tier) => [tier, spreadOf(readings.map(({ demand_ms: demand }) => demand[tier] / requestCost(demand)))]));

/** Milliseconds of CPU. */
const requestCost = (demand: PerTier) => TIERS.reduce((sum, tier) => sum + demand[tier], 0);

/** The largest less the smallest, as a share of the mean. */
function spreadOf(values: number[]) {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	return (Math.max(...values) - Math.min(...values)) / mean;
}

type Asked = Pick<Settings, 'architecture' | 'load' | 'budget' | 'variables' | 'think' | 'rate_share'>;

/** @returns whether its users think as long as the calibration says */
export const isPaced = ({ architecture, load }: Pick<Asked, 'architecture' | 'load'>): boolean => isTakenUnder('THINK', architecture, load);

/** @returns whether quotas, think time or rate of the run follow from a calibration, or would */
export const takesCalibration = (asked: Asked): boolean => isComputed(asked.budget) || isPaced(asked) || asked.rate_share !== null;

/** @returns whether it can be made with one alone: a think time may be given */
export const needsCalibration = (asked: Asked): boolean =>
	isComputed(asked.budget) || (isPaced(asked) && asked.think === null) || asked.rate_share !== null;

/**
 * @param cores of the host
 * @throws {NotReadyError} when a calibration is needed and there is none, or the budget does not fit the host
 */
export function conditionsOf(asked: Asked, cores: number, calibration: Calibration | null): Conditions {
	const quotas = quotasOf(asked.budget, cores, calibration?.demand_ms);
	const rate = asked.rate_share === null ? null : rateOfShare(asked.rate_share, servedBy(calibration));
	if (!isPaced(asked)) return { quotas, think_time_s: null, rate_rps: rate };
	if (asked.think !== null) return { quotas, think_time_s: asked.think / 1000, rate_rps: rate };
	if (calibration === null)
		throw new NotReadyError(
			`LOAD=${asked.load}: expected what a request costs each tier on this machine, from which the think time follows; found nothing.`,
			`measure it with "${formatCommand(['calibrate'])}", or give THINK= in milliseconds.`,
		);
	return { quotas, think_time_s: round(PATIENT_USERS / capacityOf({ quotas, cores, demandMs: calibration.demand_ms })), rate_rps: rate };
}

/** Whole requests a second, at least one. */
export const rateOfShare: (share: number, served: Served) => number = (share, { rps }) => Math.max(1, Math.round(share * rps));

function servedBy(calibration: Calibration | null) {
	if (calibration?.served) return calibration.served;
	throw new NotReadyError(
		'RATE: expected what the system serves when it is full, because a percentage needs it; found nothing.',
		'give RATE= in requests a second.',
	);
}

/** @returns whether it is of that very system */
export const isServedBy = (served: Served | undefined, { architecture, budget, variables }: Asked): boolean =>
	served !== undefined &&
	served.architecture === architecture &&
	served.budget === budget &&
	Object.keys(variables).every((name) => served.variables[name] === variables[name]);
