import type { Role, Verdict } from '../../wire/contract.ts';

/** Length and number of a packet. */
export const HEAD = 4;
export const OK = 0x00;
export const ERROR = 0xff;
const PROTOCOL_10 = 0x0a;

/** Flags of what client and server can. */
export const CAN = { compress: 1 << 5, tls: 1 << 11, deprecateEof: 1 << 24, zstd: 1 << 26 };

/** Commands: the verb of those that carry no statement, and which of them get no answer. */
export const COMMANDS: Record<
	number,
	{ verb: string; role?: Role; isSilent?: boolean; isStatement?: boolean; isRun?: boolean; isPrepare?: boolean }
> = {
	1: { verb: 'QUIT', isSilent: true },
	2: { verb: 'USE' },
	3: { verb: '', isStatement: true },
	4: { verb: 'FIELDS' },
	8: { verb: 'SHUTDOWN' },
	9: { verb: 'STATISTICS', role: 'beat' },
	12: { verb: 'KILL' },
	13: { verb: 'DEBUG' },
	14: { verb: 'PING', role: 'beat' },
	17: { verb: 'CONNECT', role: 'connect' },
	18: { verb: 'BINLOG', role: 'wait' },
	22: { verb: '', isStatement: true, isPrepare: true },
	23: { verb: 'EXECUTE', isRun: true },
	24: { verb: 'SEND', isSilent: true },
	25: { verb: 'CLOSE', isSilent: true },
	26: { verb: 'RESET' },
	27: { verb: 'SET' },
	28: { verb: 'FETCH' },
	30: { verb: 'BINLOG', role: 'wait' },
	31: { verb: 'RESET' },
};

/**
 * Errors that are the server's, or come of what others do in it: no room, a limit, a lock, a time-out, a shutdown, a file. With all others
 * it could answer. https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html, https://mariadb.com/docs/server/reference/error-codes
 */
const SERVERS = new Set([
	1020, 1021, 1023, 1026, 1030, 1034, 1035, 1037, 1038, 1040, 1041, 1053, 1077, 1078, 1079, 1080, 1105, 1114, 1119, 1129, 1135, 1152, 1154,
	1158, 1159, 1160, 1161, 1180, 1181, 1184, 1185, 1189, 1194, 1195, 1203, 1205, 1206, 1207, 1213, 1223, 1226, 1290, 1297, 1317, 1436, 1461,
	1478, 1614, 1836, 1927, 1969, 2006, 2013, 3024, 3058, 3572, 4031,
]);

/**
 * The text of a statement. Where both sides can, a number of attributes and a one come before it; what has some is not read, they are values.
 * https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query.html
 * @param bytes of its packet
 */
export const statementIn = (bytes: Buffer) =>
	bytes.toString('latin1', bytes[HEAD + 1] === 0 && bytes[HEAD + 2] === 1 ? HEAD + 3 : HEAD + 1);

/** @param number of an error */
export const isServersFault = (number: number) => SERVERS.has(number);

/**
 * @param body of an error
 * @returns 0: it was not recorded
 */
export const readErrorNumber = (body: Buffer): number => (body.length >= 3 ? body.readUInt16LE(1) : 0);

/** What a greeting says that the server can. */
export function readGreeting(body: Buffer): number | null {
	const end = body.indexOf(0, 1);
	// Behind the version: thread 4, salt 8, a zero byte, flags 2, character set 1, status 2, flags 2.
	const at = end + 1 + 4 + 8 + 1;
	if (body[0] !== PROTOCOL_10 || end < 0 || at + 7 > body.length) return null;
	return body.readUInt16LE(at) | (body.readUInt16LE(at + 5) << 16);
}

const GREETING_LEAST = 45;
const GREETING_MOST = 512;

/** Whether a server begins so: its greeting, or an error in place of it. */
export function beginsServer(server: Buffer): Verdict {
	if (server.length < HEAD + 4) return 'more';
	const length = server.readUIntLE(0, 3);
	const body = server.subarray(HEAD, HEAD + length);
	if (server[3] !== 0 || length > GREETING_MOST) return 'no';
	const text = body.toString('latin1');
	if (body[0] === PROTOCOL_10 && length >= GREETING_LEAST) {
		// A version, as in "8.0.36" and "5.5.5-10.11.18-MariaDB".
		if (/^\n\d[\x20-\x7e]{2,79}\0/.test(text)) return 'yes';
		return /^\n(?:\d[\x20-\x7e]*)?$/.test(text) ? 'more' : 'no';
	}
	const number = readErrorNumber(body);
	if (body[0] !== ERROR || number < 1000 || number > 5000 || length < 8) return 'no';
	return /^(?:#[0-9A-Z]{5})?[A-Z][\x20-\x7e]{3}/.test(text.slice(3)) ? 'yes' : 'no';
}

/** Of a command; a longer one is recorded in part. */
const COMMAND_READ = 256;

/** Whether the bytes are a command and the beginning of its answer. */
export function isCommandAndAnswer(client: Buffer, server: Buffer) {
	if (client.length < HEAD + 1 || client[3] !== 0 || server.length < HEAD + 1 || server[3] !== 1) return false;
	const end = HEAD + client.readUIntLE(0, 3);
	if (client.length < Math.min(end, COMMAND_READ)) return false;
	const command = COMMANDS[client[HEAD]];
	if (!command || command.isSilent) return false;
	// Of a statement its first word, of others only the command's own byte may be there.
	if (!command.isStatement) return command.verb === 'PING' && end === HEAD + 1;
	return /^\s*[A-Za-z]{2,12}\b/.test(statementIn(client.subarray(0, Math.min(end, COMMAND_READ))));
}
