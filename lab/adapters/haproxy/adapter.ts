/**
 * HAProxy, 2.4 and above.
 */
import { askSocket, overlayOf, watchesOf } from '../configuration.ts';
import type { Adapter, Container, ServiceModel } from '../contract.ts';
import type { Change, ProductFault } from '../faults.ts';
import { detectProxy } from '../found-servers.ts';
import type { Section } from './http-line.ts';
import { configuration, pathOf, STATS_PORT, sectionsOf, speaksHttp, wordsOf } from './http-line.ts';
import { read, redact } from './read.ts';
import type { Stats } from './stats.ts';
import { readStats } from './stats.ts';

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

/*
 * Known troubles: too few connections to the servers, and too few in all.
 */

/** Fewer than any load has users. */
const CONNECTIONS = 2;
/** Whoever finds the one connection taken waits longer than this. */
const QUEUE_MS = 1;
const INDENT = '    ';
const LIMITS = /\s(?:maxconn|minconn|maxqueue)\s+\d+/g;
const SERVERS = new Set(['server', 'server-template']);

function faults(service: ServiceModel): ProductFault[] {
	const path = pathOf(service);
	const inFile = (change: Pick<Change, 'changed' | 'lacking'>) =>
		path === null ? { cannot: 'its configuration is made of several files' } : { change: { path, name: configuration.name, ...change } };
	return [
		{
			id: 'short-queue',
			title: `one connection to each server, and ${QUEUE_MS} ms in the queue before it`,
			expected: [{ cause: 'turned-away' }, { cause: 'balancer-refused' }],
			least: 1,
			...inFile({ changed: withShortQueue, lacking: 'its configuration names no server for HTTP' }),
		},
		{
			id: 'few-connections',
			title: `${CONNECTIONS} connections of the whole process (global maxconn)`,
			// Who is not accepted waits for those whose connections it keeps open.
			expected: ['workers-idle-connections', 'workers-taken', 'unreachable'].map((cause) => ({ cause })),
			least: 1,
			...inFile({ changed: withFewConnections, lacking: 'its configuration has no frontend' }),
		},
	];
}

/** @returns null where no server speaks HTTP */
function withShortQueue(text: string): string | null {
	const sections = sectionsIn(text);
	const withServers = sections.filter((section) => speaksHttp(section, sections) && section.lines.some(isServer));
	if (withServers.length === 0) return null;
	return sections.flatMap((section) => (withServers.includes(section) ? shortened(section) : section.lines)).join('\n');
}

function shortened({ lines: [opening, ...rest] }: Section): string[] {
	const kept = rest.filter((line) => !/^timeout queue\b/.test(wordsOf(line).join(' ')));
	return [opening, `${INDENT}timeout queue ${QUEUE_MS}ms`, ...kept.map((line) => (isServer(line) ? withOneConnection(line) : line))];
}

const isServer = (line: string) => SERVERS.has(wordsOf(line)[0] ?? '');

/** Without its comment, which may name the same words. */
const withOneConnection = (line: string) => `${INDENT}${wordsOf(line).join(' ').replace(LIMITS, '')} maxconn 1`;

/** @returns null where nothing takes connections */
function withFewConnections(text: string): string | null {
	const sections = sectionsIn(text);
	if (!sections.some(({ kind }) => kind === 'frontend' || kind === 'listen')) return null;
	const lines = sections.flatMap(({ kind, lines: own }) =>
		kind === 'global' ? own.filter((line) => wordsOf(line)[0] !== 'maxconn') : own,
	);
	// There may be several sections of the process, and what is set last holds.
	return [...lines, '', 'global', `${INDENT}maxconn ${CONNECTIONS}`, ''].join('\n');
}

const sectionsIn = (text: string) => sectionsOf(text.replace(/\r\n/g, '\n'));
