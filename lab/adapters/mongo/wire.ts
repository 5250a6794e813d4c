/**
 * MongoDB's protocol on the wire: messages with a number each, and in an answer the number of what it answers.
 * https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
import { answerBegins, answered, brokenOff, Exchange, endUnseen, newCall, seenAt } from '../../wire/calls.ts';
import type { Call, ConnectionEnd, Decoder, Emit, Role, Verdict } from '../../wire/contract.ts';
import type { Frame } from '../../wire/stream-reader.ts';
import { FrameReader } from '../../wire/stream-reader.ts';

/*
 * What is read of commands and of their answers. https://www.mongodb.com/docs/manual/reference/command/
 */

/**
 * The top of a document of BSON, as far as it was recorded: names, and the few values that are asked for. https://bsonspec.org/spec.html
 */
/** at: where its value begins; size: of the value */
type Element = { name: string; type: number; at: number; size: number };

const LENGTH = 4;
const NAME_MOST = 64;
const SIZES: Record<number, number> = { 1: 8, 6: 0, 7: 12, 8: 1, 9: 8, 10: 0, 16: 4, 17: 8, 18: 8, 19: 16, 127: 0, 255: 0 };
/** A length, that many bytes. */
const TEXTS = new Set([2, 13, 14]);
/** A length that counts itself. */
const DOCUMENTS = new Set([3, 4, 15]);
const BINARY = 5;

/**
 * @param from where the document begins
 * @param most elements that are wanted
 * @returns isCut: it goes on where it was not recorded, or is none
 */
function readElements(bytes: Buffer, from: number, most: number = Number.MAX_SAFE_INTEGER): { elements: Element[]; isCut: boolean } {
	const elements: Element[] = [];
	const end = from + LENGTH <= bytes.length ? from + bytes.readInt32LE(from) : 0;
	let at = from + LENGTH;
	while (at < end && at < bytes.length && elements.length < most) {
		const type = bytes[at];
		if (type === 0) return { elements, isCut: false };
		const stop = bytes.indexOf(0, at + 1);
		if (stop < 0 || stop - at > NAME_MOST) break;
		const name = bytes.toString('latin1', at + 1, stop);
		const size = sizeOf(bytes, type, stop + 1);
		if (size === null || size < 0) break;
		elements.push({ name, type, at: stop + 1, size });
		at = stop + 1 + size;
	}
	return { elements, isCut: true };
}

/** @returns null: it is not known */
function sizeOf(bytes: Buffer, type: number, at: number): number | null {
	if (type in SIZES) return SIZES[type];
	if (at + LENGTH > bytes.length) return null;
	const length = bytes.readInt32LE(at);
	if (TEXTS.has(type)) return LENGTH + length;
	if (DOCUMENTS.has(type)) return length;
	return type === BINARY ? LENGTH + 1 + length : null;
}

/** @returns null: there is none, or it was not recorded */
function readNumber(bytes: Buffer, element: Element | undefined): number | null {
	if (!element || element.at + element.size > bytes.length) return null;
	if (element.type === 1) return bytes.readDoubleLE(element.at);
	if (element.type === 8) return bytes[element.at];
	if (element.type === 16) return bytes.readInt32LE(element.at);
	return element.type === 18 ? Number(bytes.readBigInt64LE(element.at)) : null;
}

/** @returns empty: it is none, or was not recorded */
function readText(bytes: Buffer, element: Element | undefined): string {
	if (element?.type !== 2 || element.at + element.size > bytes.length) return '';
	return bytes.toString('utf8', element.at + LENGTH, element.at + element.size - 1);
}

/** Whatever else stands first in a message is not kept. In the spelling of the server. */
const VERBS = new Set(
	(
		'abortTransaction aggregate authenticate buildInfo buildinfo bulkWrite collMod collStats commitTransaction compact connPoolStats connectionStatus ' +
		'convertToCapped count create createIndexes createUser currentOp dbStats delete distinct drop dropDatabase dropIndexes endSessions ' +
		'explain find findAndModify findandmodify fsync getCmdLineOpts getLog getMore getParameter hello hostInfo insert isMaster ismaster ' +
		'killCursors killOp killSessions listCollections listDatabases listIndexes logout mapReduce ping profile refreshSessions ' +
		'renameCollection replSetGetStatus replSetHeartbeat replSetUpdatePosition replSetStepDown replSetInitiate replSetGetConfig saslContinue ' +
		'saslStart serverStatus setParameter shutdown startSession top update usersInfo validate whatsmyuri'
	).split(' '),
);
const GREETINGS = new Set(['hello', 'isMaster', 'ismaster']);
const LOGINS = new Set(['saslStart', 'saslContinue', 'authenticate']);
const BEATS = new Set(['ping', 'replSetHeartbeat', 'replSetUpdatePosition']);
/** Of others it is a name of a user, or of something of the server's. */
const OF_COLLECTIONS = new Set(
	(
		'aggregate collMod collStats compact convertToCapped count create createIndexes delete distinct drop dropIndexes find findAndModify ' +
		'findandmodify getMore insert killCursors listIndexes mapReduce renameCollection update validate'
	).split(' '),
);
const COLLECTION = /^[A-Za-z_][\w.-]{0,63}$/;

/**
 * @param from where its document begins
 * @param isFirst of its connection
 */
function readCommand(bytes: Buffer, from: number, isFirst: boolean): { verb: string; template: string; role: Role } {
	const [first] = readElements(bytes, from, 1).elements;
	const verb = first && VERBS.has(first.name) ? first.name : '';
	if (GREETINGS.has(verb)) return { verb, template: verb, role: isFirst ? 'connect' : 'beat' };
	if (!OF_COLLECTIONS.has(verb)) return { verb, template: verb, role: LOGINS.has(verb) ? 'connect' : BEATS.has(verb) ? 'beat' : 'call' };
	const collection = readText(
		bytes,
		verb === 'getMore' ? readElements(bytes, from).elements.find(({ name }) => name === 'collection') : first,
	);
	// A name with a number may be made for each user.
	return { verb, template: COLLECTION.test(collection) ? `${verb} ${collection.replace(/\d{2,}/g, ':n')}` : verb, role: 'call' };
}

/**
 * Errors that are the server's: no room, a time-out, a shutdown, another primary, what others do in it. With all others it could answer.
 * https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const SERVERS = new Set([
	1, 6, 7, 8, 24, 50, 63, 64, 79, 89, 91, 100, 112, 133, 134, 136, 146, 175, 189, 202, 225, 237, 246, 251, 262, 290, 292, 317, 349, 358,
	384, 402, 462, 9001, 10107, 11600, 11601, 11602, 13388, 13435, 13436, 14031, 16755,
]);

/**
 * @param from where its document begins
 * @returns code: of the answer, or of the first write that failed
 */
function readAnswer(bytes: Buffer, from: number): { code: string | null; bad: boolean; isCut: boolean } {
	const { elements, isCut } = readElements(bytes, from);
	const named = (name: string) => elements.find((element) => element.name === name);
	const ok = readNumber(bytes, named('ok'));
	const own = readNumber(bytes, named('code'));
	if (ok === 0)
		return { code: own === null ? 'unknown' : String(own), bad: own === null || SERVERS.has(own), isCut: isCut && own === null };
	const errors = named('writeErrors') ?? named('writeConcernError');
	const code = errors ? firstCode(bytes, errors) : null;
	// What found something begins with it; only an error has nothing else to say.
	const hasData = elements[0]?.name === 'cursor';
	return { code: code === null ? null : String(code), bad: code !== null && SERVERS.has(code), isCut: isCut && ok === null && !hasData };
}

/** @param errors one, or a list of them */
function firstCode(bytes: Buffer, { type, at }: Element) {
	const { elements } = readElements(bytes, at);
	const [first] = elements;
	const own = type === 4 && first ? readElements(bytes, first.at).elements : elements;
	return readNumber(
		bytes,
		own.find(({ name }) => name === 'code'),
	);
}

const HEAD = 16;
/** The server's own bound of a message (maxMessageSizeBytes). */
const LONGEST = 48_000_000;
/** A command's name and collection come first; an answer has its code within the first hundreds of bytes. */
const WANTED = 512;
const UNDER_WAY_MOST = 1024;
const MESSAGE = 2013;
const COMPRESSED = 2012;
const QUERY = 2004;
const REPLY = 1;
const MORE_TO_COME = 1 << 1;
/** Sections of a message: a document, or a list of them with a name. */
const BODY = 0;
const SEQUENCE = 1;

export const decoder: Decoder = {
	protocol: 'mongodb',
	title: 'MongoDB',
	recognise(client, server) {
		if (client.length > 0) return begins(client, [MESSAGE, COMPRESSED, QUERY]);
		return server.length === 0 || begins(server, [MESSAGE, COMPRESSED, REPLY]) !== 'no' ? 'more' : 'no';
	},
	open: (emit) => new MongoConversation(emit),
};

class MongoConversation extends Exchange<FrameReader> {
	/** By the number of the question. */
	#underWay: Map<number, Call> = new Map();
	#isFirst = true;

	constructor(emit: Emit) {
		super(
			emit,
			() => this.#takeAll(),
			new FrameReader({
				head: headOf,
				lengthOf,
				want: WANTED,
				onFrame: (frame) => this.#onQuestion(frame),
				onLost: (bytes, at) => emit.unknown('client', bytes, at),
			}),
			new FrameReader({
				head: headOf,
				lengthOf,
				want: WANTED,
				onFrame: (frame) => this.#onAnswer(frame),
				// Whose they are is not known.
				onLost: (bytes, at) => (this.#underWay.size > 0 ? this.lost.noteAt(at) : emit.unknown('server', bytes, at)),
			}),
		);
	}

	close(end: ConnectionEnd) {
		this.lost.end();
		const begun = this.questions.partial;
		const answer = this.answers.partial;
		// Which question it answers is in its head.
		const asked = answer && answer.bytes.length >= 12 ? this.#underWay.get(answer.bytes.readInt32LE(8)) : undefined;
		if (answer && asked) answerBegins(asked, answer.began_at);
		const open = [...this.#takeAll(), ...(begun ? [newCall(begun.began_at)] : [])];
		for (const call of open) this.emit.call(brokenOff(call, end));
	}

	#onQuestion({ bytes, began_at: beganAt, ended_at: endedAt, length, isCut }: Frame) {
		const code = bytes.readInt32LE(12);
		const from = documentIn(bytes, code);
		if (code === MESSAGE && bytes.length >= 20 && bytes.readInt32LE(HEAD) & MORE_TO_COME) return;
		const number = bytes.readInt32LE(4);
		const before = this.#underWay.get(number);
		if (before) this.emit.call(endUnseen(before));
		else if (this.#underWay.size >= UNDER_WAY_MOST) {
			this.emit.unknown('client', length, beganAt);
			return;
		}
		const call = newCall(beganAt);
		call.sent_at = seenAt(endedAt);
		call.sent_bytes = length;
		if (from === null) {
			// Compressed, or longer lists than are read come first.
			call.hole = true;
		} else {
			const { verb, template, role } = readCommand(bytes, from, this.#isFirst);
			call.verb = verb;
			call.template = template;
			if (role !== 'call') call.role = role;
			if (verb === '' && isCut) call.hole = true;
		}
		this.#isFirst = false;
		this.#underWay.set(number, call);
	}

	#onAnswer({ bytes, began_at: beganAt, ended_at: endedAt, length }: Frame) {
		const number = bytes.readInt32LE(8);
		if (!this.#underWay.has(number)) this.#giveOpen(number);
		const call = this.#underWay.get(number);
		// Further answers to a question that goes on by itself: the driver's look at the server.
		if (!call) return;
		this.#underWay.delete(number);
		const code = bytes.readInt32LE(12);
		const from = documentIn(bytes, code);
		const answer = from === null ? { code: null, bad: false, isCut: true } : readAnswer(bytes, from);
		call.code = answer.code;
		call.bad = answer.bad;
		call.answered_bytes = length;
		if (answer.isCut && length > bytes.length + HEAD) call.hole = true;
		answerBegins(call, beganAt);
		this.emit.call(answered(call, endedAt));
	}

	/** A question that is answered before it has come as a whole. */
	#giveOpen(number: number) {
		const begun = this.questions.partial;
		if (begun && begun.bytes.length >= HEAD && begun.bytes.readInt32LE(4) === number) this.questions.giveOpen();
	}

	#takeAll() {
		const all = [...this.#underWay.values()];
		this.#underWay.clear();
		return all;
	}
}

/** Where the document of a message begins that has the command or its answer. */
function documentIn(bytes: Buffer, code: number): number | null {
	if (code === REPLY) return HEAD + 20;
	if (code === QUERY) {
		const name = bytes.indexOf(0, HEAD + 4);
		return name < 0 ? null : name + 1 + 8;
	}
	if (code !== MESSAGE) return null;
	let at = HEAD + 4;
	// A length that is none is not taken for one: it counts itself.
	while (bytes[at] === SEQUENCE && at + 5 <= bytes.length && bytes.readInt32LE(at + 1) > 4) at += 1 + bytes.readInt32LE(at + 1);
	return bytes[at] === BODY ? at + 1 : null;
}

const headOf = () => HEAD;
function lengthOf(head: Buffer) {
	const length = head.readInt32LE(0);
	return length >= HEAD && length <= LONGEST && [MESSAGE, COMPRESSED, QUERY, REPLY].includes(head.readInt32LE(12)) ? length : null;
}

function begins(bytes: Buffer, codes: number[]): Verdict {
	if (bytes.length < HEAD) return 'more';
	const length = bytes.readInt32LE(0);
	return length > HEAD && length <= LONGEST && codes.includes(bytes.readInt32LE(12)) ? 'yes' : 'no';
}
