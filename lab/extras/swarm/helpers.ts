/**
 * The lab's own containers on the hosts of a Swarm, of an image with Node.js: a keeper, which holds the volume that records go to, on a host
 * that is not this machine an observer, which reads the kernel's files there, and on this machine a relay, by which the lab asks what is on the
 * networks of the stack. All end by themselves, should the lab be gone.
 */

import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { build } from 'esbuild';
import { jsonIn } from '../../base/values.ts';
import type { HostFacts } from '../../catalog/host-facts.ts';
import { clockOffsetOf } from '../../docker/clocks.ts';
import { execute, ignoreGone, placeContainers } from '../../docker/docker.ts';
import { demultiplex } from '../../docker/log-stream.ts';
import type { Watched } from '../../run/observe/observe-kernel.ts';
import type { Engine } from './engines.ts';

/** What each is called on its host, and the label by which it is found again. */
const KEEPER = 'doubletake-keeper';
const OBSERVER = 'doubletake-observer';
const RELAY = 'doubletake-relay';
const HELPER_LABEL = 'doubletake.helper';
/** Where containers write their records (compose/base.yaml). */
export const RECORD_FOLDER = '/raw';
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
