/**
 * Where requests stood in a run, with what happened meanwhile: which of them failed by the generator's record, what ended and came back, which
 * limits were reached.
 */

import { grouped } from '../base/values.ts';
import type { StandingInterval, TimelineRow, WaitingFinding, WireStanding } from '../record/types.js';
import { many } from '../stats/figure-words.ts';
import { rounded, sum } from '../stats/numbers.ts';
import type { Joined } from './joins/joined.ts';
import type { Facts } from './ledger/facts.ts';
import type { Standstill } from './time/standstill.ts';
import { byState, STEP_S, type Standing, standingOf } from './waiting/standing.ts';
import { spreadOf } from './wire.ts';
import { standingMarks } from './wire-standing-marks.ts';
import { standingText, sumOver, totalsOf } from './wire-standing-text.ts';

/** steps, `to` not among them */
export type Span = { from: number; to: number };

/** What a reader takes in at a time. */
const WORST_S = 10;
/** Of all ends: from here on failures tell where it was worst, below it waiting. */
const FAILING_SHARE = 0.01;

/**
 * The ten seconds in which most requests failed; where hardly any did, in which most stood. Of two that are alike the one in which more stood,
 * then the first.
 * @returns all of a load that is shorter
 */
export function worstOf(standing: Standing): Span {
	const { step_s: step, good, failed } = standing;
	const steps = good.length;
	const length = Math.min(steps, Math.max(1, Math.round(WORST_S / step)));
	const totals = totalsOf(standing);
	const isFailing = sum(failed) > (sum(good) + sum(failed)) * FAILING_SHARE;
	let [best, bestFailed, bestStanding] = [0, -1, -1];
	let [lost, stood] = [sumOver(failed, { from: 0, to: length }), sumOver(totals, { from: 0, to: length })];
	for (let from = 0; ; from += 1) {
		const counted = isFailing ? lost : 0;
		if (counted > bestFailed || (counted === bestFailed && stood > bestStanding + INTERVALS_ROUNDING))
			[best, bestFailed, bestStanding] = [from, counted, stood];
		if (from + length >= steps) break;
		lost += failed[from + length] - failed[from];
		stood += totals[from + length] - totals[from];
	}
	return { from: best, to: best + length };
}
/** Of sums that are taken up step by step. */
const INTERVALS_ROUNDING = 1e-6;

/**
 * Of failed requests that were lost at whom no call of theirs was open to, such as the consumer of a queue: the picture has them elsewhere.
 * @returns begins with a space; empty where there are none
 */
function unseenText(findings: WaitingFinding[]): string {
	const places = [...grouped(findings.filter(isUnseen), ({ place }) => place.service)];
	return places
		.map(([service, own]) => {
			const lost = many(sum(own.map(({ count: requests }) => requests)), 'request');
			return ` ${lost} that failed waited for ${service} without an open call to it; the chart shows them at the waiting service.`;
		})
		.join('');
}

/** Its place was to send a message, or to give another client something. */
function isUnseen({ place: { service, edge }, chain }: WaitingFinding) {
	if (chain.some(({ by }) => by === 'push')) return true;
	const reached = (name: string) => chain.some((hop) => hop.service === name);
	return edge !== null && service.split(', ').includes(edge.from) && !reached(edge.from) && reached(edge.to);
}

/** Of a load with more steps one is so many times as long. */
const STEPS_MOST = 600;
/** More rows than a reader tells apart; what stood longest stays. */
const SERVICES_MOST = 12;
const EDGES_MOST = 16;
/** Of a request, at a time: less is not told of the worst seconds. */
const REPORTED_LEAST = 0.01;
const MILLI = 1000;
/** States that are counts, not levels. */
const COUNTS = new Set(['refused']);

/**
 * @param joined the wire of that run
 * @param reached findings: where failed requests were lost
 */
export function wireStanding(
	facts: Facts,
	joined: Joined,
	reached: Parameters<typeof standingMarks>[2] & { standstill: Standstill | null; findings: WaitingFinding[] },
): WireStanding {
	const { raw, window, failedIds } = facts;
	const entry = new Set([facts.generator.name]);
	const stepS = STEP_S * Math.max(1, Math.ceil((window.to - window.from) / STEP_S / STEPS_MOST));
	const reported = standingOf(joined, {
		...{ from: window.from, to: window.to, stepS, entry, own: new Set(facts.observers) },
		...(failedIds === null ? {} : { isFailed: ({ id, bad, end }) => (id === undefined ? end !== 'answered' || bad : failedIds.has(id)) }),
	});
	const standing = withEnds(reported, facts, reached.timeline);
	const worst = worstOf(standing);
	return {
		...drawn(standing),
		marks: standingMarks(standing, facts, reached),
		worst: intervalOf(standing, worst, window, joined),
		text: `${standingText(standing, worst, {
			asked: facts.generator.finished,
			counted: raw.written?.counted ?? null,
			failedAfter_s: raw.program ? [] : raw.failures.map(({ waited_s: waited }) => waited),
			standstill: reached.standstill,
		})}${unseenText(reached.findings)}`,
	};
}

/**
 * Answers as the generator knows them. A request that failed may never have come onto the wire, and its asker may have read late what the wire
 * saw early: it failed when the generator says so. Where the wire could not be read at the entry the seconds of the good ones are the
 * generator's too.
 */
function withEnds(standing: Standing, { raw, window, generator }: Facts, timeline: TimelineRow[]): Standing {
	if (raw.program) return standing;
	const { step_s: step } = standing;
	const steps = standing.good.length;
	const none = () => new Array(steps).fill(0) as number[];
	const stepAt = (t: number) => Math.max(0, Math.min(steps - 1, Math.floor((t - window.from) / step)));
	const failed = none();
	for (const { t } of raw.failures) failed[stepAt(t)] += 1;
	const seen = sum(standing.good);
	if (seen >= generator.ok * SEEN_LEAST) return { ...standing, failed };
	const good = none();
	// A second is reported at its end, and is two steps or a part of one.
	for (const { t_s: second, goodput_rps: answered } of timeline.filter(({ t_s }) => t_s > 0))
		for (const before of [HALF_S / 2, HALF_S * 1.5]) good[stepAt(window.from + second - before)] += (answered ?? 0) / 2;
	return { ...standing, good, failed };
}
/** Of the generator's good answers, that the wire has to have: packets are lost, or the entry speaks TLS. */
const SEEN_LEAST = 0.5;
const HALF_S = 0.5;

function intervalOf(standing: Standing, span: Span, window: Facts['window'], joined: Joined): StandingInterval {
	const { step_s: step, services, edges } = standing;
	const [from, to] = [span.from * step, span.to * step];
	const mean = (values: number[]) => rounded(sumOver(values, span) / (span.to - span.from), 2) ?? 0;
	const after = gaveUpAfter(joined, window.from + from, window.from + to);
	return {
		from_s: from,
		to_s: to,
		services: services
			.map(({ name, standing: values }) => ({ name, standing: mean(values) }))
			.filter(({ standing: value }) => value >= REPORTED_LEAST)
			.toSorted((one, other) => other.standing - one.standing),
		edges: mostOf(
			edges
				.map(({ from: asker, to: asked, port, waiting, connections, gave_up }) => ({
					...{ from: asker, to: asked, port, waiting: mean(waiting), gave_up: sumOver(gave_up, span) },
					connections: byState((state) => (COUNTS.has(state) ? sumOver(connections[state], span) : mean(connections[state]))),
					gave_up_after_ms: after(`${asker} ${asked} ${port}`),
				}))
				.filter(
					({ waiting, connections, gave_up }) =>
						waiting >= REPORTED_LEAST || gave_up > 0 || Object.values(connections).some((value) => value >= REPORTED_LEAST),
				),
			EDGES_MOST,
			({ waiting }) => waiting,
		),
	};
}

/**
 * Equal times are a time-out of whoever gave up.
 * @param to seconds since 1970
 */
function gaveUpAfter(
	{ wire, lineOf }: Joined,
	from: number,
	to: number,
): (edge: string) => { p10: number; p50: number; p90: number } | null {
	const times: Map<string, number[]> = new Map();
	for (let call = 0; call < wire.calls.length; call += 1) {
		const { end, began_at: began, ended_at: ended } = wire.calls[call];
		if (end !== 'given-up' || ended === null || ended < from || ended >= to) continue;
		const line = lineOf(call);
		if (line === undefined) continue;
		const edge = `${line.from} ${line.to} ${line.connection.server_port}`;
		const known = times.get(edge) ?? [];
		times.set(edge, known);
		known.push((ended - began) * MILLI);
	}
	return (edge) => spreadOf(times.get(edge) ?? []);
}

/** As it is kept: rounded, and no more than a reader takes in. */
function drawn({ services, edges, ...rest }: Standing): Standing {
	const round = (values: number[]) => values.map((value) => rounded(value, 2) ?? 0);
	return {
		...rest,
		good: round(rest.good),
		services: bounded(services).map(({ name, standing }) => ({ name, standing: round(standing) })),
		edges: mostOf(edges, EDGES_MOST, ({ waiting, connections }) => sum(waiting) + sum(connections.in_transaction) / MILLI).map((edge) => ({
			...edge,
			waiting: round(edge.waiting),
			connections: byState((state) => round(edge.connections[state])),
		})),
	};
}

function bounded(services: Standing['services']): Standing['services'] {
	const kept = mostOf(services, SERVICES_MOST, ({ standing }) => sum(standing));
	const rest = services.filter((service) => !kept.includes(service));
	if (rest.length === 0) return kept;
	const [{ standing: first }] = rest;
	return [...kept, { name: `${rest.length} others`, standing: first.map((_, at) => sum(rest.map(({ standing }) => standing[at]))) }];
}

/** The largest, in the order in which they stand. */
function mostOf<T>(all: T[], most: number, sizeOf: (one: T) => number) {
	const kept = new Set(all.toSorted((one, other) => sizeOf(other) - sizeOf(one)).slice(0, most));
	return all.filter((one) => kept.has(one));
}
