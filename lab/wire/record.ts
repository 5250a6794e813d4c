/**
 * The record of the wire in a run's `raw/`: JSON lines, packed. It keeps nothing of what was said (contract.ts). And how capture files are read, of
 * which it is made.
 *
 * The first line is `{"wire": 1, "zero": …}`; each other is an array that begins with its kind:
 * `["service", Tenure]`, a service and an address that it had, from and to;
 * `["network", NetworkRecord]`, what was counted on a network, and addresses that were asked for there;
 * `["connection", …]` and `["call", …]`, each with its row (rows.ts); a call has the number of its template, and `["templates", …]`, the
 * last line, has their texts.
 * Times of connections and calls are whole microseconds from `zero`, which is in seconds since 1970.
 */

import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { NotReadyError, writing } from '../base/errors.ts';
import { streamTo } from '../base/files.ts';
import { openPrivate } from '../base/private-file.ts';
import { secrets } from '../base/secrets.ts';
import type { ConnectionRecord } from './connection.ts';
import { type AskedHost, Connections, type Counters, type Sink } from './connections.ts';
import type { Call, Decoder } from './contract.ts';
import { Lines } from './lines.ts';
import { emptyTcp, readPacket, readPcap } from './packets.ts';
import { Blocks, CallColumns, ConnectionColumns, type WireCall } from './read-connections.ts';
import { Row } from './row.ts';
import { readCall, readConnection, writeCall, writeConnection } from './rows.ts';
import { TemplateBook } from './template-book.ts';
import { withoutStreams } from './turns.ts';

export type { WireCall };

/** is_cut, broken: as of readPcap */
type FileCounters = Counters & { is_cut: boolean; broken: string };

/** which container had an address when */
export type Tenure = {
	address: string;
	/** on which it had it; a record from before does not say */
	network?: string;
	/** Compose's name; of the machine itself `host` */
	service: string;
	/** what its figures are called */
	name: string;
	/** id; empty of the machine */
	container: string;
	/** seconds since 1970 */
	from: number;
	/** null: to the end */
	to: number | null;
};

export type NetworkRecord = {
	network: string;
	/** why it was not recorded, in a sentence; empty where it was */
	unseen: string;
	/** containers of the run on it, of one that is not the run's own */
	members?: string[];
	/** why its recording ended before the load did; empty where it did not */
	ended_early: string;
	/** packets that the kernel could not hand over; null where that is not known */
	dropped: number | null;
	/** that recording took, of one core; null where that is not known */
	cpu_s: number | null;
	counters: FileCounters | null;
	hosts: AskedHost[];
};

export type WireRecord = {
	services: Tenure[];
	networks: NetworkRecord[];
	connections: ConnectionRecord[];
	calls: WireCall[];
};

const WIRE_FORMAT = 1;

/** Bytes that wait to be packed. */
const WAITING_BYTES = 4 * 1024 * 1024;
/** Fast, and three quarters of what the slowest gains. */
const PACK_LEVEL = 4;
/** That are packed at a time: each piece is one more event beside the decoding. */
const PACKED_BYTES = 256 * 1024;

/** Writes a record as it is made. */
export class WireWriter {
	#zero;
	#templates = new TemplateBook();
	#pack = createGzip({ level: PACK_LEVEL, chunkSize: PACKED_BYTES });
	#path;
	#done;
	/** Whether the file is there by this. */
	#isMade = false;
	#lines = new Lines((bytes) => this.#pack.write(bytes));

	/**
	 * @param path of a file that is not there yet
	 * @param zero seconds since 1970, not after any time that is written
	 */
	constructor(path: string, zero: number) {
		this.#path = path;
		this.#zero = zero;
		const file = streamTo(path);
		file.once('open', () => {
			this.#isMade = true;
		});
		this.#done = finished(pipeline(this.#pack, file, () => {})).catch((error) => {
			throw writing(error, path);
		});
		// It is reported at the end.
		this.#done.catch(() => {});
		this.#lines.value({ wire: WIRE_FORMAT, zero });
	}

	service(tenure: Tenure) {
		this.#lines.value(['service', tenure]);
	}

	network(network: NetworkRecord) {
		this.#lines.value(JSON.parse(secrets.without(JSON.stringify(['network', network]))));
	}

	connection(connection: ConnectionRecord) {
		writeConnection(this.#lines, connection, this.#zero);
	}

	call(call: Call, { id }: ConnectionRecord) {
		writeCall(this.#lines, call, id, this.#templates.numberOf(call.template), this.#zero);
	}

	/** Waits until not much is waiting, or nothing can be written any more, as on a full disk: close() tells. */
	async drained() {
		if (this.#pack.destroyed || this.#pack.writableLength <= WAITING_BYTES) return;
		await new Promise((resolve) => {
			const go = () => {
				for (const event of ['drain', 'close']) this.#pack.off(event, go);
				resolve(undefined);
			};
			for (const event of ['drain', 'close']) this.#pack.on(event, go);
		});
	}

	/** @throws {Error} where it could not be written */
	async close() {
		this.#lines.value(['templates', this.#templates.texts()]);
		this.#lines.flush();
		this.#pack.end();
		await this.#done;
	}

	/** Instead of close(), where not all could be written: of a part nobody could tell what it lacks. */
	async abandon() {
		this.#pack.destroy();
		await this.#done.catch(() => {});
		if (this.#isMade) await rm(this.#path, { force: true });
	}
}

/**
 * @throws {WireRecordError} when there is none, or what is no whole record of this format: nobody can tell what a part of one lacks
 * @throws {NotReadyError} when a link is there
 */
export async function readWire(path: string): Promise<WireRecord> {
	const opened = openPrivate(path);
	if (opened === null) throw noRecord(path, 'no such file');
	const record: WireRecord = { services: [], networks: [], connections: [], calls: [] };
	let take: ReturnType<typeof takerOf> | null = null;
	const unpacked = createGunzip({ chunkSize: UNPACKED_BYTES });
	// What cannot be read ends the unpacking, which tells it.
	pipeline(createReadStream('', { fd: opened }), unpacked, () => {});
	try {
		for await (const lines of completeLines(unpacked)) {
			for (let at = 0; at < lines.length; ) {
				if (take !== null) at = take.line(lines, at);
				else {
					const text = textAt(lines, at);
					const line = JSON.parse(text);
					if (line?.wire !== WIRE_FORMAT) throw noRecord(path, text.slice(0, SHOWN_MOST).replaceAll(CONTROL, ' '));
					if (!Number.isFinite(line.zero)) throw noRecord(path, 'one without the time from which it counts');
					take = takerOf(record, line.zero);
					at = lines.indexOf(LINE, at) + 1;
				}
			}
		}
	} catch (error) {
		throw error instanceof NotReadyError ? error : noRecord(path, (error as Error).message);
	}
	if (take?.hasEnded() !== true) throw noRecord(path, 'no end of one');
	return withoutStreams(record);
}

/** At a time. */
const UNPACKED_BYTES = 256 * 1024;

/** Many at a time, for to wait for each costs more than to read it. What has no end at the end is not whole, and left out. */
async function* completeLines(chunks: AsyncIterable<Buffer>) {
	let rest: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of chunks) {
		const end = chunk.lastIndexOf(LINE) + 1;
		if (end > 0) {
			yield Buffer.concat([...rest, chunk.subarray(0, end)]);
			[rest, bytes] = [[], 0];
		}
		rest.push(chunk.subarray(end));
		bytes += chunk.length - end;
		if (bytes > LINE_MOST_BYTES) throw new RangeError(`a line of more than ${LINE_MOST_BYTES / 1e6} MB`);
	}
}
/** The longest has the texts of all templates. */
const LINE_MOST_BYTES = 64_000_000;

/** @param from where one begins */
const textAt = (lines: Buffer, from: number) => lines.toString('utf8', from, lines.indexOf(LINE, from));
const LINE = 10;

/** Of what was found. */
const SHOWN_MOST = 40;
/** It means something to a terminal. */
const CONTROL = /\p{Cc}+/gu;

/** What is no record of the wire, or not all of one. */
export class WireRecordError extends NotReadyError {
	found: string;

	constructor(path: string, found: string) {
		super(
			`${path}: expected a record of the wire of format ${WIRE_FORMAT}; found ${found}.`,
			'remove it, and the report is made without it.',
		);
		this.found = found;
	}
}

const noRecord = (path: string, found: string) => new WireRecordError(path, found);

/**
 * @param record is filled
 * @returns line: takes the one there, and says where the next begins
 */
function takerOf(record: WireRecord, zero: number): { line: (lines: Buffer, at: number) => number; hasEnded: () => boolean } {
	const row = new Row();
	const [call, connection] = [row.texts.numberOf(CALL, 0, CALL.length), row.texts.numberOf(CONNECTION, 0, CONNECTION.length)];
	const book = { texts: row.texts.all, templates: [] as string[] };
	const calls = new Blocks(() => new CallColumns(book));
	const connections = new Blocks(() => new ConnectionColumns(book));
	let hasEnded = false;
	const line = (lines: Buffer, at: number) => {
		const kind = row.begin(lines, at);
		if (kind === call) record.calls.push(readCall(row, calls.open(), zero));
		else if (kind === connection) record.connections.push(readConnection(row, connections.open(), zero));
		else {
			const [name, value] = listIn(textAt(lines, at));
			if (name === 'service') record.services.push(value);
			else if (name === 'network') record.networks.push(value);
			else if (name === 'templates') {
				book.templates = value;
				hasEnded = true;
			}
		}
		return row.end();
	};
	return { line, hasEnded: () => hasEnded };
}

/** @throws {SyntaxError} */
function listIn(text: string): [name: string, value: any] {
	const value = JSON.parse(text);
	if (!Array.isArray(value) || typeof value[1] !== 'object' || value[1] === null) throw new SyntaxError('a line that is no row of one');
	return value as [string, any];
}
const [CALL, CONNECTION] = [Buffer.from('call'), Buffer.from('connection')];

/**
 * Reads the capture files of a run: a file for each network, one after the other, for no connection is on two.
 * @returns for each file
 */
export async function decode(
	files: readonly { network: string; chunks: AsyncIterable<Buffer> }[],
	decoders: readonly Decoder[],
	sink: Sink,
): Promise<{ network: string; counters: FileCounters; hosts: AskedHost[] }[]> {
	const read = [];
	let firstId = 1;
	// Nobody keeps a packet, so that one is enough for all.
	const tcp = emptyTcp();
	for (const { network, chunks } of files) {
		const connections = new Connections(decoders, sink, firstId);
		const end = await readPcap(chunks, (at, bytes, length, link, from, to) => {
			connections.take(readPacket(at, bytes, length, link, from, to, tcp));
		});
		connections.end();
		firstId = connections.nextId;
		read.push({ network, counters: { ...connections.counters, is_cut: end.isCut, broken: end.broken }, hosts: connections.hosts });
	}
	return read;
}
