/** What MongoDB recorded of a load: what it logged, and what its own status said once a second. */

import { bareRecord } from '../bare-record.ts';
import { limitOf, sampledExtent } from '../complete-lines.ts';
import type { About, Files, HopRecord, Limit } from '../contract.ts';
import { readLog } from './log.ts';
import type { Said } from './state.ts';

export function read({ log, samples }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	const { messages, full } = readLog(level === 0 ? '' : log, window);
	return {
		...bareRecord(about, 'mongo'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`MongoDB knows no requests: an operation that failed in ${service} belongs to no single one`],
		messages,
		limits: [...connectionLimit(full, samples, window), ...['read', 'write'].flatMap((kind) => ticketLimit(kind, samples, window))],
	};
}

/**
 * Its own limit, or that of the file descriptors that it may open. When all are taken it tells the lab nothing any more, and how many they
 * are stands in the lines of those that it refused.
 */
function connectionLimit(full: Said['full'], samples: any[], window: About['window']): Limit[] {
	const reported = [...samples, ...full].toSorted((one, other) => one.t - other.t);
	return limitOf(
		'connections',
		reported,
		window,
		({ connections, used }) => used ?? (connections && connections.current + connections.available),
		({ connections, used, refused }, size) => used ?? (refused ? size : connections?.current),
	);
}

/** From 7.0 on the server changes their number itself, to keep its throughput: then they are no limit that something runs into. */
function ticketLimit(kind: string, samples: any[], window: About['window']) {
	const sizes = new Set(samples.flatMap(({ tickets }) => tickets?.[kind]?.totalTickets ?? []));
	if (sizes.size !== 1) return [];
	const limits = limitOf(
		`${kind} tickets`,
		samples,
		window,
		({ tickets }) => tickets?.[kind]?.totalTickets,
		({ tickets }) => tickets?.[kind]?.out,
	);
	return limits.map((limit) => ({ ...limit, unit: 'operations' }));
}
