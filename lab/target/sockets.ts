/** Sockets: what listens there answers whoever can open it, and a read-only mount does not change that. */

import { type Dirent, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Around } from './grave-places.ts';
import { follow, inodeId, inodeKind } from './real-path.ts';

/** Each is asked for many times. */
const reals: Map<string, string> = new Map();
export function realOf(path: string) {
	const known = reals.get(path);
	if (known !== undefined) return known;
	const { real } = follow(path);
	reals.set(path, real);
	return real;
}

/** A mount of it elsewhere, or another spelling of it. */
export function isSame(one: string, other: string): boolean {
	const id = inodeId(one);
	return id !== null && id === inodeId(other);
}

/** With which names of sockets end, where there is nothing to look at. */
const SOCKET_NAME = /[._-]sock(et)?$/i;
const ENGINE_NAME =
	/(^|[/._-])(docker|dockerd|containerd|podman|crio|cri-o|cri-dockerd|buildkitd?|moby|balena-engine|k3s|lxd|incus)(?=[/._-]|$)/i;
/** Programs that listen at such a one. */
const ENGINES =
	/^(dockerd|docker|containerd|podman|crio|cri-dockerd|buildkitd|balenad|k3s|kubelet|lxd|incusd|libvirtd|snapd|dbus-daemon|dbus-broker.*|rootlesskit)$/;

export const OF_AGENT = /\/(ssh-\w+\/agent\.\d+|ssh-auth\.sock)$/;

/** By its inode, else by its name. */
export const isSocketPath = (real: string): boolean => {
	const kind = inodeKind(real);
	return kind === 'socket' || (kind === null && SOCKET_NAME.test(real));
};

/** By its name alone, where it is another machine's. */
export const isNamedAsEngine = (path: string) => SOCKET_NAME.test(path) && ENGINE_NAME.test(basename(path));

export function isEngineSocket(real: string, { socket = '' }: Around): boolean {
	if (!isSocketPath(real)) return false;
	if (ENGINE_NAME.test(basename(real)) || ENGINE_NAME.test(basename(dirname(real)))) return true;
	const known = [socket, '/run/docker.sock', '/run/containerd/containerd.sock', '/run/podman/podman.sock', '/run/crio/crio.sock'];
	return known.some((one) => one !== '' && isSame(real, realOf(one))) || listenersAt(real).some((name) => ENGINES.test(name));
}

/** The names that sockets of this machine were bound to, with their numbers: https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
const BOUND = '/proc/net/unix';
const BOUND_LINE = /^\S+ \S+ \S+ \S+ \S+ \S+\s+(\d+) (\/.*)$/;

/** Programs that hold the socket which is bound there, as far as this user may see it. */
export function listenersAt(real: string): string[] {
	const id = inodeId(real);
	if (id === null) return [];
	const numbers = linesOf(BOUND).flatMap((line) => {
		const [, number, path] = BOUND_LINE.exec(line) ?? [];
		return path !== undefined && inodeId(path) === id ? [`socket:[${number}]`] : [];
	});
	if (numbers.length === 0) return [];
	return namesIn('/proc')
		.filter((name) => /^\d+$/.test(name))
		.filter((pid) => namesIn(`/proc/${pid}/fd`).some((fd) => numbers.includes(linkAt(`/proc/${pid}/fd/${fd}`))))
		.map((pid) => linesOf(`/proc/${pid}/comm`)[0] ?? '');
}

function linesOf(path: string): string[] {
	try {
		return readFileSync(path, 'utf8').split('\n');
	} catch {
		return [];
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function linkAt(path: string) {
	try {
		return readlinkSync(path);
	} catch {
		return '';
	}
}

/** Of a folder with more entries than these it takes too long to look at all. */
const ENTRIES_MOST = 50_000;

/**
 * @param folder of which a service is given what lies in it, and not a copy
 * @returns isWhole: all of it could be looked at
 */
export function socketsIn(folder: string): { sockets: string[]; pipes: string[]; isWhole: boolean } {
	const open = [follow(folder).real];
	const sockets: string[] = [];
	const pipes: string[] = [];
	let isWhole = true;
	let entries = 0;
	for (const at of open) {
		let found: Dirent[] = [];
		try {
			found = readdirSync(at, { withFileTypes: true });
		} catch (error) {
			isWhole = isWhole && ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
		}
		entries += found.length;
		if (entries > ENTRIES_MOST) return { sockets, pipes, isWhole: false };
		for (const entry of found) {
			if (entry.isDirectory()) open.push(join(at, entry.name));
			if (entry.isSocket()) sockets.push(resolve(at, entry.name));
			if (entry.isFIFO()) pipes.push(resolve(at, entry.name));
		}
	}
	return { sockets, pipes, isWhole };
}
