/** Which hosts may run what: a service of the lab's systems runs on those that have the label of its tier. */

import { NotReadyError } from '../../base/errors.ts';
import { replicasOf } from '../../docker/compose.ts';
import { docker } from '../../docker/docker.ts';
import type { Model } from './stack-file.ts';

export type Node = {
	name: string;
	/** as a constraint names them, such as `node.role` */
	attributes: Record<string, string>;
	/** it answers, and takes new containers */
	isReady: boolean;
};

/** A host of the Swarm has the label of each tier that it may run. */
const tierLabel = (tier: string) => `doubletake.${tier}`;
export const YES = 'yes';

/** Of its tier, or of the tier that it has to be beside. */
export const placeLabelOf = ({ labels }: { labels: Record<string, string> }) =>
	tierLabel(labels['doubletake.beside'] ?? labels['doubletake.tier']);

/** Where a service of the lab's own systems runs. */
export const labelConstraint = (service: { labels: Record<string, string> }) => `node.labels.${placeLabelOf(service)} == ${YES}`;

const onHost = (host: string) => `node.hostname == ${host}`;

/** @returns of the Swarm */
export async function listNodes(): Promise<Node[]> {
	const nodes = (await docker.listNodes()) as any[];
	return nodes.map(({ ID: id, Description: description, Spec: spec, Status: status }) => ({
		name: description.Hostname,
		attributes: {
			'node.id': id,
			'node.hostname': description.Hostname,
			'node.role': spec.Role,
			'node.platform.os': description.Platform?.OS,
			'node.platform.arch': description.Platform?.Architecture,
			...labelled('node.labels', spec.Labels),
			...labelled('engine.labels', description.Engine?.Labels),
		},
		isReady: status.State === 'ready' && spec.Availability === 'active',
	}));
}

const labelled = (before: string, labels: Record<string, string> | undefined = {}) =>
	Object.fromEntries(Object.entries(labels).map(([name, value]) => [`${before}.${name}`, value]));

/** https://docs.docker.com/reference/cli/docker/service/create/#constraint */
const CONSTRAINT = /^\s*(\S+?)\s*(==|!=)\s*(.+?)\s*$/;

/** One that Swarm does not take it refuses itself. */
function meets({ attributes }: Node, constraints: string[]) {
	return constraints.every((text) => {
		const [, name, how, value] = CONSTRAINT.exec(text) ?? [];
		return name === undefined || ((attributes[name] ?? '') === value) === (how === '==');
	});
}

/**
 * Where the services of a system run that nobody has labelled hosts for: where its file says (`deploy.placement`), else where its tier does if a
 * host has that label, else on any host that is reached. The load is made on this machine unless a host is labelled for it.
 * @returns constraints
 */
export const spreadOver =
	({
		nodes,
		reached: [here, ...others],
		isBound,
	}: {
		nodes: Node[];
		/** names of the hosts whose engines the lab reaches, this machine's first */
		reached: string[];
		/** it needs what this machine alone has */
		isBound: (service: any) => boolean;
	}): ((service: any) => string[]) =>
	(service) => {
		const own = service.deploy?.placement?.constraints ?? [];
		if (isBound(service)) return [...own, onHost(here)];
		if (own.length > 0) return own;
		const label = labelConstraint(service);
		// One that is not ready has it too: elsewhere it would be another system that is measured, and nobody would know.
		if (nodes.some((node) => meets(node, [label]))) return [label];
		if (service.labels['doubletake.tier'] === 'generator') return [onHost(here)];
		return nodes.filter(({ name }) => name !== here && !others.includes(name)).map(({ name }) => `node.hostname != ${name}`);
	};

/**
 * The images that each host needs.
 * @param services of the stack
 * @param reached names of the hosts whose engines the lab reaches
 * @param constraintsOf of a service
 * @returns images by host
 * @throws {NotReadyError} when no host may run a service, or one may that the lab does not reach
 */
export function imagesByHost(
	services: Model['services'],
	nodes: Node[],
	reached: string[],
	constraintsOf: (service: any, name: string) => string[],
): Record<string, string[]> {
	const images: Record<string, string[]> = Object.fromEntries(reached.map((name) => [name, []]));
	const hosts = nodes.filter(({ isReady }) => isReady);
	const placed = Object.entries(services).map(([name, service]) => ({
		image: service.image,
		name,
		constraints: constraintsOf(service, name),
	}));
	refuseUnplaced(
		placed.filter(({ constraints }) => !hosts.some((node) => meets(node, constraints))),
		nodes,
	);
	for (const { image, constraints } of placed) {
		for (const { name } of hosts.filter((node) => meets(node, constraints))) {
			if (!reached.includes(name))
				throw new NotReadyError(
					`Expected to reach the engine of each host that may run something; found ${name} (${constraints.join(', ')}), which HOSTS does not name.`,
					`name it (HOSTS='${name}=ssh://...'), or see that nothing is placed there${labelIn(constraints).map((label) => `: docker node update --label-rm ${label} ${name}`)}.`,
				);
			if (!images[name].includes(image)) images[name].push(image);
		}
	}
	return images;
}

/**
 * On which host each service of a user's own system runs. Left to a Swarm, two nodes of a tier may come to stand on one host: it gives a container to
 * the host that has fewest, whoever's they are, and to any of those that have as many. Here those of one system count: a service runs on the host that
 * has fewest of its tier, of these on the one that has fewest in all, and of these on the first. What can run on few hosts is placed first. A service
 * of several containers is left to the Swarm, which spreads those.
 * @param reached names of the hosts whose engines the lab reaches, this machine's first
 * @param constraintsOf of a service, which some host meets
 * @returns by service a further constraint; none where there is nothing to choose
 */
export function hostsOf(
	services: Model['services'],
	nodes: Node[],
	reached: string[],
	constraintsOf: (service: any, name: string) => string[],
): Record<string, string> {
	const hosts = reached.flatMap((name) => nodes.filter((node) => node.isReady && node.name === name));
	const placed = Object.entries(services).map(([name, service]) => {
		const possible = hosts.filter((node) => meets(node, constraintsOf(service, name))).map((node) => node.name);
		return { name, tier: service.labels['doubletake.tier'], count: replicasOf(service), possible };
	});
	/** Containers, by host and tier. */
	const there: Map<string, Map<string, number>> = new Map(hosts.map(({ name }) => [name, new Map()]));
	const ofTier = (host: string, tier: string) => there.get(host)?.get(tier) ?? 0;
	const inAll = (host: string) => [...(there.get(host)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
	const constraints: Record<string, string> = {};
	for (const { name, tier, count, possible } of placed.toSorted((one, other) => one.possible.length - other.possible.length)) {
		const [first, ...others] = possible.toSorted((one, other) => ofTier(one, tier) - ofTier(other, tier) || inAll(one) - inAll(other));
		const taken = count > 1 ? possible : [first];
		for (const host of taken) there.get(host)?.set(tier, ofTier(host, tier) + count / taken.length);
		if (taken.length === 1 && others.length > 0) constraints[name] = onHost(first);
	}
	return constraints;
}

/**
 * Hosts that the run was given and that take nothing of it.
 * @param reached names of the hosts whose engines the lab reaches
 * @returns a sentence each
 */
export function aboutAway(nodes: Node[], reached: string[]): string[] {
	// One that joined again is in the list twice.
	const isAway = (host: string) => nodes.some(({ name }) => name === host) && !nodes.some((node) => node.isReady && node.name === host);
	return reached.filter(isAway).map((name) => `Nothing of the run is placed on ${name}, which ${TAKES_NONE}.`);
}

const TAKES_NONE = 'takes no new containers: it is drained, paused or down ("docker node ls" says which)';

/** Of a tier, by which it is placed. */
const labelIn = (constraints: string[]): string[] =>
	constraints.flatMap((text) => /^node\.labels\.(doubletake\.\S+) == yes$/.exec(text)?.[1] ?? []);

function refuseUnplaced(unplaced: { name: string; constraints: string[] }[], nodes: Node[]) {
	const labels = [...new Set(unplaced.flatMap(({ constraints }) => labelIn(constraints)))];
	if (labels.length > 0) {
		const away = nodes.filter((node) => !node.isReady && labels.some((label) => meets(node, [`node.labels.${label} == ${YES}`])));
		const ready = nodes.find(({ isReady }) => isReady);
		throw new NotReadyError(
			`Expected a host for each tier; found none that is ready and has the label ${labels.join(', ')}${away.map(({ name }) => `; ${name} has it, and ${TAKES_NONE}`).join('')}.`,
			`give it to a host: ${labels.map((label) => `docker node update --label-add ${label}=${YES} ${ready?.name ?? '<host>'}`).join('; ')}${away.map(({ name }) => `; or docker node update --availability active ${name}`).join('')}`,
		);
	}
	const [first] = unplaced;
	if (first !== undefined)
		throw new NotReadyError(
			`services.${first.name}.deploy.placement: expected a host that is ready and meets ${first.constraints.join(', ')}; found none.`,
			'correct the constraints, or make a host ready that meets them ("docker node ls").',
		);
}
