/**
 * Measures what a request costs each tier here, and keeps the latest readings. A run that needs it takes the newest one that
 * fits this machine and these images, and measures it first where there is none.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { makePrivate } from '../base/files.ts';
import { CALIBRATION_FILE, REPORTS } from '../base/paths.ts';
import type { Around, Progress } from '../base/progress.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { capacityOf } from '../catalog/budgets.ts';
import type { ImageMode } from '../catalog/image-mode.ts';
import { ensureImages } from '../docker/images.ts';
import { describeMachine, takeLock } from '../docker/lock.ts';
import { acceptedBy, refuseAllBut } from '../options/accepted-options.ts';
import type { Calibration, Here, Served } from '../options/calibration.ts';
import {
	CALIBRATION,
	CALIBRATION_SCHEMA_VERSION,
	calibrationOf,
	conditionsOf,
	isPaced,
	isServedBy,
	needsCalibration,
	READINGS_KEPT,
	SERVED_LOAD,
	whyUnfit,
} from '../options/calibration.ts';
import type { Settings } from '../options/settings.ts';
import { readSettings } from '../options/settings.ts';
import type { Use } from '../report/calibration.ts';
import { formatCalibration } from '../report/calibration.ts';
import { finishRun, writeIndex } from '../report/reports.ts';
import { readCommit } from '../run/components.ts';
import { targetOf } from '../run/project/target.ts';
import { runTarget } from '../run/run-target.ts';
import { median } from '../stats/numbers.ts';
import { describedAs } from '../target/described.ts';
import type { Plan } from './plan.ts';
import { settingsOf } from './planned-systems.ts';

/** Its runs' folder below reports/. */
const GROUP = 'calibration';
/** Stack up, 6 s of warm-up, 12 s of load, stack down, as measured. */
const TAKES = 'about 40 s';
/** The same with 30 s of warm-up and 15 s of load. */
const SERVED_TAKES = 'about 70 s';
/** Runs of which the median says what a system serves when it is full: one is off by a tenth now and then (measured). */
const SERVED_RUNS = 3;

type Asked = {
	/** of the run that needs it */
	settings: Settings;
	progress: Progress;
	signal: AbortSignal;
};

/**
 * The calibration that a run takes its quotas and its think time from; measured now where none is there that fits. To be
 * called while the lock is held.
 * @returns null when the run takes nothing from one
 * @throws {NotReadyError} when what was measured can be no calibration
 */
export async function calibrationFor({ settings, progress, signal }: Asked): Promise<Calibration | null> {
	if (!needsCalibration(settings)) return null;
	const newest = (await readReadings()).at(-1) ?? null;
	const why = whyUnfit(newest, await describeHere(settings.images, progress, signal), Date.now());
	if (why !== null) progress.say(`calibrating first, ${TAKES}: what a request costs each tier here (${why})`);
	const calibration = newest !== null && why === null ? newest : await measureCalibration(settings, progress, signal);
	if (settings.rate_share === null || isServedBy(calibration.served, settings)) return calibration;
	const served = await measureServed(settings, calibration, { progress, signal });
	await keep({ ...calibration, served });
	return { ...calibration, served };
}

/**
 * What the very system of a run serves when it is full, of which its load is a share.
 * @throws {NotReadyError} when a run of it can be no measure
 */
async function measureServed(
	{ architecture, budget, variables, images, busy }: Settings,
	calibration: Calibration,
	{ progress, signal }: Omit<Asked, 'settings'>,
): Promise<Served> {
	progress.say(`measuring ${SERVED_RUNS} times first, ${SERVED_TAKES} each: what ${architecture} serves when it is full`);
	const settings = readSettings(architecture, { IMAGES: images, BUSY: busy, LOAD: SERVED_LOAD, BUDGET: budget, ...variables });
	const found: { rps: number; run: string }[] = [];
	while (found.length < SERVED_RUNS) {
		const { metrics, run } = await countingRun(settings, { progress, signal }, calibration);
		found.push({ rps: metrics.goodput_rps, run });
	}
	const rps = median(found.map((one) => one.rps)) ?? 0;
	if (rps < 1)
		throw new NotReadyError(
			`RATE: expected ${architecture} to serve at least one request a second when it is full; found ${rps}.`,
			'give RATE= in requests a second.',
		);
	return { architecture, budget, variables, rps, runs: found.map(({ run }) => run) };
}

/**
 * Measures it, and says how far the latest readings are apart and what follows from the newest.
 * @param env IMAGES, BUSY
 * @returns exit code
 */
export async function calibrate(env: Record<string, string | undefined>, { reporter, signal }: Around): Promise<number> {
	refuseAllBut('a calibration', acceptedBy('calibrate'), env);
	const asked = calibrationSettings(env);
	const release = await takeLock(reporter.progress.say);
	try {
		const newest = await measureCalibration(asked, reporter.progress, signal);
		await writeIndex();
		// Only those of one machine and one set of images can agree.
		const readings = (await readReadings()).filter((reading) => whyUnfit(reading, newest, Date.parse(newest.measured)) === null);
		const found = { readings, uses: usesOf(newest) };
		const file = relative(process.cwd(), CALIBRATION_FILE);
		reporter.tell(formatCalibration({ ...found, file }));
		reporter.give({ file, result: found });
		return EXIT.done;
	} finally {
		await release();
	}
}

const calibrationSettings = (env: Record<string, string | undefined>) =>
	readSettings(CALIBRATION.architecture, { IMAGES: env.IMAGES, BUSY: env.BUSY, LOAD: CALIBRATION.load, BUDGET: CALIBRATION.budget });

async function measureCalibration(
	{ images, busy }: Pick<Settings, 'images' | 'busy'>,
	progress: Progress,
	signal: AbortSignal,
): Promise<Calibration> {
	const settings = calibrationSettings({ IMAGES: images, BUSY: busy });
	const here = await describeHere(images, progress, signal);
	const result = await countingRun(settings, { progress, signal });
	const calibration = calibrationOf(result, here);
	if (calibration.validity !== 'VALID')
		progress.say(`note: the calibration is ${calibration.validity}: ${result.validity.reasons.join('; ')}`);
	await keep(calibration);
	return calibration;
}

/**
 * A run, made once more where it is INVALID.
 * @param calibration for a computed budget
 */
async function countingRun(settings: Settings, { progress, signal }: Omit<Asked, 'settings'>, calibration: Calibration | null = null) {
	const run = async () => {
		const target = await targetOf({ ...describedAs(settings.architecture), settings, calibration, group: GROUP });
		const { folder } = await runTarget(target, { progress, signal });
		signal.throwIfAborted();
		return finishRun(folder);
	};
	const result = await run();
	if (result.validity.verdict !== 'INVALID') return result;
	progress.say(`measuring once more: ${result.validity.reasons.join('; ')}`);
	return run();
}

async function describeHere(mode: ImageMode, { say }: Progress, signal: AbortSignal): Promise<Here & { git: Calibration['git'] }> {
	const { variables } = await ensureImages({ mode, architectures: [CALIBRATION.architecture], say, signal });
	return { machine: await describeMachine(), images: variables, git: await readCommit() };
}

/** @returns oldest first */
async function readReadings(): Promise<Calibration[]> {
	const text = await readFile(CALIBRATION_FILE, 'utf8').catch(() => null);
	if (text === null) return [];
	const { schema, readings } = JSON.parse(text);
	return schema === CALIBRATION_SCHEMA_VERSION ? readings : [];
}

async function keep(calibration: Calibration) {
	const earlier = (await readReadings()).filter(({ run }) => run !== calibration.run);
	const readings = [...earlier, calibration].slice(-READINGS_KEPT);
	await makePrivate(REPORTS);
	await writeFileAtomic(CALIBRATION_FILE, `${JSON.stringify({ schema: CALIBRATION_SCHEMA_VERSION, readings }, null, 2)}\n`);
}

/** What each budget makes of it; a computed one that does not fit says so itself. */
function usesOf(calibration: Calibration): Use[] {
	const { cores } = calibration.machine;
	return ['none', 'fair', 'scale'].map((budget) => {
		try {
			const settings = readSettings(CALIBRATION.architecture, { LOAD: 'patient', BUDGET: budget });
			const { quotas, think_time_s } = conditionsOf(settings, cores, calibration);
			return { budget, quotas, think_time_s, capacity_rps: capacityOf({ quotas, cores, demandMs: calibration.demand_ms }), refusal: null };
		} catch (error) {
			if (!(error instanceof NotReadyError)) throw error;
			return { budget, quotas: {}, think_time_s: null, capacity_rps: null, refusal: error.message.split('\n')[0] };
		}
	});
}

/**
 * Settles what follows from a calibration before the first run, so that it is the same for all of them, resumed ones included.
 * @param plan its calibration and think time are set
 * @param calibrate gives the one that
 * settings need
 * @throws {NotReadyError} when its runs so far had quotas of which no calibration was kept
 */
export async function fixConditions(plan: Plan, calibrate: (settings: Settings) => Promise<Calibration | null>) {
	if (plan.calibration !== undefined) return;
	const settings = plan.arms.map(({ id }) => settingsOf(plan, id));
	// A rate that is a share needs more of it than all others do.
	const asking = settings.find((each) => each.rate_share !== null) ?? settings.find(needsCalibration);
	if (asking && plan.attempts.length > 0)
		throw new NotReadyError(
			`RESUME: expected an experiment that kept its calibration; ${plan.id} was begun by a version of Doubletake that made none, under other quotas.`,
			'begin it anew.',
		);
	plan.calibration = asking ? await calibrate(asking) : null;
	// An arm may have a budget of its own; users who think longer in one arm would make another load of it.
	const paced = settings.find(isPaced);
	plan.think_time_s = paced ? conditionsOf({ ...paced, budget: plan.budget }, plan.machine.cores, plan.calibration).think_time_s : null;
}
