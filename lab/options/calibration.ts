/**
 * The calibration: what one request of the document service costs each tier on this machine, measured without quotas on the
 * published system of two nodes. Computed budgets and the think time of patient users follow from it. It is kept in
 * reports/calibration.json, and in the manifest of each run that uses it.
 *
 * @typedef {object} Calibration
 * @property {string} run       its record, a folder below reports/
 * @property {string} measured  ISO 8601
 * @property {'VALID' | 'SUSPECT'} validity
 * @property {{ cpu_model: string, cores: number, kernel: string }} machine
 * @property {Record<string, string>} images  by the variables of the Compose files
 * @property {{ commit: string, changed: boolean } | null} git
 * @property {PerTier} demand_ms  CPU milliseconds a finished request
 * @property {number} throughput_rps
 * @property {Served} [served]  of the system of which a load asks a share
 *
 * @typedef {object} Served     what a system answers well when it is full, measured with as many users as calibrate it
 * @property {string} architecture
 * @property {string} budget
 * @property {Record<string, string>} variables  of its own
 * @property {number} rps       the median
 * @property {string[]} runs    records, folders below reports/
 *
 * @typedef {object} Here       what a calibration has to fit
 * @property {{ cpu_model: string, cores: number, kernel: string }} machine
 * @property {Record<string, string>} images  by the variables of the Compose files
 *
 * @typedef {object} Conditions what of a run follows from its calibration
 * @property {PerTier} quotas  in cores
 * @property {number | null} think_time_s  null where the scenario's own holds
 * @property {number | null} rate_rps      requests a second, where they are asked for as a share; null otherwise
 *
 * @import { Shape } from '../../k6/lib/shapes.js'
 * @import { PerTier } from '../catalog/budgets.ts'
 * @import { Result } from '../record/types.js'
 * @import { Settings } from './settings.ts'
 */

import { loadDuration, loadStart, PATIENT_USERS } from '../../k6/lib/shapes.js';
import { NotReadyError } from '../base/errors.ts';
import { formatCommand } from '../base/format-command.ts';
import { capacityOf, isComputed, quotasOf } from '../catalog/budgets.ts';
import { baseImages, imagesFor } from '../catalog/shipped-services.ts';
import { isTakenUnder } from './accepted-options.ts';

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

/** Images of the calibrated system. @type {(variables: Record<string, string>) => Record<string, string>} */
function calibratedImages(variables) {
	const needed = imagesFor([CALIBRATION.architecture]);
	const foreign = Object.keys(baseImages).flatMap((name) => (needed.includes(name) ? [] : [baseImages[name].variable]));
	return Object.fromEntries(Object.entries(variables).filter(([variable]) => !foreign.includes(variable)));
}

/**
 * @param {Result} result  of the calibration's run
 * @param {Here & { git: Calibration['git'] }} here
 * @returns {Calibration}
 * @throws {NotReadyError} when nothing can be built on that run
 */
export function calibrationOf(result, { machine: { cpu_model, cores, kernel }, images, git }) {
	const { validity, metrics, resources, run, started } = result;
	if (validity.verdict === 'INVALID') throw refusal(run, `its run is INVALID: ${validity.reasons.join('; ')}`);
	const failed = metrics.failure_rate;
	if (failed === null) throw refusal(run, 'none of its requests is on record');
	if (failed > FAILED_MOST) throw refusal(run, `${(failed * 100).toFixed(1)} % of its requests failed`);
	const costOf = (/** @type {string} */ tier) =>
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

/** @param {string} run @param {string} why */
const refusal = (run, why) =>
	new NotReadyError(
		`The calibration reports/${run} cannot be used: ${why}.`,
		`end what else keeps the machine busy, then "${formatCommand(['calibrate'])}".`,
	);

/** Microseconds are more than it can be read to. @param {number} ms */
const round = (ms) => Math.round(ms * 1000) / 1000;

/**
 * @param {Calibration | null} calibration
 * @param {Here} here
 * @param {number} now  milliseconds since 1970
 * @returns {string | null} why it says nothing of a run here and now, or null
 */
export function whyUnfit(calibration, here, now) {
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

/**
 * How far readings are apart in what a whole request costs: a machine that changes its speed changes the cost of all tiers alike.
 * @param {Calibration[]} readings
 */
export const costSpread = (readings) => spreadOf(readings.map(({ demand_ms: demand }) => requestCost(demand)));

/**
 * How far they are apart in the share that each tier has of it, from which the quotas follow: those are the same on a machine of half
 * the speed.
 * @param {Calibration[]} readings
 * @returns {PerTier}
 */
export const shareSpreads = (readings) =>
	Object.fromEntries(TIERS.map((tier) => [tier, spreadOf(readings.map(({ demand_ms: demand }) => demand[tier] / requestCost(demand)))]));

/** Milliseconds of CPU. @param {PerTier} demand */
const requestCost = (demand) => TIERS.reduce((sum, tier) => sum + demand[tier], 0);

/** The largest less the smallest, as a share of the mean. @param {number[]} values */
function spreadOf(values) {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	return (Math.max(...values) - Math.min(...values)) / mean;
}

/** @typedef {Pick<Settings, 'architecture' | 'load' | 'budget' | 'variables' | 'think' | 'rate_share'>} Asked */

/** @param {Pick<Asked, 'architecture' | 'load'>} asked @returns {boolean} whether its users think as long as the calibration says */
export const isPaced = ({ architecture, load }) => isTakenUnder('THINK', architecture, load);

/** @param {Asked} asked @returns {boolean} whether quotas, think time or rate of the run follow from a calibration, or would */
export const takesCalibration = (asked) => isComputed(asked.budget) || isPaced(asked) || asked.rate_share !== null;

/** @param {Asked} asked @returns {boolean} whether it can be made with one alone: a think time may be given */
export const needsCalibration = (asked) =>
	isComputed(asked.budget) || (isPaced(asked) && asked.think === null) || asked.rate_share !== null;

/**
 * @param {Asked} asked
 * @param {number} cores of the host
 * @param {Calibration | null} calibration
 * @returns {Conditions}
 * @throws {NotReadyError} when a calibration is needed and there is none, or the budget does not fit the host
 */
export function conditionsOf(asked, cores, calibration) {
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

/** Whole requests a second, at least one. @type {(share: number, served: Served) => number} */
export const rateOfShare = (share, { rps }) => Math.max(1, Math.round(share * rps));

/** @param {Calibration | null} calibration */
function servedBy(calibration) {
	if (calibration?.served) return calibration.served;
	throw new NotReadyError(
		'RATE: expected what the system serves when it is full, because a percentage needs it; found nothing.',
		'give RATE= in requests a second.',
	);
}

/** @param {Served | undefined} served @param {Asked} asked @returns {boolean} whether it is of that very system */
export const isServedBy = (served, { architecture, budget, variables }) =>
	served !== undefined &&
	served.architecture === architecture &&
	served.budget === budget &&
	Object.keys(variables).every((name) => served.variables[name] === variables[name]);

/*
 * How long runs take, as far as that is known before they are made.
 */

/** What a run takes beside its load, as measured: stack up, collecting, stack down, analysis. */
const OVERHEAD_S = 17;

/** @param {Shape} shape @returns {number} seconds */
export const secondsOfRun = (shape) => (shape.expected_s ?? loadStart(shape) + loadDuration(shape)) + OVERHEAD_S;
