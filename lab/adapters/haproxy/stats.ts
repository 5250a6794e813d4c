/**
 * Reads HAProxy's answer to `show info;show stat` (management guide, sections 9.1 and 9.3), and what a row of such answers tells of the
 * limits that it can run into.
 *
 * @import { Limit } from '../contract.ts'
 */

/**
 * @typedef {object} StatRow
 * @property {string} proxy
 * @property {string} name    FRONTEND, BACKEND, or the server's
 * @property {Record<string, number>} values  of the columns that the lab keeps; a column without a value is left out
 *
 * @typedef {{ info: Record<string, number>, rows: StatRow[] }} Stats
 * @typedef {Stats & { t: number }} StatSample
 *
 */

/** Of the process. https://docs.haproxy.org/2.6/management.html#9.3-show%20info */
const INFO = ['Maxconn', 'CurrConns', 'DroppedLogs'];

/** Of a frontend, backend or server. https://docs.haproxy.org/2.6/management.html#9.1 */
const COLUMNS = ['type', 'qcur', 'qlimit', 'scur', 'slim'];

const FRONTEND = 0;
const BACKEND = 1;
const SERVER = 2;

/** The program's own frontend for such questions. */
const OWN_FRONTEND = 'GLOBAL';

/** @param {string} answer @returns {Stats | null} null where it is none */
export function readStats(answer) {
	const lines = answer.split('\n').map((line) => line.trim());
	const head = lines.findIndex((line) => line.startsWith('# pxname,'));
	if (head < 0) return null;
	const columns = lines[head].slice(2).split(',');
	const rows = lines.slice(head + 1).filter((line) => line.includes(','));
	return { info: readInfo(lines.slice(0, head)), rows: rows.map((line) => readRow(line.split(','), columns)) };
}

/** @param {string[]} lines @returns {Record<string, number>} */
function readInfo(lines) {
	const pairs = lines.map((line) => /^([\w-]+): (-?\d+)$/.exec(line)).filter((found) => found !== null);
	return Object.fromEntries(pairs.filter(([, name]) => INFO.includes(name)).map(([, name, value]) => [name, Number(value)]));
}

/** @param {string[]} cells @param {string[]} columns @returns {StatRow} */
function readRow(cells, columns) {
	const cell = (/** @type {string} */ name) => cells[columns.indexOf(name)] ?? '';
	const known = COLUMNS.filter((name) => /^-?\d+$/.test(cell(name)));
	return {
		proxy: cell('pxname'),
		name: cell('svname'),
		values: Object.fromEntries(known.map((name) => [name, Number(cell(name))])),
	};
}

/** @param {StatSample[]} samples @returns {Limit[]} */
export function limitsOf(samples) {
	const first = samples[0];
	if (!first) return [];
	return [
		...limit('connections of the process', first.info.Maxconn, samples, ({ info }) => info.CurrConns),
		...ownRows(first).flatMap((row) => rowLimits(row, samples)),
		...backends(first).flatMap((backend) => backendLimit(backend, samples)),
	];
}

/** @param {StatRow} row @param {StatSample[]} samples @returns {Limit[]} */
function rowLimits({ proxy, name, values }, samples) {
	const used = (/** @type {string} */ column) => (/** @type {StatSample} */ sample) => valueIn(sample, proxy, name, column);
	if (values.type === FRONTEND) return limit(`connections of frontend ${proxy}`, values.slim, samples, used('scur'));
	if (values.type !== SERVER) return [];
	return [
		...limit(`connections to server ${proxy}/${name}`, values.slim, samples, used('scur')),
		...limit(`queue of server ${proxy}/${name}`, values.qlimit, samples, used('qcur')),
	];
}

/**
 * All servers of a backend together. A request that finds them full waits in the backend's queue, which has no limit of its own, so the
 * waiting ones are counted among the used: more used than there are means a queue.
 * @param {string} backend
 * @param {StatSample[]} samples
 * @returns {Limit[]}
 */
function backendLimit(backend, samples) {
	const servers = ownRows(samples[0]).filter(({ proxy, values }) => proxy === backend && values.type === SERVER);
	const sizes = servers.map(({ values }) => values.slim ?? 0);
	// A server without a limit takes all that the others cannot.
	if (servers.length < 2 || sizes.some((size) => size === 0)) return [];
	const size = sizes.reduce((sum, own) => sum + own, 0);
	return limit(`connections to all servers of ${backend}, waiting requests included`, size, samples, (sample) => {
		const own = sample.rows.filter(({ proxy, values }) => proxy === backend && (values.type === SERVER || values.type === BACKEND));
		return own.reduce((sum, { values }) => sum + (values.qcur ?? 0) + (values.type === SERVER ? (values.scur ?? 0) : 0), 0);
	});
}

/** @type {(resource: string, size: number | undefined, samples: StatSample[], used: (sample: StatSample) => number | undefined) => Limit[]} none without a size */
function limit(resource, size, samples, used) {
	if (!size) return [];
	const readings = samples.flatMap((sample) => {
		const value = used(sample);
		return value === undefined ? [] : [{ t: sample.t, used: value }];
	});
	return [{ resource, size, used: readings }];
}

/** @param {Stats} stats */
const ownRows = ({ rows }) => rows.filter(({ proxy }) => proxy !== OWN_FRONTEND);

/** @param {Stats} stats */
const backends = (stats) =>
	ownRows(stats)
		.filter(({ values }) => values.type === BACKEND)
		.map(({ proxy }) => proxy);

/** @type {(stats: Stats, proxy: string, name: string, column: string) => number | undefined} */
const valueIn = ({ rows }, proxy, name, column) => rows.find((row) => row.proxy === proxy && row.name === name)?.values[column];
