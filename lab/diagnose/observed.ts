/**
 * What the wire says of who asks whom, used in the record of a run: edges and tiers that doubletake.yaml has as `init` proposed them give
 * way to what was seen (lab/adapters/observed-system.ts).
 */

import { decide } from '../adapters/observed-system.ts';
import { GENERATOR_NAME } from '../base/paths.ts';
import { ownOf } from '../base/values.ts';
import type { WireRecord } from '../wire/record.ts';
import { observedOf } from '../wire/tenancy.ts';

/** The manifest calls an observer what a user's file calls `other`. */
export const [OBSERVER, OTHER, GENERATOR] = ['observer', 'other', 'generator'];

/**
 * @returns the manifest as it was seen, and a sentence for each thing that differs; as it is where
 * nothing was recorded, or the record does not say what was proposed
 */
export function asObserved(manifest: any, wire: WireRecord | null): { manifest: any; differing: string[] } {
	const { system, services = [] } = manifest;
	const generator = generatorIn(services);
	if (!wire || !system.proposal || !manifest.edges || !generator) return { manifest, differing: [] };
	const asked = new Set<any>(manifest.edges.flatMap(({ from, to }: any) => (from === generator.name ? [to] : [])));
	const entries = [...new Set<any>(services.flatMap(({ name, service }: any) => (asked.has(name) ? [service] : [])))] as string[];
	if (entries.length === 0) return { manifest, differing: [] };
	const observed = observedOf(wire, { entries, generator: generator.service });
	const { edges, tiers, notes } = decide({ observed, written: { ...writtenIn(system), entries }, proposal: system.proposal });
	const namesOf = (service: string) =>
		services.flatMap((one: any) => (one.service === service && one.tier !== GENERATOR ? [one.name] : []));
	const between = edges.flatMap(([from, to]) =>
		namesOf(from).flatMap((one: string) => namesOf(to).map((other: string) => ({ from: one, to: other }))),
	);
	return {
		manifest: {
			...manifest,
			services: services.map((one: any) => withTier(one, ownOf(tiers, one.service))),
			edges: [...manifest.edges.filter(({ from }: any) => from === generator.name), ...between],
		},
		differing: notes,
	};
}

/** As the wire has it: several are one (read-raw.ts). */
function generatorIn(services: any[]): { name: string; service: string } | undefined {
	const [first, ...others] = services.filter(({ tier }) => tier === GENERATOR);
	return others.length > 0 ? { name: GENERATOR_NAME, service: GENERATOR_NAME } : first;
}

const writtenIn = ({ services, edges }: any) => ({
	services: Object.fromEntries(
		Object.entries<any>(services).map(([name, one]) => [name, { ...one, tier: one.tier === OBSERVER ? OTHER : one.tier }]),
	),
	edges,
});

function withTier(service: any, tier: string | undefined) {
	if (tier === undefined || service.tier === GENERATOR) return service;
	return { ...service, tier: tier === OTHER ? OBSERVER : tier };
}
