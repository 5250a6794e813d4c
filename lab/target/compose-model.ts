/**
 * What Compose makes of a file (`docker compose config --format json`), as services that adapters and the overlay can speak of.
 * Services whose profile is not active are not in it: Compose leaves them out itself.
 */

import { join } from 'node:path';
import type { ServiceModel } from '../adapters/contract.ts';
import { ENGINE_API_SOCKET, writesRoutes } from '../adapters/found-servers.ts';
import { NotReadyError } from '../base/errors.ts';
import { replicasOf } from '../docker/compose.ts';
import type { Names } from '../docker/engine-view-question.ts';
import type { Changes } from './compose-changes.ts';
import { literal } from './compose-changes.ts';
import { keptLogging } from './kept-logging.ts';
import type { RestartPolicy } from './restart-policy.ts';
import { restartPolicyOf, restartsAfter } from './restart-policy.ts';

/** what attaching has to know of a service beside what adapters see */
type Attachment = {
	/** under which others on its networks reach it: its own, its container's, its aliases */
	names: string[];
	labels: Record<string, string>;
	/** fixed by the file; empty where it is not */
	containerName: string;
	/** on which its health check, its command or a variable says that it listens */
	likelyPorts: number[];
	/** of its ports, those that the file publishes over TCP */
	published: number[];
	/** of those, the ones that programs of the machine alone can ask */
	publishedHere: number[];
	/** of its TCP ports, by the fixed port of the machine that it is published at */
	openAt: Record<string, number>;
	/** of the services it depends on, those that must have ended before it starts */
	endsFirst: string[];
	/** in place of networks; empty where it has some */
	networkMode: string;
	/** services whose processes, memory or volumes it shares (`pid`, `ipc`, `volumes_from`) */
	looksInto: string[];
	/** of its networks, those on which a port can be published */
	openNetworks: string[];
	/** of its networks, those with a subnet of the file's in which no service has an address of the file's */
	freeSubnets: string[];
	/** of its networks, those for which the file names an interface of this machine */
	namedBridges: string[];
	/** a program outside of the engine makes it, and it has no container */
	isProvided: boolean;
	/** its image is built, and not pulled */
	isBuilt: boolean;
	/** other services of the file are built from its image */
	isBase?: boolean;
	/** folder that it is built from; empty where it is not */
	context: string;
	/** paths over which the file lays one of Compose’s configs */
	laid: string[];
	/** its command begins with an entrypoint that the file gives */
	hasEntrypoint: boolean;
	/** under `deploy`, where `restart` does not reach */
	hasRestartPolicy: boolean;
	/** by which the file has it started again after it has ended */
	restartPolicy: RestartPolicy;
	/** after which ends that is */
	restarts: 'never' | 'failure' | 'always';
	/** the file gives it a health check */
	isChecked: boolean;
	/** what of that stays in a run */
	logLimits: ReturnType<typeof keptLogging>;
	/** and that is elsewhere than the engine's own files */
	sendsLog: boolean;
	/** the file is written for a Swarm, where the containers of a service have a name of their own */
	isOfSwarm: boolean;
	/** under `deploy`, where `cpus` does not reach */
	hasCpuLimit: boolean;
};

export type AttachedService = ServiceModel & Attachment;

/** Of a range of ports, so many are read: a telephone server may expose ten thousand. */
const RANGE_MOST = 100;
const LOOPBACK = /^(127\.|::1$)/;
/** Compose's word for a dependency that has to end well, such as a migration of the database. */
const ENDED_WELL = 'service_completed_successfully';

const OF_SERVICE = 'service:';
/** Logs that end with their container; an empty one is the engine's own choice. https://docs.docker.com/engine/logging/configure/ */
const OWN_LOGS = ['', 'json-file', 'local', 'none'];
/** https://docs.docker.com/engine/network/drivers/bridge/#default-bridge-settings-options */
export const BRIDGE_NAME = 'com.docker.network.bridge.name';

/**
 * @param config as Compose has resolved it
 * @returns in the order in which Compose gives them, which is that of their names
 * @throws {NotReadyError} when there is no service
 */
export function serviceModels(config: any): AttachedService[] {
	const services = Object.entries<any>(config?.services ?? {});
	if (services.length === 0)
		throw new NotReadyError(
			'The Compose file: expected at least one service; found none.',
			'name another file; if its services have profiles, name one of them in COMPOSE_PROFILES.',
		);
	const networks = config.networks ?? {};
	const joins = services.flatMap(([, found]) => Object.entries<any>(found.networks ?? {}));
	const addressed = new Set(joins.filter(([, join]) => join?.ipv4_address || join?.ipv6_address).map(([name]) => name));
	const isFree = (name: string) => (networks[name]?.ipam?.config ?? []).length > 0 && !networks[name].external && !addressed.has(name);
	const isOfSwarm = namesTasks(config) || services.some(([, { deploy = {} }]) => OF_SWARM.some((key) => isSaid(deploy?.[key])));
	return services.map(([service, found]) => serviceModel(service, found, { networks, isFree, isOfSwarm }));
}

/** Under `deploy`, what Compose takes no heed of. https://docs.docker.com/reference/compose-file/deploy/ */
const OF_SWARM = ['endpoint_mode', 'mode', 'placement', 'rollback_config', 'update_config'];
/** Containers of a service, as a Swarm names them. https://docs.docker.com/engine/swarm/networking/ */
const TASKS = /\btasks\.[a-z\d]/i;

/** Compose fills in an empty placement. */
const isSaid = (value: any) => value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0);

const namesTasks = ({ services, configs = {} }: any) => [services, configs].some((part) => TASKS.test(JSON.stringify(part)));

const isFixed = ({ protocol = 'tcp', published }: { protocol?: string; published?: unknown }) =>
	protocol === 'tcp' && Number(published) > 0;

type Networks = { networks: Record<string, any>; isFree: (network: string) => boolean; isOfSwarm: boolean };

function serviceModel(service: string, found: any, { networks, isFree, isOfSwarm }: Networks): AttachedService {
	const dependencies = Object.entries<any>(found.depends_on ?? {});
	const publishing: any[] = found.ports ?? [];
	const joined = Object.keys(found.networks ?? {});
	const containerName = literal(found.container_name);
	const aliases = Object.values<any>(found.networks ?? {}).flatMap((network) => network?.aliases ?? []);
	return {
		service,
		image: literal(found.image),
		command: [found.entrypoint, found.command].flat().filter(isText).map(literal),
		environment: Object.fromEntries(Object.entries<any>(found.environment ?? {}).map(([name, value]) => [name, literal(value)])),
		ports: unique([...publishing.map(({ target }) => Number(target)), ...(found.expose ?? []).flatMap(portsIn)]),
		dependsOn: dependencies.map(([name]) => name),
		mounts: (found.volumes ?? []).map(mountOf),
		networks: joined,
		replicas: replicasOf(found),
		names: unique([service, containerName, ...aliases]).filter((name) => name !== ''),
		containerName,
		likelyPorts: likelyPorts(found),
		labels: Object.fromEntries(Object.entries<any>(found.labels ?? {}).map(([name, value]) => [literal(name), literal(value)])),
		published: unique(publishing.filter(({ protocol = 'tcp' }) => protocol === 'tcp').map(({ target }) => Number(target))),
		publishedHere: unique(
			publishing
				.filter(({ protocol = 'tcp', host_ip: ip = '' }) => protocol === 'tcp' && LOOPBACK.test(ip))
				.map(({ target }) => Number(target)),
		),
		openAt: Object.fromEntries(publishing.filter(isFixed).map(({ published, target }) => [String(published), Number(target)])),
		endsFirst: dependencies.filter(([, how]) => how?.condition === ENDED_WELL).map(([name]) => name),
		networkMode: literal(found.network_mode),
		looksInto: looksInto(found),
		// The engine publishes nothing from a network that it keeps to itself.
		openNetworks: joined.filter((name) => networks[name]?.internal !== true),
		freeSubnets: joined.filter(isFree),
		namedBridges: joined.filter((name) => networks[name]?.driver_opts?.[BRIDGE_NAME] && !networks[name].external),
		isProvided: Boolean(found.provider),
		isBuilt: Boolean(found.build),
		context: literal(found.build?.context),
		laid: (found.configs ?? []).map((config: any) => literal(config.target)),
		hasEntrypoint: Array.isArray(found.entrypoint) && found.entrypoint.length > 0,
		hasRestartPolicy: Boolean(found.deploy?.restart_policy),
		restartPolicy: restartPolicyOf(found),
		restarts: restartsAfter(restartPolicyOf(found)),
		isChecked: Boolean(found.healthcheck?.test) && found.healthcheck.disable !== true && found.healthcheck.test[0] !== 'NONE',
		logLimits: keptLogging(found.logging),
		sendsLog: !OWN_LOGS.includes(literal(found.logging?.driver)),
		isOfSwarm,
		hasCpuLimit: found.deploy?.resources?.limits?.cpus !== undefined,
	};
}

/** @param found of a service */
const looksInto = ({ pid, ipc, volumes_from: volumes = [] }: any): string[] => [
	...[pid, ipc].map(literal).flatMap((mode) => (mode.startsWith(OF_SERVICE) ? [mode.slice(OF_SERVICE.length)] : [])),
	...volumes.map((from: unknown) => literal(from).replace(/:r[ow]$/, '')),
];

const ITSELF_AND_PORT = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})\b/g;
const PORT_OPTION = /(?:^|\s)(?:--port|-p|http\.server)[=\s]+(\d{2,5})\b/g;

/** @param found of a service */
function likelyPorts({ healthcheck, command, entrypoint, environment }: any): number[] {
	const texts = [healthcheck?.test, entrypoint, command].map((words) => [words ?? []].flat().join(' '));
	const named = texts.flatMap((text) =>
		[ITSELF_AND_PORT, PORT_OPTION].flatMap((pattern) => [...text.matchAll(pattern)].map(([, port]) => port)),
	);
	return unique([...named, environment?.PORT ?? ''].map(Number).filter((port) => Number.isInteger(port) && port > 0));
}

const mountOf = ({ type, source, target, read_only: readOnly }: any): ServiceModel['mounts'][number] => ({
	type: String(type),
	source: literal(source),
	target: literal(target),
	readOnly: readOnly === true,
});

const isText = (value: unknown): value is string => typeof value === 'string';

/** @param entry of `expose`: a port, or a range of them, with or without a protocol */
function portsIn(entry: unknown): number[] {
	const [first, last = first] = String(entry)
		.replace(/\/\w+$/, '')
		.split('-')
		.map(Number);
	if (!Number.isInteger(first) || !Number.isInteger(last)) return [];
	const count = Math.min(Math.max(last - first + 1, 0), RANGE_MOST);
	return Array.from({ length: count }, (_, index) => first + index);
}

const unique = <T>(values: T[]): T[] => [...new Set(values)];

/**
 * Services that mount the engine's socket and stay in a run, as a proxy that finds its servers there: each has in its place a view of the
 * engine (lab/docker/http-answer.ts) that can only read, and sees the run's own copy. Here it is decided which, and what they see. Pure.
 */
export type View = { services: string[]; names: Names };

/** The view in the folder of the run's own files; as a socket it would be one of this machine's. */
export const VIEW_FILE = 'engine-view';

/** @param found of a service */
export const mountsSocket = ({ volumes = [] }: any) => volumes.some(isSocket);

const isSocket = ({ type, source = '' }: any) => type === 'bind' && ENGINE_API_SOCKET.test(source);

/**
 * @param config of the copy, as Compose would resolve it
 * @returns null where none needs it
 */
export function viewFor(
	config: any,
	{
		original,
		without,
		own,
	}: {
		/** as Compose has resolved the user's files */
		original: any;
		/** services that are left out */
		without: string[];
		/** Compose's name of the user's own stack */
		own: string;
	},
): View | null {
	const staying = Object.entries<any>(config.services).filter(([service]) => !without.includes(service));
	const services = staying.filter(([, found]) => mountsSocket(found)).map(([service]) => service);
	if (services.length === 0) return null;
	const writers = serviceModels(config).filter((model) => services.includes(model.service) && writesRoutes(model));
	return { services, names: { ...namesFor(config, original, own), ...(writers.length > 0 ? { reloads: true } : {}) } };
}

function namesFor({ name: project, networks = {} }: any, original: any, own: string): Names {
	const known = Object.entries<any>(original.networks ?? {}).flatMap(([key, { name = '' }]) =>
		name === '' || name.includes(project) ? [] : [[networks[key]?.name ?? `${project}_${key}`, name]],
	);
	const contained = Object.entries<any>(original.services).flatMap(([service, { container_name: name }]) =>
		name ? [[`${project}-${service}-1`, name]] : [],
	);
	return { project, own, known: Object.fromEntries([...known, ...contained]) };
}

/**
 * Names of the run's own project, as a network's in a command, are what they are in the user's stack: under these they are seen.
 * @param filesFolder of this run
 */
export function withView(config: any, view: View | null, filesFolder: string): Changes {
	if (view === null) return {};
	const { project, own } = view.names;
	const services = Object.entries<any>(config.services).flatMap(([service, { volumes = [], command, entrypoint, environment = {} }]) => {
		const mounts = view.services.includes(service) ? volumes.filter(isSocket).map(inPlace(filesFolder)) : [];
		const variables = Object.entries<any>(environment).filter(([, value]) => String(value).includes(project));
		const changes = {
			...(mounts.length > 0 ? { volumes: mounts } : {}),
			...Object.fromEntries(Object.entries({ command, entrypoint }).flatMap(([key, words]) => renamed(key, words, { project, own }))),
			...(variables.length > 0
				? { environment: Object.fromEntries(variables.map(([name, value]) => [name, value.replaceAll(project, () => own)])) }
				: {}),
		};
		return Object.keys(changes).length > 0 ? [[service, changes]] : [];
	});
	return { services: Object.fromEntries(services) };
}

const inPlace =
	(filesFolder: string) =>
	({ target, read_only: readOnly = false }: any) => ({
		type: 'bind',
		source: join(filesFolder, VIEW_FILE),
		target: literal(target),
		read_only: readOnly,
		bind: { create_host_path: false },
	});

const renamed: (key: string, words: unknown, names: { project: string; own: string }) => [string, string[]][] = (
	key,
	words,
	{ project, own },
) =>
	Array.isArray(words) && words.some((word) => word.includes(project))
		? [[key, words.map((word) => word.replaceAll(project, () => own))]]
		: [];

/** @returns a sentence */
export const aboutView = (view: View | null): string[] =>
	view === null
		? []
		: [
				`${view.services.join(', ')}: in place of the engine’s socket one of the run’s, which can only read, and sees the run’s own containers${view.names.reloads ? '; with it a proxy of the run is told to read its configuration again' : ''}.`,
			];
