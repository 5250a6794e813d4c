/**
 * Asymptotic bounds on throughput: X <= min(N / (R0 + Z), 1 / Dmax) (Denning & Buzen 1978; Lazowska, Zahorjan, Graham &
 * Sevcik, Quantitative System Performance, 1984, chapter 5).
 *
 * CPU: a tier finishes at most its capacity in cores over its demand. Its capacity is the sum of its services' quotas and
 * its demand the sum of their demands, so that two nodes with a quota each finish twice what one does. Whatever the quotas,
 * all tiers share the machine: its cores over the sum of all demands is a bound too, and the only one for tiers without quotas.
 *
 * Users: each sends its next request when the last is answered and it has thought for Z, so N of them finish at most
 * N / (R0 + Z) requests. R0 is what an answer takes when nobody else is there; the lab takes the smallest median of good
 * answers that any second of the run shows. Of an open load, arrivals are the bound.
 */

import type { Shape } from '../../../k6/lib/shapes.js';
import type { TimelineRow } from '../../record/types.js';
import { min, sum } from '../../stats/numbers.ts';
import type { CpuBound, Service } from './laws.ts';

/**
 * @param demands service to CPU seconds a request
 * @param cores of the machine
 * @returns the tightest first
 */
export function cpuBounds(demands: Record<string, number | null>, services: Service[], cores: number): CpuBound[] {
	const demandOf = (some: Service[]) => sum(some.map(({ name }) => demands[name]));
	const bounds = [...new Set(services.map(({ tier }) => tier))].flatMap((tier) => {
		const own = services.filter((service) => service.tier === tier);
		if (own.some(({ cpu_quota_cores: quota }) => quota === null)) return [];
		return [{ by: tier, rps: sum(own.map(({ cpu_quota_cores: quota }) => quota)) / demandOf(own) }];
	});
	return [...bounds, { by: 'machine', rps: cores / demandOf(services) }]
		.filter(({ rps }) => Number.isFinite(rps))
		.sort((one, other) => one.rps - other.rps);
}

/**
 * What the load asks for in each second. Users are those that the shape plans for the end of the second, since k6's own
 * reading of them is of a moment at its start.
 * @returns requests a second; null outside the stages, and where it is not known
 */
export function askedRates(shape: Shape, timeline: TimelineRow[], thinkTimeS: number): (number | null)[] {
	if (shape.unit === 'rps') return timeline.map(({ t_s }) => plannedAt(shape, t_s - 0.5));
	const quickestMs = min(timeline.filter(({ t_s }) => t_s > 0).map((row) => row.latency_ms_p50_ok));
	const roundS = quickestMs === null ? 0 : quickestMs / 1000 + thinkTimeS;
	return timeline.map(({ t_s }) => {
		const users = plannedAt(shape, t_s);
		return users === null || roundS === 0 ? null : users / roundS;
	});
}

/**
 * k6 moves users and arrivals in a straight line from target to target: arrivals from none, users from one, unless the first
 * stage is held.
 */
function plannedAt({ stages, unit }: Shape, at_s: number): number | null {
	if (at_s <= 0) return null;
	let from_s = 0;
	let level = unit === 'rps' ? 0 : stages[0]?.held ? stages[0].target : 1;
	for (const { duration_s: duration, target } of stages) {
		if (at_s <= from_s + duration) return level + ((target - level) * (at_s - from_s)) / duration;
		from_s += duration;
		level = target;
	}
	return null;
}
