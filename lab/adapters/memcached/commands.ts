/**
 * What lines of memcached's text protocol say, with its meta commands. https://github.com/memcached/memcached/blob/master/doc/protocol.txt
 */

import { answerBegins, answered, brokenOff, Exchange, newCall, seenAt, wasSent } from '../../wire/calls.ts';
import type { Call, ConnectionEnd, Emit, Verdict } from '../../wire/contract.ts';
import { Queue } from '../../wire/queue.ts';
import type { Frame } from '../../wire/stream-reader.ts';
import { FrameReader } from '../../wire/stream-reader.ts';

type Question = {
	/** empty where it is not known */
	verb: string;
	/** bytes that follow the line, with their line break */
	value: number;
	/** errors: those alone, as `noreply` asks for; no: by its protocol */
	answers: 'no' | 'errors' | 'yes';
	/** words of answers that are given; others are left out. null: there is an answer in any case */
	quiet: string[] | null;
	/** a number of what an answer repeats of it */
	mark: number | null;
};

/** Behind the key: flags, time, size. */
const STORES = new Set('set add replace append prepend cas'.split(' '));
const META = new Set('mg ms md ma mn me'.split(' '));
const VERBS = new Set([
	...STORES,
	...META,
	...'get gets gat gats delete incr decr touch stats version verbosity flush_all cache_memlimit slabs lru lru_crawler watch shutdown quit config'.split(
		' ',
	),
]);
const BREAK = 2;
const SIZE = /^\d{1,10}$/;

/** @param line as far as it was recorded */
export function readQuestion(line: string): Question {
	const words = line.split(' ', WORDS_MOST);
	const verb = VERBS.has(words[0]) ? words[0] : '';
	const answers = verb === 'quit' ? 'no' : line.endsWith(' noreply') ? 'errors' : 'yes';
	return {
		verb,
		value: sizeOf(verb, words),
		answers,
		quiet: words.indexOf('q', 2) > 0 ? givenTo(verb, words) : null,
		mark: META.has(verb) ? markOf(words, words[1]) : null,
	};
}

/** Of the opaque that a client gave, or of the key where it is asked for. */
function markOf(words: string[], key?: string): number | null {
	const opaque = words.find((word, index) => index > 0 && word[0] === 'O');
	const named = words.find((word, index) => index > 0 && (key === undefined ? word[0] === 'k' : word === 'k' && index > 1));
	const text = opaque ?? (named && `k${key ?? named.slice(1)}`);
	if (text === undefined) return null;
	let mark = 0;
	for (let at = 0; at < text.length; at += 1) mark = (Math.imul(mark, 31) + text.charCodeAt(at)) | 0;
	return mark;
}

/** Of a line that asks for many keys the others say nothing. */
const WORDS_MOST = 24;

function sizeOf(verb: string, words: string[]) {
	const size = STORES.has(verb) ? words[4] : verb === 'ms' ? words[2]?.replace(/^S/, '') : undefined;
	return size !== undefined && SIZE.test(size) ? Number(size) + BREAK : 0;
}

/** Words that an answer begins with, and where the line goes on with more of it, how: to the next `END`, or to the end of its value. */
const COMMANDS_ANSWERS: Record<string, { goesOn?: boolean; size?: number; code?: string }> = {
	...Object.fromEntries('STORED DELETED TOUCHED OK RESET END VERSION HD EN MN ME BLOCKED'.split(' ').map((word) => [word, {}])),
	...Object.fromEntries('STAT ITEM PREFIX'.split(' ').map((word) => [word, { goesOn: true }])),
	...Object.fromEntries('NOT_STORED EXISTS NOT_FOUND ERROR CLIENT_ERROR SERVER_ERROR'.split(' ').map((code) => [code, { code }])),
	VALUE: { goesOn: true, size: 3 },
	CONFIG: { goesOn: true, size: 3 },
	VA: { size: 1 },
	NS: { code: 'NOT_STORED' },
	EX: { code: 'EXISTS' },
	NF: { code: 'NOT_FOUND' },
};

/** @returns null: it is no answer */
export function readAnswer(
	line: string,
): { word: string; value: number; goesOn: boolean; mark: number | null; code: string | null; bad: boolean } | null {
	const words = line.split(' ', WORDS_MOST);
	const [word] = words;
	const answer = Object.hasOwn(COMMANDS_ANSWERS, word) ? COMMANDS_ANSWERS[word] : /^\d{1,20}$/.test(word) ? {} : undefined;
	if (!answer) return null;
	const size = answer.size === undefined ? '' : (words[answer.size] ?? '');
	if (answer.size !== undefined && !SIZE.test(size)) return null;
	const mark = OF_META.has(word) ? markOf(words) : null;
	return {
		word,
		value: size === '' ? 0 : Number(size) + BREAK,
		goesOn: answer.goesOn ?? false,
		mark,
		...errorOf(answer.code ?? null, line),
	};
}

/** The only words to whom it turns away. */
export const TURNED_AWAY = 'ERROR Too many open connections';

/** What the server could not is bad; what the question asked wrongly, or what is so already, is not. */
function errorOf(code: string | null, line: string) {
	if (line.startsWith(TURNED_AWAY)) return { code: 'MAXCONNS', bad: true };
	if (line.startsWith('SERVER_ERROR out of memory')) return { code: 'SERVER_ERROR out of memory', bad: true };
	if (line.startsWith('SERVER_ERROR object too large')) return { code: 'SERVER_ERROR object too large', bad: false };
	return { code, bad: code === 'SERVER_ERROR' };
}

const OF_META = new Set('VA HD EN NS EX NF'.split(' '));

/** What a quiet question may be answered, errors aside. */
function givenTo(verb: string, words: string[]): string[] | null {
	// Only where it names the version that it wants to change.
	if (verb === 'ms') return words.some((word, index) => index > 2 && /^C\d/.test(word)) ? ['NS', 'EX', 'NF'] : ['NS'];
	return { mg: ['VA', 'HD', 'ME'], md: ['EX', 'NF', 'NS'], ma: ['VA', 'EX', 'NF', 'NS'] }[verb] ?? null;
}

const KEY = '[^\\x00-\\x20\\x7f]{1,250}';
/** Nothing else speaks so: redis-cli's and beanstalkd's lines of one or two words are like memcached's. */
const OWN = new RegExp(
	`^(?:(?:set|add|replace|append|prepend|cas) ${KEY} \\d{1,10} -?\\d{1,10} \\d{1,10}(?: \\d{1,20})?(?: noreply)? ?` +
		`|ms ${KEY} S?\\d{1,10}(?: \\S+)* ?|(?:mg|md|ma) ${KEY}(?: [A-Za-z]\\S*)* ?|me ${KEY}(?: b)?|mn|gets(?: ${KEY})+ ?|gats? -?\\d{1,10}(?: ${KEY})+ ?)\\r?\\n`,
);
/** And these do so where the server answers as memcached does. */
const COMMANDS_ASKS = new RegExp(`^(?:get ${KEY}[ \\r\\n]|version\\r?\\n|stats(?: [a-z]+)*\\r?\\n|(?:incr|decr) ${KEY} \\d{1,20}\\r?\\n)`);
const ANSWERED = new RegExp(`^(?:VALUE ${KEY} \\d{1,10} \\d{1,10}[ \\r]|END\\r\\n|VERSION \\d+\\.\\d|STAT [a-z_:.\\d]+ )`);

/** Whether a connection begins so. */
export function beginsText(client: Buffer, server: Buffer): Verdict {
	if (client.length === 0) {
		const said = server.toString('latin1', 0, TURNED_AWAY.length);
		return TURNED_AWAY.startsWith(said) ? (said.length < TURNED_AWAY.length ? 'more' : 'yes') : 'no';
	}
	// So begins every command.
	if (client[0] < LETTERS.first || client[0] > LETTERS.last) return 'no';
	const text = client.toString('latin1');
	if (OWN.test(text)) return 'yes';
	const said = server.toString('latin1');
	if (COMMANDS_ASKS.test(text) && ANSWERED.test(said)) return 'yes';
	const isLine = /^[a-z][a-z_]*(?: [\x20-\x7e\x80-\xff]*)?\r?(?:\n|$)/.test(text);
	const [verb] = text.split(/[ \r\n]/, 1);
	const isKnown = verb.length === text.length ? [...VERBS].some((known) => known.startsWith(verb)) : VERBS.has(verb);
	return isLine && isKnown && !REFUTED.test(said) ? 'more' : 'no';
}
const LETTERS = { first: 0x61, last: 0x7a };
/** Answers of Redis, of mail servers and of web servers. */
const REFUTED = /^(?:[-+:$*]|\d{3}[ -]|HTTP\/)/;

/**
 * A connection of memcached's binary protocol, which is deprecated and which clients still speak.
 * https://docs.memcached.org/protocols/binary/
 */
/** mark: a number that an answer repeats */
type Open = { call: Call; opcode: number; mark: number; isQuiet: boolean };

const HEAD = 24;
export const ASKS = 0x80;
export const ANSWERS = 0x81;
const LONGEST = 1 << 30;
const KEY_MOST = 250;
const UNDER_WAY_MOST = 64 * 1024;

/** By number: the verb, how many bytes stand before the key, and whether a good answer is left out. */
const OPCODES = new Map(
	(
		'0 get 0,1 set 8,2 add 8,3 replace 8,4 delete 0,5 incr 20,6 decr 20,7 quit 0,8 flush_all 0 4,9 get 0 q,10 noop 0,11 version 0,12 get 0,' +
		'13 get 0 q,14 append 0,15 prepend 0,16 stats 0,17 set 8 q,18 add 8 q,19 replace 8 q,20 delete 0 q,21 incr 20 q,22 decr 20 q,23 quit 0 q,' +
		'24 flush_all 0 4 q,25 append 0 q,26 prepend 0 q,27 verbosity 4,28 touch 4,29 gat 4,30 gat 4 q,32 sasl_list 0,33 sasl_auth 0,' +
		'34 sasl_step 0,35 gat 4,36 gat 4 q'
	)
		.split(',')
		.map((text) => text.split(' '))
		.map(([number, verb, ...rest]) => [
			Number(number),
			{ verb, extras: rest.filter((word) => word !== 'q').map(Number), isQuiet: rest.includes('q') },
		]),
);
const STATS = 16;
const QUIT_QUIETLY = 23;

/** Of an answer; those of the text protocol have the same names. */
const CODES: Record<number, string> = {
	...{ 1: 'NOT_FOUND', 2: 'EXISTS', 3: 'TOO_LARGE', 4: 'INVALID', 5: 'NOT_STORED', 6: 'NOT_NUMERIC', 7: 'WRONG_SERVER', 32: 'AUTH_ERROR' },
	...{
		33: 'AUTH_CONTINUE',
		129: 'UNKNOWN_COMMAND',
		130: 'OUT_OF_MEMORY',
		131: 'NOT_SUPPORTED',
		132: 'INTERNAL_ERROR',
		133: 'BUSY',
		134: 'TEMPORARY_FAILURE',
	},
};
const BAD = new Set(['OUT_OF_MEMORY', 'INTERNAL_ERROR', 'BUSY', 'TEMPORARY_FAILURE']);
/** A value that is not there is an answer; a login goes on. */
const GOOD = new Set(['AUTH_CONTINUE']);
const READING = new Set(['get', 'gat']);

export class BinaryConversation extends Exchange<FrameReader> {
	#underWay: Queue<Open> = new Queue();

	constructor(emit: Emit) {
		super(
			emit,
			() => this.#takeAll(),
			new FrameReader({
				head: headOf,
				want: HEAD,
				lengthOf: (head) => lengthOf(head, ASKS),
				onFrame: (frame) => this.#onQuestion(frame),
				onLost: (bytes, at) => emit.unknown('client', bytes, at),
			}),
			new FrameReader({
				head: headOf,
				want: HEAD,
				lengthOf: (head) => lengthOf(head, ANSWERS),
				onFrame: (frame) => this.#onAnswer(frame),
				onLost: (bytes, at) => this.lost.note(this.#underWay.first?.call, bytes, at),
			}),
		);
	}

	close(end: ConnectionEnd) {
		this.lost.end();
		const { partial } = this.answers;
		const { first } = this.#underWay;
		if (partial && first) answerBegins(first.call, partial.began_at);
		const begun = this.questions.partial;
		const open = this.#takeAll();
		if (begun) open.push(newCall(begun.began_at));
		for (const call of open) this.emit.call(brokenOff(call, end));
	}

	#onQuestion({ bytes, began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const opcode = bytes[1];
		const { verb = '', isQuiet = false } = OPCODES.get(opcode) ?? {};
		if (opcode === QUIT_QUIETLY) return;
		if (this.#underWay.size >= UNDER_WAY_MOST) {
			this.emit.unknown('client', length, beganAt);
			return;
		}
		const call = Object.assign(newCall(beganAt), { verb, template: verb, sent_at: seenAt(endedAt), sent_bytes: length });
		if (verb.startsWith('sasl')) call.role = 'connect';
		else if (verb === 'version') call.role = 'beat';
		this.#underWay.push({ call, opcode, mark: bytes.readUInt32BE(12), isQuiet });
	}

	#onAnswer({ bytes, began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const [opcode, mark] = [bytes[1], bytes.readUInt32BE(12)];
		for (let { first } = this.#underWay; first?.isQuiet && !(first.opcode === opcode && first.mark === mark); { first } = this.#underWay) {
			this.#underWay.shift();
			this.emit.call(wasSent(first.call, first.call.sent_at ?? first.call.began_at));
		}
		if (this.#underWay.size === 0) this.questions.giveOpen();
		const { first } = this.#underWay;
		if (!first || first.opcode !== opcode) {
			this.emit.unknown('server', length, endedAt);
			return;
		}
		answerBegins(first.call, beganAt);
		first.call.answered_bytes += length;
		const status = bytes.readUInt16BE(6);
		// Statistics come one a message, up to one without a name.
		if (opcode === STATS && status === 0 && bytes.readUInt16BE(2) > 0) return;
		this.#underWay.shift();
		this.emit.call(answered(Object.assign(first.call, binaryErrorOf(first.call.verb, status)), endedAt));
	}

	#takeAll() {
		return this.#underWay.takeAll().map(({ call }) => call);
	}
}

function binaryErrorOf(verb: string, status: number) {
	if (status === 0) return { code: null, bad: false };
	const code = CODES[status] ?? 'unknown';
	if (GOOD.has(code) || (code === 'NOT_FOUND' && READING.has(verb))) return { code: null, bad: false };
	return { code, bad: BAD.has(code) };
}

const headOf = () => HEAD;
function lengthOf(head: Buffer, magic: number): number | null {
	const [key, body] = [head.readUInt16BE(2), head.readUInt32BE(8)];
	const isOne = head[0] === magic && head[5] === 0 && key <= KEY_MOST && key + head[4] <= body && body <= LONGEST;
	return isOne ? HEAD + body : null;
}

/** Whether a client begins so: a head that fits its command. */
export function beginsBinary(client: Buffer): Verdict {
	if (client.length > 0 && client[0] !== ASKS) return 'no';
	if (client.length > 1 && !OPCODES.has(client[1])) return 'no';
	if (client.length < HEAD) return 'more';
	const { extras = [0] } = OPCODES.get(client[1]) ?? {};
	return lengthOf(client, ASKS) !== null && extras.includes(client[4]) && client.readUInt16BE(6) === 0 ? 'yes' : 'no';
}
