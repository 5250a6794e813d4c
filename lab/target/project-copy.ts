/**
 * What the copy of a user's system has in place of what is theirs, or of what this machine does not have: the changes to their Compose
 * file, and a sentence for each thing that is worth knowing. Pure; what it has to know of the machine it is given.
 */

import { BlockList, isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { ownOf } from '../base/values.ts';
import type { Changes, Machine } from './compose-changes.ts';
import { changed, HERE, literal, ofMachine, override, reset, together } from './compose-changes.ts';
import type { Asked, CopiedFolder, Missing } from './copied-folders.ts';
import { aboutFolders, copiedFolders, deviceOf, isGraveToRead, isOfMachine, missingFiles } from './copied-folders.ts';
import { ofBuilds, ofNamespaces, ofTaken } from './copied-privileges.ts';
import { dangersOf } from './dangers.ts';
import type { Look } from './dockerfile.ts';
import { placesOfVolume } from './given-paths.ts';
import { ENGINE_LOGS } from './kept-logging.ts';
import { follow } from './real-path.ts';

export type ProjectCopy = {
	/** as Compose would resolve it with the changes */
	config: any;
	/** filesFolder: of this run, in which copies of single files lie */
	changes: (filesFolder: string) => Changes;
	folders: CopiedFolder[];
	/** for which a value is made up, by their names in the file */
	secrets: string[];
	/** a sentence each */
	said: string[];
};

/** Of networks that end at the machine; none: the engine's own choice. */
const OWN_DRIVERS = ['', 'bridge'];
/** By which machines of the networks around reach containers without a published port: https://docs.docker.com/engine/network/packet-filtering-firewalls/ */
const OPENING = /^com\.docker\.network\.bridge\.(gateway_mode_ipv[46]|trusted_host_interfaces)$/;
const OF_NETWORK = ['hostname', 'domainname', 'extra_hosts', 'dns', 'dns_search', 'dns_opt', 'mac_address', 'expose'];
/** A place for what is only reckoned with. */
export const ANYWHERE = '/doubletake-files';

/**
 * @param config as Compose has resolved it under the run's own project name
 * @param asked allowData: the user
 * has said that all may be done which is grave
 */
export function copyOf(
	config: any,
	{ machine = HERE, allowData = false, ...asked }: Asked & { machine?: Machine; allowData?: boolean },
): ProjectCopy {
	const { look, folder, base } = asked;
	const folders = copiedFolders(config, asked);
	const missing = missingFiles(config, { ...asked, isCopied: (source) => folders.some((one) => one.source === look.real(source)) });
	const grave = dangersOf(config, { look, folder, base }).filter(({ severity }) => severity === 'refuse');
	const mayGo = (name: string) => grave.some(({ service }) => service === name);
	const parts = [
		ofNames(config, look.takenSubnets),
		ofHostNetwork(config, mayGo),
		ofNamespaces(config, { machine, allowData, mayGo }),
		ofBuilds(config, { allowData }),
		ofTaken(config, { allowData }),
		ofPropagation(config),
		ofLogs(config),
		ofVolumes(config, folders),
		ofDevices(config),
		ofOpening(config),
		ofModels(config),
		...Object.entries<any>(config.services ?? {}).map((entry) => ofMachine(entry, machine)),
	];
	const others = parts.map(({ changes }) => changes).reduce(together, {});
	const secrets = missingSecrets(config, look);
	const changes = (filesFolder: string) =>
		[
			ofMounts(folders, { config, filesFolder, ...asked }),
			ofMissing(missing, folders, { config, filesFolder, ...asked }),
			ofSecrets(secrets, filesFolder),
		].reduce(together, others);
	return {
		config: withNames(changed(config, changes(ANYWHERE))),
		changes,
		folders,
		secrets,
		said: [
			...(secrets.length > 0 ? [`Not there, and made up for the run: ${secrets.map((name) => `the secret ${name}`).join(', ')}.`] : []),
			...missing.said,
			...aboutFolders(folders),
			...idleNames(folders, asked),
			...parts.flatMap(({ said }) => said),
		],
	};
}

/** As Compose names what has none. */
function withNames({ networks = {}, volumes = {}, ...config }: any) {
	const named = (part: Record<string, any>) =>
		Object.fromEntries(Object.entries(part).map(([key, one]) => [key, { name: `${config.name}_${key}`, ...one }]));
	return { ...config, networks: named(networks), volumes: named(volumes) };
}

/** Kept elsewhere, or in a file that nobody publishes. */
const missingSecrets: (config: any, look: Look) => string[] = ({ secrets = {} }, look) =>
	Object.entries<any>(secrets).flatMap(([name, { external = false, file }]) =>
		external || (file && look.kindOf(file.replaceAll('$$', () => '$')) === null) ? [name] : [],
	);

/** Of its place in a folder of the run's. */
export const secretFile = (name: string) => `secret-${name}`;

const ofSecrets: (secrets: string[], filesFolder: string) => Changes = (secrets, filesFolder) =>
	secrets.length === 0
		? {}
		: { secrets: Object.fromEntries(secrets.map((name) => [name, override({ file: join(filesFolder, secretFile(name)) })])) };

/** A name that is not spelt right must not look as if it did something. */
const idleNames: (folders: CopiedFolder[], asked: Pick<Asked, 'data' | 'folder' | 'look'>) => string[] = (
	folders,
	{ data, folder, look },
) =>
	Object.keys(data)
		.filter((name) => !folders.some(({ source }) => source === look.real(resolve(folder, name))))
		.map((name) => `data, ${name}: no service may write there, so that it changes nothing.`);

type Part = { changes: Changes; said: string[] };

type Placed = Pick<Asked, 'folder' | 'look'> & { config: any; filesFolder: string };

/** What is live is mounted as it is written, but for a part of it. */
const isInPlace = ({ data, device }: CopiedFolder) => data !== 'live' || device !== '';

function ofMounts(folders: CopiedFolder[], placed: Placed): Changes {
	const { config } = placed;
	const inPlace = folders.filter(isInPlace);
	const services = Object.entries<any>(config.services ?? {}).flatMap(([service, { volumes = [] }]) => {
		const mounts = volumes.flatMap((mount: any) => mountInPlace(mount, inPlace, placed));
		return mounts.length > 0 ? [[service, { volumes: mounts }]] : [];
	});
	const volumes = inPlace
		.filter(({ isFile }) => !isFile)
		.map(({ volume, device }) => [volume, volume in (config.volumes ?? {}) ? override(partEntry(device)) : partEntry(device)]);
	return { services: Object.fromEntries(services), ...(volumes.length > 0 ? { volumes: Object.fromEntries(volumes) } : {}) };
}

/** https://docs.docker.com/reference/cli/docker/volume/create/#driver-specific-options */
const partEntry = (device: string) => (device === '' ? {} : { driver_opts: { type: 'none', o: 'bind', device } });

/** Of a service that lacks a mount all others are given anew: none can be taken away by itself. */
function ofMissing({ mounts, configs }: Missing, folders: CopiedFolder[], placed: Placed): Changes {
	const inPlace = folders.filter(isInPlace);
	const services = [...new Set([...mounts.keys(), ...configs.keys()])].map((service) => {
		const volumes = mounts.get(service)?.map((mount) => mountInPlace(mount, inPlace, placed)[0] ?? mount);
		const given = configs.get(service);
		return [service, { ...(volumes ? { volumes: override(volumes) } : {}), ...(given ? { configs: override(given) } : {}) }];
	});
	return services.length === 0 ? {} : { services: Object.fromEntries(services) };
}

function mountInPlace(mount: any, inPlace: CopiedFolder[], { config, filesFolder, folder: root, look }: Placed): any[] {
	const { type, source = '', read_only: readOnly = false } = mount;
	const device = type === 'volume' ? deviceOf(config.volumes?.[source]) : null;
	if (type !== 'bind' && device === null) return [];
	const [written, target] = [device ?? literal(source), literal(mount.target)];
	const place = look.real(written);
	// Who only reads it is to see what others write, be it by another volume.
	const folder = inPlace.find((one) => one.source === place);
	if (device !== null && (folder === undefined || folder.volume === source)) return [];
	const common = { target, read_only: readOnly };
	if (folder?.isFile) return [{ type: 'bind', source: join(filesFolder, folder.volume), ...common, bind: { create_host_path: false } }];
	if (folder) return [{ type: 'volume', source: folder.volume, ...common, volume: { nocopy: true } }];
	// It stays as it is written, and is refused by that name.
	if (isGraveToRead(written, { folder: root, look })) return [];
	if (isOfMachine(place) && !readOnly) return [{ type: 'bind', source: place, target, read_only: true }];
	// What was looked at is what is mounted: a link could lead elsewhere by then.
	return place === resolve(written) && !isPropagated(mount) ? [] : [{ ...withoutPropagation(mount), source: place, target }];
}

/**
 * By which what is mounted below it on one side shows on the other: https://docs.docker.com/engine/storage/bind-mounts/#configure-bind-propagation
 */
const isPropagated = ({ type, bind }: any) => type === 'bind' && !['', 'private', 'rprivate'].includes(bind?.propagation ?? '');

const withoutPropagation = ({ bind: { propagation, ...bind } = {} as any, ...mount }: any) =>
	Object.keys(bind).length > 0 ? { ...mount, bind } : mount;

const ofPropagation = ({ services = {} }: any): Part => ({
	changes: {},
	said: Object.entries<any>(services).flatMap(([service, { volumes = [] }]) => {
		const targets = volumes.filter(isPropagated).map(({ target }: any) => literal(target));
		return targets.length === 0 ? [] : [`${service}: what is mounted below ${targets.join(', ')} stays on its side (bind.propagation).`];
	}),
});

/** Networks and volumes that were there before the run, or would have one name or address in all runs. */
function ofNames({ name: project, networks = {}, volumes = {}, services = {} }: any, taken: string[]): Part {
	const isNamed = ({ name = '' }: any) => !name.includes(project);
	const renewed = [];
	const ofNetworks: Map<string, any> = new Map();
	const ofVolumes: Map<string, any> = new Map();
	for (const [key, network] of Object.entries<any>(networks)) {
		if (!isForeign(network) && !isNamed(network)) continue;
		ofNetworks.set(key, isForeign(network) ? override({}) : { name: reset() });
		renewed.push(`network ${key}`);
	}
	for (const [key, volume] of Object.entries<any>(volumes)) {
		const isOther = volume.external === true || !['', 'local'].includes(volume.driver ?? '') || isElsewhere(volume);
		if (!isOther && !isNamed(volume)) continue;
		ofVolumes.set(key, isOther ? override({}) : { name: reset() });
		renewed.push(`volume ${key}, which is empty`);
	}
	const isAddressed = (key: string) => Object.values<any>(services).some(({ networks: joined }) => isFixed(ownOf(joined ?? {}, key)));
	const clashing = Object.entries<any>(networks).flatMap(([key, network]) => {
		const why = isForeign(network) || !isAddressed(key) ? null : whyMoved(network, taken);
		return why === null ? [] : [{ key, why }];
	});
	for (const { key } of clashing) ofNetworks.set(key, { ...ofNetworks.get(key), ipam: reset() });
	const changes = { networks: Object.fromEntries(ofNetworks), volumes: Object.fromEntries(ofVolumes) };
	const hasUserAddresses = (key: string) => ownOf<any>(networks, key)?.external === true || clashing.some((one) => one.key === key);
	const addressed = Object.entries<any>(services).flatMap(([service, { networks: joined = {} }]) => {
		const fixed = Object.entries<any>(joined).filter(([key, join]) => hasUserAddresses(key) && isFixed(join));
		const resets = fixed.map(([key]) => [key, { ipv4_address: reset(), ipv6_address: reset() }]);
		return resets.length > 0 ? [[service, { networks: Object.fromEntries(resets) }]] : [];
	});
	const said = renewed.length === 0 ? [] : [`New in each run, in place of yours by that name: ${renewed.join('; ')}.`];
	const moved = clashing.map(({ key, why }) => `network ${key}: its addresses are ${why}, so that its services have others in the run.`);
	return { changes: { services: Object.fromEntries(addressed), ...withoutEmpty(changes) }, said: [...said, ...moved] };
}

const isForeign = ({ external, driver = '' }: any) => external === true || !OWN_DRIVERS.includes(driver);

function ofOpening({ networks = {} }: any): Part {
	const opened = Object.entries<any>(networks).flatMap(([key, network]) => {
		const { driver_opts: options = {} } = network;
		const names = isForeign(network) ? [] : Object.keys(options).filter((name) => OPENING.test(name) && options[name] !== 'isolated');
		return names.length === 0 ? [] : [{ key, names }];
	});
	const changes = opened.map(({ key, names }) => [key, { driver_opts: Object.fromEntries(names.map((name) => [name, reset()])) }]);
	return {
		changes: opened.length === 0 ? {} : { networks: Object.fromEntries(changes) },
		said: opened.map(({ key, names }) => `network ${key}: no other machine reaches it (${names.join(', ')}).`),
	};
}

const isFixed = (join: any) => Boolean(join?.ipv4_address || join?.ipv6_address);

/** https://www.iana.org/assignments/iana-ipv4-special-registry */
const PRIVATE = [
	...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', '192.0.2.0/24', '198.51.100.0/24'],
	...['203.0.113.0/24', 'fc00::/7', '2001:db8::/32'],
];

/** null where its containers may have their addresses, else the end of a clause */
function whyMoved({ ipam }: any, taken: string[]): string | null {
	const subnets: string[] = (ipam?.config ?? []).flatMap(({ subnet }: any) => subnet ?? []);
	if (subnets.some((subnet) => taken.some((other) => holds(subnet, other) || holds(other, subnet)))) return 'in use on this machine';
	// What this machine asks there would reach the container.
	return subnets.every((subnet) => PRIVATE.some((one) => holds(one, subnet))) ? null : 'those of other machines';
}

/** whether all of the other lies in the one */
function holds(one: string, other: string): boolean {
	const [[outer, bits], [inner, innerBits]] = [one, other].map((text) => text.split('/'));
	const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
	const list = new BlockList();
	try {
		list.addSubnet(outer, Number(bits ?? (isIPv6(outer) ? 128 : 32)), familyOf(outer));
		return Number(innerBits ?? 128) >= Number(bits ?? 0) && list.check(inner, familyOf(inner));
	} catch {
		// One of them is no subnet.
		return false;
	}
}

/** On a share of a network, a device, or layers of other folders. */
const isElsewhere = (volume: any) => {
	const { device = '', type = '' } = volume.driver_opts ?? {};
	const places = placesOfVolume(volume);
	return places.length > 0 ? places.some(({ isBound }) => !isBound) : type !== 'tmpfs' && (device !== '' || type !== '');
};

const withoutEmpty = (changes: Changes) => Object.fromEntries(Object.entries(changes).filter(([, part]) => Object.keys(part).length > 0));

/**
 * Of several that have the machine's network each finds the others at its localhost: they share one of the run's.
 * @param mayGo it may be left out, and then lends its network to nobody
 */
function ofHostNetwork({ services = {}, networks = {} }: any, mayGo: (service: string) => boolean): Part {
	const hosted = Object.entries<any>(services).flatMap(([service, { network_mode: mode }]) => (mode === 'host' ? [service] : []));
	if (hosted.length === 0) return { changes: {}, said: [] };
	const [first, ...others] = hosted.toSorted((one, other) => Number(mayGo(one)) - Number(mayGo(other)));
	const entries = [
		[first, { network_mode: reset(), networks: { default: {} } }],
		...others.map((service) => [service, { ...withoutNetworkKeys(services[service]), network_mode: `service:${first}` }]),
	];
	const isThere = Object.hasOwn(networks, 'default');
	return {
		changes: { services: Object.fromEntries(entries), ...(isThere ? {} : { networks: { default: {} } }) },
		said: [
			`${hosted.join(', ')}: on a network of the run in place of the machine’s; what else listens on this machine is not at its localhost. Where users enter there, a second Compose file has to leave network_mode out (!reset null) and give it "ports".`,
		],
	};
}

/**
 * What the engine takes of none that shares another's network.
 * @param found of a service
 */
const withoutNetworkKeys = (found: any) =>
	Object.fromEntries(OF_NETWORK.filter((key) => Object.hasOwn(found, key)).map((key) => [key, reset()]));

/** Where logs go by which the lab cannot have them back, or nowhere. */
function ofLogs({ services = {} }: any): Part {
	const sent = Object.entries<any>(services).flatMap(([service, { logging }]) =>
		ENGINE_LOGS.includes(logging?.driver ?? '') ? [] : [`${service} (${logging.driver})`],
	);
	return {
		changes: {},
		said: sent.length === 0 ? [] : [`Kept by the engine for the run, and sent nowhere: the logs of ${sent.join(', ')}.`],
	};
}

/** What a store holds decides how long it takes; those that are named anew are told beside the others. */
function ofVolumes({ name: project, volumes = {}, services = {} }: any, folders: CopiedFolder[]): Part {
	const isPlain = (key: string) => {
		const { name = project, external = false, driver = '', driver_opts: options } = volumes[key] ?? {};
		return (
			name.includes(project) && !external && ['', 'local'].includes(driver) && !options && !folders.some(({ volume }) => volume === key)
		);
	};
	const empty = Object.keys(volumes).flatMap((key) => {
		const mounts = ({ type, source, read_only: readOnly = false }: any) => type === 'volume' && source === key && !readOnly;
		const users = Object.entries<any>(services).flatMap(([service, { volumes: all = [] }]) => (all.some(mounts) ? [service] : []));
		return isPlain(key) && users.length > 0 ? [`${key} (${users.join(', ')})`] : [];
	});
	return {
		changes: {},
		said:
			empty.length === 0
				? []
				: [
						`New when the run begins, empty or as its image fills it, whatever your own stack holds there: ${empty.map((one) => `volume ${one}`).join('; ')}.`,
					],
	};
}

/** The engine sees what has no slash before it from its own root. */
const ofDevices = ({ volumes = {} }: any): Part => ({
	changes: {},
	said: Object.entries<any>(volumes).flatMap(([key, volume]) => {
		const [place, written] = [deviceOf(volume), literal(volume?.driver_opts?.device)];
		return place === null || place === written || written.startsWith('~')
			? []
			: [`volume ${key}: its device ${written} is ${follow(place).real} to the engine, and nothing beside the Compose file.`];
	}),
});

/** Compose would get them for the run, whoever asks for one. */
const ofModels = ({ models }: any): Part => ({ changes: models ? { models: reset() } : {}, said: [] });
