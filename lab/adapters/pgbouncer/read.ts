/**
 * What PgBouncer's console said once a second of a load. What it logged is read as any service's (lab/diagnose/waiting/logs.ts).
 *
 * @typedef {State & { t: number }} Sample
 *
 * @import { Window } from '../complete-lines.ts'
 * @import { About, Files, HopRecord, Limit } from '../contract.ts'
 * @import { Pool, State } from './state.ts'
 */

import { bareRecord, limitOf, sampledExtent } from '../complete-lines.ts';

/**
 * @param {Files} files
 * @param {About} about
 * @returns {HopRecord}
 */
export function read({ samples }, about) {
	const { service, window } = about;
	return {
		...bareRecord(about, 'pgbouncer'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`PgBouncer knows no requests: a client that ${service} turned away belongs to no single one`],
		limits: [...poolLimits(samples, window), ...clientLimit(samples, window)],
	};
}

/** One for each database, with its fullest pool: each user has a pool of its own, as large. @param {Sample[]} samples @param {Window} window @returns {Limit[]} */
function poolLimits(samples, window) {
	const databases = [...new Set(samples.flatMap(({ pools = [] }) => pools.map(({ database }) => database)))];
	return databases.flatMap((name) =>
		limitOf(
			databases.length === 1 ? 'server connections of the pool' : `server connections of the pool of ${name}`,
			samples,
			window,
			({ sizes }) => sizes?.[name],
			({ pools = [] }) => fullest(pools, name),
		),
	);
}

/** @param {Sample[]} samples @param {Window} window @returns {Limit[]} */
const clientLimit = (samples, window) =>
	limitOf(
		'client connections',
		samples,
		window,
		({ settings }) => Number(settings?.max_client_conn),
		({ clients }) => clients,
	);

/** Busy connections of a database's fullest pool. @param {Pool[]} pools @param {string} name */
const fullest = (pools, name) => Math.max(0, ...pools.filter(({ database }) => database === name).map(({ busy }) => busy));
