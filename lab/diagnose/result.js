/**
 * From the raw record of a run to `result.json`: pure, and repeatable from disk at any time.
 */

import { join } from 'node:path';
import { NotReadyError } from '../base/errors.js';
import { writeFileAtomic } from '../base/files.js';
import { RECORD } from '../base/paths.js';
import { modulesOf } from '../catalog/experiment-folders.js';
import { published } from '../catalog/published.js';
import { scenarios } from '../catalog/scenarios.js';
import { causes } from '../record/causes.js';
import { VERSIONS } from '../record/versions.js';
import { rounded, sum } from '../stats/numbers.js';
import { databaseBreakdown, stalenessBreakdown } from './breakdowns.js';
import { faultEffects } from './fault-effects.js';
import { flowOf, withWire } from './flow.js';
import { clientOf, droppedAtStandstill } from './generator-counts.js';
import { headlineOf } from './headline.js';
import { joinedOf } from './joins/numbering.js';
import { gatherFacts } from './ledger/facts.js';
import { buildLedger } from './ledger/ledger.js';
import { goneWrites } from './ledger/writes.js';
import { bottleneckOf } from './limits/bottleneck.js';
import { lawsOf } from './limits/laws.js';
import { limitsOf } from './limits/limits.js';
import { cpuShares, drawnLimit, resourcesOf } from './limits/saturation.js';
import { saturationsOf } from './limits/saturations.js';
import { measuredOn } from './measured-on.js';
import { measuredSystem } from './measured-system.js';
import { placedIn } from './placements.js';
import { disturbedIn, nodesThatUsersReach, queueOf, withCompleted } from './queue.js';
import { readRaw } from './read-raw.js';
import { unreportedTimes } from './time/hop-times.js';
import { askedSeconds, timelineOf } from './time/seconds.js';
import { onsetOf, standstillOf } from './time/standstill.js';
import { failuresByTier, timeLedgerOf, wireTimesOf } from './time/time-ledger.js';
import { userTimeOf } from './time/user-time.js';
import { loadEndOf, secondsOfLoad, stagesOf, windowOf } from './time/window.js';
import { doubtsOf, stepsToValid, validityOf } from './validity/validity.js';
import { againOf, tryNextOf, watchNext, wireOf } from './wire.js';
import { besideRecords } from './wire-failures.js';
import { outsideOf } from './wire-outside.js';
import { wireRequestsOf, wireTreesOf } from './wire-requests/trees.js';
import { wireStanding } from './wire-standing.js';
import { withTimeouts } from './wire-timeouts.js';

/**
 * @param {string} folder of a run
 * @returns {Promise<import('../record/types.js').Result>} which is written to the folder too
 * @throws {NotReadyError} when the load never began, so that there is nothing to analyse
 */
export async function analyseRun(folder) {
  const raw = await readRaw(folder);
  const result = resultOf(raw);
  await writeFileAtomic(join(folder, RECORD.result), `${JSON.stringify(result)}\n`);
  return result;
}

/**
 * @param {import('./read-raw.js').Raw} raw
 * @returns {import('../record/types.js').Result}
 */
export function resultOf(raw) {
  const { manifest } = raw;
  const window = windowOf(raw);
  if (window === null)
    throw new NotReadyError(`The run ${manifest.run} ended before its load began; there is nothing to analyse.`, 'run it again.');
  const loadEnd = loadEndOf(raw, window);
  const took = loadEnd === null ? undefined : window.to - window.from;
  const facts = gatherFacts(raw, window);
  const on = measuredOn(facts);
  const own = scenarioFiguresOf(facts);
  const breakdowns = [...own.breakdowns, ...databaseBreakdown(facts), ...stalenessBreakdown(facts)];
  const system = measuredSystem(manifest);

  const queue = queueOf(facts);
  const disturbed = disturbedIn(raw);
  const timeline = withCompleted(timelineOf(raw, window), facts);
  const asked = askedSeconds(facts);
  const seconds = timeline.map(({ t_s }) => t_s);
  const standstill = standstillOf(facts, asked);
  const cpu = cpuShares(raw, window, seconds);
  const resources = resourcesOf(raw, window);
  const limits = limitsOf(facts, seconds);
  const saturations = saturationsOf({ resources, cpu, limits, seconds, facts });
  const laws = lawsOf(facts, timeline, took);
  const stages = stagesOf(manifest.shape, timeline, cpu, laws, { byStage: raw.byStage, took, isQueued: queue !== null });
  const userTime = userTimeOf(facts, stages);
  const client = clientOf(raw);
  const wasted = droppedAtStandstill(facts, { standstill, asked, cpu, timeline });

  const joined = raw.wire ? joinedOf(raw.wire) : null;
  const { all, waiting } = placedIn(facts, joined);
  const placed = withChecks(buildLedger(facts, all), own.checks);
  const gone = goneWrites(facts, placed.writes, queue);
  const trees = joined && wireTreesOf(raw, window, joined);
  const { reported, timedOut } = wireWithRequests(facts, joined, trees);
  const wire = besideRecords(reported, joined, { facts, all, ledger: placed, timedOut });
  const ledger = withWire(placed, wire, joined, facts);
  const flow = flowOf(facts, ledger, wire?.outside);
  const wireTimes = wireTimesOf(trees, wire, facts);
  const timeLedger = timeLedgerOf(facts, timeline, stages, wireTimes);
  const byTier = failuresByTier(all, window, timeline);
  const unreported = timeLedger?.source === 'wire' ? [] : unreportedTimes(facts);

  const beside = publishedOf(system.published, queue !== null);
  const metrics = metricsOf(facts, ledger, userTime, queue);
  const { bottleneck, reason, byStage, givingWay } = bottleneckOf({
    resources,
    cpu,
    limits,
    timeline,
    stages,
    laws,
    facts,
    ledger,
    timeLedger,
    waiting,
  });
  const faults = faultEffects({ manifest, disturbed, nodes: nodesThatUsersReach(raw) }, timeline, queue?.backlog);
  const onset = onsetOf(standstill, { failures: metrics.failures, faults });
  const standing = joined && wireStanding(facts, joined, { saturations, timeline, standstill, onset, findings: waiting?.findings ?? [] });
  const doubts = doubtsOf({ facts, ledger, stages, cpu, timeline, timeLedger, userTime, wire, standstill, droppedAtStandstill: wasted });
  const validity = validityOf(doubts, stages);
  const advice =
    validity.verdict === 'INVALID'
      ? againOf(manifest, stepsToValid(doubts, manifest))
      : tryNextOf({ id: manifest.architecture, remedies: system.remedies }, manifest, ledger);
  return {
    schema: VERSIONS.result,
    run: manifest.run,
    architecture: manifest.architecture,
    architecture_title: system.title,
    load: manifest.load,
    load_title: manifest.shape.title,
    budget: manifest.budget,
    calibration: manifest.calibration ?? null,
    started: new Date(window.from * 1000).toISOString(),
    duration_s: rounded(window.to - window.from, 2) ?? 0,
    interrupted: manifest.interrupted,
    load_end: loadEnd,
    onset,
    command: manifest.command,
    headline: headlineOf({ facts, ledger, metrics, bottleneck, reason, validity, faults, queue, gone, onset, droppedAtStandstill: wasted }),
    try_next: [...advice, ...watchNext(facts, ledger)],
    validity,
    metrics,
    published: beside,
    failures_by: { status: facts.generator.status, error_code: facts.generator.code, kind: facts.generator.kind },
    ledger,
    flow,
    resources,
    stages,
    timeline: timeline.map(roundRow),
    series: {
      failures_by_tier: byTier,
      cpu_share: cpu,
      limits: limits.map(drawnLimit),
      bound_rps: laws.boundRps,
    },
    time_ledger: timeLedger,
    time_untold: unreported,
    user_time: userTime,
    bottleneck,
    bottleneck_reason: reason,
    bottleneck_by_stage: byStage,
    giving_way: givingWay,
    client,
    gone_writes: gone,
    queue,
    faults,
    machine: on.machine,
    ...(on.hosts ? { hosts: on.hosts } : {}),
    wire: wire && { ...wire, ...(standing ? { standing } : {}), differs: raw.differing ?? [], time: wireTimes?.reported ?? null },
    waiting,
    versions: on.versions,
    notes: on.notes,
    scenario: manifest.scenario,
    variables: manifest.variables ?? {},
    figures: own.figures,
    breakdowns,
  };
}

/** @param {import('./ledger/facts.js').Facts} facts @param {import('./joins/numbering.js').Joined | null} joined @param {import('./wire-requests/trees.js').Trees | null} trees */
function wireWithRequests({ raw, window, gaps }, joined, trees) {
  const wire = wireOf(joined, window, gaps);
  if (!wire || !raw.wire || !joined || !trees) return { reported: null, timedOut: new Map() };
  const { timeouts, of: timedOut, ...requests } = wireRequestsOf(raw, window, joined, trees);
  const outside = outsideOf(raw.wire, window);
  return { reported: { ...wire, edges: withTimeouts(wire, timeouts), ...requests, outside }, timedOut };
}

/** @type {(ledger: import('../record/types.js').Ledger, checks: import('../record/types.js').Ledger['checks']) => import('../record/types.js').Ledger} */
const withChecks = (ledger, checks) => ({ ...ledger, checks: [...ledger.checks, ...checks] });

/** @param {import('../record/types.js').TimelineRow} row @returns {import('../record/types.js').TimelineRow} */
const roundRow = (row) =>
  /** @type {any} */ (
    Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? rounded(value, 2) : value]))
  );

/*
 * The figures of a scenario's own: what it leaves beside the metrics that every run has. Each experiment that brought a scenario reads
 * them from the record.
 */

/**
 * @typedef {object} ScenarioFigures
 * @property {Record<string, number | null>} figures  by the ids of the scenarios table
 * @property {import('../record/types.js').Breakdown[]} breakdowns
 * @property {import('../record/types.js').Ledger['checks']} checks  that join the ledger's own
 */

const DIGITS = 4;

/** By the experiment whose scenario it is. @type {Map<string | undefined, { figuresOf: (facts: import('./ledger/facts.js').Facts) => ScenarioFigures }>} */
const READERS = new Map(await modulesOf('figures.js'));

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {ScenarioFigures} with every figure of the scenario's table entry, and no other
 */
function scenarioFiguresOf(facts) {
  const { figures: wanted, experiment } = scenarios[facts.raw.manifest.scenario];
  const read = READERS.get(experiment)?.figuresOf(facts) ?? { figures: {}, breakdowns: [], checks: [] };
  const figures = wanted.map(({ id }) => [id, rounded(read.figures[id], DIGITS)]);
  return { ...read, figures: Object.fromEntries(figures) };
}

/*
 * What every run is measured by, and the published figures that it stands beside.
 */

/** @param {import('./ledger/facts.js').Facts} facts @param {import('../record/types.js').Ledger} ledger @param {import('../record/types.js').Result['user_time']} userTime @param {import('../record/types.js').Queue | null} queue @returns {import('../record/types.js').Metrics} */
function metricsOf({ generator, window, raw }, { failures }, userTime, queue) {
  const seconds = secondsOfLoad(raw, window);
  return {
    requests: generator.finished,
    throughput_rps: rounded(generator.finished / seconds, 2) ?? 0,
    // What is accepted is not done.
    goodput_rps: rounded((queue?.completed_in_load ?? generator.ok) / seconds, 2) ?? 0,
    failures: generator.failed,
    refused: sum(failures.filter(isRefused).map(({ count }) => count)),
    unanswered: generator.unanswered,
    dropped_arrivals: generator.droppedArrivals,
    failure_rate: generator.finished === 0 ? 0 : generator.failed / generator.finished,
    failures_per_user_minute: userTime === null || userTime.total_s === 0 ? null : rounded((generator.failed * 60) / userTime.total_s, 3),
    failed_user_time_share: userTime?.parts.find(({ id }) => id === 'failed')?.share ?? null,
    latency_ms: { all: roundEach(generator.latencyMs.all), ok: roundEach(generator.latencyMs.ok) },
    duration_ms: generator.durationMs && { all: roundEach(generator.durationMs.all), ok: roundEach(generator.durationMs.ok) },
  };
}

/** Whatever made the tier refuse. @param {import('../record/types.js').Failure} failure */
const isRefused = ({ cause, amplifier }) => [cause, amplifier?.cause ?? ''].some((id) => causes[id]?.refusal);

/** @type {(key: string | undefined, isQueued: boolean) => import('../record/types.js').Published | null} */
function publishedOf(key, isQueued) {
  if (!key) return null;
  const [section, run] = key.split('.');
  const figures = published[section].runs[run];
  return {
    source: published[section].source,
    requests: figures.requests,
    throughput_rps: figures.throughput_rps,
    // Not published as such: what is left of the throughput without the published failures. Of what a queue had accepted nobody said when it
    // was done.
    goodput_rps: isQueued ? null : rounded(figures.throughput_rps * (1 - figures.failure_rate), 2),
    failures: figures.failures,
    failure_rate: figures.failure_rate,
    latency_ms_p95_all: figures.latency_ms_p95_all ?? null,
    latency_ms_p95_ok: figures.latency_ms_p95_ok ?? null,
  };
}

/** @param {import('../record/types.js').Percentiles} values @returns {import('../record/types.js').Percentiles} */
const roundEach = ({ p50, p95, p99, max }) => ({ p50: rounded(p50, 2), p95: rounded(p95, 2), p99: rounded(p99, 2), max: rounded(max, 2) });
