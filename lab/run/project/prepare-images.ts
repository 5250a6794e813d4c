/**
 * Gets the images of a user's services before the stack comes up, so that what is wrong with one is reported as that: those that are
 * built, then those that are missing.
 *
 *
 * @import { ListedRequest } from '../../../k6/lib/request-list.js'
 * @import { Project } from '../../catalog/project-schema.ts'
 * @import { Service, System } from '../../docker/containers.ts'
 * @import { AttachedService } from '../../target/compose-model.ts'
 * @import { MeasuredRun } from '../run-target.ts'
 * @import { CheckedSystem } from './checked-system.ts'
 * @import { EntryPoint } from './settle-load.ts'
 */

import { routesIn } from '../../adapters/found-servers.ts';
import { readIfThere } from '../../base/bounded-file.ts';
import { NotReadyError } from '../../base/errors.ts';
import { isOwnPath } from '../../base/files.ts';
import { grouped, ownOf } from '../../base/values.ts';
import { partsOfEntry } from '../../catalog/project-schema.ts';
import { composeWith } from '../../docker/compose.ts';
import { listServices } from '../../docker/containers.ts';
import { holdVolumes } from '../../docker/held-volumes.ts';
import { builtInstead, imageId, imageLayers, isPresent, lendName, removeUnfinished } from '../../docker/images.ts';
import { bringUp, keeperOf } from '../../docker/stack.ts';
import { quoteLog } from '../../docker/unwell.ts';
import { candidatesIn } from '../../load/choose-load.ts';
import { aboutJobs, doneJobs, rulesOf, serviceOfEntry, withoutJobs } from '../../target/describe.ts';
import { baseArguments, imagesIn } from '../../target/dockerfile.ts';
import { givenPaths } from '../../target/given-paths.ts';
import { publicNames } from '../../target/host-names.ts';
import { follow, inodeKind } from '../../target/real-path.ts';
import { aboutBound, healthPathOf, startBound } from '../../target/start-bound.ts';
import { reportedByLogs } from './failing-load.ts';
import { untilAnswered } from './first-answer.ts';
import { fillFolders } from './open-view.ts';

/** Minutes. */
const LIMITS = { build: 15, pull: 10 };
const LAST_LINES = 15;

/**
 * @param {object} options
 * @param {System} options.system  with the overlay, which names the images that are built
 * @param {AttachedService[]} options.models
 * @param {any} options.config  as Compose has resolved it, of which they are
 * @param {Record<string, string>} options.names  that the overlay gives them, by service
 * @param {Record<string, string>} [options.kept]  ids of images that were built before, by service: what still has its name is not
 *   built again
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @param {typeof LIMITS} [options.limits]  minutes
 * @returns {Promise<{ built: Record<string, string>, notes: string[] }>} built: ids of the images that are built, by service; notes: a sentence for
 *   each image in whose place they begin with another
 * @throws {NotReadyError} when one can neither be built nor pulled
 */
export async function prepareImages({ system, models, config, names, kept = {}, say, signal, limits = LIMITS }) {
	/** @type {Get} */
	const get = async (command, services, more = []) => {
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

/** @type {(models: AttachedService[], config: any, folder: string) => string[]} from which images are built, and that the command line does not allow */
const foreignFiles = (models, config, folder) =>
	models.flatMap(({ service }) =>
		givenPaths({ build: config.services?.[service]?.build }, config, [folder])
			.map(({ path }) => follow(path).real)
			.filter((real) => inodeKind(real) === 'file' && !isOwnPath(real, follow(folder).real)),
	);

/** @param {string} image */
const tagged = (image) => (/:[^/]*$/.test(image) ? image : `${image}:latest`);

/**
 * A Dockerfile takes the image of another service by the name that the file gives it, which stands for what was built meanwhile.
 * @param {string[]} services
 * @param {{ built: AttachedService[], config: any, names: Record<string, string> }} given
 * @param {(services: string[]) => Promise<string[]>} buildThose
 */
async function buildInOrder(services, { built, config, names }, buildThose) {
	const asked = new Map(built.map((model) => [model.service, imagesIn(model, config, (file) => readIfThere(file)).map(tagged)]));
	const takes = (/** @type {string} */ one, /** @type {AttachedService} */ { service, image }) =>
		one !== service && asked.get(one)?.includes(tagged(image)) === true;
	const [lent, notes] = [/** @type {(() => Promise<unknown>)[]} */ ([]), /** @type {string[]} */ ([])];
	try {
		for (let open = services; open.length > 0; ) {
			const isOpen = (/** @type {AttachedService} */ { service }) => open.includes(service);
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

/** @typedef {(command: keyof typeof LIMITS, services: string[], more?: string[]) => Promise<string | null>} Get  null, or the end of a sentence about its failure */

/**
 * Where no registry answers, with what was built here in the place of its image: of a Dockerfile that takes that as an argument.
 * @param {string[]} services
 * @param {Record<string, Record<string, string>>} takes  by service: the images of baseArguments
 * @param {Get} get
 * @param {(text: string) => void} say
 * @returns {Promise<string[]>} notes of prepareImages
 */
async function build(services, takes, get, say) {
	/** Images in the place of others. @type {Map<string, string>} */
	const instead = new Map();
	/** @type {string[]} */
	const notes = [];
	const argumentsFor = (/** @type {string} */ service) =>
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

/** Those with the same arguments at once. @type {(services: string[], argumentsFor: (service: string) => string[], get: Get) => Promise<string | null>} */
async function buildEach(services, argumentsFor, get) {
	for (const alike of grouped(services, (service) => argumentsFor(service).join(' ')).values()) {
		const failure = await get('build', alike, argumentsFor(alike[0]));
		if (failure !== null) return failure;
	}
	return null;
}

/**
 * Services whose image is not the one that was built before.
 * @param {string[]} services
 * @param {Record<string, string>} kept
 * @param {Record<string, string>} present
 */
const staleOf = (services, kept, present) =>
	services.filter((service) => ownOf(kept, service) === undefined || ownOf(kept, service) !== ownOf(present, service));

/** Those that the engine has. @param {AttachedService[]} models @param {Record<string, string>} names @returns {Promise<Record<string, string>>} */
async function idsOf(models, names) {
	const ids = await Promise.all(models.map(({ service, image }) => imageId(ownOf(names, service) ?? image)));
	return Object.fromEntries(models.map(({ service }, index) => [service, ids[index]]).filter(([, id]) => id !== null));
}

/**
 * @param {MeasuredRun} measured
 * @param {(tag: string) => Promise<string | null>} [layersOf]  that the engine has of a name now
 * @throws {NotReadyError} when one of its images is another by now, so that what it served says nothing of what would be run
 */
export async function refuseOtherImages({ shown, images }, layersOf = imageLayers) {
	for (const { name, image, layers } of images) {
		const now = await layersOf(image);
		if (now === null || layers === undefined || now === layers) continue;
		throw new NotReadyError(
			`RATE: expected the images of ${shown}, of whose good answers it is a share; found another ${image}, which ${name} had.`,
			'run it with LOAD=hold first, or give RATE in requests a second.',
		);
	}
}

/** @type {(models: AttachedService[], get: Get, say: (text: string) => void) => Promise<void>} */
async function pullMissing(models, get, say) {
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
 * @param {Pick<AttachedService, 'service' | 'image'>[]} missing  still
 * @param {string} failure  of failureOf
 * @returns {{ problem: string, remedy: string }}
 */
function refusalOfPull(missing, failure) {
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

/** @param {AttachedService[]} models */
async function missingOf(models) {
	const pulled = models.filter(({ isBuilt, image }) => !isBuilt && image !== '');
	const present = await Promise.all(pulled.map(({ image }) => isPresent(image)));
	return pulled.filter((_, index) => !present[index]);
}

/** How BuildKit names the image that a Dockerfile begins with when its registry does not answer. */
const BASE_IMAGE = /\bHead "https?:\/\/[^/]+\/v2\/(?:library\/)?(\S+?)\/manifests\/([^"\s]+)"/;

/** What a builder says of a file that asks for what only later ones do. */
const TOO_OLD = /unsupported frontend capability|requires? BuildKit|the --mount option requires/i;
const NO_CONTEXT = /unable to prepare context|failed to read dockerfile|Cannot locate specified Dockerfile/i;

/** @param {string} failure @returns {string} empty where it is another one */
function missingBase(failure) {
	const [, name, tag] = BASE_IMAGE.exec(failure) ?? [];
	return name === undefined ? '' : `${name}${tag.includes(':') ? '@' : ':'}${tag}`;
}

/**
 * @param {string} failure  the last lines
 * @param {string} base      of missingBase
 * @param {string} [argument]  by which the Dockerfile takes that
 * @returns {string} the end of "To do: ..."
 */
function remedyOfBuild(failure, base, argument) {
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
 * @param {string} output of Compose
 * @param {number | null} limitMin  null where it ended by itself
 * @returns {string} the end of a sentence, and the last lines
 */
function failureOf(output, limitMin) {
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
 * @param {object} options
 * @param {Pick<CheckedSystem, 'models' | 'requests' | 'headers' | 'loadLine' | 'copy' | 'proposal'>} options.checked
 * @param {Project} options.project
 * @param {System} options.system
 * @param {string} options.image    that is there, for containers that copy and never run
 * @param {string} options.scratch  folder of the run
 * @param {boolean} [options.mayFail]  a load whose every request fails is run all the same
 * @param {boolean} [options.isUnanswered]  it is known that what stands in for the load is not answered well
 * @param {() => Promise<void>} [options.whenCreated]  its networks and containers are there, and nothing has started
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<{ stack: Service[], notes: string[], project: Project, requests: ListedRequest[], entryPoints: EntryPoint[], isUnanswered: boolean }>}
 *   notes: a sentence for each folder that is not what it was to be, for bystanders that are unhealthy, and for each request that will fail as it
 *   stands; project: in which jobs that are done are no tier; requests: of the load, as they are to be sent; entryPoints: where it is asked, and how
 * @throws {import('../../base/errors.ts').NotReadyError}
 */
export async function bringUpStack({ checked, project, system, image, scratch, mayFail = false, isUnanswered, whenCreated, say, signal }) {
	const { models, requests, headers, loadLine, copy, proposal } = checked;
	const differs = await fillFolders({ ...copy, system, image, scratch, say, signal });
	const services = models.filter(({ replicas }) => replicas > 0).map(({ service }) => service);
	const rules = rulesOf(models, project, proposal);
	const bound = startBound(copy.config);
	/** @type {string[]} */
	const noted = [];
	const note = (/** @type {string} */ sentence) => {
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
	const healthPath = (/** @type {string} */ entry) =>
		healthPathOf(copy.config.services[serviceOfEntry(project, entry)] ?? {}, partsOfEntry(entry).port);
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
	const isDone = (/** @type {Service} */ { service }) => jobs.includes(service);
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

/** @param {string} path */
const configurationText = (path) => readIfThere(path, { mostBytes: CONFIGURATION_MOST_BYTES });

/** @type {(error: NotReadyError, services: string[], stack: Service[]) => Promise<NotReadyError>} */
async function withLogs(error, services, stack) {
	const quoted = services.map(async (name) => {
		const container = stack.find(({ service, pid }) => service === name && pid > 0);
		const text = container ? await quoteLog(container.id).catch(() => '') : '';
		return text === '' ? [] : [`${name} runs; ${text}`];
	});
	const reported = (await Promise.all(quoted)).flat();
	return reported.length === 0 ? error : new NotReadyError([error.problem, ...reported].join('\n'), error.remedy);
}
