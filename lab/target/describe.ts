/**
 * What a run's manifest says of its system, of its containers and of who asks whom: names, addresses and limits. Nothing of their environment.
 *
 *
 * @typedef {object} Way   of requests, by Compose's names of services
 * @property {readonly string[]} entries  where users come in
 * @property {readonly (readonly [string, string])[]} edges  who asks whom
 *
 * @import { ListedRequest } from '../../k6/lib/request-list.js'
 * @import { Configuration } from '../adapters/configuration.ts'
 * @import { Proposal } from '../adapters/observed-system.ts'
 * @import { Project, ProjectService, ProjectTier } from '../catalog/project-schema.ts'
 * @import { Service } from '../docker/containers.ts'
 * @import { Rules } from '../docker/unwell.ts'
 * @import { Arm } from '../options/arms.ts'
 * @import { AttachedService } from './compose-model.ts'
 */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { adapterFor, adapterOf } from '../adapters/registry.ts';
import { readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { GENERATOR_NAME } from '../base/paths.ts';
import { entryUrls, hostOfEntry, PROJECT_FILE } from '../catalog/project-schema.ts';
import { compareNames } from '../docker/containers.ts';
import { OPAQUE } from './detect.ts';
import { follow, isWithin } from './real-path.ts';

/**
 * @param {Project} project
 * @param {string} service
 * @returns {ProjectService} as the file has it; one that it does not name is watched as any container
 */
export const projectService = ({ services }, service) =>
	Object.hasOwn(services, service) ? services[service] : { tier: 'other', product: OPAQUE, watch: 0 };

/** The service of one entry, as the file names it, or of one of its hosts. @param {Pick<Project, 'services' | 'hosts'>} project @param {string} entry */
export function serviceOfEntry({ services, hosts = {} }, entry) {
	const named = hostOfEntry(entry).toLowerCase();
	const host = Object.hasOwn(hosts, named) ? hostOfEntry(hosts[named]).toLowerCase() : named;
	return Object.keys(services).find((service) => service.toLowerCase() === host) ?? host;
}

/** Those at which users come in, each once. @param {Project} project */
export const entryServices = (project) => [...new Set(entryUrls(project).map((entry) => serviceOfEntry(project, entry)))];

/** Of requests, by services. @param {Project} project @returns {{ entries: string[], edges: Project['edges'] }} */
export const wayOf = (project) => ({ entries: entryServices(project), edges: project.edges });

/**
 * @param {Project} project
 * @param {object} about
 * @param {boolean} about.isFollowed  its services are told by their own names, and a failed request is followed to what it waited for
 * @param {ListedRequest[]} [about.requests]  of the load, where they are listed
 * @param {Proposal} [about.proposal]  what init would write today, so that what the user changed is known
 * @param {Arm} [about.arm]  of a comparison
 */
export const describeSystem = (project, { isFollowed, requests, proposal, arm }) => ({
	title: arm?.resolved?.title ?? project.title ?? project.compose.join(', '),
	is_followed: isFollowed,
	...(arm ? { arm: describeArm(arm) } : {}),
	files: project.compose,
	entry: project.entry,
	...(project.question === undefined ? {} : { question: project.question }),
	...(project.remedies === undefined ? {} : { remedies: project.remedies }),
	...describeTiers(project),
	...(proposal === undefined ? {} : { proposal }),
	...(requests === undefined ? {} : { requests: requests.map(describeRequest) }),
});

/** What its services are, and who asks whom. @param {Pick<Project, 'services' | 'edges'>} project */
export const describeTiers = ({ services, edges }) => ({
	services: Object.fromEntries(
		Object.entries(services).map(([service, { tier, product, watch }]) => [service, { tier: watchedAs(tier), product, watch }]),
	),
	edges,
});

/**
 * The arm of a comparison that a run is of. Its variables were typed to be compared.
 * @param {Arm} arm
 */
const describeArm = ({ id, variables = {}, resolved }) => ({ id, title: resolved?.title, variables, commit: resolved?.commit ?? null });

/** @param {ListedRequest} request */
export const describeRequest = ({ method, path, weight = 1, expect, target, shown = target }) => ({
	method,
	path: withoutValues(path),
	weight,
	...(expect && { expect }),
	...(shown && { target: shown }),
});

/** Of a query the names alone. @param {string} path */
const withoutValues = (path) => path.replace(/=[^&#]*/g, '=…');

/** The manifest calls an observer what a user's file calls `other`. @param {string} tier */
const watchedAs = (tier) => (tier === 'other' ? 'observer' : tier);

/** Without a label of its product a service leaves files beside the folders of services. @param {Service[]} services */
export const describeServices = (services) =>
	services
		.map(({ service, name, host, tier, product, watch, address, addresses, cpuQuotaCores }) => ({
			service,
			name,
			...(host === undefined ? {} : { host }),
			tier,
			...(product === null ? { files: adapterFor({ name, tier })?.recorded?.(name) ?? [] } : { product, watch }),
			address,
			addresses,
			cpu_quota_cores: cpuQuotaCores,
		}))
		.toSorted((one, other) => compareNames(one.name, other.name));

/**
 * By containers: each of a service may ask each of another. The generator's edges are the first.
 * @param {Service[]} services
 * @param {Way | null} way  null: no request comes from outside
 * @returns {{ edges?: { from: string, to: string }[] }}
 */
export function describeEdges(services, way) {
	if (way === null) return {};
	const named = (/** @type {string} */ service) =>
		services
			.filter((container) => container.service === service && container.tier !== 'generator')
			.map(({ name }) => name)
			.toSorted(compareNames);
	return {
		edges: [
			...way.entries.flatMap((service) => named(service).map((to) => ({ from: GENERATOR_NAME, to }))),
			...way.edges.flatMap(([from, to]) => named(from).flatMap((one) => named(to).map((other) => ({ from: one, to: other })))),
		],
	};
}

/**
 * The changed copies that are laid over services' own configurations: at level 2, with the user's consent, and for a fault of the self-test.
 * Each is made of what the service would run with, lies outside of the record while the run goes on, and is removed after it: it is the
 * user's, and may hold passwords.
 *
 *
 * @typedef {object} Original   the configuration that a service would run with
 * @property {string} service
 * @property {string} path      in its container
 * @property {string | null} file  on this machine; null where it is the image's own
 * @property {Pick<Configuration, 'name' | 'overlaid'>} configuration
 * @property {Purpose} purpose
 *
 * @typedef {{ what: string, otherwise: string }} Purpose  what a copy is wanted for, as a refusal begins, and how to do without, as it ends
 *
 * @typedef {object} Copy
 * @property {string} service
 * @property {string} name     in a folder of the service's own
 * @property {string} text
 * @property {string[]} changes  a sentence for each
 */

const LEVEL = 2;
/** The folder around them is the lab's alone; the program that reads one may run as any user. */
const READABLE = 0o644;

/**
 * @param {AttachedService[]} models
 * @param {Project} project
 * @returns {Original[]} of the services that are watched with a changed copy
 * @throws {NotReadyError} when one lies where no copy can be laid over it
 */
export function originalsOf(models, project) {
	return models.flatMap((model) => {
		const { product, watch } = projectService(project, model.service);
		const configuration = adapterOf(product)?.configuration;
		const path = watch >= LEVEL && configuration ? configuration.pathOf(model) : null;
		return path === null || !configuration ? [] : [originalAt(model, { path, configuration, purpose: purposeOf(model.service) })];
	});
}

/** @param {string} service */
const purposeOf = (service) => ({ what: `${PROJECT_FILE}, services.${service}.watch: level ${LEVEL}`, otherwise: 'watch at level 1' });

/**
 * @param {AttachedService} model
 * @param {{ path: string, configuration: Original['configuration'], purpose: Purpose }} wanted
 * @returns {Original}
 * @throws {NotReadyError} when it lies where no copy can be laid over it
 */
export const originalAt = (model, { path, configuration, purpose }) => ({
	service: model.service,
	path,
	file: fileOf(model, path, purpose),
	configuration,
	purpose,
});

/** @type {(model: AttachedService, path: string, purpose: Purpose) => string | null} */
function fileOf({ mounts, laid }, path, purpose) {
	if (laid.includes(path)) throw refusal(purpose, `a file or a mount at ${path}`, 'an entry of "configs"', 'mount the file under volumes');
	const [mount] = mounts
		.filter(({ target }) => path === target || path.startsWith(`${target.replace(/\/$/, '')}/`))
		.toSorted((one, other) => other.target.length - one.target.length);
	if (mount === undefined) return null;
	if (mount.type !== 'bind') throw refusal(purpose, `a file of this machine at ${path}`, `a ${mount.type}`, 'mount the file itself');
	const file = posix.join(mount.source, posix.relative(mount.target, path));
	// In the container a link leads elsewhere than on this machine.
	const { real } = follow(file);
	if (isWithin(real, follow(mount.source).real)) return file;
	throw refusal(purpose, `a file in ${mount.source}`, `${file}, which leads to ${real}`, 'put the file itself there');
}

/**
 * @param {Original[]} originals
 * @param {(original: Original) => Promise<string>} readImage  out of the image of its service; empty where it is not there
 * @returns {Promise<Copy[]>}
 * @throws {NotReadyError} when one is not there, or is none
 */
export async function copiesOf(originals, readImage) {
	const copies = [];
	for (const original of originals) {
		const { service, path, file, configuration, purpose } = original;
		const text = file === null ? await readImage(original) : (readText(file) ?? '');
		if (text === '') throw refusal(purpose, `a configuration at ${file ?? `${path} in its image`}`, 'none', 'correct where it is mounted');
		copies.push({ service, name: configuration.name, ...configuration.overlaid(text) });
	}
	return copies;
}

/**
 * @param {Copy[]} copies
 * @param {string} folder  that nobody else can read, and that is removed after the run
 */
export async function writeCopies(copies, folder) {
	for (const { service, name, text } of copies) {
		await mkdir(join(folder, service), { recursive: true });
		await writeFile(join(folder, service, name), text, { flag: 'wx' });
		// Whatever the umask of the lab is.
		await chmod(join(folder, service, name), READABLE);
		await chmod(join(folder, service), 0o755);
	}
}

/** @type {(purpose: Purpose, expected: string, found: string, remedy: string) => NotReadyError} */
const refusal = ({ what, otherwise }, expected, found, remedy) =>
	new NotReadyError(`${what} expected ${expected}; found ${found}.`, `${remedy}, or ${otherwise}.`);

/*
 * Names by which a service is found on the networks of a run beside its own.
 */

/** In each container it is that container. */
const ITSELF = 'localhost';

/** Hosts of entries, as the networks of a run know them. @param {Pick<Project, 'hosts'>} project */
export const networkHosts = ({ hosts = {} }) => Object.keys(hosts).filter((host) => host !== ITSELF);

/**
 * Others may ask it by the name that its container would have had, and users by those of the hosts for which it sends requests on.
 * @type {(model: AttachedService, project: Project) => Record<string, unknown>}
 */
export function aliasesEntry({ service, containerName, networks, isOfSwarm }, project) {
	const hosts = networkHosts(project).filter((host) => serviceOfEntry(project, `http://${host}/`) === service);
	const named = containerName === '' || containerName === service ? [] : [containerName];
	const aliases = [...named, ...(isOfSwarm ? [`tasks.${service}`] : []), ...hosts];
	return aliases.length === 0 || networks.length === 0 ? {} : { networks: Object.fromEntries(networks.map((name) => [name, { aliases }])) };
}

/*
 * What a user's files say of services that end before the load: until then a service may need to be started again, to wait for one that is
 * slower, and the lab does that itself, so that what ends each time is told and does not go on for ever.
 */

/** What such services are asked for they have to be there for, whatever their file says of ports. @type {ProjectTier[]} */
const STAYING = ['load-balancer', 'pool', 'queue', 'cache', 'database'];
/** Reasons of an edge that say little of who asks whom. */
const GUESSED = ['assumed', 'depends_on'];

/**
 * @param {AttachedService[]} models
 * @param {Project} project
 * @param {Proposal} [proposal]  what init would write today
 * @returns {Required<Rules>}
 */
export function rulesOf(models, project, proposal = { services: {}, edges: [] }) {
	const restartsOf = new Map(models.map(({ service, restarts }) => [service, restarts]));
	const isJob = (/** @type {string} */ service) => models.some(({ endsFirst }) => endsFirst.includes(service));
	const isNamed = (/** @type {string} */ service) =>
		project.edges.some(
			([from, to]) =>
				to === service && !proposal.edges.some((edge) => edge.from === from && edge.to === to && GUESSED.includes(edge.reason)),
		);
	// Nobody can ask it by anything that is known of it, so that nobody misses it: a migration that nothing says is one.
	const isUnasked = (/** @type {AttachedService} */ { service, ports, restarts }) =>
		restarts !== 'always' &&
		ports.length === 0 &&
		!entryServices(project).includes(service) &&
		!STAYING.includes(projectService(project, service).tier) &&
		!isNamed(service);
	const unasked = new Set(models.filter(isUnasked).map(({ service }) => service));
	return {
		isJob,
		// A job that fills a database or makes a bucket.
		mayEnd: (service) => projectService(project, service).tier === 'other' || isJob(service) || unasked.has(service),
		comesBack: (service, exitCode) => {
			const restarts = restartsOf.get(service) ?? 'never';
			return restarts === 'always' || (restarts === 'failure' && exitCode !== 0);
		},
	};
}

/**
 * A system in which jobs that are done are no tier.
 * @param {Project} project
 * @param {string[]} jobs  services
 * @returns {Project}
 */
export const withoutJobs = (project, jobs) => ({
	...project,
	services: Object.fromEntries(
		Object.entries(project.services).map(([service, found]) => [service, jobs.includes(service) ? { ...found, tier: 'other' } : found]),
	),
	edges: project.edges.filter((pair) => !pair.some((service) => jobs.includes(service))),
});

/**
 * Services that ended well before the load, and that doubletake.yaml takes for more than a job.
 * @param {Pick<Service, 'service' | 'pid'>[]} stack  its containers
 * @param {Project} project
 * @returns {string[]}
 */
export function doneJobs(stack, project) {
	const running = new Set(stack.filter(({ pid }) => pid > 0).map(({ service }) => service));
	const ended = [...new Set(stack.map(({ service }) => service))].filter((service) => !running.has(service));
	return ended.filter((service) => projectService(project, service).tier !== 'other');
}

/**
 * A page of a run in which services say nothing looks like one in which they had nothing to say.
 * @param {Pick<Project, 'services'>} project
 * @returns {string[]} one sentence, where a service on the way of requests is watched as a container alone
 */
export function aboutUnheard({ services }) {
	const unheard = Object.entries(services).flatMap(([name, { tier, watch }]) => (watch === 0 && tier !== 'other' ? [name] : []));
	return unheard.length === 0
		? []
		: [
				`No log is kept of ${unheard.join(', ')} (watch: 0): what was said there is not known, and only containers, networks and the other services tell of it.`,
			];
}

/** @param {string[]} jobs */
export const aboutJobs = (jobs) =>
	jobs.length === 0 ? [] : [`${jobs.join(', ')} ended well before the load: taken for a job that is done, which no request passes.`];
