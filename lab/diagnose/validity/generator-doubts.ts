/** Whether the generator measured the system or itself. It is the first suspect: the same machine runs both. */
import { ownOf } from '../../base/values.ts';
import { sum } from '../../stats/numbers.ts';
import { SATURATED_SHARE } from '../limits/saturation.ts';
import { isScript } from '../time/load-end.ts';
import { stoodIn } from '../time/standstill.ts';
import { BLOCKED, GOOD } from '../time/user-time.ts';
import type { Doubt, Span } from './grade.ts';
import { count, graded, notRecorded, percent } from './grade.ts';
import { endsOf } from './span.ts';
import type { ValidityInput } from './validity.ts';

/** Share of the seconds for which the generator may be saturated. The lab's own choice: beyond half it is the rule, not the exception. */
const AT_QUOTA = { suspect: 0.1, invalid: 0.5 };
/** k6's scripts read the clock in whole milliseconds: what is less late is not told from being on time. */
const CLOCK_MS = 1;
/** What k6 times of the requests of a scenario, and the name of one of the script's own. */
const WAITED = ['http_req_duration', 'http_req_blocked'];
const SCENARIO = /^iteration_duration\{scenario:(?!load\})([^}]+)\}$/;
/** Share of the users' time that the generator may cost: what the lab's design sets for Little's law, of which this is the exact form. */
const OVERHEAD = { suspect: 0.05, invalid: 0.1 };
/**
 * Share of its quota's periods in which the generator was stopped until the next one. Its clocks stop with it, so what was
 * answered meanwhile looks late (https://docs.kernel.org/scheduler/sched-bwc.html). The limits are the lab's own choice.
 */
const THROTTLED = { suspect: 0.1, invalid: 0.5 };
/** Share of the arrivals that had no free user: the same thousandth and hundredth that counts may differ by. */
const DROPPED = { suspect: 0.001, invalid: 0.01 };
/** Share of the requests for which it had no descriptor or port. One is a doubt; from 1 % on nothing rests on the run, as for counts. */
const EXHAUSTED = { suspect: 0, invalid: 0.01 };

/** What only k6 can be asked; a program that makes its load inside the system has no generator. */
export const generatorRules: ((input: ValidityInput, span: Span) => Doubt[])[] = [overhead, throttling, atQuota, dropped].map(
	(rule) => (input, span) => (input.facts.raw.program ? [] : rule(input, span)),
);

/** @returns of the whole run */
export function exhaustion({ ledger, facts }: ValidityInput): Doubt[] {
	const exhausted = sum(ledger.failures.filter(({ cause }) => cause === 'generator-exhausted').map(({ count: failed }) => failed));
	const share = exhausted / Math.max(1, facts.generator.finished);
	const reason = `the generator ran out of file descriptors or ports for ${count(exhausted)} of ${count(facts.generator.finished)} requests`;
	// From the limit on, not beyond it.
	if (share >= EXHAUSTED.invalid)
		return [{ rule: 'exhausted', grade: 'INVALID', reason: `${reason}; the limit is ${percent(EXHAUSTED.invalid)}` }];
	return graded('exhausted', share, EXHAUSTED, reason);
}

const generatorsOf = ({ facts }: ValidityInput) =>
	((facts.raw.manifest.services ?? []) as { name: string; tier: string; cpu_quota_cores: number | null }[]).filter(
		({ tier }) => tier === 'generator',
	);

/** Each is named where there are several. */
const called: (input: ValidityInput, name: string) => string = ({ facts }, name) =>
	facts.raw.manifest.generators ? `the generator ${name}` : 'the generator';

/**
 * In an open load users wait for work anyway, so what the generator takes of their time holds nobody up; what does is an arrival that
 * begins late, and is in every latency.
 */
function overhead(input: ValidityInput, span: Span): Doubt[] {
	const { model, arriving } = input.facts.raw.manifest.shape;
	// A script counts from the sending of a request, so that what an arrival waited for before it is in none of its latencies.
	if (arriving?.length > 0) return model === 'open' ? [] : ownTimeOfOthers(input, span);
	return model === 'open' ? lateArrivals(input, span) : ownTime(input, span);
}

/**
 * Of a script in which some iterations arrive and other users come back: of these, what k6 itself counted by scenario. What it took no time of,
 * as of connections that were never made, may be all theirs.
 */
function ownTimeOfOthers({ facts: { raw } }: ValidityInput, { stage }: Span): Doubt[] {
	if (stage !== null) return [];
	const { metrics = {} } = raw.summary ?? {};
	const secondsOf = (metric: string) => ((metrics[metric]?.values.count ?? 0) * (metrics[metric]?.values.avg ?? 0)) / 1000;
	const scenarios = Object.keys(metrics).flatMap((metric) => SCENARIO.exec(metric)?.[1] ?? []);
	const timed = (scenario: string) => sum(WAITED.map((metric) => secondsOf(`${metric}{scenario:${scenario}}`)));
	const others = scenarios.filter((scenario) => !raw.manifest.shape.arriving.includes(scenario));
	const total = sum(others.map((scenario) => secondsOf(`iteration_duration{scenario:${scenario}}`)));
	const thought = sum(others.map((scenario) => metrics[`lab_think_s{scenario:${scenario}}`]?.values.count));
	const untimed = Math.max(0, secondsOf('lab_latency_all') - sum(scenarios.map(timed)));
	if (total === 0) return [];
	const own = Math.max(0, total - sum(others.map(timed)) - thought - untimed) / total;
	return graded(
		'overhead',
		own,
		OVERHEAD,
		`the load generator was overloaded: its own overhead took ${percent(own)} of the time of users who come back`,
	);
}

function lateArrivals({ facts, droppedAtStandstill = 0 }: ValidityInput, { stage }: Span): Doubt[] {
	if (stage !== null || facts.generator.ok === 0) return [];
	// k6 numbers arrivals that it begins: each after one that was dropped is told late by what lay between them, which is not the generator's.
	if (droppedAtStandstill > 0) return [];
	const { metrics = {} } = facts.raw.summary ?? {};
	const [waited, answered, connecting] = ['lab_latency_ok', GOOD, BLOCKED].map((metric) => metrics[metric]?.values.avg);
	if ([waited, answered, connecting].some((value) => typeof value !== 'number'))
		return notRecorded('overhead', 'what users waited', 'whether arrivals began in time');
	const lateMs = waited - answered - connecting;
	if (lateMs <= CLOCK_MS) return [];
	return graded(
		'overhead',
		lateMs / waited,
		OVERHEAD,
		`arrivals began ${lateMs.toFixed(1)} ms late in the mean, ${percent(lateMs / waited)} of what users waited`,
	);
}

function ownTime({ userTime, standstill, facts }: ValidityInput, span: Span): Doubt[] {
	const { stage } = span;
	const share =
		(stage === null ? userTime?.parts.find(({ id }) => id === 'generator')?.share : userTime?.stages[stage]?.parts.generator) ?? null;
	// Where nobody was answered there may be no time of requests that ended.
	if (share === null && stage !== null && stoodIn(standstill, span)) return [];
	if (share === null) return notRecorded('overhead', "some of the users' time", "the generator's own overhead");
	// A script may send several requests of a user at once (http.batch), each of which takes its time.
	if (share < -OVERHEAD.suspect && isScript(facts.raw.manifest))
		return notRecorded('overhead', 'how many requests of a user went on at a time', "the generator's own overhead");
	const reason =
		share < 0
			? `the parts of the users' time exceed it by ${percent(-share)}`
			: `the load generator was overloaded: its own overhead took ${percent(share)} of the time of all users`;
	return graded('overhead', Math.abs(share), OVERHEAD, reason);
}

function throttling(input: ValidityInput, span: Span): Doubt[] {
	const { raw, window } = input.facts;
	const limited = generatorsOf(input).filter(({ cpu_quota_cores: quota }) => quota !== null);
	return limited.flatMap((generator) => {
		const who = called(input, generator.name);
		const ends = endsOf(
			raw.containers.filter(({ name }) => name === generator.name),
			window,
			span,
		);
		const periods = ends ? ends.last.periods - ends.first.periods : 0;
		if (!ends || !(periods > 0)) return notRecorded('throttled', `${who}'s quota`, 'how often it was stopped');
		const share = (ends.last.throttled_periods - ends.first.throttled_periods) / periods;
		return graded('throttled', share, THROTTLED, `${who} was stopped in ${percent(share)} of its quota's periods, and its clocks with it`);
	});
}

function atQuota(input: ValidityInput, { from_s, to_s, stage }: Span): Doubt[] {
	const { cpu, timeline } = input;
	// What the timeline has beyond the load's end is the load's last second.
	const until = stage === null ? Number.POSITIVE_INFINITY : to_s;
	const isInside = (index: number) => timeline[index].t_s > from_s && timeline[index].t_s <= until;
	const generators = generatorsOf(input);
	if (generators.length === 0) return notRecorded('at-quota', "the generator's CPU", 'whether it kept up');
	return generators.flatMap(({ name }) => {
		const who = called(input, name);
		const shares = (ownOf(cpu, name) ?? []).filter((share, index) => isInside(index) && share !== null);
		if (shares.length === 0) return notRecorded('at-quota', `${who}'s CPU`, 'whether it kept up');
		const saturated = shares.filter((share) => (share ?? 0) >= SATURATED_SHARE).length / shares.length;
		return graded('at-quota', saturated, AT_QUOTA, `${who}'s CPU was at its quota for ${percent(saturated)} of the seconds`);
	});
}

/** What all users who wait for a system that stands still cannot begin is that system's doing. */
function dropped({ facts, droppedAtStandstill = 0 }: ValidityInput, { from_s, to_s, stage }: Span): Doubt[] {
	const { raw, snapshots, window, generator } = facts;
	const inside = snapshots.filter(({ t }) => t > window.from + from_s && t <= window.from + to_s);
	const counted = (metric: string) => sum(inside.map(({ metrics }) => metrics[metric]?.count));
	const { arriving } = raw.manifest.shape;
	const ofRun = (raw.summary === null ? 0 : generator.droppedArrivals) - droppedAtStandstill;
	const isComplete = stage === null && raw.summary !== null;
	// What users wrote has none of the arrivals that found no user: of a stage there may have been as many as of the run.
	const isKnown = isComplete || raw.written === null;
	const lost = isKnown && !isComplete ? counted('dropped_iterations') : ofRun;
	// An iteration of a script may send any number of requests.
	const begun = (names: string[]) =>
		sum(names.map((scenario) => raw.summary?.metrics[`iteration_duration{scenario:${scenario}}`]?.values.count));
	const arrivals = lost + (isComplete ? (arriving ? begun(arriving) : generator.finished) : counted('lab_finished'));
	const share = lost / Math.max(1, arrivals);
	if (!isKnown && share > DROPPED.suspect)
		return notRecorded('dropped', 'the lack of free users at the generator', 'how many arrivals found none');
	return graded(
		'dropped',
		share,
		DROPPED,
		`the generator had no free user for ${percent(share)} of the arrivals (${count(lost)} of ${count(arrivals)})`,
	);
}
