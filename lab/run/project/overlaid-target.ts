/**
 * A target over whose Compose files the lab lays one of its own, under a project name of its own: that adds what makes the load and what watches, and
 * makes of it a copy that harms nothing.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDuration } from '../../../k6/lib/shapes.js';
import { readIfThere } from '../../base/bounded-file.ts';
import { becauseOf, NotReadyError } from '../../base/errors.ts';
import { GENERATOR_NAME, RAW } from '../../base/paths.ts';
import { ownOf } from '../../base/values.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { entryUrls } from '../../catalog/project-schema.ts';
import { LISTED } from '../../catalog/scenarios.ts';
import { readImageFile } from '../../docker/container-file.ts';
import { containerNames } from '../../docker/container-names.ts';
import type { System } from '../../docker/containers.ts';
import { labelledSystem } from '../../docker/containers.ts';
import type { EngineView } from '../../docker/http-answer.ts';
import { ensureGenerator, ensureGeneratorOnHosts, imageEnvironment } from '../../docker/images.ts';
import { writingUser } from '../../docker/run-folder.ts';
import type { RunFolder } from '../../docker/scratch.ts';
import { FileTail } from '../../docker/tail.ts';
import { drivers } from '../../load/drivers.ts';
import { refusalOfScript, unlessAllFail } from '../../load/first-requests.ts';
import { plainGeneratorFor, projectGeneratorFor } from '../../load/generator.ts';
import type { UserScript } from '../../load/user-script.ts';
import { keptInside, readScript, scriptOfProject } from '../../load/user-script.ts';
import { checkFaults } from '../../options/fault-plan.ts';
import { aboutUnheard, copiesOf, describeRequest, describeSystem, describeTiers, wayOf, writeCopies } from '../../target/describe.ts';
import { withImageEnvironment } from '../../target/described.ts';
import { makeProjectRecord, projectImages } from '../../target/generators.ts';
import { GENERATOR, generatorServices, overlayText, PAGE_PORT, rawFoldersOf } from '../../target/overlay.ts';
import { writeRequests } from '../../target/own-record.ts';
import { planFaults, withFault } from '../faults/planned-faults.ts';
import { letRestart } from '../restarts.ts';
import type { HostsGiven, Injection, RunFacts, Target, TargetRun, Up } from '../run-target.ts';
import { SWARM_PERIOD_US } from '../run-target.ts';
import type { CheckedSystem } from './checked-system.ts';
import { checkSystem } from './checked-system.ts';
import { FILES, openView, refusedNotes } from './open-view.ts';
import { bringUpStack, prepareImages, refuseOtherImages } from './prepare-images.ts';
import { probeListed } from './probe.ts';
import { resolvedSystem } from './resolved-system.ts';
import { openStoredIds } from './stored-ids.ts';

const PAGE_HOST = '127.0.0.1';
/** Of the scratch folder. */
const COPIES = 'copies';
/** Of a load that is a script of the user's own. */
const SCRIPT_SCENARIO = 'script';

/**
 * @throws {import('../../base/errors.ts').NotReadyError} when the files are at fault
 * @throws {NotInjectedError} when a fault cannot be put in
 */
export async function overlaidTarget(run: TargetRun & { group: string; injection: Injection }): Promise<Target> {
	const { folder, settings, arm = null, group, injection, hosts } = run;
	const { project, said } = hosts ? withoutPreloads(run.project) : { project: run.project, said: [] };
	const checked = withFault(await checkSystem({ folder, project, arm, settings }), injection.put);
	checked.notes.push(...said);
	if (hosts) refuseView(checked);
	const durationS = project.load.script === undefined ? loadDuration(checked.shape) : Number.POSITIVE_INFINITY;
	checkFaults(settings.faults, { services: namesOf(checked.models), durationS, isSwarm: hosts !== undefined });
	let view: EngineView | null = null;
	const given = { folder, project, settings, arm, injection, checked, hosts };
	return {
		project: checked.runProject,
		...{ group, settings, injection },
		published: async () => (settings.dashboard ? [{ service: GENERATOR_NAME, port: PAGE_PORT, host: PAGE_HOST }] : []),
		capture: settings.capture && project.capture !== 'off',
		images: (around) => (hosts ? ensureGeneratorOnHosts : ensureGenerator)({ mode: settings.images, ...around }),
		prepare: async ({ run, images, scratch, ...around }) => {
			for (const note of checked.notes) around.say(`note: ${note}`);
			// Of the engine, that services have in the place of its socket.
			view = await openView(checked.copy.view, scratch);
			const image = images.variables.K6_IMAGE;
			const { script, built, ...made } = await prepareSystem(given, { run, image, scratch, ...around });
			const system = { ...made.system, ...(hosts ? { deployment: hosts } : {}) };
			const prepared = await hosts?.prepare({ system, env: {}, helperImage: images.variables.NODE_IMAGE, own: volumesHere(checked) });
			for (const note of prepared?.notes ?? []) around.say(`note: ${note}`);
			return {
				system,
				down: { ...labelledSystem(checked.runProject), ...(hosts ? { deployment: hosts } : {}) },
				loadSystem: system,
				generators: generatorServices(checked.generators),
				driver: drivers.k6,
				env: {},
				generatorImage: image,
				built,
				shape: checked.shape,
				liftedTiers: [],
				facts: { ...factsOf(given), ...(prepared ? { cpu_period_us: SWARM_PERIOD_US, hosts: prepared.hosts } : {}) },
				bringUp: async (whenCreated) => {
					const up = await bringUpProject(given, { run, system, image, scratch, script, whenCreated, ...around });
					return {
						...up,
						notes: [...said, ...(prepared?.notes ?? []), ...up.notes],
						notesAfter: () => [...refusedNotes(checked.copy.view, view), ...up.notesAfter()],
					};
				},
			};
		},
		prepareBare: async ({ images, scratch, writtenFolder, ...around }) => {
			view = await openView(checked.copy.view, scratch);
			const image = images.variables.K6_IMAGE;
			const { system, shape } = await prepareBareSystem(given, { image, scratch, writtenFolder, ...around });
			return {
				loadSystem: system,
				generator: GENERATOR,
				down: labelledSystem(checked.runProject),
				env: {},
				shape,
				bringUp: async () => {
					const { stack, requests } = await bringUpStack({ checked, project, system, image, scratch, ...around });
					await writeRequests(join(scratch, GENERATOR), requests);
					await letRestart(stack, checked.models);
				},
			};
		},
		close: async () => view?.close(),
		faults: () => planFaults(checked, project, readIfThere),
		bareArms: { plain: 'bare Compose and k6' },
		putLoad: async ({ images }) => {
			// What there is to say of it each run of the lab says.
			const script = await readScript({ project, folder, allowed: settings.allowed, image: images.variables.K6_IMAGE, say: () => {} });
			const shape = script?.shape ?? checked.shape;
			return { load: checked.load, shape, script: script && { name: String(project.load.script), script } };
		},
		fingerprints: checked.fingerprints,
	};
}

type Given = Required<Pick<TargetRun, 'folder' | 'project' | 'settings' | 'arm' | 'injection'>> &
	Pick<TargetRun, 'hosts'> & { checked: CheckedSystem };

/** image: of the generator */
type Around = { run: RunFolder; image: string; scratch: string; say: (text: string) => void; signal: AbortSignal };

/** Makes the overlay, the images and the run's folder. */
async function prepareSystem(
	{ folder, project, settings, arm, injection, checked, hosts }: Given,
	{ run, image, scratch, say, signal }: Around,
): Promise<{ system: System; script: UserScript | null; built: Record<string, string> }> {
	const { runProject, resolved, supplies } = checked;
	const copiesFolder = join(scratch, COPIES);
	const names = projectImages(checked.models, folder, arm?.arm.id);
	const script = await scriptOfProject({ project, folder, allowed: settings.allowed, runProject, image, scratch, say });
	// It is then what k6 says of the script.
	if (script) {
		checked.shape = script.shape;
		checkFaults(settings.faults, { services: namesOf(checked.models), durationS: loadDuration(checked.shape) });
	}
	// Not in the record: it has what the user's commands and the adapters' settings have.
	const overlay = join(scratch, 'overlay.yaml');
	const generator = await projectGeneratorFor({ checked, project, settings, run, image, script });
	const writeOverlay = () => {
		const { models, parts, copy } = checked;
		const changes = copy.changes(join(scratch, FILES));
		const cpus = settings.cores ?? {};
		return writeFile(
			overlay,
			overlayText({
				models,
				project,
				parts,
				run: { ...run, copiesFolder, images: names, cpus, generator, changes, isOnHosts: hosts !== undefined },
			}),
		);
	};
	await writeOverlay();
	const system = await resolvedSystem({
		...{ resolved, supplies, project: runProject, folder: arm?.folder ?? folder, files: project.compose, overlay, scratch },
		env: arm?.arm.variables,
	});
	const given = { system, models: checked.models, config: checked.copy.config, names, kept: arm?.kept, say, signal };
	const { built, notes } = await prepareImages(given);
	checked.differs.push(...notes);
	if (settings.measured) await refuseOtherImages(settings.measured);
	// They are there now, and so is what they set themselves.
	checked.parts = await withImageEnvironment({ ...checked, project }, ({ service, image: own }) =>
		imageEnvironment(ownOf(names, service) ?? own),
	);
	await writeOverlay();
	await becauseOf(injection, makeRecord({ checked, names, run, copiesFolder, system, say }));
	return { system, script, built };
}

/**
 * The same without the lab. The copy has a project name of its own, as in every run, and what two projects cannot both have is taken away; all
 * else is as the files have it.
 */
async function prepareBareSystem(
	{ folder, project, settings, arm, checked }: Given,
	{ image, scratch, writtenFolder, say, signal }: Omit<Around, 'run'> & { writtenFolder: string },
): Promise<{ system: System; shape: CheckedSystem['shape'] }> {
	const { runProject, models, resolved, supplies, copy, load, users, thinkTimeS, headers, mark } = checked;
	// What there is to say of it each run of the lab says.
	const script = await readScript({ project, folder, allowed: settings.allowed, image, say: () => {} });
	await writeRequests(join(scratch, GENERATOR), checked.requests);
	const generator = await plainGeneratorFor({
		...{ image, target: entryUrls(project)[0], shape: load, users, thinkTimeS, seed: settings.seed, dashboard: false, headers, mark },
		script: keptInside(script, copy.config),
		user: writingUser(),
	});
	// It may hold secrets.
	const overlay = join(scratch, 'overlay.yaml');
	// Services of a bare run write nothing, and nothing is laid over their configurations.
	const places = { writtenFolder, servicesFolder: scratch, copiesFolder: scratch };
	const images = projectImages(models, folder);
	const changes = copy.changes(join(scratch, FILES));
	await writeFile(overlay, overlayText({ models, project, parts: {}, run: { ...places, images, generator, changes, isBare: true } }));
	const system = await resolvedSystem({
		...{ resolved, supplies, project: runProject, folder: arm?.folder ?? folder, files: project.compose, overlay, scratch },
		env: arm?.arm.variables,
	});
	await prepareImages({ system, models, config: copy.config, names: images, say, signal });
	return { system, shape: script?.shape ?? checked.shape };
}

/** The highest at which a service writes into no folder of this machine. */
const LEVEL_ELSEWHERE = 2;

/**
 * A preload writes into a folder of this machine, and its service may run on another host.
 * @returns said: a sentence for each service that is watched less closely
 */
function withoutPreloads(project: Project): { project: Project; said: string[] } {
	const all = Object.entries(project.services);
	const closer = all.filter(([, { watch }]) => watch > LEVEL_ELSEWHERE).map(([service]) => service);
	const services = all.map(([service, one]) => [service, closer.includes(service) ? { ...one, watch: LEVEL_ELSEWHERE } : one]);
	return {
		project: { ...project, services: Object.fromEntries(services) },
		said: closer.map((service) => `${service} is watched at level ${LEVEL_ELSEWHERE} on a Swarm: what a preload writes stays on its host.`),
	};
}

/** @throws {NotReadyError} */
function refuseView({ copy: { view } }: CheckedSystem) {
	if (view === null) return;
	throw new NotReadyError(
		`services.${view.services[0]}.volumes: expected none that is the engine's socket on a Swarm, each of whose hosts has an engine of its own; found one.`,
		'give the proxy its servers in a file, leave the service out, or use "doubletake run".',
	);
}

function volumesHere({ copy: { folders } }: CheckedSystem): HostsGiven['own'] {
	const volumes = folders.filter(({ data, isFile, device }) => (data !== 'live' || device !== '') && !isFile);
	const named = (isPart: boolean) => volumes.filter(({ device }) => (device !== '') === isPart).map(({ volume }) => volume);
	return { filled: named(false), parts: named(true) };
}

/** What the figures of its containers will be called. */
const namesOf = (models: CheckedSystem['models']) =>
	containerNames(
		models.flatMap(({ service, replicas }) => Array.from({ length: replicas }, (_, index) => ({ name: service, number: index + 1 }))),
	);

/** What is wrong with a configuration is reported before there is a folder. */
async function makeRecord({
	checked: { models, parts, requests, originals, generators },
	names,
	run,
	copiesFolder,
	system,
	say,
}: {
	checked: CheckedSystem;
	names: Record<string, string>;
	run: RunFolder;
	copiesFolder: string;
	system: System;
	say: (text: string) => void;
}) {
	const imageOf = (name: string) => ownOf(names, name) ?? models.find(({ service }) => service === name)?.image ?? '';
	const copies = await copiesOf(originals, ({ service, path }) => readImageFile(system, imageOf(service), path));
	for (const { service, changes } of copies) for (const change of changes) say(`changed in ${service} for this run: ${change}`);
	const services = models.map(({ service }) => service);
	await writeCopies(copies, copiesFolder);
	await writeRequests(join(copiesFolder, GENERATOR), requests);
	await makeProjectRecord(run, { services, generators, folders: rawFoldersOf(parts, { ...run, copiesFolder }) });
}

const factsOf = ({ project, settings, arm, checked }: Given): RunFacts => ({
	architecture: settings.architecture,
	system: {
		...describeSystem(project, { isFollowed: true, requests: checked.requests, proposal: checked.proposal, arm: arm?.arm }),
		fingerprints: checked.fingerprints,
	},
	target: entryUrls(project)[0],
	load: checked.load,
	shape: checked.shape,
	scenario: project.load.script === undefined ? LISTED : SCRIPT_SCENARIO,
	variables: checked.shape.unit === 'users' && project.load.script === undefined ? { USERS: String(checked.users) } : {},
	budget: settings.budget,
	quotas_cores: settings.cores ?? {},
	...(project.load.script === undefined
		? { think_time_s: checked.shape.model === 'open' ? 0 : checked.thinkTimeS }
		: { script: project.load.script }),
	...(project.load.openapi === undefined ? {} : { openapi: project.load.openapi }),
	...(checked.client === null ? {} : { client: checked.client }),
	seed: settings.seed,
	integrity: settings.integrity,
	delay_ms: 0,
	command: settings.command,
});

async function bringUpProject(
	given: Given,
	{
		run,
		system,
		image,
		scratch,
		script,
		whenCreated,
		say,
		signal,
	}: Around & { system: System; script: UserScript | null; whenCreated?: () => Promise<void> },
): Promise<Up> {
	const { project, settings, injection, checked } = given;
	// With a fault in it a system may fail whatever it is asked, and in a trial as it did in the run before.
	const mayFail = injection.fault !== null || settings.trial !== undefined;
	const { isUnanswered } = settings.trial ?? {};
	const bringing = bringUpStack({ checked, project, system, image, scratch, mayFail, isUnanswered, whenCreated, say, signal });
	const up = await becauseOf(injection, bringing);
	const { stack, notes, requests, project: own } = up;
	checked.requests = requests;
	await writeRequests(join(scratch, COPIES, GENERATOR), requests);
	const how = settings.integrity ? project.integrity : undefined;
	const stored = await openStoredIds({ stack, how, mark: checked.mark, rawFolder: run.rawFolder, say, signal });
	const isJudged = script?.isKnownAtOnce === true && !mayFail && settings.faults.length === 0;
	// A Swarm starts again what fails by itself.
	const living = given.hosts ? { facts: {}, notes: [] } : await letRestart(stack, checked.models);
	return {
		stack,
		notes: [
			...[
				...checked.differs,
				...checked.outside,
				...notes,
				...aboutUnheard(project),
				...(settings.measured ? [settings.measured.said] : []),
			],
			...living.notes,
		],
		facts: {
			system: { ...factsOf(given).system, ...describeTiers(own), requests: requests.map(describeRequest) },
			...living.facts,
			...(up.isUnanswered ? { unanswered_before_load: true } : {}),
		},
		way: wayOf(own),
		whenDriven: stored.whenDriven,
		notesAfter: () => [...stored.notes, ...checked.appeared()],
		probe: () => probeListed({ checked, project, containers: stack, signal }),
		driven: (drive) =>
			isJudged ? unlessAllFail({ ...firstOf({ checked, project, writtenFolder: run.writtenFolder }), signal }, drive) : drive(signal),
	};
}

/** How the first requests of a script are looked at. */
function firstOf({
	checked: { loadLine: line },
	project,
	writtenFolder,
}: {
	checked: CheckedSystem;
	project: Project;
	writtenFolder: string;
}) {
	const { load } = project;
	const tail = new FileTail(join(writtenFolder, RAW.k6Log));
	const refuse: Parameters<typeof unlessAllFail>[0]['refuse'] = (failed) =>
		refusalOfScript({ failed, script: String(load.script), line, entry: entryUrls(project)[0] });
	return { read: () => tail.read(), refuse };
}
