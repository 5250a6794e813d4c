/**
 * What a reader is told beside the bottleneck: how the system gave way, where requests were lost and where good answers queued meanwhile.
 */

import type { Ledger, Stage, TimeLedger, TimelineRow } from '../../record/types.js';
import { count, inUnit, many, percent, significant, tierName } from '../../stats/figure-words.ts';
import { present, sum } from '../../stats/numbers.ts';
import type { Hurt } from './hurt.ts';
import { hasLost, judgedOver, SLOW_TIMES, sustained } from './hurt.ts';
import type { Saturation } from './saturations.ts';
import { stageName } from './stage-bottlenecks.ts';

/** Limits that are reported; more of them say less. */
const LIMITS_MOST = 5;
/** A second without a reading has the users of one this near. */
const USERS_WITHIN_S = 2;
/** From a second without a reading to those that were read, before and after it. */
const NEAR_S = [1, 2];

/**
 * How the system gave way, in the order of time: the moment in which each limit was reached, answers became slow and requests began to fail,
 * with the load of that second. That one came before the other is all that is said: what is reached at the same time need not be the cause.
 * @returns a line each; none where nothing of it happened
 */
export function givingWay({
	saturations,
	timeline,
	hurt,
	tier,
	unit,
}: {
	saturations: Saturation[];
	timeline: TimelineRow[];
	hurt: Hurt;
	/** the bottleneck's */
	tier: string | null;
	/** of the load's targets */
	unit: string;
}): string[] {
	const hurting = [...hurt.failing, ...hurt.slow];
	// What is at its limit while all is answered as quickly as in the calm gives way to nothing.
	if (hurting.length === 0) return [];
	const limits = firstOfEach(
		saturations
			.filter((saturation) => saturation.tier === tier || hurting.some((index) => saturation.reached[index]))
			.flatMap((saturation) => intervalOf(saturation, timeline)),
	).slice(0, LIMITS_MOST);
	const events = limits.map(({ at, seconds, saturation: { name, what } }) => ({ at, text: `${name}: ${what}, for ${seconds} s in total` }));
	const [slow] = hurt.slow;
	if (slow !== undefined)
		events.push({
			at: slow,
			text: `latency is at least ${SLOW_TIMES} times that of calm seconds (median ${inUnit('ms', hurt.calmMs)})${hurt.silent > 0 ? ', or no answer comes' : ''}`,
		});
	const [failing] = hurt.failing;
	if (failing !== undefined)
		events.push({ at: failing, text: `the first failed request; ${count(hurt.failing.length)} seconds of the run have failures` });
	return events
		.toSorted((one, other) => one.at - other.at)
		.map(({ at, text }) => `second ${timeline[at].t_s - 1} (${loadAt(timeline, at, unit)}): ${text}`);
}

/**
 * When its limit was reached for some seconds in a row for the first time. One or two that nobody could read do not end them: observers miss
 * some just where a system gives way.
 */
function intervalOf(saturation: Saturation, timeline: TimelineRow[]): { at: number; seconds: number; saturation: Saturation }[] {
	const isReached = (index: number) => saturation.reached[index] === true;
	const isBetween = (index: number) =>
		[-1, 1].every((way) => NEAR_S.some((distance) => isReached(index + way * distance))) && saturation.reached[index] === null;
	const load = [...timeline.keys()].filter((index) => timeline[index].t_s > 0);
	const reached = load.filter(isReached);
	const [at] = sustained(
		load.filter((index) => isReached(index) || isBetween(index)),
		isReached,
	);
	return at === undefined ? [] : [{ at, seconds: reached.length, saturation }];
}

/** Of several nodes with one limit the first stands for all. */
const firstOfEach = (intervals: ReturnType<typeof intervalOf>) =>
	intervals
		.toSorted((one, other) => one.at - other.at)
		.filter(
			({ saturation: { tier, what } }, index, sorted) =>
				sorted.findIndex(({ saturation: other }) => other.tier === tier && other.what === what) === index,
		);

function loadAt(timeline: TimelineRow[], at: number, unit: string): string {
	const rate = `${significant(timeline[at].throughput_rps ?? 0)} requests per second`;
	if (unit !== 'users') return rate;
	const near = timeline.slice(Math.max(0, at - USERS_WITHIN_S), at + 1).filter(({ t_s }) => t_s > 0);
	const users = present(near.map(({ vus }) => vus)).at(-1);
	return users === undefined ? rate : `${many(users, 'user')}, ${rate}`;
}

/**
 * Where requests were lost and what was at a limit meanwhile, in one sentence where these are two tiers.
 * @returns without its stop; empty where they are one
 */
export function joined({
	ledger,
	tier,
	saturations,
	timeline,
	hurt,
}: {
	ledger: Ledger;
	/** the bottleneck's */
	tier: string;
	saturations: Saturation[];
	timeline: TimelineRow[];
	hurt: Hurt;
}): string {
	const { worst, share } = lostAt(ledger);
	if (worst === null || worst === tier) return '';
	const reached = saturations
		.filter((saturation) => hurt.failing.some((index) => saturation.reached[index]))
		.flatMap((saturation) => intervalOf(saturation, timeline))
		.toSorted((one, other) => one.at - other.at);
	const own = reached.find(({ saturation }) => saturation.tier === worst);
	const other = reached.find(({ saturation }) => saturation.tier === tier);
	const from = (at: number) => `from second ${timeline[at].t_s - 1} on`;
	const limit = ({ name, what }: Saturation) => `(${name}: ${what})`;
	const lost = `${share === 1 ? 'All' : percent(share)} of the failures were at ${tierName(worst)}`;
	const where = own
		? `${lost}, at a limit of its own ${from(own.at)} ${limit(own.saturation)}`
		: `${lost}, of which no limit that is watched was reached then`;
	if (!other) return where;
	const order = !own || other.at === own.at ? 'meanwhile' : other.at < own.at ? 'before that' : 'after that';
	return `${where}; ${order}, ${from(other.at)}, ${tierName(tier)} was at its limit ${limit(other.saturation)}`;
}

/** The tier that lost most, and its share of the failures. */
function lostAt({ failures, unattributed }: Ledger): { worst: string | null; share: number } {
	const lost = (tier: string) => sum(failures.filter((row) => row.tier === tier).map((row) => row.count));
	const [worst = null] = failures.map(({ tier }) => tier).sort((one, other) => lost(other) - lost(one));
	const all = sum(failures.map((row) => row.count)) + unattributed;
	return { worst, share: worst === null ? 0 : lost(worst) / all };
}

/**
 * What was at its limit while requests failed, where too few did to say which tier stands for the run.
 * @param input tier: the bottleneck's
 * @returns without its stop; empty where it was the bottleneck
 */
export function meanwhile({
	saturations,
	timeline,
	hurt,
	tier,
}: {
	saturations: Saturation[];
	timeline: TimelineRow[];
	hurt: Hurt;
	tier: string;
}): string {
	if (hurt.failing.length === 0 || hasLost(hurt)) return '';
	const judged = judgedOver(saturations, timeline, hurt, 'failures');
	if (judged === null || judged.tier === tier) return '';
	const failed = `While ${many(Math.round(hurt.failures), 'request')} failed`;
	return judged.tier === null
		? `${failed}, no limit on record was reached for most of the time`
		: `${failed}, it was ${tierName(judged.tier)}`;
}

/** Of the time of good answers, from which on they spent most of it in one place. */
const MOST = 0.5;

/** Where good answers queued, where that is not what they queued for: a queue is long before whatever is at its limit. */
export function queuedElsewhere(time: TimeLedger | null, stages: Stage[], tier: string): string {
	const slowest = (time?.stages ?? []).reduce(
		(worst, { measured_ms: ms }, at, all) => ((ms ?? 0) > (all[worst]?.measured_ms ?? 0) ? at : worst),
		0,
	);
	const stage = time?.stages[slowest];
	const whole = stage?.measured_ms ?? 0;
	const part = time?.parts.find(({ id, waits }) => waits && (stage?.parts[id] ?? 0) > whole * MOST);
	if (!part || !stage || part.tier === tier || part.tier === 'generator' || !stages[slowest]) return '';
	const spent = `${inUnit('ms', stage.parts[part.id])} of ${inUnit('ms', whole)}`;
	return `Successful requests spent most of their time ${part.label} (${spent} in the stage ${stageName(stages[slowest])}). They queued there, but ${tierName(tier)} was at its limit`;
}
