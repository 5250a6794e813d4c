/**
 * Who is there and who asks whom: every service is a hop, every pair that talks an edge. The manifest names its edges; in one of before, and
 * where a program makes the load, they follow from the tiers.
 */

import { wayOfTiers } from '../adapters/observed-system.ts';
import { grouped } from '../base/values.ts';
import type { Tier } from '../record/types.js';

/** by the services' names */
export type Edge = { from: string; to: string };

/**
 * name: of the container;
 *   service: Compose's, common to several
 */
type Described = { name: string; service?: string; tier: string; address?: string; addresses?: string[] };

export type Topology = {
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
export function topologyOf({ services = [], edges }: { services?: Described[]; edges?: Edge[] }, generator: string): Topology {
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
