/**
 * The engines of a Swarm's hosts: this machine's own, which is a manager, and those that HOSTS names. One behind ssh is reached as the
 * user's ssh reaches it, with their keys and known hosts: it hands on the engine's socket, and nothing of the load.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ResultPromise } from 'execa';
import { execa } from 'execa';
import { NotReadyError } from '../../base/errors.ts';
import { connect, docker } from '../../docker/docker.ts';
import type { Host } from '../../options/expect.ts';

export type Engine = {
	/** of its host in the Swarm */
	name: string;
	connection: import('dockerode');
	/** this machine's own */
	isHere: boolean;
	close: () => Promise<void>;
};

/** Where an engine has its socket (https://docs.docker.com/reference/cli/dockerd/#daemon-socket-option). */
const ENGINE_SOCKET = '/var/run/docker.sock';
const UNIX = 'unix://';
const SSH_LIMIT_MS = 15_000;
const LOOK_MS = 100;
/** It must not ask, and it has to notice when the other side is gone. */
const SSH_OPTIONS = ['BatchMode=yes', 'ExitOnForwardFailure=yes', 'ConnectTimeout=10', 'ServerAliveInterval=5', 'ServerAliveCountMax=3'];

/**
 * @returns this machine's first
 * @throws {NotReadyError} when this machine is no manager of a Swarm, or an engine does not answer, or is not the host that it is said to be
 */
export async function openEngines(hosts: readonly Host[], signal: AbortSignal): Promise<Engine[]> {
	const opened: Engine[] = [await ownEngine()];
	try {
		for (const host of hosts) opened.push(await openEngine(host, signal));
		const named = await namesOfNodes();
		for (const engine of opened) await checkName(engine, named);
		return opened;
	} catch (error) {
		await closeEngines(opened);
		throw error;
	}
}

export const closeEngines = (engines: Engine[]) => Promise.all(engines.map((engine) => engine.close()));

async function ownEngine(): Promise<Engine> {
	const { Name: name, Swarm: swarm } = await docker.info();
	if (swarm?.ControlAvailable === true) return { name, connection: docker, isHere: true, close: async () => {} };
	throw new NotReadyError(
		`Expected the engine of this machine to be a manager of a Swarm; found it ${swarm?.LocalNodeState === 'active' ? 'to be a worker' : 'to be in none'}.`,
		'on this machine, "docker swarm init"; on the others, the "docker swarm join" that it prints.',
	);
}

async function openEngine({ name, address }: Host, signal: AbortSignal): Promise<Engine> {
	if (address.startsWith(UNIX))
		return { name, connection: connect({ socketPath: address.slice(UNIX.length) }), isHere: false, close: async () => {} };
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-host-'));
	const socket = join(folder, 'engine.sock');
	const { hostname, port, username } = new URL(address);
	const forwarding = execa(
		'ssh',
		[
			'-NT',
			...SSH_OPTIONS.flatMap((option) => ['-o', option]),
			...['-L', `${socket}:${ENGINE_SOCKET}`],
			...(port ? ['-p', port] : []),
			...['--', username ? `${username}@${hostname}` : hostname],
		],
		{ reject: false, stdin: 'ignore', all: true, cleanup: true },
	);
	const close = async () => {
		forwarding.kill();
		await forwarding;
		await rm(folder, { recursive: true, force: true });
	};
	const connection = connect({ socketPath: socket });
	const failed = await answersInTime(connection, forwarding, signal);
	if (failed === null) return { name, connection, isHere: false, close };
	await close();
	throw new NotReadyError(
		`HOSTS: expected the engine of ${name} to answer at ${address}; found: ${failed}.`,
		`see whether "ssh ${username ? `${username}@` : ''}${hostname} docker ps" answers without asking for anything.`,
	);
}

/**
 * @param forwarding ssh
 * @returns why it does not; null where it does
 */
async function answersInTime(connection: import('dockerode'), forwarding: ResultPromise, signal: AbortSignal): Promise<string | null> {
	const endsAt = Date.now() + SSH_LIMIT_MS;
	let said = '';
	while (Date.now() < endsAt) {
		said = await connection.ping().then(
			() => '',
			(error) => String(error?.message ?? error),
		);
		if (said === '') return null;
		if (forwarding.exitCode !== null) return String((await forwarding).all).trim() || 'ssh ended';
		await wait(LOOK_MS, undefined, { signal });
	}
	return `${said} (after ${SSH_LIMIT_MS / 1000} s)`;
}

/** @returns the name of each node by its id */
async function namesOfNodes(): Promise<Map<string, string>> {
	const nodes = await docker.listNodes();
	return new Map(nodes.map(({ ID: id, Description: description }) => [id, description.Hostname]));
}

async function checkName({ name, connection }: Engine, named: Map<string, string>) {
	const info = await connection.info().catch((error) => {
		throw new NotReadyError(
			`HOSTS: expected the engine of ${name} to answer; found: ${error.message}.`,
			'start it, or leave the host out.',
		);
	});
	const found = named.get(info.Swarm?.NodeID ?? '');
	if (found === name) return;
	throw new NotReadyError(
		`HOSTS: expected the engine of ${name} to be that of ${name} in this Swarm; found ${found ? `that of ${found}` : 'one that is not in it'}.`,
		`"docker node ls" names the hosts: ${[...named.values()].join(', ')}.`,
	);
}
