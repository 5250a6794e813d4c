/**
 * Envoy, with a bootstrap in the third version of its API.
 */

import { overlayOf, watchesOf } from '../configuration.ts';
import type { Adapter, Container } from '../contract.ts';
import { killed } from '../faults.ts';
import { detectProxy } from '../proxy-detection.ts';
import { askHttp } from '../proxy-questions.ts';
import { redact } from './access-line.ts';
import type { Admin } from './admin.ts';
import { readAdmin, STATS_FILTER } from './admin.ts';
import { configuration, STATS_PORT } from './config.ts';
import { read } from './read.ts';

const TRAITS = {
	images: /^envoyproxy\/envoy(?:-.+)?$/,
	program: 'envoy',
	options: ['-c', '--config-path', '--config-yaml'],
	folders: /^\/etc\/envoy(?:$|\/)|\/envoy\.(?:ya?ml|json)$/,
};

const REPORTED = {
	log: {
		gives: 'Each request by id with its host and its response flags; with response code details also who gave the answer and why.',
		needs: 'an access log to stdout, in the default format or in JSON, and "preserve_external_request_id: true"',
	},
	copy: 'Each request by id, with why it failed in Envoy’s own words, and how full its circuit breakers are, second by second.',
};

export const adapter: Adapter = {
	product: 'envoy',
	title: 'Envoy',
	detect: (service) => detectProxy(service, TRAITS),
	watches: (service) => watchesOf(configuration, service, REPORTED),
	overlay: (service, level) => overlayOf(configuration, service, level),
	version: { command: ['envoy', '--version'], pattern: /version: [^/\s]+\/([^/\s]+)/ },
	sample,
	sampledFrom: 2,
	configuration,
	redact,
	read,
	faults: () => [killed],
};

async function sample({ address }: Container): Promise<Admin | null> {
	const base = `http://${address}:${STATS_PORT}`;
	const [stats, clusters] = await Promise.all([
		askHttp(`${base}/stats?format=json&filter=${encodeURIComponent(STATS_FILTER)}`),
		askHttp(`${base}/clusters`),
	]);
	return readAdmin(stats, clusters);
}
