/**
 * The seconds of a load that hurt: requests failed in them, or good answers took far longer than in the calm of the same run. A bottleneck
 * is looked for in these, for a trouble may be shorter than a stage.
 */

import { grouped, inWords } from '../../base/values.ts';
import type { TimelineRow } from '../../record/types.js';
import { count, inUnit, many, percent, tierName } from '../../stats/figure-words.ts';
import { median, present, quantile, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Saturation } from './saturations.ts';
import { bindingBySecond, SUSTAINED_S } from './saturations.ts';
import { calmBehind, MOST } from './stage-bottlenecks.ts';

/** indexes are places on the timeline */
export type Hurt = {
	/** seconds in which requests failed */
	failing: number[];
	/** seconds in which good answers took long, or none came, some in a row */
	slow: number[];
	/** of these, seconds in which none came */
	silent: number;
	/** in all of them */
	failures: number;
	/** of the load */
	finished: number;
	/** median of good answers in the calm; null where there were none */
	calmMs: number | null;
};

/** A tenth of a run's seconds are as quick: the very quickest is chance. */
const CALM_SHARE = 0.1;
/** Seconds, of which a tenth is one. */
const CALM_LEAST = 10;
/** Of the calm, from which on an answer took long: calm seconds differ by half, and a queue makes it many times as long. */
export const SLOW_TIMES = 3;

/** Good answers a second, of half of the run's seconds: of fewer, a second without one is chance. */
const RATE_LEAST = 3;

export function hurtOf(timeline: TimelineRow[]): Hurt {
	const load = [...timeline.keys()].filter((index) => timeline[index].t_s > 0);
	const failing = load.filter((index) => (timeline[index].failures_per_s ?? 0) > 0);
	// Where the slow kind of requests fails, what is left is answered soon: that is no calm.
	const unharmed = load.filter((index) => !failing.includes(index));
	const calmIn = unharmed.length >= CALM_LEAST ? unharmed : load;
	const of = (key: 'latency_ms_p50_ok' | 'latency_ms_p95_ok') => {
		const calm = calmOf(calmIn.map((index) => timeline[index][key]));
		return { calm, isSlow: (index: number) => calm !== null && (timeline[index][key] ?? 0) >= calm * SLOW_TIMES };
	};
	const [typical, tail] = [of('latency_ms_p50_ok'), of('latency_ms_p95_ok')];
	const silent = silentIn(timeline, load);
	const slow = sustained(load.filter((index) => typical.isSlow(index) || tail.isSlow(index) || silent.has(index)));
	return {
		failing,
		slow,
		silent: slow.filter((index) => silent.has(index)).length,
		failures: sum(load.map((index) => timeline[index].failures_per_s)),
		finished: sum(load.map((index) => timeline[index].throughput_rps)),
		calmMs: typical.calm,
	};
}

/** Seconds between answers in which none came: what waits has no latency yet. */
function silentIn(timeline: TimelineRow[], load: number[]): Set<number> {
	const good = (index: number) => timeline[index].goodput_rps;
	const answered = load.filter((index) => (good(index) ?? 0) > 0);
	if ((median(load.map(good)) ?? 0) < RATE_LEAST) return new Set();
	return new Set(load.filter((index) => good(index) === 0 && index > answered[0] && index < (answered.at(-1) as number)));
}

const calmOf = (values: (number | null)[]) =>
	quantile(
		present(values).sort((one, other) => one - other),
		CALM_SHARE,
	);

/**
 * @param indexes in their order
 * @param counts those that do not keep a row together, and are no part of its length
 * @returns those that count and are some in a row
 */
export function sustained(indexes: number[], counts: (index: number) => boolean = () => true): number[] {
	const runs = [] as number[][];
	for (const index of indexes) {
		const last = runs.at(-1);
		if (last?.at(-1) === index - 1) last.push(index);
		else runs.push([index]);
	}
	return runs
		.map((run) => run.filter(counts))
		.filter(({ length }) => length >= SUSTAINED_S)
		.flat();
}

/**
 * The tier that binds over the seconds of a load that hurt: in each of them the most telling of the limits that were reached, and of all of
 * them the tier that this is while most of the requests failed, or, where hardly one did, in most of the seconds in which answers took long.
 */
/** over some seconds */
type Judged = {
	/** places on the timeline */
	inside: number[];
	by: 'failures' | 'latency';
	/** null where none is at its limit for most */
	tier: Saturation['tier'] | null;
	/** of the failures, or of the seconds, while it was; 0 to 1 */
	share: number;
	/** the longest first */
	all: { tier: Saturation['tier']; share: number }[];
};

/** Losses below this share of the requests do not say which seconds count. */
const LOST_SHARE = 0.01;

export const hasLost = ({ failures, finished }: Pick<Hurt, 'failures' | 'finished'>) => failures > finished * LOST_SHARE;

/**
 * @param saturations the machine's among them
 * @returns null where no second hurt
 */
export function judgedOver(
	saturations: Saturation[],
	timeline: TimelineRow[],
	hurt: Hurt,
	by: Judged['by'] = hasLost(hurt) ? 'failures' : 'latency',
): Judged | null {
	const inside = by === 'failures' ? hurt.failing : hurt.slow;
	if (inside.length === 0) return null;
	const binding = bindingBySecond(
		saturations,
		timeline.map(({ t_s }) => t_s),
	);
	const weightOf = (index: number) => (by === 'failures' ? (timeline[index].failures_per_s ?? 0) : 1);
	const total = sum(inside.map(weightOf));
	const tiers = [...new Set(inside.flatMap((index) => binding[index]?.tier ?? []))];
	const all = tiers
		.map((tier) => ({ tier, share: sum(inside.filter((index) => binding[index]?.tier === tier).map(weightOf)) / total }))
		.sort((one, other) => other.share - one.share);
	const [first] = all;
	const isMost = first !== undefined && first.share > MOST;
	return { inside, by, tier: isMost ? first.tier : null, share: isMost ? first.share : 0, all };
}

/** What was at its limit in those seconds, that of the tier first. */
export function evidenceOver({ inside, tier, by }: Judged, saturations: Saturation[]): string[] {
	const lengthOf = ({ reached }: Saturation) => inside.filter((index) => reached[index]).length;
	const longest = saturations.toSorted((one, other) => lengthOf(other) - lengthOf(one));
	const own = longest.filter((saturation) => saturation.tier === tier && lengthOf(saturation) > 0);
	const others = longest.filter((saturation) => saturation.tier !== tier && lengthOf(saturation) >= SUSTAINED_S);
	const which = by === 'failures' ? 'with failures' : 'with slow answers';
	return [
		// Services that were alike are one line: a reader would take the first for the only one.
		...[...grouped([...own, ...others], (one) => `${one.tier} ${one.what} ${lengthOf(one)}`).values()].map(
			(alike) =>
				`${inWords(alike.map(({ name }) => name))}${alike.length > 1 ? ', each' : ''}: ${alike[0].what} in ${lengthOf(alike[0])} of ${inside.length} s ${which}`,
		),
		...calmBehind(saturations, tier, inside),
	];
}

/** Why the tier stands for the run. */
export const reasonOver: (judged: Judged, hurt: Hurt) => string = ({ by, share, inside }, hurt) =>
	by === 'failures'
		? `it was at a limit while ${percent(share)} of the ${many(Math.round(hurt.failures), 'failure')} happened`
		: `it was at a limit in ${Math.round(share * inside.length)} of the ${inside.length} s in which ${slowText(hurt)}`;

/** Why none is named, and what was not watched meanwhile. */
export function nothingOver(
	{ by, all, inside }: Judged,
	{ hurt, saturations, facts }: { hurt: Hurt; saturations: Saturation[]; facts: Pick<Facts, 'hops'> },
): string {
	const [which, part] =
		by === 'failures'
			? [`while ${many(Math.round(hurt.failures), 'request')} failed`, 'of the failures']
			: [`in the ${inside.length} s in which ${slowText(hurt)}`, 'of these seconds'];
	const some = all.map(({ tier, share }) => `${tierName(tier)} in ${percent(share)} ${part}`);
	const found =
		some.length === 0
			? `no limit on record was reached ${which}`
			: `no limit on record was reached for most of the time ${which}: ${some.join(', ')}`;
	return [found, ...unwatched(inside, saturations, facts)].join('; ');
}

const slowText = ({ calmMs, silent }: Hurt) =>
	`latency was at least ${SLOW_TIMES} times that of calm seconds (median ${inUnit('ms', calmMs)})${silent > 0 ? ', or no answer came' : ''}`;

function unwatched(inside: number[], saturations: Saturation[], { hops }: Pick<Facts, 'hops'>): string[] {
	const blind = hops.filter(({ coverage }) => coverage.limits !== 'full').map(({ service }) => service);
	const unread = saturations.filter(({ reached }) => inside.every((index) => reached[index] === null)).map(({ name }) => name);
	return [
		...(blind.length > 0 ? [`what can run full inside ${blind.join(', ')} is not watched, or not all of it`] : []),
		...(unread.length > 0
			? [
					`not read in those seconds: ${unread.slice(0, NAMED_MOST).join(', ')}${unread.length > NAMED_MOST ? ` and ${count(unread.length - NAMED_MOST)} more` : ''}`,
				]
			: []),
	];
}

/** Limits that a sentence names. */
const NAMED_MOST = 4;
