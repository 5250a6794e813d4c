/** All connections of a capture, told apart by their ends and their time: ports are used again. */

import { type Connection, Connection as ConnectionConnection, type ConnectionRecord } from './connection.ts';
import type { Call, Decoder } from './contract.ts';
import { Datagrams } from './datagrams.ts';
import type { ArpPacket, Packet, TcpPacket } from './packets.ts';

export type Sink = {
	/** the connection as far as it has come */
	call: (call: Call, connection: ConnectionRecord) => void;
	/** when it is over; after its calls */
	connection: (connection: ConnectionRecord) => void;
};

/** an address that was looked for on the network */
export type AskedHost = {
	source: string;
	target: string;
	/** times */
	asked: number;
	first_at: number;
	last_at: number;
	/** times */
	answered: number;
	/** first and last of questions in a row that nobody answered; a record from before has none */
	in_vain?: [from: number, to: number][];
};

export type Counters = {
	packets: number;
	/** packets that are none of those that are read */
	unread: number;
	/** packets of connections that are not known, and say nothing of them */
	stray: number;
	datagrams: number;
	first_at: number | null;
	last_at: number | null;
};

/**
 * Connections by both ends. Each packet looks for its own, so that no text is made for it: a pair of addresses has a list by both ports.
 *
 */

/** Of both ports in one whole number of 32 bits. */
const PORTS = 65_536;

class KnownConnections {
	/** By the client's address, the server's, and both ports. */
	#pairs: Map<string, Map<string, Map<number, Connection>>> = new Map();
	/** In the order in which they came. */
	#all: Set<Connection> = new Set();

	get size() {
		return this.#all.size;
	}

	get oldest(): Connection | undefined {
		return this.#all.values().next().value;
	}

	/** @returns one whose client sent it */
	from({ source, sourcePort, target, targetPort }: TcpPacket): Connection | undefined {
		return this.#pairs.get(source)?.get(target)?.get(keyOf(sourcePort, targetPort));
	}

	/** @returns one whose server sent it */
	to({ source, sourcePort, target, targetPort }: TcpPacket): Connection | undefined {
		return this.#pairs.get(target)?.get(source)?.get(keyOf(targetPort, sourcePort));
	}

	/** @param connection between ends that have none */
	add(connection: Connection) {
		const { client, client_port: clientPort, server, server_port: serverPort } = connection.record;
		this.#all.add(connection);
		inMap(inMap(this.#pairs, client), server).set(keyOf(clientPort, serverPort), connection);
	}

	has(connection: Connection) {
		return this.#all.has(connection);
	}

	/** @param connection that is there */
	delete(connection: Connection) {
		const { client, client_port: clientPort, server, server_port: serverPort } = connection.record;
		this.#all.delete(connection);
		const servers = this.#pairs.get(client);
		const ports = servers?.get(server);
		ports?.delete(keyOf(clientPort, serverPort));
		// Whoever makes up addresses has one connection between each two.
		if (ports?.size === 0) servers?.delete(server);
		if (servers?.size === 0) this.#pairs.delete(client);
	}

	/** @returns in the order in which they came */
	all(): Iterable<Connection> {
		return this.#all;
	}

	clear() {
		this.#all.clear();
		this.#pairs.clear();
	}
}

const keyOf = (clientPort: number, serverPort: number) => (clientPort * PORTS + serverPort) | 0;

function inMap<Key, Inner>(maps: Map<Key, Map<any, Inner>>, key: Key): Map<any, Inner> {
	const known = maps.get(key);
	if (known) return known;
	const made = new Map();
	maps.set(key, made);
	return made;
}

/** What belongs to the end of a connection comes within it: an RST for an answer that nobody waits for. */
const LINGER_S = 1;
/** Connections at a time, as many as there are ports; what is asked for and never answered stays until the end. */
const KNOWN_MOST = 65_536;
/** Pairs of addresses; a stack has few. */
const HOSTS_MOST = 4096;
/** A kernel asks three times, a second apart, and gives up a second after (arp(7): mcast_solicit, retrans_time). */
const ROW_S = 2;
/** Rows of failed lookups; a service that is looked for all the time has one. */
const ROWS_MOST = 256;
/** As many that are over are left before they are taken out of the list. */
const SHORTEN_AT = 4096;

export class Connections {
	counters: Counters = { packets: 0, unread: 0, stray: 0, datagrams: 0, first_at: null, last_at: null };
	#decoders;
	#sink;
	#nextId;
	#datagrams;
	#known = new KnownConnections();
	/** Addresses with a port that were asked for a connection. */
	#servers: Set<string> = new Set();
	/** In the order in which they ended; what was told is taken out. */
	#over: (ConnectionConnection | null)[] = [];
	#overFirst = 0;
	#hosts: Map<string, AskedHost> = new Map();

	constructor(decoders: readonly Decoder[], sink: Sink, firstId: number = 1) {
		this.#decoders = decoders.filter(({ transport }) => transport === undefined);
		this.#sink = sink;
		this.#nextId = firstId;
		this.#datagrams = new Datagrams(
			decoders.filter(({ transport }) => transport === 'udp'),
			sink,
			() => this.#takeId(),
		);
	}

	get nextId() {
		return this.#nextId;
	}

	/** Addresses that were looked for. */
	get hosts() {
		return [...this.#hosts.values()];
	}

	take(packet: Packet | null) {
		const { counters } = this;
		counters.packets += 1;
		if (packet === null) {
			counters.unread += 1;
			return;
		}
		counters.first_at ??= packet.at;
		counters.last_at = packet.at;
		if (packet.kind === 'tcp') this.#takeTcp(packet);
		else if (packet.kind === 'arp') this.#takeArp(packet);
		else {
			counters.datagrams += 1;
			this.#datagrams.take(packet);
		}
	}

	/** The capture has ended: tells what is still open. */
	end() {
		for (const connection of this.#known.all()) this.#finish(connection, this.counters.last_at ?? 0);
		this.#datagrams.end();
		this.#known.clear();
		this.#over = [];
	}

	#takeTcp(packet: TcpPacket) {
		this.#finishOver(packet.at);
		if (packet.syn && !packet.ack) {
			this.#takeSyn(packet);
			return;
		}
		const forth = this.#known.from(packet);
		const known = forth ?? this.#known.to(packet);
		if (known) this.#give(known, packet, known === forth);
		else if (packet.length > 0 || (packet.syn && packet.ack)) this.#takeMidway(packet);
		else this.counters.stray += 1;
	}

	#takeId() {
		this.#nextId += 1;
		return this.#nextId - 1;
	}

	#takeSyn(packet: TcpPacket) {
		const known = this.#known.from(packet);
		if (known?.isSynAgain(packet)) {
			known.take(packet, 'client');
			return;
		}
		if (known) this.#leave(known, packet.at);
		if (this.#servers.size < KNOWN_MOST) this.#servers.add(`${packet.target}:${packet.targetPort}`);
		this.#make(packet, true, false).take(packet, 'client');
	}

	#takeMidway(packet: TcpPacket) {
		const isForth = !(packet.syn || this.#isFromServer(packet));
		this.#give(this.#make(packet, isForth, !packet.syn), packet, isForth);
	}

	/** Of a connection whose beginning was not seen. Ports that servers wait at are the lower ones. */
	#isFromServer({ source, sourcePort, target, targetPort }: TcpPacket) {
		const [isSource, isTarget] = [this.#servers.has(`${source}:${sourcePort}`), this.#servers.has(`${target}:${targetPort}`)];
		return isSource === isTarget ? sourcePort < targetPort : isSource;
	}

	#make({ source, sourcePort, target, targetPort, at }: TcpPacket, isForth: boolean, midway: boolean) {
		const id = this.#takeId();
		const about = isForth
			? { id, client: source, client_port: sourcePort, server: target, server_port: targetPort, at, midway }
			: { id, client: target, client_port: targetPort, server: source, server_port: sourcePort, at, midway };
		const connection = new ConnectionConnection(about, this.#decoders, this.#sink.call);
		this.#known.add(connection);
		const { oldest } = this.#known;
		if (this.#known.size > KNOWN_MOST && oldest) this.#leave(oldest, at);
		return connection;
	}

	#give(connection: ConnectionConnection, packet: TcpPacket, isForth: boolean) {
		const wasOver = connection.overAt !== null;
		connection.take(packet, isForth ? 'client' : 'server');
		if (!wasOver && connection.overAt !== null) this.#over.push(connection);
	}

	#finishOver(now: number) {
		while (this.#overFirst < this.#over.length) {
			const connection = this.#over[this.#overFirst] as ConnectionConnection;
			if (now - (connection.overAt ?? now) < LINGER_S) break;
			this.#over[this.#overFirst] = null;
			this.#overFirst += 1;
			// Another may have its ports by now.
			if (this.#known.has(connection)) this.#leave(connection, now);
		}
		if (this.#overFirst < SHORTEN_AT) return;
		this.#over.splice(0, this.#overFirst);
		this.#overFirst = 0;
	}

	#leave(connection: ConnectionConnection, at: number) {
		this.#known.delete(connection);
		this.#finish(connection, at);
	}

	#finish(connection: ConnectionConnection, at: number) {
		this.#sink.connection(connection.finish(at));
	}

	#takeArp({ at, source, target, isQuestion }: ArpPacket) {
		const [asker, asked] = isQuestion ? [source, target] : [target, source];
		const key = `${asker}>${asked}`;
		const host = this.#hosts.get(key) ?? { source: asker, target: asked, asked: 0, first_at: at, last_at: at, answered: 0, in_vain: [] };
		if (!this.#hosts.has(key) && this.#hosts.size >= HOSTS_MOST) return;
		host.last_at = at;
		if (isQuestion) host.asked += 1;
		else host.answered += 1;
		const { in_vain: rows = [] } = host;
		const row = rows.at(-1);
		const isGoingOn = row !== undefined && at - row[1] <= ROW_S;
		if (!isQuestion && isGoingOn) rows.pop();
		else if (isQuestion && isGoingOn) row[1] = at;
		else if (isQuestion && rows.length < ROWS_MOST) rows.push([at, at]);
		this.#hosts.set(key, host);
	}
}
