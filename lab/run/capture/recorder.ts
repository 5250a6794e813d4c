/**
 * The container of the lab that records what passes one bridge. It stands beside the stack, in the host's network namespace, and can do
 * nothing else: its file system cannot be written but for the one file, it has the one capability that it takes to read packets, and it
 * ends by itself after a time and at a size.
 */

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Container } from 'dockerode';
import { containerNames } from '../../docker/container-names.ts';
import { demultiplex } from '../../docker/log-stream.ts';
import type { Tenure as TenureOfRecord } from '../../wire/record.ts';
import { FILTER, SNAP_BYTES } from './filter.ts';
import type { Network } from './run-capture.ts';

export type Stopped = {
	network: string;
	/** on this machine */
	file: string;
	/** that were recorded */
	packets: number | null;
	/** that the kernel could not hand over; null where that is not known */
	dropped: number | null;
	/** that recording took, of one core; null where it had ended, or it is not known */
	cpu_s: number | null;
	/** why it ended before it was told to; empty where it did not */
	ended_early: string;
};

/** In the container. */
const FILE = '/capture/packets.pcap';
/** That the kernel keeps until they are read: a second and more of 20,000 packets of SNAP_BYTES. */
const RING_MIB = 64;
/** A run that records more is of some million packets. */
const FILE_MOST_KB = 2_000_000;
const READY_LIMIT_MS = 10_000;
const LOOK_MS = 100;
/** Packets wait in the ring until a block of it is full, or for so long. */
const RING_WAIT_MS = 1500;
const STOP_LIMIT_MS = 10_000;
const LOG_LINES = 50;
const NANO = 1e9;

export const LABEL = 'doubletake.capture';

/**
 * @param options file: there already, and open to all;
 * limitS: after which it ends whatever happens
 */
const recorderOptions = ({
	network,
	image,
	file,
	limitS,
}: {
	network: Network;
	image: string;
	file: string;
	limitS: number;
	user?: string;
}) => ({
	Image: image,
	Cmd: [
		...['-i', network.bridge, '-P', '-q', '-s', String(SNAP_BYTES), '-B', String(RING_MIB), '-f', FILTER],
		...['-a', `duration:${Math.ceil(limitS)}`, '-a', `filesize:${FILE_MOST_KB}`, '-w', FILE],
	],
	// Of the container's root: without other capabilities it is nobody's. A user of its own would not get even the one.
	User: '0:0',
	Labels: { [LABEL]: String(process.pid) },
	HostConfig: {
		NetworkMode: 'host',
		ReadonlyRootfs: true,
		CapDrop: ['ALL'],
		CapAdd: ['NET_RAW'],
		SecurityOpt: ['no-new-privileges'],
		Memory: MEMORY_BYTES,
		Binds: [`${file}:${FILE}`],
		LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
	},
});
/** Its ring is the kernel's, and counted for it. */
const MEMORY_BYTES = 256 * 1024 * 1024;

export class Recorder {
	#container;
	#network;
	#file;

	constructor(container: Container, network: Network, file: string) {
		this.#container = container;
		this.#network = network;
		this.#file = file;
	}

	/**
	 * @returns that records
	 * @throws {Error} with what it said, when it does not
	 */
	static async start(engine: import('dockerode'), options: Parameters<typeof recorderOptions>[0]): Promise<Recorder> {
		const container = await engine.createContainer(recorderOptions(options));
		const recorder = new Recorder(container, options.network, options.file);
		try {
			await container.start();
			await recorder.#untilReady();
		} catch (error) {
			await recorder.remove();
			throw error;
		}
		return recorder;
	}

	async #untilReady() {
		for (const endsAt = Date.now() + READY_LIMIT_MS; Date.now() < endsAt; await wait(LOOK_MS)) {
			const said = await this.#said();
			if (/^File: /m.test(said)) return;
			const { State: state } = await this.#container.inspect();
			if (!state.Running) throw new Error(complaintIn(said) || `it ended with code ${state.ExitCode}`);
		}
		throw new Error(`it did not begin in ${READY_LIMIT_MS / 1000} s`);
	}

	async stop(): Promise<Stopped> {
		const before = await this.#container.inspect();
		let cpuS = null;
		if (before.State.Running) {
			await wait(RING_WAIT_MS);
			cpuS = await this.#cpuSeconds();
			await this.#container.kill({ signal: 'SIGINT' }).catch(() => {});
			await this.#untilEnded();
		}
		const said = await this.#said();
		const { State: state } = await this.#container.inspect();
		await this.remove();
		const endedEarly = before.State.Running ? '' : earlyEnd(said, state.ExitCode);
		return { network: this.#network.name, file: this.#file, ...countsIn(said), cpu_s: cpuS, ended_early: endedEarly };
	}

	/** Whatever it does. */
	async remove() {
		await this.#container.remove({ force: true }).catch(() => {});
	}

	async #untilEnded() {
		for (const endsAt = Date.now() + STOP_LIMIT_MS; Date.now() < endsAt; await wait(LOOK_MS)) {
			const { State: state } = await this.#container.inspect();
			if (!state.Running) return;
		}
	}

	async #cpuSeconds(): Promise<number | null> {
		const stats = await this.#container.stats({ stream: false, 'one-shot': true }).catch(() => null);
		const nanoseconds = stats?.cpu_stats?.cpu_usage?.total_usage;
		return nanoseconds === undefined ? null : nanoseconds / NANO;
	}

	async #said() {
		const log = await this.#container.logs({ stdout: true, stderr: true, follow: false, tail: LOG_LINES });
		return demultiplex(log as unknown as Buffer);
	}
}

/** @param said by the recording program at its end */
function countsIn(said: string): { packets: number | null; dropped: number | null } {
	const counts = /^Packets received\/dropped on interface '[^']*': (\d+)\/(\d+) \(pcap:(\d+)\/dumpcap:(\d+)\/flushed:(\d+)/m.exec(said);
	const captured = /^Packets captured: (\d+)/m.exec(said);
	return { packets: captured ? Number(captured[1]) : null, dropped: counts ? Number(counts[2]) + Number(counts[5]) : null };
}

/** Lines that it always says, because it has no capability that it might give up. */
const USUAL = /cap_set_proc|^Capturing on|^File: |^Packets /;

const complaintIn = (said: string) =>
	said
		.split('\n')
		.filter((line) => line.trim() !== '' && !USUAL.test(line))
		.join(' ')
		.trim();

function earlyEnd(said: string, exitCode: number) {
	if (exitCode !== 0) return complaintIn(said) || `its recorder ended with code ${exitCode}`;
	return `its recorder had reached its limit of time, or of ${FILE_MOST_KB / 1e6} GB`;
}

/** Which container had which address when: an address that is free again goes to the next. */
/** network: as the engine calls it */
type Tenure = Required<TenureOfRecord>;

const SERVICE = 'com.docker.compose.service';
const NUMBER = 'com.docker.compose.container-number';

/** Watches the containers of a project from their start on. */
export async function watchAddresses(project: string, engine: import('dockerode')): Promise<{ stop: () => Promise<Tenure[]> }> {
	const label = `com.docker.compose.project=${project}`;
	const filters = JSON.stringify({ type: ['container'], event: ['start', 'die'], label: [label] });
	const stream = (await engine.getEvents({ filters })) as Readable;
	stream.on('error', () => {});
	const book = new AddressBook();
	const asking: Set<Promise<void>> = new Set();
	const ask = (id: string, at: number) => {
		const asked = engine
			.getContainer(id)
			.inspect()
			.then((state) => book.started(id, at, addressesOf(state), labelsOf(state)))
			// It is gone already, and so are its addresses.
			.catch(() => {})
			.finally(() => asking.delete(asked));
		asking.add(asked);
	};
	const lines = createInterface({ input: stream });
	lines.on('line', (line) => {
		const { Action: action, Actor: actor, timeNano } = JSON.parse(line);
		if (action === 'start') ask(actor.ID, timeNano / 1e9);
		else book.ended(actor.ID, timeNano / 1e9);
	});
	return {
		stop: async () => {
			stream.destroy();
			await Promise.all(asking);
			return book.tenures();
		},
	};
}

const addressesOf = ({ NetworkSettings: { Networks: networks } }: any): { address: string; network: string }[] =>
	Object.entries<any>(networks).flatMap(([network, { IPAddress: four, GlobalIPv6Address: six }]) =>
		[four, six].filter(Boolean).map((address) => ({ address, network })),
	);

const labelsOf = ({ Config: { Labels: labels } }: any) => ({
	service: labels[SERVICE] ?? '',
	name: labels['doubletake.name'] ?? labels[SERVICE] ?? '',
	number: Number(labels[NUMBER] ?? 1),
});

class AddressBook {
	#tenures: (Tenure & { number: number })[] = [];

	started(
		container: string,
		from: number,
		addresses: { address: string; network: string }[],
		{ service, name, number }: { service: string; name: string; number: number },
	) {
		for (const { address, network } of addresses) {
			// Whoever had it has it no more.
			for (const tenure of this.#tenures) if (tenure.address === address && tenure.to === null) tenure.to = from;
			this.#tenures.push({ address, network, service, name, container, from, to: null, number });
		}
	}

	ended(container: string, to: number) {
		for (const tenure of this.#tenures) if (tenure.container === container && tenure.to === null) tenure.to = to;
	}

	/** With the names that figures have elsewhere. */
	tenures(): Tenure[] {
		const containers = [...new Map(this.#tenures.map((tenure) => [tenure.container, tenure])).values()];
		const names = containerNames(containers);
		const nameOf = new Map(containers.map(({ container }, index) => [container, names[index]]));
		return this.#tenures.map(({ number: _, ...tenure }) => ({ ...tenure, name: nameOf.get(tenure.container) ?? tenure.name }));
	}
}
