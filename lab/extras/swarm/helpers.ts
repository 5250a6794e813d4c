/**
 * The lab's own containers on the hosts of a Swarm, of an image with Node.js: a keeper, which holds the volume that records go to, on a host
 * that is not this machine an observer, which reads the kernel's files there, and on this machine a relay, by which the lab asks what is on the
 * networks of the stack. All end by themselves, should the lab be gone.
 *
 *
 * @import { ClockOffset } from '../../docker/clocks.ts'
 * @import { Watched } from '../../run/observe/observe-kernel.ts'
 * @import { Engine } from './engines.ts'
 */

import { createWriteStream, existsSync } from 'node:fs';
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { RunFailedError } from '../../base/errors.ts';
import { jsonIn } from '../../base/values.ts';
import { clockOffsetOf } from '../../docker/clocks.ts';
import { docker, execute, ignoreGone, placeContainers } from '../../docker/docker.ts';
import { demultiplex } from '../../docker/log-stream.ts';

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
 * @param {Engine} engine
 * @param {{ image: string, user: string, volume: string | null, lastsS: number }} given  volume: of the record; there already
 * @returns {Promise<string>} id of the container
 */
export const startKeeper = (engine, { image, user, volume, lastsS }) =>
	startHelper(engine, KEEPER, {
		Image: image,
		User: user,
		Entrypoint: ['sleep', String(lastsS)],
		HostConfig: { ...HARDENED, NetworkMode: 'none', Binds: volume === null ? [] : [`${volume}:${RECORD_FOLDER}`] },
	});

/**
 * @param {Engine} engine
 * @param {{ image: string, user: string, watched: Watched[], lastsS: number }} given  watched: containers of that host
 * @returns {Promise<string>} id of the container
 */
export const startObserver = async (engine, { image, user, watched, lastsS }) =>
	startHelper(engine, OBSERVER, {
		Image: image,
		User: user,
		Entrypoint: ['node', '--input-type=module', '--eval', await programOf('host-observer.js')],
		Cmd: [],
		Env: [`OBSERVED=${JSON.stringify({ watched, lastsS })}`],
		HostConfig: /** @type {import('dockerode').HostConfig} */ ({
			...HARDENED,
			// It reads what the kernel shows of the host's processes, and changes nothing.
			PidMode: 'host',
			CgroupnsMode: 'host',
			NetworkMode: 'host',
			Binds: [`${CGROUPS}:${CGROUPS}:ro`],
			LogConfig: { Type: 'json-file', Config: { 'max-size': '200m', 'max-file': '1' } },
		}),
	});

/**
 * Stops an observer.
 * @param {import('dockerode')} connection
 * @param {string} id of its container
 * @returns {Promise<[string, object][]>} what it read: the name of a record, and a line of it
 */
export async function readObserver(connection, id) {
	const container = connection.getContainer(id);
	await container.stop({ t: 2 }).catch(() => {});
	const log = await container.logs({ stdout: true, stderr: false, follow: false });
	return demultiplex(/** @type {Buffer} */ (/** @type {unknown} */ (log)))
		.split('\n')
		.map(jsonIn)
		.filter((line) => line !== null);
}

/** What earlier runs left. @param {Engine} engine */
export async function removeHelpers({ connection }) {
	const left = await connection.listContainers({ all: true, filters: JSON.stringify({ label: [HELPER_LABEL] }) });
	await Promise.all(left.map(({ Id: id }) => connection.getContainer(id).remove({ force: true }).catch(ignoreGone)));
}

/** @param {Engine} engine @param {string} name @param {import('dockerode').ContainerCreateOptions} options @param {string[]} [networks]  beside its own */
async function startHelper({ connection }, name, options, networks = []) {
	const container = await connection.createContainer({ ...options, name, Labels: { [HELPER_LABEL]: name } });
	for (const network of networks) await connection.getNetwork(network).connect({ Container: container.id });
	await container.start();
	return container.id;
}

/** @param {string} file @returns {Promise<string>} with all that it imports: in a container there is nothing of the lab but its images */
async function programOf(file) {
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
 * @param {Engine} engine
 * @param {{ image: string, user: string, networks: string[], folder: string, lastsS: number }} given  networks: there already; folder: of this run
 * @returns {Promise<string | null>} path of its socket; null where it does not listen in time, such as where the engine is not on this machine
 */
export async function startRelay(engine, { image, user, networks: [first, ...others], folder, lastsS }) {
	const shared = join(folder, 'relay');
	await mkdir(shared);
	await chmod(shared, OPEN_FOLDER);
	const id = await startHelper(
		engine,
		RELAY,
		{
			Image: image,
			User: user,
			Entrypoint: ['node', '--input-type=module', '--eval', await programOf('host-relay.js'), '--', `${RELAY_FOLDER}/${RELAY_SOCKET}`],
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

/**
 * What a host of a Swarm is, as the manifest has it.
 *
 *
 * @typedef {object} HostFacts
 * @property {string} name
 * @property {string} os
 * @property {string} kernel
 * @property {string} engine
 * @property {number} cores
 * @property {number} memory_bytes
 * @property {string} boot_id   of its kernel: hosts that have the same one are one machine
 * @property {ClockOffset | null} clock  against this machine's; null for this one
 */

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * @param {Engine} engine
 * @param {{ image: string, user: string, lastsS: number }} helper  of a container in which the host is asked
 * @returns {Promise<HostFacts>}
 */
export async function describeHost(engine, helper) {
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

/** @param {Engine} engine @param {Parameters<typeof describeHost>[1]} helper */
async function bootIdOf(engine, helper) {
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
 * @param {Engine} engine
 * @param {{ id: string, name: string }} image  that this machine's engine has
 * @param {{ say: (text: string) => void, signal: AbortSignal }} options
 * @throws {RunFailedError} when it is not there in time
 */
export async function copyImage({ name: host, connection }, { id, name }, { say, signal }) {
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

/** @type {(connection: import('dockerode'), sent: NodeJS.ReadableStream) => Promise<void>} */
async function load(connection, sent) {
	const answer = await connection.loadImage(sent);
	answer.resume();
	await finished(answer);
}

/** @param {import('dockerode')} connection @param {string} id */
const hasImage = (connection, id) =>
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
 * @param {Engine} engine
 * @param {string} keeper  id of a container that has the record's volume
 * @param {{ file: string, path: string }} given  file: below the record's folder, which may not be there yet; path: on this machine
 * @returns {Promise<() => void>} ends it
 */
export async function mirrorFile({ connection }, keeper, { file, path }) {
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

/**
 * @param {Engine} engine
 * @param {string} keeper
 * @param {{ rawFolder: string, taken: Set<string> }} into  taken: names of files that other hosts gave, which those of this one add to
 */
export async function fetchRecord({ connection }, keeper, { rawFolder, taken }) {
	const folder = await mkdtemp(join(dirname(rawFolder), 'fetched-'));
	try {
		const archive = await connection.getContainer(keeper).getArchive({ path: RECORD_FOLDER });
		await execa('tar', ['--extract', '--no-same-owner', '--strip-components=1', '--directory', folder], {
			input: /** @type {import('node:stream').Readable} */ (archive),
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
