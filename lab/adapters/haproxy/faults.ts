/** Known troubles: too few connections to the servers, and too few in all. */

import type { ServiceModel } from '../contract.ts';
import type { Change, ProductFault } from '../faults.ts';
import { configuration, pathOf } from './config.ts';
import { sectionsOf, speaksHttp, wordsOf } from './config-sections.ts';
import type { Section } from './http-line.ts';

/** Fewer than any load has users. */
const CONNECTIONS = 2;
/** Whoever finds the one connection taken waits longer than this. */
const QUEUE_MS = 1;
const INDENT = '    ';
const LIMITS = /\s(?:maxconn|minconn|maxqueue)\s+\d+/g;
const SERVERS = new Set(['server', 'server-template']);

export function faults(service: ServiceModel): ProductFault[] {
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
