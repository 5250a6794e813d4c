/**
 * What Compose makes of a file (`docker compose config --format json`), as services that adapters and the overlay can speak of.
 * Services whose profile is not active are not in it: Compose leaves them out itself.
 */

import { join } from 'node:path';
import { ENGINE_API_SOCKET, writesRoutes } from '../adapters/found-servers.ts';
import { NotReadyError } from '../base/errors.ts';
import { replicasOf } from '../docker/compose.ts';
import { literal } from './compose-changes.ts';
import { keptLogging } from './kept-logging.ts';
import { restartPolicyOf, restartsAfter } from './restart-policy.ts';

/**
 * @typedef {object} Attachment        what attaching has to know of a service beside what adapters see
 * @property {string[]} names          under which others on its networks reach it: its own, its container's, its aliases
 * @property {Record<string, string>} labels
 * @property {string} containerName    fixed by the file; empty where it is not
 * @property {number[]} likelyPorts     on which its health check, its command or a variable says that it listens
 * @property {number[]} published      of its ports, those that the file publishes over TCP
 * @property {number[]} publishedHere  of those, the ones that programs of the machine alone can ask
 * @property {Record<string, number>} openAt  of its TCP ports, by the fixed port of the machine that it is published at
 * @property {string[]} endsFirst      of the services it depends on, those that must have ended before it starts
 * @property {string} networkMode      in place of networks; empty where it has some
 * @property {string[]} looksInto     services whose processes, memory or volumes it shares (`pid`, `ipc`, `volumes_from`)
 * @property {string[]} openNetworks   of its networks, those on which a port can be published
 * @property {string[]} freeSubnets    of its networks, those with a subnet of the file's in which no service has an address of the file's
 * @property {string[]} namedBridges  of its networks, those for which the file names an interface of this machine
 * @property {boolean} isProvided      a program outside of the engine makes it, and it has no container
 * @property {boolean} isBuilt         its image is built, and not pulled
 * @property {boolean} [isBase]       other services of the file are built from its image
 * @property {string} context          folder that it is built from; empty where it is not
 * @property {string[]} laid            paths over which the file lays one of Compose’s configs
 * @property {boolean} hasEntrypoint   its command begins with an entrypoint that the file gives
 * @property {boolean} hasRestartPolicy  under `deploy`, where `restart` does not reach
 * @property {import('./restart-policy.ts').RestartPolicy} restartPolicy  by which the file has it started again after it has ended
 * @property {'never' | 'failure' | 'always'} restarts  after which ends that is
 * @property {boolean} isChecked       the file gives it a health check
 * @property {boolean} hasLogging      its log goes where the file says
 * @property {ReturnType<typeof keptLogging>} logLimits  what of that stays in a run
 * @property {boolean} sendsLog        and that is elsewhere than the engine's own files
 * @property {boolean} isOfSwarm       the file is written for a Swarm, where the containers of a service have a name of their own
 * @property {boolean} hasCpuLimit     under `deploy`, where `cpus` does not reach
 *
 * @typedef {import('../adapters/contract.ts').ServiceModel & Attachment} AttachedService
 */

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
 * @param {any} config  as Compose has resolved it
 * @returns {AttachedService[]} in the order in which Compose gives them, which is that of their names
 * @throws {NotReadyError} when there is no service
 */
export function serviceModels(config) {
	const services = Object.entries(config?.services ?? {});
	if (services.length === 0)
		throw new NotReadyError(
			'The Compose file: expected at least one service; found none.',
			'name another file; if its services have profiles, name one of them in COMPOSE_PROFILES.',
		);
	const networks = config.networks ?? {};
	const joins = services.flatMap(([, found]) => Object.entries(found.networks ?? {}));
	const addressed = new Set(joins.filter(([, join]) => join?.ipv4_address || join?.ipv6_address).map(([name]) => name));
	const isFree = (/** @type {string} */ name) =>
		(networks[name]?.ipam?.config ?? []).length > 0 && !networks[name].external && !addressed.has(name);
	const isOfSwarm = namesTasks(config) || services.some(([, { deploy = {} }]) => OF_SWARM.some((key) => isSaid(deploy?.[key])));
	return services.map(([service, found]) => serviceModel(service, found, { networks, isFree, isOfSwarm }));
}

/** Under `deploy`, what Compose takes no heed of. https://docs.docker.com/reference/compose-file/deploy/ */
const OF_SWARM = ['endpoint_mode', 'mode', 'placement', 'rollback_config', 'update_config'];
/** Containers of a service, as a Swarm names them. https://docs.docker.com/engine/swarm/networking/ */
const TASKS = /\btasks\.[a-z\d]/i;

/** Compose fills in an empty placement. @param {any} value */
const isSaid = (value) => value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0);

/** @param {any} config */
const namesTasks = ({ services, configs = {} }) => [services, configs].some((part) => TASKS.test(JSON.stringify(part)));

/** @param {{ protocol?: string, published?: unknown }} port */
const isFixed = ({ protocol = 'tcp', published }) => protocol === 'tcp' && Number(published) > 0;

/**
 * @typedef {{ networks: Record<string, any>, isFree: (network: string) => boolean, isOfSwarm: boolean }} Networks
 * @type {(service: string, found: any, networks: Networks) => AttachedService}
 */
function serviceModel(service, found, { networks, isFree, isOfSwarm }) {
	const dependencies = Object.entries(found.depends_on ?? {});
	/** @type {any[]} */
	const publishing = found.ports ?? [];
	const joined = Object.keys(found.networks ?? {});
	const containerName = literal(found.container_name);
	const aliases = Object.values(found.networks ?? {}).flatMap((network) => network?.aliases ?? []);
	return {
		service,
		image: literal(found.image),
		command: [found.entrypoint, found.command].flat().filter(isText).map(literal),
		environment: Object.fromEntries(Object.entries(found.environment ?? {}).map(([name, value]) => [name, literal(value)])),
		ports: unique([...publishing.map(({ target }) => Number(target)), ...(found.expose ?? []).flatMap(portsIn)]),
		dependsOn: dependencies.map(([name]) => name),
		mounts: (found.volumes ?? []).map(mountOf),
		networks: joined,
		replicas: replicasOf(found),
		names: unique([service, containerName, ...aliases]).filter((name) => name !== ''),
		containerName,
		likelyPorts: likelyPorts(found),
		labels: Object.fromEntries(Object.entries(found.labels ?? {}).map(([name, value]) => [literal(name), literal(value)])),
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
		laid: (found.configs ?? []).map((/** @type {any} */ config) => literal(config.target)),
		hasEntrypoint: Array.isArray(found.entrypoint) && found.entrypoint.length > 0,
		hasRestartPolicy: Boolean(found.deploy?.restart_policy),
		restartPolicy: restartPolicyOf(found),
		restarts: restartsAfter(restartPolicyOf(found)),
		isChecked: Boolean(found.healthcheck?.test) && found.healthcheck.disable !== true && found.healthcheck.test[0] !== 'NONE',
		hasLogging: Boolean(found.logging),
		logLimits: keptLogging(found.logging),
		sendsLog: !OWN_LOGS.includes(literal(found.logging?.driver)),
		isOfSwarm,
		hasCpuLimit: found.deploy?.resources?.limits?.cpus !== undefined,
	};
}

/** @param {any} found of a service @returns {string[]} */
const looksInto = ({ pid, ipc, volumes_from: volumes = [] }) => [
	...[pid, ipc].map(literal).flatMap((mode) => (mode.startsWith(OF_SERVICE) ? [mode.slice(OF_SERVICE.length)] : [])),
	...volumes.map((/** @type {unknown} */ from) => literal(from).replace(/:r[ow]$/, '')),
];

const ITSELF_AND_PORT = /(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{2,5})\b/g;
const PORT_OPTION = /(?:^|\s)(?:--port|-p|http\.server)[=\s]+(\d{2,5})\b/g;

/** @param {any} found of a service @returns {number[]} */
function likelyPorts({ healthcheck, command, entrypoint, environment }) {
	const texts = [healthcheck?.test, entrypoint, command].map((words) => [words ?? []].flat().join(' '));
	const named = texts.flatMap((text) =>
		[ITSELF_AND_PORT, PORT_OPTION].flatMap((pattern) => [...text.matchAll(pattern)].map(([, port]) => port)),
	);
	return unique([...named, environment?.PORT ?? ''].map(Number).filter((port) => Number.isInteger(port) && port > 0));
}

/** @param {any} mount @returns {import('../adapters/contract.ts').ServiceModel['mounts'][number]} */
const mountOf = ({ type, source, target, read_only: readOnly }) => ({
	type: String(type),
	source: literal(source),
	target: literal(target),
	readOnly: readOnly === true,
});

/** @param {unknown} value @returns {value is string} */
const isText = (value) => typeof value === 'string';

/** @param {unknown} entry of `expose`: a port, or a range of them, with or without a protocol @returns {number[]} */
function portsIn(entry) {
	const [first, last = first] = String(entry)
		.replace(/\/\w+$/, '')
		.split('-')
		.map(Number);
	if (!Number.isInteger(first) || !Number.isInteger(last)) return [];
	const count = Math.min(Math.max(last - first + 1, 0), RANGE_MOST);
	return Array.from({ length: count }, (_, index) => first + index);
}

/** @template T @param {T[]} values @returns {T[]} */
const unique = (values) => [...new Set(values)];

/**
 * Services that mount the engine's socket and stay in a run, as a proxy that finds its servers there: each has in its place a view of the
 * engine (lab/docker/http-answer.ts) that can only read, and sees the run's own copy. Here it is decided which, and what they see. Pure.
 *
 * @typedef {import('./compose-changes.ts').Changes} Changes
 * @typedef {import('../docker/engine-view-question.ts').Names} Names
 * @typedef {{ services: string[], names: Names }} View
 */

/** The view in the folder of the run's own files; as a socket it would be one of this machine's. */
export const VIEW_FILE = 'engine-view';

/** @param {any} found of a service */
export const mountsSocket = ({ volumes = [] }) => volumes.some(isSocket);

/** @param {any} mount */
const isSocket = ({ type, source = '' }) => type === 'bind' && ENGINE_API_SOCKET.test(source);

/**
 * @param {any} config   of the copy, as Compose would resolve it
 * @param {object} given
 * @param {any} given.original  as Compose has resolved the user's files
 * @param {string[]} given.without  services that are left out
 * @param {string} given.own   Compose's name of the user's own stack
 * @returns {View | null} null where none needs it
 */
export function viewFor(config, { original, without, own }) {
	const staying = Object.entries(config.services).filter(([service]) => !without.includes(service));
	const services = staying.filter(([, found]) => mountsSocket(found)).map(([service]) => service);
	if (services.length === 0) return null;
	const writers = serviceModels(config).filter((model) => services.includes(model.service) && writesRoutes(model));
	return { services, names: { ...namesFor(config, original, own), ...(writers.length > 0 ? { reloads: true } : {}) } };
}

/** @type {(config: any, original: any, own: string) => Names} */
function namesFor({ name: project, networks = {} }, original, own) {
	const known = Object.entries(original.networks ?? {}).flatMap(([key, { name = '' }]) =>
		name === '' || name.includes(project) ? [] : [[networks[key]?.name ?? `${project}_${key}`, name]],
	);
	const contained = Object.entries(original.services).flatMap(([service, { container_name: name }]) =>
		name ? [[`${project}-${service}-1`, name]] : [],
	);
	return { project, own, known: Object.fromEntries([...known, ...contained]) };
}

/**
 * Names of the run's own project, as a network's in a command, are what they are in the user's stack: under these they are seen.
 * @param {any} config
 * @param {View | null} view
 * @param {string} filesFolder  of this run
 * @returns {Changes}
 */
export function withView(config, view, filesFolder) {
	if (view === null) return {};
	const { project, own } = view.names;
	const services = Object.entries(config.services).flatMap(([service, { volumes = [], command, entrypoint, environment = {} }]) => {
		const mounts = view.services.includes(service) ? volumes.filter(isSocket).map(inPlace(filesFolder)) : [];
		const variables = Object.entries(environment).filter(([, value]) => String(value).includes(project));
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

/** @param {string} filesFolder */
const inPlace =
	(filesFolder) =>
	(/** @type {any} */ { target, read_only: readOnly = false }) => ({
		type: 'bind',
		source: join(filesFolder, VIEW_FILE),
		target: literal(target),
		read_only: readOnly,
		bind: { create_host_path: false },
	});

/** @type {(key: string, words: unknown, names: { project: string, own: string }) => [string, string[]][]} */
const renamed = (key, words, { project, own }) =>
	Array.isArray(words) && words.some((word) => word.includes(project))
		? [[key, words.map((word) => word.replaceAll(project, () => own))]]
		: [];

/** @param {View | null} view @returns {string[]} a sentence */
export const aboutView = (view) =>
	view === null
		? []
		: [
				`${view.services.join(', ')}: in place of the engine’s socket one of the run’s, which can only read, and sees the run’s own containers${view.names.reloads ? '; with it a proxy of the run is told to read its configuration again' : ''}.`,
			];
