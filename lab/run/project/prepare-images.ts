/**
 * Gets the images of a user's services before the stack comes up, so that what is wrong with one is reported as that: those that are
 * built, then those that are missing.
 */

import type { ListedRequest } from '../../../k6/lib/request-list.js';
import { routesIn } from '../../adapters/found-servers.ts';
import { readIfThere } from '../../base/bounded-file.ts';
import { NotReadyError } from '../../base/errors.ts';
import { isOwnPath } from '../../base/files.ts';
import { grouped, ownOf } from '../../base/values.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { partsOfEntry } from '../../catalog/project-schema.ts';
import { composeWith } from '../../docker/compose.ts';
import type { Service, System } from '../../docker/containers.ts';
import { listServices } from '../../docker/containers.ts';
import { holdVolumes } from '../../docker/held-volumes.ts';
import { builtInstead, imageId, imageLayers, isPresent, lendName, removeUnfinished } from '../../docker/images.ts';
import { bringUp, keeperOf } from '../../docker/stack.ts';
import { quoteLog } from '../../docker/unwell.ts';
import { candidatesIn } from '../../load/choose-load.ts';
import type { AttachedService } from '../../target/compose-model.ts';
import { serviceOfEntry } from '../../target/describe.ts';
import { baseArguments, imagesIn } from '../../target/dockerfile.ts';
import { aboutJobs, doneJobs, rulesOf, withoutJobs } from '../../target/ends.ts';
import { givenPaths } from '../../target/given-paths.ts';
import { publicNames } from '../../target/host-names.ts';
import { follow, inodeKind } from '../../target/real-path.ts';
import { aboutBound, healthPathOf, startBound } from '../../target/start-bound.ts';
import type { MeasuredRun } from '../run-target.ts';
import type { CheckedSystem } from './checked-system.ts';
import { reportedByLogs } from './failing-load.ts';
import { untilAnswered } from './first-answer.ts';
import { fillFolders } from './open-view.ts';
import type { EntryPoint } from './settle-load.ts';

/** Minutes. */
const LIMITS = { build: 15, pull: 10 };
const LAST_LINES = 15;

/**
 * @returns built: ids of the images that are built, by service; notes: a sentence for
 * each image in whose place they begin with another
 * @throws {NotReadyError} when one can neither be built nor pulled
 */
export async function prepareImages({
	system,
	models,
	config,
	names,
	kept = {},
	say,
	signal,
	limits = LIMITS,
}: {
	/** with the overlay, which names the images that are built */
	system: System;
	models: AttachedService[];
	/** as Compose has resolved it, of which they are */
	config: any;
	/** that the overlay gives them, by service */
	names: Record<string, string>;
	/** ids of images that were built before, by service: what still has its name is not built again */
	kept?: Record<string, string>;
	say: (text: string) => void;
	signal: AbortSignal;
	/** minutes */
	limits?: typeof LIMITS;
}): Promise<{ built: Record<string, string>; notes: string[] }> {
	const get: Get = async (command, services, more = []) => {
		const limitMin = limits[command];
		const begunMs = Date.now();
		const result = await composeWith(system, [command, ...more], { services, limitMs: limitMin * 60_000, signal });
		if (command === 'build') await removeUnfinished(result.all, begunMs);
		signal.throwIfAborted();
		const [away] = command === 'build' && OF_DOCKERFILE.test(result.all) ? foreignFiles(models, config, system.cwd) : [];
		if (result.failed && away) return `; nothing of what it says is shown, because it read a file outside of the folder: ${away}`;
		return result.failed ? failureOf(String(result.all ?? ''), result.timedOut ? limitMin : null) : null;
	};
	const built = models.filter(({ isBuilt }) => isBuilt);
	const toBuild = staleOf(
		built.map(({ service }) => service),
		kept,
		await idsOf(built, names),
	);
	const takes = Object.fromEntries(built.map((model) => [model.service, baseArguments(model, config, (file) => readIfThere(file))]));
	const notes = await buildInOrder(toBuild, { built, config, names }, (services) => build(services, takes, get, say));
	await pullMissing(
		models.filter(({ service }) => !Object.hasOwn(names, service)),
		get,
		say,
	);
	return { built: await idsOf(built, names), notes };
}

/** Words about a file that is no Dockerfile quote it. */
const OF_DOCKERFILE = /dockerfile parse error|unknown instruction|failed to parse/i;

/** from which images are built, and that the command line does not allow */
const foreignFiles: (models: AttachedService[], config: any, folder: string) => string[] = (models, config, folder) =>
	models.flatMap(({ service }) =>
		givenPaths({ build: config.services?.[service]?.build }, config, [folder])
			.map(({ path }) => follow(path).real)
			.filter((real) => inodeKind(real) === 'file' && !isOwnPath(real, follow(folder).real)),
	);

const tagged = (image: string) => (/:[^/]*$/.test(image) ? image : `${image}:latest`);

/** A Dockerfile takes the image of another service by the name that the file gives it, which stands for what was built meanwhile. */
async function buildInOrder(
	services: string[],
	{ built, config, names }: { built: AttachedService[]; config: any; names: Record<string, string> },
	buildThose: (services: string[]) => Promise<string[]>,
) {
	const asked = new Map(built.map((model) => [model.service, imagesIn(model, config, (file) => readIfThere(file)).map(tagged)]));
	const takes = (one: string, { service, image }: AttachedService) => one !== service && asked.get(one)?.includes(tagged(image)) === true;
	const [lent, notes] = [[] as (() => Promise<unknown>)[], [] as string[]];
	try {
		for (let open = services; open.length > 0; ) {
			const isOpen = ({ service }: AttachedService) => open.includes(service);
			const ready = open.filter((one) => !built.some((model) => isOpen(model) && takes(one, model)));
			const next = ready.length > 0 ? ready : open;
			for (const model of built)
				if (!isOpen(model) && next.some((one) => takes(one, model))) lent.push(await lendName(tagged(model.image), names[model.service]));
			notes.push(...(await buildThose(next)));
			open = open.filter((one) => !next.includes(one));
		}
		return notes;
	} finally {
		// The last first: one may be lent twice.
		for (const giveBack of lent.toReversed()) await giveBack();
	}
}

/** null, or the end of a sentence about its failure */
type Get = (command: keyof typeof LIMITS, services: string[], more?: string[]) => Promise<string | null>;

/**
 * Where no registry answers, with what was built here in the place of its image: of a Dockerfile that takes that as an argument.
 * @param takes by service: the images of baseArguments
 * @returns notes of prepareImages
 */
async function build(
	services: string[],
	takes: Record<string, Record<string, string>>,
	get: Get,
	say: (text: string) => void,
): Promise<string[]> {
	/** Images in the place of others. */
	const instead: Map<string, string> = new Map();
	const notes: string[] = [];
	const argumentsFor = (service: string) =>
		Object.entries(takes[service]).flatMap(([name, image]) => (instead.has(image) ? ['--build-arg', `${name}=${instead.get(image)}`] : []));
	say(`building ${services.join(', ')}`);
	for (;;) {
		const failure = await buildEach(services, argumentsFor, get);
		if (failure === null) return notes;
		const base = missingBase(failure);
		const takers = services.filter((service) => Object.values(takes[service]).includes(base));
		const other = takers.length > 0 && !instead.has(base) ? await builtInstead(base) : null;
		if (other === null) {
			const [name] = Object.entries(takes[takers[0]] ?? {}).find(([, image]) => image === base) ?? [];
			throw new NotReadyError(`Building ${services.join(', ')} failed${failure}`, remedyOfBuild(failure, base, name));
		}
		instead.set(base, other);
		notes.push(`${takers.join(', ')} began with ${other} in the place of ${base}, because no registry answered.`);
		say(`note: ${notes.at(-1)}`);
	}
}

/** Those with the same arguments at once. */
async function buildEach(services: string[], argumentsFor: (service: string) => string[], get: Get): Promise<string | null> {
	for (const alike of grouped(services, (service) => argumentsFor(service).join(' ')).values()) {
		const failure = await get('build', alike, argumentsFor(alike[0]));
		if (failure !== null) return failure;
	}
	return null;
}

/** Services whose image is not the one that was built before. */
const staleOf = (services: string[], kept: Record<string, string>, present: Record<string, string>) =>
	services.filter((service) => ownOf(kept, service) === undefined || ownOf(kept, service) !== ownOf(present, service));

/** Those that the engine has. */
async function idsOf(models: AttachedService[], names: Record<string, string>): Promise<Record<string, string>> {
	const ids = await Promise.all(models.map(({ service, image }) => imageId(ownOf(names, service) ?? image)));
	return Object.fromEntries(models.map(({ service }, index) => [service, ids[index]]).filter(([, id]) => id !== null));
}

/**
 * @param layersOf that the engine has of a name now
 * @throws {NotReadyError} when one of its images is another by now, so that what it served says nothing of what would be run
 */
export async function refuseOtherImages({ shown, images }: MeasuredRun, layersOf: (tag: string) => Promise<string | null> = imageLayers) {
	for (const { name, image, layers } of images) {
		const now = await layersOf(image);
		if (now === null || layers === undefined || now === layers) continue;
		throw new NotReadyError(
			`RATE: expected the images of ${shown}, of whose good answers it is a share; found another ${image}, which ${name} had.`,
			'run it with LOAD=hold first, or give RATE in requests a second.',
		);
	}
}

async function pullMissing(models: AttachedService[], get: Get, say: (text: string) => void): Promise<void> {
	const missing = await missingOf(models);
	if (missing.length === 0) return;
	say(`pulling ${[...new Set(missing.map(({ image }) => image))].join(', ')}`);
	const services = missing.map(({ service }) => service);
	const failure = await get('pull', services);
	if (failure === null) return;
	const { problem, remedy } = refusalOfPull(await missingOf(missing), failure);
	throw new NotReadyError(problem, remedy);
}

/** What registries say of an image that they do not give to this user. */
const [DENIED, UNKNOWN] = [/pull access denied|unauthorized|denied:/i, /manifest unknown|not found|does not exist/i];

/**
 * @param missing still
 * @param failure of failureOf
 */
function refusalOfPull(missing: Pick<AttachedService, 'service' | 'image'>[], failure: string): { problem: string; remedy: string } {
	const named = missing.map(({ service, image }) => `${image} for ${service}`).join(', ');
	const ways = [
		DENIED.test(failure) ? 'log in to its registry (docker login), if it is private' : '',
		UNKNOWN.test(failure) ? 'correct its name in the Compose file' : '',
		'load it by hand (docker load)',
		`have it built (give ${missing[0]?.service ?? 'the service'} "build" in a second Compose file)`,
	];
	return {
		problem: `Images: expected ${named || 'what the Compose file names'}; it is not on this machine, and to pull it failed${failure}`,
		remedy: `${ways.filter((way) => way !== '').join(', or ')}.`,
	};
}

async function missingOf(models: AttachedService[]) {
	const pulled = models.filter(({ isBuilt, image }) => !isBuilt && image !== '');
	const present = await Promise.all(pulled.map(({ image }) => isPresent(image)));
	return pulled.filter((_, index) => !present[index]);
}

/** How BuildKit names the image that a Dockerfile begins with when its registry does not answer. */
const BASE_IMAGE = /\bHead "https?:\/\/[^/]+\/v2\/(?:library\/)?(\S+?)\/manifests\/([^"\s]+)"/;

/** What a builder says of a file that asks for what only later ones do. */
const TOO_OLD = /unsupported frontend capability|requires? BuildKit|the --mount option requires/i;
const NO_CONTEXT = /unable to prepare context|failed to read dockerfile|Cannot locate specified Dockerfile/i;

/** @returns empty where it is another one */
function missingBase(failure: string): string {
	const [, name, tag] = BASE_IMAGE.exec(failure) ?? [];
	return name === undefined ? '' : `${name}${tag.includes(':') ? '@' : ':'}${tag}`;
}

/**
 * @param failure the last lines
 * @param base of missingBase
 * @param argument by which the Dockerfile takes that
 * @returns the end of "To do: ..."
 */
function remedyOfBuild(failure: string, base: string, argument?: string): string {
	if (TOO_OLD.test(failure)) return 'install a newer Docker: what its "build" asks for, that of this machine cannot do.';
	if (NO_CONTEXT.test(failure))
		return 'correct "context" or "dockerfile" of its "build" in the Compose file, or get what lies there (a submodule, another repository).';
	if (base === '') return 'correct what the last lines name.';
	const other =
		argument === undefined
			? 'have it begin with an image that is there'
			: `give it one that is there: build.args.${argument} in the Compose file`;
	return `get ${base}, with which its Dockerfile begins, onto this machine (docker pull or docker load), or ${other}.`;
}

/**
 * @param output of Compose
 * @param limitMin null where it ended by itself
 * @returns the end of a sentence, and the last lines
 */
function failureOf(output: string, limitMin: number | null): string {
	const lines = output.trim().split('\n').slice(-LAST_LINES).join('\n').replace(/^/gm, '    ');
	return `${limitMin === null ? '' : ` (it did not end in ${limitMin} min)`}; its last lines:\n${lines.trim() === '' ? '    (it wrote nothing)' : lines}`;
}

/**
 * Brings a user's system up until its entry answers, and not only until its containers run.
 *
 */

/** Of files that could be the load, so many are named. */
const NAMED_MOST = 3;

/**
 * @returns notes: a sentence for each folder that is not what it was to be, for bystanders that are unhealthy, and for each request that will fail as it
 * stands; project: in which jobs that are done are no tier; requests: of the load, as they are to be sent; entryPoints: where it is asked, and how
 * @throws {import('../../base/errors.ts').NotReadyError}
 */
export async function bringUpStack({
	checked,
	project,
	system,
	image,
	scratch,
	mayFail = false,
	isUnanswered,
	whenCreated,
	say,
	signal,
}: {
	checked: Pick<CheckedSystem, 'models' | 'requests' | 'headers' | 'loadLine' | 'copy' | 'proposal'>;
	project: Project;
	system: System;
	/** that is there, for containers that copy and never run */
	image: string;
	/** folder of the run */
	scratch: string;
	/** a load whose every request fails is run all the same */
	mayFail?: boolean;
	/** it is known that what stands in for the load is not answered well */
	isUnanswered?: boolean;
	/** its networks and containers are there, and nothing has started */
	whenCreated?: () => Promise<void>;
	say: (text: string) => void;
	signal: AbortSignal;
}): Promise<{
	stack: Service[];
	notes: string[];
	project: Project;
	requests: ListedRequest[];
	entryPoints: EntryPoint[];
	isUnanswered: boolean;
}> {
	const { models, requests, headers, loadLine, copy, proposal } = checked;
	const differs = await fillFolders({ ...copy, system, image, scratch, say, signal });
	const services = models.filter(({ replicas }) => replicas > 0).map(({ service }) => service);
	const rules = rulesOf(models, project, proposal);
	const bound = startBound(copy.config);
	const noted: string[] = [];
	const note = (sentence: string) => {
		noted.push(sentence);
		say(`note: ${sentence}`);
	};
	aboutBound(bound).forEach(note);
	const limit = { limitMs: bound.limitMs, limitWhy: bound.why };
	const parts = copy.folders.filter(({ device }) => device !== '').map(({ volume }) => `${system.project}_${volume}`);
	const hold = async () => {
		await holdVolumes({ project: system.project, volumes: parts, image });
		await whenCreated?.();
	};
	await bringUp({ system, services, env: {}, rules, ...limit, whenCreated: parts.length > 0 ? hold : whenCreated, say, note, signal });
	const look = keeperOf({ system, rules, say, signal });
	const list = () => listServices(system);
	const beside = () => {
		const { scripts, documents } = candidatesIn(system.cwd);
		const spelt = [...scripts.map(({ file }) => `script: ${file}`), ...documents.map(({ file }) => `openapi: ${file}`)];
		return spelt.slice(0, NAMED_MOST);
	};
	const line = mayFail ? null : loadLine;
	// A proxy that finds its servers has a certificate for the names that these ask to be known by.
	const names = [...new Set([...routesIn(models).flatMap(({ hosts }) => hosts), ...publicNames(models, configurationText)])];
	const healthPath = (entry: string) => healthPathOf(copy.config.services[serviceOfEntry(project, entry)] ?? {}, partsOfEntry(entry).port);
	const settled = untilAnswered({
		...{ project, models, proposal, names, healthPath, requests, headers, line, beside, list, look, isUnanswered, say, signal },
	});
	const answered = await settled.catch(async (error) => {
		const reported = reportedByLogs(error, project);
		throw reported.length === 0 ? error : await withLogs(error, reported, await list());
	});
	// What was started again has another process.
	const stack = await list();
	const jobs = doneJobs(stack, project);
	[...differs, ...answered.notes, ...aboutJobs(jobs)].forEach(note);
	const isDone = ({ service }: Service) => jobs.includes(service);
	return {
		stack: stack.map((one) => (isDone(one) ? { ...one, tier: 'observer' } : one)),
		notes: noted,
		project: withoutJobs(project, jobs),
		requests: answered.requests,
		entryPoints: answered.entryPoints,
		isUnanswered: answered.isUnanswered,
	};
}

/** A longer file is no configuration. */
const CONFIGURATION_MOST_BYTES = 65_536;

const configurationText = (path: string) => readIfThere(path, { mostBytes: CONFIGURATION_MOST_BYTES });

async function withLogs(error: NotReadyError, services: string[], stack: Service[]): Promise<NotReadyError> {
	const quoted = services.map(async (name) => {
		const container = stack.find(({ service, pid }) => service === name && pid > 0);
		const text = container ? await quoteLog(container.id).catch(() => '') : '';
		return text === '' ? [] : [`${name} runs; ${text}`];
	});
	const reported = (await Promise.all(quoted)).flat();
	return reported.length === 0 ? error : new NotReadyError([error.problem, ...reported].join('\n'), error.remedy);
}
