/**
 * What the analysis has to know of the system that a run measured. Its manifest says it, and of one that was measured before manifests did, the
 * catalogue as it is today.
 *
 * @typedef {object} MeasuredSystem
 * @property {string} title
 * @property {import('../catalog/project-schema.ts').Remedy[]} [remedies]
 * @property {string} [published]   key of the published figures of such a run
 * @property {boolean} isFollowed   its services are told by their own names, and a failed request is followed to what it waited for; else tiers
 *   are reported, and the rules for the lab's own programs place it
 */

import { wayOfTiers } from '../adapters/observed-system.ts';
import { grouped } from '../base/values.ts';
import { architectures } from '../catalog/architectures.ts';
import { sum } from '../stats/numbers.ts';

/**
 * @typedef {Topology & { system: MeasuredSystem, machines: Machine[], coresUnder: (service: string) => number }} System
 *   coresUnder: of the machine that a container ran on
 */

/**
 * Found once of a run, and a part of its facts.
 * @param {Pick<import('./read-raw.ts').Raw, 'manifest' | 'host'>} raw
 * @param {string} generator  its name
 * @returns {System}
 */
export function systemOf(raw, generator) {
	const { manifest } = raw;
	const described = { system: measuredSystem(manifest), machines: machinesOf(raw), coresUnder: coresIn(manifest) };
	return { ...described, ...topologyOf(manifest, generator) };
}

/**
 * @param {{ architecture: string, system: { title: string | null, remedies?: MeasuredSystem['remedies'], published?: string, is_followed: boolean } }} manifest
 * @returns {MeasuredSystem}
 */
function measuredSystem({ architecture, system: { is_followed: isFollowed, ...described } }) {
	// A stored run may be of one that is not there any more.
	const {
		title = described.title ?? architecture,
		remedies,
		published,
	} = described.title === null ? (architectures[architecture] ?? {}) : /** @type {Partial<MeasuredSystem>} */ (described);
	return { title, remedies, published, isFollowed };
}

/*
 * Who is there and who asks whom: every service is a hop, every pair that talks an edge. The manifest names its edges; in one of before, and
 * where a program makes the load, they follow from the tiers.
 */

/**
 * @typedef {{ from: string, to: string }} Edge  by the services' names
 * @typedef {{ name: string, service?: string, tier: string, address?: string, addresses?: string[] }} Described  name: of the container;
 *   service: Compose's, common to several
 *
 * @typedef {object} Topology
 * @property {Edge[]} edges
 * @property {{ name: string, tier: string }} entry the tier that the generator talks to; of several the first
 * @property {Set<string>} entries                  all that it talks to
 * @property {Map<string, import('../record/types.js').Tier>} tiers  of the services
 * @property {Map<string, string>} names            address to service
 * @property {Map<string, string[]>} replicas       containers by the name that several have in common
 * @property {string[]} observers                   services of the lab's own, which no request passes
 */

/**
 * @param {{ services?: Described[], edges?: Edge[] }} manifest
 * @param {string} generator  its name
 * @returns {Topology}
 */
function topologyOf({ services = [], edges }, generator) {
	const asked = (edges ?? []).flatMap(({ from, to }) => (from === generator ? [to] : []));
	const { name, tier } = entryOf(services, asked[0]);
	const replicas = replicasOf(services);
	return {
		edges: edges ?? edgesByTier(services, generator),
		entry: { name, tier },
		entries: new Set([name, ...asked]),
		tiers: new Map(
			services.flatMap((service) =>
				[service.name, service.service ?? service.name].map((key) => [
					key,
					/** @type {import('../record/types.js').Tier} */ (service.tier),
				]),
			),
		),
		names: namesOf(services, replicas),
		replicas,
		observers: services.filter((service) => service.tier === 'observer').map((service) => service.name),
	};
}

/** @param {Described[]} services @param {string} generator @returns {Edge[]} */
function edgesByTier(services, generator) {
	const { entries, edges } = wayOfTiers(services);
	return [...entries.map((to) => ({ from: generator, to })), ...edges.map(([from, to]) => ({ from, to }))];
}

/** Where the edges are named, whom the generator asks; else the first tier that is there. @type {(services: Described[], asked: string | undefined) => { name: string, tier: string }} */
function entryOf(services, asked) {
	const first = ['load-balancer', 'app', 'database'].map((tier) => services.find((service) => service.tier === tier)).find(Boolean);
	return services.find(({ name }) => name === asked) ?? first ?? { name: 'app', tier: 'app' };
}

/**
 * @param {Pick<Described, 'name' | 'service'>[]} services
 * @returns {Map<string, string[]>} containers by the name that they have in common; only where there are several
 */
function replicasOf(services) {
	const all = [...grouped(services, ({ name, service = name }) => service)].filter(([, own]) => own.length > 1);
	return new Map(all.map(([service, own]) => [service, own.map(({ name }) => name)]));
}

/** @type {(services: Described[], replicas: Topology['replicas']) => Topology['names']} */
const namesOf = (services, replicas) =>
	new Map([
		...[...replicas.keys()].map((name) => /** @type {const} */ ([name, name])),
		...services.flatMap(({ address, addresses = [], name }) =>
			[...(address === undefined ? [] : [address]), ...addresses, name].map((key) => /** @type {const} */ ([key, name])),
		),
	]);

/**
 * The machines that a run was on: this one, or those of a Swarm's hosts. Hosts with one kernel, such as several engines of one machine, are
 * one machine: its CPU is counted once, and each one's containers are the others' neighbours.
 *
 * @typedef {object} Machine
 * @property {string[]} hosts   names; none where the run was on one engine
 * @property {number} cores
 * @property {any[]} rows       of the machine's own record
 * @property {(service: string) => boolean} holds  whether a container ran on it
 */

/** @typedef {{ name: string, boot_id: string, cores: number }} Host  as the manifest has it */
/** @typedef {{ name: string, host?: string }} Service */
/** @typedef {{ hosts?: Host[], services?: Service[], machine: { cores: number } }} Manifest */

/**
 * @param {{ manifest: any, host: any[] }} raw
 * @returns {Machine[]}
 */
function machinesOf({ manifest, host }) {
	const { hosts, services = [], machine } = /** @type {Manifest} */ (manifest);
	if (hosts === undefined) return [{ hosts: [], cores: machine?.cores, rows: host, holds: () => true }];
	const boots = [...new Set(hosts.map(({ boot_id: boot }) => boot))];
	return boots.map((boot) => {
		const own = hosts.filter(({ boot_id: other }) => other === boot);
		const names = own.map(({ name }) => name);
		const held = new Set(services.filter(({ host: on }) => on !== undefined && names.includes(on)).map(({ name }) => name));
		return { hosts: names, cores: own[0].cores, rows: rowsOf(names, host), holds: (service) => held.has(service) };
	});
}

/** The first host's, with what the lab's own observers used on all of them. @param {string[]} names @param {any[]} rows */
function rowsOf(names, rows) {
	const [first, ...others] = names.map((name) => rows.filter(({ host }) => host === name));
	if (others.length === 0) return first;
	return first.map((row) => ({ ...row, lab_cpu_s: row.lab_cpu_s + sum(others.map((other) => usedUntil(other, row.t))) }));
}

/** @param {{ t: number, lab_cpu_s: number }[]} rows of one host @param {number} t */
function usedUntil(rows, t) {
	const last = rows.findLast((row) => row.t <= t);
	return last === undefined ? 0 : last.lab_cpu_s - rows[0].lab_cpu_s;
}

/** @param {Manifest} manifest @returns {System['coresUnder']} */
function coresIn({ hosts = [], services = [], machine }) {
	const on = new Map(services.map(({ name, host }) => [name, host]));
	return (service) => hosts.find(({ name }) => name === on.get(service))?.cores ?? machine.cores;
}

/** How a machine is called where there are several. @param {Machine} machine @param {Machine[]} all */
export const machineName = ({ hosts }, all) => (all.length === 1 ? 'the machine' : hosts.join(' and '));
