/**
 * What did not fail but cost: attempts that failed and were made again, nodes that were left out, tiers that ended or stood
 * still, connections that were made only at a second try.
 */
import { grouped } from '../../base/values.ts';
import { causes } from '../../record/causes.ts';
import type { NearMiss, Tier } from '../../record/types.js';
import { inUnit, many } from '../../stats/figure-words.ts';
import { sum } from '../../stats/numbers.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { ledgerAsks } from '../rules.ts';
import { awayTexts, notBack } from '../waiting/absence.ts';
import { logOf, secondsIn } from './entry-proxy.ts';
import type { Facts } from './facts.ts';
import type { Ejection } from './hop-records.ts';
import type { PlacedTrace } from './ledger.ts';
import type { Restart } from './lives.ts';
import { APART_MOST, spanOfEnd } from './lives.ts';
import { AROUND_S, whileWaiting } from './place.ts';
import { attemptOfBench } from './rules-answered.ts';

export type { NearMiss };

/** A node that is as good as the others has half of an even share at the least. */
const UNEVEN_SHARE = 0.5;
/** A packet sent again now and then is no news. */
const RETRANSMISSIONS_LEAST = 10;

export function nearMissesOf(facts: Facts, all: PlacedTrace[]): NearMiss[] {
	return [
		...retriedOf(facts),
		...repeatedOf(facts),
		...ejectedOf(facts),
		...unevenOf(facts),
		...endedOf(facts, all),
		...workersOf(facts, all),
		...stoodStillOf(facts, all),
		...slowConnectionsOf(facts),
		...slowWorkOf(facts),
	];
}

const tierOf = (tier: string) => tier as Tier;

/** Requests that one node failed and another answered. */
function retriedOf({ retried, entryProxy }: Facts): NearMiss[] {
	const nodes: Map<string, { count: number; seconds: number; line: string | null }> = new Map();
	for (const { asked } of retried.map(({ seen }) => seen).filter(({ status }) => status !== null && status < FIRST_BAD_STATUS)) {
		for (const { to: node, took_s: took = 0, message } of asked.slice(0, -1)) {
			const own = nodes.get(node) ?? { count: 0, seconds: 0, line: null };
			nodes.set(node, { count: own.count + 1, seconds: own.seconds + took, line: own.line ?? message?.text ?? null });
		}
	}
	return [...nodes].map(([node, { count: attempts, seconds, line }]) => ({
		id: 'retried',
		tier: tierOf('app'),
		service: node,
		count: attempts,
		text: `${many(attempts, 'attempt')} at ${node} failed and ${attempts === 1 ? 'was' : 'were'} answered by another node, after ${inUnit('ms', seconds * 1000)} in all`,
		evidence: line === null || !entryProxy ? [] : [{ kind: 'log', source: logOf(entryProxy), line, count: attempts }],
	}));
}

/** What a second node did, or the same again, may have been done already. */
function repeatedOf({ attempts }: Facts): NearMiss[] {
	const twice = [...attempts.values()].filter((own) => own.filter(({ outcome }) => outcome !== 'open').length > 1);
	if (twice.length === 0) return [];
	// Of a node alone the generator's own client has asked again.
	const how = twice.every((own) => own.every(({ node }) => node === own[0].node)) ? 'more than once' : 'by more than one node';
	const text = `${many(twice.length, 'request')} ${twice.length === 1 ? 'was' : 'were'} worked on ${how}: what it writes may be written twice`;
	return [{ id: 'repeated', tier: tierOf('app'), service: 'nodes', count: twice.length, text, evidence: [] }];
}

function ejectedOf(facts: Facts): NearMiss[] {
	const { entryProxy, window } = facts;
	if (!entryProxy) return [];
	const { ejections } = entryProxy;
	const ask = ledgerAsks(facts);
	return [...new Set(ejections.map(({ node }) => node))].map((node) => {
		const own = ejections.filter((ejection) => ejection.node === node);
		const seconds = unionOf(own.map(({ from, to }) => ({ from: Math.max(from, window.from), to: Math.min(to - 1, window.to) })));
		const why = timesOf(own.flatMap((ejection) => whyLeftOut(ejection, facts, ask)));
		return {
			id: 'left-out',
			tier: tierOf('app'),
			service: node,
			count: own.length,
			text: `${entryProxy.service} left ${node} out ${many(own.length, 'time')}, for ${seconds.toFixed(0)} s in all${why === '' ? '' : `: ${why}`}`,
			evidence: [{ kind: 'log', source: logOf(entryProxy), line: own[0].line, count: own.length }],
		};
	});
}

/** none where neither the proxy nor a request on record tells */
function whyLeftOut(ejection: Ejection, facts: Facts, ask: ReturnType<typeof ledgerAsks>): string[] {
	const failed = attemptOfBench(ejection, facts);
	return failed.signal === null && failed.attempt === undefined ? [] : [causes[ask.attempt(failed).cause].title];
}

/** Each of them once, and how often where there are several. */
function timesOf(words: string[]) {
	const counts = [...new Set(words)].map((one) => ({ one, times: words.filter((word) => word === one).length }));
	return counts.length === 1 ? counts[0].one : counts.map(({ one, times }) => `${one} (${many(times, 'time')})`).join(', ');
}

/** @param spans in the order of their starts */
function unionOf(spans: { from: number; to: number }[]) {
	let seconds = 0;
	let until = Number.NEGATIVE_INFINITY;
	for (const { from, to } of spans) {
		seconds += Math.max(0, to - Math.max(from, until));
		until = Math.max(until, to);
	}
	return seconds;
}

function unevenOf({ nodes, entryProxy }: Facts): NearMiss[] {
	const served = Object.entries(nodes).map(([name, { received }]) => ({ name, received }));
	const all = sum(served.map(({ received }) => received));
	if (!entryProxy || served.length < 2 || all === 0) return [];
	return served
		.filter(({ received }) => received / all < UNEVEN_SHARE / served.length)
		.map(({ name, received }) => ({
			id: 'uneven',
			tier: tierOf('app'),
			service: name,
			count: received,
			text: `${name} had ${((received / all) * 100).toFixed(0)} % of the requests, where an even share is ${(100 / served.length).toFixed(0)} %`,
			evidence: [{ kind: 'count', source: `${name} record`, text: 'requests received', count: received }],
		}));
}

function endedOf({ restarts, window }: Facts, all: PlacedTrace[]): NearMiss[] {
	return [...grouped(restarts, ({ name }) => name)].flatMap(([name, own]) =>
		(own.length > APART_MOST ? [own] : own.map((one) => [one])).map((ends) => ({
			id: 'ended',
			tier: tierOf(ends[0].tier),
			service: name,
			count: ends.length,
			text: `${ends.length === 1 ? endedText(ends[0], window) : awayTexts(ends.map(spanOfEnd), window.from)[0]}; ${lostOf(
				all,
				name,
				ends.map(({ from, ready }) => ({ from, to: ready })),
			)}`,
			evidence: [],
		})),
	);
}

function endedText({ name, from, to, exitCode, outOfMemory, ...ofFile }: Restart, window: Facts['window']) {
	const code = exitCode === null ? '' : ` (exit code ${exitCode}${outOfMemory ? ', out of memory' : ''})`;
	const back = Number.isFinite(to) ? `was back ${(to - from).toFixed(1)} s later` : notBack(ofFile);
	return `${name} ended in second ${Math.round(from - window.from)}${code} and ${back}`;
}

/** By what the services themselves say. */
function workersOf({ hops, said }: Facts, all: PlacedTrace[]): NearMiss[] {
	return hops.flatMap((record) => {
		const { service, tier } = record;
		const workers = said.get(service)?.['worker-died'];
		if (!workers) return [];
		return [
			{
				id: 'worker-ended',
				tier: tierOf(tier),
				service,
				count: workers.count,
				text: `a worker process of ${service} ended by itself, or was killed, ${many(workers.count, 'time')}; ${lostOf(all, service)}`,
				evidence: [{ kind: 'log' as const, source: logOf(record), line: workers.first, count: workers.count }],
			},
		];
	});
}

function stoodStillOf({ stalls, window }: Facts, all: PlacedTrace[]): NearMiss[] {
	return stalls.map(({ name, tier, from, to }) => ({
		id: 'stood-still',
		tier: tierOf(tier),
		service: name,
		count: 1,
		text: `${name} stood still for ${(to - from).toFixed(1)} s from second ${Math.max(0, Math.round(from - window.from))}; ${lostOf(all, name, [{ from, to }])}`,
		evidence: [],
	}));
}

/** Operations that a service itself calls long, by its own measure. */
export function slowWorkOf({ hops }: Facts): NearMiss[] {
	return hops.flatMap((record) => {
		const { service, tier, messages } = record;
		const slow = messages.filter(({ signal, text }) => signal === 'slow' && secondsIn(text) > 0);
		if (slow.length === 0) return [];
		const longest = slow.reduce((one, other) => (secondsIn(other.text) > secondsIn(one.text) ? other : one));
		return [
			{
				id: 'slow-work',
				tier: tierOf(tier),
				service,
				count: slow.length,
				text: `${service} told of ${many(slow.length, 'operation')} that took long, the longest ${inUnit('ms', secondsIn(longest.text) * 1000)}`,
				evidence: [{ kind: 'log' as const, source: longest.source ?? logOf(record), line: longest.text, count: slow.length }],
			},
		];
	});
}

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Lost there by requests that were on their way in that time. */
function lostOf(all: PlacedTrace[], name: string, spans: { from: number; to: number }[] = [ALWAYS]) {
	const isIn = (wait: { from: number; to: number }) =>
		spans.some(({ from, to }) => wait.to >= from - AROUND_S && wait.from <= to + AROUND_S);
	const lost = all.filter(({ trace, placement }) => placement?.service.split(', ').includes(name) && isIn(whileWaiting(trace))).length;
	return lost === 0 ? 'no request was lost there' : `${many(lost, 'request')} ${lost === 1 ? 'was' : 'were'} lost there`;
}

/** Connections that were made late, and what had to be sent again. */
function slowConnectionsOf({ kernel, raw }: Facts): NearMiss[] {
	const tiers = new Map<any, any>((raw.manifest.services ?? []).map(({ name, tier }: { name: string; tier: string }) => [name, tier]));
	return Object.entries(kernel).flatMap(([name, { gained, before, after }]) => {
		const of = (id: string, counter: string, text: string, least = 1) =>
			(gained[counter] ?? 0) >= least
				? [
						{
							id,
							tier: tierOf(tiers.get(name) ?? 'generator'),
							service: name,
							count: gained[counter],
							text,
							evidence: [
								{
									kind: 'counter' as const,
									source: `kernel, ${name}`,
									name: counter,
									before: before[counter] ?? 0,
									after: after[counter],
								},
							],
						},
					]
				: [];
		return [
			...of(
				'slow-accept',
				'ListenOverflows',
				`the accept queue of ${name} overflowed ${many(gained.ListenOverflows ?? 0, 'time')}: its callers tried to connect again after 1, 3 or 7 s`,
			),
			...of(
				'dialled-again',
				'TCPSynRetrans',
				`${name} had to dial again ${many(gained.TCPSynRetrans ?? 0, 'time')}, each after 1 s or more`,
			),
			...of(
				'sent-again',
				'TCPTimeouts',
				`${name} had to send again after a time-out ${many(gained.TCPTimeouts ?? 0, 'time')}: what it sent had not arrived`,
				RETRANSMISSIONS_LEAST,
			),
		];
	});
}
