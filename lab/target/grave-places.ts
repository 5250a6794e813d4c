/**
 * The one list of what on this machine is grave: who can read it, or write to it, has more than a service of a stack may be given for a run. Whatever
 * reaches a container is looked up here, by where its path leads (real-path.ts).
 */

import os from 'node:os';
import { dirname, join } from 'node:path';
import { follow, inodeKind, isWithin, waysOf } from './real-path.ts';
import { isEngineSocket, isSame, isSocketPath, listenersAt, OF_AGENT, realOf } from './sockets.ts';

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
