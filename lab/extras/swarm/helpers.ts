/**
 * The lab's own containers on the hosts of a Swarm, of an image with Node.js: a keeper, which holds the volume that records go to, on a host
 * that is not this machine an observer, which reads the kernel's files there, and on this machine a relay, by which the lab asks what is on the
 * networks of the stack. All end by themselves, should the lab be gone.
 */

import { createWriteStream, existsSync } from 'node:fs';
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { build } from 'esbuild';
import { execa } from 'execa';
import { RunFailedError } from '../../base/errors.ts';
import { jsonIn } from '../../base/values.ts';
import type { ClockOffset } from '../../docker/clocks.ts';
import { clockOffsetOf } from '../../docker/clocks.ts';
import { docker, execute, ignoreGone, placeContainers } from '../../docker/docker.ts';
import { demultiplex } from '../../docker/log-stream.ts';
import type { Watched } from '../../run/observe/observe-kernel.ts';
import type { Engine } from './engines.ts';

/** What each is called on its host, and the label by which it is found again. */
const KEEPER = 'doubletake-keeper';
const OBSERVER = 'doubletake-observer';
const RELAY = 'doubletake-relay';
const HELPER_LABEL = 'doubletake.helper';
/** Where containers write their records (compose/base.yaml). */
const RECORD_FOLDER = '/raw';
const MEMORY_BYTES = 256 * 2 ** 20;
const CGROUPS = '/sys/fs/cgroup';

/** As every container of the lab. */
const HARDENED = { ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges:true'], Memory: MEMORY_BYTES };

/**
 * @param given volume: of the record; there already
 * @returns id of the container
 */
export const startKeeper = (
	engine: Engine,
	{ image, user, volume, lastsS }: { image: string; user: string; volume: string | null; lastsS: number },
): Promise<string> =>
	startHelper(engine, KEEPER, {
		Image: image,
		User: user,
		Entrypoint: ['sleep', String(lastsS)],
		HostConfig: { ...HARDENED, NetworkMode: 'none', Binds: volume === null ? [] : [`${volume}:${RECORD_FOLDER}`] },
	});

/**
 * @param given watched: containers of that host
 * @returns id of the container
 */
export const startObserver = async (
	engine: Engine,
	{ image, user, watched, lastsS }: { image: string; user: string; watched: Watched[]; lastsS: number },
): Promise<string> =>
	startHelper(engine, OBSERVER, {
		Image: image,
		User: user,
		Entrypoint: ['node', '--input-type=module', '--eval', await programOf('host-observer.ts')],
		Cmd: [],
		Env: [`OBSERVED=${JSON.stringify({ watched, lastsS })}`],
		HostConfig: {
			...HARDENED,
			// It reads what the kernel shows of the host's processes, and changes nothing.
			PidMode: 'host',
			CgroupnsMode: 'host',
			NetworkMode: 'host',
			Binds: [`${CGROUPS}:${CGROUPS}:ro`],
			LogConfig: { Type: 'json-file', Config: { 'max-size': '200m', 'max-file': '1' } },
		} as HostConfig,
	});

/**
 * Stops an observer.
 * @param id of its container
 * @returns what it read: the name of a record, and a line of it
 */
export async function readObserver(connection: import('dockerode'), id: string): Promise<[string, object][]> {
	const container = connection.getContainer(id);
	await container.stop({ t: 2 }).catch(() => {});
	const log = await container.logs({ stdout: true, stderr: false, follow: false });
	return demultiplex(log as unknown as Buffer)
		.split('\n')
		.map(jsonIn)
		.filter((line) => line !== null);
}

/** What earlier runs left. */
export async function removeHelpers({ connection }: Engine) {
	const left = await connection.listContainers({ all: true, filters: JSON.stringify({ label: [HELPER_LABEL] }) });
	await Promise.all(left.map(({ Id: id }) => connection.getContainer(id).remove({ force: true }).catch(ignoreGone)));
}

/** @param networks beside its own */
async function startHelper({ connection }: Engine, name: string, options: ContainerCreateOptions, networks: string[] = []) {
	const container = await connection.createContainer({ ...options, name, Labels: { [HELPER_LABEL]: name } });
	for (const network of networks) await connection.getNetwork(network).connect({ Container: container.id });
	await container.start();
	return container.id;
}

/** @returns with all that it imports: in a container there is nothing of the lab but its images */
async function programOf(file: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
		bundle: true,
		format: 'esm',
		platform: 'node',
		target: 'node20',
		minify: true,
		write: false,
	});
	return outputFiles[0].text;
}

/** In the container of the relay. */
const RELAY_FOLDER = '/relay';
const RELAY_SOCKET = 'socket';
const RELAY_LIMIT_MS = 5000;
const LOOK_MS = 100;
/** Its user is another than the lab's; the folder around it is the lab's alone. */
const OPEN_FOLDER = 0o777;

/**
 * Starts a relay of this machine.
 * @param given networks: there already; folder: of this run
 * @returns path of its socket; null where it does not listen in time, such as where the engine is not on this machine
 */
export async function startRelay(
	engine: Engine,
	{
		image,
		user,
		networks: [first, ...others],
		folder,
		lastsS,
	}: { image: string; user: string; networks: string[]; folder: string; lastsS: number },
): Promise<string | null> {
	const shared = join(folder, 'relay');
	await mkdir(shared);
	await chmod(shared, OPEN_FOLDER);
	const id = await startHelper(
		engine,
		RELAY,
		{
			Image: image,
			User: user,
			Entrypoint: ['node', '--input-type=module', '--eval', await programOf('host-relay.ts'), '--', `${RELAY_FOLDER}/${RELAY_SOCKET}`],
			Cmd: [String(lastsS)],
			HostConfig: { ...HARDENED, NetworkMode: first, Binds: [`${shared}:${RELAY_FOLDER}`] },
		},
		others,
	).catch(() => null);
	const path = join(shared, RELAY_SOCKET);
	for (const endsAt = Date.now() + RELAY_LIMIT_MS; id !== null && Date.now() < endsAt; ) {
		if (existsSync(path)) return path;
		await wait(LOOK_MS);
	}
	return null;
}

/** What a host of a Swarm is, as the manifest has it. */
export type HostFacts = {
	name: string;
	os: string;
	kernel: string;
	engine: string;
	cores: number;
	memory_bytes: number;
	/** of its kernel: hosts that have the same one are one machine */
	boot_id: string;
	/** against this machine's; null for this one */
	clock: ClockOffset | null;
};

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** @param helper of a container in which the host is asked */
export async function describeHost(engine: Engine, helper: { image: string; user: string; lastsS: number }): Promise<HostFacts> {
	const { connection, name, isHere } = engine;
	const info = await connection.info();
	const reported = async () => Date.parse((await connection.info()).SystemTime ?? '');
	return {
		name,
		os: info.OperatingSystem,
		kernel: info.KernelVersion,
		engine: `Docker Engine ${info.ServerVersion}`,
		cores: info.NCPU,
		memory_bytes: info.MemTotal,
		boot_id: await bootIdOf(engine, helper),
		clock: isHere ? null : await clockOffsetOf(reported),
	};
}

async function bootIdOf(engine: Engine, helper: Parameters<typeof describeHost>[1]) {
	try {
		const id = await startKeeper(engine, { ...helper, volume: null });
		placeContainers(engine.connection, [id]);
		return (await execute(id, ['cat', BOOT_ID])).trim();
	} finally {
		await removeHelpers(engine);
	}
}

/*
 * Brings images to the hosts that need them: no host has to reach a registry, and all run the very same.
 */

const COPY_LIMIT_MS = 300_000;

/**
 * @param image that this machine's engine has
 * @throws {RunFailedError} when it is not there in time
 */
export async function copyImage(
	{ name: host, connection }: Engine,
	{ id, name }: { id: string; name: string },
	{ say, signal }: { say: (text: string) => void; signal: AbortSignal },
) {
	if (await hasImage(connection, id)) return;
	say(`copying ${name} to ${host}`);
	const sent = await docker.getImage(id).get();
	const inTime = new AbortController();
	const overdue = wait(COPY_LIMIT_MS, 'overdue', { signal: AbortSignal.any([signal, inTime.signal]) });
	try {
		await Promise.race([load(connection, sent), overdue]);
	} finally {
		overdue.catch(() => {});
		inTime.abort();
	}
	if (!(await hasImage(connection, id)))
		throw new RunFailedError(`Expected ${name} to be on ${host} within ${COPY_LIMIT_MS / 1000} s; it is not.`);
}

async function load(connection: import('dockerode'), sent: NodeJS.ReadableStream): Promise<void> {
	const answer = await connection.loadImage(sent);
	answer.resume();
	await finished(answer);
}

const hasImage = (connection: import('dockerode'), id: string) =>
	connection
		.getImage(id)
		.inspect()
		.then(
			() => true,
			() => false,
		);

/*
 * Brings what containers of another host wrote into the record: a file as it grows, and everything at the end.
 */

const FETCH_LIMIT_MS = 120_000;

/**
 * @param keeper id of a container that has the record's volume
 * @param given file: below the record's folder, which may not be there yet; path: on this machine
 * @returns ends it
 */
export async function mirrorFile(
	{ connection }: Engine,
	keeper: string,
	{ file, path }: { file: string; path: string },
): Promise<() => void> {
	const exec = await connection.getContainer(keeper).exec({
		Cmd: ['tail', '--bytes=+1', '--follow=name', '--retry', `${RECORD_FOLDER}/${file}`],
		AttachStdout: true,
		AttachStderr: false,
	});
	const stream = await exec.start({});
	const output = new PassThrough();
	connection.modem.demuxStream(stream, output, new PassThrough().resume());
	// Broken off, the end of the run brings the whole of it.
	pipeline(output, createWriteStream(path)).catch(() => {});
	stream.on('error', () => {});
	return () => {
		stream.destroy();
		output.end();
	};
}

/** @param into taken: names of files that other hosts gave, which those of this one add to */
export async function fetchRecord({ connection }: Engine, keeper: string, { rawFolder, taken }: { rawFolder: string; taken: Set<string> }) {
	const folder = await mkdtemp(join(dirname(rawFolder), 'fetched-'));
	try {
		const archive = await connection.getContainer(keeper).getArchive({ path: RECORD_FOLDER });
		await execa('tar', ['--extract', '--no-same-owner', '--strip-components=1', '--directory', folder], {
			input: archive as Readable,
			timeout: FETCH_LIMIT_MS,
		});
		const entries = await readdir(folder, { recursive: true, withFileTypes: true });
		for (const entry of entries.filter((one) => one.isFile())) {
			const from = join(entry.parentPath, entry.name);
			const name = relative(folder, from);
			const to = join(rawFolder, name);
			await mkdir(dirname(to), { recursive: true });
			if (taken.has(name)) await appendFile(to, await readFile(from));
			else await cp(from, to);
			taken.add(name);
		}
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
