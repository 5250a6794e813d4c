/** The evidence for a row of the ledger: what each tier recorded of its requests, and what rose or ended at the time. */

import type { Signal } from '../../base/signal.ts';
import { grouped, ownOf } from '../../base/values.ts';
import type { Outage } from '../../catalog/outage.ts';
import { causes } from '../../record/causes.ts';
import type { Evidence } from '../../record/types.js';
import { awayTexts, notBack } from '../waiting/absence.ts';
import { logOf, secondsIn } from './entry-proxy.ts';
import type { Facts } from './facts.ts';
import type { HopRecord } from './hop-records.ts';
import type { Exhaustion, Restart } from './lives.ts';
import { APART_MOST, spanOfEnd } from './lives.ts';
import type { Placement, Trace } from './place.ts';

/** Pieces of one sort that a row shows; the rest is counted. */
const SHOWN = 4;
/** As far from a request as rules look for what a service said that is about no single one (rules-broken.ts). */
const REACH_S = 6;

/** What a log of requests proves by what is not in it. */
const UNSEEN = 'has each request that it read, and no line of these';

const countEvidence: (source: string, text: string, count: number) => Evidence = (source, text, count) => ({
	kind: 'count',
	source,
	text,
	count,
});

const counterEvidence: (source: string, name: string, before: number, after: number) => Evidence = (source, name, before, after) => ({
	kind: 'counter',
	source,
	name,
	before,
	after,
});

export function evidenceOf({ placement, traces }: { placement: Placement; traces: Trace[] }, facts: Facts): Evidence[] {
	return [
		...ofGenerator(traces, facts),
		...ofEntryProxy(placement, traces, facts),
		...ofAttributed(placement, traces, facts),
		...ofNodes(traces, facts),
		...ofContainers(placement, facts),
		...ofHosts(placement, facts),
		...ofExhaustion(placement, facts),
		...ofCounters(placement, facts),
	];
}

export function ofGenerator(traces: Trace[], { errorSamples, raw }: Pick<Facts, 'errorSamples' | 'raw'>): Evidence[] {
	if (raw.program) return [];
	const bySight = countBy(traces, ({ status, kind }) => (status > 0 ? `HTTP ${status}` : kind));
	return bySight.map(([sight, count]) => {
		const sample = errorSamples.find(({ kind }) => kind === sight);
		return countEvidence('k6', sample ? errorText(sight, sample.error) : sight, count);
	});
}

/** What k6 calls it, and what it says, where that says more. */
const errorText: (kind: string, error: string) => string = (kind, error) =>
	error.toLowerCase() === kind.replaceAll('_', ' ') ? error : `${kind}: ${error}`;

function ofEntryProxy({ amplifier }: Placement, traces: Trace[], facts: Facts): Evidence[] {
	const { entryProxy } = facts;
	if (!entryProxy) return [];
	const source = logOf(entryProxy);
	const lines = new Map();
	for (const { asked, own } of traces) {
		for (const { signal, text } of [...own, ...asked.flatMap((attempt) => attempt.message ?? [])]) {
			if (!lines.has(signal)) lines.set(signal, { kind: 'log', source, line: text, count: 0 });
			lines.get(signal).count += 1;
		}
	}
	const { ejections } = entryProxy;
	const [first] = ejections;
	const trigger =
		amplifier?.cause === 'no-live-upstream' && first ? [{ kind: 'log' as const, source, line: first.line, count: ejections.length }] : [];
	const unseen = facts.watched.has(entryProxy.service) ? traces.filter(({ seen }) => !seen).length : 0;
	return [...trigger, ...lines.values(), ...(unseen > 0 ? [countEvidence(`${entryProxy.service} access log`, UNSEEN, unseen)] : [])];
}

/** What the service at fault said at the time, whichever request it was about. */
function ofAttributed({ cause, service }: Placement, traces: Trace[], facts: Facts): Evidence[] {
	const { messages = [] } = causes[cause];
	const ofRequests = traces.flatMap(({ own, asked }) => [...own, ...asked.flatMap(({ message }) => message ?? [])]);
	const shown = new Set(ofRequests.map(({ signal }) => signal));
	const times = traces.flatMap(({ t, waited_s: waited }) => [t - waited, t]);
	return facts.hops
		.filter((record) => record.service === service)
		.flatMap((record) => {
			// What the first proxy said of these very requests stands there already.
			const fresh = service === facts.entryProxy?.service ? messages.filter((signal) => !shown.has(signal)) : messages;
			return fresh.flatMap((signal) => wordFor(record, signal, times));
		});
}

/** Of what a service said of one sort around some times, the line of what took longest. */
function wordFor(record: HopRecord, signal: Signal, times: number[]): Evidence[] {
	const from = times.reduce((least, t) => Math.min(least, t)) - REACH_S;
	const to = times.reduce((most, t) => Math.max(most, t)) + REACH_S;
	const said = record.messages.filter(({ signal: own, t, text }) => own === signal && t >= from && t - secondsIn(text) <= to);
	if (said.length === 0) return [];
	const longest = said.reduce((one, other) => (secondsIn(other.text) > secondsIn(one.text) ? other : one));
	const source = longest.source ? `${record.service} ${longest.source}` : logOf(record);
	return [{ kind: 'log', source, line: longest.text, count: said.length }];
}

function ofNodes(traces: Trace[], { nodes, watched }: Facts): Evidence[] {
	const names = Object.keys(nodes);
	if (names.length === 0) return [];
	// A log without ids lacks every request.
	const isComplete = names.every((name) => watched.has(name));
	const reported = (isComplete ? traces : traces.filter(({ attempts }) => attempts.length > 0)).map(({ attempts }) => {
		const last = attempts.at(-1);
		if (!last) return 'no record of the request';
		if (last.outcome === 'answered') return `${last.node} answered ${last.status}${last.error ? ` ${last.error}` : ''}`;
		if (last.outcome === 'open') return `${last.node} had it open to the end of its log`;
		if (last.place === '') return `${last.node} closed it without an answer`;
		return `${last.node} closed it without an answer while it was in ${last.place === 'app' ? "the node's own code" : `the ${last.place}`}`;
	});
	return countBy(reported, (text) => text)
		.slice(0, SHOWN)
		.map(([text, count]) => countEvidence(names.length === 1 ? `${names[0]} log` : 'node logs', text, count));
}

/** That the host of the service at fault was down. */
function ofHosts({ service }: Placement, { raw: { manifest }, window }: Facts): Evidence[] {
	const names = service.split(', ');
	const services = (manifest.services ?? []) as { name: string; host?: string }[];
	const hosts = services.flatMap(({ name, host }) => (names.includes(name) && host !== undefined ? [host] : []));
	const outages = (manifest.outages ?? []) as Outage[];
	const second = (t: number) => Math.round(t - window.from);
	return outages
		.filter(({ host }) => hosts.includes(host))
		.map(({ text, began_s: from, ended_s: to }) =>
			countEvidence(
				'Swarm',
				`${text}, as its manager noticed in second ${second(from)}${to === null ? '' : `, to second ${second(to)}`}`,
				1,
			),
		);
}

function ofContainers({ service }: Placement, { restarts, stalls, window }: Facts): Evidence[] {
	const names = service.split(', ');
	const second = (t: number) => Math.round(t - window.from);
	const own = grouped(
		restarts.filter(({ name }) => names.includes(name)),
		({ name }) => name,
	);
	return [
		...[...own.values()].flatMap((ends) =>
			ends.length > APART_MOST
				? awayTexts(ends.map(spanOfEnd), window.from).map((text) => countEvidence('container engine', text, ends.length))
				: ends.map((end) => countEvidence('container engine', endedText(end, second), 1)),
		),
		...stalls
			.filter(({ name }) => names.includes(name))
			.map(({ name, from, to }) =>
				countEvidence('observer', `${name} stood still from second ${second(from)} for ${(to - from).toFixed(1)} s`, 1),
			),
	];
}

function endedText({ name, from, to, exitCode, outOfMemory, ...ofFile }: Restart, second: (t: number) => number) {
	const code = exitCode === null ? '' : `, exit code ${exitCode}`;
	const hasReason = !Number.isFinite(to) && (ofFile.isRestarted || ofFile.restartsMost !== undefined);
	return `${name} ended in second ${second(from)}${code}${outOfMemory ? ', out of memory' : ''}${hasReason ? `, and ${notBack(ofFile)}` : ''}`;
}

/** What was missing at the time, where that is the cause. */
function ofExhaustion({ cause, service, amplifier }: Placement, { exhaustion, window }: Facts): Evidence[] {
	const of = (times: Exhaustion[], name: string) => times.filter((time) => time.name === name);
	const readings = (times: Exhaustion[], text: string) => {
		const { length } = of(times, service);
		return length > 0 ? [countEvidence('observer', `${service} ${text}, in so many readings`, length)] : [];
	};
	if (cause === 'out-of-descriptors') return readings(exhaustion.files, 'had as many files open as it may');
	if (cause !== 'database-slow' || amplifier?.cause !== 'pool-wait') return [];
	const held = of(exhaustion.pool, amplifier.service).map(({ from, to }) => {
		const text = `its pool gave out no connection for ${(to - from).toFixed(1)} s from second ${Math.round(from - window.from)}`;
		return countEvidence(`${amplifier.service} record`, text, 1);
	});
	return [...held, ...readings(exhaustion.cpu, 'had used up its CPU quota')];
}

function ofCounters({ cause, service }: Placement, facts: Facts): Evidence[] {
	const { kernel, databases, entryProxy, store } = facts;
	const database = databases.find(({ name }) => name === service);
	const ofKernel = (causes[cause].counters ?? []).flatMap((counter) => {
		const { before, after, gained } = ownOf(kernel, service) ?? { before: {}, after: {}, gained: {} };
		return gained[counter] > 0 ? [counterEvidence(`kernel, ${service}`, counter, before[counter] ?? 0, after[counter])] : [];
	});
	const rejected =
		cause.startsWith('database') && database?.rejected
			? [counterEvidence(store.program, 'connections refused', database.rejected.before, database.rejected.after)]
			: [];
	const dropped =
		cause === 'connection-table-full-new'
			? [
					counterEvidence(
						`${entryProxy?.service} ${entryProxy?.counters_source}`,
						'connections accepted but not handled',
						0,
						droppedBy(facts),
					),
				]
			: [];
	return [...ofKernel, ...rejected, ...dropped];
}

/** Connections that it took and closed again in the load, by its own count. */
function droppedBy({ entryProxy, window }: Facts) {
	const readings = entryProxy?.counters['table-full-new'] ?? [];
	const before = readings.findLast(({ t }) => t <= window.from);
	return before ? (readings.at(-1)?.value ?? 0) - before.value : 0;
}

/** @returns the most first */
function countBy<T>(items: T[], key: (item: T) => string): [string, number][] {
	const counts = new Map();
	for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
	return [...counts].sort(([, one], [, other]) => other - one);
}
