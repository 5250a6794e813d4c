/**
 * Asks the entries of a user's system from this machine, at the addresses of their containers: what the load will ask them, or what stands in
 * for it. One request after the other, whatever passes the networks meanwhile was asked for that one: what each kind of request asks of whom
 * is learned so.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ListedRequest } from '../../../k6/lib/request-list.js';
import { withId } from '../../../k6/lib/stored-id.js';
import { entryUrls, type Project, partsOfEntry } from '../../catalog/project-schema.ts';
import type { Service } from '../../docker/containers.ts';
import { type Answer, answerOf, isReachable } from '../../docker/http-answer.ts';
import { serviceOfEntry } from '../../target/describe.ts';
import type { CheckedSystem } from './checked-system.ts';

/** They change nothing, so that they may be asked before the load (RFC 9110, 9.2.1). */
const SAFE = ['GET', 'HEAD', 'OPTIONS'];
const FIRST_REFUSAL = 400;

export const isSafe = ({ method }: ListedRequest) => SAFE.includes(method);

/** As the load judges it. */
export const isGood = ({ expect }: Pick<ListedRequest, 'expect'>, { status }: Pick<Answer, 'status'>) =>
	expect ? expect.includes(status) : status > 0 && status < FIRST_REFUSAL;

export const whatOf = ({ method, path, target = '', shown = target }: Pick<ListedRequest, 'method' | 'path' | 'target' | 'shown'>) =>
	`${method} ${shown.replace(/\/+$/, '')}${path}`;

const NOT_UP: Answer = { status: 0, location: '', error: 'its container does not run' };

/** Of a container of the service at which users come in. */
export function addressIn({
	project,
	list,
}: Pick<Parameters<typeof askerOf>[0], 'project' | 'list'>): (entry: string) => Promise<string | undefined> {
	return async (entry) => {
		const asked = serviceOfEntry(project, entry);
		const containers = (await list()).filter(({ service }) => service === asked);
		return containers.flatMap(({ addresses }) => addresses).find((address) => isReachable(address));
	};
}

/** Asks an entry as its network would. */
export function askerOf({
	project,
	list,
	headers: given = {},
	isComplete = false,
}: {
	project: Project;
	/** the containers */
	list: () => Promise<Pick<Service, 'service' | 'addresses'>[]>;
	/** that each is sent with */
	headers?: Record<string, string>;
	/** the answers are taken to their ends */
	isComplete?: boolean;
}): (request: ListedRequest) => Promise<Answer> {
	const [first] = entryUrls(project);
	const addressOf = addressIn({ project, list });
	return async ({ method, path, headers, target = first, address: own }) => {
		const place = partsOfEntry(target);
		const address = own ?? (await addressOf(target));
		if (address === undefined) return NOT_UP;
		// None of the load's, which alone are counted.
		const id = randomUUID();
		const all = Object.entries({ ...headers, ...given }).map(([name, value]) => [name, withId(value, id)]);
		const sent = { path: withId(`${place.base}${path}`, id), headers: Object.fromEntries(all) };
		return answerOf({ ...place, ...sent, address, method, isComplete });
	};
}

/** Each request is sent so often: the first may fill a cache, or open a pool. */
export const TIMES = 3;
/** Of the load, so many requests are sent. */
export const ASKED_MOST = 20;
/** What a service does after its answer is not to be the next one's; longer than the silence that a request needs to count as alone. */
const PAUSE_MS = 20;
/** Before a load, for all of them together: the load is what costs time. */
const LISTED_LIMIT_MS = 5000;
/** Whatever there is at the root, where the load does not say what it asks without its script. */
export const ROOT: ListedRequest = { method: 'GET', path: '/' };
/** Nobody has such a page: a program that passes requests on passes this one on too. */
export const NOWHERE: ListedRequest = { method: 'GET', path: '/doubletake-no-such-page' };

/** @param requests of the load */
const listedOf = (requests: ListedRequest[]): ListedRequest[] => requests.filter(isSafe).slice(0, ASKED_MOST);

/** @param requests of the load */
export function probedOf(requests: ListedRequest[]): ListedRequest[] {
	const listed = listedOf(requests);
	return listed.length > 0 ? listed : [ROOT];
}

/** @returns the last answers of those that were not answered well */
export async function probe({
	asked,
	project,
	headers,
	containers,
	limitMs,
	signal,
	reported = () => {},
}: {
	asked: ListedRequest[];
	project: Project;
	/** that each is sent with */
	headers: Record<string, string>;
	containers: Awaited<ReturnType<Parameters<typeof askerOf>[0]['list']>>;
	/** for all of them together: none begins later */
	limitMs: number;
	signal: AbortSignal;
	/** of each answer */
	reported?: (request: ListedRequest, answer: Answer) => void;
}): Promise<Map<ListedRequest, Answer>> {
	const ask = askerOf({ project, list: async () => containers, headers, isComplete: true });
	const until = Date.now() + limitMs;
	const failed: Map<ListedRequest, Answer> = new Map();
	for (let time = 0; time < TIMES; time += 1)
		for (const [place, request] of asked.entries()) {
			if (Date.now() >= until) return failed;
			// As the load's carry one: where it is passed on, what carries none is nobody's.
			const answer = await ask({ ...request, headers: { 'X-Request-Id': `probe-${time}-${place}`, ...request.headers } });
			reported(request, answer);
			if (isGood(request, answer)) failed.delete(request);
			else failed.set(request, answer);
			await wait(PAUSE_MS, undefined, { signal });
		}
	return failed;
}

/** Before the load of a run. A script says itself what it sends, and what of that happens to be alone has to do. */
export async function probeListed({
	checked: { requests, headers },
	project,
	containers,
	signal,
}: {
	checked: Pick<CheckedSystem, 'requests' | 'headers'>;
	project: Project;
	containers: Parameters<typeof probe>[0]['containers'];
	signal: AbortSignal;
}) {
	await probe({ asked: listedOf(requests), project, headers, containers, limitMs: LISTED_LIMIT_MS, signal });
}

/**
 * What is asked of each entry of which no request of the load can be: what its health check asks, which the service is made to answer well,
 * else whatever there is at its root.
 */
export function standInsOf({
	entries,
	listed,
	healthPath = () => '',
}: {
	entries: string[];
	listed: ListedRequest[];
	healthPath?: (entry: string) => string;
}): (ListedRequest & { target: string })[] {
	const isAsked = (entry: string) => listed.some(({ target = entries[0] }) => target === entry);
	// Of an entry that begins below the root, a health check has another beginning.
	const pathOf = (entry: string) => (partsOfEntry(entry).base === '' && healthPath(entry)) || '/';
	return entries.filter((entry) => !isAsked(entry)).map((target) => ({ method: 'GET', path: pathOf(target), target }));
}
