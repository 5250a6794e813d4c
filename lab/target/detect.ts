/**
 * What each service of a Compose file is, who asks whom, and where requests enter. It is a proposal: it is printed with its
 * reasons, and the user corrects it. Values of environment variables are secrets; of them nothing is in what is returned.
 */

import type { Adapter, Detection, Watch } from '../adapters/contract.ts';
import { isClient, routesIn, runsNoServer } from '../adapters/found-servers.ts';
import type { Proposal } from '../adapters/observed-system.ts';
import { programsOf } from '../adapters/recognise.ts';
import { servesByItself } from '../adapters/web-servers.ts';
import {
	isLoad,
	isSureWorker,
	knownImage,
	knownName,
	needsNoStore,
	tierOfData,
	tierOfPort,
	USUAL_PORTS,
	workerBy,
} from '../adapters/well-known.ts';
import type { Tier } from '../base/tier.ts';
import type { AttachedService as AttachedServiceOfComposeModel } from './compose-model.ts';
import type { Edge, Entry, Model, Place } from './entry.ts';
import { askedInHttp, chooseEntry, edgesOf, reachableFrom, WAITING } from './entry.ts';
import { isNamedAsEngine } from './sockets.ts';

export type Detected = {
	service: string;
	/** of the adapter that takes it */
	product: string;
	/** null: it is not on the way of a request, and is watched as `other` */
	tier: Tier | null;
	/** of one that is not on the way: what it would be if it were */
	likely?: Tier | null;
	/** one clause */
	reason: string;
	/** what each level gives, the lowest first */
	watches: Watch[];
};

export type Detections = {
	/** in the order of the models */
	services: Detected[];
	entry: Entry | null;
	/** where users enter as well */
	more: Place[];
	/** where they could */
	others: Place[];
	/** between services on the way of a request, in the order of that way */
	edges: Edge[];
	/** a sentence for each thing that was assumed */
	doubts: string[];
	/** that adapters know */
	products: string[];
};

/**
 * The tier of a service that no adapter takes: by its image, its program, its data, its ports, its name, and last by who depends on whom.
 */
/** isPassingOn: as in what its files name */
type AttachedService = AttachedServiceOfComposeModel & { isPassingOn?: boolean };

/** tier null: no request passes it */
export type Guess = { tier: Tier | null; reason: string };

/** A program stands first in its command, or behind a script or an init that starts it. */
const PROGRAM_WORDS = 2;
/** What such a service does is done once, before the rest is of use: unless it is started again whenever it ends. */
const JOB =
	/(^|[-_])(migrate|migrations?|migrator|seed|seeder|setup|bootstrap|configurator|installer|create-?buckets?)$|^(migrate|seed|setup|create|install)[-_]|(^|[-_])init([-_]|$)/i;

/** @param asked services that others ask in HTTP */
export function opaqueTier(model: AttachedService, edges: Edge[], asked: Set<string> = new Set()): Guess {
	return guessByProduct(model) ?? byDirection(model, edges, asked);
}

/** What it is by itself, whomever it asks. */
const guessByProduct = (model: AttachedService): Guess | null =>
	byJob(model) ??
	byToolsName(model) ??
	byClient(model) ??
	byImage(model) ??
	byProgram(model) ??
	byData(model) ??
	byPort(model) ??
	byName(model);

const byJob = ({ service, restarts }: AttachedService): Guess | null =>
	JOB.test(service) && restarts !== 'always' ? { tier: null, reason: 'its name, of a job that ends' } : null;

/** A tool may run on the image of a language, or on one that the system's own programs have. */
function byToolsName({ service, image }: AttachedService): Guess | null {
	const known = knownImage(image)?.tier ?? 'app';
	return known === 'app' && knownName(service)?.tier === null ? { tier: null, reason: 'its name, of a tool for operators' } : null;
}

/** Tiers that are in a file because something asks them. */
const MADE_TO_BE_ASKED: (Tier | null)[] = ['pool', 'queue', 'cache', 'database'];

/** The images of stores have the programs too that ask them, for backups, migrations and waiting. Others have them for that alone. */
function byClient({ service, image, command }: AttachedService): Guess | null {
	const isStores = MADE_TO_BE_ASKED.includes(knownImage(image)?.tier ?? null);
	if (!isStores && !programsOf(command).some(isClient)) return null;
	const isJob = (name: string) => [name, service].some((one) => JOB.test(one) || workerBy(one, []) !== null);
	const reason = runsNoServer(command, isJob);
	return reason === null ? null : { tier: null, reason };
}

const SERVING = 'a web server that no configuration makes a proxy';
/** A web server that may be a proxy, and as far as its configuration was read is none. */
const isServing: (known: { name: string }, model: AttachedService) => boolean = (known, { isPassingOn = false }) =>
	servesByItself(known) && !isPassingOn;

function byImage(model: AttachedService): Guess | null {
	const { image } = model;
	const known = knownImage(image);
	if (!known) return null;
	const name = image.replace(/@.*$/, '');
	if (isServing(known, model)) return { tier: 'app', reason: `image ${name}, ${SERVING}` };
	return { tier: known.tier, reason: known.tier === null ? `image ${name}, a tool for operators` : `image ${name}` };
}

function byProgram(model: AttachedService): Guess | null {
	const programs = model.command.slice(0, PROGRAM_WORDS).map((word) => word.slice(word.lastIndexOf('/') + 1));
	const known = programs.map(knownName).find((found) => found !== null);
	if (known && isServing(known, model)) return { tier: 'app', reason: `it runs ${known.name}, ${SERVING}` };
	return known ? { tier: known.tier, reason: `it runs ${known.name}` } : null;
}

/** A container that only holds a folder for others names a program that does nothing, and an image that has it all lets users in. */
function byData({ command, mounts, published }: AttachedService): Guess | null {
	if (programsOf(command).length > 0 || published.some((port) => USUAL_PORTS.includes(port))) return null;
	const tier = tierOfData(mounts.flatMap(({ target, readOnly }) => (readOnly ? [] : [target])));
	return tier === null ? null : { tier, reason: 'where it keeps its data' };
}

function byPort({ ports }: AttachedService): Guess | null {
	const port = ports.find((candidate) => tierOfPort(candidate) !== null);
	return port === undefined ? null : { tier: tierOfPort(port), reason: `it listens on port ${port}` };
}

function byName(model: AttachedService): Guess | null {
	const known = knownName(model.service);
	if (known && isServing(known, model)) return null;
	return known ? { tier: known.tier, reason: 'its name' } : null;
}

function byDirection({ service, published, mounts, networkMode }: AttachedService, edges: Edge[], asked: Set<string>): Guess {
	if (networkMode.startsWith('service:'))
		return { tier: 'app', reason: `it is reached through the network of ${networkMode.replace('service:', '')}` };
	const asks = edges.filter(({ from }) => from === service).map(({ to }) => to);
	const isAsked = edges.some(({ to }) => to === service);
	// A store that is asked in HTTP is known by its image; others that are keep what they made, as a model or a picture.
	const isWeb = asked.has(service) || published.some((port) => USUAL_PORTS.includes(port));
	if (isAsked && asks.length === 0 && !isWeb && mounts.some(({ type }) => type === 'volume'))
		return { tier: 'database', reason: 'others depend on it, it depends on nothing, and it keeps a volume' };
	const clauses = [];
	if (published.length > 0) clauses.push(`it publishes port ${published.join(', ')}`);
	if (asks.length > 0) clauses.push(`it depends on ${asks.join(', ')}`);
	if (clauses.length > 0) return { tier: 'app', reason: clauses.join(' and ') };
	if (isAsked) return { tier: 'app', reason: 'others depend on it, and it keeps no volume' };
	return { tier: 'app', reason: 'nothing says what it is' };
}

/** The product of a service that no adapter takes, and of the adapter that watches any container. */
export const OPAQUE = 'opaque';

/** Tiers that exist to pass requests on, and the tier that they do so to. */
const PASSES_ON_TO: Partial<Record<Tier, Tier>> = { 'load-balancer': 'app', pool: 'database' };
/** The reason of one that no file says. */
const ASSUMED = 'assumed';
/** `orders-db` is that of `orders`. */
const CALLED_AFTER = ['-', '_', '.', 'db'];
/** Of an image: who publishes it, and the product that it is a part of. */
const PRODUCT = /^(?:(.+)\/)?([a-z\d]+)[-_][^/]*?(?:[:@].*)?$/;
/** @param adapters the first that takes a service has it */
export function detectTiers(models: Model[], adapters: Adapter[]): Detections {
	const known = new Map(models.map((model) => [model.service, (detectionBy(model, adapters) ?? guessByProduct(model))?.tier]));
	const found = edgesOf(models, (service) => known.get(service));
	const proxies = new Set(routesIn(models).map(({ from }) => from));
	const beside = { adapters, models, edges: found, proxies, inHttp: askedInHttp(models) };
	const taken = withTools(
		models.map((model) => takeService(model, beside)),
		models,
		found,
	);
	const tierOf = new Map(taken.map(({ service, tier }) => [service, tier]));
	const assumed = assumedEdges(taken, found, models);
	const { entry, more, others, doubts } = chooseEntry(models, tierOf, found, assumed);
	const all = [...found, ...assumed];
	const edges = all.filter(({ from, to }) => tierOf.get(from) && tierOf.get(to) && to !== entry?.service);
	// Whom users reach at a port of the machine serves them, though the load does not ask it.
	const open = others.filter(({ service }) => models.some((model) => model.service === service && model.published.length > 0));
	const onWay = entry
		? new Set([entry, ...more, ...open].flatMap(({ service }) => [...reachableFrom(service, edges)]))
		: new Set(tierOf.keys());
	const inOrder = [...onWay];
	return {
		services: taken.map((service) => (service.tier === null || onWay.has(service.service) ? service : offTheWay(service))),
		entry,
		more,
		others,
		edges: edges.filter(({ from }) => onWay.has(from)).toSorted((one, other) => inOrder.indexOf(one.from) - inOrder.indexOf(other.from)),
		doubts: [
			...doubts,
			...assumed.filter(({ from }) => onWay.has(from)).map(({ from, to }) => `The file does not say whom ${from} asks; ${to} is assumed.`),
			...taken.filter(({ service, tier }) => MADE_TO_BE_ASKED.includes(tier) && isUnasked(service, all)).map(unaskedSentence),
		],
		products: adapters.map(({ product }) => product).filter((product) => product !== OPAQUE),
	};
}

/** That knows what it runs. */
export const adapterTaking: (model: AttachedService, adapters: Adapter[]) => Adapter | undefined = (model, adapters) =>
	byClient(model) === null ? adapters.find(({ product, detect }) => product !== OPAQUE && detect(model) !== null) : undefined;

const detectionBy: (model: AttachedService, adapters: Adapter[]) => Detection | null = (model, adapters) =>
	adapterTaking(model, adapters)?.detect(model) ?? null;

type Beside = {
	adapters: Adapter[];
	models: AttachedService[];
	edges: Edge[];
	/** that find their servers by what those are labelled with */
	proxies: Set<string>;
	/** services that others ask in HTTP */
	inHttp: Set<string>;
};

function takeService(model: AttachedService, { adapters, models, edges, proxies, inHttp }: Beside): Detected {
	const adapter = adapterTaking(model, adapters);
	const detection = adapter?.detect(model) ?? opaqueTier(model, edges, inHttp);
	const watching = adapter ?? adapters.find(({ product }) => product === OPAQUE);
	const aside = detection.tier === 'app' && !proxies.has(model.service) ? asideReason(model, edges) : null;
	return {
		service: model.service,
		product: adapter?.product ?? OPAQUE,
		...(idleReason(model, models) ?? aside ?? { tier: detection.tier, reason: detection.reason }),
		watches: watching?.watches(model) ?? [],
	};
}

/**
 * A tool is one beside a system. Where there is nothing else it is the system: where the configuration of a balancer names tools alone, and
 * where nobody but tools could let users in.
 */
function withTools(taken: Detected[], models: Model[], edges: Edge[]): Detected[] {
	const tierOf = new Map(taken.map(({ service, tier }) => [service, tier]));
	const behind = models.flatMap(({ service, hasConfiguration }) => {
		const named = edges.filter(({ from, reason }) => from === service && reason !== WAITING);
		const isAllTools = tierOf.get(service) === 'load-balancer' && hasConfiguration && named.every(({ to }) => tierOf.get(to) === null);
		return isAllTools ? named.map(({ to }) => to) : [];
	});
	const isSystem = taken.some(({ tier }) => tier === 'load-balancer' || tier === 'app');
	const open = isSystem ? [] : models.filter(({ published, networkMode }) => published.length > 0 && networkMode === '');
	const asApps = new Set([...behind, ...open.map(({ service }) => service)]);
	return taken.map((one) =>
		one.tier === null && asApps.has(one.service)
			? { ...one, tier: 'app', reason: `${one.reason}; but there is nothing else to be asked` }
			: one,
	);
}

/** A program that nobody asks may be there for what requests leave behind, for whoever looks after the containers, or to make requests. */
function asideReason(
	{ service, command, published, publishedHere, mounts }: AttachedService,
	edges: Edge[],
): Pick<Detected, 'tier' | 'likely' | 'reason'> | null {
	// Its own page may be behind the proxy of all.
	if (isLoad(service)) return { tier: null, likely: 'app', reason: 'its name, of what asks in the place of users' };
	if (edges.some(({ to, reason }) => to === service && reason !== WAITING)) return null;
	const isForOperators = mounts.some(({ source }) => isNamedAsEngine(source));
	if (isForOperators) return { tier: null, likely: 'app', reason: 'it mounts the engine’s socket, a tool for operators' };
	const isOpen = published.some((port) => !publishedHere.includes(port));
	const worker = isOpen && !isSureWorker(service) ? null : workerBy(service, command);
	return worker === null ? null : { tier: null, likely: 'app', reason: worker };
}

/** Whatever it runs, no request passes what does not run under load. */
function idleReason(
	{ service, replicas, networkMode, isProvided, isBase, ports }: AttachedService,
	models: AttachedService[],
): { tier: null; reason: string } | null {
	if (replicas === 0) return { tier: null, reason: 'it is scaled to 0' };
	if (isProvided) return { tier: null, reason: 'a provider makes it, outside of a run' };
	if (networkMode.startsWith('container:')) return { tier: null, reason: 'it is on the network of a container that is not the run’s' };
	if (networkMode === 'none') return { tier: null, reason: 'it has no network' };
	if (isBase && ports.length === 0) return { tier: null, reason: 'others are built from its image' };
	if (models.some(({ endsFirst }) => endsFirst.includes(service))) return { tier: null, reason: 'it ends before others start' };
	return null;
}

/**
 * A balancer's servers and a pool's database often stand in a configuration that is not read. Then whatever of that tier nothing
 * else asks is taken for them. A program may keep its store's name to itself.
 */
function assumedEdges(taken: Detected[], edges: Edge[], models: Model[]): Edge[] {
	const isRead = (service: string) => models.some((model) => model.service === service && model.hasConfiguration);
	const passed = taken.flatMap(({ service: from, tier }) => {
		const behind = tier === null ? undefined : PASSES_ON_TO[tier];
		const isOnWay = (service: string) => taken.some((other) => other.service === service && other.tier !== null);
		if (behind === undefined || isRead(from) || edges.some((edge) => edge.from === from && isOnWay(edge.to))) return [];
		return taken
			.filter((other) => other.tier === behind && !edges.some(({ to }) => to === other.service))
			.map((other) => ({ from, to: other.service, reason: ASSUMED }));
	});
	const parts = partsOfProducts(taken, [...edges, ...passed], models);
	return [...passed, ...parts, ...storesOfSilent(taken, [...edges, ...passed, ...parts], models)];
}

/**
 * Programs of one product know each other by names that stand in their images: `shop-server` asks `shop-search`, of which no file speaks.
 */
function partsOfProducts(taken: Detected[], edges: Edge[], models: AttachedService[]): Edge[] {
	const productOf = ({ image }: AttachedService) => (PRODUCT.exec(image) ?? []).slice(1, 3).join('/');
	const apps = models.filter(({ service }) => taken.some((one) => one.service === service && one.tier === 'app'));
	const isKnown = ({ service }: AttachedService) => edges.some(({ from, to }) => from === service || to === service);
	return apps
		.filter((model) => !isKnown(model) && model.ports.length === 0)
		.flatMap((model) => {
			const others = apps.filter(
				(other) => other.published.length > 0 && productOf(model).includes('/') && productOf(other) === productOf(model),
			);
			return others.length === 1 ? [{ from: others[0].service, to: model.service, reason: ASSUMED }] : [];
		});
}

/**
 * A store that nobody asks is taken for that of the one app that says nothing of whom it asks, or of the one that it is called after; else for
 * that of the one app that asks the other stores.
 */
function storesOfSilent(taken: Detected[], edges: Edge[], models: AttachedService[]): Edge[] {
	const networksOf = new Map(models.map(({ service, networks }) => [service, networks]));
	const areNear = (one: string, other: string) => networksOf.get(one)?.some((network) => networksOf.get(other)?.includes(network));
	const tierOf = new Map(taken.map(({ service, tier }) => [service, tier]));
	const isComplete = (service: string) => models.some((model) => model.service === service && needsNoStore(model.image));
	const silent = taken.filter(
		({ service, tier }) => tier === 'app' && !isComplete(service) && !edges.some(({ from, to }) => from === service && tierOf.get(to)),
	);
	const isAsked = (service: string) => edges.some(({ from, to }) => to === service && tierOf.get(from));
	const isOpen = (service: string) => isAsked(service) || models.some((model) => model.service === service && model.published.length > 0);
	const keepsMore = (service: string) =>
		edges.some(({ from, to }) => from === service && MADE_TO_BE_ASKED.includes(tierOf.get(to) ?? null));
	const asking = taken.filter(({ service, tier }) => tier === 'app' && isOpen(service) && keepsMore(service));
	return taken.flatMap(({ service: to, tier }) => {
		// One that asks others is their copy, or does something to them once.
		if (!MADE_TO_BE_ASKED.includes(tier) || isAsked(to) || edges.some(({ from }) => from === to)) return [];
		const near = silent.filter(({ service }) => areNear(service, to));
		const called = near.filter(({ service }) => CALLED_AFTER.some((sign) => to.startsWith(`${service}${sign}`)));
		const keeping = near.length > 0 ? [] : asking.filter(({ service }) => areNear(service, to));
		const [from] = [near, called, keeping].find(({ length }) => length === 1) ?? [];
		return from === undefined ? [] : [{ from: from.service, to, reason: ASSUMED }];
	});
}

const isUnasked: (service: string, edges: Edge[]) => boolean = (service, edges) => !edges.some(({ to }) => to === service);

const offTheWay = (detected: Detected): Detected => ({
	...detected,
	tier: null,
	likely: detected.tier,
	reason: 'nothing on the way of a request depends on it',
});

const unaskedSentence = ({ service, tier }: Detected) =>
	`${service} looks like a ${tier}, but the file does not say who asks it. If a service does, write its tier, and who asks it under edges.`;

/** What was proposed, without its words: a run compares it with doubletake.yaml, to know what the user changed. */
export const proposalOf = ({ services, entry, more, others, edges }: Detections): Proposal => ({
	entries: entry === null ? [] : [entry, ...more, ...others].map(({ service, url }) => ({ service, url })),
	services: Object.fromEntries(services.map(({ service, tier, likely = null }) => [service, { tier, likely: tier ?? likely }])),
	edges: edges.map(({ from, to, reason }) => ({ from, to, reason })),
});
