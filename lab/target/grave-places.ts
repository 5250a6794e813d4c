/**
 * The one list of what on this machine is grave: who can read it, or write to it, has more than a service of a stack may be given for a run. Whatever
 * reaches a container is looked up here, by where its path leads (real-path.ts).
 */

import type { Dirent } from 'node:fs';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { follow, inodeId, inodeKind, isWithin, waysOf } from './real-path.ts';

export type Grave = {
	/** that it is about, without links */
	path: string;
	/** it could do harm */
	why: string;
	/** of an engine */
	isSocket: boolean;
};

type Place = {
	path: string;
	/** from which on there is harm */
	by: 'reading' | 'writing';
	/** what lies in it is not grave by that: it is the folder as a whole, and what contains it */
	isOpen?: boolean;
	why: string;
};

export type Around = {
	/** of the Compose files: what lies in it is the user's own */
	folder?: string;
	/** of the user */
	home?: string;
	/** folder in which the engine has its volumes; empty where that is not known */
	volumesRoot?: string;
	/** at which the engine listens; empty where that is not known */
	socket?: string;
};

const OF_ENGINE = 'with an engine’s socket it can command every container, not only those of the run, and the machine';
const OF_DATA = 'the data of all containers of this machine lie in it';
const OF_PROCESSES = 'by what the kernel shows there of other containers’ processes it gets into their files, even where it may only read';
const OF_KERNEL = 'by what the kernel shows there all that runs on this machine is seen';
const OF_KEYS = 'keys lie there, by which others are reached in your name';
const OF_PASSWORDS = 'passwords and keys of this machine lie there';
const OF_SYSTEM = 'what this machine runs lies there';
const OF_HOME = 'all that is its user’s lies in it, keys among them';

const OF_ENGINES = [OF_ENGINE, OF_DATA];

/** https://man7.org/linux/man-pages/man4/null.4.html, https://man7.org/linux/man-pages/man4/random.4.html */
const HARMLESS = /^\/dev\/(null|zero|full|u?random)$/;

const PLACES: Place[] = [
	{ path: '/', by: 'reading', isOpen: true, why: 'all of this machine lies in it, the engine’s socket too' },
	{ path: '/proc', by: 'reading', isOpen: true, why: OF_PROCESSES },
	...['/proc/kcore', '/proc/kmsg', '/proc/self', '/proc/thread-self', '/proc/sysrq-trigger', '/proc/keys'].map(reading(OF_PROCESSES)),
	...['debug', 'tracing', 'security'].map((name) => reading(OF_KERNEL)(`/sys/kernel/${name}`)),
	...['/sys/fs/bpf', '/sys/fs/pstore', '/sys/firmware/efi/efivars'].map(reading(OF_KERNEL)),
	// A device is written to through a mount that is read-only, and terminals of other users are such.
	{ path: '/dev', by: 'reading', isOpen: true, why: 'the devices of this machine lie in it' },
	...['/dev/kmsg', '/dev/pts', '/dev/mem', '/dev/kmem', '/dev/port', '/dev/mapper', '/dev/disk', '/dev/block'].map(
		reading('by it the machine itself is reached'),
	),
	{ path: '/run', by: 'reading', isOpen: true, why: 'the engine’s socket lies in it, and others by which this machine is commanded' },
	// https://docs.docker.com/engine/daemon/, https://github.com/containerd/containerd/blob/main/docs/ops.md, podman-system-service(1), crio(8)
	...['docker', 'containerd', 'podman', 'crio', 'buildkit', 'k3s', 'cri-dockerd.sock', 'docker.sock'].map((name) =>
		reading(OF_ENGINE)(`/run/${name}`),
	),
	...['systemd', 'dbus', 'user', 'credentials', 'libvirt', 'lxd', 'incus', 'snapd.socket'].map((name) =>
		reading('by what listens there this machine is commanded')(`/run/${name}`),
	),
	...['docker', 'containerd', 'containers', 'buildkit', 'kubelet', 'rancher', 'crio', 'lxd', 'incus', 'libvirt', 'etcd'].map((name) =>
		reading(OF_DATA)(`/var/lib/${name}`),
	),
	...['/var/snap/docker', '/snap/docker', '/var/snap/lxd'].map(reading(OF_DATA)),
	{ path: '/etc', by: 'reading', isOpen: true, why: OF_PASSWORDS },
	...[
		'shadow',
		'shadow-',
		'gshadow',
		'gshadow-',
		'sudoers',
		'sudoers.d',
		'ssh',
		'ssl/private',
		'docker',
		'kubernetes',
		'rancher',
		'wireguard',
	]
		.map((name) => `/etc/${name}`)
		.map(reading(OF_PASSWORDS)),
	...['krb5.keytab', 'NetworkManager/system-connections', 'openvpn', 'security', 'pki/tls/private', 'master.passwd']
		.map((name) => `/etc/${name}`)
		.map(reading(OF_PASSWORDS)),
	{ path: '/root', by: 'reading', isOpen: true, why: OF_HOME },
	{ path: '/home', by: 'reading', isOpen: true, why: OF_HOME },
	{ path: '/mnt/c/Users', by: 'reading', isOpen: true, why: OF_HOME },
	{ path: '/Users', by: 'reading', isOpen: true, why: OF_HOME },
	...['/boot', '/etc', '/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/snap', '/System', '/Library', '/nix'].map(
		writing(OF_SYSTEM),
	),
	...['/proc', '/sys', '/dev', '/run'].map(writing('it belongs to the kernel, and to what runs on this machine')),
	...['/var/spool/cron', '/var/lib/systemd', '/var/lib/cloud', '/var/lib/dpkg', '/var/lib/rpm', '/var/log'].map(writing(OF_SYSTEM)),
];

function reading(why: string): (path: string) => Place {
	return (path) => ({ path, by: 'reading', why });
}

function writing(why: string): (path: string) => Place {
	return (path) => ({ path, by: 'writing', why });
}

/** In which the homes of users lie. */
const HOMES = ['/home', '/Users', '/mnt/c/Users'];
/** In a home. */
const KEYS = [
	...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.oci', '.netrc', '.git-credentials', '.pgpass', '.my.cnf', '.npmrc'],
	...['.pypirc', '.vault-token', '.password-store', '.terraform.d', '.cargo/credentials', '.cargo/credentials.toml', '.pki'],
	...['.config/gcloud', '.config/gh', '.config/rclone', '.config/op', '.config/sops', '.config/doctl', '.config/hub', '.config/containers'],
	...['.config/google-chrome', '.config/chromium', '.mozilla', '.thunderbird', 'snap/firefox', 'Library/Keychains', 'Library/Cookies'],
	...['.local/share/keyrings', '.local/share/kwalletd', '.local/share/docker', '.local/share/containers', '.rd', '.colima', '.orbstack'],
	...['.bash_history', '.zsh_history', '.psql_history', '.mysql_history', '.python_history'],
];

/** @param path as a file of the user's has it */
export function graveOf(
	path: string,
	{
		writes,
		from,
		around = {},
	}: {
		/** whether who has it may write to it; reading it may all */
		writes: boolean;
		/** folder that the path is seen from; the root, from which the engine sees it, unless given */
		from?: string;
		around?: Around;
	},
): Grave | null {
	for (const { real, through, state } of waysOf(path, { from, home: around.home })) {
		const own = around.folder ? follow(around.folder).real : null;
		const at = (why: string) => ({ path: real, why, isSocket: false });
		if (state === 'endless')
			return at('its links lead in a circle, or its path is too long, so that nobody knows what it is when it is mounted');
		if (isEngineSocket(real, around)) return { path: real, why: OF_ENGINE, isSocket: true };
		if (isSocketPath(real) && (OF_AGENT.test(real) || listenersAt(real).includes('ssh-agent'))) return at(OF_KEYS);
		if (inodeKind(real) === 'block') return at('by it the disks of this machine are reached');
		if (inodeKind(real) === 'character' && !HARMLESS.test(real))
			return at('it is a device, to which a mount that is read-only can be written too');
		// What stands below /proc as a link is another thing for each who follows it.
		if ([real, ...through].some((one) => /^\/proc\/\d+(\/|$)/.test(one))) return at(OF_PROCESSES);
		const places = placesFor(around).filter((one) => isGraveAt(real, one, { writes, own }));
		// What it is says more than what lies in it.
		const place = places.find(({ path: one }) => realOf(one) === real) ?? places[0];
		if (place !== undefined) return at(place.why);
		const why = whyHome(real, own, around);
		if (why !== null) return at(why);
	}
	return null;
}

function isGraveAt(
	real: string,
	{ path, by, isOpen = false, why }: Place,
	{ writes, own }: { writes: boolean; own: string | null },
): boolean {
	if (by === 'writing' && !writes) return false;
	const grave = realOf(path);
	// An engine in a virtual machine has its own where nothing is to be seen here.
	// What stacks mount of it for reading holds these on most machines.
	const isHeld = why !== OF_KERNEL && isWithin(grave, real) && (OF_ENGINES.includes(why) || inodeKind(grave) !== null);
	if (real === grave || isHeld || isSame(real, grave)) return true;
	// A folder of the user's own may lie anywhere: what is written into it harms nothing else.
	return !isOpen && isWithin(real, grave) && !(by === 'writing' && own !== null && isWithin(real, own));
}

/** @returns with what is particular about this machine */
const placesFor = ({ volumesRoot = '', socket = '' }: Around): Place[] => [
	...(socket === '' ? [] : [{ ...reading(OF_ENGINE)(socket), isOpen: true }]),
	...PLACES,
	...(volumesRoot === '' ? [] : [reading(OF_DATA)(dirname(volumesRoot))]),
];

/** Each is asked for many times. */
const reals: Map<string, string> = new Map();
function realOf(path: string) {
	const known = reals.get(path);
	if (known !== undefined) return known;
	const { real } = follow(path);
	reals.set(path, real);
	return real;
}

/** A mount of it elsewhere, or another spelling of it. */
function isSame(one: string, other: string): boolean {
	const id = inodeId(one);
	return id !== null && id === inodeId(other);
}

const homeOf = ({ home = os.homedir() }: Around) => realOf(home);

/**
 * The home of a user, what contains it, or keys in it. Whose files lie in a home, or in a folder of keys, has those as a folder like any other.
 */
function whyHome(real: string, own: string | null, around: Around): string | null {
	const home = homeOf(around);
	if (isWithin(home, real) || isSame(real, home)) return OF_HOME;
	const isOwn = own !== null && isWithin(real, own);
	const homes = [home, realOf('/root'), ...HOMES.flatMap((folder) => homeIn(realOf(folder), real) ?? [])];
	if (!isOwn && homes.includes(real)) return OF_HOME;
	const keys = homes.flatMap((one) => KEYS.map((name) => join(one, name))).filter((key) => own === null || !isWithin(own, key));
	const isOfKeys = (key: string) => isWithin(real, key) || isSame(real, key) || (!isOwn && isWithin(key, real) && inodeKind(key) !== null);
	return keys.some(isOfKeys) ? OF_KEYS : null;
}

/** the home in a folder of homes that a path is, or lies in */
function homeIn(folder: string, real: string): string | null {
	if (!isWithin(real, folder) || real === folder) return null;
	return join(folder, real.slice(folder.length + 1).split('/')[0]);
}

/*
 * Sockets: what listens there answers whoever can open it, and a read-only mount does not change that.
 */

/** With which names of sockets end, where there is nothing to look at. */
const SOCKET_NAME = /[._-]sock(et)?$/i;
const ENGINE_NAME =
	/(^|[/._-])(docker|dockerd|containerd|podman|crio|cri-o|cri-dockerd|buildkitd?|moby|balena-engine|k3s|lxd|incus)(?=[/._-]|$)/i;
/** Programs that listen at such a one. */
const ENGINES =
	/^(dockerd|docker|containerd|podman|crio|cri-dockerd|buildkitd|balenad|k3s|kubelet|lxd|incusd|libvirtd|snapd|dbus-daemon|dbus-broker.*|rootlesskit)$/;

const OF_AGENT = /\/(ssh-\w+\/agent\.\d+|ssh-auth\.sock)$/;

/** By its inode, else by its name. */
export const isSocketPath = (real: string): boolean => {
	const kind = inodeKind(real);
	return kind === 'socket' || (kind === null && SOCKET_NAME.test(real));
};

/** By its name alone, where it is another machine's. */
export const isNamedAsEngine = (path: string) => SOCKET_NAME.test(path) && ENGINE_NAME.test(basename(path));

function isEngineSocket(real: string, { socket = '' }: Around): boolean {
	if (!isSocketPath(real)) return false;
	if (ENGINE_NAME.test(basename(real)) || ENGINE_NAME.test(basename(dirname(real)))) return true;
	const known = [socket, '/run/docker.sock', '/run/containerd/containerd.sock', '/run/podman/podman.sock', '/run/crio/crio.sock'];
	return known.some((one) => one !== '' && isSame(real, realOf(one))) || listenersAt(real).some((name) => ENGINES.test(name));
}

/** The names that sockets of this machine were bound to, with their numbers: https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
const BOUND = '/proc/net/unix';
const BOUND_LINE = /^\S+ \S+ \S+ \S+ \S+ \S+\s+(\d+) (\/.*)$/;

/** Programs that hold the socket which is bound there, as far as this user may see it. */
function listenersAt(real: string): string[] {
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

/** Of a folder with more entries than these it takes too long to look at all. The lab's own choice. */
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
