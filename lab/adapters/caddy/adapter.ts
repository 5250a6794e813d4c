/**
 * Caddy, 2.5 and above, as a reverse proxy.
 */

import { overlayOf, watchesOf } from '../configuration.ts';
import type { Adapter, Container } from '../contract.ts';
import { killed } from '../faults.ts';
import { detectProxy } from '../proxy-detection.ts';
import { askHttp } from '../proxy-questions.ts';
import { configuration, METRICS_PORT } from './config.ts';
import { redact } from './log-entry.ts';
import { readMetrics } from './metrics.ts';
import type { Metrics } from './read.ts';
import { read } from './read.ts';

const TRAITS = {
	images: /^caddy$/,
	program: 'caddy',
	options: ['run', 'reverse-proxy'],
	folders: /^\/etc\/caddy(?:$|\/)|\/Caddyfile$/,
};

const REPORTED = {
	log: {
		gives: 'Each request that Caddy answered with an error of its own, by id and with Go’s error; with an access log each request.',
		needs: '"log" in each site, in JSON',
	},
	copy: 'Each request by id, with each attempt to ask a service behind and why it failed, and the file descriptors in use; it writes three lines and more for a request.',
};

export const adapter: Adapter = {
	product: 'caddy',
	title: 'Caddy',
	detect: (service) => detectProxy(service, TRAITS),
	watches: (service) => watchesOf(configuration, service, REPORTED),
	overlay: (service, level) => overlayOf(configuration, service, level),
	version: { command: ['caddy', 'version'], pattern: /v?(\d+\.\d+\.\d+\S*)/ },
	sample,
	sampledFrom: 2,
	configuration,
	redact,
	read,
	faults: () => [killed],
};

async function sample({ address }: Container): Promise<Metrics | null> {
	const answer = await askHttp(`http://${address}:${METRICS_PORT}/metrics`);
	return answer === null ? null : readMetrics(answer);
}
