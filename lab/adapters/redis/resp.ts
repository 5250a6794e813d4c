/**
 * One direction of a Redis connection as values of its protocol (RESP 2 and 3), over holes: where each begins and ends, the first words of
 * a list, the first word of an error. https://redis.io/docs/latest/develop/reference/protocol-spec/
 */

import type { Chunk, Role, Verdict } from '../../wire/contract.ts';
import { StreamReader } from '../../wire/stream-reader.ts';

export type Value = {
	began_at: number;
	/** not a number where it was not recorded, or had not come when it was given (`giveOpen`) */
	ended_at: number;
	/** the sign that it begins with */
	type: string;
	/** the first texts of a list, each as far as it was wanted and recorded; of an error or a line, itself */
	words: string[];
	/** in bytes */
	length: number;
	/** what was wanted of it was not recorded */
	isCut: boolean;
};

const LF = 10;
/** A sign and a number. */
const LINE_MOST = 32;
/** Simple texts and errors. */
const TEXT_MOST = 4096;
const WORD_BYTES = 24;
const WORDS_MOST = 10;
/** More values than any command or answer has. */
const VALUES_MOST = 1e9;
const LISTS = new Map([
	['*', 1],
	['~', 1],
	['>', 1],
	['%', 2],
	['|', 2],
]);
const TEXTS = new Set('$=!');
const SIMPLE = new Set('+-:_#,(');

export class RespReader {
	stream = new StreamReader();
	#reported;
	/** Values that are still to come until the one that was begun is whole. */
	#left = 0;
	#value: Value | null = null;
	#beganAt = 0;
	/** A text whose end has not come. */
	#isInText = false;
	/** The value was given before its end had come. */
	#isGiven = false;

	constructor(reported: { onValue: (value: Value) => void; onLost: (bytes: number, at: number) => void }) {
		this.#reported = reported;
	}

	/** When the value began whose end has not come; null between values. */
	get beganAt() {
		return this.#isGiven ? null : (this.#value?.began_at ?? this.stream.at);
	}

	/** Gives the value whose end has not come, since its answer has: the rest of it is read, and not given. */
	giveOpen() {
		if (!this.#value || this.#isGiven) return;
		this.#isGiven = true;
		this.#reported.onValue({ ...this.#value, ended_at: Number.NaN, length: this.stream.position - this.#beganAt });
	}

	push(chunk: Chunk) {
		const dropped = this.stream.read(chunk, this.#step);
		if (dropped > 0) this.#reported.onLost(dropped, chunk.at);
	}

	/** @returns whether there may be more to read */
	#step = (): boolean => {
		const { stream } = this;
		if (this.#isInText) {
			if (stream.debt > 0) return false;
			this.#isInText = false;
			this.#ends();
			return true;
		}
		if (stream.isEmpty) return false;
		const sign = String.fromCharCode(stream.first ?? 0);
		const most = SIMPLE.has(sign) ? TEXT_MOST : LINE_MOST;
		const line = stream.peek(most);
		const end = line.indexOf(LF);
		if (end < 0) return line.length === most || stream.isCutWithin(most) ? this.#lose(sign, line) : false;
		return this.#takes(sign, line.toString('latin1', 1, end).replace(/\r$/, ''), end + 1);
	};

	/** @param size of the line */
	#takes(sign: string, text: string, size: number) {
		const { stream } = this;
		if (SIMPLE.has(sign)) {
			const value = this.#begins(sign);
			if (this.#isWanted(value)) value.words.push(text.slice(0, WORD_BYTES * 2));
			stream.skip(size);
			this.#ends();
			return true;
		}
		const number = /^-?\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
		if (Number.isNaN(number) || !(LISTS.has(sign) || TEXTS.has(sign))) return this.#lose(sign, Buffer.alloc(0));
		if (TEXTS.has(sign)) return this.#takesText(sign, number, size);
		const value = this.#begins(sign);
		stream.skip(size);
		// Attributes come before the value that they are of.
		this.#left += Math.max(0, number) * (LISTS.get(sign) as number) + (sign === '|' ? 1 : 0);
		if (this.#left > VALUES_MOST) return this.#lose(sign, Buffer.alloc(0));
		value.type = value.type === '|' ? sign : value.type;
		this.#ends();
		return true;
	}

	/** @param size of the line */
	#takesText(sign: string, length: number, size: number) {
		const { stream } = this;
		const want = Math.min(Math.max(0, length), WORD_BYTES);
		const isWanted = this.#value === null || this.#isWanted(this.#value);
		const bytes = stream.peek(size + want);
		if (isWanted && bytes.length < size + want && !stream.isCutWithin(size + want)) return false;
		const value = this.#begins(sign);
		if (isWanted) {
			value.words.push(bytes.toString('latin1', size));
			if (bytes.length < size + want) value.isCut = true;
		}
		stream.skip(size + (length < 0 ? 0 : length + '\r\n'.length));
		this.#isInText = true;
		return true;
	}

	#isWanted({ words }: Value) {
		return words.length < WORDS_MOST;
	}

	#begins(type: string): Value {
		if (!this.#value) {
			this.#value = { began_at: this.stream.at as number, ended_at: 0, type, words: [], length: 0, isCut: false };
			this.#beganAt = this.stream.position;
			this.#left = 1;
		}
		return this.#value;
	}

	/** One value less is still to come. */
	#ends() {
		this.#left -= 1;
		const value = this.#value;
		if (this.#left > 0 || !value) return;
		this.#value = null;
		if (this.#isGiven) this.#isGiven = false;
		else this.#reported.onValue({ ...value, ended_at: this.stream.passedAt, length: this.stream.position - this.#beganAt });
	}

	/** Where the next value begins is not known. */
	#lose(sign: string, line: Buffer) {
		const value = this.#value;
		this.#value = null;
		this.#left = 0;
		const isGiven = this.#isGiven;
		this.#isGiven = false;
		if (!isGiven && (value || SIMPLE.has(sign))) {
			const words = value?.words ?? [line.toString('latin1', 1, WORD_BYTES * 2)];
			const { at } = this.stream;
			this.#reported.onValue({
				...{ began_at: value?.began_at ?? (at as number), ended_at: Number.NaN, type: value?.type ?? sign },
				...{ words, length: 0, isCut: true },
			});
		}
		this.stream.lose();
		return !this.stream.isEmpty;
	}
}

/*
 * What commands of Redis are for, by their names. https://redis.io/docs/latest/commands/
 */

/** Whatever else a client sends as a command is not kept: it may be a key. */
const NAMES = new Set(
	(
		'APPEND ASKING AUTH BGREWRITEAOF BGSAVE BITCOUNT BITFIELD BITFIELD_RO BITOP BITPOS BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX ' +
		'BZPOPMIN COPY DBSIZE DECR DECRBY DEL DISCARD DUMP ECHO EVAL EVALSHA EVALSHA_RO EVAL_RO EXEC EXISTS EXPIRE EXPIREAT EXPIRETIME ' +
		'FAILOVER FCALL FCALL_RO FLUSHALL FLUSHDB GEOADD GEODIST GEOHASH GEOPOS GEORADIUS GEORADIUSBYMEMBER GEOSEARCH GEOSEARCHSTORE GET GETBIT ' +
		'GETDEL GETEX GETRANGE GETSET HDEL HELLO HEXISTS HEXPIRE HGET HGETALL HGETDEL HGETEX HINCRBY HINCRBYFLOAT HKEYS HLEN HMGET HMSET HPERSIST ' +
		'HPEXPIRE HRANDFIELD HSCAN HSET HSETEX HSETNX HSTRLEN HTTL HVALS INCR INCRBY INCRBYFLOAT INFO KEYS LASTSAVE LCS LINDEX LINSERT LLEN ' +
		'LMOVE LMPOP LOLWUT LPOP LPOS LPUSH LPUSHX LRANGE LREM LSET LTRIM MGET MIGRATE MONITOR MOVE MSET MSETNX MULTI PERSIST PEXPIRE ' +
		'PEXPIREAT PFADD PFCOUNT PFMERGE PING PSETEX PSUBSCRIBE PSYNC PTTL PUBLISH PUNSUBSCRIBE QUIT RANDOMKEY READONLY READWRITE RENAME ' +
		'RENAMENX REPLCONF REPLICAOF RESET RESTORE ROLE RPOP RPOPLPUSH RPUSH RPUSHX SADD SAVE SCAN SCARD SDIFF SDIFFSTORE SELECT SET SETBIT ' +
		'SETEX SETNX SETRANGE SHUTDOWN SINTER SINTERCARD SINTERSTORE SISMEMBER SMEMBERS SMISMEMBER SMOVE SORT SORT_RO SPOP SPUBLISH SRANDMEMBER ' +
		'SREM SSCAN SSUBSCRIBE STRLEN SUBSCRIBE SUBSTR SUNION SUNIONSTORE SUNSUBSCRIBE SWAPDB SYNC TIME TOUCH TTL TYPE UNLINK UNSUBSCRIBE UNWATCH ' +
		'WAIT WAITAOF WATCH XACK XADD XAUTOCLAIM XCLAIM XDEL XLEN XPENDING XRANGE XREAD XREADGROUP XREVRANGE XSETID XTRIM ZADD ZCARD ZCOUNT ' +
		'ZDIFF ZDIFFSTORE ZINCRBY ZINTER ZINTERCARD ZINTERSTORE ZLEXCOUNT ZMPOP ZMSCORE ZPOPMAX ZPOPMIN ZRANDMEMBER ZRANGE ZRANGEBYLEX ' +
		'ZRANGEBYSCORE ZRANGESTORE ZRANK ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYLEX ZREVRANGEBYSCORE ZREVRANK ' +
		'ZSCAN ZSCORE ZUNION ZUNIONSTORE'
	).split(' '),
);
/** Their second word is a command of its own. */
const FAMILIES: Record<string, string> = {
	ACL: 'CAT DELUSER DRYRUN GENPASS GETUSER LIST LOAD LOG SAVE SETUSER USERS WHOAMI',
	CLIENT: 'CACHING GETNAME GETREDIR ID INFO KILL LIST NO-EVICT NO-TOUCH PAUSE REPLY SETINFO SETNAME TRACKING TRACKINGINFO UNBLOCK UNPAUSE',
	CLUSTER:
		'ADDSLOTS ADDSLOTSRANGE BUMPEPOCH COUNT-FAILURE-REPORTS COUNTKEYSINSLOT DELSLOTS DELSLOTSRANGE FAILOVER FLUSHSLOTS FORGET GETKEYSINSLOT ' +
		'INFO KEYSLOT LINKS MEET MYID MYSHARDID NODES REPLICAS REPLICATE RESET SAVECONFIG SET-CONFIG-EPOCH SETSLOT SHARDS SLAVES SLOTS',
	COMMAND: 'COUNT DOCS GETKEYS GETKEYSANDFLAGS INFO LIST',
	CONFIG: 'GET RESETSTAT REWRITE SET',
	DEBUG: '',
	FUNCTION: 'DELETE DUMP FLUSH KILL LIST LOAD RESTORE STATS',
	LATENCY: 'DOCTOR GRAPH HISTOGRAM HISTORY LATEST RESET',
	MEMORY: 'DOCTOR MALLOC-STATS PURGE STATS USAGE',
	MODULE: 'LIST LOAD LOADEX UNLOAD',
	OBJECT: 'ENCODING FREQ IDLETIME REFCOUNT',
	PUBSUB: 'CHANNELS NUMPAT NUMSUB SHARDCHANNELS SHARDNUMSUB',
	SCRIPT: 'DEBUG EXISTS FLUSH KILL LOAD',
	SLOWLOG: 'GET LEN RESET',
	XGROUP: 'CREATE CREATECONSUMER DELCONSUMER DESTROY SETID',
	XINFO: 'CONSUMERS GROUPS STREAM',
};
const WITH_SECOND = new Set(Object.entries(FAMILIES).flatMap(([name, seconds]) => seconds.split(' ').map((second) => `${name} ${second}`)));
const isFamily = (name: string) => Object.hasOwn(FAMILIES, name);
/** They wait for somebody else to put something in. */
const WAITING = new Set('BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN WAIT WAITAOF MONITOR PSYNC SYNC'.split(' '));
const SUBSCRIBING = new Set('SUBSCRIBE PSUBSCRIBE SSUBSCRIBE MONITOR PSYNC SYNC'.split(' '));
/** With BLOCK among their first words. */
const MAY_WAIT = new Set(['XREAD', 'XREADGROUP']);
/** What a client sends before its first question. */
const SETTING_UP = new Set('HELLO AUTH SELECT INFO READONLY CLIENT COMMAND'.split(' '));

/**
 * @param words the first of a command
 * @param isFirst no question has come before
 */
export function readCommand(
	[name = '', ...rest]: string[],
	isFirst: boolean,
): { verb: string; template: string; role: Role; subscribes: boolean } {
	const word = name.toUpperCase();
	const verb = NAMES.has(word) || isFamily(word) ? word : '';
	const both = isFamily(verb) ? `${verb} ${(rest[0] ?? '').toUpperCase()}` : '';
	const template = WITH_SECOND.has(both) ? both : verb;
	const waits = WAITING.has(verb) || SUBSCRIBING.has(verb) || (MAY_WAIT.has(verb) && rest.some((text) => text.toUpperCase() === 'BLOCK'));
	return { verb, template, role: roleOf(verb, waits, isFirst), subscribes: SUBSCRIBING.has(verb) };
}

function roleOf(verb: string, waits: boolean, isFirst: boolean): Role {
	if (waits) return 'wait';
	if (isFirst && SETTING_UP.has(verb)) return 'connect';
	return verb === 'PING' ? 'beat' : 'call';
}

/**
 * Errors that say that the server cannot, now, what it could at another time. With all others the question was wrong, or meant for another
 * server. https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors
 */
const SERVERS = new Set(
	'OOM LOADING BUSY MISCONF READONLY CLUSTERDOWN MASTERDOWN NOREPLICAS TRYAGAIN MAXCLIENTS EXECABORT UNBLOCKED DENIED'.split(' '),
);

/** @param text of an error */
export function readError(text: string): { code: string; bad: boolean } {
	// The server's only words to whom it turns away.
	const code = text.startsWith('ERR max number of clients') ? 'MAXCLIENTS' : (/^[A-Z]{2,16}(?= |$)/.exec(text)?.[0] ?? 'ERR');
	return { code, bad: SERVERS.has(code) };
}

/** Whether a client begins so: a command as a list, whose name is known. */
export function beginsCommand(client: Buffer): Verdict {
	const text = client.toString('latin1', 0, 64);
	const [whole, name = ''] = /^\*\d{1,9}\r\n\$\d{1,3}\r\n([^\r]*)\r?/.exec(text) ?? [];
	if (whole?.endsWith('\r')) return NAMES.has(name.toUpperCase()) || isFamily(name.toUpperCase()) ? 'yes' : 'no';
	return /^(?:\*(?:\d{1,9}(?:\r(?:\n(?:\$(?:\d{1,3}(?:\r(?:\n[\w.]{0,40})?)?)?)?)?)?)?)?$/.test(text) ? 'more' : 'no';
}
