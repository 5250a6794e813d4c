/**
 * The wire's counts and times beside those of other records of the same run, way by way: what the generator counts, what services say that
 * they sent and received, what a database counts. Counts are the same within a thousandth, or what makes the difference is named by kind.
 */
import { DROPPED_LINES } from '../adapters/log-lines.ts';
import type { Ledger, Wire, WireComparison } from '../record/types.js';
import { quantilesOf, rounded, sum } from '../stats/numbers.ts';
import type { ConnectionRecord } from '../wire/connection.ts';
import { FIRST_BAD_STATUS } from '../wire/contract.ts';
import type { WireCall } from '../wire/record.ts';
import type { DatabaseFacts } from './database-rows.ts';
import type { GeneratorCounts } from './generator-counts.ts';
import type { Way } from './joins/joined.ts';
import type { Facts } from './ledger/facts.ts';
import type { PlacedTrace } from './ledger/ledger.ts';
import type { TimedOut } from './wire-failures.ts';
import { failuresOnWire } from './wire-failures.ts';

type Explained = { kind: string; count: number };

/** Share by which counts may differ; as in the ledger's own checks. */
const TOLERANCE = 0.001;
/** Percentiles of two clocks that time the same; k6 tells its own to the microsecond, and reads the answer after the wire has it. */
const APART_MOST_MS = 1;
const MILLI = 1000;
/** k6 tells a request's end and its length in whole milliseconds. */
const ROUNDED_S = 0.002;
/** A shipped system's database counts documents or operations that these make. */
const COUNTED_VERBS = new Set(['insert', 'find', 'update', 'delete']);

function compareWire(ways: Map<string, Way>, facts: Facts, ledger: Ledger): WireComparison[] {
	const { generator, databases, raw, window } = facts;
	const isDatabase = (name: string) => databases.some((database) => database.name === name);
	return [
		...ledger.edges
			.filter(({ from, to }) => !isDatabase(to) && ways.get(`${from} ${to}`)?.isHidden !== true)
			.flatMap((edge) => {
				const way = ways.get(`${edge.from} ${edge.to}`) ?? { from: edge.from, to: edge.to, calls: [], silent: [] };
				return [
					...(edge.sent === null
						? []
						: [
								comparedSent(way, edge.sent, sourceOf(edge.from, edge.sent_source), {
									failed: edge.from === generator.name ? facts.traces : null,
									unlogged: unloggedBy(facts, edge.from),
									...window,
								}),
							]),
					...(edge.received === null
						? []
						: [
								comparedReceived(way, edge.received, sourceOf(edge.to, edge.received_source), {
									...window,
									unlogged: unloggedBy(facts, edge.to),
									others: sum([...ways.values()].map(({ from, to, calls }) => (to === edge.to && from !== edge.from ? calls.length : 0))),
								}),
							]),
				];
			}),
		...sentToAll(ways, facts),
		...(raw.program ? [] : databases.flatMap((database) => comparedDatabase([...ways.values()], database, facts.store))),
		...comparedTimes([...ways.values()], generator, raw.summary),
	];
}

/** Of a generator that asks several services, and counts what it sends to all of them together. */
function sentToAll(ways: Map<string, Way>, { generator: { name, finished }, entries, traces, raw, window }: Facts): WireComparison[] {
	const asked = [...entries].flatMap((to) => ways.get(`${name} ${to}`) ?? []);
	if (entries.size === 1 || asked.some(({ isHidden }) => isHidden)) return [];
	const all = {
		from: name,
		to: [...entries].join(', '),
		calls: asked.flatMap(({ calls }) => calls),
		silent: asked.flatMap(({ silent }) => silent),
	};
	const source = sourceOf(name, raw.program ? 'its own output' : 'k6 metrics');
	return [comparedSent(all, finished, source, { failed: traces, unlogged: 0, ...window })];
}

const sourceOf = (service: string, source: string) => (source.startsWith(service) ? source : `the ${source} of ${service}`);

/**
 * @param about failed: the generator's own account, null of a service;
 * unlogged: lines that the service could not write; to: the load's end
 */
function comparedSent(
	way: Way,
	sent: number,
	source: string,
	{ failed, unlogged, to }: { failed: Facts['traces'] | null; unlogged: number; to: number },
) {
	const { calls, silent } = way;
	const without = countOfThose(calls, ({ id }) => id === undefined);
	return countOf(way, `sent by ${way.from}`, calls.length, sent, source, {
		// A generator counts once what it sends again by itself, with the same id, because the connection had ended.
		twice: failed ? [{ kind: 'sent again by itself', count: calls.length - without - idsIn(calls) }] : [],
		// It counts a try that came to no question; a connection to spare is none.
		less: failed ? unsentKinds(failed, way) : silentKinds(silent),
		more: [
			...(failed ? uncountedKinds(calls) : []),
			...unloggedKinds(unlogged),
			...(without < calls.length ? [{ kind: 'without an id: health checks and others', count: without }] : []),
			{ kind: 'open when the recording ended', count: endsIn(calls, 'open') },
			answeredAfter(calls, to, ({ id }) => id !== undefined),
		],
	});
}

/** @returns lines that it could not write into its log, by its own count */
function unloggedBy({ hops }: Facts, service: string): number {
	const readings = hops.find((hop) => hop.service === service)?.counters?.[DROPPED_LINES] ?? [];
	return readings.length === 0 ? 0 : readings[readings.length - 1].value - readings[0].value;
}

const unloggedKinds = (count: number): Explained[] =>
	count > 0 ? [{ kind: 'lines that it could not write, by its own count', count }] : [];

/** Services go on with what nobody waits for any more; a log is read for as long as the load went on. */
const answeredAfter = (calls: Way['calls'], to: number, isSuch: (call: Way['calls'][number]) => boolean = () => true): Explained => ({
	kind: 'answered only after the load',
	count: countOfThose(calls, (call) => {
		const { end, ended_at: at } = call;
		return at !== null && at > to && end === 'answered' && isSuch(call);
	}),
});

/** @param about others: calls of other askers */
function comparedReceived(
	way: Way,
	received: number,
	source: string,
	{ to, unlogged, others }: { to: number; unlogged: number; others: number },
) {
	const { calls } = way;
	return countOf(way, `received by ${way.to}`, calls.length, received, source, {
		less: [{ kind: 'asked by others', count: others }],
		more: [
			...unloggedKinds(unlogged),
			{ kind: 'closed by it unread', count: endsIn(calls, 'closed') },
			{ kind: 'reset by it unread', count: endsIn(calls, 'reset') },
			{ kind: 'given up by the caller before they were read', count: endsIn(calls, 'given-up') },
			{ kind: 'open when the recording ended', count: endsIn(calls, 'open') },
			{ kind: 'cut short', count: endsIn(calls, 'cut') },
			answeredAfter(calls, to),
		],
	});
}

/**
 * At the end of its load a generator breaks off what is open; what its users begin in that moment fails at once. It counts it, and never sends it.
 */
function unsentKinds(failed: Facts['traces'], { calls, silent }: Way): Explained[] {
	const open = failed.filter(({ kind }) => kind === 'unanswered');
	const endedAt = open.reduce((first, { t }) => Math.min(first, t), Number.POSITIVE_INFINITY) - ROUNDED_S;
	const sent = new Set(calls.map(({ id }) => id));
	const count = open.filter(({ id, t, waited_s: waited }) => t - waited >= endedAt && !sent.has(id)).length;
	return [
		...(count > 0 ? [{ kind: 'begun when the load had ended, and not sent', count }] : []),
		...silentKinds(silent.filter(({ opened_at: at }) => at < endedAt)),
	];
}

/** Ids of what is none of the load begin so (k6/lib/user-http.js). */
const UNCOUNTED = 'w';

function uncountedKinds(calls: Way['calls']): Explained[] {
	const count = countOfThose(calls, ({ id }) => id?.startsWith(UNCOUNTED) === true);
	return count > 0 ? [{ kind: 'begun when the time for answers was over, and not counted', count }] : [];
}

const silentKinds = (silent: ConnectionRecord[]): Explained[] =>
	[
		{ kind: 'connections refused', count: silent.filter(({ outcome }) => outcome === 'refused').length },
		{ kind: 'connections not answered', count: silent.filter(({ outcome }) => outcome === 'unanswered').length },
		{
			kind: 'connections closed before a request was sent',
			count: silent.filter(({ outcome }) => outcome === 'closed' || outcome === 'reset').length,
		},
		{ kind: 'connections open without a request at the end', count: silent.filter(({ outcome }) => outcome === 'open').length },
	].filter(({ count }) => count > 0);

/** What each caller asked it for, that its counters count. */
function comparedDatabase(ways: Way[], { name, operations }: DatabaseFacts, store: Pick<Facts['store'], 'operations'>) {
	const asking = ways.filter(({ to }) => to === name);
	const calls = asking.flatMap((way) => way.calls.filter(({ verb }) => COUNTED_VERBS.has(verb)));
	// Which database is meant is not known without a name; and one of another product has other verbs.
	if (name === null || operations === null || calls.length === 0) return [];
	const way = { from: [...new Set(asking.map(({ from }) => from))].join(', '), to: name, calls, silent: [] };
	return [
		countOf(way, `${[...COUNTED_VERBS].join(', ')} at ${name}`, calls.length, operations, `${name}: ${store.operations}`, {
			less: [],
			more: [
				{ kind: 'answered with an error', count: countOfThose(calls, ({ code }) => code !== null) },
				...['closed', 'reset', 'given-up', 'open', 'cut'].map((end) => ({ kind: `${end} before an answer`, count: endsIn(calls, end) })),
			],
		}),
	];
}

/**
 * Of good answers, without connecting. A generator that waits for a core holds a request that is ready to be sent, and reads late what came:
 * its own time to send, which is a packet or two, tells how long.
 * @param summary of k6
 */
function comparedTimes(ways: Way[], { name, durationMs }: GeneratorCounts, summary: any): WireComparison[] {
	const asking = ways.filter(({ from, calls }) => from === name && calls.length > 0);
	if (durationMs === null || asking.length === 0) return [];
	const times: number[] = [];
	for (const { calls } of asking)
		for (const { end, status, began_at: began, ended_at: ended } of calls)
			if (end === 'answered' && status !== null && status < FIRST_BAD_STATUS && ended !== null) times.push((ended - began) * MILLI);
	const [p50, p99] = quantilesOf(times, [0.5, 0.99]);
	return (['p50', 'p99'] as const).flatMap((percentile) => {
		const other = durationMs.ok[percentile];
		const wire = { p50, p99 }[percentile];
		if (other === null || wire === null) return [];
		const left = rounded(other - wire, 3) ?? 0;
		const to = asking.map((way) => way.to).join(', ');
		const what = `${percentile} of good answers`;
		const compared = {
			wire: rounded(wire, 3) ?? 0,
			other: rounded(other, 3) ?? 0,
			source: `${name}: http_req_duration${ofItsOwn(summary, percentile)}`,
		};
		return [{ from: name, to, what, unit: 'ms', ...compared, explained: [], left, holds: Math.abs(left) <= APART_MOST_MS }];
	});
}

function ofItsOwn(summary: any, percentile: 'p50' | 'p99') {
	const sending = summary?.metrics?.http_req_sending?.values?.[percentile === 'p50' ? 'med' : 'p(99)'];
	return sending === undefined ? '' : ` (of which sending: ${rounded(sending, 3)} ms, ${percentile})`;
}

/**
 * @param kinds twice: more often on the wire than counted, all of them; less: of why the wire has fewer; more: of why it has more. As many of each as the
 * difference takes, in their order
 */
function countOf(
	{ from, to }: { from: string; to: string },
	what: string,
	wire: number,
	other: number,
	source: string,
	{ twice = [], less, more }: { twice?: Explained[]; less: Explained[]; more: Explained[] },
): WireComparison {
	const apart = other - wire + sum(twice.map(({ count }) => count));
	let left = Math.abs(apart);
	const explained = (apart > 0 ? less : more).flatMap(({ kind, count }) => {
		const taken = Math.min(left, count);
		left -= taken;
		return taken > 0 ? [{ kind, count: taken, of: count }] : [];
	});
	const all = [...twice.filter(({ count }) => count > 0).map((one) => ({ ...one, of: one.count })), ...explained];
	const holds = left <= Math.floor(TOLERANCE * Math.max(wire, other));
	return { from, to, what, unit: 'requests', wire, other, source, explained: all, left: left === 0 ? 0 : Math.sign(apart) * left, holds };
}

const endsIn = (calls: WireCall[], wanted: string) => countOfThose(calls, ({ end }) => end === wanted);

function idsIn(calls: WireCall[]) {
	const ids = new Set();
	for (let place = 0; place < calls.length; place += 1) ids.add(calls[place].id);
	ids.delete(undefined);
	return ids.size;
}

/** Without a list of them: of each way there are hundreds of thousands. */
function countOfThose(calls: Way['calls'], isSuch: (call: Way['calls'][number]) => boolean) {
	let count = 0;
	for (let place = 0; place < calls.length; place += 1) if (isSuch(calls[place])) count += 1;
	return count;
}

/**
 * What the wire says of a run beside what all other records say: counts and times way by way, and how each failed request ended.
 *
 */

/**
 * @param reported of the same record
 * @returns with both
 */
export function besideRecords(
	reported: Wire | null,
	{
		facts,
		all,
		ledger,
		timedOut,
	}: {
		facts: Facts;
		all: PlacedTrace[];
		ledger: Ledger;
		timedOut?: TimedOut;
	},
): Wire | null {
	const { passed, generator } = facts;
	if (reported === null || passed === null) return reported;
	const compared = compareWire(passed.ways, facts, ledger);
	const failures = generator.failed > 0 ? failuresOnWire(passed, facts, all, timedOut) : null;
	return { ...reported, compared, failures, doubts: [...reported.doubts, ...compared.filter(({ holds }) => !holds).map(doubtOf)] };
}

export const doubtOf = ({ from, to, what, unit, wire, other, source, left }: WireComparison) =>
	unit === 'ms'
		? `the ${what} differ (${from} → ${to}): ${wire} ms in the network capture, ${other} ms in ${source}`
		: `the network capture has ${wire.toLocaleString('en-US')} requests ${what} (${from} → ${to}), but ${source} has ${other.toLocaleString('en-US')}; ${left === other - wire || left === wire - other ? 'nothing explains the difference' : `${Math.abs(left).toLocaleString('en-US')} of the difference are not explained`}`;
