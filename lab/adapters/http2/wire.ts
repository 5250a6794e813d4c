/**
 * HTTP/2 in the clear, and gRPC on it: many requests at once on one connection, each a stream with a number.
 * https://www.rfc-editor.org/rfc/rfc9113, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
import { answerBegins, answered, brokenOff, newCall } from '../../wire/calls.ts';
import type { Call, Chunk, ConnectionEnd, Decoder, Emit, Side } from '../../wire/contract.ts';
import { ID_LENGTH } from '../../wire/contract.ts';
import type { Frame } from '../../wire/stream-reader.ts';
import { FrameReader } from '../../wire/stream-reader.ts';
import { pathTemplate, plainId, traceId } from '../../wire/templates.ts';
import { METHODS } from '../http/head.ts';
import { HeaderTable } from './hpack.ts';

/** whose last frame has not come */
type Head = { stream: number; blocks: Buffer[]; isEnd: boolean; isCut: boolean; isPromise: boolean; began_at: number; length: number };

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const HEAD = 9;
const WANTED = 8192;
/** The largest that a peer may set (SETTINGS_MAX_FRAME_SIZE). */
const LONGEST = 0xffffff;
const STREAMS_MOST = 4096;
const BLOCK_MOST = 64 * 1024;
const DATA = 0;
const HEADERS = 1;
const RESET = 3;
const PROMISE = 5;
const GOAWAY = 7;
const CONTINUATION = 9;
const END_STREAM = 1;
const END_HEADERS = 4;
const PADDED = 8;
const PRIORITY = 0x20;
const SERVER_ERROR = 500;
/** Of a stream that is reset, and of a connection. https://www.rfc-editor.org/rfc/rfc9113#section-7 */
const ERRORS =
	'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM'.split(
		' ',
	);
/** https://github.com/grpc/grpc/blob/master/doc/statuscodes.md */
const GRPC =
	'OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'.split(
		' ',
	);
const GRPC_SERVERS = new Set('UNKNOWN DEADLINE_EXCEEDED RESOURCE_EXHAUSTED ABORTED INTERNAL UNAVAILABLE DATA_LOSS'.split(' '));

/** Of a head that has not come. */
const NO_HEADERS: Map<string, string> = new Map();

export const decoder: Decoder = {
	protocol: 'http2',
	title: 'HTTP/2',
	recognise(client, server) {
		if (client.length === 0) return server.length === 0 || server[3] === 4 ? 'more' : 'no';
		const text = client.toString('latin1', 0, PREFACE.length);
		if (text.length < PREFACE.length) return PREFACE.startsWith(text) ? 'more' : 'no';
		return text === PREFACE ? 'yes' : 'no';
	},
	open: (emit, { midway }) => new Http2Conversation(emit, midway),
};

class Http2Conversation {
	#emit;
	#hasPreface;
	/** By number. */
	#streams: Map<number, Call> = new Map();
	/** Those of them of which no byte is missing. */
	#whole: Set<Call> = new Set();
	/** The highest number that may be among them. */
	#highest = 0;
	/** The highest that was asked on: its numbers rise, so that what comes on others is the rest of what is over. */
	#lastAsked = 0;
	#tables = { client: new HeaderTable(), server: new HeaderTable() };
	#heads: { client: Head | null; server: Head | null } = { client: null, server: null };
	#readers;

	constructor(emit: Emit, midway: boolean) {
		this.#emit = emit;
		this.#hasPreface = midway;
		this.#readers = { client: this.#reader('client'), server: this.#reader('server') };
	}

	client(chunk: Chunk) {
		this.#readers.client.push(chunk);
	}

	server(chunk: Chunk) {
		this.#readers.server.push(chunk);
	}

	close(end: ConnectionEnd) {
		// Where bytes are missing the end may have been among them.
		for (const call of this.#streams.values()) this.#emit.call(brokenOff(call, call.hole ? { ...end, how: 'open' } : end));
		this.#streams.clear();
		this.#whole.clear();
	}

	#reader(side: Side) {
		const waitsForPreface = () => side === 'client' && !this.#hasPreface;
		return new FrameReader({
			head: () => (waitsForPreface() ? PREFACE.length : HEAD),
			lengthOf: (head) => (waitsForPreface() ? PREFACE.length : lengthOf(head)),
			want: WANTED,
			onFrame: (frame) => {
				if (waitsForPreface()) this.#hasPreface = true;
				else this.#onFrame(side, frame);
			},
			onLost: (bytes, at) => this.#onLost(side, bytes, at),
		});
	}

	#onFrame(side: Side, frame: Frame) {
		const [type, flags, stream] = [frame.bytes[3], frame.bytes[4], frame.bytes.readUInt32BE(5) & 0x7fffffff];
		const call = this.#streams.get(stream);
		if (call) call[side === 'client' ? 'sent_bytes' : 'answered_bytes'] += frame.length;
		if (type === HEADERS || type === PROMISE || type === CONTINUATION) this.#onBlock(side, stream, frame);
		else if (type === DATA && flags & END_STREAM) this.#ends(side, stream, frame.ended_at);
		else if (type === RESET) this.#onReset(side, stream, frame);
		else if (type === GOAWAY && side === 'server') this.#onGoaway(frame);
	}

	/** A head comes in one frame or in several. */
	#onBlock(side: Side, stream: number, { bytes, began_at: beganAt, length, ended_at: endedAt, isCut }: Frame) {
		const [type, flags] = [bytes[3], bytes[4]];
		const begun = this.#heads[side];
		const head: Head =
			type === CONTINUATION && begun
				? begun
				: {
						stream,
						blocks: [],
						isEnd: (flags & END_STREAM) !== 0,
						isCut: false,
						isPromise: type === PROMISE,
						began_at: beganAt,
						length: 0,
					};
		this.#heads[side] = flags & END_HEADERS ? null : head;
		const block = blockIn(bytes, length);
		if (head.length < BLOCK_MOST) head.blocks.push(flags & END_HEADERS ? block : Buffer.from(block));
		else head.isCut = true;
		head.isCut ||= isCut;
		head.length += length;
		if (flags & END_HEADERS) this.#onHead(side, head, endedAt);
	}

	/** All of a head has come that comes. */
	#onHead(side: Side, head: Head, at: number) {
		const { headers, isComplete } = this.#tables[side].read(head.blocks.length === 1 ? head.blocks[0] : Buffer.concat(head.blocks));
		if (head.isCut) this.#tables[side].lose();
		// What is promised is pushed: nobody asked for it.
		if (head.isPromise) return;
		if (side === 'client') this.#onQuestion(head, headers, isComplete && !head.isCut);
		else this.#onAnswer(head, headers, isComplete && !head.isCut);
		if (head.isEnd) this.#ends(side, head.stream, at);
	}

	#onQuestion(
		{ stream, began_at: beganAt, length }: Pick<Head, 'stream' | 'began_at' | 'length'>,
		headers: Map<string, string>,
		isComplete: boolean,
	) {
		// Trailers, or of a question that was answered before it had ended.
		if (stream <= this.#lastAsked) return;
		this.#lastAsked = stream;
		if (this.#streams.size >= STREAMS_MOST) {
			this.#emit.unknown('client', length, beganAt);
			return;
		}
		const call = Object.assign(newCall(beganAt), { sent_bytes: length });
		const [method, path] = [headers.get(':method') ?? '', headers.get(':path')];
		if (METHODS.has(method)) call.verb = method;
		if (path !== undefined) call.template = pathTemplate(path);
		const [id, trace] = [plainId(headers.get('x-request-id') ?? '', ID_LENGTH), traceId(headers.get('traceparent') ?? '')];
		if (id) call.id = id;
		if (trace !== undefined) call.trace = trace;
		// A header that is only a number may have been in the table before bytes were missing.
		if (!isComplete || path === undefined) call.hole = true;
		else this.#whole.add(call);
		this.#streams.set(stream, call);
		this.#highest = Math.max(this.#highest, stream);
	}

	/** A question that is answered before its head has come as a whole. */
	#beginShort(stream: number) {
		const head = this.#heads.client;
		const { partial } = this.#readers.client;
		const isInFrame = partial !== null && partial.bytes.length >= HEAD && partial.bytes[3] === HEADERS;
		if (head?.stream === stream) this.#onQuestion(head, NO_HEADERS, false);
		else if (isInFrame && (partial.bytes.readUInt32BE(5) & 0x7fffffff) === stream)
			this.#onQuestion({ stream, began_at: partial.began_at, length: partial.bytes.length }, NO_HEADERS, false);
	}

	#onAnswer({ stream, began_at: beganAt }: Head, headers: Map<string, string>, isComplete: boolean) {
		if (stream > this.#lastAsked) this.#beginShort(stream);
		const call = this.#streams.get(stream);
		if (!call) return;
		const status = /^[1-9]\d\d$/.test(headers.get(':status') ?? '') ? Number(headers.get(':status')) : null;
		if (status !== null && status < 200) return;
		answerBegins(call, beganAt);
		if (!isComplete) call.hole = true;
		if (call.status === null && status !== null) Object.assign(call, { status, bad: status >= SERVER_ERROR });
		const reported = GRPC[Number(headers.get('grpc-status') ?? 0)];
		if (reported !== undefined && reported !== 'OK') Object.assign(call, { code: reported, bad: GRPC_SERVERS.has(reported) });
	}

	#ends(side: Side, stream: number, at: number) {
		const call = this.#streams.get(stream);
		if (!call) return;
		if (side === 'client') {
			call.sent_at ??= at;
			return;
		}
		this.#forget(stream, call);
		this.#emit.call(answered(call, at));
	}

	#onReset(side: Side, stream: number, { bytes, ended_at: endedAt }: Frame) {
		const call = this.#streams.get(stream);
		if (!call) return;
		this.#forget(stream, call);
		const code = ERRORS[bytes.length >= HEAD + 4 ? bytes.readUInt32BE(HEAD) : -1];
		if (side === 'server') Object.assign(call, { code: code ?? 'unknown', bad: true });
		this.#emit.call(brokenOff(call, { at: endedAt, by: side, how: 'reset' }));
	}

	/** The server takes no streams behind the one that it names. */
	#onGoaway({ bytes, ended_at: endedAt }: Frame) {
		if (bytes.length < HEAD + 8) return;
		const [last, code] = [bytes.readUInt32BE(HEAD) & 0x7fffffff, ERRORS[bytes.readUInt32BE(HEAD + 4)] ?? 'unknown'];
		if (last >= this.#highest) return;
		this.#highest = last;
		for (const [stream, call] of this.#streams) {
			if (stream <= last) continue;
			this.#forget(stream, call);
			this.#emit.call(brokenOff(Object.assign(call, { code: `GOAWAY ${code}`, bad: true }), { at: endedAt, by: 'server', how: 'closed' }));
		}
	}

	#forget(stream: number, call: Call) {
		this.#streams.delete(stream);
		this.#whole.delete(call);
	}

	#onLost(side: Side, bytes: number, at: number) {
		const head = this.#heads[side];
		this.#heads[side] = null;
		// The rest of a head was not recorded.
		if (head) this.#onHead(side, Object.assign(head, { isCut: true }), at);
		this.#tables[side].lose();
		for (const call of this.#whole) call.hole = true;
		this.#whole.clear();
		this.#emit.unknown(side, bytes, at);
	}
}

/**
 * Without padding, priority, and the number of a stream that is promised.
 * @param length of the frame
 */
function blockIn(bytes: Buffer, length: number) {
	const [type, flags] = [bytes[3], bytes[4]];
	if (type === CONTINUATION) return bytes.subarray(HEAD);
	const padding = flags & PADDED ? (bytes[HEAD] ?? 0) : 0;
	const from = HEAD + (flags & PADDED ? 1 : 0) + (type === HEADERS && flags & PRIORITY ? 5 : 0) + (type === PROMISE ? 4 : 0);
	return bytes.subarray(from, Math.max(from, Math.min(bytes.length, length - padding)));
}

function lengthOf(head: Buffer): number | null {
	const length = head.readUIntBE(0, 3);
	return length <= LONGEST && head[3] <= 0x10 && (head[5] & 0x80) === 0 ? HEAD + length : null;
}
