/**
 * NATS on the wire: a text protocol. A message that is published with a subject to reply to is a question; whoever is subscribed to what it was
 * published as is given it, and publishes the reply, which comes back as a message. So a question is over when a message of its own subject
 * comes, and a message that was given with such a subject when its taker has published there. Who asks gives up without a word.
 */
import { answerBegins, answered, brokenOff, endUnseen, newCall, wasSent } from '../../wire/calls.ts';
import type { About, Call, Chunk, ConnectionEnd, Decoder, Emit, Verdict } from '../../wire/contract.ts';
import type { Line } from '../../wire/line-reader.ts';
import { LineReader } from '../../wire/line-reader.ts';
import { Queue } from '../../wire/queue.ts';
import { pathTemplate } from '../../wire/templates.ts';

/** https://docs.nats.io/reference/reference-protocols/nats-protocol */
type Message = {
	topic: string;
	/** subject of it */
	reply: string | null;
};

const BREAK = 2;
const TOPIC = '[^\\s]{1,900}';
const SIZE = '(\\d{1,9})';
const GREETING = 'INFO {"server_id"';
const SET_UP = 'CONNECT {';
/** With its subject and the one to reply to; of those with headers, their size before that of all. */
const PUBLISHED = new RegExp(`^(?:PUB (${TOPIC})(?: +(${TOPIC}))?|HPUB (${TOPIC})(?: +(${TOPIC}))? +\\d{1,9}) +${SIZE}$`, 'i');
const GIVEN = new RegExp(
	`^(?:MSG (${TOPIC}) +\\d{1,20}(?: +(${TOPIC}))?|HMSG (${TOPIC}) +\\d{1,20}(?: +(${TOPIC}))? +\\d{1,9}) +${SIZE}$`,
	'i',
);
const SUBSCRIBED = new RegExp(`^SUB (${TOPIC})(?: +${TOPIC})? +(\\d{1,20})$`, 'i');
const UNSUBSCRIBED = /^UNSUB (\d{1,20})(?: +(\d{1,20}))?$/i;
const ASKED = /^(?:CONNECT \{|PING$|PONG$|(?:H?PUB|SUB|UNSUB) )/i;
const ANSWERED = /^(?:INFO \{|PING$|PONG$|\+OK$|-ERR |H?MSG )/i;
/** Of the headers of a message, where it has a status. https://github.com/nats-io/nats-architecture-and-design/blob/main/adr/ADR-4.md */
const STATUS = /^NATS\/1\.0 (\d{3})\b/;
const STATUS_BYTES = 16;
const FIRST_STATUS = 200;
const FIRST_BAD_STATUS = 500;
/** Asks for messages of a stream that come when there are some. */
const PULL = /^\$JS\.API\.CONSUMER\.MSG\.NEXT\./;

/** What a server reports, by its first words. https://github.com/nats-io/nats-server/blob/main/server/errors.go */
const ERRORS: [RegExp, string, boolean][] = [
	[/^maximum (?:account active )?connections exceeded/, 'MAXCONNS', true],
	[/^(?:user |account )?auth/, 'AUTH', true],
	[/^slow consumer/, 'SLOW_CONSUMER', true],
	[/^stale connection/, 'STALE', true],
	[/^server shutdown/, 'SHUTDOWN', true],
	[/^permissions violation/, 'PERMISSIONS', false],
	[/^maximum payload violation/, 'MAXPAYLOAD', false],
];

/** CONNECT and INFO have lists of what either side can; most others are short. */
const LINE_MOST = 64 * 1024;
/** Of a connection, of each sort: questions without an answer, messages without a reply, subscriptions. The oldest are told as without an end. */
const OPEN_MOST = 32 * 1024;

export const decoder: Decoder = {
	protocol: 'nats',
	title: 'NATS',
	recognise(client, server, midway) {
		if (client.length === 0 && server.length === 0) return 'more';
		const [asked, said] = [client.toString('latin1'), server.toString('latin1')];
		if (midway) return recogniseMidway(asked, said);
		if (asked.startsWith(SET_UP) || said.startsWith(GREETING)) return 'yes';
		return SET_UP.startsWith(asked) && GREETING.startsWith(said) ? 'more' : 'no';
	},
	open: (emit, about) => new NatsConversation(emit, about),
};

/** @returns by the first whole line of a message */
function recogniseMidway(asked: string, said: string): Verdict {
	const lines = [asked, said].map((text) => text.split('\r\n', LINES_MOST).slice(0, text.includes('\r\n') ? undefined : 0));
	if (lines[0].some((line) => PUBLISHED.test(line)) || lines[1].some((line) => GIVEN.test(line))) return 'yes';
	return [asked, said].every((text) => BEGINS.test(text)) ? 'more' : 'no';
}
/** The first are looks at whether the other is there, if anything. */
const LINES_MOST = 4;
const BEGINS = /^(?:P[IO]NG\r\n|\+OK\r\n)*(?:P?|P[IO]N?|P[IO]NG\r?|\+O?|\+OK\r?|H?(?:PUB|MSG) [^\r\n]*\r?)$/;

class NatsConversation {
	#emit;
	#openedAt;
	#isFirst;
	#isHidden = false;
	#connecting: Call | null = null;
	#beats: Queue<Call> = new Queue();
	/** By the subject that is replied to. */
	#asked;
	#given;
	/** Subjects of subscriptions. */
	#subscribed: Map<string, number> = new Map();
	#questions;
	#answers;

	constructor(emit: Emit, { midway, opened_at: openedAt }: About) {
		this.#emit = emit;
		this.#openedAt = openedAt;
		this.#isFirst = !midway;
		this.#asked = new Open(emit);
		this.#given = new Open(emit);
		this.#questions = new LineReader({
			most: LINE_MOST,
			valueOf: (text) => sizeOf(text, ASKED, PUBLISHED),
			onLine: (line) => this.#onQuestion(line),
			onLost: (bytes, at) => emit.unknown('client', bytes, at),
		});
		this.#answers = new LineReader({
			most: LINE_MOST,
			want: STATUS_BYTES,
			valueOf: (text) => sizeOf(text, ANSWERED, GIVEN),
			onLine: (line) => this.#onAnswer(line),
			onLost: (bytes, at) => emit.unknown('server', bytes, at),
		});
	}

	client(chunk: Chunk) {
		// After the greeting a client may go on in TLS.
		if (chunk.bytes[0] === TLS_RECORD && this.#questions.beganAt === null) {
			this.#settle();
			this.#isHidden = true;
			this.#emit.becomes('tls', [{ side: 'client', chunk }]);
		} else this.#questions.push(chunk);
	}

	server(chunk: Chunk) {
		this.#answers.push(chunk);
	}

	close(end: ConnectionEnd) {
		const { by } = end;
		// Who only looks whether it is there is greeted, and goes.
		if (by !== 'server' || this.#connecting?.sent_at === null) this.#settle();
		const open = [
			...(this.#connecting ? [this.#connecting] : []),
			...this.#beats.takeAll(),
			...this.#asked.takeAll(),
			...this.#given.takeAll(),
		];
		this.#connecting = null;
		for (const call of open) this.#emit.call(this.#isHidden ? endUnseen(call) : brokenOff(call, end));
	}

	#onQuestion(line: Line) {
		const { began_at: beganAt, ended_at: endedAt, text, length } = line;
		const verb = text.split(' ', 1)[0].toUpperCase();
		if (verb === 'CONNECT') {
			if (this.#isFirst) this.#connecting ??= Object.assign(newCall(this.#openedAt), { role: 'connect', verb });
			if (this.#connecting) Object.assign(this.#connecting, { sent_at: endedAt, sent_bytes: length });
		} else if (verb === 'PING') {
			// The first is part of the set-up: its answer says that it went well.
			if (this.#connecting || this.#beats.size >= OPEN_MOST) return;
			this.#beats.push(Object.assign(newCall(beganAt), { role: 'beat', verb, template: verb, sent_at: endedAt, sent_bytes: length }));
		} else if (verb !== 'PONG') {
			this.#settle();
			const published = messageIn(PUBLISHED.exec(text));
			if (published) this.#onPublished(published, line);
			else this.#onSubscribed(text, endedAt ?? beganAt);
		}
	}

	#onSubscribed(text: string, at: number) {
		const [, topic, number] = SUBSCRIBED.exec(text) ?? [];
		if (topic !== undefined) {
			const [oldest = ''] = this.#subscribed.size >= OPEN_MOST ? this.#subscribed.keys() : [];
			this.#subscribed.delete(oldest);
			this.#subscribed.set(number, markOf(topic));
		}
		const [, left, after] = UNSUBSCRIBED.exec(text) ?? [];
		const mark = this.#subscribed.get(left);
		// After so many messages, and not at once.
		if (mark === undefined || after !== undefined) return;
		this.#subscribed.delete(left);
		const call = this.#asked.take(mark);
		if (call) this.#emit.call(brokenOff(call, { at, by: 'client', how: 'closed' }));
	}

	#onPublished({ topic, reply }: Message, { began_at: beganAt, ended_at: endedAt, length }: Line) {
		const at = endedAt ?? beganAt;
		const given = this.#given.take(markOf(topic));
		if (given) this.#emit.call(Object.assign(answered(given, at), { by: 'client' }));
		const call = Object.assign(newCall(beganAt), { verb: 'PUB', template: topicTemplate(topic), sent_at: endedAt, sent_bytes: length });
		if (endedAt === null) call.hole = true;
		if (reply === null) this.#emit.call(wasSent(call, at));
		else {
			if (PULL.test(topic)) call.role = 'wait';
			this.#asked.keep(markOf(reply), call);
		}
	}

	#onAnswer(line: Line) {
		const { began_at: beganAt, ended_at: endedAt, text, length } = line;
		const verb = text.split(' ', 1)[0].toUpperCase();
		const at = endedAt ?? beganAt;
		if (verb === 'INFO') {
			if (!this.#isFirst) return;
			this.#connecting ??= Object.assign(newCall(this.#openedAt), { role: 'connect', verb: 'CONNECT' });
			answerBegins(this.#connecting, beganAt);
			this.#connecting.answered_bytes += length;
		} else if (verb === '-ERR') this.#onError(errorIn(text), line);
		else if (verb === '+OK' || verb === 'PONG') {
			if (this.#connecting) this.#settle(at);
			else if (verb === 'PONG') this.#endBeat(beganAt, at, length);
		} else if (verb !== 'PING') this.#onGiven(messageIn(GIVEN.exec(text)) as Message, line);
	}

	#endBeat(beganAt: number, at: number, length: number) {
		const call = this.#beats.shift();
		if (!call) return;
		answerBegins(call, beganAt);
		call.answered_bytes = length;
		this.#emit.call(answered(call, at));
	}

	#onGiven({ topic, reply }: Message, { began_at: beganAt, ended_at: endedAt, text, length, value }: Line) {
		const at = endedAt ?? beganAt;
		const status = Number(STATUS.exec(value)?.[1] ?? 0);
		// Only that it is still there.
		if (status > 0 && status < FIRST_STATUS) return;
		// What is stored comes as what it was published as, on the subscription to the subject that is replied to.
		const call = this.#asked.take(markOf(topic)) ?? this.#asked.take(this.#subscribed.get(text.split(' ', 3)[2]));
		if (call) {
			answerBegins(call, beganAt);
			call.answered_bytes = length;
			if (status > 0) Object.assign(call, { code: `${status}`, bad: status >= FIRST_BAD_STATUS });
			if (endedAt === null) call.hole = true;
			this.#emit.call(answered(call, at));
			if (reply === null) return;
		}
		const push = Object.assign(newCall(beganAt), {
			role: 'push',
			verb: 'MSG',
			template: topicTemplate(topic),
			sent_at: endedAt,
			sent_bytes: length,
		});
		if (reply === null) this.#emit.call(Object.assign(push, { end: 'answered', by: 'server', ended_at: at }));
		else this.#given.keep(markOf(reply), push);
	}

	#onError(error: { code: string; bad: boolean }, { began_at: beganAt, ended_at: endedAt, length }: Line) {
		const at = endedAt ?? beganAt;
		if (this.#connecting) {
			Object.assign(this.#connecting, error);
			this.#settle(at);
			return;
		}
		const call = Object.assign(newCall(beganAt), { role: 'push', verb: '', ...error, first_at: beganAt, answered_bytes: length });
		this.#emit.call(answered(call, at));
	}

	/** What sets it up is over: unless it is asked for, a server says nothing of that. */
	#settle(at?: number) {
		const call = this.#connecting;
		this.#isFirst = false;
		this.#connecting = null;
		if (call) this.#emit.call(answered(call, at ?? Math.max(call.sent_at ?? 0, call.first_at ?? 0)));
	}
}

/** First byte of a ClientHello. */
const TLS_RECORD = 0x16;

/** Calls that are open, by what ends them; where there are too many, or another has the same, the older is told as one whose end was not seen. */
class Open {
	#emit;
	#calls: Map<number, Call> = new Map();

	constructor(emit: Emit) {
		this.#emit = emit;
	}

	keep(mark: number, call: Call) {
		call.id = mark.toString(36);
		const [oldest] = this.#calls.size >= OPEN_MOST ? this.#calls.keys() : [];
		for (const other of [mark, oldest]) {
			const before = other === undefined ? undefined : this.take(other);
			if (before) this.#emit.call(endUnseen(before));
		}
		this.#calls.set(mark, call);
	}

	take(mark: number | undefined): Call | undefined {
		const call = mark === undefined ? undefined : this.#calls.get(mark);
		if (call && mark !== undefined) this.#calls.delete(mark);
		return call;
	}

	takeAll() {
		const calls = [...this.#calls.values()];
		this.#calls.clear();
		return calls;
	}
}

function sizeOf(text: string, known: RegExp, withValue: RegExp): number | null {
	if (!known.test(text)) return null;
	if (!/^H?(?:PUB|MSG) /i.test(text)) return 0;
	const size = withValue.exec(text)?.[5];
	return size === undefined ? null : Number(size) + BREAK;
}

const messageIn = (found: RegExpExecArray | null): Message | null =>
	found && { topic: found[1] ?? found[3], reply: found[2] ?? found[4] ?? null };

/** @param text of a line */
function errorIn(text: string) {
	const said = text.slice('-ERR '.length).replace(/^'/, '').toLowerCase();
	const [, code = 'ERR', bad = false] = ERRORS.find(([words]) => words.test(said)) ?? [];
	return { code, bad };
}

/** Its words are those of a path, with points between them; of a reply the rest is made for one question. */
function topicTemplate(topic: string) {
	if (topic.startsWith(INBOX)) return `${INBOX}:id`;
	return pathTemplate(`/${topic.replaceAll('.', '/')}`)
		.slice(1)
		.replaceAll('/', '.');
}
const INBOX = '_INBOX.';

/** A number for a text, which it cannot be told from: two halves of multiplications (53 bits). */
function markOf(text: string) {
	let [high, low] = [1, 2];
	for (let at = 0; at < text.length; at += 1) {
		const code = text.charCodeAt(at);
		high = Math.imul(high ^ code, 0x9e3779b1);
		low = Math.imul(low ^ code, 0x5f356495) + high;
	}
	return ((high >>> 11) * 2 ** 32 + (low >>> 0)) % Number.MAX_SAFE_INTEGER;
}
