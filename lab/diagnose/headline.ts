/**
 * The verdict in a few sentences, made from the ledger, with how sure it is. The first says what failed, from when and at how many users, the
 * second where and why. Whether to trust the run stands beside it, wherever it is shown.
 *
 * @import { Failure, FaultEffect, GoneWrites, Ledger, Limit, Metrics, Onset, Queue, Result, TimelineRow, WireUrl } from '../record/types.js'
 * @import { Shape } from '../../k6/lib/shapes.js'
 * @import { Facts } from './ledger/facts.ts'
 */

import { arrivalsBy } from '../../k6/lib/arrivals.js';
import { loadDuration } from '../../k6/lib/shapes.js';
import { grouped } from '../base/values.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { causes } from '../record/causes.ts';
import { count, inUnit, many, percent, significant, tierName } from '../stats/figure-words.ts';
import { sum } from '../stats/numbers.ts';
import { damagedLoad, damageSentence, isWhole } from './damage.ts';
import { loopSentence } from './fault-effects.ts';
import { predicateOf as predicateOfRow } from './ledger/ledger.ts';
import { NO_LIMIT } from './limits/bottleneck.ts';

/** A share that rounds to all, and one that rounds to none, are reported as such. */
const NEARLY_ALL = 0.9995;

/** Below it a share is written as 0.00 %, and how many they were says more. */
const NONE_SHARE = 0.00005;

/** Causes of one tier that a headline names, and all others that hold as many of the failures as that; the rest is in the ledger. */
const CAUSES_NAMED = 3;
const NAMED_SHARE = 0.05;

/** Places that a headline names of many alike. */
const ALIKE_NAMED = 2;

/** Of the failures: as many stray ones tell no begin and no end. The lab's own choice. */
const STRAY_SHARE = 0.01;

/** Failures that end so short before the load does go on to its end. The lab's own choice. */
const UNTIL_END_S = 5;

/** Near misses that a headline names; the rest is in their section. */
const NEAR_MISSES_NAMED = 2;

/**
 * @param {object} input
 * @param {Facts} input.facts
 * @param {Ledger} input.ledger
 * @param {Metrics} input.metrics
 * @param {Result['bottleneck']} input.bottleneck
 * @param {string} [input.reason]  why it is named, or none is
 * @param {Result['faults']} [input.faults]
 * @param {Queue | null} [input.queue]
 * @param {GoneWrites | null} [input.gone]
 * @param {Onset | null} [input.onset]
 * @param {string} [input.afterStop]  what became of the stop
 * @param {number} [input.droppedAtStandstill]  arrivals
 * @param {typeof predicateOfRow} [input.predicateOf]  its title without its subject, where that is the place
 * @param {WireUrl[]} [input.urls]  requests by what they asked for; none where nothing was recorded
 * @param {TimelineRow[]} [input.timeline]  none: neither seconds nor users are told
 * @param {{ name: string, share: number }} [input.nearest]  to its limit, of all that were watched
 */
export function headlineOf(input) {
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
					calmSentence(metrics, `${noun}${damagedLoad(facts.raw) ? ' that are on record' : ''} ${fate}`, mostText(ofLoad(timeline), shape)),
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
					sureSentence(ledger, metrics),
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

/** @param {Pick<Facts, 'raw'>} facts */
function nothingSentence({ raw }) {
	const lost = damagedLoad(raw);
	return lost ? `How the requests of the load ended is not on record: ${lost.path} ${lost.problem}.` : 'No request was finished.';
}

/**
 * An accepted write is a promise; this is what became of it.
 * @param {Queue | null} queue
 * @param {GoneWrites | null} gone
 */
function queueSentence(queue, gone) {
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

/**
 * Beside writes that are gone nobody says that none was lost.
 * @param {number | null} lost
 * @param {boolean} isAnyGone
 * @returns {string[]}
 */
function lostWords(lost, isAnyGone) {
	if (lost === null) return ['how many were lost is not known'];
	if (lost === 0) return isAnyGone ? [] : ['none was lost'];
	return [`${count(lost)} ${lost > 1 ? 'were' : 'was'} lost`];
}

/** @param {FaultEffect} effect */
const metastableSentence = ({ text, metastable, watched_after_s: watched, loop }) =>
	metastable
		? `METASTABLE: "${text}" was over, and service did not come back in ${count(Math.round(watched ?? 0))} s.${loop ? ` ${loopSentence(loop)}` : ''}`
		: '';

/** @type {(metrics: Metrics, fate: string, most: string) => string} */
function calmSentence({ requests, throughput_rps: rps, latency_ms: latency }, fate, most) {
	const p95 = latency?.ok.p95 ?? null;
	return `All ${count(requests)} ${fate}${most && ` at up to ${most}`}: ${significant(rps)} per second${p95 === null ? '' : `, p95 latency ${inUnit('ms', p95)}`}.`;
}

/** What will give way next, if anything does. @param {{ name: string, share: number }} [nearest] */
const nearestSentence = (nearest) => (nearest ? `Nearest to its limit: ${nearest.name}, at most ${percent(nearest.share)} used.` : '');

/** @type {(metrics: Metrics, noun: string, about: { when: string, kind: string }) => string} */
const failedSentence = ({ failures, failure_rate: rate, requests }, noun, { when, kind }) =>
	`${rate === null || rate < NONE_SHARE ? count(failures) : percent(rate)} of ${count(requests)} ${noun} failed${when}${kind && `: ${kind}`}.`;

/** @param {TimelineRow[]} timeline */
const ofLoad = (timeline) => timeline.filter(({ t_s }) => t_s > 0);

/** The load at its highest. @param {TimelineRow[]} seconds @param {Shape} shape */
const mostText = (seconds, shape) =>
	seconds.length === 0
		? ''
		: loadText(shape, Math.max(0, ...seconds.map(({ vus }) => vus ?? 0)), () => Math.max(...shape.stages.map(({ target }) => target)));

/**
 * In which seconds requests failed, under which load that began, and when none succeeded.
 * @param {TimelineRow[]} timeline @param {Shape} shape @param {Onset | null | undefined} onset
 */
function whenText(timeline, shape, onset) {
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
	const [from, to] = [seconds[first].t_s, seconds[last].t_s];
	const end = loadDuration(shape);
	// Whoever waits on after the load fails at some time that says nothing of it.
	if (from > end) return stopText(onset, null);
	const isToEnd = to >= end - UNTIL_END_S;
	const span = isToEnd ? ` from second ${from} on` : from === to ? ` in second ${from}` : ` from second ${from} to ${to}`;
	const users = seconds.findLast(({ vus }, index) => index <= first && vus !== null)?.vus;
	const under = loadText(shape, users, () => arrivalsBy(shape, from) - arrivalsBy(shape, from - 1));
	return `${span}${under && `, at ${under}`}${stopText(onset, from)}`;
}

/** Users, or arrivals a second; empty where neither is known. @type {(shape: Shape, users: number | null | undefined, rate: () => number) => string} */
const loadText = ({ unit }, users, rate) =>
	unit !== 'users' ? `${significant(rate())} ${unit === 'rps' ? 'requests' : 'iterations'} per second` : users ? many(users, 'user') : '';

/** That nothing succeeded for a while: a share of many requests hides it. @param {Onset | null | undefined} onset @param {number | null} from  second that was told before */
function stopText(onset, from) {
	if (!onset) return '';
	if (onset.kind === 'never') return '; none succeeded';
	if (onset.to_s === null && from !== null && Math.abs(onset.from_s - from) <= 1) return '; none succeeded after that';
	return `; none succeeded from second ${onset.from_s} ${onset.to_s === null ? 'on' : `to ${onset.to_s}`}`;
}

/**
 * Of all that was watched but the generator, what came nearest to its limit during the load.
 * @param {Limit[]} limits
 * @param {Record<string, (number | null)[]>} cpu  shares of the quota or the machine
 * @param {{ resources: Result['resources'], seconds: number[] }} about
 */
export function nearestLimit(limits, cpu, { resources, seconds }) {
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

/** Of the failures, from which on they are said to be of one kind; where half of the good ones are of it too, that says nothing. The lab's own choices. */
const OF_KIND_LEAST = 0.95;
const GOOD_OF_KIND_MOST = 0.5;

/** What nearly all of the failed asked for, and less than half of the good. @type {(metrics: Metrics, urls: WireUrl[]) => string} */
function kindOfFailed({ failures, requests }, urls) {
	const [most] = urls.toSorted((one, other) => other.failed - one.failed);
	// All that have no row of their own are of several kinds.
	if (!most || most.template === '' || most.failed < failures * OF_KIND_LEAST) return '';
	if (most.count - most.failed >= (requests - failures) * GOOD_OF_KIND_MOST) return '';
	const name = [most.verb, most.template].filter(Boolean).join(' ');
	if (failures === 1) return name;
	return `${most.failed >= failures ? 'all' : percent(most.failed / failures)} of them ${name}`;
}

/** @param {Ledger} ledger */
const nearMissSentence = ({ near_misses: misses }) =>
	misses.length === 0
		? ''
		: `But ${misses
				.slice(0, NEAR_MISSES_NAMED)
				.map(({ text }) => text)
				.join('; ')}.`;

/** @param {Metrics} metrics */
const unansweredSentence = ({ unanswered }) =>
	unanswered > 0 ? `${count(unanswered)} ${unanswered === 1 ? 'was' : 'were'} still waiting when the load ended.` : '';

/** @param {Metrics} metrics @param {number} wasted  of them */
function droppedSentence({ dropped_arrivals: dropped }, wasted) {
	if (!dropped) return '';
	const why =
		wasted === 0 ? '' : `${wasted < dropped ? `, ${count(wasted)} of them` : ','} because all users waited while nobody was answered`;
	return `${count(dropped)} arrivals could not be started${why}.`;
}

/**
 * Of what is not watched nobody knows whether it was at a limit.
 * @type {(facts: Facts, bottleneck: Result['bottleneck'], reason?: string) => string}
 */
function limitSentence({ hops, raw }, bottleneck, reason = NO_LIMIT) {
	const blind = hops.filter(({ coverage }) => coverage.limits !== 'full').map(({ service }) => service);
	const watched = `${blind.length > 0 ? ' that is watched' : ''}${isWhole(raw) ? '' : ', as far as the record goes'}`;
	if (bottleneck?.tier === 'machine') return `No tier was at a limit of its own${watched}; ${bottleneck.evidence[0]}.`;
	if (bottleneck) return `Bottleneck: ${tierName(bottleneck.tier)} (${bottleneck.evidence[0]}).`;
	if (reason !== NO_LIMIT) return `No bottleneck named: ${reason}.`;
	return `No tier was at a limit${watched}${blind.length > 0 ? `; inside ${blind.join(', ')} not all is` : ''}.`;
}

/** @type {(ledger: Ledger, metrics: Metrics, about: Pick<Facts, 'system'> & { predicateOf: typeof predicateOfRow }) => string} */
function attributionSentence(
	{ failures, unattributed, unattributed_reason: reason },
	{ failures: failed },
	{ system: { isFollowed }, predicateOf },
) {
	const placeOf = (/** @type {Failure} */ { tier, service }) => (isFollowed ? service : tierName(tier));
	const places = [...new Set(failures.map(placeOf))].map((place) => {
		const own = failures.filter((failure) => placeOf(failure) === place);
		const fate = own.every(({ cause }) => causes[cause]?.refusal) ? 'refused by' : 'lost at';
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
			return index === 0 ? `${target} ${total === 1 ? 'was' : 'were'} ${fate} ${place}` : `${target} ${fate.split(' ')[1]} ${place}`;
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
 * @param {Failure[]} own @param {number} failed @param {typeof predicateOfRow} predicateOf
 * @returns {{ why: string, ofIt: string | null }} ofIt: the same without its subject, where that is the place
 */
function causesSentence(own, failed, predicateOf) {
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

/** `30 (75.0 %)`. @param {number} some @param {number} failed */
const shareOf = (some, failed) => `${count(some)} (${percent(some / failed)})`;

/** What a tier refused for the trouble of another, which is where it is placed. @param {Ledger} ledger */
function refusedSentence({ failures }) {
	const refused = sum(failures.filter(({ amplifier }) => causes[amplifier?.cause ?? '']?.refusal).map((row) => row.count));
	return refused > 0 ? `${count(refused)} of them ${refused === 1 ? 'was' : 'were'} refused on the way there.` : '';
}

/** @param {number} failed */
const allOf = (failed) => (failed === 1 ? 'It' : `All ${count(failed)}`);

/** How the places and causes are known. @type {(ledger: Ledger, metrics: Metrics) => string} */
function sureSentence({ failures }, { failures: failed }) {
	const known = (/** @type {'where' | 'why'} */ side, /** @type {string} */ basis) =>
		sum(failures.map((row) => row.basis[side][basis] ?? 0)) / failed;
	const shares = (/** @type {'where' | 'why'} */ side) =>
		['proved', 'timed', 'counted', 'inferred']
			.map((basis) => ({ basis, share: known(side, basis) }))
			.filter(({ share }) => share > 0 && share >= 1 - NEARLY_ALL)
			.map(({ basis, share }) => shareText(basis, share))
			.join(', ');
	if (failures.length === 0) return '';
	const [where, why] = [shares('where'), shares('why')];
	return where === why ? `Place and cause: ${where}.` : `Place: ${where}. Cause: ${why}.`;
}

/** @param {string} basis @param {number} share */
function shareText(basis, share) {
	if (share === 1) return basis;
	return share >= NEARLY_ALL ? `${basis} for nearly all` : `${basis} for ${percent(share)}`;
}

/** What the record clears, where a reader may well suspect it. @param {Facts} facts @param {Ledger} ledger */
function noFaultSentence({ database, nodes, store, raw }, { failures, unattributed }) {
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
