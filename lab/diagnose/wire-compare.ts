/**
 * The wire's counts and times beside those of other records of the same run, way by way: what the generator counts, what services say that
 * they sent and received, what a database counts. Counts are the same within a thousandth, or what makes the difference is named by kind.
 *
 * @typedef {{ kind: string, count: number }} Explained
 *
 * @import { Ledger, Wire, WireComparison } from '../record/types.js'
 * @import { ConnectionRecord } from '../wire/connection.ts'
 * @import { WireCall } from '../wire/record.ts'
 * @import { DatabaseFacts } from './database-rows.ts'
 * @import { GeneratorCounts } from './generator-counts.ts'
 * @import { Way } from './joins/joined.ts'
 * @import { Facts } from './ledger/facts.ts'
 * @import { PlacedTrace } from './ledger/ledger.ts'
 * @import { TimedOut } from './wire-failures.ts'
 */
import { DROPPED_LINES } from '../adapters/hop-counts.ts';
import { quantilesOf, rounded, sum } from '../stats/numbers.ts';
import { FIRST_BAD_STATUS } from '../wire/contract.ts';
import { failuresOnWire } from './wire-failures.ts';

/** Share by which counts may differ; as in the ledger's own checks. */
const TOLERANCE = 0.001;
/** Percentiles of two clocks that time the same; k6 tells its own to the microsecond, and reads the answer after the wire has it. */
const APART_MOST_MS = 1;
const MILLI = 1000;
/** k6 tells a request's end and its length in whole milliseconds. */
const ROUNDED_S = 0.002;
/** A shipped system's database counts documents or operations that these make. */
const COUNTED_VERBS = new Set(['insert', 'find', 'update', 'delete']);

/**
 * @param {Map<string, Way>} ways
 * @param {Facts} facts
 * @param {Ledger} ledger
 * @returns {WireComparison[]}
 */
function compareWire(ways, facts, ledger) {
	const { generator, databases, raw, window } = facts;
	const isDatabase = (/** @type {string} */ name) => databases.some((database) => database.name === name);
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

/**
 * Of a generator that asks several services, and counts what it sends to all of them together.
 * @param {Map<string, Way>} ways @param {Facts} facts @returns {WireComparison[]}
 */
function sentToAll(ways, { generator: { name, finished }, entries, traces, raw, window }) {
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

/** @param {string} service @param {string} source */
const sourceOf = (service, source) => (source.startsWith(service) ? source : `${service}: ${source}`);

/**
 * @param {Way} way @param {number} sent @param {string} source
 * @param {{ failed: Facts['traces'] | null, unlogged: number, to: number }} about  failed: the generator's own account, null of a service;
 *   unlogged: lines that the service could not write; to: the load's end
 */
function comparedSent(way, sent, source, { failed, unlogged, to }) {
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

/** @param {Facts} facts @param {string} service @returns {number} lines that it could not write into its log, by its own count */
function unloggedBy({ hops }, service) {
	const readings = hops.find((hop) => hop.service === service)?.counters?.[DROPPED_LINES] ?? [];
	return readings.length === 0 ? 0 : readings[readings.length - 1].value - readings[0].value;
}

/** @param {number} count @returns {Explained[]} */
const unloggedKinds = (count) => (count > 0 ? [{ kind: 'lines that it could not write, by its own count', count }] : []);

/**
 * Services go on with what nobody waits for any more; a log is read for as long as the load went on.
 * @param {Way['calls']} calls @param {number} to @param {(call: Way['calls'][number]) => boolean} [isSuch] @returns {Explained}
 */
const answeredAfter = (calls, to, isSuch = () => true) => ({
	kind: 'answered after the load',
	count: countOfThose(calls, (call) => {
		const { end, ended_at: at } = call;
		return at !== null && at > to && end === 'answered' && isSuch(call);
	}),
});

/** @param {Way} way @param {number} received @param {string} source @param {{ to: number, unlogged: number, others: number }} about  others: calls of other askers */
function comparedReceived(way, received, source, { to, unlogged, others }) {
	const { calls } = way;
	return countOf(way, `received by ${way.to}`, calls.length, received, source, {
		less: [{ kind: 'asked by others', count: others }],
		more: [
			...unloggedKinds(unlogged),
			{ kind: 'closed by it unread', count: endsIn(calls, 'closed') },
			{ kind: 'reset by it unread', count: endsIn(calls, 'reset') },
			{ kind: 'given up before it read them', count: endsIn(calls, 'given-up') },
			{ kind: 'open when the recording ended', count: endsIn(calls, 'open') },
			{ kind: 'cut short', count: endsIn(calls, 'cut') },
			answeredAfter(calls, to),
		],
	});
}

/**
 * At the end of its load a generator breaks off what is open; what its users begin in that moment fails at once. It counts it, and never sends it.
 * @param {Facts['traces']} failed @param {Way} way @returns {Explained[]}
 */
function unsentKinds(failed, { calls, silent }) {
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

/** @param {Way['calls']} calls @returns {Explained[]} */
function uncountedKinds(calls) {
	const count = countOfThose(calls, ({ id }) => id?.startsWith(UNCOUNTED) === true);
	return count > 0 ? [{ kind: 'begun when the time for answers was over, and not counted', count }] : [];
}

/** @param {ConnectionRecord[]} silent @returns {Explained[]} */
const silentKinds = (silent) =>
	[
		{ kind: 'connections refused', count: silent.filter(({ outcome }) => outcome === 'refused').length },
		{ kind: 'connections not answered', count: silent.filter(({ outcome }) => outcome === 'unanswered').length },
		{
			kind: 'connections closed before a request was sent',
			count: silent.filter(({ outcome }) => outcome === 'closed' || outcome === 'reset').length,
		},
		{ kind: 'connections open without a request at the end', count: silent.filter(({ outcome }) => outcome === 'open').length },
	].filter(({ count }) => count > 0);

/** What each caller asked it for, that its counters count. @param {Way[]} ways @param {DatabaseFacts} database @param {Pick<Facts['store'], 'operations'>} store */
function comparedDatabase(ways, { name, operations }, store) {
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
 * @param {Way[]} ways @param {GeneratorCounts} generator @param {any} summary of k6 @returns {WireComparison[]}
 */
function comparedTimes(ways, { name, durationMs }, summary) {
	const asking = ways.filter(({ from, calls }) => from === name && calls.length > 0);
	if (durationMs === null || asking.length === 0) return [];
	/** @type {number[]} */
	const times = [];
	for (const { calls } of asking)
		for (const { end, status, began_at: began, ended_at: ended } of calls)
			if (end === 'answered' && status !== null && status < FIRST_BAD_STATUS && ended !== null) times.push((ended - began) * MILLI);
	const [p50, p99] = quantilesOf(times, [0.5, 0.99]);
	return /** @type {const} */ (['p50', 'p99']).flatMap((percentile) => {
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

/** @param {any} summary @param {'p50' | 'p99'} percentile */
function ofItsOwn(summary, percentile) {
	const sending = summary?.metrics?.http_req_sending?.values?.[percentile === 'p50' ? 'med' : 'p(99)'];
	return sending === undefined ? '' : `, which took ${rounded(sending, 3)} ms to send (${percentile})`;
}

/**
 * @param {{ from: string, to: string }} way
 * @param {string} what
 * @param {number} wire
 * @param {number} other
 * @param {string} source
 * @param {{ twice?: Explained[], less: Explained[], more: Explained[] }} kinds  twice: more often on the wire than counted, all of them; less: of why the wire has fewer; more: of why it has more. As many of each as the
 *   difference takes, in their order
 * @returns {WireComparison}
 */
function countOf({ from, to }, what, wire, other, source, { twice = [], less, more }) {
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

/** @param {WireCall[]} calls @param {string} wanted */
const endsIn = (calls, wanted) => countOfThose(calls, ({ end }) => end === wanted);

/** @param {WireCall[]} calls */
function idsIn(calls) {
	const ids = new Set();
	for (let place = 0; place < calls.length; place += 1) ids.add(calls[place].id);
	ids.delete(undefined);
	return ids.size;
}

/** Without a list of them: of each way there are hundreds of thousands. @param {Way['calls']} calls @param {(call: Way['calls'][number]) => boolean} isSuch */
function countOfThose(calls, isSuch) {
	let count = 0;
	for (let place = 0; place < calls.length; place += 1) if (isSuch(calls[place])) count += 1;
	return count;
}

/**
 * What the wire says of a run beside what all other records say: counts and times way by way, and how each failed request ended.
 *
 */

/**
 * @param {Wire | null} reported  of the same record
 * @param {object} given
 * @param {Facts} given.facts
 * @param {PlacedTrace[]} given.all
 * @param {Ledger} given.ledger
 * @param {TimedOut} [given.timedOut]
 * @returns {Wire | null} with both
 */
export function besideRecords(reported, { facts, all, ledger, timedOut }) {
	const { passed, generator } = facts;
	if (reported === null || passed === null) return reported;
	const compared = compareWire(passed.ways, facts, ledger);
	const failures = generator.failed > 0 ? failuresOnWire(passed, facts, all, timedOut) : null;
	return { ...reported, compared, failures, doubts: [...reported.doubts, ...compared.filter(({ holds }) => !holds).map(doubtOf)] };
}

/** @param {WireComparison} compared */
export const doubtOf = ({ from, to, what, unit, wire, other, source, left }) =>
	unit === 'ms'
		? `${from} → ${to}, ${what}: ${wire} ms on the wire, ${other} ms by ${source}`
		: `${from} → ${to}, ${what}: ${wire.toLocaleString('en-US')} on the wire, ${other.toLocaleString('en-US')} by ${source}; ${Math.abs(left).toLocaleString('en-US')} are not explained`;
