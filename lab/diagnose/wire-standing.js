/**
 * Where requests stood in a run, with what happened meanwhile: which of them failed by the generator's record, what ended and came back, which
 * limits were reached.
 *
 * @typedef {import('../record/result.js').WireStanding} WireStanding
 * @typedef {import('../record/result.js').StandingSpell} StandingSpell
 * @typedef {import('./waiting/standing.js').Standing} Standing
 * @typedef {import('./waiting/spells.js').Span} Span
 * @typedef {import('./ledger/facts.js').Facts} Facts
 * @typedef {import('./joins/joined.js').Joined} Joined
 * @typedef {import('../record/result.js').TimelineRow} TimelineRow
 */

import { rounded, sum } from '../stats/numbers.js';
import { ascending, quantile } from '../stats/quantile.js';
import { sumOver, worstOf } from './waiting/spells.js';
import { CONNECTION_STATES, standingOf } from './waiting/standing.js';
import { standingMarks } from './wire-standing-marks.js';
import { standingText } from './wire-standing-text.js';

/** As fine as a picture shows; of a load with more of these a step is so many times as long. */
const STEP_S = 0.5;
const STEPS_MOST = 600;
/** More rows than a reader tells apart; what stood longest stays. */
const SERVICES_MOST = 12;
const EDGES_MOST = 16;
/** Of a request, at a time: less is not told of the worst seconds. */
const TOLD_LEAST = 0.01;
const MILLI = 1000;
/** States that are counts, not levels. */
const COUNTS = new Set(['refused']);

/**
 * @param {Facts} facts
 * @param {Joined} joined  the wire of that run
 * @param {Parameters<typeof standingMarks>[2] & { standstill: import('./time/standstill.js').Standstill | null }} reached
 * @returns {WireStanding}
 */
export function wireStanding(facts, joined, reached) {
  const { raw, window } = facts;
  const entry = new Set([facts.generator.name]);
  const stepS = STEP_S * Math.max(1, Math.ceil((window.to - window.from) / STEP_S / STEPS_MOST));
  const failedIds = raw.program ? null : new Set(raw.failures.map(({ id }) => id));
  const told = standingOf(joined, {
    ...{ from: window.from, to: window.to, stepS, entry, own: new Set(facts.observers) },
    ...(failedIds === null ? {} : { isFailed: ({ id, bad, end }) => (id === undefined ? end !== 'answered' || bad : failedIds.has(id)) }),
  });
  const standing = withEnds(told, facts, reached.timeline);
  const worst = worstOf(standing);
  return {
    ...drawn(standing),
    marks: standingMarks(standing, facts, reached),
    worst: spellOf(standing, worst, window, joined),
    text: standingText(standing, worst, {
      failedAfter_s: raw.program ? [] : raw.failures.map(({ waited_s: waited }) => waited),
      standstill: reached.standstill,
    }),
  };
}

/**
 * Answers as the generator knows them. A request that failed may never have come onto the wire, and its asker may have read late what the wire
 * saw early: it failed when the generator says so. Where the wire could not be read at the entry the seconds of the good ones are the
 * generator's too.
 * @param {Standing} standing @param {Facts} facts @param {TimelineRow[]} timeline @returns {Standing}
 */
function withEnds(standing, { raw, window, generator }, timeline) {
  if (raw.program) return standing;
  const { step_s: step } = standing;
  const steps = standing.good.length;
  const none = () => /** @type {number[]} */ (new Array(steps).fill(0));
  const stepAt = (/** @type {number} */ t) => Math.max(0, Math.min(steps - 1, Math.floor((t - window.from) / step)));
  const failed = none();
  for (const { t } of raw.failures) failed[stepAt(t)] += 1;
  const seen = sum(standing.good);
  if (seen >= generator.ok * SEEN_LEAST) return { ...standing, failed };
  const good = none();
  // A second is told at its end, and is two steps or a part of one.
  for (const { t_s: second, goodput_rps: answered } of timeline.filter(({ t_s }) => t_s > 0))
    for (const before of [HALF_S / 2, HALF_S * 1.5]) good[stepAt(window.from + second - before)] += (answered ?? 0) / 2;
  return { ...standing, good, failed };
}
/** Of the generator's good answers, that the wire has to have: packets are lost, or the entry speaks TLS. */
const SEEN_LEAST = 0.5;
const HALF_S = 0.5;

/** @param {Standing} standing @param {Span} span @param {Facts['window']} window @param {Joined} joined @returns {StandingSpell} */
function spellOf(standing, span, window, joined) {
  const { step_s: step, services, edges } = standing;
  const length = span.to - span.from;
  const [from, to] = [span.from * step, span.to * step];
  const mean = (/** @type {number[]} */ values) => rounded(sumOver(values, span) / length, 2) ?? 0;
  const after = gaveUpAfter(joined, window.from + from, window.from + to);
  return {
    from_s: from,
    to_s: to,
    services: services
      .map(({ name, standing: values }) => ({ name, standing: mean(values) }))
      .filter(({ standing: value }) => value >= TOLD_LEAST)
      .toSorted((one, other) => other.standing - one.standing),
    edges: mostOf(
      edges
        .map(({ from: asker, to: asked, port, waiting, connections, gave_up }) => ({
          ...{ from: asker, to: asked, port, waiting: mean(waiting), gave_up: sumOver(gave_up, span) },
          connections: /** @type {StandingSpell['edges'][number]['connections']} */ (
            Object.fromEntries(
              CONNECTION_STATES.map((state) => [state, COUNTS.has(state) ? sumOver(connections[state], span) : mean(connections[state])]),
            )
          ),
          gave_up_after_ms: after(`${asker} ${asked} ${port}`),
        }))
        .filter(
          ({ waiting, connections, gave_up }) =>
            waiting >= TOLD_LEAST || gave_up > 0 || Object.values(connections).some((value) => value >= TOLD_LEAST),
        ),
      EDGES_MOST,
      ({ waiting }) => waiting,
    ),
  };
}

/**
 * Equal times are a time-out of whoever gave up.
 * @param {Joined} joined @param {number} from @param {number} to  seconds since 1970
 * @returns {(edge: string) => { p10: number, p50: number, p90: number } | null}
 */
function gaveUpAfter({ wire, lineOf }, from, to) {
  /** @type {Map<string, number[]>} */
  const times = new Map();
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
  return (edge) => {
    const sorted = ascending(times.get(edge) ?? []);
    const at = (/** @type {number} */ share) => rounded(quantile(sorted, share), 1) ?? 0;
    return sorted.length === 0 ? null : { p10: at(0.1), p50: at(0.5), p90: at(0.9) };
  };
}

/** As it is kept: rounded, and no more than a reader takes in. @param {Standing} standing @returns {Standing} */
function drawn({ services, edges, ...rest }) {
  const round = (/** @type {number[]} */ values) => values.map((value) => rounded(value, 2) ?? 0);
  return {
    ...rest,
    good: round(rest.good),
    services: bounded(services).map(({ name, standing }) => ({ name, standing: round(standing) })),
    edges: mostOf(edges, EDGES_MOST, ({ waiting, connections }) => sum(waiting) + sum(connections.in_transaction) / MILLI).map((edge) => ({
      ...edge,
      waiting: round(edge.waiting),
      connections: /** @type {typeof edge.connections} */ (
        Object.fromEntries(CONNECTION_STATES.map((state) => [state, round(edge.connections[state])]))
      ),
    })),
  };
}

/** @param {Standing['services']} services @returns {Standing['services']} */
function bounded(services) {
  const kept = mostOf(services, SERVICES_MOST, ({ standing }) => sum(standing));
  const rest = services.filter((service) => !kept.includes(service));
  if (rest.length === 0) return kept;
  const [{ standing: first }] = rest;
  return [...kept, { name: `${rest.length} others`, standing: first.map((_, at) => sum(rest.map(({ standing }) => standing[at]))) }];
}

/** The largest, in the order in which they stand. @template T @param {T[]} all @param {number} most @param {(one: T) => number} sizeOf */
function mostOf(all, most, sizeOf) {
  const kept = new Set(all.toSorted((one, other) => sizeOf(other) - sizeOf(one)).slice(0, most));
  return all.filter((one) => kept.has(one));
}
