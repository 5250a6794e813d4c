/**
 * Counters of a container's cgroup and network namespace begin at zero whenever it is started again. Here they go on, so that what they gained
 * between any two readings is what was counted meanwhile; what was counted after the last reading of a life is not on record.
 */

/** @typedef {Record<string, any>} Row  of one container, at a moment */

/** Of a container's record; all else in a row is how it stood at that moment. */
const USED = ['cpu_s', 'periods', 'throttled_periods', 'throttled_s', 'refaults', 'disk_bytes'];

/** @param {Row[]} rows  of all containers, in the order of time @returns {Row[]} */
export const usageCountedOn = (rows) => countedOn(rows, { countersIn: usageIn, withCounters: withUsage, isFirst: hasLess });

/** @param {Row[]} rows  as of usageCountedOn @returns {Row[]} */
export const kernelCountedOn = (rows) => countedOn(rows, { countersIn: kernelIn, withCounters: withKernel, isFirst: hasAnyLess });

/**
 * @typedef {Record<string, number>} Counts
 * @typedef {object} Kind
 * @property {(row: Row) => Counts} countersIn
 * @property {(row: Row, counts: Counts) => Row} withCounters
 * @property {(now: Counts, before: Counts) => boolean} isFirst  the first reading of another life
 */

/** @param {Row[]} rows @param {Kind} kind @returns {Row[]} */
function countedOn(rows, { countersIn, withCounters, isFirst }) {
	/** @type {Map<string, { last: Counts, earlier: Counts | null }>} */
	const known = new Map();
	return rows.map((row) => {
		const now = countersIn(row);
		const { last, earlier } = known.get(row.name) ?? { last: now, earlier: null };
		const sum = isFirst(now, last) ? added(last, earlier ?? {}) : earlier;
		known.set(row.name, { last: now, earlier: sum });
		return sum === null ? row : withCounters(row, added(now, sum));
	});
}

/** @type {(now: Counts, earlier: Counts) => Counts} of those that are there now */
const added = (now, earlier) => Object.fromEntries(Object.entries(now).map(([name, count]) => [name, count + (earlier[name] ?? 0)]));

/** The time of its processes never falls while it lives; what these read and wrote does where the kernel counts it for each of them. @type {Kind['isFirst']} */
const hasLess = ({ cpu_s: now }, { cpu_s: before }) => now < before;

/** @type {Kind['isFirst']} */
const hasAnyLess = (now, before) => Object.entries(now).some(([name, count]) => count < (before[name] ?? 0));

const [WAITED, REFUSED] = ['pressure ', 'tasks'];

/** @param {Row} row @returns {Counts} */
function usageIn(row) {
	const used = USED.flatMap((name) => (typeof row[name] === 'number' ? [[name, row[name]]] : []));
	const waited = Object.entries(row.pressure ?? {}).map(([name, count]) => [`${WAITED}${name}`, count]);
	return Object.fromEntries([...used, ...waited, ...(row.tasks ? [[REFUSED, row.tasks.refused]] : [])]);
}

/** @param {Row} row @param {Counts} counts @returns {Row} */
function withUsage(row, counts) {
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

/** @param {Row} row @returns {Counts} */
const kernelIn = ({ counters = {}, packets }) => ({ ...counters, ...(typeof packets === 'number' ? { [PACKETS]: packets } : {}) });

/** @param {Row} row @param {Counts} counts @returns {Row} */
function withKernel(row, { [PACKETS]: packets, ...counters }) {
	return { ...row, ...(row.counters ? { counters } : {}), ...(packets === undefined ? {} : { packets }) };
}
