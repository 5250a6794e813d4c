/**
 * HAProxy, 2.4 and above.
 */

import { overlayOf, watchesOf } from '../configuration.ts';
import type { Adapter, Container } from '../contract.ts';
import { detectProxy } from '../proxy-detection.ts';
import { askSocket } from '../proxy-questions.ts';
import { configuration, STATS_PORT } from './config.ts';
import { faults } from './faults.ts';
import { read } from './read.ts';
import { redact } from './redact.ts';
import { readStats, type Stats } from './stats.ts';

const TRAITS = {
	images: /^(?:haproxy|haproxytech\/.+)$/,
	program: 'haproxy',
	options: ['-f'],
	// Of the official image, and of Debian's package.
	folders: /^(?:\/usr\/local)?\/etc\/haproxy(?:$|\/(?:haproxy\.cfg|conf\.d)(?:$|\/))/,
};

const REPORTED = {
	log: {
		gives:
			'Each request with its server, its times in the queue and at the server, and why it ended as it did; by id where a header is captured.',
		needs: '"log stdout format raw local0", "option httplog" and "capture request header X-Request-Id len 64"',
	},
	copy: 'Each request by id, with the address of its server, and how full connections and queues are, second by second.',
};

export const adapter: Adapter = {
	product: 'haproxy',
	title: 'HAProxy',
	detect: (service) => detectProxy(service, TRAITS),
	watches: (service) => watchesOf(configuration, service, REPORTED),
	overlay: (service, level) => overlayOf(configuration, service, level),
	version: { command: ['haproxy', '-v'], pattern: /HA-?Proxy version (\S+)/ },
	sample,
	sampledFrom: 2,
	configuration,
	redact,
	read,
	faults,
};

async function sample({ address }: Container): Promise<Stats | null> {
	const answer = await askSocket(address, STATS_PORT, 'show info;show stat\n');
	return answer === null ? null : readStats(answer);
}
