/**
 * What a doubt about a run can move, and what it cannot: one table for the run's own page, for thresholds, and for comparisons and claims.
 * A doubt is about statements of some kinds. A neighbour on the machine changes how fast answers come; it changes no status, no log line and
 * no packet. What no row speaks of is moved by everything: less knowledge never makes a run more certain.
 */

import { causes } from './causes.ts';
import type { Failure, Result, RunDoubt, Validity } from './types.js';

export type StatementKind = RunDoubt['touches'][number];

/** Kinds of statements about a run, as a sentence names them. */
export const STATEMENTS: Readonly<Record<StatementKind, string>> = Object.freeze({
	// Throughput, goodput, and how often requests fail under this load.
	rates: 'request and failure rates',
	latencies: 'latencies',
	// How many requests ended, and how: statuses, errors, attempts.
	counts: 'counts and codes',
	// Where and why a request failed, by a status, a log line, a packet or a counter.
	placements: 'the placement of failures',
	// The same, where only the time tells it, or a lack of time made it.
	'timed-placements': 'causes that rest on timing',
	'hop-times': 'latency by service',
	bottleneck: 'the bottleneck',
	resources: 'readings of CPU and memory',
	// What consumers of a queue have done, by their own logs.
	completions: 'completion of queued writes',
	writes: 'stored writes',
	'fault-effects': 'effects of faults',
});

export const ALL_STATEMENTS = Object.keys(STATEMENTS) as StatementKind[];

/** What depends on how much of the load was made, and how fast it was served. */
const UNDER_LOAD: StatementKind[] = ['rates', 'latencies', 'completions', 'hop-times', 'bottleneck', 'resources', 'fault-effects'];
/** The same, and what a machine, or a generator, that is short of time makes late. */
const BY_TIME: StatementKind[] = [...UNDER_LOAD, 'timed-placements'];

/** By the first word of a rule's name (../diagnose/validity): what its doubt can move. A rule that is not here moves everything. */
export const TOUCHES: Readonly<Record<string, StatementKind[]>> = Object.freeze({
	// The generator was late, or had no room.
	overhead: BY_TIME,
	throttled: BY_TIME,
	'at-quota': BY_TIME,
	exhausted: BY_TIME,
	starts: BY_TIME,
	dropped: UNDER_LOAD,
	// The machine was not the run's alone.
	stolen: BY_TIME,
	kernel: BY_TIME,
	engine: BY_TIME,
	memory: BY_TIME,
	neighbours: BY_TIME,
	'busy-before': BY_TIME,
	clocks: BY_TIME,
	// The load was not one condition.
	drift: UNDER_LOAD,
	'record-gap': BY_TIME,
	'time-gap': BY_TIME,
	'warm-up-left': [...UNDER_LOAD, 'writes'],
	// A record beside k6's own was late or is short of lines: what k6 counted and timed it wrote down itself.
	observers: ['timed-placements', 'hop-times', 'bottleneck', 'resources', 'completions', 'fault-effects'],
	unlogged: ['placements', 'timed-placements', 'hop-times', 'resources', 'completions', 'writes', 'fault-effects'],
	// Whether what was answered well was done: a good answer may not have been one.
	'unread-store': ['rates', 'latencies', 'completions', 'resources', 'writes', 'fault-effects'],
	// A load that was not made, or not written down; records that contradict each other; another run than the one that was asked for.
	incomplete: ALL_STATEMENTS,
	unwritten: ALL_STATEMENTS,
	file: ALL_STATEMENTS,
	'lost-generator': ALL_STATEMENTS,
	count: ALL_STATEMENTS,
	wire: ALL_STATEMENTS,
	fault: ALL_STATEMENTS,
});

/** @param rule its name, of which the first word decides: `stolen host-2` */
export function touchesOf(rule: string): StatementKind[] {
	const word = /^[\w-]+/.exec(rule)?.[0] ?? '';
	return Object.hasOwn(TOUCHES, word) ? TOUCHES[word] : ALL_STATEMENTS;
}

/** Metrics (../catalog/metrics.ts) by what they state. One that is not here, such as a scenario's own, is moved by every doubt. */
const METRIC_STATEMENTS: Readonly<Record<string, StatementKind[]>> = Object.freeze({
	// Behind a queue goodput is what a consumer has done, which k6 does not see.
	goodput_rps: ['rates', 'completions'],
	failure_rate: ['rates'],
	failures_per_user_minute: ['rates'],
	failed_user_time_share: ['rates'],
	throughput_rps: ['rates'],
	came_back_share: ['rates', 'completions', 'fault-effects'],
	writes_lost: ['writes'],
	writes_duplicated: ['writes'],
	cpu_ms_per_good: ['resources', 'rates', 'completions'],
});
const LATENCY = /^latency_ms_(?:p\d+(?:_\d+)?|mean|max)_(?:ok|all)$/;

/** Of these kinds those that a run has statements of. */
export function statementsIn(
	{
		queue,
		faults,
		ledger,
		gone_writes: gone,
		time_ledger: time,
		user_time: userTime,
		proof,
	}: Pick<Result, 'queue' | 'faults' | 'ledger' | 'gone_writes' | 'time_ledger' | 'user_time' | 'proof'>,
	kinds: StatementKind[],
) {
	const has: Partial<Record<StatementKind, boolean>> = {
		placements: ledger.failures.length > 0,
		'timed-placements': ledger.failures.some((row) => steadyIn(row, proof) < row.count),
		'hop-times': time !== null || userTime !== null,
		completions: queue !== null,
		writes: queue !== null || gone !== null || (ledger.writes?.acknowledged ?? null) !== null,
		'fault-effects': faults.length > 0,
	};
	return kinds.filter((kind) => has[kind] !== false);
}

/** @param metric its id; null where something else than a metric is read */
export function statementsOf(metric: string | null): StatementKind[] {
	if (metric === null) return ALL_STATEMENTS;
	if (LATENCY.test(metric)) return ['latencies'];
	return Object.hasOwn(METRIC_STATEMENTS, metric) ? METRIC_STATEMENTS[metric] : ALL_STATEMENTS;
}

/** Causes that a lack of time makes: what was late, waited too long or was busy may have been so because the machine was. */
const CAUSES_OF_TIME: ReadonlySet<string> = new Set([
	...['queue-full', 'shed', 'breaker-open', 'upstream-timeout', 'callee-timeout', 'worker-timeout', 'time-limit', 'client-gave-up'],
	...['stood-still', 'event-loop-busy', 'never-read', 'not-read', 'accept-backlog-overflow', 'hung', 'busy', 'held-by-one', 'slow-kind'],
	...['pool-wait-timeout', 'pool-wait', 'pool-cleared', 'pool-held', 'pool-full', 'workers-taken', 'database-slow', 'outside-slow'],
	...['cpu-throttled', 'cpu-taken', 'memory-short', 'disk-wait', 'name-unanswered', 'lock', 'own-wait', 'polled', 'many-calls'],
	...['checks-failed', 'no-callee', 'no-live-upstream', 'keep-alive-race'],
]);

/** How it is known that something happened: at that time alone, or because nothing else is left. */
const BASES_OF_TIME = ['timed', 'inferred'];

export type PlacedFailures = Pick<Failure, 'cause' | 'count' | 'basis'> & Partial<Pick<Failure, 'service'>>;

/**
 * Failed requests of a row of which no lack of time can move place or cause.
 * @param proof copies with and without a change, made in turns, met the same machine
 */
function steadyIn({ service, cause, count, basis }: PlacedFailures, proof?: Result['proof']): number {
	if (proof?.outcome === 'proved' && proof.trouble.service === service && proof.trouble.cause === cause) return count;
	if (CAUSES_OF_TIME.has(cause) || !Object.hasOwn(causes, cause)) return 0;
	const timed = Object.values(basis).map((counts) => BASES_OF_TIME.reduce((all, name) => all + (counts[name] ?? 0), 0));
	return Math.max(0, count - Math.max(...timed));
}

/**
 * Of all failed requests that were placed.
 * @returns moved: of which a lack of time may have made the cause
 */
export function placedOf({ ledger: { failures }, proof }: { ledger: { failures: PlacedFailures[] }; proof?: Result['proof'] }): {
	steady: number;
	moved: number;
} {
	const steady = failures.reduce((all, row) => all + steadyIn(row, proof), 0);
	return { steady, moved: failures.reduce((all, { count }) => all + count, 0) - steady };
}

export const statementsOfFailure = (row: PlacedFailures): StatementKind[] =>
	steadyIn(row) < row.count ? ['placements', 'timed-placements'] : ['placements'];

/**
 * The doubts that can move a statement.
 * @param kinds of the statement: any of them
 */
export const doubtsAbout = ({ doubts }: { doubts: RunDoubt[] }, kinds: StatementKind[]): RunDoubt[] =>
	doubts.filter(({ touches }) => touches.some((kind) => kinds.includes(kind)));

/**
 * Whether something is in doubt. Of a run that is not VALID and says of no doubt what it moves, all is.
 * @param kinds of the statement
 */
export const isDoubted = (validity: { verdict: string; doubts: RunDoubt[] }, kinds: StatementKind[]) =>
	validity.verdict !== 'VALID' && (validity.doubts.length === 0 || doubtsAbout(validity, kinds).length > 0);

/**
 * A run's validity in a word, where it is told of the run alone: of one that is INVALID for what some of its statements rest on the others stand.
 */
export function wordOf({ verdict, doubts }: { verdict: Validity['verdict']; doubts: RunDoubt[] }) {
	const moved = new Set(doubts.filter(({ grade }) => grade === 'INVALID').flatMap(({ touches }) => touches));
	return verdict === 'INVALID' && ALL_STATEMENTS.some((kind) => !moved.has(kind)) && doubts.length > 0 ? ('IN DOUBT' as const) : verdict;
}
