/**
 * The evidence for a row of the ledger: what each tier recorded of its requests, and what rose or ended at the time.
 *
 * @import { Signal } from '../../adapters/contract.ts'
 * @import { Outage } from '../../extras/swarm/services.ts'
 * @import { Evidence } from '../../record/types.js'
 * @import { Facts } from './facts.ts'
 * @import { HopRecord } from './hop-records.ts'
 * @import { Exhaustion, Restart } from './lives.ts'
 * @import { Placement, Trace } from './place.ts'
 */
import { grouped, ownOf } from '../../base/values.ts';
import { causes } from '../../record/causes.ts';
import { awayTexts, notBack } from '../waiting/absence.ts';
import { logOf, secondsIn } from './hop-records.ts';
import { APART_MOST, spanOfEnd } from './lives.ts';

/** Pieces of one sort that a row shows; the rest is counted. */
const SHOWN = 4;
/** As far from a request as rules look for what a service said that is about no single one (rules-broken.ts). */
const REACH_S = 6;

/** What a log of requests proves by what is not in it. */
const UNSEEN = 'has each request that it read, and no line of these';

/** @type {(source: string, text: string, count: number) => Evidence} */
const countEvidence = (source, text, count) => ({ kind: 'count', source, text, count });

/** @type {(source: string, name: string, before: number, after: number) => Evidence} */
const counterEvidence = (source, name, before, after) => ({ kind: 'counter', source, name, before, after });

/**
 * @param {{ placement: Placement, traces: Trace[] }} group
 * @param {Facts} facts
 * @returns {Evidence[]}
 */
export function evidenceOf({ placement, traces }, facts) {
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

/** @type {(traces: Trace[], facts: Pick<Facts, 'errorSamples' | 'raw'>) => Evidence[]} */
export function ofGenerator(traces, { errorSamples, raw }) {
	if (raw.program) return [];
	const bySight = countBy(traces, ({ status, kind }) => (status > 0 ? `HTTP ${status}` : kind));
	return bySight.map(([sight, count]) => {
		const sample = errorSamples.find(({ kind }) => kind === sight);
		return countEvidence('k6', sample ? errorText(sight, sample.error) : sight, count);
	});
}

/** What k6 calls it, and what it says, where that says more. @type {(kind: string, error: string) => string} */
const errorText = (kind, error) => (error.toLowerCase() === kind.replaceAll('_', ' ') ? error : `${kind}: ${error}`);

/** @type {(placement: Placement, traces: Trace[], facts: Facts) => Evidence[]} */
function ofEntryProxy({ amplifier }, traces, facts) {
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
		amplifier?.cause === 'no-live-upstream' && first
			? [{ kind: /** @type {const} */ ('log'), source, line: first.line, count: ejections.length }]
			: [];
	const unseen = facts.watched.has(entryProxy.service) ? traces.filter(({ seen }) => !seen).length : 0;
	return [...trigger, ...lines.values(), ...(unseen > 0 ? [countEvidence(`${entryProxy.service} access log`, UNSEEN, unseen)] : [])];
}

/**
 * What the service at fault said at the time, whichever request it was about.
 * @type {(placement: Placement, traces: Trace[], facts: Facts) => Evidence[]}
 */
function ofAttributed({ cause, service }, traces, facts) {
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

/** Of what a service said of one sort around some times, the line of what took longest. @type {(record: HopRecord, signal: Signal, times: number[]) => Evidence[]} */
function wordFor(record, signal, times) {
	const from = times.reduce((least, t) => Math.min(least, t)) - REACH_S;
	const to = times.reduce((most, t) => Math.max(most, t)) + REACH_S;
	const said = record.messages.filter(({ signal: own, t, text }) => own === signal && t >= from && t - secondsIn(text) <= to);
	if (said.length === 0) return [];
	const longest = said.reduce((one, other) => (secondsIn(other.text) > secondsIn(one.text) ? other : one));
	const source = longest.source ? `${record.service} ${longest.source}` : logOf(record);
	return [{ kind: 'log', source, line: longest.text, count: said.length }];
}

/** @type {(traces: Trace[], facts: Facts) => Evidence[]} */
function ofNodes(traces, { nodes, watched }) {
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

/** That the host of the service at fault was down. @type {(placement: Placement, facts: Facts) => Evidence[]} */
function ofHosts({ service }, { raw: { manifest }, window }) {
	const names = service.split(', ');
	const services = /** @type {{ name: string, host?: string }[]} */ (manifest.services ?? []);
	const hosts = services.flatMap(({ name, host }) => (names.includes(name) && host !== undefined ? [host] : []));
	const outages = /** @type {Outage[]} */ (manifest.outages ?? []);
	const second = (/** @type {number} */ t) => Math.round(t - window.from);
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

/** @type {(placement: Placement, facts: Facts) => Evidence[]} */
function ofContainers({ service }, { restarts, stalls, window }) {
	const names = service.split(', ');
	const second = (/** @type {number} */ t) => Math.round(t - window.from);
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

/** @param {Restart} end @param {(t: number) => number} second */
function endedText({ name, from, to, exitCode, outOfMemory, ...ofFile }, second) {
	const code = exitCode === null ? '' : `, exit code ${exitCode}`;
	const hasReason = !Number.isFinite(to) && (ofFile.isRestarted || ofFile.restartsMost !== undefined);
	return `${name} ended in second ${second(from)}${code}${outOfMemory ? ', out of memory' : ''}${hasReason ? `, and ${notBack(ofFile)}` : ''}`;
}

/** What was missing at the time, where that is the cause. @type {(placement: Placement, facts: Facts) => Evidence[]} */
function ofExhaustion({ cause, service, amplifier }, { exhaustion, window }) {
	const of = (/** @type {Exhaustion[]} */ times, /** @type {string} */ name) => times.filter((time) => time.name === name);
	const readings = (/** @type {Exhaustion[]} */ times, /** @type {string} */ text) => {
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

/** @type {(placement: Placement, facts: Facts) => Evidence[]} */
function ofCounters({ cause, service }, facts) {
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

/** Connections that it took and closed again in the load, by its own count. @param {Facts} facts */
function droppedBy({ entryProxy, window }) {
	const readings = entryProxy?.counters['table-full-new'] ?? [];
	const before = readings.findLast(({ t }) => t <= window.from);
	return before ? (readings.at(-1)?.value ?? 0) - before.value : 0;
}

/** @template T @param {T[]} items @param {(item: T) => string} key @returns {[string, number][]} the most first */
function countBy(items, key) {
	const counts = new Map();
	for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
	return [...counts].sort(([, one], [, other]) => other - one);
}
