/**
 * uwsgi's protocol on the wire: variables in one packet, a body, and an answer of HTTP up to the connection's end.
 * https://uwsgi-docs.readthedocs.io/en/latest/Protocol.html
 */
import { answerBegins, answered, brokenOff, newCall } from '../../wire/calls.ts';
import type { Call, Chunk, ConnectionEnd, Decoder, Emit, Side, Verdict } from '../../wire/contract.ts';
import { StreamReader } from '../../wire/stream-reader.ts';
import { noteParameter, readStatusHead, readVariables } from '../fastcgi/parameters.ts';

const HEAD = 4;
const STATUS_BYTES = 64;
const SERVER_ERROR = 500;

export const decoder: Decoder = {
	protocol: 'uwsgi',
	title: 'uwsgi',
	recognise(client, server) {
		if (client.length === 0) return server.length === 0 ? 'more' : 'no';
		return beginsRequest(client);
	},
	open: (emit) => new UwsgiConversation(emit),
};

class UwsgiConversation {
	#emit;
	#question = new StreamReader();
	#answer = new StreamReader();
	/** One a connection. */
	#call: Call | null = null;
	/** Of its variables, as far as they were read. */
	#hasVariables = false;
	#isOver = false;
	#answeredAt = 0;
	/** Whether the beginning of the answer was read. */
	#hasStatus = false;

	constructor(emit: Emit) {
		this.#emit = emit;
	}

	client(chunk: Chunk) {
		if (this.#isOver) return;
		this.#call ??= newCall(chunk.at);
		this.#question.push(chunk);
		this.#readVariables(false);
		this.#question.keep();
		// Only where the variables end is said; a body has no end of its own.
		this.#call.sent_at = chunk.at;
		this.#call.sent_bytes += chunk.bytes.length + chunk.hole;
	}

	server(chunk: Chunk) {
		if (!this.#call || this.#isOver) {
			this.#emit.unknown('server', chunk.bytes.length + chunk.hole, chunk.at);
			return;
		}
		this.#readVariables(true);
		answerBegins(this.#call, chunk.at);
		this.#call.answered_bytes += chunk.bytes.length + chunk.hole;
		this.#answeredAt = chunk.at;
		if (this.#hasStatus) return;
		this.#answer.push(chunk);
		const head = this.#answer.peek(STATUS_BYTES);
		const status = readStatusHead(head.toString('latin1'));
		this.#answer.keep();
		this.#hasStatus = status !== null || head.length === STATUS_BYTES || this.#answer.isCutWithin(STATUS_BYTES);
		if (status !== null) Object.assign(this.#call, { status, bad: status >= SERVER_ERROR });
	}

	finish(side: Side) {
		// It ends its answer with the connection.
		if (side !== 'server' || !this.#call || this.#call.first_at === null || this.#isOver) return;
		this.#isOver = true;
		this.#emit.call(answered(this.#call, this.#answeredAt));
	}

	close(end: ConnectionEnd) {
		if (!this.#call || this.#isOver) return;
		this.#readVariables(true);
		this.#isOver = true;
		this.#emit.call(brokenOff(this.#call, end));
	}

	/** @param isAll no more will come of them */
	#readVariables(isAll: boolean) {
		const call = this.#call as Call;
		if (this.#hasVariables) return;
		const head = this.#question.peek(HEAD);
		const size = head.length === HEAD ? HEAD + head.readUInt16LE(1) : Number.MAX_SAFE_INTEGER;
		const bytes = this.#question.peek(size);
		if (bytes.length < size && !isAll && !this.#question.isCutWithin(size)) return;
		this.#hasVariables = true;
		for (const [name, value] of readVariables(bytes.subarray(HEAD))) noteParameter(call, name, value);
		if (bytes.length < size) call.hole = true;
		this.#question.lose();
	}
}

/** A request, whose first variable has a name of CGI. */
function beginsRequest(bytes: Buffer): Verdict {
	if (bytes.length < HEAD + 2 + 4) return bytes.length === 0 || bytes[0] === 0 ? 'more' : 'no';
	const [size, name] = [bytes.readUInt16LE(1), bytes.readUInt16LE(HEAD)];
	if (bytes[0] !== 0 || bytes[3] !== 0 || name < 4 || name > 64 || name + 4 > size) return 'no';
	const text = bytes.toString('latin1', HEAD + 2, HEAD + 2 + name);
	if (!/^[A-Z][A-Z0-9_]*$/.test(text)) return 'no';
	return text.length < name ? 'more' : 'yes';
}
