/**
 * A load whose every request fails says nothing of the system: it is refused before it begins, with the line of doubletake.yaml to edit.
 * What fails in part goes on, and is reported.
 */

import { STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { ListedRequest } from '../../../k6/lib/request-list.js';
import { NotReadyError } from '../../base/errors.ts';
import { entryUrls, PROJECT_FILE, type Project } from '../../catalog/project-schema.ts';
import type { Answer } from '../../docker/http-answer.ts';
import { entryServices } from '../../target/describe.ts';
import { FIRST_SERVER_ERROR } from '../../wire/contract.ts';
import { adviceOf } from './about-answers.ts';
import { isGood, isSafe, ROOT, whatOf } from './probe.ts';

/** isStandIn: the load may not ask for it */
export type Probe = { request: ListedRequest; answer: Answer; isStandIn?: boolean };

/** At once; a system is not to be loaded by the question whether it answers. */
const TOGETHER = 10;
/** A service that has just come up may answer with 503, or without what it fills its caches with: three times in 10 s. */
const FAILING_LOAD_TIMES = { triesMost: 3, betweenMs: 5000, limitMs: 30_000 };
const SHOWN_MOST = 5;
/** Of services whose logs may say why, so many are named. */
const LOGS_MOST = 3;

/** Every request of the load fails. */
class FailingLoadError extends NotReadyError {
	isServers: boolean;

	/** @param isServers it is the servers that fail, and not what was asked for */
	constructor(problem: string, remedy: string, isServers: boolean) {
		super(problem, remedy);
		this.isServers = isServers;
	}
}

/** Nothing answers there, though its container runs. */
export class SilentEntryError extends NotReadyError {}

/**
 * Whose logs may say why: the entry's, and where it fails at what it asks others, theirs.
 * @returns services
 */
export function reportedByLogs(error: unknown, project: Project): string[] {
	const entries = entryServices(project);
	if (error instanceof SilentEntryError) return entries.slice(0, 1);
	if (!(error instanceof FailingLoadError && error.isServers)) return [];
	const services = [...entries];
	for (const asker of services)
		services.push(...project.edges.flatMap(([from, to]) => (from === asker && !services.includes(to) ? [to] : [])));
	return services.slice(0, LOGS_MOST);
}

/** @throws {NotReadyError} when every request of the load fails */
export async function refuseFailing({
	project,
	requests,
	line,
	beside = () => [],
	ask,
	say,
	signal,
	times,
}: {
	project: Pick<Project, 'entry' | 'load'>;
	requests: ListedRequest[];
	line: number;
	beside?: () => string[];
	ask: (request: ListedRequest) => Promise<Answer>;
	say: (text: string) => void;
	signal: AbortSignal;
	times?: Parameters<typeof allFailing>[0]['times'];
}) {
	const { load } = project;
	const entries = entryUrls(project);
	const entry = entries.join(' or ');
	const failed = await allFailing({ requests, ask, say, signal, times });
	if (failed === null) return;
	const isAsked = failed.some(({ request: { method, path } }) => method === ROOT.method && path === ROOT.path);
	const root = isAsked ? null : await ask(ROOT);
	const reported = failed.map(({ request, answer }) => adviceOf(request, answer, request.shown ?? request.target ?? entries[0]));
	const below =
		load.openapi === undefined
			? []
			: [
					`If the paths of ${load.openapi} begin below another one (its "servers"), write that into the entry: ${entries[0].replace(/\/*$/, '/')}api/.`,
					'Volumes are new in a run: are the ids that it asks for in them?',
				];
	const others = beside().filter((one) => one !== `openapi: ${load.openapi}`);
	const instead = others.length === 0 ? [] : [`In place of it the load could be ${others.join(' or ')}, which lies there.`];
	const place = { source: load.openapi === undefined ? 'urls' : 'openapi', line };
	throw refusalOf({ failed, root, place, entry, advice: [...new Set([...reported.map(asSentence), ...below, ...instead])] });
}

const asSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * @returns the last answers where every request of the load failed each time; null where one was good, or where
 * not all could be asked, so that nobody knows
 */
async function allFailing({
	requests,
	ask,
	say,
	signal,
	times = FAILING_LOAD_TIMES,
}: {
	/** of the load */
	requests: ListedRequest[];
	ask: (request: ListedRequest) => Promise<Answer>;
	say: (text: string) => void;
	signal: AbortSignal;
	/** limitMs: of each try */
	times?: { triesMost: number; betweenMs: number; limitMs: number };
}): Promise<Probe[] | null> {
	if (requests.length === 0 || !requests.every(isSafe)) return null;
	for (let tries = 1; ; tries += 1) {
		const failed = await untilGood(requests, ask, Date.now() + times.limitMs);
		if (failed === null || tries === times.triesMost) return failed;
		if (tries === 1) say(`every request of the load fails (${spelt(failed[0])}); asking again, ${times.triesMost} times in all`);
		await wait(times.betweenMs, undefined, { signal });
	}
}

async function untilGood(
	requests: ListedRequest[],
	ask: (request: ListedRequest) => Promise<Answer>,
	endsAt: number,
): Promise<Probe[] | null> {
	const failed = [] as Probe[];
	for (let from = 0; from < requests.length; from += TOGETHER) {
		if (from > 0 && Date.now() > endsAt) return null;
		const some = requests.slice(from, from + TOGETHER);
		const probes = await Promise.all(some.map(async (request) => ({ request, answer: await ask(request) })));
		if (probes.some(({ request, answer }) => isGood(request, answer))) return null;
		failed.push(...probes);
	}
	return failed;
}

function refusalOf({
	failed,
	root,
	place: { source, line },
	entry,
	advice,
}: {
	/** of every request of the load */
	failed: Probe[];
	/** what the entry's own address answers; null where that is among them */
	root: Answer | null;
	/** which entry of load they come from, and its line */
	place: { source: string; line: number };
	entry: string;
	/** a sentence each */
	advice: string[];
}): FailingLoadError {
	const lines = failed.slice(0, SHOWN_MOST).map((probe) => `    ${spelt(probe)}`);
	const more = failed.length > lines.length ? [`    and ${failed.length - lines.length} more`] : [];
	const all = failed.length === 1 ? 'its one request fails' : `each of its ${failed.length} requests fails`;
	const found = `${PROJECT_FILE}:${line}, load.${source}: expected a request that ${entry} answers well; found that ${all}, so the load was not begun:`;
	const hasRoot = root !== null && isGood({}, root);
	const statuses = [...new Set(failed.map(({ answer }) => answer.status))].filter((status) => status > 0).sort((one, other) => one - other);
	const remedies = [
		`edit line ${line} of ${PROJECT_FILE}.`,
		...advice,
		...(hasRoot ? [`"GET /" is answered with ${root.status}: urls: ["GET /"] would do.`] : []),
		...(statuses.length > 0 ? [`To measure just these answers, add "expect: [${statuses.join(', ')}]" under load.`] : []),
	];
	const isServers = failed.some(({ answer: { status } }) => status === 0 || status >= FIRST_SERVER_ERROR);
	return new FailingLoadError([found, ...lines, ...more].join('\n'), remedies.join(' '), isServers);
}

/** @returns a clause */
export function spelt({ request, answer: { status, error, line } }: Probe): string {
	const what = whatOf(request);
	if (status === 0) return `${what} is not answered: ${error}`;
	const reason = STATUS_CODES[status];
	return `${what} is answered with ${status}${reason ? ` ${reason}` : ''}${line ? `: ${line}` : ''}`;
}
