/** What is read of single messages. */

import type { Verdict } from '../../wire/contract.ts';
import type { State } from './wire.ts';

/** Codes of what comes before a session. */
export const START = { cancel: 80877102, tls: 80877103, gss: 80877104 };
const PROTOCOL_MAJOR = 3;
/** PostgreSQL's own bound of a startup message (MAX_STARTUP_PACKET_LENGTH). */
const START_LONGEST = 10_000;

/** Of ReadyForQuery. */
export const STATES: Record<number, State> = { 73: 'idle', 84: 'transaction', 69: 'failed-transaction' };

/**
 * Classes of SQLSTATE that say that the question was wrong, or that what it asked for is not so: the server could answer it. All others
 * (resources, deadlocks, time-outs, shutdowns, disks) are the server's. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const ASKERS = new Set('00 01 02 03 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 42 44 P0'.split(' '));
/** The server ended a session that stood in a transaction for too long. */
const SERVERS = new Set(['25P03', '25P04']);

/** @param code a SQLSTATE */
export const isAskersFault = (code: string) => ASKERS.has(code.slice(0, 2)) && !SERVERS.has(code);

/** Texts that end with a zero byte, one after the other; the last may be cut. */
export const readTexts = (bytes: Buffer): string[] => bytes.toString('latin1').split('\0', 2);

/**
 * Fields of one letter and a text.
 * @returns code: empty where it was not recorded
 */
export function readError(bytes: Buffer): { code: string; isFatal: boolean } {
	const fields = bytes.toString('latin1').split('\0');
	const field = (letter: string) => fields.find((text) => text[0] === letter)?.slice(1) ?? '';
	const code = field('C');
	// The severity in the server's language, and since version 9.6 in English too.
	return { code: /^[0-9A-Z]{5}$/.test(code) ? code : '', isFatal: /^(?:FATAL|PANIC)$/.test(field('V') || field('S')) };
}

/** In which state a statement leaves the connection whose answer's end was not recorded. */
export function stateAfter(verb: string, before: State): State {
	if (['BEGIN', 'START'].includes(verb)) return 'transaction';
	return ['COMMIT', 'END', 'ROLLBACK', 'ABORT', 'DISCARD'].includes(verb) ? 'idle' : before;
}

/** Whether a connection begins so. */
export function beginsStart(client: Buffer): Verdict {
	if (client.length < 8) return client.length === 0 || client[0] === 0 ? 'more' : 'no';
	const [length, code] = [client.readInt32BE(0), client.readInt32BE(4)];
	if (code === START.tls || code === START.gss) return length === 8 ? 'yes' : 'no';
	if (code === START.cancel) return length >= 16 && length <= 268 ? 'yes' : 'no';
	if (code >>> 16 !== PROTOCOL_MAJOR || length > START_LONGEST) return 'no';
	// Names and values, each with a zero byte: `user` is the one that must be there.
	return length > 8 && /^[\x20-\x7e]/.test(client.toString('latin1', 8)) ? 'yes' : 'no';
}

const ASKED = new Set([...'QPBEDCSHFdcf']);
const ANSWERED = new Set([...'123CDEGHIKNSTZWnst']);

/** Whether the bytes begin with whole messages of a client up to one that wants an answer. */
export function isTypedQuestion(client: Buffer) {
	let at = 0;
	while (at + 5 <= client.length) {
		const type = String.fromCharCode(client[at]);
		const length = client.readInt32BE(at + 1);
		if (!ASKED.has(type) || length < 4 || at + 1 + length > client.length) return false;
		if (type === 'Q') return client[at + length] === 0;
		if (type === 'S') return length === 4;
		at += 1 + length;
	}
	return false;
}

/** Whether the bytes begin with a message of a server. */
export function beginsAnswer(server: Buffer) {
	if (server.length < 6) return false;
	const length = server.readInt32BE(1);
	return ANSWERED.has(String.fromCharCode(server[0])) && length >= 4 && length < 1 << 24;
}
