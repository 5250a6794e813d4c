/**
 * Counters of a container's cgroup and network namespace begin at zero whenever it is started again. Here they go on, so that what they gained
 * between any two readings is what was counted meanwhile; what was counted after the last reading of a life is not on record.
 */

/** of one container, at a moment */
type Row = Record<string, any>;

/** Of a container's record; all else in a row is how it stood at that moment. */
const USED = ['cpu_s', 'periods', 'throttled_periods', 'throttled_s', 'refaults', 'disk_bytes'];

/** @param rows of all containers, in the order of time */
export const usageCountedOn = (rows: Row[]): Row[] => countedOn(rows, { countersIn: usageIn, withCounters: withUsage, isFirst: hasLess });

/** @param rows as of usageCountedOn */
export const kernelCountedOn = (rows: Row[]): Row[] =>
	countedOn(rows, { countersIn: kernelIn, withCounters: withKernel, isFirst: hasAnyLess });

type Counts = Record<string, number>;

type Kind = {
	countersIn: (row: Row) => Counts;
	withCounters: (row: Row, counts: Counts) => Row;
	/** the first reading of another life */
	isFirst: (now: Counts, before: Counts) => boolean;
};

function countedOn(rows: Row[], { countersIn, withCounters, isFirst }: Kind): Row[] {
	const known: Map<string, { last: Counts; earlier: Counts | null }> = new Map();
	return rows.map((row) => {
		const now = countersIn(row);
		const { last, earlier } = known.get(row.name) ?? { last: now, earlier: null };
		const sum = isFirst(now, last) ? added(last, earlier ?? {}) : earlier;
		known.set(row.name, { last: now, earlier: sum });
		return sum === null ? row : withCounters(row, added(now, sum));
	});
}

/** of those that are there now */
const added: (now: Counts, earlier: Counts) => Counts = (now, earlier) =>
	Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count + (earlier[name] ?? 0)]));

/** The time of its processes never falls while it lives; what these read and wrote does where the kernel counts it for each of them. */
const hasLess: Kind['isFirst'] = ({ cpu_s: now }, { cpu_s: before }) => now < before;

const hasAnyLess: Kind['isFirst'] = (now, before) => Object.entries(now).some(([name, count]) => count < (before[name] ?? 0));

const [WAITED, REFUSED] = ['pressure ', 'tasks'];

function usageIn(row: Row): Counts {
	const used = USED.flatMap((name) => (typeof row[name] === 'number' ? [[name, row[name]]] : []));
	const waited = Object.entries<any>(row.pressure ?? {}).map(([name, count]) => [`${WAITED}${name}`, count]);
	return Object.fromEntries([...used, ...waited, ...(row.tasks ? [[REFUSED, row.tasks.refused]] : [])]);
}

function withUsage(row: Row, counts: Counts): Row {
	const used = USED.flatMap((name) => (name in counts ? [[name, counts[name]]] : []));
	const waited = Object.keys(row.pressure ?? {}).map((name) => [name, counts[`${WAITED}${name}`]]);
	return {
		...row,
		...Object.fromEntries(used),
		...(row.pressure ? { pressure: Object.fromEntries(waited) } : {}),
		...(row.tasks ? { tasks: { ...row.tasks, refused: counts[REFUSED] } } : {}),
	};
}

const PACKETS = 'packets';

const kernelIn = ({ counters = {}, packets }: Row): Counts => ({
	...counters,
	...(typeof packets === 'number' ? { [PACKETS]: packets } : {}),
});

function withKernel(row: Row, { [PACKETS]: packets, ...counters }: Counts): Row {
	return { ...row, ...(row.counters ? { counters } : {}), ...(packets === undefined ? {} : { packets }) };
}
