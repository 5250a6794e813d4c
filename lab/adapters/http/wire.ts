/**
 * HTTP/1.0 and 1.1 on the wire. Answers come in the order of the questions, several of which may be under way.
 * https://www.rfc-editor.org/rfc/rfc9112
 */
import { answerBegins, answered, brokenOff, newCall } from '../../wire/calls.ts';
import type { Call, Chunk, ConnectionEnd, Decoder, Emit, Side } from '../../wire/contract.ts';
import { pathTemplate } from '../../wire/templates.ts';
import type { Body, Head, Reported } from './head.ts';
import { beginsAnswer, beginsRequest, isBreak, Messages, readCutRequestLine, readRequestLine, readStatus } from './head.ts';

/** Questions under way on one connection: more than any client pipelines. */
const UNDER_WAY_MOST = 1024;
const SWITCHING = 101;
const SERVER_ERROR = 500;
/** Names of protocols that have a decoder under another one. */
const UPGRADES: Record<string, string> = { h2c: 'http2' };
const BODILESS = new Set([204, 304]);

export const decoder: Decoder = {
	protocol: 'http',
	title: 'HTTP/1.1',
	recognise(client, server, midway) {
		if (client.length > 0) return beginsRequest(client);
		if (server.length === 0) return 'more';
		const answer = beginsAnswer(server);
		// uwsgi's answers are like HTTP's: without their question they may be either's.
		return midway && answer === 'yes' ? 'more' : answer;
	},
	open: (emit) => new HttpConversation(emit),
};

class HttpConversation {
	#emit;
	/** In the order in which they were asked. */
	#underWay: Call[] = [];
	/** Whose last byte has not come. */
	#asking: Call | null = null;
	/** Whether a question was not understood: an answer may be to it. */
	#hasLost = false;
	/** What the connection is for from now on. */
	#next = '';
	#requests;
	#answers;

	constructor(emit: Emit) {
		this.#emit = emit;
		this.#requests = new Messages('client', this);
		this.#answers = new Messages('server', this);
	}

	onHead(
		side: Parameters<Reported['onHead']>[0],
		head: Parameters<Reported['onHead']>[1],
		at: Parameters<Reported['onHead']>[2],
		isCut: Parameters<Reported['onHead']>[3],
	): ReturnType<Reported['onHead']> {
		return side === 'client' ? this.#onRequest(head, at, isCut) : this.#onAnswer(head, at, isCut);
	}

	onEnd(
		side: Parameters<Reported['onEnd']>[0],
		at: Parameters<Reported['onEnd']>[1],
		bytes: Parameters<Reported['onEnd']>[2],
		isCut: Parameters<Reported['onEnd']>[3],
	): ReturnType<Reported['onEnd']> {
		if (side === 'client') this.#onSent(at, bytes, isCut);
		else this.#onAnswered(at, bytes, isCut);
	}

	onLost(
		side: Parameters<Reported['onLost']>[0],
		bytes: Parameters<Reported['onLost']>[1],
		at: Parameters<Reported['onLost']>[2],
	): ReturnType<Reported['onLost']> {
		if (side === 'client') this.#hasLost = true;
		this.#emit.unknown(side, bytes, at);
	}

	client(chunk: Chunk) {
		// Who asks again has the answer.
		if (chunk.turn && this.#answers.isUntilTurn) this.#answers.end(true);
		this.#requests.push(chunk);
	}

	server(chunk: Chunk) {
		if (this.#requests.isUntilTurn) this.#requests.end(true);
		if (this.#underWay.length === 0) this.#takeHalfHead();
		const [call] = this.#underWay;
		if (call && this.#answers.isInHead && !isIdleEnd(chunk)) answerBegins(call, chunk.at);
		this.#answers.push(chunk);
		if (this.#answers.isStopped) this.#switch();
	}

	finish(side: Side) {
		if (side === 'server' && this.#answers.endsByOther) this.#answers.end(this.#answers.isUntilTurn);
	}

	close(end: ConnectionEnd) {
		// Whether anything was missing of it cannot be known.
		if (this.#answers.isUntilTurn && end.how !== 'open') this.#answers.end(true);
		if (this.#requests.isUntilTurn) this.#requests.end(true);
		this.#takeHalfHead();
		for (const call of this.#underWay) {
			if (call === this.#asking) call.sent_bytes = this.#requests.bytes;
			if (call === this.#underWay[0] && !this.#answers.isInHead) call.answered_bytes = this.#answers.bytes;
			this.#emit.call(brokenOff(call, end));
		}
		this.#underWay = [];
	}

	#onRequest(head: Head, at: number, isCut: boolean) {
		const line = readRequestLine(head.line) ?? (isCut ? readCutRequestLine(head.line) : null);
		if (line === null || this.#underWay.length >= UNDER_WAY_MOST) return 'lost';
		const call = callOf(line, head, at);
		if (isCut) call.hole = true;
		this.#underWay.push(call);
		this.#asking = call;
		return head.isChunked ? 'chunked' : (head.length ?? 'none');
	}

	#onSent(at: number, bytes: number, isCut: boolean) {
		const call = this.#asking;
		this.#asking = null;
		if (!call) return;
		call.sent_at = at;
		call.sent_bytes = bytes;
		if (isCut) call.hole = true;
	}

	#onAnswer(head: Head, at: number, isCut: boolean): Body | 'stop' | 'lost' {
		const status = readStatus(head.line);
		if (status === null || (this.#underWay.length === 0 && this.#hasLost)) return 'lost';
		if (this.#underWay.length === 0) this.#underWay.push(Object.assign(newCall(at), { role: 'push' }));
		const [call] = this.#underWay;
		answerBegins(call, at);
		if (isCut) call.hole = true;
		if (status < 200 && status !== SWITCHING) return 'none';
		call.status = status;
		call.bad = status >= SERVER_ERROR;
		if (status === SWITCHING || (call.verb === 'CONNECT' && status < 300)) {
			this.#next = status === SWITCHING ? head.upgrade : 'tunnel';
			return 'stop';
		}
		if (call.verb === 'HEAD' || BODILESS.has(status)) return 'none';
		return head.isChunked ? 'chunked' : (head.length ?? 'close');
	}

	#onAnswered(at: number, bytes: number, isCut: boolean) {
		const [call] = this.#underWay;
		if (call === undefined) return;
		if (call.status === null) {
			// An interim answer: the one that counts is still to come.
			call.first_at = null;
			return;
		}
		if (isCut) call.hole = true;
		this.#answered(at, bytes);
	}

	#answered(at: number, bytes: number) {
		const call = this.#underWay.shift() as Call;
		// Before the whole question had come: what follows of it changes nothing more.
		if (call === this.#asking) {
			call.sent_bytes = this.#requests.bytes;
			this.#asking = null;
		}
		call.answered_bytes = bytes;
		this.#emit.call(answered(call, at));
	}

	/** The answer said that the connection is another protocol's from now on. What else was asked is open until its end. */
	#switch() {
		this.#answered(this.#answers.stream.passedAt, this.#answers.bytes);
		const rests = [
			['client', this.#requests.stream.takeRest()],
			['server', this.#answers.stream.takeRest()],
		] as const;
		const rest = rests.flatMap(([side, chunks]) => chunks.map((chunk) => ({ side, chunk })));
		this.#emit.becomes(UPGRADES[this.#next] ?? (this.#next || 'unnamed'), rest);
	}

	/** What a request began with whose head has no end: the server answers it all the same, or it is the last. */
	#takeHalfHead() {
		const { begun } = this.#requests;
		if (begun === null) return;
		const { head, began_at: at, bytes } = begun;
		const whole = readRequestLine(head.line);
		const line = whole ?? readCutRequestLine(head.line);
		// Of an address that goes on it is not known where its path does.
		if (line)
			this.#underWay.push(
				Object.assign(callOf({ method: line.method, target: whole?.target ?? '' }, head, at), { hole: true, sent_bytes: bytes }),
			);
		const dropped = this.#requests.drop();
		if (!line) this.onLost('client', dropped, this.#requests.stream.passedAt);
	}
}

/** @param line target: empty where it is not known */
function callOf({ method, target }: { method: string; target: string }, head: Head, at: number): Call {
	const call = newCall(at);
	call.verb = method;
	call.template = method === 'CONNECT' || target === '' ? '' : pathTemplate(target);
	if (head.id !== undefined) call.id = head.id;
	if (head.trace !== undefined) call.trace = head.trace;
	return call;
}

/** Line breaks between answers are none. */
function isIdleEnd({ bytes, hole }: Chunk) {
	if (hole > 0) return false;
	for (let at = 0; at < bytes.length; at += 1) if (!isBreak(bytes[at])) return false;
	return true;
}
