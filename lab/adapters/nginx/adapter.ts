/**
 * Nginx as a reverse proxy, 1.18 and above.
 */
import { overlayOf, watchesOf } from '../configuration.ts';
import type { Adapter, ServiceModel } from '../contract.ts';
import type { ProductFault } from '../faults.ts';
import { detectProxy } from '../found-servers.ts';
import { withoutContent } from '../log-content.ts';
import { askedAgain, configuration, FILES, inside, OWN_MARK, pathOf, read, without } from './read.ts';

const TRAITS = {
	images: /^(?:nginx|nginxinc\/nginx-unprivileged|bitnami\/nginx)$/,
	program: 'nginx',
	options: ['-g', '-c'],
	folders: /^\/etc\/nginx(?:$|\/(?:nginx\.conf|conf\.d|http\.d|sites-(?:enabled|available)|templates)(?:$|\/))/,
};

const REPORTED = {
	log: {
		gives: 'How many requests ended with which status, and what its error log says of them.',
		needs: 'both logs on the container’s output, as in its image',
	},
	copy: 'Each request by id, with each attempt to ask a service behind and why it failed, and the warnings that Nginx hides by default.',
};

export const adapter: Adapter = {
	product: 'nginx',
	title: 'Nginx',
	detect: (service) => detectProxy(service, TRAITS),
	watches: (service) => watchesOf(configuration, service, REPORTED),
	overlay: (service, level) => overlayOf(configuration, service, level),
	configuration,
	version: { command: ['nginx', '-v'], pattern: /nginx\/(\S+)/ },
	sample: null,
	// The lab's own lines have no more than it needs.
	redact: (line) => (line.startsWith(`${OWN_MARK} `) ? line : withoutContent(line)),
	read,
	askedAgain,
	unlabelled: ({ tier }) => tier === 'load-balancer',
	inside,
	recorded: () => Object.values(FILES),
	packed: [FILES.access],
	without,
	faults,
};

/*
 * Known troubles: a connection table that is too small.
 */

/** Fewer than the users of any load, with those to the servers behind; a worker needs some of them itself. */
const SLOTS = 16;

function faults(service: ServiceModel): ProductFault[] {
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
