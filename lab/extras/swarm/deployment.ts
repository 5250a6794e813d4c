/** A system on a Swarm: what a run asks of it where Compose does the same on one engine. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { ContainerInfo } from 'dockerode';
import { NotReadyError } from '../../base/errors.ts';
import { PROJECT, RAW } from '../../base/paths.ts';
import { relayTo } from '../../base/relays.ts';
import type { HostFacts } from '../../catalog/host-facts.ts';
import { readConfig, replicasOf } from '../../docker/compose.ts';
import type { Deployment, Records, Service, System } from '../../docker/containers.ts';
import { bearsOurs, NUMBER_LABEL, STACK_LABEL, SWARM_SERVICE_LABEL } from '../../docker/containers.ts';
import { docker, execute, placeContainers } from '../../docker/docker.ts';
import { imageId } from '../../docker/images.ts';
import { writingUser } from '../../docker/run-folder.ts';
import type { Rules } from '../../docker/unwell.ts';
import { observeContainers } from '../../run/observe/observe-containers.ts';
import { observeEvents } from '../../run/observe/observe-events.ts';
import { observeKernel } from '../../run/observe/observe-kernel.ts';
import { readPortRange } from '../../run/observe/products.ts';
import type { HostsGiven } from '../../run/run-target.ts';
import { dockerCommand } from './docker-command.ts';
import type { Engine } from './engines.ts';
import { fetchRecord, mirrorFile } from './fetch-record.ts';
import { describeHost, readObserver, removeHelpers, startKeeper, startObserver, startRelay } from './helpers.ts';
import { copyImage } from './host-images.ts';
import { makeRecordVolume, removeVolumes } from './host-volumes.ts';
import type { Form } from './own-files.ts';
import { filesAt, formOf } from './own-files.ts';
import { aboutAway, hostsOf, imagesByHost, labelConstraint, listNodes } from './placement.ts';
import { deploy, foreignOf, isDrained, partsOf, refuseForeign, removeStack, startServices, watchHosts, wavesOf } from './services.ts';
import type { Given } from './stack-file.ts';
import { stackOf } from './stack-file.ts';

/** Its name. */
export const STACK = PROJECT;
const OWN = `${STACK_LABEL}=${STACK}`;
/** No run lasts as long: after that the lab's own containers end by themselves. */
const HELPERS_LAST_S = 7200;

/** Of a container: its service, its number there, and the task's id, with dots between. */
const TASK_LABEL = 'com.docker.swarm.task.name';
const numberIn = (task: string = '') => task.split('.').at(-2) ?? '1';

const addressesOf = ({ NetworkSettings: settings }: ContainerInfo) =>
	Object.values(settings?.Networks ?? {}).flatMap(({ IPAddress: address }) => (address ? [address] : []));

/** What the lab's own files are written for. */
const SHIPPED: Form = { mayRunOn: (service) => [labelConstraint(service)], isHandedOn: undefined, notes: [] };

export class SwarmDeployment implements Deployment {
	#engines;
	#say;
	#signal;
	/** Ids of the keepers, by host. */
	#keepers: Map<string, string> = new Map();
	/** Ids of the observers, by host. */
	#observers: Map<string, string> = new Map();
	#mirrors: (() => void)[] = [];
	#outages: Awaited<ReturnType<typeof import('./services.ts').watchHosts>>['outages'] | null = null;
	/** Hosts that FAULT drained. */
	#drained: Set<string> = new Set();
	/** Name of the image of the lab's own containers. */
	#own = '';
	/** How its stack is made of the model. */
	#form: Pick<Given, 'constraintsOf' | 'isHandedOn' | 'here'> = {};
	/** What the figures of services are called. */
	#calls: Record<string, string> = {};
	/** Whether the lab asks what is on the stack's networks. To a Swarm a relay there is one container more of this host. */
	#isRelayed = false;
	/** Of the relay's socket. */
	#relay: { folder: string; path: string | null } | null = null;
	/** What is not on record, as sentences. */
	#missing: string[] = [];
	/** Ids of images, by name. */
	#images: Map<string, string> = new Map();

	constructor(engines: Engine[], { say, signal }: { say: (text: string) => void; signal: AbortSignal }) {
		this.#engines = engines;
		this.#say = say;
		this.#signal = signal;
	}

	/** Of the hosts. */
	get names() {
		return this.#engines.map(({ name }) => name);
	}

	/**
	 * Before anything of a run is made: removes what an earlier one left, and sees that each host has what it needs.
	 * @returns notes: a sentence for each thing of a user's files that a stack has not, or has
	 * otherwise
	 * @throws {NotReadyError} when a service has no host, a host cannot be reached, or a stack cannot have what the file says
	 */
	async prepare({ system, env, helperImage, own }: HostsGiven): Promise<{ hosts: HostFacts[]; notes: string[] }> {
		await refuseForeign(STACK, this.#engines);
		const left = await this.takeDown();
		if (left.length > 0)
			throw new NotReadyError(
				`Expected nothing of an earlier run; still there: ${left.join(', ')}.`,
				'look at "docker ps -a" on that host.',
			);
		const model = await readConfig(system, env);
		const nodes = await listNodes();
		const { mayRunOn, isHandedOn, notes } =
			own === undefined ? SHIPPED : formOf(model, { nodes, reached: this.names, cwd: system.cwd, ...own });
		// A shipped system is left to the Swarm, among the hosts of each tier.
		const stays = own === undefined ? {} : hostsOf(model.services, nodes, this.names, mayRunOn);
		const constraintsOf = (service: any, name: string) =>
			[...mayRunOn(service), stays[name]].filter((constraint) => constraint !== undefined);
		const needed = imagesByHost(model.services, nodes, this.names, constraintsOf);
		this.#isRelayed = own !== undefined;
		this.#form = { constraintsOf, isHandedOn, here: own?.filled };
		this.#own = helperImage;
		for (const name of new Set([...Object.values(needed).flat(), this.#own])) {
			const id = await imageId(name);
			if (id === null)
				throw new NotReadyError(`Expected the image ${name} on this machine; found none.`, 'get it with "doubletake images".');
			this.#images.set(name, id);
		}
		const bring = async (engine: Engine) => {
			for (const name of new Set([...needed[engine.name], this.#own]))
				await copyImage(engine, { id: this.#idOf(name), name }, { say: this.#say, signal: this.#signal });
		};
		await Promise.all(this.#engines.filter(({ isHere }) => !isHere).map(bring));
		const hosts = await Promise.all(this.#engines.map((engine) => describeHost(engine, this.#helper())));
		return { hosts, notes: [...aboutAway(nodes, this.names), ...notes] };
	}

	#idOf(name: string) {
		return this.#images.get(name) as string;
	}

	/** Of every container of the lab's own on a host. */
	#helper() {
		return { image: this.#idOf(this.#own), user: writingUser(), lastsS: HELPERS_LAST_S };
	}

	/**
	 * @param given system: with the
	 * generator, which is not started yet
	 */
	async bringUp({ system, env, rules, limitMs }: { system: System; env: Record<string, string>; rules?: Rules; limitMs?: number }) {
		const model = await readConfig(system, env);
		const { stack } = stackOf(model, {
			...this.#form,
			filesIn: filesAt,
			read: (file) => readFileSync(file, 'utf8'),
			imageOf: (image) => this.#idOf(image),
			replicas: 0,
		});
		this.#calls = Object.fromEntries(Object.entries(model.services).map(([name, { labels }]) => [name, labels['doubletake.name']]));
		const keep = async (engine: Engine) => {
			const volume = await makeRecordVolume(engine, STACK, stack.volumes);
			const id = await startKeeper(engine, { ...this.#helper(), volume });
			placeContainers(engine.connection, [id]);
			this.#keepers.set(engine.name, id);
		};
		await Promise.all(this.#engines.map(keep));
		await deploy(STACK, stack, this.#signal);
		if (this.#isRelayed) await this.#startRelay(Object.keys(stack.networks));
		const counts = Object.fromEntries(Object.entries(model.services).map(([name, service]) => [name, replicasOf(service)]));
		const first = Object.keys(model.services).filter(
			(name) => model.services[name].labels['doubletake.tier'] !== 'generator' && counts[name] > 0,
		);
		for (const wave of wavesOf(model.services, first)) await startServices(STACK, wave, { counts, rules, limitMs, signal: this.#signal });
	}

	/** @param networks of the stack */
	async #startRelay(networks: string[]) {
		const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-relay-'));
		this.#relay = { folder, path: null };
		const named = networks.map((name) => `${STACK}_${name}`);
		this.#relay.path = await startRelay(this.#engines[0], { ...this.#helper(), networks: named, folder });
	}

	/** Starts the generators, and brings what they say while they run. */
	async startGenerators(names: string[], rawFolder: string) {
		const folders = names.length > 1 ? names.map((name) => this.#calls[name]) : [''];
		for (const [host, keeper] of this.#keepers) {
			const made = await execute(keeper, ['mkdir', '--parents', '--mode=1777', ...folders.map((folder) => `/raw/${folder}`)]);
			if (made.trim() !== '')
				throw new NotReadyError(`The record cannot be written on ${host}: ${made.trim()}`, 'see whether its disk is full.');
		}
		await startServices(STACK, names, { signal: this.#signal });
		for (const { Labels: labels } of await this.listContainers()) {
			if (labels['doubletake.tier'] !== 'generator') continue;
			const engine = this.#engines.find(({ name }) => name === labels['doubletake.host']) as Engine;
			const file = join(names.length > 1 ? labels['doubletake.name'] : '', RAW.k6Log);
			const keeper = this.#keepers.get(engine.name) as string;
			this.#mirrors.push(await mirrorFile(engine, keeper, { file, path: join(rawFolder, file) }));
		}
	}

	/** In each place of a service the newest container, on all hosts that answer. */
	async listContainers(): Promise<ContainerInfo[]> {
		const lists = await Promise.all(this.#engines.map((engine) => this.#listOn(engine)));
		const newest: Map<string, ContainerInfo> = new Map();
		for (const container of lists.flat()) {
			const { [SWARM_SERVICE_LABEL]: service, [NUMBER_LABEL]: number } = container.Labels as Record<string, string>;
			const place = `${service} ${number}`;
			if (container.Created >= (newest.get(place)?.Created ?? 0)) newest.set(place, container);
		}
		return [...newest.values()];
	}

	async #listOn({ connection, name }: Engine) {
		const options = { all: true, filters: JSON.stringify({ label: [OWN] }) };
		const containers = await connection.listContainers(options).catch((error) => {
			this.#miss(`${name}: its engine did not answer (${error.message})`);
			return [];
		});
		placeContainers(
			connection,
			containers.map(({ Id: id }) => id),
		);
		if (this.#relay?.path) relayTo(this.#relay.path, containers.flatMap(addressesOf));
		return containers
			.filter(({ Labels: labels }) => bearsOurs(labels))
			.map((container) => {
				const labels = { ...container.Labels, 'doubletake.host': name, [NUMBER_LABEL]: numberIn(container.Labels[TASK_LABEL]) };
				return { ...container, Labels: labels };
			});
	}

	/**
	 * Watches the containers where each is, and the hosts.
	 * @returns stops watching
	 */
	async observe(services: Service[], records: Records): Promise<() => Promise<void>> {
		const ended: (() => void)[] = [];
		const watched = await Promise.all(services.map(async (service) => ({ service, portRange: await readPortRange(service.id) })));
		for (const engine of this.#engines) {
			const here = watched.filter(({ service }) => service.host === engine.name);
			const seen = here.map(({ service: { name, id, pid }, portRange }) => ({ name, id, pid, portRange }));
			if (engine.isHere) {
				const host = { write: (line: object) => records.host.write({ ...line, host: engine.name }) };
				ended.push(
					observeKernel(seen, { kernel: records.kernel, host }),
					await observeContainers(
						here.map(({ service }) => service),
						records.containers,
					),
				);
			} else {
				this.#observers.set(engine.name, await startObserver(engine, { ...this.#helper(), watched: seen }));
			}
			ended.push(await observeEvents(OWN, services, records.events, engine.connection));
		}
		const hosts = await watchHosts(({ text, ended_s: endedS }) =>
			this.#say(endedS === null ? `${text}, as the Swarm sees it` : `${text} no more`),
		);
		this.#outages = hosts.outages;
		ended.push(hosts.stop);
		return async () => {
			for (const stop of ended) stop();
			await this.#readObservers(records);
		};
	}

	async #readObservers(records: Records) {
		for (const { name, connection } of this.#engines) {
			const id = this.#observers.get(name);
			if (id === undefined) continue;
			const lines = await readObserver(connection, id).catch((error) => {
				this.#miss(`${name}: what its observer read is not on record (${error.message})`);
				return [];
			});
			for (const [record, line] of lines) records[record as 'host'].write(record === 'host' ? { ...line, host: name } : line);
		}
	}

	#miss(sentence: string) {
		if (!this.#missing.includes(sentence)) this.#missing.push(sentence);
	}

	/**
	 * Brings what the containers wrote, when they have ended.
	 * @returns a sentence for each thing that is not on record
	 */
	async fetch(rawFolder: string): Promise<string[]> {
		for (const end of this.#mirrors) end();
		const taken: Set<string> = new Set();
		for (const engine of this.#engines) {
			const keeper = this.#keepers.get(engine.name);
			if (keeper === undefined) continue;
			await fetchRecord(engine, keeper, { rawFolder, taken }).catch((error) => {
				this.#miss(`${engine.name}: what was written there is not on record (${error.message.split('\n')[0]})`);
			});
		}
		return this.#missing;
	}

	/** @param service Compose's name */
	async update(service: string) {
		await dockerCommand(['service', 'update', '--force', '--detach', `${STACK}_${service}`]);
	}

	async setAvailability(host: string, availability: 'active' | 'drain') {
		this.#drained.add(host);
		await dockerCommand(['node', 'update', '--availability', availability, host]);
	}

	/** Of the hosts, while they were watched; those that FAULT made are on record as faults. */
	get outages() {
		return (this.#outages?.all ?? []).filter(({ host, text }) => !(this.#drained.has(host) && isDrained(text)));
	}

	/**
	 * Removes the stack and the lab's own containers from all hosts.
	 * @returns what is still there
	 */
	async takeDown(): Promise<string[]> {
		const left = [];
		// A run that is interrupted does not come to the end of its faults.
		for (const host of this.#drained)
			await this.setAvailability(host, 'active').catch((error) => left.push(`the drain of ${host} (${error.message})`));
		const goneOf = async (engine: Engine, remove: () => Promise<unknown>) =>
			remove().catch((error) => left.push(`what Doubletake made on ${engine.name} (${error.message})`));
		// A relay keeps the stack's networks.
		for (const engine of this.#engines) await goneOf(engine, () => removeHelpers(engine));
		if (this.#relay !== null) await rm(this.#relay.folder, { recursive: true, force: true });
		if ((await partsOf(STACK)).made.length > 0)
			left.push(...(await removeStack(STACK, async () => (await Promise.all(this.#engines.map((engine) => this.#listOn(engine)))).flat())));
		for (const engine of this.#engines) await goneOf(engine, () => removeVolumes(engine, STACK));
		return left;
	}
}

/**
 * Removes what a run on a Swarm left, as far as it is on this machine or Swarm removes it.
 * @returns what is still there, and what is somebody else's
 */
export async function cleanSwarm(): Promise<{ left: string[]; foreign: string[] }> {
	const own = { name: 'this machine', connection: docker, isHere: true, close: async () => {} };
	const deployment = new SwarmDeployment([own], { say: () => {}, signal: new AbortController().signal });
	return { left: await deployment.takeDown(), foreign: await foreignOf(STACK, [own]) };
}
