/** Where users' requests enter: a load balancer that publishes a port, else an app that does. */

import { routesIn } from '../adapters/found-servers.ts';
import { IN_CODE } from '../adapters/observed-system.ts';
import { HTTP_STORES_PORTS, OPERATORS_PORTS, portOfImage, USUAL_PORTS } from '../adapters/well-known.ts';
import type { Tier } from '../base/tier.ts';
import type { AttachedService } from './compose-model.ts';
import { hostsInHttp, hostsOfCommand, hostsOfVariable, storeOfVariable, withoutMachine } from './host-names.ts';
import { type Named, placesOnMachine } from './machine-addresses.ts';

export type Entry = {
	service: string;
	/** inside its network, where nothing has to be published */
	url: string;
	/** one clause */
	reason: string;
};

export type Place = Pick<Entry, 'service' | 'url'>;

/**
 * Who asks whom, as far as a Compose file and the files that it names say it: by the labels and variables by which a proxy finds its
 * servers, by the host names in a service's environment, command, configuration and code, and by `depends_on`. Of these nothing but the name of the variable or the file goes into a reason.
 */
export type Model = AttachedService & Partial<Named>;

/** by what a service runs; null: a tool, undefined: that does not say it */
type KnownTier = (service: string) => Tier | null | undefined;

export type Edge = { from: string; to: string; reason: string };

/** The reason of one that is only known to start after the other. */
export const WAITING = 'depends_on';
/** Tiers that keep what others give them, and that ask nobody by code of the system's. */
const STORES: unknown[] = ['cache', 'database', 'queue'];
/** One may be given what its users are given; two were given what all are. */
const STORES_OF_ALL = 2;
/** What may be a program of the system's own. */
const APPS: unknown[] = ['app', undefined];

/** @returns each pair once */
export function edgesOf(models: Model[], tierOf: KnownTier = () => undefined): Edge[] {
	const serviceOf: Map<string, string> = new Map();
	for (const { service, names } of models) for (const name of names) serviceOf.set(name.toLowerCase(), service);
	// Ports 80 and 443 are for browsers.
	const places = placesOnMachine(models.filter(({ service }) => tierOf(service) !== 'load-balancer'));
	const isForAll = variablesOfAll(models, tierOf);
	const mentioned = models.flatMap((model) => namedBy(model, { serviceOf, tierOf, places, isForAll }));
	const found = routesIn(models).map(({ from, to, reason }) => ({ from, to, reason }));
	const named = [...found, ...mentioned.filter((edge) => !found.some((other) => isSame(edge, other)))];
	const isRouted = (service: string) =>
		tierOf(service) === 'load-balancer' && named.some(({ from, to }) => from === service && tierOf(to) !== null);
	const depending = models.flatMap(({ service, dependsOn, endsFirst, networkMode, looksInto }) =>
		dependsOn
			// What has ended is not asked any more, and what lends its network or shows its processes is not asked for that: Compose adds
			// such services to those that it depends on.
			.filter(
				(to) => !endsFirst.includes(to) && networkMode !== `service:${to}` && !looksInto.includes(to) && serviceOf.has(to.toLowerCase()),
			)
			.map((to) => ({ from: service, to, reason: WAITING })),
	);
	const lending = models.flatMap(({ service: to, networkMode }) => {
		const from = serviceOf.get(networkMode.replace(/^service:/, '').toLowerCase());
		return networkMode.startsWith('service:') && from !== undefined ? [{ from, to, reason: 'lends it its network' }] : [];
	});
	// A proxy asks those whom its configuration names, and waits for others so as to start after them.
	const waiting = depending.filter((edge) => !isRouted(edge.from) && !named.some((other) => isSame(edge, other)));
	const all = [...named, ...lending, ...waiting];
	const said = all.filter((edge) => edge.reason !== WAITING || !isImplied(edge, named, all));
	return [...said, ...inCode(models, said, { serviceOf, tierOf })];
}

/**
 * Code may name what it asks in another case alone. So it counts where nothing but what it starts after says whom a service asks, and for
 * stores that nobody seems to ask.
 */
function inCode(models: Model[], said: Edge[], { serviceOf, tierOf }: { serviceOf: Map<string, string>; tierOf: KnownTier }): Edge[] {
	const isAsked = (service: string) => said.some(({ from, to }) => to === service && tierOf(from) !== null);
	return models
		.filter(({ service }) => APPS.includes(tierOf(service)))
		.flatMap((model) => {
			const isUnsaid = !said.some(({ from, reason }) => from === model.service && reason !== WAITING);
			const isStore = (host: string) => STORES.includes(tierOf(serviceOf.get(host) ?? ''));
			const mentions = (model.mentions ?? [])
				.filter(({ isCode, isAmbiguous, host }) => isCode && (!isAmbiguous || isStore(host)))
				.map(({ host }) => ({ host, reason: IN_CODE }));
			return mentionedBy(model.service, mentions, serviceOf).filter(
				(edge) => !said.some((other) => isSame(edge, other)) && (isUnsaid || (STORES.includes(tierOf(edge.to)) && !isAsked(edge.to))),
			);
		});
}

/**
 * @param start a service
 * @returns services that its requests can get to, itself among them
 */
export function reachableFrom(start: string, edges: Edge[]): Set<string> {
	const reached = new Set([start]);
	// A set gives what is added while it is walked.
	for (const service of reached) for (const { from, to } of edges) if (from === service) reached.add(to);
	return reached;
}

/** @returns services that others ask in HTTP, as far as it is said */
export function askedInHttp(models: Model[]): Set<string> {
	const inHttp = models.flatMap(({ environment, command, mentions = [] }) => [
		...[...Object.values(environment), ...command].flatMap(hostsInHttp),
		...mentions.flatMap(({ host, isHttp }) => (isHttp ? [host] : [])),
	]);
	const hosts = new Set(inHttp);
	return new Set(models.flatMap(({ service, names }) => (names.some((name) => hosts.has(name.toLowerCase())) ? [service] : [])));
}

/**
 * Where all services are given the same variables, these do not say which of them asks what they name: a queue has no use for the address of
 * a database.
 */
function variablesOfAll(models: Model[], tierOf: KnownTier): (name: string, value: string) => boolean {
	const given = models.filter(({ service }) => STORES.includes(tierOf(service))).map(({ environment }) => environment);
	return (name, value) => given.filter((environment) => environment[name] === value).length >= STORES_OF_ALL;
}

type Known = {
	serviceOf: Map<string, string>;
	tierOf: KnownTier;
	places: Record<string, string>;
	isForAll: (name: string, value: string) => boolean;
};

function namedBy(
	{ service, environment, command, dependsOn, mentions = [] }: Model,
	{ serviceOf, tierOf, places, isForAll }: Known,
): Edge[] {
	const isProxy = tierOf(service) === 'load-balancer';
	const isStoreAt = (host: string) => STORES.includes(tierOf(serviceOf.get(host) ?? ''));
	const waitsFor = (host: string) => dependsOn.includes(serviceOf.get(host) ?? '');
	const isAsker = dependsOn.length === 0 && !isProxy && !STORES.includes(tierOf(service));
	// A proxy has no use for a store's address either.
	const isMeant = (host: string, isAnyones: boolean) => waitsFor(host) || (isAnyones ? isAsker : !isProxy || !isStoreAt(host));
	const inVariables = Object.entries(environment).flatMap(([name, value]) => {
		const store = storeOfVariable(name, value);
		const stores = store !== null && isStoreAt(store) ? [store] : [];
		return [...hostsOfVariable(name, withoutMachine(value, places, name)), ...stores]
			.filter((host) => isMeant(host, isForAll(name, value)))
			.map((host) => ({ host, reason: `named in ${name}` }));
	});
	const inCommand = hostsOfCommand(command.map((word) => withoutMachine(word, places))).map((host) => ({
		host,
		reason: 'named in its command',
	}));
	// A store asks others of its kind, and queues. It may be given the variables of a whole system.
	const mayAsk = (tier: Tier | null | undefined) => !STORES.includes(tierOf(service)) || tier === 'queue' || tier === tierOf(service);
	// What serves at a socket may read the same configuration.
	const inConfiguration = mentions.filter(({ isCode, isSocket }) => !isCode && (isProxy || !isSocket));
	return mentionedBy(service, [...inVariables, ...inCommand, ...inConfiguration], serviceOf).filter(({ to }) => mayAsk(tierOf(to)));
}

function mentionedBy(service: string, mentions: { host: string; reason: string }[], serviceOf: Map<string, string>): Edge[] {
	const edges: Map<string, Edge> = new Map();
	for (const { host, reason } of mentions) {
		const to = serviceOf.get(host);
		if (to !== undefined && to !== service && !edges.has(to)) edges.set(to, { from: service, to, reason });
	}
	return [...edges.values()];
}

/**
 * Whether a service only waits for another that is asked by a third one in between: an app names its pool as its host, and
 * depends on the database too, so as to start after it.
 */
function isImplied({ from, to }: Edge, named: Edge[], all: Edge[]): boolean {
	const others = all.filter((edge) => edge.from !== from);
	return named.some((edge) => edge.from === from && edge.to !== to && reachableFrom(edge.to, others).has(to));
}

const isSame: (one: Edge, other: Edge) => boolean = (one, other) => one.from === other.from && one.to === other.to;

const TLS_PORTS = [443, 8443];
const RANK = { knownPort: -1, ownPort: 50, otherPort: 100, tls: 200, operators: 300 };
/** Ports of the machine that a browser asks unless it is told another. */
const WEB_PORTS = ['80', '443'];
/** In a variable: the address at which a service listens, or by which browsers find it. */
const ITSELF = /(localhost|127\.0\.0\.1|0\.0\.0\.0):\d/;
const KINDS: Record<string, string> = { 'load-balancer': 'load balancer', app: 'app' };

/**
 * @param assumed that no file says
 * @returns null when nothing listens that could be asked; more:
 * where users enter as well, because it is published and none of these asks it; others: where they could, the likeliest first
 */
export function chooseEntry(
	models: Model[],
	tierOf: Map<string, Tier | null>,
	edges: Edge[],
	assumed: Edge[] = [],
): { entry: Entry | null; more: Place[]; others: Place[]; doubts: string[] } {
	const listening = models.filter(
		({ service, networkMode, ports }) => isJoined(networkMode) && tierOf.get(service) !== null && ports.length > 0,
	);
	const asked = listening.filter(({ service }) => (tierOf.get(service) ?? '') in KINDS);
	// Of a file that has a store alone that is what users ask.
	const all = asked.length > 0 ? asked : listening.filter(({ published }) => published.some((port) => HTTP_STORES_PORTS.includes(port)));
	const publishing = all.filter(({ published }) => published.length > 0);
	const candidates = publishing.length > 0 ? publishing : all;
	const isHereAlone = ({ published, publishedHere }: AttachedService) =>
		published.length > 0 && published.every((port) => publishedHere.includes(port));
	const isWebPort = ({ openAt }: AttachedService) => WEB_PORTS.some((port) => port in openAt);
	const ways = new Map(candidates.map(({ service }) => [service, reachableFrom(service, edges)]));
	// What another candidate asks stands behind it, unless that one is asked by it in turn; and a tool may wait for the entry.
	const isBehind = (model: AttachedService) =>
		candidates.some(
			(other) =>
				(isWebPort(other) || !isWebPort(model)) &&
				edges.some(({ from, to }) => from === other.service && to === model.service) &&
				!ways.get(model.service)?.has(other.service),
		);
	const rankOf = (model: AttachedService) => [
		isBehind(model) ? 1 : 0,
		tierOf.get(model.service) === 'load-balancer' ? 0 : 1,
		edges.some(({ from, to }) => to === model.service && candidates.some(({ service }) => service === from)) && !isWebPort(model) ? 1 : 0,
		isWebPort(model) ? 0 : 1,
		edges.some(({ from }) => from === model.service) ? 0 : 1,
		isHereAlone(model) ? 1 : 0,
		rankOfPort(model, likeliestPort(model)),
	];
	const [best, ...rest] = candidates.toSorted((one, other) => compareRanks(rankOf(one), rankOf(other)));
	if (best === undefined) return { entry: null, more: [], others: [], doubts: [] };
	const isAsked = ({ service }: AttachedService) =>
		[...edges, ...assumed].some(({ from, to }) => to === service && candidates.some((one) => one.service === from));
	// Of another port nobody knows before a run that HTTP is spoken there.
	const isUsual = (model: AttachedService) =>
		[RANK.otherPort, RANK.operators].every((rank) => rankOfPort(model, likeliestPort(model)) !== rank);
	const more = publishing.length > 0 ? rest.filter((model) => !isAsked(model) && isUsual(model)) : [];
	const others = rest.filter((model) => !more.includes(model));
	const kind = KINDS[tierOf.get(best.service) ?? ''] ?? 'store';
	const port = likeliestPort(best);
	const reason =
		publishing.length > 0
			? `the ${kind} that publishes port ${port}`
			: `the ${kind} that listens on port ${port}; nothing publishes a port`;
	return { entry: { ...placeOf(best), reason }, more: more.map(placeOf), others: others.map(placeOf), doubts: doubtsOf(others) };
}

/** What has no network of the file cannot be asked by its name. */
const isJoined = (networkMode: string) => networkMode === '';

/** Where requests enter, and why. */
export function entryText({ url, reason }: Pick<Entry, 'url' | 'reason'>, more: Place[]) {
	const others = more.map((other) => other.url);
	const beside = others.length === 0 ? '' : ` and at ${others.join(', ')} (which ${others.length === 1 ? 'is' : 'are'} published too)`;
	const unchecked = [url, ...others].some((one) => one.startsWith('https:')) ? '; by TLS, whatever the certificate' : '';
	return `${url} (${reason})${beside}${unchecked}`;
}

function placeOf(model: Model) {
	const port = likeliestPort(model);
	return { service: model.service, url: `${speaksTls(model, port) ? 'https' : 'http'}://${model.service}:${port}/` };
}

const speaksTls: (model: Model, port: number) => boolean = ({ tlsPorts = [] }, port) => TLS_PORTS.includes(port) || tlsPorts.includes(port);

function doubtsOf(others: AttachedService[]) {
	if (others.length === 0) return [];
	const names = others.map(({ service }) => service).join(', ');
	return [`Users could also enter at ${names}. If they do, write its URL as the entry, or as one of a list.`];
}

function likeliestPort(model: Model) {
	const { published, ports } = model;
	const [port] = (published.length > 0 ? published : ports).toSorted((one, other) => rankOfPort(model, one) - rankOfPort(model, other));
	return port;
}

function rankOfPort(model: Model, port: number): number {
	const { image, likelyPorts, environment } = model;
	if (portOfImage(image) === port) return RANK.knownPort;
	if (OPERATORS_PORTS.includes(port)) return RANK.operators;
	if (speaksTls(model, port)) return RANK.tls;
	if (USUAL_PORTS.includes(port)) return USUAL_PORTS.indexOf(port);
	const isOwn = likelyPorts.includes(port) || Object.values(environment).some((value) => ITSELF.test(value) && value.includes(`:${port}`));
	return isOwn ? RANK.ownPort : RANK.otherPort;
}

function compareRanks(one: number[], other: number[]): number {
	const at = one.findIndex((rank, index) => rank !== other[index]);
	return at < 0 ? 0 : one[at] - other[at];
}
