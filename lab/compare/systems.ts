/**
 * What can be measured, whatever it is: the system that was asked for, by its name or by its folder, and those of a plan, one after the other.
 */

import { resolve } from 'node:path';
import { readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { formatProjectCommand, oneOf } from '../base/format-command.ts';
import type { Reporter } from '../base/progress.ts';
import { architectures, folderOf, nameOfFolder } from '../catalog/architectures.ts';
import { readProject } from '../catalog/project-file.ts';
import type { Project } from '../catalog/project-schema.ts';
import { PROJECT_FILE } from '../catalog/project-schema.ts';
import { refuseIdle } from '../options/accepted-options.ts';
import type { Permission } from '../options/allowed.ts';
import type { Arm, Resolved } from '../options/arms.ts';
import type { Expectation, Host } from '../options/expect.ts';
import { readSettings } from '../options/settings.ts';
import { loadFingerprint } from '../run/project/fingerprint.ts';
import { initFirst } from '../run/project/init-command.ts';
import type { Hosts, Injection, RunOptions, Target, TargetRun } from '../run/run-target.ts';
import { describedAs, describedIn } from '../target/described.ts';
import { openCheckouts } from '../target/revision.ts';
import { notesOfNames } from '../target/run-options.ts';
import { projectOfSide } from '../target/side-project.ts';
import { loadUnder } from './experiment/experiment-file.ts';
import { measuredFor, withRate } from './measured-rate.ts';
import type { Plan } from './plan.ts';
import { ASKED, askedBy, imagesOf } from './plan.ts';
import { settingsOf } from './planned-systems.ts';

export type Measurable = {
	/** which its runs lie under, unless they are told where */
	name: string;
	/** thresholds that a run is to meet */
	expect: Expectation[];
	/** whether a doubt about what they read decides how it ends */
	strict: boolean;
	/** of a Swarm, that it is to run on beside this machine */
	hosts?: readonly Host[];
	/** as it would be run, to be looked at */
	target: () => Promise<Target>;
	/** one run, from nothing to nothing */
	measure: (run: Run) => Promise<{ folder: string; interrupted: boolean; images: Record<string, string> }>;
	/** one without the lab, of which the arm says what is there all the same; k6's summary */
	measureBare: (arm: string, around: Around) => Promise<any>;
};

/** onHosts: this machine alone unless given */
type Run = RunOptions & { injection?: Injection; onHosts?: OnHosts } & Differing;

type Around = Pick<RunOptions, 'progress' | 'signal'>;

/** opens the hosts of a Swarm, and closes them */
export type OnHosts = <T>(use: (hosts?: Hosts) => Promise<T>) => Promise<T>;

type Differing = {
	/** folder below reports/ that the run's folder is made in */
	group?: string;
	/** whether what passes its networks is recorded; as it was asked for unless given */
	capture?: boolean;
};

/** what the runs of a plan are made of: whatever they have in common is settled before the first, and looked at before each */
export type Planned = {
	/** before the first run: gets what all of them need, and settles in the plan what they share */
	prepare: () => Promise<void>;
	/** of one run */
	systemOf: (arm: Arm) => Promise<Measurable>;
	/** after the last, however it ended */
	close: () => Promise<void>;
};

export type Asked = {
	/** none: the system of the folder */
	architecture?: string;
	/** of doubletake.yaml */
	folder: string;
	permission: Permission;
};

type Env = Record<string, string | undefined>;

/**
 * What is wrong with it is told before what measures is loaded, which takes as long again.
 * @throws {import('../base/errors.ts').NotReadyError} naming what cannot be measured, or what changes nothing about it
 */
export async function openSystem(
	{ architecture, folder, permission }: Asked,
	env: Env,
	reporter: Reporter,
	command: 'run' | 'swarm' = 'run',
): Promise<Measurable> {
	const at = architecture ? folderNamed(architecture, command) : folder;
	const name = nameOfFolder(at);
	refuseIdle(command, name, env, architecture && command === 'swarm' ? `${architecture} on a Swarm` : undefined);
	const given = readSettings(name, env, { command, ...permission });
	await initFirst(at, reporter, permission);
	const described = await describedIn(at);
	const { project } = described;
	const measured = await measuredFor({
		...{ settings: given, project, env },
		fingerprints: async () => (await measurable({ ...described, settings: given }).target()).fingerprints,
	});
	const settings = measured === null ? given : { ...readSettings(name, withRate(env, measured), { command, ...permission }), measured };
	const read = (file: string) => readText(resolve(described.folder, file));
	for (const note of notesOfNames(env, project.compose, read)) reporter.progress.say(`note: ${note}`);
	if (measured !== null) reporter.progress.say(measured.said);
	return { ...measurable({ ...described, settings }), hosts: settings.hosts };
}

/** No id of an architecture has such a character. */
const PATH = /[./\\]/;

/** @throws {NotReadyError} */
function folderNamed(architecture: string, command: string) {
	if (!PATH.test(architecture)) return folderOf(oneOf('architecture', architecture, Object.keys(architectures)));
	throw new NotReadyError(
		`${command}: expected the id of an architecture of Doubletake, or nothing for the system of this folder; found "${architecture}".`,
		`leave it out; other Compose files than the folder's own are named to ${formatProjectCommand(['init'])}, and their folder is the one that the command is called in.`,
	);
}

/**
 * @param run calibration: of all its runs; unless given that of the
 * machine, as it is at the first of them
 */
export function measurable({ calibration, ...run }: Omit<TargetRun, 'group' | 'injection' | 'hosts'>): Measurable {
	const { settings, name } = run;
	let fixed = calibration;
	const target: (differing?: Differing & Pick<TargetRun, 'injection' | 'hosts'>) => Promise<Target> = async ({
		capture = settings.capture,
		...differing
	} = {}) => {
		const { targetOf } = await import('../run/project/target.ts');
		return targetOf({ ...run, settings: { ...settings, capture }, calibration: fixed ?? null, ...differing });
	};
	// On this machine alone, before the hosts of a Swarm are asked for.
	const calibrate = async ({ progress, signal }: Around) => {
		const { calibrationFor } = await import('./calibrate.ts');
		if (fixed === undefined) fixed = await calibrationFor({ settings, progress, signal });
	};
	return {
		...{ name, expect: settings.expect, strict: settings.strict },
		target: () => target(),
		measure: async ({ progress, signal, watcher, onHosts = (use) => use(), ...differing }) => {
			const { runTarget } = await import('../run/run-target.ts');
			await calibrate({ progress, signal });
			return onHosts(async (hosts) => runTarget(await target({ hosts, ...differing }), { progress, signal, watcher }));
		},
		measureBare: async (arm, { progress, signal }) => {
			const { runBare } = await import('../run/run-bare.ts');
			await calibrate({ progress, signal });
			return runBare(await target(), { arm, say: progress.say, signal });
		},
	};
}

/**
 * Of the runs of a plan: what each arm is asked, and what all of them share, the load of a doubletake.yaml or what follows from a calibration.
 */
export function openPlanned({ plan, progress, signal }: { plan: Plan } & Around): Planned {
	const folder = process.cwd();
	const checkouts = openCheckouts(folder);
	const readSame = async () => {
		const project = await readProject(folder, ASKED[askedBy(plan.experiment)]);
		refuseOtherLoads(plan, (load) => loadFingerprint(projectUnder(project, plan, load), readText, folder));
		return project;
	};
	const keptOf = async (arm: Arm, resolved: Resolved) => {
		const project = projectOfSide(projectUnder(await readSame(), plan, arm.load ?? plan.load), resolved);
		const place = resolved.commit === null ? { folder, root: folder } : await checkouts.at(resolved.commit);
		return { name: arm.architecture, folder, project, arm: { arm, ...place, kept: imagesOf(plan, arm.id) } };
	};
	return {
		prepare: async () => {
			if (plan.loads) {
				await readSame();
				return;
			}
			const [{ ensureImages }, { calibrationFor, fixConditions }] = [await import('../docker/images.ts'), await import('./calibrate.ts')];
			await ensureImages({
				mode: plan.images,
				architectures: plan.arms.map(({ architecture }) => architecture),
				say: progress.say,
				signal,
			});
			await fixConditions(plan, (settings) => calibrationFor({ settings, progress, signal }));
		},
		systemOf: async (arm) => {
			const { resolved } = arm;
			const settings = settingsOf(plan, arm.id);
			// What its name does not say nobody could repeat but with all of the plan.
			if (resolved) return measurable({ ...(await keptOf(arm, resolved)), settings: { ...settings, command: plan.command } });
			return measurable({ ...describedAs(arm.architecture), settings, calibration: plan.calibration });
		},
		close: async () => {
			for (const left of await checkouts.close()) progress.say(`still there: ${left}; a container wrote into it; remove it by hand`);
		},
	};
}

const projectUnder: (project: Project, plan: Pick<Plan, 'loads'>, load: string) => Project = (project, { loads = {} }, load) => ({
	...project,
	load: loadUnder(project.load, load, loads[load].change),
});

/**
 * @param fingerprintOf what doubletake.yaml and the files of a load are now
 * @throws {NotReadyError}
 */
function refuseOtherLoads({ loads = {} }: Pick<Plan, 'loads'>, fingerprintOf: (load: string) => string) {
	if (Object.entries(loads).every(([load, { fingerprint }]) => fingerprintOf(load) === fingerprint)) return;
	throw new NotReadyError(
		`${PROJECT_FILE}: expected it and the files of its load as they were before the first run; found others.`,
		'take back what was changed in them, or begin anew.',
	);
}
