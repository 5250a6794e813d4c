/**
 * Where the time of good answers went. k6 says how long a user waited for a connection before it could send; the balancer says how
 * long it had a request and how long the node had it; the node says how long its handler ran, waited for a pooled connection
 * and held one; the database says how long it worked. What lies between two of these is the waiting at their border.
 */

import { scenarios } from '../../catalog/scenarios.ts';
import type { Stage, TimeLedger, TimelineRow } from '../../record/types.js';
import { rounded, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { wireTimesOf } from '../wire-requests/wire-times.ts';
import { hopTimes } from './hop-times.ts';
import { addUp, balancerSums, nodeSums } from './time-sums.ts';

/** Sums over good answers, in milliseconds. */
export type BalancerSums = { n: number; request: number; upstream: number; connect: number };

export type NodeSums = { n: number; handler: number; pool: number; roundTrips: number; database: number };

const PARTS: TimeLedger['parts'] = [
	{ id: 'connecting', label: 'user connects', tier: 'generator', waits: true },
	{ id: 'client', label: 'between client and first tier', tier: 'generator', waits: true },
	{ id: 'balancer', label: 'in the balancer', tier: 'load-balancer', waits: false },
	{ id: 'connect', label: 'balancer connects to the node', tier: 'load-balancer', waits: true },
	{ id: 'loop', label: "waiting for the node's event loop", tier: 'app', waits: true },
	{ id: 'handler', label: 'in the handler', tier: 'app', waits: false },
	{ id: 'pool', label: 'waiting for a pooled connection', tier: 'pool', waits: true },
	{ id: 'database', label: '', tier: 'database', waits: false },
];

/** What the parts of some seconds are on average; null where nothing is on record. */
type Over = (wanted: number[]) => { parts: Record<string, number | null>; measuredMs: number | null } | null;

/** @returns null where neither a service nor the wire told how long it had a request */
export function timeLedgerOf(
	facts: Facts,
	timeline: TimelineRow[],
	stages: Stage[],
	wire: ReturnType<typeof wireTimesOf> = null,
): TimeLedger | null {
	const { raw, entryProxy } = facts;
	const seconds = timeline.map(({ t_s }) => t_s).filter((t_s) => t_s > 0);
	const measuredOver = measuredIn(facts);
	if (!facts.system.isFollowed) {
		const { timed } = scenarios[raw.manifest.scenario];
		const nodes = nodeSums(raw, facts.window, timed);
		const over = nodesOver(nodes, facts, measuredOver);
		const found = assembled(
			{ parts: nodeParts(addUp([...nodes.values()]), facts, timed), over, isChecked: entryProxy !== null },
			seconds,
			stages,
		);
		if (found) return found;
	}
	const recorded = hopTimes(facts);
	// Where a service does not tell, its time is in that of another; the wire has it apart.
	const reported = recorded?.isComplete ? recorded : (wire ?? recorded);
	if (reported === null) return null;
	const parts = [...PARTS.filter(({ id }) => id === 'connecting' || id === 'client'), ...reported.parts];
	const found = assembled({ parts, over: hopsOver(reported, measuredOver), isChecked: true }, seconds, stages);
	return found && reported === wire ? { ...found, source: 'wire' } : found;
}

/**
 * @param reported isChecked: without the time between
 * client and first tier, which is what is left, the parts are to be as long as users waited
 */
function assembled(
	{ parts, over, isChecked }: { parts: TimeLedger['parts']; over: Over; isChecked: boolean },
	seconds: number[],
	stages: Stage[],
): TimeLedger | null {
	const total = over(seconds);
	if (total === null || total.measuredMs === null) return null;
	const perSecond = seconds.map((t_s) => over([t_s]));
	// Of the seconds that every record has: k6's has nothing of the last piece of a second.
	const { measuredMs } = total;
	const sumMs = sum(Object.values(total.parts)) - (isChecked ? (total.parts.client ?? 0) : 0);
	return {
		parts,
		series: {
			t_s: seconds,
			parts: Object.fromEntries(parts.map(({ id }) => [id, perSecond.map((second) => rounded(second?.parts[id] ?? null, 2))])),
			measured_ms: perSecond.map((second) => rounded(second?.measuredMs ?? null, 2)),
		},
		stages: stages.map(({ target, from_s, to_s }) => {
			const stage = over(seconds.filter((t_s) => t_s > from_s && t_s <= to_s));
			return {
				target,
				parts: Object.fromEntries(parts.map(({ id }) => [id, rounded(stage?.parts[id] ?? null, 2)])),
				measured_ms: rounded(stage?.measuredMs ?? null, 2),
			};
		}),
		check: {
			sum_ms: rounded(sumMs, 2) ?? 0,
			measured_ms: rounded(measuredMs, 2) ?? 0,
			gap_fraction: rounded((measuredMs - sumMs) / measuredMs, 4) ?? 0,
		},
	};
}

/** k6's means over some seconds: what a good answer took, and what a request waited for its connection */
type MeasuredOver = (wanted: number[]) => { measuredMs: number | null; blockedMs: number };

function measuredIn({ snapshots }: Facts): MeasuredOver {
	const bySecond = new Map(
		snapshots.map(({ t_s, metrics }) => [
			t_s,
			{ ms: metrics.lab_latency_ok?.avg ?? null, blocked: metrics.http_req_blocked?.avg ?? 0, n: metrics.lab_ok?.count ?? 0 },
		]),
	);
	return (wanted) => {
		const measured = wanted.map((t_s) => bySecond.get(t_s)).filter((value) => value !== undefined && value.ms !== null);
		const counted = sum(measured.map((value) => value?.n));
		const meanOf = (key: 'ms' | 'blocked') =>
			counted === 0 ? null : sum(measured.map((value) => (value?.[key] ?? 0) * (value?.n ?? 0))) / counted;
		return { measuredMs: meanOf('ms'), blockedMs: meanOf('blocked') ?? 0 };
	};
}

/** Of requests that are something else than one write and one read, and of nodes without a pool or a database. */
function nodeParts(
	nodes: NodeSums | null,
	{ entryProxy, store }: Pick<Facts, 'entryProxy' | 'store'>,
	isTimed: boolean,
): TimeLedger['parts'] {
	const label = isTimed ? `in ${store.title}` : `asking ${store.title}, until its answer is read`;
	const hasNone = (id: string) => !isTimed && (id === 'pool' ? !nodes?.pool : id === 'database' && !nodes?.roundTrips);
	return PARTS.filter(({ id }) => (entryProxy !== null || (id !== 'balancer' && id !== 'connect')) && !hasNone(id)).map((part) =>
		part.id === 'database' ? { ...part, label } : part,
	);
}

/** By what the nodes, the balancer and the database told. */
function nodesOver(nodeBySecond: Map<number, NodeSums>, { window, entryProxy }: Facts, measuredOver: MeasuredOver): Over {
	const balancerBySecond = entryProxy ? balancerSums(entryProxy.requestRecords, window) : null;
	return (wanted) => {
		const nodes = addUp(wanted.map((t_s) => nodeBySecond.get(t_s)));
		if (!nodes || nodes.n === 0) return null;
		const sums = balancerBySecond ? addUp(wanted.map((t_s) => balancerBySecond.get(t_s))) : null;
		const measured = measuredOver(wanted);
		return { parts: partsOf(nodes, sums, measured), measuredMs: measured.measuredMs };
	};
}

/** By what services, or the wire, told of single requests. */
function hopsOver(
	{ parts, bySecond }: Pick<NonNullable<ReturnType<typeof hopTimes>>, 'parts' | 'bySecond'>,
	measuredOver: MeasuredOver,
): Over {
	return (wanted) => {
		const found = wanted.flatMap((t_s) => bySecond.get(t_s) ?? []);
		const n = sum(found.map((sums) => sums.n));
		if (n === 0) return null;
		const meanOf = (id: string) => sum(found.map((sums) => sums[id] ?? 0)) / n;
		const { measuredMs, blockedMs } = measuredOver(wanted);
		const { connecting, rest } = beforeFirstTier({ measuredMs, blockedMs }, meanOf('whole'));
		return { parts: { connecting, client: rest, ...Object.fromEntries(parts.map(({ id }) => [id, meanOf(id)])) }, measuredMs };
	};
}

const positive = (value: number) => Math.max(0, value);

/** What the user waited beyond the first tier's own time. Good answers cannot have waited longer for their connections. */
function beforeFirstTier(
	{ measuredMs, blockedMs }: { measuredMs: number | null; blockedMs: number },
	ownMs: number,
): { connecting: number | null; rest: number | null } {
	if (measuredMs === null) return { connecting: null, rest: null };
	const outside = positive(measuredMs - ownMs);
	return { connecting: Math.min(blockedMs, outside), rest: positive(outside - blockedMs) };
}

/**
 * @param measured k6's means: what a good answer took, and what a request of any
 * outcome waited for a connection, which is all that its record has of a second
 */
function partsOf(
	nodes: NodeSums,
	balancer: BalancerSums | null,
	measured: { measuredMs: number | null; blockedMs: number },
): Record<string, number | null> {
	const each = (value: number) => value / nodes.n;
	const database = Math.min(each(nodes.database), each(nodes.roundTrips));
	// The node reads the database's answer when its event loop gets to it: that part of the round trip is the loop's.
	const readLate = each(nodes.roundTrips) - database;
	const own = { handler: positive(each(nodes.handler - nodes.pool - nodes.roundTrips)), pool: each(nodes.pool), database };
	if (!balancer || balancer.n === 0) {
		const { connecting, rest } = beforeFirstTier(measured, each(nodes.handler));
		return { connecting, client: 0, loop: rest === null ? null : rest + readLate, ...own };
	}
	const per = (value: number) => value / balancer.n;
	const { connecting, rest } = beforeFirstTier(measured, per(balancer.request));
	return {
		connecting,
		client: rest,
		balancer: positive(per(balancer.request - balancer.upstream)),
		connect: per(balancer.connect),
		loop: positive(per(balancer.upstream - balancer.connect) - each(nodes.handler)) + readLate,
		...own,
	};
}
