/**
 * The capture of one run, as far as this machine allows it.
 */

import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { decoders } from '../../adapters/registry.ts';
import type { ImageMode } from '../../catalog/image-mode.ts';
import { containerNames } from '../../docker/container-names.ts';
import { docker } from '../../docker/docker.ts';
import { ensureRecorder } from '../../docker/images.ts';
import type { Tenure } from '../../wire/record.ts';
import { decode, WireWriter } from '../../wire/record.ts';
import type { Stopped } from './recorder.ts';
import { Recorder, watchAddresses } from './recorder.ts';
import { clearEarlier, makeFile, makeScratch } from './scratch.ts';

/**
 * The networks of a run, and the bridges on this kernel that they are; and those that its containers join beside them, which are left alone.
 */
export type Network = {
	name: string;
	/** the interface that all of its packets pass; empty where there is none such */
	bridge: string;
	/** the machine's own address on it; empty where it has none */
	gateway: string;
	/** why it has none, in a sentence; empty where it has one */
	unseen: string;
	/** containers of the run on it, of one that is not the run's own */
	members?: string[];
};

/** of a network, as the engine gives it */
type Described = {
	Id: string;
	Name: string;
	Driver: string;
	Options?: Record<string, string> | null;
	IPAM?: { Config?: { Gateway?: string }[] | null };
};

const BRIDGE_NAME = 'com.docker.network.bridge.name';
const ID_LETTERS = 12;

function networkOf({ Id: id, Name: name, Driver: driver, Options: options, IPAM: ipam }: Described): Network {
	const gateway = ipam?.Config?.map(({ Gateway: address = '' }) => address).find((address) => address !== '') ?? '';
	if (driver !== 'bridge')
		return {
			name,
			bridge: '',
			gateway,
			unseen: `the network ${name} is of driver ${driver}: what passes it is on no bridge of this machine`,
		};
	return { name, bridge: options?.[BRIDGE_NAME] ?? `br-${id.slice(0, ID_LETTERS)}`, gateway, unseen: '' };
}

/** The engine's names of the machine's own network, and of none. */
const [MACHINE, NONE] = ['host', 'none'];
const LABELS = { service: 'com.docker.compose.service', name: 'doubletake.name', number: 'com.docker.compose.container-number' };

/** a container, as the engine gives it */
type Listed = { Labels: Record<string, string>; NetworkSettings?: { Networks?: Record<string, unknown> | null } };

/** Networks that the run's project made, and those that its containers join beside them. */
async function networksOf(project: string): Promise<Network[]> {
	const filters = JSON.stringify({ label: [`com.docker.compose.project=${project}`] });
	const found = (await docker.listNetworks({ filters })) as unknown as Described[];
	const own = found.map(networkOf).sort((one, other) => (one.name < other.name ? -1 : 1));
	const containers = (await docker.listContainers({ all: true, filters })) as unknown as Listed[];
	return [...own, ...elsewhere(containers, new Set(own.map(({ name }) => name)))];
}

/** What is not the run's own has others' traffic too, and is left alone. */
function elsewhere(containers: Listed[], own: Set<string>): Network[] {
	const names = containerNames(
		containers.map(({ Labels: labels }) => ({
			name: labels[LABELS.name] ?? labels[LABELS.service] ?? '',
			number: Number(labels[LABELS.number] ?? 1),
		})),
	);
	const members: Map<string, string[]> = new Map();
	for (const [index, { NetworkSettings: settings }] of containers.entries())
		for (const network of Object.keys(settings?.Networks ?? {}))
			if (!own.has(network) && network !== NONE) members.set(network, [...(members.get(network) ?? []), names[index]]);
	return [...members].map(([name, on]) => ({
		name,
		bridge: '',
		gateway: '',
		unseen: leftAlone(name, on.toSorted()),
		members: on.toSorted(),
	}));
}

const leftAlone = (name: string, members: string[]) =>
	name === MACHINE
		? `${members.join(', ')} is on the machine's own network, with all else there: what the run's networks show of it is seen from one side, as the machine's`
		: `the network ${name} is not of the run's making, and others' traffic passes it too: what ${members.join(', ')} says there is not seen`;

/**
 * Records what passes the bridges of a run from before its first service starts to after its load, reads it afterwards, and leaves the
 * record alone. Where that is not possible the run goes on, and a sentence says what it therefore cannot know.
 */

const READ_BYTES = 1024 * 1024;
/** What is then not known. */
const UNKNOWN = 'who asked whom there, and who gave up first, is not on record';

class Capture {
	#project;
	#image;
	#limitS;
	#unable;
	#scratch = '';
	#beganAt = 0;
	#networks: Network[] = [];
	#recorders: Recorder[] = [];
	#addresses: Awaited<ReturnType<typeof watchAddresses>> | null = null;
	#kept: { stopped: Stopped[]; tenures: Tenure[] } | null = null;
	/** A sentence for each thing that is not on record. */
	notes: string[] = [];

	constructor({
		project,
		image = '',
		limitS = 0,
		unable = '',
	}: {
		/** of the run, whose networks are there */
		project: string;
		image?: string;
		/** after which a recorder ends by itself */
		limitS?: number;
		/** why nothing can be recorded here */
		unable?: string;
	}) {
		this.#unable = unable;
		this.#project = project;
		this.#image = image;
		this.#limitS = limitS;
	}

	/** Begins, when the networks are made and nothing has started. */
	begin = async () => {
		try {
			if (this.#unable !== '') throw new Error(this.#unable);
			this.#scratch = await makeScratch();
			this.#beganAt = Date.now() / 1000;
			this.#networks = await networksOf(this.#project);
			this.#addresses = await watchAddresses(this.#project, docker);
			await Promise.all(this.#networks.map((network, index) => this.#record(network, index)));
		} catch (error) {
			this.#miss('the networks of the run', error);
		}
		if (this.#networks.every(({ members }) => members !== undefined) && this.notes.length === 0)
			this.notes.push(`the run has no network of its own to record: ${UNKNOWN}`);
	};

	async #record(network: Network, index: number) {
		if (network.unseen !== '') {
			this.notes.push(`${network.unseen}; ${UNKNOWN}`);
			return;
		}
		try {
			const file = await makeFile(this.#scratch, index);
			this.#recorders.push(await Recorder.start(docker, { network, image: this.#image, file, limitS: this.#limitS }));
		} catch (error) {
			this.#miss(`the network ${network.name}`, error);
		}
	}

	/** Ends to record. Packets that wait in the kernel are waited for. */
	async stop() {
		const stopped = await Promise.all(
			this.#recorders.map((recorder) =>
				recorder.stop().catch((error) => {
					this.#miss('a network', error);
					return null;
				}),
			),
		);
		this.#recorders = [];
		this.#kept = { stopped: stopped.filter((one) => one !== null), tenures: (await this.#addresses?.stop()) ?? [] };
		this.#addresses = null;
		for (const { network, ended_early: why } of this.#kept.stopped)
			if (why !== '') this.notes.push(`the recording of the network ${network} ended before the load: ${why}; ${UNKNOWN} from then on`);
	}

	/** Reads what was recorded, writes the record of it, and deletes the capture. */
	async write(path: string) {
		if (!this.#kept) return;
		const { stopped, tenures } = this.#kept;
		this.#kept = null;
		try {
			if (stopped.length > 0) await this.#decode(path, stopped, tenures);
		} catch (error) {
			this.#miss('what was recorded of the networks', error);
		} finally {
			await this.clear();
		}
	}

	async #decode(path: string, stopped: Stopped[], tenures: Tenure[]) {
		const writer = new WireWriter(path, Math.floor(this.#beganAt));
		try {
			await this.#decodeTo(writer, stopped, tenures);
		} catch (error) {
			await writer.abandon();
			throw error;
		}
		await writer.close();
	}

	async #decodeTo(writer: WireWriter, stopped: Stopped[], tenures: Tenure[]) {
		for (const tenure of [...this.#machineTenures(), ...tenures]) writer.service(tenure);
		const files = stopped.map(({ network, file }) => ({ network, chunks: chunksOf(file, () => writer.drained()) }));
		const read = await decode(files, decoders, {
			call: (call, connection) => writer.call(call, connection),
			connection: (connection) => writer.connection(connection),
		});
		read.forEach(({ network, counters, hosts }, index) => {
			const { dropped, cpu_s: cpuS, ended_early: endedEarly } = stopped[index];
			writer.network({ network, unseen: '', ended_early: endedEarly, dropped, cpu_s: cpuS, counters, hosts });
		});
		const unknown = { ended_early: '', dropped: null, cpu_s: null, counters: null, hosts: [] };
		for (const { name, unseen, members } of this.#networks)
			if (!stopped.some(({ network }) => network === name))
				writer.network({ network: name, unseen: unseen || 'it could not be recorded', ...(members && { members }), ...unknown });
	}

	/** What comes from outside the stack comes from the machine's address on the network. */
	#machineTenures(): Tenure[] {
		return this.#networks
			.filter(({ gateway }) => gateway !== '')
			.map(({ gateway, name: network }) => ({
				address: gateway,
				network,
				service: 'host',
				name: 'host',
				container: '',
				from: this.#beganAt,
				to: null,
			}));
	}

	/** Leaves nothing of it, whatever it does. */
	async clear() {
		await Promise.all(this.#recorders.map((recorder) => recorder.remove()));
		this.#recorders = [];
		await this.#addresses?.stop();
		this.#addresses = null;
		if (this.#scratch !== '') await rm(this.#scratch, { recursive: true, force: true });
		this.#scratch = '';
	}

	#miss(what: string, error: unknown) {
		const why = error instanceof Error ? error.message : String(error);
		this.notes.push(`${what} could not be recorded (${why}); ${UNKNOWN}`);
	}
}

/** @param ready for the next */
async function* chunksOf(file: string, ready: () => Promise<void>) {
	for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
		yield chunk;
		await ready();
	}
}

/** Beside the load: to bring a stack up, to warm it up, and to collect its record. */
const AROUND_LOAD_S = 900;

/** @returns null where it is not wanted */
export async function captureOf({
	isWanted,
	project,
	loadS,
	images,
	say,
	signal,
}: {
	isWanted: boolean;
	/** of the run */
	project: string;
	/** how long the load is */
	loadS: number;
	images: ImageMode;
	say: (text: string) => void;
	signal: AbortSignal;
}): Promise<Capture | null> {
	// What a run that was killed has left is private, wherever this one is not recorded.
	await clearEarlier(docker).catch(() => {});
	if (!isWanted) return null;
	try {
		const image = await ensureRecorder({ mode: images, say, signal });
		return new Capture({ project, image, limitS: loadS + AROUND_LOAD_S });
	} catch (error) {
		signal.throwIfAborted();
		return new Capture({ project, unable: error instanceof Error ? error.message.split('\n')[0] : String(error) });
	}
}
