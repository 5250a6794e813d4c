/**
 * What the charts of a report are drawn from, as the page carries it: of a result only what its script needs, since the rest is in the page
 * already, a list for each figure of the seconds, since a row for each would repeat its keys, and what stays the same for seconds only once.
 *
 * @typedef {Omit<Drawn, 'timeline'> & { timeline: Record<string, unknown[]> }} Columns
 * @typedef {object} Carried  folded
 *
 * @import { Result } from '../record/types.js'
 * @import { Drawn, DrawnRow } from './panels.ts'
 */
import { columnsOf, rowsOf } from './format.ts';
import { isUsed } from './panels.ts';

/** What is drawn of a second. @type {(row: Result['timeline'][number]) => DrawnRow} */
const drawnRow = ({ t_s, vus, throughput_rps, goodput_rps, latency_ms_p50_ok, latency_ms_p95_ok, latency_ms_p99_ok, latency_ms_p95 }) => ({
	t_s,
	vus,
	throughput_rps,
	goodput_rps,
	latency_ms_p50_ok,
	latency_ms_p95_ok,
	latency_ms_p99_ok,
	latency_ms_p95,
});

/**
 * @param {Result} result
 * @returns {Carried}
 */
export const carry = (result) => {
	const { timeline, series, metrics, queue, resources, machine, hosts, time_ledger: time, stages, faults } = result;
	/** @type {Columns} */
	const drawn = {
		timeline: columnsOf(timeline.map(drawnRow)),
		series: { ...series, limits: series.limits.filter(isUsed) },
		metrics: { failures: metrics.failures },
		queue: queue && { backlog: queue.backlog },
		resources: mapped(resources, ({ tier, cpu_quota_cores }) => ({ tier, cpu_quota_cores })),
		machine: { cores: machine.cores },
		...(hosts ? { hosts: hosts.map(({ name }) => ({ name })) } : {}),
		time_ledger: time && { parts: time.parts, series: time.series },
		stages: stages.map(({ from_s, target, held, unit }) => ({ from_s, target, held, unit })),
		faults: faults.map(({ began_s, ended_s }) => ({ began_s, ended_s })),
		standing: carryStanding(result),
	};
	return /** @type {Carried} */ (folded(drawn));
};

/** @typedef {{ v: string | number | boolean | null, n: number }} Run  so many equal values in a row */

/** Of fewer the list itself is as short. */
const RUN_LEAST = 6;

/** @param {unknown} value @returns {unknown} the same; in a list `{ v: 44, n: 60 }` stands for sixty of 44 */
function folded(value) {
	if (!isHolder(value)) return value;
	if (!Array.isArray(value)) return mapped(/** @type {Record<string, unknown>} */ (value), folded);
	if (value.some(isHolder)) return value.map(folded);
	/** @type {Run[]} */
	const runs = [];
	for (const one of value) {
		/** @type {Run['v']} */
		const v = one ?? null;
		const last = runs.at(-1);
		if (last?.v === v) last.n += 1;
		else runs.push({ v, n: 1 });
	}
	return runs.flatMap((run) => (run.n < RUN_LEAST ? timesOf(run) : run));
}

/** @param {unknown} value @returns {unknown} */
function unfolded(value) {
	if (!isHolder(value)) return value;
	if (!Array.isArray(value)) return mapped(/** @type {Record<string, unknown>} */ (value), unfolded);
	return value.flatMap((one) => (isRun(one) ? timesOf(one) : [unfolded(one)]));
}

/** @param {unknown} value @returns {value is object} */
const isHolder = (value) => typeof value === 'object' && value !== null;

/** @param {unknown} value @returns {value is Run} */
const isRun = (value) => isHolder(value) && 'v' in value && 'n' in value;

/** @param {Run} run @returns {unknown[]} */
const timesOf = ({ v, n }) => Array(n).fill(v);

/** @template Value, To @param {Record<string, Value>} holder @param {(value: Value) => To} of @returns {Record<string, To>} */
const mapped = (holder, of) => Object.fromEntries(Object.entries(holder).map(([key, value]) => [key, of(value)]));

/** What was recorded on the wire of where requests stood, without what the page says in words. @param {Pick<Result, 'wire'>} result */
export function carryStanding({ wire }) {
	if (!wire?.standing) return null;
	const { step_s, from_s, services, edges, good, failed, marks } = wire.standing;
	return { step_s, from_s, services, edges, good, failed, marks };
}

/**
 * @param {Carried} carried
 * @returns {Drawn}
 */
export function unfold(carried) {
	const { timeline, ...rest } = /** @type {Columns} */ (unfolded(carried));
	return { ...rest, timeline: /** @type {Drawn['timeline']} */ (rowsOf(timeline)) };
}
