/**
 * What a file gives a service, or the building of its image, by which it is as good as the machine: powers, devices, and what it shares with it.
 */

import { readFileSync, statSync } from 'node:fs';
import { literal } from './compose-changes.ts';
import { OWN_NETWORKS } from './copied-privileges.ts';
import type { Around, Found } from './dangers.ts';
import { cacheOptions } from './given-paths.ts';
import { follow, inodeKind, isWithin, passedIn } from './real-path.ts';

export const refuse: (what: string, why: string, remedy: string) => Found = (what, why, remedy) => ({
	what,
	why,
	remedy,
	severity: 'refuse',
});

export const warn: (what: string, why: string, remedy: string) => Found = (what, why, remedy) => ({ what, why, remedy, severity: 'warn' });

/**
 * What is as good as `privileged`: each lets a process read or change what all containers share, or get out of its own.
 * https://man7.org/linux/man-pages/man7/capabilities.7.html
 */
const AS_PRIVILEGED =
	/^(CAP_)?(ALL|SYS_ADMIN|SYS_BOOT|SYS_MODULE|SYS_PTRACE|SYS_RAWIO|SYS_TIME|SYS_PACCT|SYSLOG|AUDIT_CONTROL|AUDIT_READ|DAC_READ_SEARCH|BPF|PERFMON|MAC_ADMIN|MAC_OVERRIDE|CHECKPOINT_RESTORE|LINUX_IMMUTABLE)$/i;
/** On the machine's network, where it is the machine's that they change or listen to. */
const AS_PRIVILEGED_ON_HOST = /^(CAP_)?(NET_ADMIN|NET_RAW)$/i;
/** A container's own is told by itself; a bridge is the engine's, on which nobody has a name. */
const NETWORK_OF_RUN = /^(|none|host|default|bridge|service:.*|container:.*)$/;
/** The engine reads a name in capitals, of which a few other letters become one of the alphabet too. */
const asEngine = (capability: string) => capability.toUpperCase();
const CHANGES_MACHINE = 'it can change the machine itself';

export function ofPrivileges(
	{ privileged, use_api_socket: isGivenSocket, network_mode: network = '', pid = '', ipc = '', ...found }: any,
	around: Around,
): Found[] {
	const { cap_add: added = [], gpus = [], deploy, post_start: after = [], pre_stop: before = [] } = found;
	const { cgroup = '', cgroup_parent: parent = '', uts = '', userns_mode: users = '', device_cgroup_rules: rulesOfDevices = [] } = found;
	const reserved = [gpus, deploy?.resources?.reservations?.devices ?? []].flat().map(() => 'a GPU or another device');
	const isGrave = (capability: string) =>
		AS_PRIVILEGED.test(asEngine(capability)) || (network === 'host' && AS_PRIVILEGED_ON_HOST.test(asEngine(capability)));
	const capabilities = added.filter(isGrave).join(', ');
	const { grave: devices, plain } = devicesOf(found.devices ?? [], around.isAllowed);
	const named = [...new Set([...plain, ...reserved])].join(', ');
	const hooks = [...after, ...before].some((hook: any) => hook?.privileged === true);
	const unconfined = (found.security_opt ?? []).flatMap((option: unknown) => unconfinedBy(option, around));
	// https://docs.docker.com/engine/security/apparmor/, https://docs.docker.com/reference/cli/docker/container/run/#security-opt
	const rulesOfMachine = (found.security_opt ?? [])
		.map(literal)
		.filter((option: string) => /^(apparmor[=:](?!docker-default$|unconfined$)|label[=:](level|user|role):)/i.test(option));
	const isShared = (mode: string) => mode === 'host' || mode.startsWith('ns:');
	const shares = [
		...(isShared(pid) ? ['its processes'] : []),
		...(isShared(ipc) ? ['its shared memory'] : []),
		...(isShared(cgroup) || parent !== '' ? ['its groups of processes'] : []),
		...(isShared(users) ? ['its users'] : []),
		...(isShared(uts) ? ['its name'] : []),
	];
	const settings = sysctlsOf(found.sysctls).filter((name) => !OWN_SYSCTL.test(name) || name.includes('..'));
	const { runtime = '' } = found;
	const rules: [boolean, Found][] = [
		[privileged === true, refuse('is privileged', CHANGES_MACHINE, 'name under cap_add what it needs instead')],
		[hooks, refuse('has commands that are privileged (post_start, pre_stop)', CHANGES_MACHINE, 'leave out their "privileged"')],
		[
			network.startsWith('container:'),
			refuse('uses the network of a container that is not the run’s', 'it gets in the way of that one', 'leave out network_mode'),
		],
		[
			!NETWORK_OF_RUN.test(network),
			refuse(
				`is on the network ${network}, which the run does not make`,
				'it reaches containers that are not the run’s, and they reach it',
				'name the network under "networks" in place of network_mode',
			),
		],
		[
			isGivenSocket === true,
			refuse('is given the engine’s socket (use_api_socket)', 'it can command every container, not only those of the run', 'leave it out'),
		],
		[
			pid.startsWith('container:'),
			refuse('sees the processes of a container that is not the run’s', 'it could end one of them', 'leave out pid'),
		],
		[
			ipc.startsWith('container:'),
			refuse('shares memory with a container that is not the run’s', 'it could get in its way', 'leave out ipc'),
		],
		[
			capabilities !== '',
			refuse(
				`may do what only the machine itself may (${capabilities})`,
				'it can change that for all that runs there',
				'leave out cap_add',
			),
		],
		[
			unconfined.length > 0,
			refuse(`runs without what confines containers (${unconfined.join(', ')})`, CHANGES_MACHINE, 'leave that out of security_opt'),
		],
		[
			rulesOfDevices.length > 0,
			refuse(`may make devices of this machine (${rulesOfDevices.join(', ')})`, CHANGES_MACHINE, 'leave out device_cgroup_rules'),
		],
		[devices.length > 0, refuse(`uses ${devices.join(', ')} of this machine`, 'by it the machine itself is reached', 'leave out devices')],
		[
			shares.length > 0,
			refuse(
				`shares with this machine ${shares.join(', ')}`,
				'it could get in the way of what runs there',
				'leave out pid, ipc, uts, userns_mode and cgroup',
			),
		],
		[
			settings.length > 0,
			refuse(
				`sets what all of this machine has (${settings.join(', ')})`,
				'that stays for all that runs there',
				'leave it out of sysctls, and set it on the machine',
			),
		],
		[
			!KNOWN_RUNTIME.test(runtime),
			refuse(`is started by ${runtime}`, 'nobody knows what that keeps a container from', 'leave out runtime'),
		],
		[
			rulesOfMachine.length > 0,
			warn(
				`runs under rules of this machine (${rulesOfMachine.join(', ')})`,
				'they may allow more than the engine’s own',
				'leave out security_opt',
			),
		],
		[named !== '', warn(`uses ${named} of this machine`, 'others may use it at the same time', 'leave out devices')],
	];
	return rules.filter(([applies]) => applies).map(([, danger]) => danger);
}

/** What the kernel has for each container by itself (runc, libcontainer/configs/validate): https://docs.docker.com/reference/cli/docker/container/run/#sysctl */
const OWN_SYSCTL = /^(net\.|fs\.mqueue\.|kernel\.(msgmax|msgmnb|msgmni|sem|shmall|shmmax|shmmni|shm_rmid_forced|hostname|domainname)$)/;
/**
 * @param sysctls a mapping, or texts with `=` between
 * @returns names
 */
const sysctlsOf = (sysctls: any): string[] =>
	(Array.isArray(sysctls) ? sysctls.map((text) => String(text).split('=')[0]) : Object.keys(sysctls ?? {})).map((name) =>
		name.includes('.') ? name : name.replaceAll('/', '.'),
	);

/** Those that every engine has, that of a GPU's maker, and those that confine more: https://docs.docker.com/engine/daemon/alternative-runtimes/ */
const KNOWN_RUNTIME = /^(|runc|crun|youki|nvidia|runsc|sysbox-runc|kata(-\w+)*|io\.containerd\.(runc\.v[12]|runsc\.v1|kata\.v2))$/;

/** Devices that programs share: of graphics, sound and video, of virtual machines and networks, serial lines, and those that every container has. */
const SHARED_DEVICE =
	/^\/dev\/(dri|snd|bus\/usb|net|infiniband|accel|vfio|dma_heap|char|serial)(\/|$)|^\/dev\/(null|zero|full|u?random|kvm|fuse|kfd|dxg|vhost-\w+|nvidia[\w-]*|video\d+|vchiq|vcio|media\d+|tty(USB|ACM|AMA)\d+|apex_\d+|davinci\w*|hidraw\d+|gpiomem\d*|gpiochip\d+|i2c-\d+|rtc\d*|ppp)$/;

/** A name of a kind of devices, as vendor.com/class=name, is no path: https://github.com/cncf-tags/container-device-interface */
const BY_KIND = /^[a-z\d][\w.-]*\/[\w.-]+=[\w.-]+$/i;

/** @returns as the file names them */
function devicesOf(devices: any[], isAllowed: (path: string) => boolean = () => false): { grave: string[]; plain: string[] } {
	const named = devices.map((device) => String(deviceOf(device) ?? '')).filter((path) => path !== '');
	const isGrave = (path: string) => {
		if (BY_KIND.test(path)) return false;
		const { real } = follow(path);
		return !isAllowed(real) && (inodeKind(real) === 'block' || !SHARED_DEVICE.test(real));
	};
	return { grave: named.filter(isGrave), plain: named.filter((path) => !isGrave(path)) };
}

/** Of a list of the kernel's calls; the engine's own has 20,000. */
const PROFILE_MOST_BYTES = 1_000_000;
const ALLOWS_ALL = /^SCMP_ACT_(ALLOW|LOG|TRACE|NOTIFY)$/;

/** What it takes away of what confines every container: https://docs.docker.com/engine/security/. */
function unconfinedBy(option: unknown, { folder, base = folder, isAllowed = () => false, live = [] }: Around): string[] {
	const text = literal(option);
	if (/^(disable|writable-cgroups)$/i.test(text)) return [text];
	const [, key = '', value = ''] = /^([\w-]+)[=:](.*)$/.exec(text) ?? [];
	if (/^(seccomp|apparmor|systempaths)$/i.test(key) && /^unconfined$/i.test(value)) return [text];
	if (/^label$/i.test(key) && /^(disable$|type:(spc|unconfined|container_(runtime|engine))_t)/i.test(value)) return [text];
	// Each spelling of a truth that Go has, and what it has none for.
	if (/^writable-cgroups$/i.test(key) && !/^(0|f|false)$/i.test(value)) return [text];
	return key === 'seccomp' && (allowsAll(value, base) || isElsewhere(value, { folder, base, isAllowed, live })) ? [text] : [];
}

/** The engine keeps the text of a profile with the container, where others may read it. */
function isElsewhere(
	profile: string,
	{ folder = '/', base = '/', isAllowed, live }: Pick<Around, 'folder' | 'base'> & Required<Pick<Around, 'isAllowed' | 'live'>>,
): boolean {
	if (profile === 'builtin' || profile === '') return false;
	const { real } = follow(profile, { from: base });
	const isReplaced = live.some((one) => passedIn(`${profile.startsWith('/') ? '' : `${base}/`}${profile}`, one));
	return (isReplaced || !isWithin(real, follow(folder).real)) && !isAllowed(real);
}

/** profile: its file; true too where it cannot be read */
function allowsAll(profile: string, base: string | undefined = '/'): boolean {
	if (profile === 'builtin' || profile === '') return false;
	try {
		const { real } = follow(profile, { from: base });
		if (inodeKind(real) !== 'file' || statSync(real).size > PROFILE_MOST_BYTES) return true;
		// The engine reads names of fields in capitals as in small letters.
		const actions = Object.entries<any>(JSON.parse(readFileSync(real, 'utf8'))).filter(([name]) => name.toLowerCase() === 'defaultaction');
		return actions.some(([, action]) => ALLOWS_ALL.test(String(action)));
	} catch {
		return true;
	}
}

/** Compose gives a list or a mapping of them. */
const isSaid = (keys: any) => Object.keys(keys ?? {}).length > 0;

export function ofBuild({ build }: any): Found[] {
	if (!build) return [];
	const { privileged, entitlements = [], network = '', ssh, cache_from: from = [], cache_to: caches = [] } = build;
	// The builder's client adds the keys of its user: https://docs.docker.com/build/cache/backends/
	const types = from.map((entry: unknown) => cacheOptions(entry).get('type') ?? 'registry');
	const foreign = types.filter((type: string) => !['registry', 'local', 'inline'].includes(type));
	const powers = [...(privileged ? ['privileged'] : []), ...entitlements];
	const rules: [boolean, Found][] = [
		[
			powers.length > 0,
			refuse(`is built with what a container may not (${powers.join(', ')})`, CHANGES_MACHINE, 'leave that out of build'),
		],
		[
			!OWN_NETWORKS.includes(network),
			refuse(`is built on the network ${network}`, 'what listens on this machine is reached from there', 'leave out build.network'),
		],
		[
			foreign.length > 0,
			refuse(
				`is built from a cache that is asked for with keys of yours (${foreign.join(', ')})`,
				'the file says who gets them',
				'leave out build.cache_from',
			),
		],
		[isSaid(ssh), refuse('is built with keys of yours (build.ssh)', 'its Dockerfile can use them', 'leave out build.ssh')],
		[
			caches.length > 0,
			refuse('keeps what it builds elsewhere (build.cache_to)', 'it stays there, or is pushed to others', 'leave out build.cache_to'),
		],
	];
	return rules.filter(([applies]) => applies).map(([, danger]) => danger);
}

/** @param device a text in older versions of Compose */
const deviceOf = (device: any) => (typeof device === 'string' ? device.split(':')[0] : device.source);
