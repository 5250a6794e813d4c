/** The picture of the run: the tiers in the order that requests pass, how many passed between them, and where they were lost. */

import { GENERATOR_NAME } from '../base/paths.ts';
import type { Edge, EdgeOnWire, Failure, Flow, FlowEdge, Hop, Ledger, Tier, Wire } from '../record/types.js';
import { sum } from '../stats/numbers.ts';
import type { WireCall } from '../wire/record.ts';
import type { DatabaseFacts } from './database-rows.ts';
import type { GeneratorCounts } from './generator-counts.ts';
import type { Lined } from './joins/joined.ts';
import { Numbering } from './joins/spans.ts';
import { tableOf } from './ledger/entry-proxy.ts';
import type { Facts } from './ledger/facts.ts';
import { pooledNodes } from './ledger/hops.ts';
import type { Window } from './time/window.ts';
import { outsideIn } from './wire-outside.ts';

/**
 * The ledger's hops and edges with what the wire counted: of services that keep no record of their own, and beside those that do. A count
 * says which record it is from; where two records count the same thing, both stand, and wire-compare.ts says where they differ.
 *
 */

const WIRE_SOURCE = 'calls on the wire';

/**
 * @param wire of the same run
 * @returns with both; as it is where nothing was recorded
 */
export function withWire(
	ledger: Ledger,
	wire: Wire | null,
	lined: Lined | null,
	{ databases, window, failedIds }: Pick<Facts, 'databases' | 'window' | 'failedIds'>,
): Ledger {
	if (wire === null || lined === null) return ledger;
	const ways = waysOnWire(wire);
	const stores = databases.map(({ name }) => name);
	const apart = apartOn(lined, window, failedIds);
	const edges = ledger.edges.map((edge) => {
		const key = `${edge.from} ${edge.to}`;
		const [way, own] = [ways.get(key), apart.get(key)];
		const clientErrors = own?.turnedDown.all ?? 0;
		const whole = way && clientErrors > 0 ? { ...way, client_errors: clientErrors } : way;
		return edgeWith(edge, whole, stores.includes(edge.to), own?.loose);
	});
	return {
		...ledger,
		hops: ledger.hops.map((hop) => hopWith(hop, edges, apart)),
		edges,
		checks: [...ledger.checks, ...recordChecks(lined, edges)],
	};
}

/** @returns by both names; whatever the port */
function waysOnWire(wire: Pick<Wire, 'edges'>): Map<string, EdgeOnWire> {
	const ways: Map<string, EdgeOnWire> = new Map();
	for (const { from, to, connections, ends, bad, raced, unknown_bytes: unknown, hidden_bytes: hidden } of wire.edges) {
		const key = `${from} ${to}`;
		const way = ways.get(key) ?? {
			calls: 0,
			answered: 0,
			bad: 0,
			given_up: 0,
			broken_off: 0,
			open: 0,
			raced: 0,
			connections: 0,
			refused: 0,
			unread_bytes: 0,
		};
		ways.set(key, way);
		way.calls += sum(Object.values(ends));
		way.answered += ends.answered;
		way.bad += bad;
		way.given_up += ends['given-up'];
		way.broken_off += ends.closed + ends.reset + ends.cut;
		way.open += ends.open;
		way.raced += raced;
		way.connections += connections.opened;
		way.refused += connections.refused + connections.unanswered + connections.closed_unasked;
		way.unread_bytes += unknown + hidden;
	}
	return ways;
}

/** What was said there, and cannot be counted: of another protocol, or behind TLS. */
const isUnread = ({ calls, unread_bytes: unread }: EdgeOnWire) => calls === 0 && unread > 0;

/**
 * @param isStore it is asked, by one that counts requests, several times for each
 * @param loose calls that are of no request
 */
function edgeWith(edge: Edge, way: EdgeOnWire | undefined, isStore: boolean, loose?: Loose): Edge {
	// What is not there may have gone another way than over the run's networks.
	if (way === undefined) return { ...edge, wire: null };
	const isCounted = edge.sent !== null || edge.received !== null;
	if (isUnread(way) || (isStore && isCounted)) return { ...edge, wire: way };
	const calls = way.calls - (loose?.calls ?? 0);
	const sent = edge.sent === null ? { sent: calls, sent_source: WIRE_SOURCE } : {};
	// On a connection that the callee had closed nothing reaches it.
	const received = edge.received === null ? { received: calls - way.raced, received_source: WIRE_SOURCE } : {};
	const isOnlyWires = edge.sent === null && edge.received === null;
	return { ...edge, ...sent, ...received, unseen: isOnlyWires ? way.raced : edge.unseen, wire: way };
}

type Loose = { calls: number; answered: number; bad: number };

/** answers: without loose ones */
type Apart = { calls: number; loose: Loose; turnedDown: { answers: number; all: number; connections: number } };

/**
 * What the counts of an edge do not tell apart. Calls that carry no id of a request, where most others there do, are of none: health checks, and what a
 * service asks by itself. And what is no fault of who answers, and no good answer either: a status from 400 on, as logs of proxies count errors, but of
 * what the load asked, which judged by itself; and connections that it did not let in, which carried no question.
 * @param window what began in it counts
 * @param failedIds of requests that failed by the generator's own record
 * @returns by both names
 */
function apartOn({ wire: { calls }, lines, lineAt }: Lined, window: Window, failedIds: Set<string> | null): Map<string, Apart> {
	const all: Map<string, Apart> = new Map();
	const down: { own: Apart; call: WireCall }[] = [];
	for (let index = 0; index < calls.length; index += 1) {
		const call = calls[index];
		const { status, bad, role = 'call', began_at: began } = call;
		if (lineAt[index] < 0 || began < window.from || began > window.to) continue;
		const { from, to } = lines[lineAt[index]];
		const key = `${from} ${to}`;
		const own = all.get(key) ?? { calls: 0, loose: { ...NONE_LOOSE }, turnedDown: { answers: 0, all: 0, connections: 0 } };
		all.set(key, own);
		if (role === 'connect' && bad) own.turnedDown.connections += 1;
		if (role === 'call') countLoose(own, call);
		const isJudged = from === GENERATOR_NAME && failedIds !== null && call.id !== undefined;
		if (!bad && !isJudged && (status ?? 0) >= TURNED_DOWN_FROM) down.push({ own, call });
	}
	for (const own of all.values()) if (own.loose.calls > own.calls * LOOSE_MOST) own.loose = { ...NONE_LOOSE };
	for (const { own, call } of down) {
		if (call.end === 'answered') own.turnedDown.all += 1;
		if (call.id !== undefined || own.loose.calls === 0) own.turnedDown.answers += 1;
	}
	return all;
}
const NONE_LOOSE = Object.freeze({ calls: 0, answered: 0, bad: 0 });
const TURNED_DOWN_FROM = 400;
/** Of the calls of an edge: of more, its caller hands no ids on. */
const LOOSE_MOST = 0.5;

/** @param own is changed */
function countLoose(own: Apart, { id, end, bad }: WireCall) {
	own.calls += 1;
	if (id !== undefined) return;
	own.loose.calls += 1;
	if (end !== 'answered') return;
	own.loose.answered += 1;
	if (bad) own.loose.bad += 1;
}

/** Of a service that counts nothing itself. */
function hopWith(hop: Ledger['hops'][number], edges: Edge[], apart: Map<string, Apart>): Ledger['hops'][number] {
	const { service, received, answered_ok, answered_error, aborted } = hop;
	const asking = edges.filter(({ to }) => to === service);
	const ways = asking.flatMap(({ wire }) => wire ?? []);
	const isSilent = [received, answered_ok, answered_error, aborted].every((count) => count === null);
	if (!isSilent || ways.length === 0 || ways.length < asking.length || ways.some(isUnread)) return hop;
	const parts = asking.flatMap(({ from, to }) => apart.get(`${from} ${to}`) ?? []);
	const total = (of: (way: EdgeOnWire) => number) => sum(ways.map(of));
	const ofParts = (of: (part: Apart) => number) => sum(parts.map(of));
	const connections = ofParts(({ turnedDown }) => turnedDown.connections);
	const answers = ofParts(({ turnedDown }) => turnedDown.answers);
	const loose = ofParts((part) => part.loose.calls);
	const badLoose = ofParts((part) => part.loose.bad);
	const answeredLoose = ofParts((part) => part.loose.answered);
	return {
		...hop,
		source: WIRE_SOURCE,
		received: total(({ calls, raced }) => calls - raced) + connections - loose,
		answered_ok: total(({ answered, bad }) => answered - bad) - answers - (answeredLoose - badLoose),
		answered_error: total(({ bad }) => bad) + answers + connections - badLoose,
		aborted: total((way) => way.given_up + way.broken_off + way.open - way.raced) - (loose - answeredLoose),
		...(loose > 0 ? { left_out: loose } : {}),
	};
}

/**
 * Whether the record is whole: what a connection counted as it was decoded is there call by call. One that ends early has calls without
 * their connection, or connections without calls.
 * @returns of each edge that the wire saw
 */
function recordChecks({ wire: { calls }, lines, lineAt }: Lined, edges: Edge[]): Ledger['checks'] {
	const onRecord = new Int32Array(lines.length);
	for (let call = 0; call < calls.length; call += 1) if (lineAt[call] >= 0) onRecord[lineAt[call]] += 1;
	let known = 0;
	const ways: { counted: number; reported: number }[] = [];
	const numbers = new Numbering();
	for (let place = 0; place < lines.length; place += 1) {
		const { from, to, connection } = lines[place];
		const number = numbers.of(from, to);
		ways[number] ??= { counted: 0, reported: 0 };
		const way = ways[number];
		way.counted += connection.calls;
		way.reported += onRecord[place];
		known += onRecord[place];
	}
	const each = edges.flatMap(({ from, to, wire }) => {
		const way = ways[numbers.of(from, to)];
		return wire && way
			? [equal(`the network record has every call on the connections from ${from} to ${to}`, way.reported, way.counted)]
			: [];
	});
	return [...each, equal('every call in the network record belongs to a recorded connection', known, calls.length)];
}

const equal = (statement: string, left: number, right: number): Ledger['checks'][number] => ({
	statement,
	left,
	right,
	may_differ: 0,
	holds: left === right,
});

const TIER_ORDER = ['generator', 'load-balancer', 'app', 'pool', 'cache', 'database', 'queue'];

/** @param wire of the same run */
export function flowOf(facts: Facts, { hops, edges, failures }: Ledger, wire: Pick<Wire, 'edges' | 'outside'> | null = null): Flow {
	const { generator } = facts;
	const nodes = { ...facts.nodes, ...facts.workers };
	const reported = new Set(facts.hops.map(({ service }) => service));
	const served = sum(pooledNodes(facts).map((name) => nodes[name].received));
	const flowNodes = [...hops]
		.sort((one, other) => TIER_ORDER.indexOf(one.tier) - TIER_ORDER.indexOf(other.tier))
		.map(({ tier, service, received, answered_ok, answered_error }) => ({
			id: service,
			label: service,
			tier,
			// The picture speaks of requests; the pool's own count is of checkouts, several to a request.
			...(tier === 'pool' && !reported.has(service)
				? { received: served, answered_ok: null, answered_error: null }
				: { received, answered_ok, answered_error }),
			note: reported.has(service) && tier !== 'load-balancer' ? '' : noteOf(tier, service, facts, wire),
		}));
	const outlets = mergedOutlets(failures, reported).map(({ at, cause_title, count }) => ({
		at,
		cause_title,
		count,
		share: generator.finished === 0 ? 0 : count / generator.finished,
	}));
	const drawn = flowNodes.map(({ id }) => id);
	const beside = besideWay(new Map(failures.map((failure) => [placeIn(failure, reported), failure.tier])), drawn, wire);
	const others = outsideIn(wire?.outside ?? [], drawn);
	const counted = withoutCalls([...flowNodes, ...beside.nodes], [...throughPool(facts, edges, hops), ...beside.edges], wire?.edges ?? []);
	return { nodes: [...counted.nodes, ...others.nodes], edges: [...counted.edges, ...others.edges], outlets };
}

/**
 * Messages that nobody answers are no calls: where nothing else passed, nothing was counted, which is another thing than that nothing passed.
 */
function withoutCalls(nodes: Flow['nodes'], edges: FlowEdge[], ways: Wire['edges']): Pick<Flow, 'nodes' | 'edges'> {
	const isSaidAlone = ({ from, to }: FlowEdge) => {
		const own = ways.filter((way) => way.from === from && way.to === to);
		return own.every(({ calls }) => calls === 0) && own.some(({ beside }) => beside > 0);
	};
	const uncounted = edges.filter((edge) => edge.requests === 0 && edge.source === 'wire' && isSaidAlone(edge));
	const isUncounted = ({ id, received }: Flow['nodes'][number]) => received === 0 && uncounted.some(({ to }) => to === id);
	return {
		nodes: nodes.map((node) => (isUncounted(node) ? { ...node, received: null, answered_ok: null, answered_error: null } : node)),
		edges: edges.map((edge) => (uncounted.includes(edge) ? { from: edge.from, to: edge.to, requests: null, share: null } : edge)),
	};
}

/**
 * Who lost requests that never passed it, such as a worker that takes jobs from a queue: beside the way, with what passed between it and
 * services there by the wire; bound to nothing where that is not on record.
 * @param tiers of all that lost requests
 * @param drawn services
 */
function besideWay(tiers: Map<string, Tier>, drawn: string[], wire: Pick<Wire, 'edges'> | null): Pick<Flow, 'nodes' | 'edges'> {
	const names = [...tiers.keys()].filter((name) => !drawn.includes(name));
	const edges = (wire === null ? [] : [...waysOnWire(wire)]).flatMap(([key, way]) => {
		const [from, to] = key.split(' ');
		const isBetween = (names.includes(from) && drawn.includes(to)) || (drawn.includes(from) && names.includes(to));
		return isBetween ? [{ ...passedOn(unreported(from, to, way), false), share: null }] : [];
	});
	const nodes = names.map((name) => ({
		...{ id: name, label: name, tier: tiers.get(name) as Flow['nodes'][number]['tier'] },
		...{ received: null, answered_ok: null, answered_error: null, note: '' },
	}));
	return { nodes, edges };
}

/**
 * Where it is drawn: what several share, at the first of them; a pool that is inside its node, by itself.
 * @param reported services with a record of their own
 */
const placeIn = ({ tier, service }: Pick<Failure, 'tier' | 'service'>, reported: Set<string>) =>
	tier === 'pool' && !reported.has(service) ? 'pool' : service.split(', ')[0];

/** That the wire alone counts. */
const unreported = (from: string, to: string, way: EdgeOnWire): Edge =>
	edgeWith({ from, to, sent: null, sent_source: '', received: null, received_source: '', unseen: null }, way, false);

/** A trigger that several nodes share is drawn at the first of them; one that several made more of, once. */
function mergedOutlets(failures: Failure[], reported: Set<string>): { at: string; cause_title: string; count: number }[] {
	const outlets: Map<string, { at: string; cause_title: string; count: number }> = new Map();
	for (const failure of failures) {
		const { service, cause_title, count } = failure;
		const at = placeIn(failure, reported);
		const title = service.includes(', ') ? `${service}: ${cause_title}` : cause_title;
		const known = outlets.get(`${at} ${title}`);
		outlets.set(`${at} ${title}`, { at, cause_title: title, count: count + (known?.count ?? 0) });
	}
	return [...outlets.values()];
}

/** The picture has the pools as one box between nodes and database. */
function throughPool(facts: Facts, edges: Edge[], hops: Hop[]): FlowEdge[] {
	const stores = facts.databases.map(({ name }) => name);
	const names = Object.keys(facts.nodes);
	const nodes = { ...facts.nodes, ...facts.workers };
	const pooled = pooledNodes(facts);
	const served = sum(names.map((name) => nodes[name].received));
	const drawn = edges
		.filter(({ from, to }) => !(pooled.includes(from) && stores.includes(to)))
		.map((edge) => {
			const isNode = names.includes(edge.to);
			return { ...passedOn(edge, isNode), share: isNode ? share(edge.received ?? 0, served) : null };
		});
	const asked = [...new Set(edges.filter(({ from, to }) => pooled.includes(from) && stores.includes(to)).map(({ to }) => to))];
	if (asked.length === 0) return drawn;
	return [
		...drawn,
		...pooled.map((name) => ({ from: name, to: 'pool', requests: nodes[name].received, share: null })),
		...asked.map((name) => ({ from: 'pool', to: name, ...reached(hops, name), share: null })),
	];
}

function reached(hops: Hop[], name: string): Pick<FlowEdge, 'requests' | 'source'> {
	const hop = hops.find(({ service }) => service === name);
	return { requests: hop?.received ?? null, ...(hop?.source === WIRE_SOURCE ? { source: 'wire' } : {}) };
}

/**
 * By a record of one of its ends where there is one, else by the wire. Who hands out and keeps no count of it is counted by those who took.
 * @param isNode to: counts what it receives itself
 */
function passedOn({ from, to, sent, sent_source, received, received_source, wire }: Edge, isNode: boolean): Omit<FlowEdge, 'share'> {
	const ends = [
		{ requests: sent, by: sent_source },
		{ requests: received, by: received_source },
	];
	const counted = (isNode ? ends.slice(1) : ends).filter(({ requests }) => requests !== null);
	const found = counted.find(({ by }) => by !== WIRE_SOURCE) ?? counted[0];
	if (found === undefined) return { from, to, requests: null, ...(wire ? { connections: wire.connections } : {}) };
	if (found.by !== WIRE_SOURCE) return { from, to, requests: found.requests };
	return { from, to, requests: found.requests, source: 'wire', ...(wire && wire.unread_bytes > 0 ? { at_least: true } : {}) };
}

const share: (part: number, whole: number) => number | null = (part, whole) => (whole === 0 ? null : part / whole);

function writtenWords({ set }: DatabaseFacts, program: object | null): string {
	if (set !== null) return 'operations';
	return `${program ? 'records' : 'documents'} inserted`;
}

function noteOf(
	tier: string,
	service: string,
	{ nodes: own, workers, entryProxy, databases, generator, raw }: Facts,
	wire: Pick<Wire, 'edges'> | null,
): string {
	if (tier === 'pool') {
		const nodes = { ...own, ...workers };
		const checkouts = sum(Object.values(nodes).map((node) => node.checkouts));
		const waited = sum(Object.values(nodes).map((node) => node.waitMs));
		return `${checkouts.toLocaleString('en-US')} checkouts${checkouts > 0 ? `, mean wait ${(waited / checkouts).toFixed(1)} ms` : ''}`;
	}
	const slots = entryProxy && tableOf(entryProxy)?.size;
	if (tier === 'load-balancer' && slots) return `${slots.toLocaleString('en-US')} connection slots`;
	const database = databases.find(({ name }) => name === service);
	if (tier === 'database' && database) {
		const refused = database.rejected ? database.rejected.after - database.rejected.before : null;
		return refused === null ? writtenWords(database, raw.program) : `refused ${refused.toLocaleString('en-US')} connections`;
	}
	if (tier === 'generator') {
		const expected = expectedOn(wire, generator);
		return [
			...(generator.unanswered > 0 ? [`${generator.unanswered.toLocaleString('en-US')} never answered`] : []),
			...(expected > 0 ? [`${expected.toLocaleString('en-US')} of them with an expected error`] : []),
		].join('; ');
	}
	return '';
}

/** Answers with a status of an error that the load takes for good; every other tier counts them with an error. */
function expectedOn(wire: Pick<Wire, 'edges'> | null, { name, status }: GeneratorCounts) {
	const ways = wire?.edges.filter(({ from }) => from === name) ?? [];
	const answered = sum(ways.flatMap(({ statuses }) => ERRORS.map((one) => statuses[one] ?? 0)));
	const failed = sum(Object.entries(status).flatMap(([one, count]) => (Number(one) >= TURNED_DOWN_FROM ? count : [])));
	return answered - failed;
}
/** As the wire's edges have them. */
const ERRORS = ['4xx', '5xx'];
