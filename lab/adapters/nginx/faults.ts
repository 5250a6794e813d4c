/** Known troubles: a connection table that is too small. */

import type { ServiceModel } from '../contract.ts';
import type { ProductFault } from '../faults.ts';
import { configuration, pathOf } from './config.ts';

/** Fewer than the users of any load, with those to the servers behind; a worker needs some of them itself. */
const SLOTS = 16;

export function faults(service: ServiceModel): ProductFault[] {
	const path = pathOf(service);
	// On the wire a full table is connections that are closed as they come, and idle ones at the next request.
	const causes = ['slots-taken', 'closed-unasked', 'keep-alive-race', 'broke-off', 'balancer-refused', 'turned-away'];
	return [
		{
			id: 'small-table',
			title: `one worker with ${SLOTS} connections (worker_connections)`,
			expected: causes.map((cause) => ({ cause })),
			least: 1,
			reported: { level: 2, gives: 'the warnings of a full connection table, which Nginx hides by default' },
			...(path === null
				? { cannot: 'its configuration is no file' }
				: { change: { path, name: configuration.name, changed: withSmallTable, lacking: 'its configuration has no line "events {"' } }),
		},
	];
}

/** @returns null where the text is no main configuration */
function withSmallTable(text: string): string | null {
	if (!/^[ \t]*events\s*\{/m.test(text)) return null;
	const without = text.replace(/^([ \t]*)worker_processes\s+[^;]*;/gm, '$1').replace(/\bworker_connections\s+\d+\s*;/g, '');
	return `worker_processes 1;\n${without.replace(/^([ \t]*)events\s*\{/m, `$1events { worker_connections ${SLOTS};`)}`;
}
