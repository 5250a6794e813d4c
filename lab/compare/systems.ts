/**
 * What can be measured, whatever it is: the system that was asked for, by its name or by its folder, and those of a plan, one after the other.
 *
 * @typedef {object} Measurable
 * @property {string} name          which its runs lie under, unless they are told where
 * @property {Expectation[]} expect  thresholds that a run is to meet
 * @property {boolean} strict  whether a doubt about what they read decides how it ends
 * @property {readonly Host[]} [hosts]  of a Swarm, that it is to run on beside this machine
 * @property {() => Promise<Target>} target  as it would be run, to be looked at
 * @property {(run: Run) => Promise<{ folder: string, interrupted: boolean, images: Record<string, string> }>} measure  one run, from nothing to
 *   nothing
 * @property {(arm: string, around: Around) => Promise<any>} measureBare  one without the lab, of which the arm says what is there all the same; k6's
 *   summary
 *
 * @typedef {RunOptions & { injection?: Injection,
 *   onHosts?: OnHosts } & Differing} Run  onHosts: this machine alone unless given
 * @typedef {Pick<RunOptions, 'progress' | 'signal'>} Around
 *
 * @typedef {<T>(use: (hosts?: Hosts) => Promise<T>) => Promise<T>} OnHosts  opens the hosts of a Swarm, and closes them
 *
 * @typedef {object} Differing
 * @property {string} [group]       folder below reports/ that the run's folder is made in
 * @property {boolean} [capture]    whether what passes its networks is recorded; as it was asked for unless given
 *
 * @typedef {object} Planned      what the runs of a plan are made of: whatever they have in common is settled before the first, and looked at before each
 * @property {() => Promise<void>} prepare  before the first run: gets what all of them need, and settles in the plan what they share
 * @property {(arm: Arm) => Promise<Measurable>} systemOf  of one run
 * @property {() => Promise<void>} close    after the last, however it ended
 *
 * @typedef {object} Asked
 * @property {string} [architecture]  none: the system of the folder
 * @property {string} folder        of doubletake.yaml
 * @property {Permission} permission
 *
 * @typedef {Record<string, string | undefined>} Env
 *
 * @import { Project } from '../catalog/project-schema.ts'
 * @import { Reporter } from '../cli/reporter.ts'
 * @import { Permission } from '../options/allowed.ts'
 * @import { Arm, Resolved } from '../options/arms.ts'
 * @import { Expectation, Host } from '../options/expect.ts'
 * @import { Hosts, Injection, RunOptions, Target, TargetRun } from '../run/run-target.ts'
 * @import { Plan } from './plan.ts'
 */

import { resolve } from 'node:path';
import { readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { formatProjectCommand, oneOf } from '../base/format-command.ts';
import { architectures, folderOf, nameOfFolder } from '../catalog/architectures.ts';
import { readProject } from '../catalog/project-file.ts';
import { PROJECT_FILE } from '../catalog/project-schema.ts';
import { refuseIdle } from '../options/accepted-options.ts';
import { readSettings } from '../options/settings.ts';
import { initFirst } from '../run/project/init-command.ts';
import { loadFingerprint } from '../run/project/open-view.ts';
import { describedAs, describedIn } from '../target/described.ts';
import { openCheckouts, projectOfSide } from '../target/revision.ts';
import { notesOfNames } from '../target/run-options.ts';
import { loadUnder } from './experiment/experiment-file.ts';
import { measuredFor, withRate } from './measured-rate.ts';
import { ASKED, askedBy, imagesOf } from './plan.ts';
import { settingsOf } from './planned-systems.ts';

/**
 * What is wrong with it is told before what measures is loaded, which takes as long again.
 * @param {Asked} asked
 * @param {Env} env
 * @param {Reporter} reporter
 * @param {'run' | 'swarm'} [command]
 * @returns {Promise<Measurable>}
 * @throws {import('../base/errors.ts').NotReadyError} naming what cannot be measured, or what changes nothing about it
 */
export async function openSystem({ architecture, folder, permission }, env, reporter, command = 'run') {
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
	const read = (/** @type {string} */ file) => readText(resolve(described.folder, file));
	for (const note of notesOfNames(env, project.compose, read)) reporter.progress.say(`note: ${note}`);
	if (measured !== null) reporter.progress.say(measured.said);
	return { ...measurable({ ...described, settings }), hosts: settings.hosts };
}

/** No id of an architecture has such a character. */
const PATH = /[./\\]/;

/** @param {string} architecture @param {string} command @throws {NotReadyError} */
function folderNamed(architecture, command) {
	if (!PATH.test(architecture)) return folderOf(oneOf('architecture', architecture, Object.keys(architectures)));
	throw new NotReadyError(
		`${command}: expected the id of an architecture of Doubletake, or nothing for the system of this folder; found "${architecture}".`,
		`leave it out; other Compose files than the folder's own are named to ${formatProjectCommand(['init'])}, and their folder is the one that the command is called in.`,
	);
}

/**
 * @param {Omit<TargetRun, 'group' | 'injection' | 'hosts'>} run  calibration: of all its runs; unless given that of the
 *   machine, as it is at the first of them
 * @returns {Measurable}
 */
export function measurable({ calibration, ...run }) {
	const { settings, name } = run;
	let fixed = calibration;
	/** @type {(differing?: Differing & Pick<TargetRun, 'injection' | 'hosts'>) => Promise<Target>} */
	const target = async ({ capture = settings.capture, ...differing } = {}) => {
		const { targetOf } = await import('../run/project/target.ts');
		return targetOf({ ...run, settings: { ...settings, capture }, calibration: fixed ?? null, ...differing });
	};
	// On this machine alone, before the hosts of a Swarm are asked for.
	const calibrate = async (/** @type {Around} */ { progress, signal }) => {
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
 * @param {{ plan: Plan } & Around} options
 * @returns {Planned}
 */
export function openPlanned({ plan, progress, signal }) {
	const folder = process.cwd();
	const checkouts = openCheckouts(folder);
	const readSame = async () => {
		const project = await readProject(folder, ASKED[askedBy(plan.experiment)]);
		refuseOtherLoads(plan, (load) => loadFingerprint(projectUnder(project, plan, load), readText, folder));
		return project;
	};
	/** @param {Arm} arm @param {Resolved} resolved */
	const keptOf = async (arm, resolved) => {
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

/** @type {(project: Project, plan: Pick<Plan, 'loads'>, load: string) => Project} */
const projectUnder = (project, { loads = {} }, load) => ({ ...project, load: loadUnder(project.load, load, loads[load].change) });

/**
 * @param {Pick<Plan, 'loads'>} plan
 * @param {(load: string) => string} fingerprintOf  what doubletake.yaml and the files of a load are now
 * @throws {NotReadyError}
 */
function refuseOtherLoads({ loads = {} }, fingerprintOf) {
	if (Object.entries(loads).every(([load, { fingerprint }]) => fingerprintOf(load) === fingerprint)) return;
	throw new NotReadyError(
		`${PROJECT_FILE}: expected it and the files of its load as they were before the first run; found others.`,
		'take back what was changed in them, or begin anew.',
	);
}
