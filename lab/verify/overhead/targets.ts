/**
 * The bench on whatever is asked for: with all of the lab against bare Compose and bare k6; with CAPTURE=1 what recording the wire costs,
 * against the same without it.
 */

import { NotReadyError } from '../../base/errors.ts';
import type { Around } from '../../base/progress.ts';
import { nameOfFolder } from '../../catalog/architectures.ts';
import { hasProject } from '../../catalog/project-file.ts';
import type { Measurable } from '../../compare/systems.ts';
import { measurable } from '../../compare/systems.ts';
import { acceptedBy, readOption, refuseAllBut, refuseIdle } from '../../options/accepted-options.ts';
import type { Permission } from '../../options/allowed.ts';
import type { Settings } from '../../options/settings.ts';
import { readSettings } from '../../options/settings.ts';
import type { PutLoad } from '../../run/run-target.ts';
import { describedAs, describedIn } from '../../target/described.ts';
import type { BenchTarget, Measured } from './bench.ts';
import { benchOverhead, CAPTURE, CAPTURE_ARMS, GROUP, readSummary, refuseUnlike, WHOLE } from './bench.ts';
import { measuredOf, measuredOfScript, summaryOfExport } from './judge.ts';

/** what watching is measured on */
type Asked = {
	/** it is what recording the wire costs; else what all of the lab does */
	ofCapture: boolean;
	/** what each part of the lab costs too */
	withParts?: boolean;
	system: Measurable;
	settings: Settings;
	/** of all runs, in words */
	conditions: string;
};

const WHOLE_LAB = 'the whole lab';

/** Of a system that nobody names. */
const ARCHITECTURE = 'a';
/** Of several hops, and with room in every table: what fails would not be compared with what is served. */
const CAPTURED_ARCHITECTURE = '2a-slots';
/** The published app and the bare k6 know no delay and no rate: an arm that had them would be compared with one that has not. */
const TAKES = acceptedBy('bench-overhead');
const OF_FOLDER = 'bench-overhead of your own system';

/**
 * @param folder of doubletake.yaml, where there is one; else it is made on an architecture
 * @param env REPEATS: pairs; CAPTURE=1: what recording the wire costs alone; on an architecture LOAD and BUDGET as
 * for a run, `hold` and `none` when not given, and PARTS=1: what each part costs too
 * @returns exit code
 * @throws {NotReadyError} when the system cannot be measured, or not without the lab
 */
export async function bench(
	folder: string,
	env: Record<string, string | undefined>,
	{ permission, ...around }: { permission: Permission } & Around,
): Promise<number> {
	const ofCapture = readOption('CAPTURE', env);
	const asked = hasProject(folder) ? await onFolder(folder, env, permission) : onLab(ofCapture, env);
	return benchOverhead(targetOf({ ofCapture, ...asked }), env, around);
}

function onLab(ofCapture: boolean, env: Record<string, string | undefined>): Omit<Asked, 'ofCapture'> {
	refuseAllBut('bench-overhead', TAKES, env);
	const takenWithIt = TAKES.filter((name) => name !== 'PARTS');
	if (ofCapture) refuseAllBut('bench-overhead with CAPTURE=1', takenWithIt, env);
	const architecture = ofCapture ? CAPTURED_ARCHITECTURE : ARCHITECTURE;
	const settings = readSettings(architecture, { ...env, LOAD: env.LOAD || 'hold', BUDGET: env.BUDGET || 'none' });
	const { load, budget } = settings;
	return {
		settings,
		withParts: readOption('PARTS', env),
		system: measurable({ ...describedAs(architecture), settings }),
		conditions: `${ofCapture ? `${architecture}, ` : ''}LOAD=${load} BUDGET=${budget}`,
	};
}

async function onFolder(
	folder: string,
	env: Record<string, string | undefined>,
	permission: Permission,
): Promise<Omit<Asked, 'ofCapture'>> {
	const name = nameOfFolder(folder);
	refuseIdle('bench-overhead', name, env, OF_FOLDER);
	const settings = readSettings(name, env, permission);
	return {
		settings,
		system: measurable({ ...(await describedIn(folder)), settings }),
		conditions: `${name}, SEED=${settings.seed}`,
	};
}

/** With the whole lab and without, as far as it is asked. */
const armsOf: (bare: Record<string, string>, withParts: boolean) => Record<string, string> = (bare, withParts) => ({
	[WHOLE.judged]: WHOLE_LAB,
	...Object.fromEntries(Object.entries(bare).slice(0, withParts ? undefined : 1)),
});

function refuseWithoutBase(name: string, bare: Record<string, string>): void {
	if (Object.hasOwn(bare, WHOLE.base)) return;
	throw new NotReadyError(
		`bench-overhead: expected a system that there is without Doubletake too; found ${name}, which is nowhere published as it is.`,
		`measure it on ${ARCHITECTURE}, or with CAPTURE=1 what recording the wire costs.`,
	);
}

const targetOf = ({ ofCapture, withParts = false, system, settings, conditions }: Asked): BenchTarget => ({
	...(ofCapture ? CAPTURE : WHOLE),
	conditions,
	prepare: async (around) => {
		const target = await system.target();
		if (!ofCapture) refuseWithoutBase(system.name, target.bareArms);
		const images = await target.images({ say: around.progress.say, signal: around.signal });
		const put = await target.putLoad({ images });
		if (put.script) refuseUnlike(put.script.script, put.script.name);
		const { architecture, budget, integrity, seed } = settings;
		return {
			about: { images_mode: images.mode, architecture, load: put.load, load_title: put.shape.title, budget, integrity, seed },
			arms: ofCapture ? CAPTURE_ARMS : armsOf(target.bareArms, withParts),
			measure: async (arm) => {
				if (!ofCapture && arm !== WHOLE.judged) return readLoad(put, await system.measureBare(arm, around), true);
				const { folder } = await system.measure({ group: GROUP, ...(ofCapture && { capture: arm === CAPTURE.judged }), ...around });
				around.signal.throwIfAborted();
				return readLoad(put, await readSummary(folder), false);
			},
		};
	},
});

/** what k6 counted */
function readLoad({ shape, script }: Pick<PutLoad, 'shape' | 'script'>, summary: any, isBare: boolean): Measured {
	if (!script) return measuredOf(summary, shape);
	return measuredOfScript(isBare ? summaryOfExport(summary) : summary);
}
