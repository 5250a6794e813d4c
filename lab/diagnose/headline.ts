/**
 * The verdict in a few sentences, made from the ledger, with how sure it is. The first says what failed, from when and at how many users, the
 * second where and why. Whether to trust the run stands beside it, wherever it is shown.
 */

import { arrivalsBy } from '../../k6/lib/arrivals.js';
import type { Shape } from '../../k6/lib/shapes.js';
import { loadDuration } from '../../k6/lib/shapes.js';
import { grouped } from '../base/values.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { causes } from '../record/causes.ts';
import { surenessSentence } from '../record/sureness.ts';
import type {
	Failure,
	FaultEffect,
	GoneWrites,
	Ledger,
	Limit,
	Metrics,
	Onset,
	Queue,
	Result,
	TimelineRow,
	WireUrl,
} from '../record/types.js';
import { count, inUnit, many, percent, significant, tierName } from '../stats/figure-words.ts';
import { sum } from '../stats/numbers.ts';
import { damagedLoad, damageSentence, isWhole } from './damage.ts';
import type { Facts } from './ledger/facts.ts';
import { predicateOf as predicateOfRow } from './ledger/ledger.ts';
import { NO_LIMIT } from './limits/bottleneck.ts';
import { loopSentence } from './sustaining-loop.ts';

/** Below it a share is written as 0.00 %, and how many they were says more. */
const NONE_SHARE = 0.00005;

/** Causes of one tier that a headline names, and all others that hold as many of the failures as that; the rest is in the ledger. */
const CAUSES_NAMED = 3;
const NAMED_SHARE = 0.05;

/** Places that a headline names of many alike. */
const ALIKE_NAMED = 2;

/** Of the failures: as many stray ones tell no begin and no end. */
const STRAY_SHARE = 0.01;

/** Failures that end so short before the load does go on to its end. */
const UNTIL_END_S = 5;

/** Near misses that a headline names; the rest is in their section. */
const NEAR_MISSES_NAMED = 2;

export function headlineOf(input: {
	facts: Facts;
	ledger: Ledger;
	metrics: Metrics;
	bottleneck: Result['bottleneck'];
	/** why it is named, or none is */
	reason?: string;
	faults?: Result['faults'];
	queue?: Queue | null;
	gone?: GoneWrites | null;
	onset?: Onset | null;
	/** what became of the stop */
	afterStop?: string;
	/** arrivals */
	droppedAtStandstill?: number;
	/** its title without its subject, where that is the place */
	predicateOf?: typeof predicateOfRow;
	/** requests by what they asked for; none where nothing was recorded */
	urls?: WireUrl[];
	/** none: neither seconds nor users are told */
	timeline?: TimelineRow[];
	/** to its limit, of all that were watched */
	nearest?: { name: string; share: number };
}) {
	const {
		facts,
		ledger,
		metrics,
		bottleneck,
		reason,
		faults = [],
		queue = null,
		gone = null,
		onset,
		afterStop = '',
		droppedAtStandstill = 0,
		predicateOf = predicateOfRow,
		urls = [],
		timeline = [],
		nearest,
	} = input;
	if (metrics.requests === 0) return nothingSentence(facts);
	const { noun, driver } = scenarios[facts.raw.manifest.scenario];
	const fate = driver === 'program' ? 'were made' : queue ? 'were accepted' : 'succeeded';
	const { shape } = facts.raw.manifest;
	const sentences =
		metrics.failures === 0
			? [
					calmSentence(metrics, `${noun}${damagedLoad(facts.raw) ? ' that are on record' : ''} ${fate}`, {
						most: mostText(ofLoad(timeline), shape),
						isRate: shape.unit !== 'users',
					}),
					nearMissSentence(ledger),
					bottleneck ? '' : nearestSentence(nearest),
					limitSentence(facts, bottleneck, reason),
				]
			: [
					failedSentence(metrics, noun, {
						when: whenText(timeline, shape, metrics.failure_rate === 1 ? null : onset),
						kind: facts.system.isFollowed ? kindOfFailed(metrics, urls) : '',
					}),
					attributionSentence(ledger, metrics, { ...facts, predicateOf }),
					afterStop,
					refusedSentence(ledger),
					unansweredSentence(metrics),
					surenessSentence(ledger.failures, metrics.failures),
					noFaultSentence(facts, ledger),
				];
	// The gravest that a run can find comes first: what is lost for good.
	return [
		damageSentence(facts.raw),
		gone?.text,
		metrics.failures === 0 && onset?.text,
		...sentences,
		queueSentence(queue, gone),
		...faults.map(metastableSentence),
		droppedSentence(metrics, droppedAtStandstill),
	]
		.filter(Boolean)
		.join(' ');
}

function nothingSentence({ raw }: Pick<Facts, 'raw'>) {
	const lost = damagedLoad(raw);
	return lost ? `How the requests of the load ended is not on record: ${lost.path} ${lost.problem}.` : 'No request was finished.';
}

/** An accepted write is a promise; this is what became of it. */
function queueSentence(queue: Queue | null, gone: GoneWrites | null) {
	if (queue === null || queue.accepted === 0) return '';
	const { accepted, completed_in_load: inLoad, completed, unlogged, lag_ms: lag, lost, failed, left, drained_after_s: drained } = queue;
	const later = completed - unlogged - inLoad;
	const after = later > 0 ? ` and ${percent(later / accepted)} in the ${drained === null ? 'time' : `${drained} s`} after it` : '';
	const rest = [
		...(unlogged > 0 ? [`${count(unlogged)} more are stored, and nobody logged when`] : []),
		...lostWords(lost, failed > 0 || (gone?.count ?? 0) > 0),
		...(failed > 0 ? [`${count(failed)} failed when they were to be done, and are gone`] : []),
		...((left ?? 0) > 0 ? [`${count(left ?? 0)} were still in the queue`] : []),
	];
	return `Of ${count(accepted)} accepted writes ${percent(inLoad / accepted)} were done in the load${after}, 95 % of them within ${((lag.p95 ?? 0) / 1000).toFixed(1)} s${rest.length > 0 ? `; ${rest.join(', ')}` : ''}.`;
}

/** Beside writes that are gone nobody says that none was lost. */
function lostWords(lost: number | null, isAnyGone: boolean): string[] {
	if (lost === null) return ['how many were lost is not known'];
	if (lost === 0) return isAnyGone ? [] : ['none was lost'];
	return [`${count(lost)} ${lost > 1 ? 'were' : 'was'} lost`];
}

const metastableSentence = ({ text, metastable, watched_after_s: watched, loop }: FaultEffect) =>
	metastable
		? `METASTABLE: "${text}" was over, and service did not come back in ${count(Math.round(watched ?? 0))} s.${loop ? ` ${loopSentence(loop)}` : ''}`
		: '';

/** @param most at the highest; isRate: it is what was wanted, which need not be reached */
function calmSentence(
	{ requests, throughput_rps: rps, latency_ms: latency }: Metrics,
	fate: string,
	{ most, isRate }: { most: string; isRate: boolean },
): string {
	const p95 = latency?.ok.p95 ?? null;
	return `All ${count(requests)} ${fate}${most && ` at ${isRate ? 'a wanted rate of ' : ''}up to ${most}`}: ${significant(rps)} per second${most && isRate ? ' were reached on average' : ''}${p95 === null ? '' : `, p95 latency ${inUnit('ms', p95)}`}.`;
}

/** Below it nobody is to be warned. */
const FAR = 0.5;

/** What will give way next, if anything does. */
const nearestSentence = (nearest?: { name: string; share: number }) =>
	nearest
		? `Nearest to its limit: ${nearest.name}, at most ${percent(nearest.share)} used${nearest.share < FAR ? ', far from full' : ''}.`
		: '';

const failedSentence: (metrics: Metrics, noun: string, about: { when: string; kind: string }) => string = (
	{ failures, failure_rate: rate, requests },
	noun,
	{ when, kind },
) =>
	`${rate === null || rate < NONE_SHARE ? count(failures) : percent(rate)} of ${count(requests)} ${noun} failed${when}${kind && `: ${kind}`}.`;

const ofLoad = (timeline: TimelineRow[]) => timeline.filter(({ t_s }) => t_s > 0);

/** The load at its highest. */
const mostText = (seconds: TimelineRow[], shape: Shape) =>
	seconds.length === 0
		? ''
		: loadText(shape, Math.max(0, ...seconds.map(({ vus }) => vus ?? 0)), () => Math.max(...shape.stages.map(({ target }) => target)));

/** In which seconds requests failed, under which load that began, and when none succeeded. */
function whenText(timeline: TimelineRow[], shape: Shape, onset: Onset | null | undefined) {
	const seconds = ofLoad(timeline);
	const all = sum(seconds.map(({ failures_per_s: failed }) => failed ?? 0));
	if (all === 0) return stopText(onset, null);
	let failed = 0;
	const until = seconds.map(({ failures_per_s: own }) => {
		failed += own ?? 0;
		return failed / all;
	});
	const first = until.findIndex((share) => share > STRAY_SHARE);
	const last = until.findIndex((share) => share > 1 - STRAY_SHARE);
	// A row of the timeline has the time at which its second ends; a second is called by the time at which it begins, as on the charts.
	const [from, to] = [seconds[first].t_s - 1, seconds[last].t_s - 1];
	const end = loadDuration(shape);
	// Whoever waits on after the load fails at some time that says nothing of it.
	if (from + 1 > end) return stopText(onset, null);
	const isToEnd = to + 1 >= end - UNTIL_END_S;
	// Charts show the stray ones before it and behind it; where there are none, all failed in that time.
	const isAll = until.findIndex((share) => share > 0) >= first && (isToEnd || until[last] === 1);
	const mostly = isAll ? ', all' : ', mostly';
	const since = from === 0 ? 'from the start' : `from second ${from} on`;
	const span = isToEnd ? `${mostly} ${since}` : from === to ? `${mostly} in second ${from}` : `${mostly} from second ${from} to ${to}`;
	const users = seconds.findLast(({ vus }, index) => index <= first && vus !== null)?.vus;
	const under = loadText(shape, users, () => arrivalsBy(shape, from + 1) - arrivalsBy(shape, from));
	return `${span}${under && `, at ${under}`}${stopText(onset, from)}`;
}

/** Users, or arrivals a second; empty where neither is known. */
const loadText: (shape: Shape, users: number | null | undefined, rate: () => number) => string = ({ unit }, users, rate) =>
	unit !== 'users' ? `${significant(rate())} ${unit === 'rps' ? 'requests' : 'iterations'} per second` : users ? many(users, 'user') : '';

/**
 * That nothing succeeded for a while: a share of many requests hides it.
 * @param from second that was told before
 */
function stopText(onset: Onset | null | undefined, from: number | null) {
	if (!onset) return '';
	if (onset.kind === 'never') return '; none succeeded';
	if (onset.to_s === null && from !== null && Math.abs(onset.from_s - from) <= 1) return '; none succeeded after that';
	// A failed request ends later than it stops the others: two beginnings would contradict each other.
	if (onset.to_s === null && from !== null && onset.from_s < from && onset.from_s > 0)
		return `; the last success came in second ${onset.from_s - 1}`;
	return `; none succeeded from second ${onset.from_s} ${onset.to_s === null ? 'on' : `to ${onset.to_s}`}`;
}

/**
 * Of all that was watched but the generator, what came nearest to its limit during the load.
 * @param cpu shares of the quota or the machine
 */
export function nearestLimit(
	limits: Limit[],
	cpu: Record<string, (number | null)[]>,
	{ resources, seconds }: { resources: Result['resources']; seconds: number[] },
) {
	const shares = [
		...limits.map(({ label: name, tier, limit, values }) => ({
			name,
			tier,
			values: limit ? values.map((value) => (value ?? 0) / limit) : [],
		})),
		...Object.entries(cpu).map(([service, values]) => ({ name: `CPU of ${service}`, tier: resources[service]?.tier, values })),
	];
	return shares
		.filter(({ tier, values }) => values.length > 0 && tier !== 'generator' && tier !== 'observer')
		.map(({ name, values }) => ({ name, share: Math.max(0, ...values.map((value, at) => (seconds[at] > 0 ? Number(value) : 0))) }))
		.toSorted((one, other) => other.share - one.share)
		.at(0);
}

/** Of the failures, from which on they are said to be of one kind; where half of the good ones are of it too, that says nothing. */
const OF_KIND_LEAST = 0.95;
const GOOD_OF_KIND_MOST = 0.5;

/** What nearly all of the failed asked for, and less than half of the good. */
function kindOfFailed({ failures, requests }: Metrics, urls: WireUrl[]): string {
	const [most] = urls.toSorted((one, other) => other.failed - one.failed);
	// All that have no row of their own are of several kinds.
	if (!most || most.template === '' || most.failed < failures * OF_KIND_LEAST) return '';
	if (most.count - most.failed >= (requests - failures) * GOOD_OF_KIND_MOST) return '';
	const name = [most.verb, most.template].filter(Boolean).join(' ');
	if (failures === 1) return name;
	return `${most.failed >= failures ? 'all' : percent(most.failed / failures)} of them ${name}`;
}

const nearMissSentence = ({ near_misses: misses }: Ledger) =>
	misses.length === 0
		? ''
		: `But ${misses
				.slice(0, NEAR_MISSES_NAMED)
				.map(({ text }) => text)
				.join('; ')}.`;

const unansweredSentence = ({ unanswered, failures }: Metrics) =>
	unanswered > 0
		? `${count(unanswered)} of ${many(failures, 'failed request')} ${unanswered === 1 ? 'was' : 'were'} still waiting when the load ended.`
		: '';

/** @param wasted of them */
function droppedSentence({ dropped_arrivals: dropped }: Metrics, wasted: number) {
	if (!dropped) return '';
	const why = wasted === 0 ? '' : `${wasted < dropped ? `, ${count(wasted)} of them` : ','} because all users were waiting for an answer`;
	return `${count(dropped)} requests could not be started${why}.`;
}

/** Of what is not watched nobody knows whether it was at a limit. */
function limitSentence({ hops, raw }: Facts, bottleneck: Result['bottleneck'], reason: string = NO_LIMIT): string {
	const blind = hops.filter(({ coverage }) => coverage.limits !== 'full').map(({ service }) => service);
	const watched = `${blind.length > 0 ? ' that is watched' : ''}${isWhole(raw) ? '' : ', as far as the record goes'}`;
	if (bottleneck?.tier === 'machine') return `No tier was at a limit of its own${watched}; ${bottleneck.evidence[0]}.`;
	if (bottleneck) return `Bottleneck: ${tierName(bottleneck.tier)} (${bottleneck.evidence[0]}).`;
	if (reason !== NO_LIMIT) return `No bottleneck named: ${reason}.`;
	return `No tier was at a limit${watched}${blind.length > 0 ? `; inside ${blind.join(', ')} not all is` : ''}.`;
}

function attributionSentence(
	{ failures, unattributed, unattributed_reason: reason }: Ledger,
	{ failures: failed }: Metrics,
	{ system: { isFollowed }, predicateOf }: Pick<Facts, 'system'> & { predicateOf: typeof predicateOfRow },
): string {
	const placeOf = ({ tier, service }: Failure) => (isFollowed ? service : tierName(tier));
	const places = [...new Set(failures.map(placeOf))].map((place) => {
		const own = failures.filter((failure) => placeOf(failure) === place);
		const fate = own.every(({ cause }) => causes[cause]?.refusal) ? 'refused by' : 'failed at';
		return { place, total: sum(own.map((failure) => failure.count)), ...causesSentence(own, failed, predicateOf), fate };
	});
	places.sort((one, other) => other.total - one.total);
	// What befell several alike is said once.
	const alike = [...grouped(places, ({ ofIt, fate, place }) => (ofIt === null ? place : `${fate} it ${ofIt}`)).values()];
	const phrases = alike.map((own) => {
		const [{ fate, why, ofIt }] = own;
		const rest = own.length > ALIKE_NAMED + 1 ? own.slice(ALIKE_NAMED) : [];
		const named = rest.length > 0 ? own.slice(0, ALIKE_NAMED) : own;
		const others = { place: `${rest.length} other services`, total: sum(rest.map(({ total }) => total)) };
		const shares = [...named, ...(rest.length > 0 ? [others] : [])].map(({ place, total }, index) => {
			const target = total === failed ? allOf(total) : shareOf(total, failed);
			const verb = fate === 'failed at' ? '' : total === 1 ? 'was ' : 'were ';
			return index === 0 ? `${target} ${verb}${fate} ${place}` : `${target} ${fate.split(' ')[1]} ${place}`;
		});
		const listed = [shares.slice(0, -1).join(', '), ...shares.slice(-1)].filter((text) => text !== '').join(' and ');
		return `${listed}: ${own.length === 1 ? why : `each ${ofIt}`}`;
	});
	if (unattributed > 0)
		phrases.push(`${unattributed === failed ? count(unattributed) : shareOf(unattributed, failed)} could not be placed: ${reason}.`);
	return phrases.join(' ');
}

/**
 * What happened at a tier, the most frequent first: each cause with its share of all failures where there are several.
 * @returns ofIt: the same without its subject, where that is the place
 */
function causesSentence(own: Failure[], failed: number, predicateOf: typeof predicateOfRow): { why: string; ofIt: string | null } {
	const titles = [...new Set(own.map(({ cause_title: title }) => title))];
	const chains = new Set(own.map(({ chain }) => chain));
	// What led to some of them is not told of all.
	if (titles.length === 1) {
		const chain = chains.size === 1 ? own[0].chain : null;
		const ofIt = predicateOf(own[0]);
		return { why: chain ?? `${titles[0]}.`, ofIt: chain !== null || ofIt === null ? null : `${ofIt}.` };
	}
	const shares = titles
		.map((title) => ({ title, total: sum(own.filter((failure) => failure.cause_title === title).map((failure) => failure.count)) }))
		.sort((one, other) => other.total - one.total);
	const least = shares.filter(({ total }, index) => index >= CAUSES_NAMED && total < failed * NAMED_SHARE);
	// One alone is named in as many words.
	const rest = least.length > 1 ? [{ title: `${count(least.length)} other causes`, total: sum(least.map(({ total }) => total)) }] : least;
	const named = [...shares.slice(0, shares.length - least.length), ...rest];
	return { why: `${named.map(({ title, total }) => `${title} (${count(total)}, ${percent(total / failed)})`).join('; ')}.`, ofIt: null };
}

/** `30 (75.0 %)`. */
const shareOf = (some: number, failed: number) => `${count(some)} (${percent(some / failed)})`;

/** What a tier refused for the trouble of another, which is where it is placed. */
function refusedSentence({ failures }: Ledger) {
	const refused = sum(failures.filter(({ amplifier }) => causes[amplifier?.cause ?? '']?.refusal).map((row) => row.count));
	return refused > 0 ? `${count(refused)} of them ${refused === 1 ? 'was' : 'were'} refused on the way there.` : '';
}

const allOf = (failed: number) => (failed === 1 ? 'It' : `All ${count(failed)}`);

/** What the record clears, where a reader may well suspect it. */
function noFaultSentence({ database, nodes, store, raw }: Facts, { failures, unattributed }: Ledger) {
	if (
		unattributed > 0 ||
		!isWhole(raw) ||
		failures.some(({ tier, amplifier }) => [tier, amplifier?.tier].some((own) => own === 'database' || own === 'pool'))
	)
		return '';
	const refused = database.rejected ? database.rejected.after - database.rejected.before : null;
	const notHandedOut = sum(Object.values(nodes).flatMap(({ checkoutsFailed }) => Object.values(checkoutsFailed)));
	if (refused !== 0 || notHandedOut > 0) return '';
	return `${store.title} refused no connections and no pool checkout timed out.`;
}
