/**
 * The bottleneck of the whole run. Where requests failed or answers took long it is judged over those seconds, however short the trouble was;
 * else over the stages of the load: of one that changes none binds for all of it.
 */

import type { Ledger, Resource, Result, Stage, StageBottleneck, Tier, TimeLedger, TimelineRow, Waiting } from '../../record/types.js';
import { count, percent, tierName } from '../../stats/figure-words.ts';
import type { Facts } from '../ledger/facts.ts';
import { bottleneckFollowed } from './followed-bottleneck.ts';
import { givingWay, joined, meanwhile, queuedElsewhere } from './giving-way.ts';
import { evidenceOver, hasLost, hurtOf, judgedOver, nothingOver, reasonOver } from './hurt.ts';
import type { Laws } from './laws.ts';
import type { WatchedLimit } from './limits.ts';
import { FULL_SHARE, machineBusyIn } from './machine-busy.ts';
import { othersWhileFull } from './saturation.ts';
import {
	bindingBySecond,
	CORES,
	coresSaturation,
	type Saturation,
	type StageInput,
	SUSTAINED_S,
	saturationsOf,
	servedAsAsked,
	UNEXPLAINED,
} from './saturations.ts';
import { MOST, stageBottlenecksOf, stageName } from './stage-bottlenecks.ts';

type Bottleneck = Result['bottleneck'];

/** Where nothing was the matter with the run. */
export const NO_LIMIT = 'no tier reached a limit that is watched';

export function bottleneckOf({
	resources,
	cpu,
	limits,
	timeline,
	stages,
	laws,
	facts,
	ledger,
	timeLedger = null,
	waiting = null,
}: {
	resources: Record<string, Resource>;
	cpu: Record<string, (number | null)[]>;
	limits: WatchedLimit[];
	timeline: TimelineRow[];
	/** none where a program makes the load */
	stages: Stage[];
	laws: Laws;
	facts: Facts;
	ledger: Ledger;
	timeLedger?: TimeLedger | null;
	/** of failed requests that were followed */
	waiting?: Waiting | null;
}): { bottleneck: Bottleneck; reason: string; byStage: StageBottleneck[]; givingWay: string[] } {
	const seconds = timeline.map(({ t_s }) => t_s);
	const hurt = hurtOf(timeline);
	// Room that is full makes nobody slow.
	const tiers = saturationsOf({ resources, cpu, limits, seconds, facts }).filter(({ fills }) => !fills || hasLost(hurt));
	const saturations = [...tiers, coresSaturation(facts, seconds)];
	const found = stageBottlenecksOf({
		stages: stages.length > 0 ? stages : [wholeLoad(seconds)],
		saturations: tiers,
		hurt,
		timeline,
		laws,
		facts,
	});
	const { bottleneck, reason } =
		(hasLost(hurt) ? bottleneckFollowed(waiting, ledger) : null) ??
		withoutOthers(namedIn({ found, stages, saturations, timeline, hurt, facts, laws }), facts);
	const more = { saturations: ownAlone(saturations, facts), timeline, hurt, unit: stages[0]?.unit ?? 'users' };
	const beside = bottleneck
		? [
				joined({ ...more, tier: bottleneck.tier, ledger }),
				meanwhile({ saturations, timeline, hurt, tier: bottleneck.tier }),
				queuedElsewhere(timeLedger, stages, bottleneck.tier),
			]
		: [];
	return {
		byStage: stages.length > 0 ? found : [],
		bottleneck,
		reason: [reason, ...beside.filter((text) => text !== '')].join('. '),
		givingWay: givingWay({ ...more, tier: bottleneck?.tier ?? null }),
	};
}

/** found: of each stage */
type Known = StageInput & { found: StageBottleneck[] };

function namedIn(known: Known): { bottleneck: Bottleneck; reason: string } {
	const { found, stages, saturations, timeline, hurt, facts } = known;
	const judged = judgedOver(saturations, timeline, hurt);
	if (judged?.tier) {
		const evidence = [...evidenceOver(judged, saturations), ...elsewhere(found, stages, judged.tier)];
		return { bottleneck: { tier: judged.tier, evidence }, reason: reasonOver(judged, hurt) };
	}
	// What is at its limit while nothing fails does not explain what fails.
	if (judged?.by === 'failures') return { bottleneck: null, reason: nothingOver(judged, known) };
	const last = lastBound(found, stages);
	if (last) {
		const tier = last.row.tier as Tier;
		return { bottleneck: { tier, evidence: [...last.row.evidence, ...elsewhere(found, stages, tier)] }, reason: last.why };
	}
	const used = usedUp(stages, facts);
	if (used) return used;
	// No stage is bound by a tier for most of its time; a limit may have been reached for some of it.
	const served = stages.filter((_, at) => servedAsAsked(known, at));
	const isServed = (t_s: number) => served.some(({ from_s, to_s }) => t_s > from_s && t_s <= to_s);
	const bottleneck = briefly(saturations, timeline, isServed);
	if (bottleneck) return { bottleneck, reason: 'it was at a limit, though in no stage for most of the time' };
	if (judged) return { bottleneck: null, reason: nothingOver(judged, known) };
	const idle = briefly(saturations, timeline, (t_s) => !isServed(t_s));
	return {
		bottleneck: null,
		reason: idle ? `all arrivals were answered as soon as ever, though ${idle.evidence[0]}` : nothingText(found, stages),
	};
}

/** @returns of a load that has no stages */
const wholeLoad = (seconds: number[]): Stage => ({
	...({ target: 0, unit: 'users', held: true, throughput_rps: null, bound_rps: null } as any),
	from_s: 0,
	to_s: seconds.at(-1) ?? 0,
});

/** The last stage that a tier binds. */
function lastBound(found: StageBottleneck[], stages: Stage[]): { row: StageBottleneck; why: string } | null {
	const last = found.findLastIndex(({ tier }) => tier !== null);
	if (last < 0) return null;
	return {
		row: found[last],
		why: stages.length === 0 ? 'it was at a limit for most of the load' : `it binds in the stage ${stageName(stages[last])}`,
	};
}

/** The machine, where its cores were in use for all of a stage, the last such. */
function usedUp(stages: Stage[], facts: Facts): { bottleneck: Bottleneck; reason: string } | null {
	const busy = stages.map(({ from_s, to_s }) => machineBusyIn(facts, from_s, to_s));
	const last = busy.findLastIndex((share) => share >= FULL_SHARE);
	if (last < 0) return null;
	const evidence = [`${percent(busy[last])} of ${CORES} were in use`];
	return { bottleneck: { tier: 'machine', evidence }, reason: `hardly a core was free in the stage ${stageName(stages[last])}` };
}

/** Of all cores, from which on what other programs had of them is said where the cores were full: as much is a doubt about a run. */
const OTHERS_LEAST = 0.05;

/**
 * Limits as they are told in the order of time: cores of which other programs had most are none of this system, and of which they had a part
 * that is said.
 */
function ownAlone(saturations: Saturation[], facts: Facts): Saturation[] {
	const isFull = saturations.some(({ name, reached }) => name === CORES && reached.includes(true));
	const full = isFull ? othersWhileFull(facts) : null;
	if (full === null || full.others < OTHERS_LEAST) return saturations;
	if (full.others > full.busy * MOST) return saturations.filter(({ name }) => name !== CORES);
	const withOthers = ({ what }: Saturation) => `${what} (${percent(full.others)} by other programs)`;
	return saturations.map((saturation) => (saturation.name === CORES ? { ...saturation, what: withOthers(saturation) } : saturation));
}

/** Cores of which other programs had most are no limit of this system. */
function withoutOthers<Named extends { bottleneck: Bottleneck; reason: string }>(
	named: Named,
	facts: Facts,
): Named | { bottleneck: null; reason: string } {
	const full = named.bottleneck?.evidence[0].includes(CORES) ? othersWhileFull(facts) : null;
	if (full === null || !(full.others > full.busy * MOST)) return named;
	const reason = `other programs filled ${CORES}: they used ${percent(full.others)} of them for ${count(Math.round(full.seconds))} s`;
	return { bottleneck: null, reason };
}

/** What binds in the other stages. */
function elsewhere(found: StageBottleneck[], stages: Stage[], named: string): string[] {
	const others = found.flatMap(({ tier }, at) =>
		tier && tier !== named ? [`${tierName(tier)} in the stage ${stageName(stages[at])}`] : [],
	);
	return others.length > 0 ? [`in other stages it is another: ${others.join(', ')}`] : [];
}

/** The tier that was longest at a limit, if for some seconds in a row, but for those left out; the machine, where no tier was. */
function briefly(saturations: Saturation[], timeline: TimelineRow[], isLeftOut: (t_s: number) => boolean): Bottleneck {
	const seconds = timeline.map(({ t_s }) => t_s);
	const counts = (index: number) => seconds[index] > 0 && !isLeftOut(seconds[index]);
	const binding = bindingBySecond(saturations, seconds).map((saturation, index) => (counts(index) ? saturation : null));
	let run = 0;
	const longest: Record<string, number> = {};
	for (const [index, saturation] of binding.entries()) {
		run = saturation && saturation.tier === binding[index - 1]?.tier ? run + 1 : 1;
		if (saturation && run >= SUSTAINED_S) longest[saturation.tier] = Math.max(longest[saturation.tier] ?? 0, run);
	}
	const tiers = Object.keys(longest).sort((one, other) => longest[other] - longest[one]);
	const tier = tiers.find((name) => name !== 'machine') ?? tiers[0];
	if (tier === undefined) return null;
	const evidence = saturations.flatMap((saturation) => {
		const reached = saturation.reached.filter((value, index) => value && counts(index)).length;
		return saturation.tier === tier && reached > 0 ? [`${saturation.name}: ${saturation.what} for ${reached} s`] : [];
	});
	return { tier: tier as Saturation['tier'], evidence };
}

function nothingText(found: StageBottleneck[], stages: Stage[]): string {
	const unexplained = found.findIndex(({ what }) => what === UNEXPLAINED);
	return unexplained < 0 ? NO_LIMIT : `no limit that Doubletake watches explains the rate in the stage ${stageName(stages[unexplained])}`;
}
