/**
 * Who asks whom, and what each service is, from three sources: what `init` proposes from the Compose file, what doubletake.yaml says, and
 * what was seen on the wire. What the user changed by hand wins, and is doubted where the wire says otherwise; what was only proposed
 * gives way to what was seen. What was not seen is no proof that it is not there: a guess gives way where its caller was seen to ask
 * others, and nothing of the record is missing. What the file calls an app stays one, though it only passes requests on: an app may do that too,
 * for as long as it is asked nothing else. Pure.
 */

import type { Tier } from '../base/tier.ts';
import { ownOf } from '../base/values.ts';
import type { Observed, ObservedEdge, ObservedService } from '../wire/tenancy.ts';

type Pair = [string, string];

/** what init would write today */
export type Proposal = {
	/** where users could enter, the likeliest first; not in records of before */
	entries?: { service: string; url: string }[];
	edges: { from: string; to: string; reason: string }[];
	/** likely: what it would be, were it on the way of a request */
	services: Record<string, { tier: Tier | null; likely: Tier | null }>;
};

/** what doubletake.yaml says */
type Written = {
	/** services */
	entries: string[];
	/** a tier that no request passes is `other` */
	services: Record<string, { tier: string; product: string }>;
	edges: Pair[];
};

export type Decided = {
	edges: Pair[];
	/** by service */
	tiers: Record<string, string>;
	/** in which it is asked, of each that is asked */
	protocols: Record<string, string>;
	/** a sentence without its stop for each thing that differs */
	notes: string[];
	/** who asks whom that is none of the stack, as such a sentence; empty where nobody does */
	outside: string;
};

/** What a service is that is asked in a protocol, as far as that tells: HTTP is spoken by services of every kind. */
/** product: of the adapter that reads what speaks it; empty where there is none */
type Spoken = { tier: Tier; product: string };

const STORES: Record<string, Spoken> = {
	postgres: { tier: 'database', product: 'postgres' },
	mysql: { tier: 'database', product: '' },
	mongodb: { tier: 'database', product: 'mongo' },
	redis: { tier: 'cache', product: 'redis' },
	memcached: { tier: 'cache', product: '' },
	amqp: { tier: 'queue', product: '' },
	nats: { tier: 'queue', product: '' },
};

/** From the user to the data. */
const ORDER = ['load-balancer', 'app', 'queue', 'database'];

/** Where the tiers alone say who asks whom: users ask the first tier that is there, and all of each tier all of the next. */
export function wayOfTiers(services: { name: string; tier: string }[]): { entries: string[]; edges: Pair[] } {
	const levels = ORDER.map((wanted) => services.flatMap(({ name, tier }) => (tier === wanted ? [name] : []))).filter(
		(names) => names.length > 0,
	);
	const pairs = levels.slice(1).flatMap((level, index) => levels[index].flatMap((from) => level.map((to) => [from, to] as Pair)));
	return { entries: levels[0] ?? [], edges: pairs };
}

/**
 * @param protocol of the wire
 * @returns null where it does not tell
 */
export const storeOf = (protocol: string): Spoken | null => (Object.hasOwn(STORES, protocol) ? STORES[protocol] : null);

/** Of an edge that the code of a service gives, whose case may never come. */
export const IN_CODE = 'named in its code';
/** Reasons of init that no file gives: who starts after whom says little of who asks whom. */
const GUESSES = ['assumed', 'depends_on', IN_CODE];
const OTHER = 'other';
const OBSERVED_SYSTEM_STORES = ['pool', 'queue', 'cache', 'database'];
const FILE = 'doubletake.yaml';

export function decide({ observed, written, proposal }: { observed: Observed; written: Written; proposal: Proposal }): Decided {
	const sources = { observed, written, proposal };
	// Nothing was asked, and so nothing can be said of what a request needs.
	if (observed.asked === 0)
		return {
			...{ edges: written.edges, tiers: tiersIn(written), protocols: {} },
			...{ notes: [`no request to the entr${written.entries.length === 1 ? 'y' : 'ies'} was seen on the wire`], outside: '' },
		};
	const kept = written.edges.map((pair) => ({ pair, ...fateOf(pair, sources) }));
	const added = addedEdges(sources);
	const all = [
		...kept.flatMap(({ pair, isKept }) => (isKept ? [pair] : [])),
		...added.flatMap(({ pair, isUsed }) => (isUsed ? [pair] : [])),
	];
	const edges = inOrder(all, written.entries);
	const { tiers, notes } = tiersOf(edges, sources);
	return {
		edges,
		tiers,
		protocols: Object.fromEntries(observed.services.flatMap(({ service, protocol }) => (protocol === '' ? [] : [[service, protocol]]))),
		notes: [
			...added.map(({ note }) => note),
			...kept.flatMap(({ note }) => note ?? []),
			...notes,
			...entryNotes(sources),
			...workerNotes(observed),
		],
		outside: outsideText(observed),
	};
}

const tiersIn = ({ services }: Written) => Object.fromEntries(Object.entries(services).map(([service, { tier }]) => [service, tier]));

type Sources = { observed: Observed; written: Written; proposal: Proposal };

function fateOf([from, to]: Pair, { observed, written, proposal }: Sources): { isKept: boolean; note?: string } {
	const seen = observed.edges.find((edge) => edge.from === from && edge.to === to);
	if (seen) return { isKept: true };
	const reason = proposal.edges.find((edge) => edge.from === from && edge.to === to)?.reason;
	const isGuess = reason !== undefined && GUESSES.includes(reason);
	// It was seen whom its caller asks for users, and it is not this one.
	const isRefuted = isGuess && observed.isComplete && observed.edges.some((edge) => edge.needed && edge.from === from);
	const said = `in ${FILE}, not seen on the wire: ${from} asks ${to}${isGuess ? ` (${reason === 'assumed' ? 'assumed' : `only ${reason}`})` : ''}`;
	if (isRefuted) return { isKept: false, note: `${said}; left out` };
	// Of a service that no request passes nothing is claimed.
	const isOnWay = (service: string) => (ownOf(written.services, service)?.tier ?? OTHER) !== OTHER;
	return { isKept: true, note: isOnWay(from) && isOnWay(to) ? `${said}; kept` : undefined };
}

/** @returns needed edges that the file does not have */
function addedEdges({ observed, written, proposal }: Sources): { pair: Pair; isUsed: boolean; note: string }[] {
	const missing = observed.edges.filter(
		({ from, to, needed }) => needed && !written.edges.some(([one, other]) => one === from && other === to),
	);
	return missing.map((edge) => {
		const { from, to } = edge;
		const apart = [from, to].find((service) => isApartByHand(service, { written, proposal }));
		const note = `seen on the wire, not in ${FILE}: ${edgeText(edge)}`;
		if (apart === undefined) return { pair: [from, to] as Pair, isUsed: true, note };
		return { pair: [from, to], isUsed: false, note: `${note}; left out, because ${FILE} says that no request passes ${apart}` };
	});
}

function isApartByHand(service: string, { written, proposal }: Pick<Sources, 'written' | 'proposal'>) {
	const tier = ownOf(written.services, service)?.tier ?? OTHER;
	return tier === OTHER && (ownOf(proposal.services, service)?.tier ?? OTHER) !== OTHER;
}

function tiersOf(edges: Pair[], { observed, written, proposal }: Sources) {
	const onWay = reachable(written.entries, edges);
	const notes: string[] = [];
	const tiers: Map<string, string> = new Map();
	const names = [...new Set([...Object.keys(written.services), ...observed.services.map(({ service }) => service)])];
	for (const service of names) {
		const tier = ownOf(written.services, service)?.tier ?? OTHER;
		const { tier: proposed = null, likely = null } = ownOf(proposal.services, service) ?? {};
		const seen = observed.services.find((one) => one.service === service);
		const wanted = wantedTier({ service, tier, likely, seen, isOnWay: onWay.has(service), observed });
		const isByHand = tier !== (proposed ?? OTHER);
		const isKept = isByHand || (tier === 'app' && wanted === 'load-balancer');
		tiers.set(service, isKept ? tier : wanted);
		if (wanted === tier || seen === undefined) continue;
		const isProxy = wanted === 'load-balancer' && seen.passes_on;
		const spoken = isProxy
			? 'on the wire it asks what it is asked, and passes the answers on'
			: `on the wire it is asked in ${seen.protocol}`;
		const why = seen.protocol === '' ? placeText(service, observed) : spoken;
		notes.push(
			`in ${FILE}, ${service} is ${tierText(tier)}: ${why}; ${isByHand ? 'kept, as it was written by hand' : isKept ? 'kept, as an app may do so too' : `taken for ${tierText(wanted)}`}`,
		);
	}
	return { tiers: Object.fromEntries(tiers), notes };
}

function wantedTier({
	service,
	tier,
	likely,
	seen,
	isOnWay,
	observed,
}: {
	service: string;
	/** as written */
	tier: string;
	likely: Tier | null;
	seen: ObservedService | undefined;
	isOnWay: boolean;
	observed: Observed;
}): string {
	if (seen === undefined) return tier;
	if (!isOnWay) {
		const isSilent = observed.isComplete && seen.place !== 'way';
		return isSilent ? OTHER : tier;
	}
	const store = storeOf(seen.protocol);
	if (store !== null && !OBSERVED_SYSTEM_STORES.includes(tier)) {
		// It is asked in the language of a store, and asks one in it.
		const passesOn = observed.edges.some((edge) => edge.from === service && edge.needed && edge.protocol === seen.protocol);
		return passesOn ? 'pool' : store.tier;
	}
	// What only passes requests on is a proxy, whatever program it is.
	if (seen.passes_on && (tier === 'app' || (tier === OTHER && (likely ?? 'app') === 'app'))) return 'load-balancer';
	return tier === OTHER ? (likely ?? 'app') : tier;
}

/** As a request comes to them; those that none comes to are last. */
function inOrder(edges: Pair[], entries: string[]): Pair[] {
	const order = [...reachable(entries, edges)];
	const rankOf = ([from]: Pair) => (order.includes(from) ? order.indexOf(from) : order.length);
	return edges.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function reachable(starts: string[], edges: Pair[]) {
	const reached = new Set(starts);
	// A set gives what is added while it is walked.
	for (const service of reached) for (const [from, to] of edges) if (from === service) reached.add(to);
	return reached;
}

/** Users may enter where a service was found that asks nobody for them, while others of the file wait. */
function entryNotes({
	observed: { services },
	written: {
		entries: [entry, ...more],
	},
	proposal: { entries = [] },
}: Sources): string[] {
	const others = entries.filter(({ service }) => service !== entry);
	const isAlone = services.length > 1 && services.every(({ service, place }) => place !== 'way' || service === entry);
	if (more.length > 0 || !isAlone || others.length === 0 || entries[0].service !== entry) return [];
	const named = others.map(({ service, url }) => `${service} (${url})`).join(', ');
	return [`a request to ${entry} needs no other service, and users could also enter at ${named}: which of them is meant, no file says`];
}

const workerNotes = ({ services, edges }: Observed): string[] =>
	services
		.filter(({ place }) => place === 'worker')
		.map(
			({ service }) =>
				`no service asks ${service}: ${edges
					.filter(({ from }) => from === service)
					.map(edgeText)
					.join('; ')}`,
		);

function outsideText({ outside }: Observed) {
	if (outside.length === 0) return '';
	const reported = outside.map(
		({ from, name, address, port, protocol, connections }) =>
			`${from} asks ${name || address}:${port}${protocol === '' ? '' : ` (${protocol})`}, ${count(connections, 'connection')}`,
	);
	return `outside of the stack ${reported.join('; ')}`;
}

function placeText(service: string, { edges }: Observed) {
	const asked = edges.filter(({ from }) => from === service).map(({ to }) => to);
	return asked.length > 0 ? `on the wire nobody asks it, and it asks ${asked.join(', ')}` : 'on the wire it is not asked, and asks nobody';
}

function edgeText({ from, to, protocol, calls, connections }: ObservedEdge) {
	const reported = protocol === '' || protocol === 'unknown' ? '' : ` (${protocol})`;
	return `${from} asks ${to}${reported}, ${calls > 0 ? count(calls, 'call') : count(connections, 'connection')}`;
}

const tierText = (tier: string) => (tier === OTHER ? 'on the way of no request' : `a ${tier}`.replace(/^a app/, 'an app'));

const count = (times: number, what: string) => `${times.toLocaleString('en-US')} ${what}${times === 1 ? '' : 's'}`;
