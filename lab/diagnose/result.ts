/** From the raw record of a run to `result.json`: pure, and repeatable from disk at any time. */

import { join } from 'node:path';
import { NotReadyError, toGivenError } from '../base/errors.ts';
import { RECORD } from '../base/paths.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { knownCommand } from '../options/known-command.ts';
import { provedHeadline, readProof } from '../record/proof.ts';
import { readSqueeze } from '../record/squeeze.ts';
import type { Ledger, Proof, Result, TimelineRow } from '../record/types.js';
import { VERSIONS } from '../record/versions.ts';
import { rounded } from '../stats/numbers.ts';
import { proveNext, tryNextOf, watchNext } from './advice.ts';
import { clientOf } from './client.ts';
import { toRecordError } from './damage.ts';
import { databaseBreakdown } from './database-breakdown.ts';
import { disturbedIn, faultEffects } from './fault-effects.ts';
import { flowOf, withWire } from './flow.ts';
import { droppedAtStandstill } from './generator-counts.ts';
import { headlineOf, nearestLimit } from './headline.ts';
import { joinedOf, passedIn } from './joins/joined.ts';
import { gatherFacts } from './ledger/facts.ts';
import { goneWrites } from './ledger/gone-writes.ts';
import { buildLedger } from './ledger/ledger.ts';
import { bottleneckOf } from './limits/bottleneck.ts';
import { lawsOf, stagesOf } from './limits/laws.ts';
import { drawnLimit, limitsOf } from './limits/limits.ts';
import { cpuShares, resourcesOf } from './limits/resources.ts';
import { saturationsOf } from './limits/saturations.ts';
import { loadFactsOf } from './load-facts.ts';
import { afterDoubts } from './make-valid.ts';
import { measuredOn } from './measured-on.ts';
import { moreLoad } from './more-load.ts';
import type { PlacedTrace } from './placements.ts';
import { placedIn } from './placements.ts';
import { doneTimes, nodesThatUsersReach, queueOf, withCompleted } from './queue.ts';
import type { Raw } from './read-raw.ts';
import { readRaw } from './read-raw.ts';
import { metricsOf, publishedOf } from './run-metrics.ts';
import { figuresOf } from './scenario-figures.ts';
import { stalenessBreakdown } from './staleness.ts';
import { unreportedTimes } from './time/hop-times.ts';
import { latencyGridOf } from './time/latency-grid.ts';
import { loadEndOf } from './time/load-end.ts';
import { askedSeconds } from './time/seconds.ts';
import { failuresByTier } from './time/series.ts';
import { afterStop, onsetOf, standstillOf } from './time/standstill.ts';
import { timeLedgerOf } from './time/time-ledger.ts';
import { timelineOf } from './time/timeline.ts';
import { userTimeOf } from './time/user-time.ts';
import { windowOf } from './time/window.ts';
import { doubtsOf, validityOf } from './validity/validity.ts';
import { wireOf, wireWithRequests } from './wire.ts';
import { besideRecords } from './wire-compare.ts';
import { wireTreesOf } from './wire-requests/trees.ts';
import { wireTimesOf } from './wire-requests/wire-times.ts';
import { wireStanding } from './wire-standing.ts';

/**
 * @param folder of a run
 * @param command that was given it
 * @returns which is written to the folder too
 * @throws {NotReadyError} when the load never began, so that there is nothing to analyse
 */
export async function analyseRun(folder: string, command?: string): Promise<Result> {
	const found = await resultIn(folder).catch((error) => {
		throw command ? toGivenError(command, error) : error;
	});
	const proof = readProof(folder, found.run);
	const squeeze = readSqueeze(folder, found.run);
	const result = { ...(proof === null ? found : withProof(found, proof)), ...(squeeze === null ? {} : { squeeze }) };
	await writeFileAtomic(join(folder, RECORD.result), `${JSON.stringify(result)}\n`);
	return result;
}

const withProof: (result: Result, proof: Proof) => Result = (result, proof) => ({
	...result,
	proof,
	headline: provedHeadline(result.headline, proof),
	try_next: result.try_next.filter(({ command }) => !PROVE.test(command)),
});

/** What has been done is not advised. */
const PROVE = /\bprove$/;

/**
 * The same, and nothing is written.
 * @param folder of a run
 * @throws {NotReadyError} as analyseRun
 */
export async function resultIn(folder: string): Promise<Result> {
	const raw = await readRaw(folder);
	try {
		return resultOf(raw);
	} catch (error) {
		throw toRecordError(error, folder, { manifest: raw.manifest, damaged: raw.damaged ?? [] });
	}
}

/** @throws {NotReadyError} as analyseRun */
export const resultOf = (raw: Raw): Result => placedResult(raw).result;

/**
 * The same with each failed request, of which a result has the counts.
 * @returns all: in the order of their ends
 * @throws {NotReadyError} as analyseRun
 */
export function placedResult(raw: Raw): { result: Result; all: PlacedTrace[] } {
	const { manifest } = raw;
	const window = windowOf(raw);
	if (window === null)
		throw new NotReadyError(`The run ${manifest.run} ended before its load began; there is nothing to analyse.`, 'run it again.');
	const loadEnd = loadEndOf(raw, window);
	const took = loadEnd === null ? undefined : window.to - window.from;
	const joined = raw.wire ? joinedOf(raw.wire) : null;
	const passed = joined && passedIn(joined, window.from, raw.failures);
	const facts = gatherFacts(raw, window, passed);
	const on = measuredOn(facts);
	const own = figuresOf(facts);
	const breakdowns = [...own.breakdowns, ...databaseBreakdown(facts), ...stalenessBreakdown(facts)];

	const asked = askedSeconds(facts);
	const ofUsers = timelineOf(facts);
	const queue = queueOf(facts);
	const doneAt = doneTimes(raw.queued);
	const timeline = withCompleted(ofUsers, doneAt, window);
	const reached = nodesThatUsersReach(raw);
	const disturbed = disturbedIn(raw, doneAt);
	const faults = faultEffects({ manifest, disturbed, nodes: reached }, timeline, queue?.backlog);
	const standstill = standstillOf(facts, asked);
	const onset = onsetOf(standstill, { failures: facts.generator.failed, faults });
	const seconds = timeline.map(({ t_s }) => t_s);
	const resources = resourcesOf(raw, window);
	const cpu = cpuShares(facts, seconds);
	const limits = limitsOf(facts, seconds);
	const saturations = saturationsOf({ resources, cpu, limits, seconds, facts });
	const laws = lawsOf(facts, timeline, took);
	const stages = stagesOf(manifest.shape, timeline, cpu, laws, { byStage: raw.byStage, took, isQueued: queue !== null });
	const userTime = userTimeOf(facts, stages);

	const { all, waiting } = placedIn(facts, joined);
	const placed = withChecks(buildLedger(facts, all), own.checks);
	const gone = goneWrites(facts, placed.writes, queue);
	const trees = joined && wireTreesOf(raw, window, joined);
	const counted = wireOf(joined, window, facts.gaps, facts.failedIds);
	const { reported, timedOut } = wireWithRequests(counted, facts, joined, trees);
	const wire = besideRecords(reported, { facts, all, ledger: placed, timedOut });
	const ledger = withWire(placed, wire, joined, facts);
	const flow = flowOf(facts, ledger, wire);
	const wireTimes = wireTimesOf(trees, wire, facts);
	const byTier = failuresByTier(all, window, timeline);
	const timeLedger = timeLedgerOf(facts, timeline, stages, wireTimes);
	const unreported = timeLedger?.source === 'wire' ? [] : unreportedTimes(facts);

	const grid = latencyGridOf(facts.snapshots, timeline);
	const client = clientOf(raw);
	const wasted = droppedAtStandstill(facts, { standstill, asked, cpu, timeline });
	const beside = publishedOf(manifest.load === scenarios[manifest.scenario]?.load ? facts.system.published : undefined, queue !== null);
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
	const standing = joined && wireStanding(facts, joined, { saturations, timeline, standstill, onset, findings: waiting?.findings ?? [] });
	const doubts = doubtsOf({ facts, ledger, stages, cpu, timeline, timeLedger, userTime, wire, standstill, droppedAtStandstill: wasted });
	const validity = validityOf(doubts, stages);
	// The record may come from anywhere.
	const command = knownCommand(manifest.command) ?? '';
	const repeated = { ...manifest, command };
	const next = tryNextOf({ id: manifest.architecture, remedies: facts.system.remedies }, repeated, ledger);
	const proving = proveNext(repeated, ledger, metrics, facts.system);
	const advice = afterDoubts(next, { manifest: repeated, doubts, validity, ledger, proving });
	const result: Result = {
		schema: VERSIONS.result,
		run: manifest.run,
		architecture: manifest.architecture,
		architecture_title: facts.system.title,
		load: manifest.load,
		load_title: manifest.shape.title,
		load_facts: loadFactsOf(manifest),
		budget: manifest.budget,
		calibration: manifest.calibration ?? null,
		started: new Date(window.from * 1000).toISOString(),
		duration_s: rounded(window.to - window.from, 2) ?? 0,
		interrupted: manifest.interrupted,
		load_end: loadEnd,
		onset,
		command,
		headline: headlineOf({
			facts,
			ledger,
			metrics,
			bottleneck,
			reason,
			faults,
			queue,
			gone,
			onset,
			afterStop: afterStop(standstill, faults),
			droppedAtStandstill: wasted,
			urls: wire?.urls,
			timeline,
			nearest: nearestLimit(limits, cpu, { resources, seconds }),
		}),
		try_next: [...advice, ...watchNext(facts, ledger), ...moreLoad(repeated, { doubts, result: { validity, metrics, bottleneck } })],
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
		...(grid ? { latency_grid: grid } : {}),
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
	return { result, all };
}

const withChecks: (ledger: Ledger, checks: Ledger['checks']) => Ledger = (ledger, checks) => ({
	...ledger,
	checks: [...ledger.checks, ...checks],
});

const roundRow = (row: TimelineRow): TimelineRow =>
	Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? rounded(value, 2) : value])) as any;
