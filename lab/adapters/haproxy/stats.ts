/**
 * Reads HAProxy's answer to `show info;show stat` (management guide, sections 9.1 and 9.3), and what a row of such answers tells of the
 * limits that it can run into.
 */

type StatRow = {
	proxy: string;
	/** FRONTEND, BACKEND, or the server's */
	name: string;
	/** of the columns that the lab keeps; a column without a value is left out */
	values: Record<string, number>;
};

export type Stats = { info: Record<string, number>; rows: StatRow[] };

type StatSample = Stats & { t: number };

import type { Limit } from '../contract.ts';

/** Of the process. https://docs.haproxy.org/2.6/management.html#9.3-show%20info */
const INFO = ['Maxconn', 'CurrConns', 'DroppedLogs'];

/** Of a frontend, backend or server. https://docs.haproxy.org/2.6/management.html#9.1 */
const COLUMNS = ['type', 'qcur', 'qlimit', 'scur', 'slim'];

const FRONTEND = 0;
const BACKEND = 1;
const SERVER = 2;

/** The program's own frontend for such questions. */
const OWN_FRONTEND = 'GLOBAL';

/** @returns null where it is none */
export function readStats(answer: string): Stats | null {
	const lines = answer.split('\n').map((line) => line.trim());
	const head = lines.findIndex((line) => line.startsWith('# pxname,'));
	if (head < 0) return null;
	const columns = lines[head].slice(2).split(',');
	const rows = lines.slice(head + 1).filter((line) => line.includes(','));
	return { info: readInfo(lines.slice(0, head)), rows: rows.map((line) => readRow(line.split(','), columns)) };
}

function readInfo(lines: string[]): Record<string, number> {
	const pairs = lines.map((line) => /^([\w-]+): (-?\d+)$/.exec(line)).filter((found) => found !== null);
	return Object.fromEntries(pairs.filter(([, name]) => INFO.includes(name)).map(([, name, value]) => [name, Number(value)]));
}

function readRow(cells: string[], columns: string[]): StatRow {
	const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
	const known = COLUMNS.filter((name) => /^-?\d+$/.test(cell(name)));
	return {
		proxy: cell('pxname'),
		name: cell('svname'),
		values: Object.fromEntries(known.map((name) => [name, Number(cell(name))])),
	};
}

export function limitsOf(samples: StatSample[]): Limit[] {
	const first = samples[0];
	if (!first) return [];
	return [
		...limit('connections of the process', first.info.Maxconn, samples, ({ info }) => info.CurrConns),
		...ownRows(first).flatMap((row) => rowLimits(row, samples)),
		...backends(first).flatMap((backend) => backendLimit(backend, samples)),
	];
}

function rowLimits({ proxy, name, values }: StatRow, samples: StatSample[]): Limit[] {
	const used = (column: string) => (sample: StatSample) => valueIn(sample, proxy, name, column);
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
 */
function backendLimit(backend: string, samples: StatSample[]): Limit[] {
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

/** none without a size */
function limit(
	resource: string,
	size: number | undefined,
	samples: StatSample[],
	used: (sample: StatSample) => number | undefined,
): Limit[] {
	if (!size) return [];
	const readings = samples.flatMap((sample) => {
		const value = used(sample);
		return value === undefined ? [] : [{ t: sample.t, used: value }];
	});
	return [{ resource, size, used: readings }];
}

const ownRows = ({ rows }: Stats) => rows.filter(({ proxy }) => proxy !== OWN_FRONTEND);

const backends = (stats: Stats) =>
	ownRows(stats)
		.filter(({ values }) => values.type === BACKEND)
		.map(({ proxy }) => proxy);

const valueIn: (stats: Stats, proxy: string, name: string, column: string) => number | undefined = ({ rows }, proxy, name, column) =>
	rows.find((row) => row.proxy === proxy && row.name === name)?.values[column];
