/**
 * What is said without connections: datagrams between two ends, as far as a decoder reads them. A conversation begins with the first and
 * ends when nothing was said for a while.
 */

import { type ConnectionRecord, emptyRecord } from './connection.ts';
import type { Sink } from './connections.ts';
import type { Decoder } from './contract.ts';
import type { UdpPacket } from './packets.ts';
import { type ProtocolReader, readerOf } from './protocol-reader.ts';

type Flow = { record: ConnectionRecord; reader: ProtocolReader; last_at: number };

/** Resolvers ask again after 5 s from the same port; whoever comes later is another. */
const SILENT_S = 10;
/** At a time. */
const FLOWS_MOST = 4096;

export class Datagrams {
	#flows: Map<string, Flow> = new Map();
	#decoders;
	#sink;
	#nextId;

	/** @param decoders of datagrams */
	constructor(decoders: readonly Decoder[], sink: Sink, nextId: () => number) {
		this.#decoders = decoders;
		this.#sink = sink;
		this.#nextId = nextId;
	}

	take(packet: UdpPacket) {
		const { at, source, sourcePort, target, targetPort, payload, length } = packet;
		this.#endSilent(at);
		const forth = `${source}:${sourcePort}>${target}:${targetPort}`;
		const back = `${target}:${targetPort}>${source}:${sourcePort}`;
		const isBack = this.#flows.has(back);
		const key = isBack ? back : forth;
		const flow = this.#flows.get(key) ?? this.#begin(packet);
		// The one that was silent longest is the first.
		this.#flows.delete(key);
		this.#flows.set(key, flow);
		flow.last_at = at;
		const { record } = flow;
		record.last_at = at;
		if (isBack) record.server_bytes += length;
		else record.client_bytes += length;
		if (isBack) record.answered_at ??= at;
		else record.asked_at ??= at;
		flow.reader.take(isBack ? 'server' : 'client', { at, bytes: payload, hole: length - payload.length, turn: true });
	}

	/** The capture has ended. */
	end() {
		for (const flow of this.#flows.values()) this.#finish(flow);
		this.#flows.clear();
	}

	#begin({ at, source, sourcePort, target, targetPort }: UdpPacket): Flow {
		const ends = { client: source, client_port: sourcePort, server: target, server_port: targetPort };
		const record = emptyRecord({ id: this.#nextId(), ...ends, at, midway: false, transport: 'udp' });
		const reader = readerOf(this.#decoders, { midway: false, opened_at: at }, (call) => {
			record.calls += 1;
			record.protocol = reader.protocol;
			this.#sink.call(call, record);
		});
		if (this.#flows.size >= FLOWS_MOST) this.#endFirst();
		return { record, reader, last_at: at };
	}

	#endSilent(now: number) {
		for (const flow of this.#flows.values()) {
			if (now - flow.last_at < SILENT_S) return;
			this.#endFirst();
		}
	}

	#endFirst() {
		for (const [key, flow] of this.#flows) {
			this.#flows.delete(key);
			this.#finish(flow);
			return;
		}
	}

	#finish({ record, reader, last_at: at }: Flow) {
		reader.close({ at, by: null, how: 'open' });
		record.protocol = reader.protocol;
		record.unknown_bytes = reader.unknownBytes;
		record.fault = reader.fault;
		this.#sink.connection(record);
	}
}
