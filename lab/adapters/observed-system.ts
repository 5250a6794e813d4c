/**
 * Who asks whom, and what each service is, from three sources: what `init` proposes from the Compose file, what doubletake.yaml says, and
 * what was seen on the wire. What the user changed by hand wins, and is doubted where the wire says otherwise; what was only proposed
 * gives way to what was seen. What was not seen is no proof that it is not there: a guess gives way where its caller was seen to ask
 * others, and nothing of the record is missing. What the file calls an app stays one, though it only passes requests on: an app may do that too,
 * for as long as it is asked nothing else. Pure.
 *
 * @typedef {[string, string]} Pair
 *
 * @typedef {object} Proposal       what init would write today
 * @property {{ service: string, url: string }[]} [entries]  where users could enter, the likeliest first; not in records of before
 * @property {{ from: string, to: string, reason: string }[]} edges
 * @property {Record<string, { tier: Tier | null, likely: Tier | null }>} services  likely: what it would be, were it on the way of a request
 *
 * @typedef {object} Written        what doubletake.yaml says
 * @property {string[]} entries     services
 * @property {Record<string, { tier: string, product: string }>} services  a tier that no request passes is `other`
 * @property {Pair[]} edges
 *
 * @typedef {object} Decided
 * @property {Pair[]} edges
 * @property {Record<string, string>} tiers  by service
 * @property {Record<string, string>} protocols  in which it is asked, of each that is asked
 * @property {string[]} notes       a sentence without its stop for each thing that differs
 * @property {string} outside       who asks whom that is none of the stack, as such a sentence; empty where nobody does
 *
 * @import { Observed, ObservedEdge, ObservedService } from '../wire/tenancy.ts'
 * @import { Tier } from './contract.ts'
 */

import { ownOf } from '../base/values.ts';

/**
 * What a service is that is asked in a protocol, as far as that tells: HTTP is spoken by services of every kind.
 *
 * @typedef {{ tier: Tier, product: string }} Spoken  product: of the adapter that reads what speaks it; empty where there is none
 */

/** @type {Record<string, Spoken>} */
const STORES = {
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

/**
 * Where the tiers alone say who asks whom: users ask the first tier that is there, and all of each tier all of the next.
 * @param {{ name: string, tier: string }[]} services
 * @returns {{ entries: string[], edges: Pair[] }}
 */
export function wayOfTiers(services) {
	const levels = ORDER.map((wanted) => services.flatMap(({ name, tier }) => (tier === wanted ? [name] : []))).filter(
		(names) => names.length > 0,
	);
	const pairs = levels
		.slice(1)
		.flatMap((level, index) => levels[index].flatMap((from) => level.map((to) => /** @type {Pair} */ ([from, to]))));
	return { entries: levels[0] ?? [], edges: pairs };
}

/** @param {string} protocol  of the wire @returns {Spoken | null} null where it does not tell */
export const storeOf = (protocol) => (Object.hasOwn(STORES, protocol) ? STORES[protocol] : null);

/** Of an edge that the code of a service gives, whose case may never come. */
export const IN_CODE = 'named in its code';
/** Reasons of init that no file gives: who starts after whom says little of who asks whom. */
const GUESSES = ['assumed', 'depends_on', IN_CODE];
const OTHER = 'other';
const OBSERVED_SYSTEM_STORES = ['pool', 'queue', 'cache', 'database'];
const FILE = 'doubletake.yaml';

/**
 * @param {{ observed: Observed, written: Written, proposal: Proposal }} sources
 * @returns {Decided}
 */
export function decide({ observed, written, proposal }) {
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

/** @param {Written} written */
const tiersIn = ({ services }) => Object.fromEntries(Object.entries(services).map(([service, { tier }]) => [service, tier]));

/** @typedef {{ observed: Observed, written: Written, proposal: Proposal }} Sources */

/** @param {Pair} pair @param {Sources} sources @returns {{ isKept: boolean, note?: string }} */
function fateOf([from, to], { observed, written, proposal }) {
	const seen = observed.edges.find((edge) => edge.from === from && edge.to === to);
	if (seen) return { isKept: true };
	const reason = proposal.edges.find((edge) => edge.from === from && edge.to === to)?.reason;
	const isGuess = reason !== undefined && GUESSES.includes(reason);
	// It was seen whom its caller asks for users, and it is not this one.
	const isRefuted = isGuess && observed.isComplete && observed.edges.some((edge) => edge.needed && edge.from === from);
	const said = `in ${FILE}, not seen on the wire: ${from} asks ${to}${isGuess ? ` (${reason === 'assumed' ? 'assumed' : `only ${reason}`})` : ''}`;
	if (isRefuted) return { isKept: false, note: `${said}; left out` };
	// Of a service that no request passes nothing is claimed.
	const isOnWay = (/** @type {string} */ service) => (ownOf(written.services, service)?.tier ?? OTHER) !== OTHER;
	return { isKept: true, note: isOnWay(from) && isOnWay(to) ? `${said}; kept` : undefined };
}

/** @param {Sources} sources @returns {{ pair: Pair, isUsed: boolean, note: string }[]} needed edges that the file does not have */
function addedEdges({ observed, written, proposal }) {
	const missing = observed.edges.filter(
		({ from, to, needed }) => needed && !written.edges.some(([one, other]) => one === from && other === to),
	);
	return missing.map((edge) => {
		const { from, to } = edge;
		const apart = [from, to].find((service) => isApartByHand(service, { written, proposal }));
		const note = `seen on the wire, not in ${FILE}: ${edgeText(edge)}`;
		if (apart === undefined) return { pair: /** @type {Pair} */ ([from, to]), isUsed: true, note };
		return { pair: [from, to], isUsed: false, note: `${note}; left out, because ${FILE} says that no request passes ${apart}` };
	});
}

/** @param {string} service @param {Pick<Sources, 'written' | 'proposal'>} sources */
function isApartByHand(service, { written, proposal }) {
	const tier = ownOf(written.services, service)?.tier ?? OTHER;
	return tier === OTHER && (ownOf(proposal.services, service)?.tier ?? OTHER) !== OTHER;
}

/** @param {Pair[]} edges @param {Sources} sources */
function tiersOf(edges, { observed, written, proposal }) {
	const onWay = reachable(written.entries, edges);
	/** @type {string[]} */
	const notes = [];
	/** @type {Map<string, string>} */
	const tiers = new Map();
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

/**
 * @param {object} about
 * @param {string} about.service
 * @param {string} about.tier  as written
 * @param {Tier | null} about.likely
 * @param {ObservedService | undefined} about.seen
 * @param {boolean} about.isOnWay
 * @param {Observed} about.observed
 * @returns {string}
 */
function wantedTier({ service, tier, likely, seen, isOnWay, observed }) {
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

/** As a request comes to them; those that none comes to are last. @param {Pair[]} edges @param {string[]} entries @returns {Pair[]} */
function inOrder(edges, entries) {
	const order = [...reachable(entries, edges)];
	const rankOf = (/** @type {Pair} */ [from]) => (order.includes(from) ? order.indexOf(from) : order.length);
	return edges.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** @param {string[]} starts @param {Pair[]} edges */
function reachable(starts, edges) {
	const reached = new Set(starts);
	// A set gives what is added while it is walked.
	for (const service of reached) for (const [from, to] of edges) if (from === service) reached.add(to);
	return reached;
}

/** Users may enter where a service was found that asks nobody for them, while others of the file wait. @param {Sources} sources @returns {string[]} */
function entryNotes({
	observed: { services },
	written: {
		entries: [entry, ...more],
	},
	proposal: { entries = [] },
}) {
	const others = entries.filter(({ service }) => service !== entry);
	const isAlone = services.length > 1 && services.every(({ service, place }) => place !== 'way' || service === entry);
	if (more.length > 0 || !isAlone || others.length === 0 || entries[0].service !== entry) return [];
	const named = others.map(({ service, url }) => `${service} (${url})`).join(', ');
	return [`a request to ${entry} needs no other service, and users could also enter at ${named}: which of them is meant, no file says`];
}

/** @param {Observed} observed @returns {string[]} */
const workerNotes = ({ services, edges }) =>
	services
		.filter(({ place }) => place === 'worker')
		.map(
			({ service }) =>
				`no service asks ${service}: ${edges
					.filter(({ from }) => from === service)
					.map(edgeText)
					.join('; ')}`,
		);

/** @param {Observed} observed */
function outsideText({ outside }) {
	if (outside.length === 0) return '';
	const reported = outside.map(
		({ from, name, address, port, protocol, connections }) =>
			`${from} asks ${name || address}:${port}${protocol === '' ? '' : ` (${protocol})`}, ${count(connections, 'connection')}`,
	);
	return `outside of the stack ${reported.join('; ')}`;
}

/** @param {string} service @param {Observed} observed */
function placeText(service, { edges }) {
	const asked = edges.filter(({ from }) => from === service).map(({ to }) => to);
	return asked.length > 0 ? `on the wire nobody asks it, and it asks ${asked.join(', ')}` : 'on the wire it is not asked, and asks nobody';
}

/** @param {ObservedEdge} edge */
function edgeText({ from, to, protocol, calls, connections }) {
	const reported = protocol === '' || protocol === 'unknown' ? '' : ` (${protocol})`;
	return `${from} asks ${to}${reported}, ${calls > 0 ? count(calls, 'call') : count(connections, 'connection')}`;
}

/** @param {string} tier */
const tierText = (tier) => (tier === OTHER ? 'on the way of no request' : `a ${tier}`.replace(/^a app/, 'an app'));

/** @param {number} times @param {string} what */
const count = (times, what) => `${times.toLocaleString('en-US')} ${what}${times === 1 ? '' : 's'}`;
