/**
 * What the environment tells a node. Everything is checked once, at start, so that a wrong value never runs under load.
 */
import { readFaults } from './faults.js';

/**
 * @typedef {object} Config
 * @property {string} name                   how this node calls itself in answers and records
 * @property {number} port
 * @property {number} backlog                connections that may wait to be accepted
 * @property {string} databaseUrl
 * @property {number} maxPoolSize            connections the driver may hold to MongoDB
 * @property {number} [waitQueueTimeoutMs]   longest wait for a pooled connection; the driver's default is no limit
 * @property {number} [socketTimeoutMs]      longest silence on a database socket; the driver's default is no limit
 * @property {number} [serverSelectionTimeoutMs] longest search for a server; the driver's default is 30,000
 * @property {number} errorShare             share of requests, 0 to 1, that the app itself fails on purpose
 * @property {number} [shedDelayMs]          the event loop may be so late before requests are refused; none is unless given
 * @property {number} workMost               requests that it works on at a time before others are refused; no limit unless given
 * @property {number} readCost              numbers that the database adds up for each read; 0, as published, for none
 * @property {number} [breakerTimeoutMs]     a request's database work may take so long before the breaker counts it as failed; no breaker unless given
 * @property {number} breakerResetMs         the breaker stays open for so long before it lets one request through
 * @property {number} extraDelayMs           milliseconds added to each answer on purpose
 * @property {boolean} storeIds               each document is stored with the id of its request
 * @property {import('./faults.js').Faults} faults  that the lab puts in to test its own diagnosis
 * @property {string} recordFolder           where the record of this node goes, one line a second
 */

/**
 * @param {Record<string, string | undefined>} env
 * @param {string} name
 * @param {number} least
 * @param {number} most
 * @returns {number | undefined} nothing where the variable is not there or empty
 * @throws {Error} when it is no number, or is out of its range
 */
export function readNumber(env, name, least, most) {
	const text = env[name];
	if (text === undefined || text === '') return undefined;
	const value = Number(text);
	if (!Number.isFinite(value) || value < least || value > most) {
		throw new Error(`${name}: expected a number from ${least} to ${most}, found "${text}"`);
	}
	return value;
}

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Config}
 * @throws {Error} when a number is not one, or is out of its range
 */
export function readConfig(env) {
	/** @type {(name: string, least: number, most: number) => number | undefined} */
	const optional = (name, least, most) => readNumber(env, name, least, most);
	return {
		name: env.NODE_NAME || 'app',
		port: optional('PORT', 1, 65_535) ?? 3000,
		// Node accepts one connection in each turn of its event loop. At a small CPU quota a turn takes tens of milliseconds, so
		// that the default of 511 overflows at 2,000 users; the kernel caps it at net.core.somaxconn.
		backlog: optional('LISTEN_BACKLOG', 1, 65_535) ?? 4096,
		databaseUrl: env.DATABASE_URL || 'mongodb://mongo:27017/doubletake',
		// 50 is what the published app uses.
		maxPoolSize: optional('MAX_POOL_SIZE', 1, 10_000) ?? 50,
		waitQueueTimeoutMs: optional('WAIT_QUEUE_TIMEOUT_MS', 1, 600_000),
		socketTimeoutMs: optional('SOCKET_TIMEOUT_MS', 1, 600_000),
		serverSelectionTimeoutMs: optional('SERVER_SELECTION_TIMEOUT_MS', 1, 600_000),
		errorShare: optional('ERROR_SHARE', 0, 1) ?? 0,
		shedDelayMs: optional('SHED_DELAY_MS', 1, 60_000),
		workMost: optional('WORK_MOST', 1, 100_000) ?? Number.POSITIVE_INFINITY,
		readCost: optional('READ_COST', 0, 1_000_000) ?? 0,
		breakerTimeoutMs: optional('BREAKER_TIMEOUT_MS', 1, 60_000),
		breakerResetMs: optional('BREAKER_RESET_MS', 1, 60_000) ?? 2000,
		extraDelayMs: optional('EXTRA_DELAY_MS', 0, 60_000) ?? 0,
		storeIds: env.INTEGRITY === '1',
		faults: readFaults(optional),
		recordFolder: env.RECORD_FOLDER || '/raw',
	};
}
