/** What commands of Redis are for, by their names. https://redis.io/docs/latest/commands/ */

import type { Role, Verdict } from '../../wire/contract.ts';

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
