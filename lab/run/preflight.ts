/**
 * Everything that could invalidate a run is checked before anything is changed.
 */

import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import net from 'node:net';
import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import { NotReadyError, nearestFolder, UnreadyMachineError } from '../base/errors.ts';
import { formatCommand } from '../base/format-command.ts';
import { PROJECT, REPORTS } from '../base/paths.ts';
import type { Bounds } from '../docker/bounded.ts';
import { runBounded } from '../docker/bounded.ts';
import { endOrphanedCalls } from '../docker/call-guard.ts';
import { clockOffset } from '../docker/clocks.ts';
import { isStackByHand, listForeign, listLeftovers } from '../docker/containers.ts';
import { docker } from '../docker/docker.ts';
import { checkEngine } from '../docker/engine.ts';
import { takeLentBack } from '../docker/images.ts';
import type { Described } from '../docker/lock.ts';
import { describeMachine, isElsewhere } from '../docker/lock.ts';
import { clearScratch } from '../docker/scratch.ts';
import { takeDown } from '../docker/stack.ts';
import type { Settings } from '../options/settings.ts';
import { removeIdle } from './faults/slowing.ts';
import { availableMemory, openFilesLimit, waitForQuiet } from './observe/machine.ts';

const GIB = 2 ** 30;
/** The database's cache, k6 with 2,000 users (about 0.8 GiB) and the nodes, measured, with room. */
const LEAST_MEMORY_BYTES = 3 * GIB;
/** Images, the database of one run (about 0.1 GiB) and its record, measured, with room. */
const LEAST_DISK_BYTES = 3 * GIB;
/** A user through a balancer takes about three descriptors. */
const OPEN_FILES_EACH = 3.25;
/** Of the published load. */
const PUBLISHED_USERS = 2000;
const COMMAND_LIMIT_MS = 15_000;
/**
 * 2.24.0 to 2.24.5 cannot lay anything over a service that comes by `include` (https://github.com/docker/compose/issues/11404), and
 * earlier ones do not take all of `!reset`.
 */
const LEAST_COMPOSE = '2.24.6';

export type Preflight = {
	/** the container engine and its version */
	engine: string;
	/** version */
	compose: string;
	/** of the machine before the run, 0 to 1 */
	busy_share: number;
	/** see clockOffset; null where the engine does not tell its time */
	clock_offset_s: number | null;
	/** what does not stop the run and stands in its report */
	warnings: string[];
};

/** on this machine */
type Published = { service: string; port: number; host: string };

/** @throws {NotReadyError} naming what is missing */
export async function preflight({
	project,
	published,
	settings: { busy, users: asked },
	say,
	signal,
}: {
	/** Compose's name of what is to be run */
	project: string;
	/** what the run publishes, asked when Compose is known to be there */
	published: () => Promise<Published[]>;
	settings: Pick<Settings, 'busy' | 'users'>;
	say: (text: string) => void;
	signal: AbortSignal;
}): Promise<Preflight> {
	const users = asked ?? PUBLISHED_USERS;
	const engine = await checkEngine();
	const compose = await checkCompose();
	if (project === PROJECT) await refuseForeign();
	endOrphanedCalls(say);
	await clearLeftovers(say);
	await clearScratch();
	const { clock, storage, elsewhere } = await askEngine();
	checkMemory(elsewhere?.memory_bytes);
	for (const folder of [REPORTS, ...storage]) await checkDisk(folder);
	for (const one of await published()) await checkPort(one);
	const warnings = elsewhere === null ? [] : [ofEngineElsewhere(elsewhere)];
	const openFiles = await openFilesLimit();
	if (openFiles < users * OPEN_FILES_EACH) {
		const needed = Math.ceil(users * OPEN_FILES_EACH);
		warnings.push(`open files are limited to ${openFiles} here; ${users.toLocaleString('en-US')} users need about ${needed} (ulimit -Hn)`);
	}
	const quiet = await waitForQuiet({ busy, say, signal });
	return { engine, compose, busy_share: quiet.share, clock_offset_s: clock, warnings: [...warnings, ...quiet.warnings] };
}

/**
 * @returns clock: as clockOffset; storage: the folder in
 * which the engine keeps images and volumes, where that is on this machine; elsewhere: its machine, where that is not this one
 */
async function askEngine(): Promise<{ clock: number | null; storage: string[]; elsewhere: Described | null }> {
	const before = Date.now();
	const info = await docker.info();
	const { SystemTime: reported, DockerRootDir: root } = info;
	const clock = clockOffset(Date.parse(reported ?? ''), before, Date.now());
	if (isElsewhere(info)) return { clock, storage: [], elsewhere: await describeMachine(async () => info) };
	return { clock, storage: typeof root === 'string' && existsSync(root) ? [root] : [], elsewhere: null };
}

const ofEngineElsewhere = ({ os: system, kernel, cores }: Described): string =>
	`the engine has a machine of its own (${system}, kernel ${kernel}, ${cores} cores): CPU and memory are as its API tells them, and what its kernel counts is not known`;

/**
 * @returns version
 * @throws {NotReadyError}
 */
export async function checkCompose(bounds: Pick<Bounds, 'limitMs' | 'graceMs'> = { limitMs: COMMAND_LIMIT_MS }): Promise<string> {
	const result = await runBounded('docker', ['compose', 'version', '--short'], bounds);
	const version = result.stdout.replace(/^v/, '');
	if (result.failed || !isAtLeast(version, LEAST_COMPOSE)) {
		throw new NotReadyError(
			`Expected Docker Compose ${LEAST_COMPOSE} or newer; found ${version || 'none'}.`,
			'install the Compose plug-in (https://docs.docker.com/compose/install/).',
		);
	}
	return version;
}

/** @param version such as 2.24.6; what follows the numbers (`-desktop.1`) does not count */
const isAtLeast = (version: string, least: string) => gte(coerce(version) ?? '0.0.0', coerce(least) ?? '0.0.0');

/** @throws {NotReadyError} when a project of somebody else's has the name under which the architectures are run */
async function refuseForeign() {
	const foreign = (await listForeign()).filter(({ project }) => project === PROJECT);
	if (foreign.length === 0) return;
	throw new NotReadyError(
		`Expected no project "${PROJECT}" beside Doubletake's own; found ${foreign.map(({ what }) => what).join(', ')}.`,
		`give that project another name (its folder's, or COMPOSE_PROJECT_NAME); if its data may go, docker compose -p ${PROJECT} down -v.`,
	);
}

/** What an interrupted run left is removed; a stack that somebody started by hand is theirs to stop. */
async function clearLeftovers(say: (text: string) => void) {
	if (await isStackByHand()) {
		throw new NotReadyError(
			'A stack that was started by hand is up (docker compose --profile ... up).',
			`stop it with "${formatCommand(['clean'])}", then run this again.`,
		);
	}
	await takeLentBack();
	await removeIdle();
	const leftovers = await listLeftovers();
	if (leftovers.length === 0) return;
	say(`removing what an earlier run left: ${leftovers.map(({ what }) => what).join(', ')}`);
	const left = await takeDown({});
	if (left !== null)
		throw new NotReadyError(
			`Expected nothing of an earlier run; ${left}.`,
			`see whether "docker ps" answers, then "${formatCommand(['clean'])}".`,
		);
}

/**
 * @param engineBytes memory of the engine's machine, where that is not this one
 * @throws {NotReadyError}
 */
export function checkMemory(engineBytes: number = Number.POSITIVE_INFINITY) {
	const bytes = Math.min(availableMemory(), engineBytes);
	if (bytes >= LEAST_MEMORY_BYTES) return;
	throw new UnreadyMachineError(
		`Expected ${LEAST_MEMORY_BYTES / GIB} GiB of free memory; found ${(bytes / GIB).toFixed(1)} GiB.`,
		'close other programs, or give Docker more memory.',
	);
}

/**
 * @param folder that may not be there yet
 * @throws {NotReadyError}
 */
export async function checkDisk(folder: string) {
	const { bavail, bsize } = await statfs(nearestFolder(folder));
	if (bavail * bsize >= LEAST_DISK_BYTES) return;
	throw new UnreadyMachineError(
		`Expected ${LEAST_DISK_BYTES / GIB} GiB of free disk at ${folder}; found ${((bavail * bsize) / GIB).toFixed(1)} GiB.`,
		`free some space; "${formatCommand(['clean'])}" removes old stacks, "docker system prune" unused images.`,
	);
}

/** What the services of a resolved Compose file publish. */
export const publishedPorts = ({ services }: { services: Record<string, any> }): Published[] =>
	Object.entries(services).flatMap(([service, { ports = [] }]) =>
		ports.map((port: { published: string; host_ip?: string }) => ({
			service,
			port: Number(port.published),
			host: port.host_ip ?? '127.0.0.1',
		})),
	);

/** @throws {NotReadyError} */
export async function checkPort({ service, port, host }: Published) {
	if (await isFree(port, host)) return;
	throw new UnreadyMachineError(
		`Expected port ${port} on ${host} to be free for ${service}; another program listens there.`,
		`stop that program (find it with "ss -ltnp sport = :${port}").`,
	);
}

function isFree(port: number, host: string): Promise<boolean> {
	return new Promise((resolve) => {
		const server = net.createServer();
		server.once('error', () => resolve(false));
		server.listen({ port, host }, () => server.close(() => resolve(true)));
	});
}
