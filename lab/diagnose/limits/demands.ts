/**
 * The service demand of each service: the CPU that it used in a stage over the requests that were finished in it (the
 * service demand law, D = U / X; Denning & Buzen, "The operational analysis of queueing network models", 1978).
 *
 * A failed request is finished too. What it cost is in the sum, and so is what a service does whatever the load, such as a
 * node's timers: both are part of what a finished request costs, and both make demands of different stages differ.
 */

import { countOf } from '../../record/k6-requests.ts';
import { rounded } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Demands, Service } from './laws.ts';

/** A demand that rests on fewer finished requests says more of a service's idle work than of a request. */
const FINISHED_LEAST = 50;
/** A stage that lost more of its requests than this does not say what a request costs that passes all tiers. */
const FAILED_MOST = 0.01;

/** seconds of the load */
type Span = { from_s: number; to_s: number };

export function demandsOf({ raw, window, snapshots, coresUnder }: Facts, span: Span): Demands {
	const [from, to] = [window.from + span.from_s, window.from + span.to_s];
	const counted = (metric: string) =>
		within(
			snapshots.map((snapshot, index) => ({
				from: snapshots[index - 1]?.t ?? snapshot.t - 1,
				to: snapshot.t,
				value: countOf(snapshot, metric),
			})),
			from,
			to,
		);
	const finished = counted('lab_finished') ?? 0;
	const seconds: Map<string, number | null> = new Map();
	let busiest = null as number | null;
	for (const { name, cpu_quota_cores: quota } of demandingServices(raw.manifest)) {
		const rows = raw.containers.filter((row) => row.name === name);
		const used = within(stepsOf(rows), from, to);
		seconds.set(name, used === null || finished < FINISHED_LEAST ? null : used / finished);
		if (used !== null) busiest = Math.max(busiest ?? 0, used / (to - from) / (quota ?? coresUnder(name)));
	}
	return { finished, failed: counted('lab_failed') ?? 0, seconds: Object.fromEntries(seconds), busiest };
}

/** Services that work for requests. An observer costs the same whatever the load. */
export const demandingServices = (manifest: any): Service[] =>
	((manifest.services ?? []) as Service[]).filter(({ tier }) => tier !== 'observer');

/**
 * The stage that says best what a request costs while nothing is the matter: of those with enough finished requests, and
 * hardly a failure among them, the one whose busiest service was least busy.
 * @returns index, -1 when no stage finished enough requests
 */
export function calmestOf(stages: Demands[]): number {
	const known = stages.filter(({ finished, busiest }) => finished >= FINISHED_LEAST && busiest !== null);
	const unharmed = known.filter(({ finished, failed }) => failed <= finished * FAILED_MOST);
	const [calmest] = (unharmed.length > 0 ? unharmed : known).toSorted((one, other) => Number(one.busiest) - Number(other.busiest));
	return calmest ? stages.indexOf(calmest) : -1;
}

/** @returns service to milliseconds */
export const inMilliseconds = ({ seconds }: Demands): Record<string, number | null> =>
	Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, value === null ? null : rounded(value * 1000)]));

/** what was gained from one reading to the next */
type Step = { from: number; to: number; value: number };

/** @param rows of one container */
const stepsOf = (rows: any[]): Step[] =>
	rows.slice(1).map((row, index) => ({ from: rows[index].t, to: row.t, value: Math.max(0, row.cpu_s - rows[index].cpu_s) }));

/**
 * What was gained in a time: of a step that reaches beyond it the part that lies inside.
 * @returns null when no step touches it
 */
function within(steps: Step[], from: number, to: number): number | null {
	const parts = steps
		.filter((step) => step.to > from && step.from < to && step.to > step.from)
		.map((step) => (step.value * (Math.min(step.to, to) - Math.max(step.from, from))) / (step.to - step.from));
	return parts.length === 0 ? null : parts.reduce((total, part) => total + part, 0);
}
