/**
 * A MongoDB of the shipped systems: what its observer (app/observer) was told once a second, and what its own log tells of moments: that it
 * refused a connection, of which it has no counter before 6.3, and that it was told to stop.
 */

import type { Signal } from '../../base/signal.ts';
import { parseLines } from '../../base/values.ts';
import { bareRecord } from '../bare-record.ts';
import type { About, Files, HopRecord, Store, StoreReading } from '../contract.ts';
import { LOG_IDS } from './log.ts';
import { STOPS } from './state.ts';

/** Inside `raw/`: what the observer wrote of all databases. */
export const OBSERVED = 'mongo.ndjson';
export const logOf = (service: string) => `${service}.log`;

export const store: Store = {
	program: 'mongod',
	source: 'serverStatus',
	operations: 'opcounters',
	// Of its drivers: serverSelectionTimeoutMS and heartbeatFrequencyMS (https://www.mongodb.com/docs/manual/reference/connection-string-options/).
	search_s: 30,
	retry_s: 10,
};

export function readObserved({ file }: Files, about: About): HopRecord {
	const { service, observers = [] } = about;
	const log = file(logOf(service));
	const rows = parseLines(file(OBSERVED)).filter(({ name = service }) => name === service);
	return {
		...bareRecord(about, 'mongo'),
		...{ readings: rows.map(readingOf), refused: parseRefusals(log, observers), stopping: parseStops(log) },
	};
}

function readingOf({ connections, opcounters, latencies, ...row }: any): StoreReading {
	const workedOn = ({ latency, ops }: { latency: number; ops: number }) => ({ us: latency, count: ops });
	return {
		...row,
		...(connections && {
			connections: {
				open: connections.current,
				free: connections.available,
				...(connections.rejected !== undefined && { refused: connections.rejected }),
			},
		}),
		...(opcounters && { operations: opcounters }),
		...(latencies && { worked: { reads: workedOn(latencies.reads), writes: workedOn(latencies.writes) } }),
	};
}

/** Of "Received signal", the one that ends it; SIGUSR1 turns its log over. */
const STOPPING = new RegExp(`"signal":(?:${STOPS.join('|')})\\b`);

/** Of whom it refused, up to the port. */
const REMOTE = /"remote":"([^"]*):\d+"/;

/**
 * @param text of mongod's log, a JSON object a line
 * @param own addresses of the lab's own observers, who are no clients
 * @returns seconds since 1970
 */
export const parseRefusals = (text: string, own: string[] = []): number[] =>
	momentsOf(text, LOG_IDS.refused, (line) => !own.includes(REMOTE.exec(line)?.[1] ?? ''));

/**
 * @param text of mongod's log
 * @returns seconds since 1970; it answers what it then interrupts with an error
 */
export const parseStops = (text: string): number[] => momentsOf(text, LOG_IDS.signal, (line) => STOPPING.test(line));

const momentsOf: (text: string, id: number, isWanted: (line: string) => boolean) => number[] = (text, id, isWanted) =>
	text
		.split('\n')
		.filter((line) => line.includes(`"id":${id},`) && isWanted(line))
		.map((line) => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '') / 1000)
		.filter(Number.isFinite);

/**
 * What the names of the MongoDB driver's errors mean, as a node logs them with a failed request.
 */
const POOL_WAIT = new Set(['MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError']);
const POOL_CLEARED = new Set(['MongoPoolClearedError', 'PoolClearedError', 'PoolClearedOnNetworkError', 'MongoPoolClearedOnNetworkError']);
const ANSWERED = new Set(['MongoServerError', 'MongoWriteConcernError', 'MongoBulkWriteError']);
const BROKEN = 'MongoNetworkError';
const NO_SERVER = new Set(['MongoServerSelectionError', 'MongooseServerSelectionError']);
const TIMED_OUT = new Set(['MongoNetworkTimeoutError', 'MongoOperationTimeoutError']);
/**
 * What the driver says of the program that calls it: of a client that it closed, a session that it ended, an argument that is none. No
 * server was asked. https://mongodb.github.io/node-mongodb-native/ (classes below MongoAPIError)
 */
const OF_THE_APP = new Set([
	'MongoAPIError',
	'MongoBatchReExecutionError',
	'MongoClientClosedError',
	'MongoCompatibilityError',
	'MongoCursorExhaustedError',
	'MongoCursorInUseError',
	'MongoExpiredSessionError',
	'MongoInvalidArgumentError',
	'MongoMissingCredentialsError',
	'MongoMissingDependencyError',
	'MongoNotConnectedError',
	'MongoParseError',
	'MongoPoolClosedError',
	'MongoServerClosedError',
	'MongoTailableCursorError',
	'MongoTopologyClosedError',
	'MongoTransactionError',
]);

const MEANINGS: [Signal, (error: string) => boolean][] = [
	['pool-timeout', (error) => POOL_WAIT.has(error)],
	['pool-cleared', (error) => POOL_CLEARED.has(error)],
	['store-error', (error) => ANSWERED.has(error)],
	['connection-broken', (error) => error === BROKEN],
	['connect-failed', (error) => NO_SERVER.has(error)],
	['store-timeout', (error) => TIMED_OUT.has(error)],
	['store-failed', (error) => error.startsWith('Mongo') && !OF_THE_APP.has(error)],
];

/** @returns null where it speaks neither of a pool nor of the database */
export const errorSignal = (error: string): Signal | null => MEANINGS.find(([, isSo]) => isSo(error))?.[0] ?? null;

/**
 * What MongoDB acknowledges before it is on the disk: https://www.mongodb.com/docs/manual/reference/write-concern/ and, of the 100 ms,
 * https://www.mongodb.com/docs/manual/core/journaling/.
 */
export const DURABLE =
	'acknowledge a write when it is in the journal of the majority, with the write concern { w: "majority", j: true }; a server that stands alone acknowledges it before, and writes its journal every 100 ms';
