/**
 * What the record of the wire does not have, and the edges that it may miss calls of: what a network's capture lost, and what no decoder read.
 *
 * @typedef {{ from: string, to: string }} Edge
 *
 * @import { WireGap } from '../record/types.js'
 * @import { NetworkRecord } from '../wire/record.ts'
 * @import { Lined } from './joins/joined.ts'
 */

import { count, many } from '../stats/figure-words.ts';
import { HOST } from '../wire/tenancy.ts';

/** More than a sentence holds. */
const NAMED_MOST = 6;

/**
 * @param {Lined} lined
 * @param {Edge[]} expected  by the names that figures have, observed or not
 * @returns {WireGap[]}
 */
export function gapsOf(lined, expected) {
	const where = new Networks(lined, expected);
	return [...lined.wire.networks.flatMap((network) => ofNetwork(network, where)), ...lateOf(lined), ...ofDecoders(lined)];
}

/** Which edges pass which networks. A record from before does not say which network an address is of: then it may be any. */
class Networks {
	#lines;
	#expected;
	/** Of each name. @type {Map<string, Set<string>>} */
	#joined = new Map();

	/** @param {Lined} lined @param {Edge[]} expected */
	constructor({ wire, lines }, expected) {
		this.#lines = lines;
		this.#expected = expected;
		for (const { name, network } of wire.services)
			if (network !== undefined) this.#joined.set(name, (this.#joined.get(name) ?? new Set()).add(network));
		for (const { network, members = [] } of wire.networks)
			for (const name of members) this.#joined.set(name, (this.#joined.get(name) ?? new Set()).add(network));
	}

	/** @param {string} network @returns {Edge[]} */
	edgesOn(network) {
		const observed = this.#lines.filter((line) => (line.network ?? network) === network);
		return unlike([...observed, ...this.#expected.filter((edge) => this.#mayPass(edge, network))]);
	}

	/** Whom no other network leads to is asked there, from wherever. @param {Edge} edge @param {string} network */
	#mayPass({ from, to }, network) {
		const networks = [from, to].map((name) => this.#joined.get(name));
		return networks.every((own) => own?.has(network) ?? true) || networks.some((own) => own?.size === 1 && own.has(network));
	}
}

/** Each once; what the lab itself asks, it asks from the machine. @param {Edge[]} edges @returns {Edge[]} */
const unlike = (edges) => [
	...new Map(edges.filter(({ from }) => from !== HOST).map(({ from, to }) => [`${from} ${to}`, { from, to }])).values(),
];

/** @param {NetworkRecord} network @param {Networks} where @returns {WireGap[]} */
function ofNetwork(network, where) {
	const lost = lostOf(network);
	// Of most networks nothing is, and their edges are not looked for.
	const edges = lost.length === 0 ? [] : where.edgesOn(network.network);
	return lost.map((one) => ({ ...one, edges }));
}

/** @param {NetworkRecord} network @returns {Pick<WireGap, 'kind' | 'text'>[]} */
function lostOf({ network, unseen, members, ended_early: early, dropped, counters }) {
	if (unseen !== '') return [{ kind: 'unseen', text: members ? unseen : `${network} was not recorded: ${unseen}` }];
	/** @type {(kind: WireGap['kind'], text: string) => Pick<WireGap, 'kind' | 'text'>} */
	const lost = (kind, text) => ({ kind, text });
	return [
		...(dropped === null ? [lost('dropped', `whether packets of ${network} were dropped is not known`)] : []),
		...(dropped
			? [lost('dropped', `${many(dropped, 'packet')} of ${network} ${dropped === 1 ? 'was' : 'were'} dropped by the kernel`)]
			: []),
		...(early === '' ? [] : [lost('ended', `the recording of ${network} ended before the load: ${early}`)]),
		...(counters?.broken ? [lost('ended', `the capture of ${network} could not be read to its end: ${counters.broken}`)] : []),
		...(counters?.is_cut ? [lost('ended', `the capture of ${network} ends within a packet`)] : []),
	];
}

/** Connections whose beginning was not recorded. @param {Lined} lined @returns {WireGap[]} */
function lateOf({ lines }) {
	const midway = lines.filter(({ connection }) => connection.midway && connection.transport === 'tcp');
	const edges = unlike(midway);
	if (edges.length === 0) return [];
	return [{ kind: 'late', text: `the beginning of ${many(midway.length, 'connection')} was not recorded`, edges }];
}

/** @param {Lined} lined @returns {WireGap[]} */
function ofDecoders({ lines }) {
	/** Edges of connections, by protocol. @type {Map<string, Edge[]>} */
	const faults = new Map();
	for (const { connection, from, to } of lines) {
		if (connection.fault === '') continue;
		const own = faults.get(connection.protocol) ?? [];
		own.push({ from, to });
		faults.set(connection.protocol, own);
	}
	return [...faults].map(([protocol, edges]) => ({
		kind: 'unread',
		text: `the decoder of ${protocol} failed in ${many(edges.length, 'connection')}`,
		edges: unlike(edges),
	}));
}

/** @param {WireGap} gap @returns {string} in a sentence */
export function gapText({ text, edges }) {
	const named = edges.slice(0, NAMED_MOST).map(({ from, to }) => `${from} → ${to}`);
	const more = edges.length > NAMED_MOST ? ` and ${count(edges.length - NAMED_MOST)} more` : '';
	return named.length === 0 ? text : `${text}; calls may be missing on ${named.join(', ')}${more}`;
}

/**
 * Whether calls may be missing on an edge.
 * @param {WireGap[]} gaps
 * @param {WireGap['kind'][]} kinds  that count
 * @param {(edge: Edge) => boolean} isIt
 */
export const isTouched = (gaps, kinds, isIt) => gaps.some(({ kind, edges }) => kinds.includes(kind) && edges.some(isIt));
