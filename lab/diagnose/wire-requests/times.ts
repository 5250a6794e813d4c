/**
 * Where the time of good requests went, as it passed the networks: each service had a request for as long as the call that brought it took,
 * less the calls that it made for it meanwhile. Calls that went on at once share the time in which they did, so that the services' parts sum to
 * the whole.
 *
 * @typedef {Record<string, number> & { n: number, whole: number }} Sums  milliseconds over good requests, by part; n: how many
 *
 * @typedef {object} Times
 * @property {WireTime} reported
 * @property {Map<number, Sums>} bySecond   of the load, in which they ended
 *
 * @typedef {{ part: string, depth: number, ms: number, ambiguous_ms: number }} ServiceSums
 * @typedef {{ from: string, to: string, depth: number, ms: number, ambiguous_ms: number, calls: number, unjoined: number, unjoined_ms: number }} EdgeSums
 * @typedef {{ from: string, to: string, service: ServiceSums | null, edge: EdgeSums | null }} Named
 *
 * @import { TimeLedger, Wire, WireTime } from '../../record/types.js'
 * @import { Tenure } from '../../wire/record.ts'
 * @import { Facts } from '../ledger/facts.ts'
 * @import { Trees } from './trees.ts'
 */

import { rounded } from '../../stats/numbers.ts';
import { Numbering } from '../joins/spans.ts';
import { DEPTH_MOST } from './trees.ts';

const MILLI = 1000;

/** The id of its part. @param {string} service */
const partOf = (service) => `in ${service}`;

/**
 * @param {Trees} trees
 * @param {{ from: number, to: number }} window
 * @param {{ serviceOf: (name: string) => string, tierOf: (service: string) => WireTime['services'][number]['tier'] }} names  serviceOf: of a container
 * @returns {Times | null} null where no good request was recorded to its end
 */
function timesOf(trees, window, names) {
	const { calls, requests, isFailed } = trees;
	const good = requests.filter((request) => !isFailed(request) && calls[request].ended_at !== null);
	if (good.length === 0) return null;
	const book = new Book(trees, names);
	/** @type {Map<number, Sums>} */
	const bySecond = new Map();
	for (const request of good) {
		const ended = /** @type {number} */ (calls[request].ended_at);
		const began = Math.min(calls[request].began_at, ended);
		const second = Math.ceil(ended - window.from);
		const sums = bySecond.get(second) ?? { n: 0, whole: 0 };
		bySecond.set(second, sums);
		sums.n += 1;
		sums.whole += (ended - began) * MILLI;
		book.add(request, { began, ended }, sums);
	}
	book.addUnjoined(window);
	return { reported: book.reported(good.length), bySecond };
}

/** @param {number} at @param {number} from @param {number} to */
const within = (at, from, to) => Math.min(to, Math.max(from, at));

class Book {
	#trees;
	#names;
	/** @type {Map<string, ServiceSums>} */
	#services = new Map();
	/** @type {Map<number, EdgeSums>} */
	#edges = new Map();
	#numbers = new Numbering();
	/** Of each call, as far as it lies within what it was made for. @type {Float64Array} */
	#began;
	/** @type {Float64Array} */
	#ended;
	/** Of its time, that is its own: others went on beside it. @type {Float64Array} */
	#share;
	/** 1: it may be another request's, or what it was made for may. @type {Uint8Array} */
	#isDoubted;

	/** @param {Trees} trees @param {Parameters<typeof timesOf>[2]} names */
	constructor(trees, names) {
		this.#trees = trees;
		this.#names = names;
		const column = () => new Float64Array(trees.calls.length);
		[this.#began, this.#ended, this.#share] = [column(), column(), column()];
		this.#isDoubted = new Uint8Array(trees.calls.length);
	}

	/** @param {number} request @param {{ began: number, ended: number }} span  of it @param {Sums} sums  is changed */
	add(request, { began, ended }, sums) {
		this.#began[request] = began;
		this.#ended[request] = ended;
		this.#share[request] = 1;
		this.#isDoubted[request] = 0;
		this.#trees.eachBelow(request, (call, depth) => this.#addCall(request, call, depth, sums));
	}

	/** @param {number} request @param {number} call  of it @param {number} depth @param {Sums} sums  is changed */
	#addCall(request, call, depth, sums) {
		const named = this.#edgeOf(call);
		const took = this.#ended[call] - this.#began[call];
		const inChildren = this.#spread(request, call, depth);
		const isDoubted = this.#isDoubted[call] === 1;
		const own = Math.max(0, took - inChildren) * this.#share[call] * MILLI;
		named.service ??= this.#service(named.to, depth);
		named.edge ??= this.#edge(named.from, named.to, depth);
		const { service, edge } = named;
		service.ms += own;
		service.ambiguous_ms += isDoubted ? own : 0;
		sums[service.part] = (sums[service.part] ?? 0) + own;
		edge.calls += 1;
		edge.ms += took * MILLI;
		edge.ambiguous_ms += isDoubted ? took * MILLI : 0;
	}

	/**
	 * Calls that were made for one, each as far as it lies within it, and with its share of the time in which any of them went on.
	 * @param {number} request @param {number} call  of it @param {number} depth
	 * @returns {number} that time, in seconds
	 */
	#spread(request, call, depth) {
		const { calls, joins, children } = this.#trees;
		const [from, to] = [this.#began[call], this.#ended[call]];
		const count = depth < DEPTH_MOST ? children.countOf(call) : 0;
		let union = 0;
		let all = 0;
		let until = Number.NEGATIVE_INFINITY;
		for (let place = 0; place < count; place += 1) {
			const child = children.at(call, place);
			if (child === request) continue;
			const began = within(calls[child].began_at, from, to);
			const ended = within(calls[child].ended_at ?? to, from, to);
			union += Math.max(0, ended - Math.max(began, until));
			until = Math.max(until, ended);
			all += ended - began;
			this.#began[child] = began;
			this.#ended[child] = ended;
			this.#isDoubted[child] = this.#isDoubted[call] === 1 || joins.ambiguous[child] === 1 ? 1 : 0;
		}
		const share = all > 0 ? (this.#share[call] * union) / all : 0;
		for (let place = 0; place < count; place += 1) if (children.at(call, place) !== request) this.#share[children.at(call, place)] = share;
		return union;
	}

	/** Calls of services that requests passed, and that belong to no request that is known. @param {{ from: number, to: number }} window */
	addUnjoined(window) {
		const { calls, joins, took_ms: took } = this.#trees;
		for (let call = 0; call < calls.length; call += 1) {
			if (joins.parent[call] >= 0) continue;
			const { began_at: at, role = 'call' } = calls[call];
			if (role !== 'call' || at < window.from || at > window.to) continue;
			const { from, to } = this.#edgeOf(call);
			const caller = this.#services.get(from);
			if (caller === undefined) continue;
			const edge = this.#edge(from, to, caller.depth + 1);
			edge.unjoined += 1;
			edge.unjoined_ms += took(call) ?? 0;
		}
	}

	/** @param {number} requests @returns {WireTime} */
	reported(requests) {
		const { tierOf } = this.#names;
		const each = (/** @type {number} */ ms) => rounded(ms / requests, 3) ?? 0;
		const whole = [...this.#services.values()].reduce((total, { ms }) => total + ms, 0);
		const shareOf = (/** @type {number} */ part, /** @type {number} */ of) => (of > 0 ? (rounded(part / of, 4) ?? 0) : 0);
		return {
			requests,
			mean_ms: each(whole),
			services: [...this.#services]
				.toSorted(([name, one], [otherName, other]) => one.depth - other.depth || (name < otherName ? -1 : 1))
				.map(([service, { ms, ambiguous_ms: ambiguous }]) => ({
					...{ service, tier: tierOf(service), ms: each(ms), share: shareOf(ms, whole), ambiguous_share: shareOf(ambiguous, ms) },
				})),
			edges: [...this.#edges.values()]
				.toSorted((one, other) => one.depth - other.depth || (one.from + one.to < other.from + other.to ? -1 : 1))
				.map(({ from, to, ms, ambiguous_ms: ambiguous, calls, unjoined, unjoined_ms: unjoinedMs }) => ({
					...{
						from,
						to,
						tier: tierOf(to),
						ms: each(ms),
						calls_per_request: rounded(calls / requests, 3) ?? 0,
						ambiguous_share: shareOf(ambiguous, ms),
					},
					...{ unjoined, unjoined_ms: each(unjoinedMs) },
				})),
		};
	}

	/** By services, with the sums of both once there are any. @param {number} call @returns {Named} */
	#edgeOf(call) {
		const edge = this.#trees.edgeOf(call);
		let own = this.#named.get(edge);
		if (own === undefined) {
			const { serviceOf } = this.#names;
			own = { from: serviceOf(edge.from), to: serviceOf(edge.to), service: null, edge: null };
			this.#named.set(edge, own);
		}
		return own;
	}
	/** @type {Map<ReturnType<Trees['edgeOf']>, Named>} */
	#named = new Map();

	/** @param {string} name @param {number} depth @returns {ServiceSums} */
	#service(name, depth) {
		const known = this.#services.get(name);
		if (known !== undefined) return known;
		const service = { part: partOf(name), depth, ms: 0, ambiguous_ms: 0 };
		this.#services.set(name, service);
		return service;
	}

	/** @param {string} from @param {string} to @param {number} depth @returns {EdgeSums} */
	#edge(from, to, depth) {
		const number = this.#numbers.of(from, to);
		const known = this.#edges.get(number);
		if (known !== undefined) return known;
		const edge = { from, to, depth, ms: 0, ambiguous_ms: 0, calls: 0, unjoined: 0, unjoined_ms: 0 };
		this.#edges.set(number, edge);
		return edge;
	}
}

/*
 * Where the time of good answers went by the wire alone, in the form in which services tell it (../time/hop-times.ts): a part for each service that
 * requests pass. What a service asked that cannot be read is in the service's own part, and its label says so.
 */

/**
 * @typedef {TimeLedger['parts'][number]} Part
 */

/**
 * @param {Trees | null} trees
 * @param {Wire | null} wire
 * @param {Pick<Facts, 'raw' | 'window' | 'tiers'>} facts
 * @returns {{ reported: WireTime, parts: Part[], bySecond: Map<number, Sums> } | null} null where
 *   no good request was recorded
 */
export function wireTimesOf(trees, wire, { raw, window, tiers }) {
	if (trees === null || wire === null || !raw.wire) return null;
	const services = servicesOf(raw.wire.services);
	const hosts = new Map((wire.outside ?? []).flatMap(({ addresses, name }) => addresses.map((address) => [address, name || address])));
	const serviceOf = (/** @type {string} */ name) => services.get(name) ?? hosts.get(name) ?? name;
	const tierOf = (/** @type {string} */ service) => {
		const tier = /** @type {string | undefined} */ (tiers.get(service));
		// Whom requests pass watches nothing, whatever the file says.
		return tier === 'observer' ? 'app' : /** @type {Part['tier']} */ (tier ?? 'outside');
	};
	const times = timesOf(trees, window, { serviceOf, tierOf });
	if (times === null) return null;
	const parts = times.reported.services.map(({ service, tier }) => ({
		id: partOf(service),
		label: `${partOf(service)}${behindText(unreadBehind(wire, service, serviceOf))}`,
		tier,
		waits: false,
	}));
	return { ...times, parts };
}

/** Containers of one service are one; any other has the name that its figures have. @param {Tenure[]} tenures @returns {Map<string, string>} by their names */
function servicesOf(tenures) {
	const all = new Map(tenures.map(({ name, service }) => [name, service]));
	const isShared = (/** @type {string} */ service) => [...all.values()].filter((other) => other === service).length > 1;
	return new Map([...all].filter(([, service]) => isShared(service)));
}

/** Whom it asked in a way that is not read. @param {Wire} wire @param {string} service @param {(name: string) => string} serviceOf */
function unreadBehind({ edges }, service, serviceOf) {
	const unread = edges.filter(
		({ from, calls, unknown_bytes: unknown, hidden_bytes: hidden }) => serviceOf(from) === service && calls === 0 && unknown + hidden > 0,
	);
	return [...new Set(unread.map(({ to }) => serviceOf(to)))];
}

/** @param {string[]} names */
const behindText = (names) => (names.length > 0 ? `, ${names.join(', ')} behind it included` : '');
