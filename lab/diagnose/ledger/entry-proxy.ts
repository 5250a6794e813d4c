/** The proxy that users talk to first, where there is one: its record, and that of single requests by their ids. */

import type { Ejection, HopRecord, Limit, Message } from '../../adapters/contract.ts';
import type { Window } from '../time/window.ts';
import type { EntryProxy, Saying } from './hop-records.ts';

/** @returns null where users talk to something else than a proxy */
export function entryProxyOf(hops: HopRecord[], window: Window, entry: { name: string; tier: string }): EntryProxy | null {
	const record = entry.tier === 'load-balancer' ? hops.find(({ service }) => service === entry.name) : undefined;
	if (!record) return null;
	return {
		...record,
		said: saidIn(record.messages),
		ejections: (record.ejections ?? reportedEjections(record.messages, window)).filter(({ to }) => to > window.from),
		ejected_s: record.ejected_s ?? null,
	};
}

/** Where its messages stand, as evidence names it. */
export const logOf = ({ service, log_source: log = 'log' }: Pick<HopRecord, 'service' | 'log_source'>) => `${service} ${log}`;

/**
 * Its connection table, of all workers together.
 * @returns null where none is on record
 */
export const tableOf = ({ limits }: Pick<HopRecord, 'limits'>): Limit | null =>
	limits.find(({ resource }) => resource === 'connection slots') ?? null;

export function saidIn(messages: Message[]): Saying {
	const said: Saying = {};
	for (const { signal, t, text } of messages) {
		const known = said[signal] ?? { count: 0, first: text, times: [] };
		said[signal] = known;
		known.count += 1;
		known.times.push(t);
	}
	return said;
}

/** From the message that a service was ejected to the message that it was reinstated. */
function reportedEjections(messages: Message[], window: { to: number }): Ejection[] {
	return messages.flatMap(({ signal, t, to: node, text }, index) => {
		if (signal !== 'ejected' || node === undefined) return [];
		const back = messages.slice(index).find((other) => other.signal === 'reinstated' && other.to === node);
		return [{ node, from: t, to: back?.t ?? window.to, trigger: null, line: text, request: null }];
	});
}

/** How long what it speaks of took, where it says so. */
export const secondsIn = (text: string) => Number(/(\d+(?:\.\d+)?) (?:ms|milliseconds)\b/.exec(text)?.[1] ?? 0) / 1000;
