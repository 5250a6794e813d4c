/**
 * What the analysis has to know of the system that a run measured. Its manifest says it, and of one that was measured before manifests did, the
 * catalogue as it is today.
 */

import { wayOfTiers } from '../adapters/observed-system.ts';
import { grouped } from '../base/values.ts';
import { architectures } from '../catalog/architectures.ts';
import type { Remedy } from '../catalog/project-schema.ts';
import type { Tier } from '../record/types.js';
import { sum } from '../stats/numbers.ts';
import type { Raw } from './read-raw.ts';

type MeasuredSystem = {
	title: string;
	remedies?: Remedy[];
	/** key of the published figures of such a run */
	published?: string;
	/** its services are told by their own names, and a failed request is followed to what it waited for; else tiers are reported, and the rules for the lab's own programs place it */
	isFollowed: boolean;
};

/** coresUnder: of the machine that a container ran on */
export type System = Topology & { system: MeasuredSystem; machines: Machine[]; coresUnder: (service: string) => number };

/**
 * Found once of a run, and a part of its facts.
 * @param generator its name
 */
export function systemOf(raw: Pick<Raw, 'manifest' | 'host'>, generator: string): System {
	const { manifest } = raw;
	const described = { system: measuredSystem(manifest), machines: machinesOf(raw), coresUnder: coresIn(manifest) };
	return { ...described, ...topologyOf(manifest, generator) };
}

function measuredSystem({
	architecture,
	system: { is_followed: isFollowed, ...described },
}: {
	architecture: string;
	system: { title: string | null; remedies?: MeasuredSystem['remedies']; published?: string; is_followed: boolean };
}): MeasuredSystem {
	// A stored run may be of one that is not there any more.
	const {
		title = described.title ?? architecture,
		remedies,
		published,
	} = described.title === null ? (architectures[architecture] ?? {}) : (described as Partial<MeasuredSystem>);
	return { title, remedies, published, isFollowed };
}

/*
 * Who is there and who asks whom: every service is a hop, every pair that talks an edge. The manifest names its edges; in one of before, and
 * where a program makes the load, they follow from the tiers.
 */

/** by the services' names */
export type Edge = { from: string; to: string };

/**
 * name: of the container;
 *   service: Compose's, common to several
 */
type Described = { name: string; service?: string; tier: string; address?: string; addresses?: string[] };

type Topology = {
	edges: Edge[];
	/** the tier that the generator talks to; of several the first */
	entry: { name: string; tier: string };
	/** all that it talks to */
	entries: Set<string>;
	/** of the services */
	tiers: Map<string, Tier>;
	/** address to service */
	names: Map<string, string>;
	/** containers by the name that several have in common */
	replicas: Map<string, string[]>;
	/** services of the lab's own, which no request passes */
	observers: string[];
};

/** @param generator its name */
function topologyOf({ services = [], edges }: { services?: Described[]; edges?: Edge[] }, generator: string): Topology {
	const asked = (edges ?? []).flatMap(({ from, to }) => (from === generator ? [to] : []));
	const { name, tier } = entryOf(services, asked[0]);
	const replicas = replicasOf(services);
	return {
		edges: edges ?? edgesByTier(services, generator),
		entry: { name, tier },
		entries: new Set([name, ...asked]),
		tiers: new Map(
			services.flatMap((service) => [service.name, service.service ?? service.name].map((key) => [key, service.tier as Tier])),
		),
		names: namesOf(services, replicas),
		replicas,
		observers: services.filter((service) => service.tier === 'observer').map((service) => service.name),
	};
}

function edgesByTier(services: Described[], generator: string): Edge[] {
	const { entries, edges } = wayOfTiers(services);
	return [...entries.map((to) => ({ from: generator, to })), ...edges.map(([from, to]) => ({ from, to }))];
}

/** Where the edges are named, whom the generator asks; else the first tier that is there. */
function entryOf(services: Described[], asked: string | undefined): { name: string; tier: string } {
	const first = ['load-balancer', 'app', 'database'].map((tier) => services.find((service) => service.tier === tier)).find(Boolean);
	return services.find(({ name }) => name === asked) ?? first ?? { name: 'app', tier: 'app' };
}

/** @returns containers by the name that they have in common; only where there are several */
function replicasOf(services: Pick<Described, 'name' | 'service'>[]): Map<string, string[]> {
	const all = [...grouped(services, ({ name, service = name }) => service)].filter(([, own]) => own.length > 1);
	return new Map(all.map(([service, own]) => [service, own.map(({ name }) => name)]));
}

const namesOf: (services: Described[], replicas: Topology['replicas']) => Topology['names'] = (services, replicas) =>
	new Map([
		...[...replicas.keys()].map((name) => [name, name] as const),
		...services.flatMap(({ address, addresses = [], name }) =>
			[...(address === undefined ? [] : [address]), ...addresses, name].map((key) => [key, name] as const),
		),
	]);

/**
 * The machines that a run was on: this one, or those of a Swarm's hosts. Hosts with one kernel, such as several engines of one machine, are
 * one machine: its CPU is counted once, and each one's containers are the others' neighbours.
 */
export type Machine = {
	/** names; none where the run was on one engine */
	hosts: string[];
	cores: number;
	/** of the machine's own record */
	rows: any[];
	/** whether a container ran on it */
	holds: (service: string) => boolean;
};

/** as the manifest has it */
type Host = { name: string; boot_id: string; cores: number };

type Service = { name: string; host?: string };

type Manifest = { hosts?: Host[]; services?: Service[]; machine: { cores: number } };

function machinesOf({ manifest, host }: { manifest: any; host: any[] }): Machine[] {
	const { hosts, services = [], machine } = manifest as Manifest;
	if (hosts === undefined) return [{ hosts: [], cores: machine?.cores, rows: host, holds: () => true }];
	const boots = [...new Set(hosts.map(({ boot_id: boot }) => boot))];
	return boots.map((boot) => {
		const own = hosts.filter(({ boot_id: other }) => other === boot);
		const names = own.map(({ name }) => name);
		const held = new Set(services.filter(({ host: on }) => on !== undefined && names.includes(on)).map(({ name }) => name));
		return { hosts: names, cores: own[0].cores, rows: rowsOf(names, host), holds: (service) => held.has(service) };
	});
}

/** The first host's, with what the lab's own observers used on all of them. */
function rowsOf(names: string[], rows: any[]) {
	const [first, ...others] = names.map((name) => rows.filter(({ host }) => host === name));
	if (others.length === 0) return first;
	return first.map((row) => ({ ...row, lab_cpu_s: row.lab_cpu_s + sum(others.map((other) => usedUntil(other, row.t))) }));
}

/** @param rows of one host */
function usedUntil(rows: { t: number; lab_cpu_s: number }[], t: number) {
	const last = rows.findLast((row) => row.t <= t);
	return last === undefined ? 0 : last.lab_cpu_s - rows[0].lab_cpu_s;
}

function coresIn({ hosts = [], services = [], machine }: Manifest): System['coresUnder'] {
	const on = new Map(services.map(({ name, host }) => [name, host]));
	return (service) => hosts.find(({ name }) => name === on.get(service))?.cores ?? machine.cores;
}

/** How a machine is called where there are several. */
export const machineName = ({ hosts }: Machine, all: Machine[]) => (all.length === 1 ? 'the machine' : hosts.join(' and '));
