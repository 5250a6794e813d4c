/** What is read of commands and of their answers. https://www.mongodb.com/docs/manual/reference/command/ */

import type { Role } from '../../wire/contract.ts';

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
export function readCommand(bytes: Buffer, from: number, isFirst: boolean): { verb: string; template: string; role: Role } {
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
export function readAnswer(bytes: Buffer, from: number): { code: string | null; bad: boolean; isCut: boolean } {
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
