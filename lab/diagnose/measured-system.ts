/**
 * What the analysis has to know of the system that a run measured. Its manifest says it, and of one that was measured before manifests did, the
 * catalogue as it is today.
 */

import { architectures } from '../catalog/architectures.ts';
import type { Remedy } from '../catalog/project-schema.ts';
import { sum } from '../stats/numbers.ts';
import type { Raw } from './read-raw.ts';
import { type Topology, topologyOf } from './topology.ts';

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
