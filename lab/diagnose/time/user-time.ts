/**
 * Where the users' time went. A user of a closed load is always either waiting for an answer, connecting, thinking, or held
 * up by the generator itself, so the parts sum to users x seconds without any steady state: what the first three leave is
 * the generator's own overhead. That is the guard against a generator that measures itself instead of the system.
 *
 * In an open load users wait for work as well, which is nobody's time: there the total is the time of the iterations, and the
 * overhead what they took beyond waiting and thinking. Arrivals that began late or not at all are told elsewhere.
 */

import type { Shape } from '../../../k6/lib/shapes.js';
import { scenarios } from '../../catalog/scenarios.ts';
import type { Snapshot } from '../../record/k6-requests.ts';
import { aggregateOf, countOf } from '../../record/k6-requests.ts';
import type { Stage, UserTime, UserTimePart } from '../../record/types.js';
import { present, rounded, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Raw } from '../read-raw.ts';
import type { Window } from './window.ts';

type PartId = UserTimePart;

/** any unit */
type Parts = Record<PartId, number>;

const LABELS: Record<PartId, string> = {
	answered: 'waiting for successful requests',
	failed: 'waiting for requests that failed',
	connecting: 'connecting, or waiting for a connection',
	thinking: 'thinking',
	generator: "the load generator's own overhead",
};
const IDS = Object.keys(LABELS) as PartId[];

/** What users waited, by the lab's own clock of it. */
const WAITED = 'lab_latency_all';
const WAITED_GOOD = 'lab_latency_ok';
/** k6 expects a status from 200 to 399; the successful requests of every scenario are 200 and 201, and nothing else below 400 is sent. */
export const GOOD = 'http_req_duration{scenario:load,expected_response:true}';
/** k6's own time of connecting is in it: it is from wanting a connection to having one. */
export const BLOCKED = 'http_req_blocked{scenario:load}';
const ITERATIONS = 'iteration_duration{scenario:load}';

/** @returns null where k6 did not make the load, or a figure is missing from what it left */
export function userTimeOf(facts: Facts, stages: Stage[]): UserTime | null {
	const { raw, generator } = facts;
	const [all, waitedGood, good, blocked] = [WAITED, WAITED_GOOD, GOOD, BLOCKED].map((metric) => secondsIn(raw, metric));
	const total = totalOf(facts);
	if (all === null || waitedGood === null || good === null || blocked === null || total === null || total === 0) return null;
	// What the users of successful requests waited beyond the answers themselves. Failed requests are told whole: k6 takes no time of a
	// connection that was never made.
	const connecting = Math.max(0, waitedGood - good);
	const thinking = raw.summary.metrics.lab_think_s?.values.count ?? generator.finished * thinkTimeOf(raw);
	const parts = withRest(total, { answered: waitedGood - connecting, failed: all - waitedGood, connecting, thinking });
	const goodShare = blocked === 0 ? 0 : within(connecting / blocked, 0, 1);
	const ofStages = stages.map((stage) => ({ target: stage.target, shares: stageShares(facts, stage, goodShare) }));
	return {
		total_s: rounded(total, 2) ?? 0,
		parts: IDS.map((id) => ({ id, label: LABELS[id], seconds: rounded(parts[id], 2) ?? 0, share: rounded(parts[id] / total, 4) ?? 0 })),
		stages: ofStages.map(({ target, shares }) => ({ target, parts: partsFrom((id) => rounded(shares[id], 4)) })),
	};
}

/** The last part is whatever the others leave; below zero where they overlap, which the validity of the run tells. */
const withRest: (total: number, parts: Omit<Parts, 'generator'>) => Parts = (total, parts) => ({
	...parts,
	generator: total - sum(Object.values(parts)),
});

/**
 * Where it is the same each time.
 * @returns seconds
 */
export const thinkTimeOf = ({ manifest }: Raw): number => manifest.think_time_s ?? scenarios[manifest.scenario]?.think_time_s ?? 0;

/** All the time of a trend, in seconds. */
function secondsIn({ summary }: Raw, metric: string): number | null {
	const values = summary?.metrics[metric]?.values;
	if (typeof values?.count !== 'number') return null;
	return values.count === 0 ? 0 : (values.count * values.avg) / 1000;
}

/** @returns seconds */
function totalOf({ raw, snapshots, window }: Facts): number | null {
	const iterations = secondsIn(raw, ITERATIONS);
	if (raw.manifest.shape.model !== 'closed' || scenarios[raw.manifest.scenario]?.isUserScript)
		return iterations === null ? null : Math.max(iterations, writtenTime(raw, snapshots));
	const users = usersTime(snapshots, window, raw.manifest.shape);
	// The gauge lags behind a rising ramp by up to a second. Users cannot have had less time than their iterations took.
	return users === null || iterations === null ? null : Math.max(users, iterations);
}

/**
 * k6 does not count an iteration that it cuts off at the end of the load, as all of those are that wait for a system that stands still. Users
 * have written what they waited in it.
 * @returns seconds
 */
const writtenTime = ({ written }: Raw, snapshots: Snapshot[]): number =>
	written === null
		? 0
		: sum(snapshots.map((row) => ((aggregateOf(row, 'iteration_duration', 'avg') ?? 0) * countOf(row, 'iterations')) / 1000));

/**
 * Users x seconds, from how many there are at the end of each second: straight lines between the readings.
 * @returns null without a reading
 */
function usersTime(snapshots: Snapshot[], window: Window, { stages: [first] }: Shape): number | null {
	const readings = snapshots
		.filter(({ t }) => t > window.from && t <= window.to)
		// A gauge of 0 while requests finish is a second in which k6 took no reading.
		.filter((snapshot) => aggregateOf(snapshot, 'vus', 'value') || countOf(snapshot, 'lab_finished') === 0)
		.flatMap((snapshot) => {
			const users = aggregateOf(snapshot, 'vus', 'value');
			return users === null ? [] : [{ t: snapshot.t, users }];
		});
	if (readings.length === 0) return null;
	// A ramp begins with one user, a held stage with all of them (k6/lib/options.js).
	const start = { t: window.from, users: first?.held ? first.target : 1 };
	const line = [start, ...readings, { t: window.to, users: readings[readings.length - 1].users }];
	return sum(line.slice(1).map(({ t, users }, index) => ((users + line[index].users) / 2) * (t - line[index].t)));
}

/**
 * A stage's shares are those of the requests and iterations that ended in it, each with all of its time: one that began in the stage
 * before brings the time that it took there with it.
 */
function stageShares({ raw, snapshots }: Facts, { from_s, to_s }: Stage, goodShare: number): Record<PartId, number | null> {
	const inside = snapshots.filter(({ t_s }) => t_s > from_s && t_s <= to_s);
	const finished = sum(inside.map((snapshot) => countOf(snapshot, 'lab_finished')));
	const spent = (metric: string, counter = 'lab_finished') => {
		const busy = inside.filter((snapshot) => countOf(snapshot, counter) > 0);
		const each = present(busy.map((snapshot) => aggregateOf(snapshot, metric, 'avg')));
		if (each.length < busy.length) return null;
		return sum(busy.map((snapshot, index) => (each[index] * countOf(snapshot, counter)) / 1000));
	};
	// Users who think for seconds end fewer iterations than requests while their number grows.
	const [total, all, blocked] = [spent('iteration_duration', 'iterations'), spent(WAITED), spent('http_req_blocked')];
	const waitedGood = spent(WAITED_GOOD, 'lab_ok');
	if (!total || all === null || blocked === null || waitedGood === null) return partsFrom(() => null);
	const connecting = within(blocked * goodShare, 0, waitedGood);
	const thinking = inside.some(({ metrics }) => metrics.lab_think_s)
		? sum(inside.map((snapshot) => countOf(snapshot, 'lab_think_s')))
		: finished * thinkTimeOf(raw);
	const parts = withRest(total, { answered: waitedGood - connecting, failed: Math.max(0, all - waitedGood), connecting, thinking });
	return partsFrom((id) => parts[id] / total);
}

const partsFrom = (shareOf: (id: PartId) => number | null): Record<PartId, number | null> =>
	Object.fromEntries(IDS.map((id) => [id, shareOf(id)])) as Record<PartId, number | null>;

const within: (value: number, least: number, most: number) => number = (value, least, most) => Math.min(most, Math.max(least, value));
