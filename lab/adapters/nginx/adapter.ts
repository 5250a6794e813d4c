/**
 * Nginx as a reverse proxy, 1.18 and above.
 */

import { overlayOf, watchesOf } from '../configuration.ts';
import type { Adapter } from '../contract.ts';
import { withoutContent } from '../log-content.ts';
import { detectProxy } from '../proxy-detection.ts';
import { configuration, OWN_MARK } from './config.ts';
import { faults } from './faults.ts';
import { FILES, inside } from './inside.ts';
import { askedAgain, read } from './read.ts';
import { without } from './without.ts';

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
