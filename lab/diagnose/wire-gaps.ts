/**
 * What the record of the wire does not have, and the edges that it may miss calls of: what a network's capture lost, and what no decoder read.
 */

import type { WireGap } from '../record/types.js';
import { count, many } from '../stats/figure-words.ts';
import type { NetworkRecord } from '../wire/record.ts';
import { HOST } from '../wire/tenancy.ts';
import type { Lined } from './joins/joined.ts';

type Edge = { from: string; to: string };

/** More than a sentence holds. */
const NAMED_MOST = 6;

/** @param expected by the names that figures have, observed or not */
export function gapsOf(lined: Lined, expected: Edge[]): WireGap[] {
	const where = new Networks(lined, expected);
	return [...lined.wire.networks.flatMap((network) => ofNetwork(network, where)), ...lateOf(lined), ...ofDecoders(lined)];
}

/** Which edges pass which networks. A record from before does not say which network an address is of: then it may be any. */
class Networks {
	#lines;
	#expected;
	/** Of each name. */
	#joined: Map<string, Set<string>> = new Map();

	constructor({ wire, lines }: Lined, expected: Edge[]) {
		this.#lines = lines;
		this.#expected = expected;
		for (const { name, network } of wire.services)
			if (network !== undefined) this.#joined.set(name, (this.#joined.get(name) ?? new Set()).add(network));
		for (const { network, members = [] } of wire.networks)
			for (const name of members) this.#joined.set(name, (this.#joined.get(name) ?? new Set()).add(network));
	}

	edgesOn(network: string): Edge[] {
		const observed = this.#lines.filter((line) => (line.network ?? network) === network);
		return unlike([...observed, ...this.#expected.filter((edge) => this.#mayPass(edge, network))]);
	}

	/** Whom no other network leads to is asked there, from wherever. */
	#mayPass({ from, to }: Edge, network: string) {
		const networks = [from, to].map((name) => this.#joined.get(name));
		return networks.every((own) => own?.has(network) ?? true) || networks.some((own) => own?.size === 1 && own.has(network));
	}
}

/** Each once; what the lab itself asks, it asks from the machine. */
const unlike = (edges: Edge[]): Edge[] => [
	...new Map(edges.filter(({ from }) => from !== HOST).map(({ from, to }) => [`${from} ${to}`, { from, to }])).values(),
];

function ofNetwork(network: NetworkRecord, where: Networks): WireGap[] {
	const lost = lostOf(network);
	// Of most networks nothing is, and their edges are not looked for.
	const edges = lost.length === 0 ? [] : where.edgesOn(network.network);
	return lost.map((one) => ({ ...one, edges }));
}

function lostOf({ network, unseen, members, ended_early: early, dropped, counters }: NetworkRecord): Pick<WireGap, 'kind' | 'text'>[] {
	if (unseen !== '') return [{ kind: 'unseen', text: members ? unseen : `${network} was not recorded: ${unseen}` }];
	const lost: (kind: WireGap['kind'], text: string) => Pick<WireGap, 'kind' | 'text'> = (kind, text) => ({ kind, text });
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

/** Connections whose beginning was not recorded. */
function lateOf({ lines }: Lined): WireGap[] {
	const midway = lines.filter(({ connection }) => connection.midway && connection.transport === 'tcp');
	const edges = unlike(midway);
	if (edges.length === 0) return [];
	return [{ kind: 'late', text: `the beginning of ${many(midway.length, 'connection')} was not recorded`, edges }];
}

function ofDecoders({ lines }: Lined): WireGap[] {
	/** Edges of connections, by protocol. */
	const faults: Map<string, Edge[]> = new Map();
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

/** @returns in a sentence */
export function gapText({ text, edges }: WireGap): string {
	const named = edges.slice(0, NAMED_MOST).map(({ from, to }) => `${from} → ${to}`);
	const more = edges.length > NAMED_MOST ? ` and ${count(edges.length - NAMED_MOST)} more` : '';
	return named.length === 0 ? text : `${text}; calls may be missing on ${named.join(', ')}${more}`;
}

/**
 * Whether calls may be missing on an edge.
 * @param kinds that count
 */
export const isTouched = (gaps: WireGap[], kinds: WireGap['kind'][], isIt: (edge: Edge) => boolean) =>
	gaps.some(({ kind, edges }) => kinds.includes(kind) && edges.some(isIt));
