/**
 * What a run's manifest says of its system, of its containers and of who asks whom: names, addresses and limits. Nothing of their environment.
 */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { ListedRequest } from '../../k6/lib/request-list.js';
import type { Configuration } from '../adapters/configuration.ts';
import type { Proposal } from '../adapters/observed-system.ts';
import { adapterFor, adapterOf } from '../adapters/registry.ts';
import { readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { GENERATOR_NAME } from '../base/paths.ts';
import { entryUrls, hostOfEntry, PROJECT_FILE, type Project, type ProjectService } from '../catalog/project-schema.ts';
import { compareNames } from '../docker/container-names.ts';
import type { Service } from '../docker/containers.ts';
import type { Arm } from '../options/arms.ts';
import type { AttachedService } from './compose-model.ts';
import { OPAQUE } from './detect.ts';
import { follow, isWithin } from './real-path.ts';

/** of requests, by Compose's names of services */
export type Way = {
	/** where users come in */
	entries: readonly string[];
	/** who asks whom */
	edges: readonly (readonly [string, string])[];
};

/** @returns as the file has it; one that it does not name is watched as any container */
export const projectService = ({ services }: Project, service: string): ProjectService =>
	Object.hasOwn(services, service) ? services[service] : { tier: 'other', product: OPAQUE, watch: 0 };

/** The service of one entry, as the file names it, or of one of its hosts. */
export function serviceOfEntry({ services, hosts = {} }: Pick<Project, 'services' | 'hosts'>, entry: string) {
	const named = hostOfEntry(entry).toLowerCase();
	const host = Object.hasOwn(hosts, named) ? hostOfEntry(hosts[named]).toLowerCase() : named;
	return Object.keys(services).find((service) => service.toLowerCase() === host) ?? host;
}

/** Those at which users come in, each once. */
export const entryServices = (project: Project) => [...new Set(entryUrls(project).map((entry) => serviceOfEntry(project, entry)))];

/** Of requests, by services. */
export const wayOf = (project: Project): { entries: string[]; edges: Project['edges'] } => ({
	entries: entryServices(project),
	edges: project.edges,
});

export const describeSystem = (
	project: Project,
	{
		isFollowed,
		requests,
		proposal,
		arm,
	}: {
		/** its services are told by their own names, and a failed request is followed to what it waited for */
		isFollowed: boolean;
		/** of the load, where they are listed */
		requests?: ListedRequest[];
		/** what init would write today, so that what the user changed is known */
		proposal?: Proposal;
		/** of a comparison */
		arm?: Arm;
	},
) => ({
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

/** What its services are, and who asks whom. */
export const describeTiers = ({ services, edges }: Pick<Project, 'services' | 'edges'>) => ({
	services: Object.fromEntries(
		Object.entries(services).map(([service, { tier, product, watch }]) => [service, { tier: watchedAs(tier), product, watch }]),
	),
	edges,
});

/** The arm of a comparison that a run is of. Its variables were typed to be compared. */
const describeArm = ({ id, variables = {}, resolved }: Arm) => ({
	id,
	title: resolved?.title,
	variables,
	commit: resolved?.commit ?? null,
});

export const describeRequest = ({ method, path, weight = 1, expect, target, shown = target }: ListedRequest) => ({
	method,
	path: withoutValues(path),
	weight,
	...(expect && { expect }),
	...(shown && { target: shown }),
});

/** Of a query the names alone. */
const withoutValues = (path: string) => path.replace(/=[^&#]*/g, '=…');

/** The manifest calls an observer what a user's file calls `other`. */
const watchedAs = (tier: string) => (tier === 'other' ? 'observer' : tier);

/** Without a label of its product a service leaves files beside the folders of services. */
export const describeServices = (services: Service[]) =>
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
 * @param way null: no request comes from outside
 */
export function describeEdges(services: Service[], way: Way | null): { edges?: { from: string; to: string }[] } {
	if (way === null) return {};
	const named = (service: string) =>
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
 */
/** the configuration that a service would run with */
export type Original = {
	service: string;
	/** in its container */
	path: string;
	/** on this machine; null where it is the image's own */
	file: string | null;
	configuration: Pick<Configuration, 'name' | 'overlaid'>;
	purpose: Purpose;
};

/** what a copy is wanted for, as a refusal begins, and how to do without, as it ends */
type Purpose = { what: string; otherwise: string };

type Copy = {
	service: string;
	/** in a folder of the service's own */
	name: string;
	text: string;
	/** a sentence for each */
	changes: string[];
};

const LEVEL = 2;
/** The folder around them is the lab's alone; the program that reads one may run as any user. */
const READABLE = 0o644;

/**
 * @returns of the services that are watched with a changed copy
 * @throws {NotReadyError} when one lies where no copy can be laid over it
 */
export function originalsOf(models: AttachedService[], project: Project): Original[] {
	return models.flatMap((model) => {
		const { product, watch } = projectService(project, model.service);
		const configuration = adapterOf(product)?.configuration;
		const path = watch >= LEVEL && configuration ? configuration.pathOf(model) : null;
		return path === null || !configuration ? [] : [originalAt(model, { path, configuration, purpose: purposeOf(model.service) })];
	});
}

const purposeOf = (service: string) => ({
	what: `${PROJECT_FILE}, services.${service}.watch: level ${LEVEL}`,
	otherwise: 'watch at level 1',
});

/** @throws {NotReadyError} when it lies where no copy can be laid over it */
export const originalAt = (
	model: AttachedService,
	{ path, configuration, purpose }: { path: string; configuration: Original['configuration']; purpose: Purpose },
): Original => ({
	service: model.service,
	path,
	file: fileOf(model, path, purpose),
	configuration,
	purpose,
});

function fileOf({ mounts, laid }: AttachedService, path: string, purpose: Purpose): string | null {
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
 * @param readImage out of the image of its service; empty where it is not there
 * @throws {NotReadyError} when one is not there, or is none
 */
export async function copiesOf(originals: Original[], readImage: (original: Original) => Promise<string>): Promise<Copy[]> {
	const copies = [];
	for (const original of originals) {
		const { service, path, file, configuration, purpose } = original;
		const text = file === null ? await readImage(original) : (readText(file) ?? '');
		if (text === '') throw refusal(purpose, `a configuration at ${file ?? `${path} in its image`}`, 'none', 'correct where it is mounted');
		copies.push({ service, name: configuration.name, ...configuration.overlaid(text) });
	}
	return copies;
}

/** @param folder that nobody else can read, and that is removed after the run */
export async function writeCopies(copies: Copy[], folder: string) {
	for (const { service, name, text } of copies) {
		await mkdir(join(folder, service), { recursive: true });
		await writeFile(join(folder, service, name), text, { flag: 'wx' });
		// Whatever the umask of the lab is.
		await chmod(join(folder, service, name), READABLE);
		await chmod(join(folder, service), 0o755);
	}
}

const refusal: (purpose: Purpose, expected: string, found: string, remedy: string) => NotReadyError = (
	{ what, otherwise },
	expected,
	found,
	remedy,
) => new NotReadyError(`${what} expected ${expected}; found ${found}.`, `${remedy}, or ${otherwise}.`);

/**
 * A page of a run in which services say nothing looks like one in which they had nothing to say.
 * @returns one sentence, where a service on the way of requests is watched as a container alone
 */
export function aboutUnheard({ services }: Pick<Project, 'services'>): string[] {
	const unheard = Object.entries(services).flatMap(([name, { tier, watch }]) => (watch === 0 && tier !== 'other' ? [name] : []));
	return unheard.length === 0
		? []
		: [
				`No log is kept of ${unheard.join(', ')} (watch: 0): what was said there is not known, and only containers, networks and the other services tell of it.`,
			];
}
