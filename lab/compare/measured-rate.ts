/**
 * The rate of a load that is asked for as a share, as in RATE=40%: of the most good answers a second that a run of that very system gave on this
 * machine. Users make the load of such a run; what a load at a rate gave is what was asked for. Of a scenario of the lab the calibration measures it.
 */
import { join, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Shape } from '../../k6/lib/shapes.js';
import { NotReadyError } from '../base/errors.ts';
import { formatProjectCommand } from '../base/format-command.ts';
import { RECORD, REPORTS } from '../base/paths.ts';
import type { Project } from '../catalog/project-schema.ts';
import { describeMachine } from '../docker/lock.ts';
import { formatOptions } from '../options/accepted-options.ts';
import type { Settings } from '../options/settings.ts';
import { readRecord } from '../record/excerpt-file.ts';
import type { Result } from '../record/types.js';
import type { Fingerprints, MeasuredRun } from '../run/run-target.ts';
import { tierName } from '../stats/figure-words.ts';
import { askedLoad } from '../target/run-options.ts';

export type { MeasuredRun };

/** what the run has to have been of */
type Wanted = {
	/** as the manifest of a run has them; none where its name says all */
	fingerprints: Fingerprints | undefined;
	/** cores by service, in the place of what the files say */
	quotas: Record<string, number>;
	machine: { cpu_model: string; cores: number; kernel: string };
};

/** shown: its folder, as it would be typed */
type Found = { shown: string; result: Result; manifest: any };

const OTHERWISE = 'or give RATE in requests a second.';
/** What gives a run to begin with: all users at once say soonest what a system serves. */
const MEASURE = `measure it with "${formatProjectCommand(['run'], ['LOAD=hold'])}"`;
const REMEDY = `${MEASURE}, name another run with RUN=<folder>, ${OTHERWISE}`;

/**
 * @returns null where the rate is a number, or the load a scenario of the lab
 * @throws {NotReadyError} where no run says what the system serves, or the load is a script, which has its own
 */
export async function measuredFor({
	settings,
	project,
	env: { RUN: run },
	fingerprints,
}: {
	/** of the arm of which it is a share */
	settings: Settings;
	project: Project;
	/** RUN: the folder of the run, the newest that is VALID unless given */
	env: Record<string, string | undefined>;
	fingerprints: () => Promise<Wanted['fingerprints']>;
}): Promise<MeasuredRun | null> {
	const { architecture: name, rate_share: share, cores } = settings;
	if (share === null || project.load.scenario !== undefined) return null;
	askedLoad(project.load, settings);
	const [text] = formatOptions(['RATE'], settings);
	const found = run ? await namedRun(run) : await newestRun(name);
	if (found === null)
		throw new NotReadyError(
			`${text}: expected a VALID run of ${name} under users in ${relative(process.cwd(), join(REPORTS, name))}, of whose good answers a second it is a share; found none.`,
			`${MEASURE}, ${OTHERWISE}`,
		);
	const wanted = { fingerprints: await fingerprints(), quotas: cores ?? {}, machine: await describeMachine() };
	return rateOf({ share, text, found, wanted });
}

/**
 * A load whose rate was asked for as a share, named so on pages.
 * @param measured null where the rate is a number
 */
export const shapeOfShare = (shape: Shape, measured: MeasuredRun | null) =>
	measured === null ? shape : { ...shape, title: `${shape.title} (${measured.share})` };

/** What was given, with the rate in the place of the share. */
export const withRate: <T extends Record<string, string | undefined>>(env: T, measured: MeasuredRun) => T = (env, { rate }) => ({
	...env,
	RATE: String(rate),
});

async function namedRun(run: string): Promise<Found> {
	const folder = resolve(run);
	const result = await readRecord(folder, RECORD.result);
	const manifest = await readRecord(folder, RECORD.manifest);
	if (result === null || manifest === null)
		throw new NotReadyError(
			`RUN: expected the folder of a run, of whose good answers RATE is a share; found "${run}".`,
			`name one that "${formatProjectCommand(['list'])}" shows, or leave it out.`,
		);
	return { shown: run, result, manifest };
}

async function newestRun(name: string): Promise<Found | null> {
	const { readResults } = await import('../report/reports.ts');
	const fitting = (await readResults()).find(({ path, result }) => path.startsWith(`${name}/`) && unfitFor(result) === null);
	if (fitting === undefined) return null;
	const folder = join(REPORTS, fitting.path);
	const manifest = await readRecord(folder, RECORD.manifest);
	return manifest === null ? null : { shown: relative(process.cwd(), folder), result: fitting.result, manifest };
}

/**
 * Why a run can say nothing of what a system serves, whatever that is.
 * @returns a clause
 */
function unfitFor({
	validity,
	stages,
	faults,
	interrupted,
}: Pick<Result, 'validity' | 'stages' | 'faults' | 'interrupted'>): string | null {
	if (validity.verdict !== 'VALID') return `which is ${validity.verdict}`;
	if (interrupted) return 'which was interrupted';
	if (faults.length > 0) return 'in which something was broken on purpose';
	return stages[0]?.unit === 'users' ? null : 'whose load no users made, so that it gave as much as was asked for';
}

/**
 * @param asked text: as it was given
 * @throws {NotReadyError} naming what of the run does not fit
 */
function rateOf({
	share,
	text,
	found: { shown, result, manifest },
	wanted,
}: {
	share: number;
	text: string;
	found: Found;
	wanted: Wanted;
}): MeasuredRun {
	const why = unfitFor(result) ?? otherThan(manifest, wanted) ?? limitedBy(result);
	if (why !== null)
		throw new NotReadyError(
			`${text}: expected a VALID run under users of the system as it is now, on this machine; found ${shown}, ${why}.`,
			REMEDY,
		);
	const { target, goodput_rps: rps } = fullest(result);
	const rate = Math.max(1, Math.round(share * Number(rps)));
	const full =
		result.bottleneck === null
			? 'nothing was seen to be full there, so that it may serve more'
			: `full there: ${tierName(result.bottleneck.tier)}`;
	const most = `${Math.round(Number(rps))} good answers a second that ${shown} gave at most`;
	const said = `${text} is ${rate} requests a second, of the ${most}, to ${target} users; ${full}.`;
	return { rate, share: `${text.replace('RATE=', '').replace('%', ' %')} of the ${most}`, said, shown, images: manifest.images ?? [] };
}

/** The part of a load in which most was answered well: of those that were held, where there are any. */
function fullest({ stages }: Pick<Result, 'stages'>) {
	const held = stages.filter((stage) => stage.held);
	return (held.length > 0 ? held : stages).reduce((best, stage) => (Number(stage.goodput_rps) > Number(best.goodput_rps) ? stage : best));
}

function otherThan({ machine, system, quotas_cores: quotas }: any, wanted: Wanted): string | null {
	const { cpu_model: cpu, cores, kernel } = wanted.machine;
	if (machine.cpu_model !== cpu || machine.cores !== cores || machine.kernel !== kernel)
		return `of another machine (${machine.cores} cores ${machine.cpu_model}, kernel ${machine.kernel})`;
	if (system?.fingerprints === undefined) return 'whose record does not say what was measured';
	if (system.fingerprints.files !== wanted.fingerprints?.files)
		return 'of which Compose made something else: its files, .env or variables have changed';
	if (system.fingerprints.load !== wanted.fingerprints?.load)
		return 'of which doubletake.yaml said something else, of its services or of what is asked';
	return isDeepStrictEqual(quotas, wanted.quotas) ? null : 'which was made with another BUDGET';
}

function limitedBy(result: Pick<Result, 'bottleneck' | 'stages'>): string | null {
	if (result.bottleneck?.tier === 'generator') return 'in which the generator was the limit, and not the system';
	return Number(fullest(result).goodput_rps) >= 1 ? null : 'which gave less than one good answer a second';
}
