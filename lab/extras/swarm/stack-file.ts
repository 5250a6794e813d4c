/**
 * The stack that Docker Swarm runs, made of what Compose says of the same system: there is no second copy of it. Pure; whoever reads
 * folders is given.
 *
 * A stack ignores some of what a Compose file says (https://docs.docker.com/reference/cli/docker/stack/deploy/): what has another form
 * there gets it, and what has none is reported.
 */

import { createHash } from 'node:crypto';
import { basename, posix } from 'node:path';
import { limitsOf } from '../../docker/compose.ts';
import { labelConstraint } from './placement.ts';
import { memoryMounts, memoryVolumes, OURS } from './stack-memory.ts';

/** Of files that containers read and do not write. */
const READABLE = 0o444;
const HASH_LETTERS = 12;
/** Swarm's own limit of a configuration's name. */
const NAME_LETTERS = 64;
/** What fails because a name is not there yet is started again after so long. */
const AGAIN = '2s';

/** Fields that a stack has as Compose has them. */
const KEPT = [
	...['image', 'command', 'entrypoint', 'environment', 'user', 'read_only', 'cap_add', 'cap_drop', 'init', 'labels', 'dns', 'dns_search'],
	...['stop_grace_period', 'stop_signal', 'ulimits', 'sysctls', 'logging', 'working_dir', 'hostname', 'domainname', 'extra_hosts', 'tty'],
	'stdin_open',
];
/** Those that get another form there. */
const TURNED = [
	...['cpu_period', 'cpu_quota', 'mem_limit', 'cpus', 'restart', 'volumes', 'tmpfs', 'shm_size', 'depends_on', 'deploy', 'scale'],
	...['healthcheck', 'networks', 'links', 'configs', 'secrets'],
];
/** Why the others are left out. */
const LEFT_OUT: Record<string, string> = {
	cpu_shares: 'a stack has no CPU weights',
	security_opt: 'a stack takes no security options',
	ports: 'nothing is published: who asks is on the same network',
};
/** Nothing is lost with them: they say how the model itself is read, or what Compose shows. */
const OF_COMPOSE = ['profiles', 'build', 'extends', 'pull_policy', 'container_name', 'expose', 'attach', 'develop'];

export type Mount = {
	source: string;
	target: string;
	type: string;
	read_only?: boolean;
	volume?: { nocopy?: boolean };
	tmpfs?: { size?: string | number; mode?: number };
};

/** a config or a secret, of a service */
type Laid = { source: string; target?: string; uid?: string; gid?: string; mode?: string | number };

/** that Compose makes of its files, as `docker compose config` prints it */
export type Model = {
	services: Record<string, any>;
	networks?: Record<string, any>;
	volumes?: Record<string, any>;
	configs?: Record<string, any>;
	secrets?: Record<string, any>;
};

export type Ignored = { service: string; field: string; why: string };

/** Whether a stack hands a mount on as configurations: what is read alone. */
const isHandedOn = ({ type, read_only: isReadOnly }: Mount) => type === 'bind' && isReadOnly === true;

export type Given = {
	/** paths below a folder of this machine */
	filesIn: (place: string) => string[];
	read: (file: string) => string;
	/** what an image is called on the hosts; as in the model unless given */
	imageOf?: (image: string) => string;
	/** of each service; 1 unless given */
	replicas?: number;
	/** where it runs: where its tier does unless given */
	constraintsOf?: (service: any, name: string) => string[];
	/** as configurations: what is read alone unless given */
	isHandedOn?: (mount: Mount) => boolean;
	/** volumes that this machine has already */
	here?: string[];
};

export function stackOf(model: Model, given: Given): { stack: Record<string, any>; ignored: Ignored[] } {
	const { imageOf = (image: string) => image, here = [] } = given;
	const configs = new Configs(given);
	const linked = linksIn(model.services);
	const services = Object.entries(model.services).map(([name, service]) => [
		name,
		serviceOf(name, { ...service, image: imageOf(service.image) }, { ...given, model, configs, aliases: linked[name] ?? [] }),
	]);
	const networks = Object.entries(model.networks ?? {}).map(([name, { labels, internal }]) => [
		name,
		{ driver: 'overlay', attachable: true, ...(internal ? { internal } : {}), labels: { ...labels, ...OURS } },
	]);
	const volumes = Object.entries(model.volumes ?? {}).map(([name, { labels, driver_opts: options, name: full }]) => [
		name,
		here.includes(name) ? { external: true, name: full } : { labels: { ...labels, ...OURS }, ...(options ? { driver_opts: options } : {}) },
	]);
	const memory = Object.entries(model.services).flatMap(([name, service]) => memoryVolumes(name, service));
	return {
		stack: {
			version: '3.8',
			services: Object.fromEntries(services),
			networks: Object.fromEntries(networks),
			volumes: Object.fromEntries([...volumes, ...memory]),
			configs: configs.all(),
			...(model.secrets ? { secrets: secretsOf(model.secrets) } : {}),
		},
		ignored: Object.entries(model.services).flatMap(([service, fields]) => ignoredOf(fields).map((one) => ({ service, ...one }))),
	};
}

/** Compose prints what is not given as null. */
const saidIn = (service: Record<string, unknown>) =>
	Object.keys(service).filter((field) => service[field] !== null && service[field] !== undefined);

function ignoredOf(service: Record<string, any>): Omit<Ignored, 'service'>[] {
	const had = [...KEPT, ...TURNED, ...OF_COMPOSE];
	const left = saidIn(service)
		.filter((field) => !had.includes(field))
		.map((field) => ({ field, why: LEFT_OUT[field] ?? 'Doubletake does not know whether a stack has it' }));
	const { mode = 'replicated' } = service.deploy ?? {};
	return mode === 'replicated'
		? left
		: [...left, { field: 'deploy.mode', why: 'Doubletake starts services in an order, and so many containers as `replicas` says' }];
}

/**
 * Names by which others know a service: `links: [db:store]` is a name of db's.
 * @returns by service
 */
function linksIn(services: Model['services']): Record<string, string[]> {
	const names: Record<string, string[]> = {};
	const links = Object.values(services).flatMap((service) => service.links ?? []);
	for (const [to, name] of links.map((link) => link.split(':'))) if (name) names[to] = [...(names[to] ?? []), name];
	return names;
}

/** aliases: of the service, beside its file's */
type Whole = Given & { model: Model; configs: Configs; aliases: string[] };

function serviceOf(
	name: string,
	service: any,
	{ configs, aliases, model, replicas = 1, constraintsOf = ofTier, isHandedOn: isConfigs = isHandedOn }: Whole,
) {
	const said = saidIn(service);
	const mounts = (service.volumes ?? []) as Mount[];
	const { placement = {}, resources = {} } = service.deploy ?? {};
	return {
		...Object.fromEntries(KEPT.filter((field) => said.includes(field)).map((field) => [field, service[field]])),
		...(said.includes('healthcheck') ? { healthcheck: without(service.healthcheck, 'start_interval') } : {}),
		...(said.includes('networks') ? { networks: networksOf(service.networks, aliases) } : {}),
		volumes: [...mounts.filter((mount) => !isConfigs(mount)).map(mountOf), ...memoryMounts(name, service)],
		configs: lastOfEach([
			...mounts.filter(isConfigs).flatMap((mount) => configs.add(mount)),
			...(service.configs ?? []).map((laid: Laid) => configs.lay(laid, model.configs?.[laid.source])),
		]),
		...(said.includes('secrets') ? { secrets: service.secrets.map(withMode) } : {}),
		deploy: {
			labels: OURS,
			replicas,
			// The routing mesh is a balancer that nobody sees.
			endpoint_mode: 'dnsrr',
			placement: { ...placement, constraints: constraintsOf(service, name) },
			// A stack starts all at once, whatever depends on what. A load that was broken off is not begun again.
			restart_policy: service.labels['doubletake.tier'] === 'generator' ? { condition: 'none' } : { condition: 'on-failure', delay: AGAIN },
			update_config: { parallelism: 1, order: 'stop-first' },
			resources: { limits: { ...without(resources.limits, 'devices'), ...limitsOf(service, 'cpus') } },
		},
	};
}

/** Compose prints the mode of a file as a number, or from some version on as a text in octal; a stack takes a number. */
const withMode = ({ mode, ...laid }: Laid) => ({
	...laid,
	...(mode === undefined ? {} : { mode: typeof mode === 'string' ? parseInt(mode, 8) : mode }),
});

/** What is laid over a file of a folder takes its place. */
const lastOfEach = <T extends { target: string }>(all: T[]) => [...new Map(all.map((one) => [one.target, one])).values()];

const ofTier = (service: any) => [labelConstraint(service)];

const without = (object: Record<string, any> | undefined = {}, key: string) =>
	Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));

/** A stack has addresses by names alone. */
const networksOf = (networks: Record<string, any>, aliases: string[]) =>
	Object.fromEntries(
		Object.entries(networks).map(([name, join]) => {
			const all = [...(join?.aliases ?? []), ...aliases];
			return [name, all.length > 0 ? { aliases: all } : null];
		}),
	);

const mountOf = ({ type, source, target, read_only: isReadOnly, volume, tmpfs }: Mount) => ({
	...{ type, source, target },
	...(isReadOnly ? { read_only: true } : {}),
	...(volume?.nocopy ? { volume: { nocopy: true } } : {}),
	...(tmpfs?.size ? { tmpfs: { size: Number(tmpfs.size) } } : {}),
});

/** Files of this machine that services read, each once, under a name that changes with what is in it: Swarm's own are never changed. */
class Configs {
	/** by name */
	#files: Map<string, { file: string } | { content: string }> = new Map();
	#given;

	constructor(given: Pick<Given, 'filesIn' | 'read'>) {
		this.#given = given;
	}

	/** @param mount a folder, or a file */
	add({ source, target }: Mount) {
		return this.#given.filesIn(plainOf(source)).map((path) => {
			const file = posix.join(source, path);
			const name = nameOf(`${basename(source)}-${path}`, this.#given.read(plainOf(file)));
			this.#files.set(name, { file });
			return { source: name, target: posix.join(target, path), mode: READABLE };
		});
	}

	/**
	 * One of Compose's own.
	 * @param config as the model has it
	 */
	lay({ source, target = `/${source}`, uid, gid, mode }: Laid, { file, content = '' }: { file?: string; content?: string } = {}) {
		const name = nameOf(source, file === undefined ? content : this.#given.read(plainOf(file)));
		this.#files.set(name, file === undefined ? { content } : { file });
		const owner = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
		return withMode({ source: name, target, ...owner, mode: mode ?? READABLE });
	}

	all() {
		return Object.fromEntries([...this.#files].map(([name, what]) => [name, { name, ...what, labels: OURS }]));
	}
}

/** Compose writes two for one, as the Docker command line reads it. */
const plainOf = (text: string) => text.replaceAll('$$', () => '$');

function nameOf(words: string, content: string) {
	const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_LETTERS);
	return `${words.replaceAll(/[^\w-]+/g, '-').slice(0, NAME_LETTERS - HASH_LETTERS - 1)}-${hash}`;
}

const secretsOf = (secrets: NonNullable<Model['secrets']>) =>
	Object.fromEntries(Object.entries(secrets).map(([name, { file }]) => [name, { file, labels: OURS }]));
