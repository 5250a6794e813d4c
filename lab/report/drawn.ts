/**
 * What the charts of a report are drawn from, as the page carries it: of a result only what its script needs, since the rest is in the page
 * already, a list for each figure of the seconds, since a row for each would repeat its keys, and what stays the same for seconds only once.
 */

import type { Result } from '../record/types.js';
import { columnsOf, rowsOf } from './columns.ts';
import type { Drawn, DrawnRow } from './panels.ts';
import { isUsed } from './panels.ts';

type Columns = Omit<Drawn, 'timeline'> & { timeline: Record<string, unknown[]> };

/** folded */
type Carried = object;

/** What is drawn of a second. */
const drawnRow: (row: Result['timeline'][number]) => DrawnRow = ({
	t_s,
	vus,
	throughput_rps,
	goodput_rps,
	latency_ms_p50_ok,
	latency_ms_p95_ok,
	latency_ms_p99_ok,
	latency_ms_p95,
}) => ({
	t_s,
	vus,
	throughput_rps,
	goodput_rps,
	latency_ms_p50_ok,
	latency_ms_p95_ok,
	latency_ms_p99_ok,
	latency_ms_p95,
});

export const carry = (result: Result): Carried => {
	const { timeline, series, metrics, queue, resources, machine, hosts, time_ledger: time, stages, faults } = result;
	const drawn: Columns = {
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
		...(result.latency_grid ? { latency_grid: result.latency_grid } : {}),
	};
	return folded(drawn) as Carried;
};

/** so many equal values in a row */
type Run = { v: string | number | boolean | null; n: number };

/** Of fewer the list itself is as short. */
const RUN_LEAST = 6;

/** @returns the same; in a list `{ v: 44, n: 60 }` stands for sixty of 44 */
function folded(value: unknown): unknown {
	if (!isHolder(value)) return value;
	if (!Array.isArray(value)) return mapped(value as Record<string, unknown>, folded);
	if (value.some(isHolder)) return value.map(folded);
	const runs: Run[] = [];
	for (const one of value) {
		const v: Run['v'] = one ?? null;
		const last = runs.at(-1);
		if (last?.v === v) last.n += 1;
		else runs.push({ v, n: 1 });
	}
	return runs.flatMap((run) => (run.n < RUN_LEAST ? timesOf(run) : run));
}

function unfolded(value: unknown): unknown {
	if (!isHolder(value)) return value;
	if (!Array.isArray(value)) return mapped(value as Record<string, unknown>, unfolded);
	return value.flatMap((one) => (isRun(one) ? timesOf(one) : [unfolded(one)]));
}

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isRun = (value: unknown): value is Run => isHolder(value) && 'v' in value && 'n' in value;

const timesOf = ({ v, n }: Run): unknown[] => Array(n).fill(v);

const mapped = <Value, To>(holder: Record<string, Value>, of: (value: Value) => To): Record<string, To> =>
	Object.fromEntries(Object.entries(holder).map(([key, value]) => [key, of(value)]));

/** What was recorded on the wire of where requests stood, without what the page says in words. */
export function carryStanding({ wire }: Pick<Result, 'wire'>) {
	if (!wire?.standing) return null;
	const { step_s, from_s, services, edges, good, failed, marks } = wire.standing;
	return { step_s, from_s, services, edges, good, failed, marks };
}

export function unfold(carried: Carried): Drawn {
	const { timeline, ...rest } = unfolded(carried) as Columns;
	return { ...rest, timeline: rowsOf(timeline) as Drawn['timeline'] };
}
