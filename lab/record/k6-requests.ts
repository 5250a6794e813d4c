/**
 * Makes k6's record of each second from what its users wrote of their requests (k6/lib/request-log.js says what a line holds): the same
 * metrics, with the same aggregates, as the record of k6's own dashboard has, which costs k6 much more.
 *
 * A second is one of the load: it ends a whole number of seconds after the load began, and has the requests that ended in it. Percentiles
 * are exact, and of that second alone, or of all requests of the load in the totals: the value at that share of the sorted values, counted
 * from the first to the last, and between two of them on the straight line. That is how k6 computes its own (metrics/sink.go, TrendSink.P).
 */
import { TREND_STATS } from '../../k6/lib/options.js';
import type { BucketCounts } from './latency-buckets.ts';
import { bucketsOf } from './latency-buckets.ts';
import type { StageRequests } from './percentile.ts';
import { percentileOf } from './percentile.ts';
import { placesIn, StageGathered } from './stage-requests.ts';

/** Of the numbers of a line; as k6/lib/request-log.js has them. */
export const HEAD = 3;
export const EACH = 4;
export const PER_MS = 10;
/** September 2001: no clock is as late, and no list of small numbers is taken for a line. */
const LEAST_ORIGIN_MS = 1e12;
/** A user that is to send and does not for longer: k6 itself stood still, where nothing else happened either. */
const STILL_S = 1;
/** Of a failure that has a status, and of one that was open when the load and its grace ended (k6/lib/outcomes.js). */
const KINDS = { status: 'status', unanswered: 'unanswered' };

export type Snapshot = {
	/** end of the second, seconds since 1970 */
	t: number;
	/** metric to aggregate to value, of this second alone */
	metrics: Record<string, Record<string, number>>;
	/** requests of the load that ended in it, by how long they took; nothing where none ended */
	latencies?: { good: BucketCounts; failed: BucketCounts };
};

/** seconds since 1970; an empty one is never met */
export type Span = { from: number; to: number };

export type Failed = [id: string, endedMs: number, waitedMs: number, status: number, code: number, kind: string];

/** that a user wrote */
export type Line = { requests?: number[]; warm?: number[]; failed?: Failed[]; retried?: number[] };

/** of a finished request; seconds since 1970, and milliseconds */
export type FinishedRequest = {
	isGood: boolean;
	ended: number;
	waitedMs: number;
	/** of that, for a connection */
	blockedMs: number;
	/** by the user, after it or before it; where it is tried again, that the user waited for that */
	thoughtMs: number;
	/** the user sends the same request once more */
	isTriedAgain: boolean;
	/** the user had sent it before */
	isFurther: boolean;
	/** when the user was to send it; what it did until `dueTo` is the generator's own */
	dueFrom: number;
	dueTo: number;
	/** of the user's time, all that came since its last request and its thinking after that */
	from: number;
	/** with its thinking after it */
	to: number;
};

/** @param line that k6's scenario wrote; a user's script may have written anything */
export const tellsRequests = (line: any): line is Line => areNumbers(line?.requests) || areNumbers(line?.warm);

const areNumbers = (value: any) =>
	Array.isArray(value) &&
	value.length > HEAD &&
	(value.length - HEAD) % EACH === 0 &&
	value[0] > LEAST_ORIGIN_MS &&
	value.every(Number.isFinite);

/**
 * @param numbers of a line
 * @param take is given one object, which is changed for the next request
 */
export function eachRequest(numbers: number[], take: (reported: FinishedRequest) => void) {
	const [origin, began, thoughtBefore] = numbers;
	const seconds = (tenths: number) => (origin + tenths / PER_MS) / 1000;
	const nothing = { ended: 0, waitedMs: 0, blockedMs: 0, thoughtMs: 0, dueFrom: 0, dueTo: 0, from: 0, to: 0 };
	const reported = { isGood: true, isTriedAgain: false, isFurther: thoughtBefore < 0, ...nothing };
	let due = began;
	for (let at = HEAD; at + EACH <= numbers.length; at += EACH) {
		const [begin, waited, connecting, pause] = [numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]];
		const thinking = pause < 0 ? -1 - pause : pause;
		const end = begin + waited;
		const before = at === HEAD ? Math.max(0, thoughtBefore) : 0;
		// Of requests that a user has under way together the later end counts.
		const next = Math.max(due, end + thinking);
		reported.isGood = connecting >= 0;
		reported.isTriedAgain = pause < 0;
		reported.ended = seconds(end);
		reported.waitedMs = waited / PER_MS;
		reported.blockedMs = (connecting >= 0 ? connecting : -1 - connecting) / PER_MS;
		reported.thoughtMs = (before + thinking) / PER_MS;
		reported.dueFrom = seconds(Math.min(due + before, begin));
		reported.dueTo = seconds(Math.max(due + before, begin));
		reported.from = seconds(due);
		reported.to = seconds(next);
		take(reported);
		due = next;
		reported.isFurther = reported.isTriedAgain;
	}
}

/** What came to its end in one second. */
class Second {
	/** milliseconds */
	all: number[] = [];
	good: number[] = [];
	lost: number[] = [];
	/** milliseconds without connecting, of the warm-up's */
	warm: number[] = [];
	blockedMs = 0;
	thoughtMs = 0;
	userMs = 0;
	/** Requests that users wanted answered, whatever it took, and those of them that were not. */
	wanted = 0;
	gaveUp = 0;
	/** milliseconds, of those that were answered at the first attempt */
	answered: number[] = [];
	/** counter to count */
	failed: Map<string, number> = new Map();
}

const count = <Name>(counts: Map<Name, number>, name: Name) => counts.set(name, (counts.get(name) ?? 0) + 1);

/**
 * @returns totals: as k6's summary has metrics, of the load; ended: how many requests ended in each span; byStage: of each
 * stage; last: when the last request of the load ended
 */
export function readRequests(
	lines: Line[],
	{
		from,
		to = from,
		isScript,
		spans = [],
		stages = [],
	}: {
		/** when the load began, seconds since 1970 */
		from: number;
		/** when it ended; the last request's end unless known */
		to?: number;
		/** a user's own, which may do other things than to send requests */
		isScript: boolean;
		spans?: Span[];
		/** of the load, one after the other */
		stages?: Span[];
	},
): {
	snapshots: Snapshot[];
	totals: Record<string, any>;
	ended: { good: number; failed: number }[];
	byStage: StageRequests[];
	last: number | null;
} {
	const ended = spans.map(() => ({ good: 0, failed: 0 }));
	const staged = stages.map((stage) => new StageGathered(stage));
	const stageOf = placesIn(stages);
	let last = null as number | null;
	const seconds: Map<number, Second> = new Map();
	const secondAt = (t: number) => {
		const index = Math.ceil(t - from);
		let second = seconds.get(index);
		if (!second) {
			second = new Second();
			seconds.set(index, second);
		}
		return second;
	};
	/** Of those that took several attempts, which users tell as a whole: milliseconds until the good answer. */
	const afterRetries: number[] = [];
	/** Requests that began in a second, by it. */
	const begun: Map<number, number> = new Map();
	const users = new Changes();
	const still = new Changes();
	for (const { requests, warm, failed = [], retried = [] } of lines) {
		if (warm)
			eachRequest(warm, (reported) => {
				secondAt(reported.ended).warm.push(reported.waitedMs - reported.blockedMs);
				users.add(reported.from - from, reported.to - from);
			});
		if (!requests) continue;
		eachRequest(requests, (reported) => {
			const second = secondAt(reported.ended);
			second.all.push(reported.waitedMs);
			(reported.isGood ? second.good : second.lost).push(reported.waitedMs);
			count(begun, Math.max(1, Math.ceil(reported.ended - reported.waitedMs / 1000 - from)));
			staged[stageOf(reported.ended)]?.add(reported);
			if (last === null || reported.ended > last) last = reported.ended;
			for (const [index, span] of spans.entries())
				if (reported.ended > span.from && reported.ended <= span.to) ended[index][reported.isGood ? 'good' : 'failed'] += 1;
			if (!reported.isTriedAgain) {
				second.wanted += 1;
				if (!reported.isGood) second.gaveUp += 1;
				else if (!reported.isFurther) second.answered.push(reported.waitedMs);
			}
			second.blockedMs += reported.blockedMs;
			second.thoughtMs += reported.thoughtMs;
			second.userMs += (reported.to - reported.from) * 1000;
			users.add(reported.from - from, reported.to - from);
			// The seconds that it held all of: the first ends a second after it began.
			if (!isScript && reported.dueTo - reported.dueFrom > STILL_S) still.add(reported.dueFrom - from + 1, reported.dueTo - from);
		});
		for (const took of retried) if (took >= 0) afterRetries.push(took / PER_MS);
		for (const [, endedMs, , status, code, kind] of failed) {
			const { failed: counts } = secondAt(endedMs / 1000);
			for (const counter of countersOf({ status, code, kind })) count(counts, counter);
		}
	}
	return {
		snapshots: snapshotsOf(seconds, { from, to, users, still, begun }),
		totals: totalsOf([...seconds.values()], afterRetries),
		ended,
		byStage: staged.map((stage) => stage.reported()),
		last,
	};
}

function countersOf({ status, code, kind }: { status: number; code: number; kind: string }): string[] {
	if (kind === KINDS.status) return [`lab_failed_status_${status}`];
	return [`lab_failed_code_${code}`, `lab_failed_kind_${kind}`, ...(kind === KINDS.unanswered ? ['lab_unanswered'] : [])];
}

/** How many of some spans of time hold each whole second. */
class Changes {
	#at: Map<number, number> = new Map();

	/**
	 * @param from seconds, included
	 * @param to not included
	 */
	add(from: number, to: number) {
		const [first, end] = [Math.ceil(from), Math.ceil(to)];
		if (end <= first) return;
		this.#at.set(first, (this.#at.get(first) ?? 0) + 1);
		this.#at.set(end, (this.#at.get(end) ?? 0) - 1);
	}

	between(first: number, last: number): Map<number, number> {
		let now = 0;
		for (const [at, change] of this.#at) if (at < first) now += change;
		return new Map(
			Array.from({ length: last - first + 1 }, (_, index) => {
				now += this.#at.get(first + index) ?? 0;
				return [first + index, now];
			}),
		);
	}
}

/** Every second from the first of the load, or of the warm-up where it was told, to the last. */
function snapshotsOf(
	seconds: Map<number, Second>,
	{ from, to, users, still, begun }: { from: number; to: number; users: Changes; still: Changes; begun: Map<number, number> },
): Snapshot[] {
	const indexes = [1, ...seconds.keys(), Math.max(1, Math.floor(to - from))];
	const first = indexes.reduce((one, other) => Math.min(one, other));
	const last = indexes.reduce((one, other) => Math.max(one, other));
	const [there, stood] = [users.between(first, last), still.between(first, last)];
	return Array.from({ length: last - first + 1 }, (_, at) => first + at)
		.filter((index) => seconds.has(index) || begun.has(index) || !stood.get(index))
		.map((index) => ({
			t: from + index,
			metrics: {
				vus: { value: there.get(index) ?? 0 },
				...(begun.has(index) ? { lab_begun: { count: begun.get(index) ?? 0 } } : {}),
				...metricsOf(seconds.get(index) ?? new Second()),
			},
			...latenciesOf(seconds.get(index)),
		}));
}

const latenciesOf = (second?: Second): Pick<Snapshot, 'latencies'> =>
	second && second.all.length > 0 ? { latencies: { good: bucketsOf(second.good), failed: bucketsOf(second.lost) } } : {};

function metricsOf({ all, good, warm, blockedMs, thoughtMs, userMs, failed }: Second): Snapshot['metrics'] {
	const metrics: Snapshot['metrics'] = {};
	if (all.length + warm.length > 0) metrics.http_reqs = { count: all.length + warm.length };
	if (warm.length > 0) metrics.http_req_duration = trendOf(warm);
	if (all.length === 0) return metrics;
	const mean = (sum: number) => ({ avg: sum / all.length });
	return {
		...metrics,
		lab_finished: { count: all.length },
		lab_ok: { count: good.length },
		lab_failed: { count: all.length - good.length },
		lab_latency_all: trendOf(all),
		...(good.length > 0 ? { lab_latency_ok: trendOf(good) } : {}),
		lab_think_s: { count: thoughtMs / 1000 },
		http_req_blocked: mean(blockedMs),
		// An iteration is what the user did since its last request: where it sends several in one of k6's, each with its part of it.
		iterations: { count: all.length },
		iteration_duration: mean(userMs),
		...Object.fromEntries([...failed].map(([counter, value]) => [counter, { count: value }])),
	};
}

function totalsOf(seconds: Second[], afterRetries: number[]): Record<string, any> {
	const [all, good] = [seconds.flatMap((second) => second.all), seconds.flatMap((second) => second.good)];
	const failed: Map<string, number> = new Map();
	for (const { failed: counts } of seconds) for (const [name, value] of counts) failed.set(name, (failed.get(name) ?? 0) + value);
	const counter = (value: number) => ({ type: 'counter', values: { count: value } });
	const trend = (values: number[]) => ({ type: 'trend', contains: 'time', values: trendOf(values) });
	return {
		lab_finished: counter(all.length),
		lab_ok: counter(good.length),
		lab_failed: counter(all.length - good.length),
		lab_latency_all: trend(all),
		lab_latency_ok: trend(good),
		lab_think_s: counter(total(seconds, ({ thoughtMs }) => thoughtMs) / 1000),
		lab_requests: counter(total(seconds, ({ wanted }) => wanted)),
		lab_gave_up: counter(total(seconds, ({ gaveUp }) => gaveUp)),
		lab_latency_request_ok: trend([...seconds.flatMap(({ answered }) => answered), ...afterRetries]),
		...Object.fromEntries([...failed].map(([name, value]) => [name, counter(value)])),
	};
}

const total: (seconds: Second[], value: (second: Second) => number) => number = (seconds, value) =>
	seconds.reduce((sum, second) => sum + value(second), 0);

/** @returns what k6 says of a trend; of no values only that there are none */
function trendOf(values: number[]): Record<string, number> {
	if (values.length === 0) return { count: 0 };
	const sorted = Float64Array.from(values).sort();
	const sum = sorted.reduce((soFar, value) => soFar + value, 0);
	return Object.fromEntries(TREND_STATS.map((stat) => [stat, statOf(stat, sorted, sum)]));
}

function statOf(stat: string, sorted: Float64Array, sum: number): number {
	if (stat === 'count') return sorted.length;
	if (stat === 'avg') return sum / sorted.length;
	return percentileOf(sorted, SHARES[stat] ?? Number(/^p\((.+)\)$/.exec(stat)?.[1]) / 100);
}

const SHARES: Record<string, number> = { min: 0, med: 0.5, max: 1 };

/**
 * k6's summary, with what its users wrote.
 * @param summary with what k6 counted of the load, under the name that the lab's own scenarios have
 */
export const withWritten = <Summary extends { metrics: Record<string, any> }>(summary: Summary, totals: Record<string, any>): Summary => ({
	...summary,
	// Seconds that a script's users thought are k6's own count where it has one: the lines lack those that no request came after.
	metrics: { ...summary.metrics, ...totals, lab_think_s: summary.metrics.lab_think_s ?? totals.lab_think_s },
});

/**
 * How many requests of the load k6 itself counted: of a user's script those that passed through the lab's functions.
 * @param summary of k6, and nothing else
 * @returns null where it does not say
 */
export const countedByK6 = ({ metrics }: { metrics: Record<string, any> }): number | null =>
	metrics.lab_finished?.values.count ?? metrics['http_req_duration{scenario:load}']?.values.count ?? null;

/**
 * @param metric a counter
 * @returns what it counted in this second; 0 when it was not there
 */
export const countOf = (snapshot: Snapshot, metric: string): number => snapshot.metrics[metric]?.count ?? 0;

/** @param aggregate such as `p(95)` */
export const aggregateOf = (snapshot: Snapshot, metric: string, aggregate: string): number | null =>
	snapshot.metrics[metric]?.[aggregate] ?? null;

/**
 * The moment at which k6 had its users ready and began the warm-up, from the line that the scenario's setup writes.
 * @param log of k6, one JSON object a line, whose `msg` is what a scenario wrote
 * @param nowS seconds since 1970, while the load is young: what a script says of another time is then none
 * @returns the same
 */
export function parseStart(log: string, nowS?: number): number | null {
	const found = [...log.matchAll(/\{\\"event\\":\\"start\\",\\"t\\":([\d.]+)\}/g)].map(([, t]) => Number(t));
	return found.find((t) => nowS === undefined || Math.abs(t - nowS) < START_WITHIN_S) ?? null;
}

/** Clocks may differ, and a setup may take its time. */
const START_WITHIN_S = 24 * 60 * 60;
