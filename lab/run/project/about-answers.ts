/** What a request's first answer says before the load: that it fails as it stands, or leads elsewhere, and what to do about it. */

import type { ListedRequest } from '../../../k6/lib/request-list.js';
import { ENTRY, PROJECT_FILE, partsOfEntry } from '../../catalog/project-schema.ts';
import type { Service } from '../../docker/containers.ts';
import type { Answer } from '../../docker/http-answer.ts';
import { FIRST_SERVER_ERROR } from '../../wire/contract.ts';
import { isGood, whatOf } from './probe.ts';

const TRIES_MOST = 3;
const TOO_MANY = 429;
const BAD_REQUEST = 400;
const UNAVAILABLE = 503;
const LOG_IN = [401, 403];
const FIRST_REDIRECT = 300;

/**
 * What one answer in many is, is no word about all of them.
 * @returns of the last answer, where none before it was good
 */
export async function lastingNote({
	request,
	answer,
	ask,
	entry,
}: {
	request: ListedRequest;
	/** that it was given already */
	answer: Answer;
	ask: (request: ListedRequest) => Promise<Answer>;
	entry: string;
}): Promise<string[]> {
	let note = noteOf(request, answer, entry);
	for (let tries = 1; tries < TRIES_MOST && note.length > 0; tries += 1) note = noteOf(request, await ask(request), entry);
	return note;
}

/** @returns one sentence, or none where it will do */
function noteOf(request: Pick<ListedRequest, 'method' | 'path' | 'target' | 'shown' | 'expect'>, answer: Answer, entry: string): string[] {
	const { expect } = request;
	const { status, location, error } = answer;
	const what = whatOf(request);
	if (status === 0) return [`${what} is not answered (${error}).`];
	if (!isGood(request, answer)) {
		const counts = `${what} answers ${status}${status === TOO_MANY && !expect ? '' : ', which counts as a failure'}`;
		return [`${counts}: ${adviceOf(request, answer, entry)}`];
	}
	if (expect !== undefined || status < FIRST_REDIRECT || location === '') return [];
	return [`${what} is answered by a redirect, which the load does not follow: ${insteadOf(placeOf(location), entry)}.`];
}

/**
 * What to do about a request that fails.
 * @returns from behind a colon to the end of the last sentence
 */
export function adviceOf({ expect }: Pick<ListedRequest, 'expect'>, { status }: Answer, entry: string): string {
	if (status === 0) return 'see in its log why it does not answer, or list requests under load.urls that it answers.';
	if (expect !== undefined) return `load.expect names ${expect.join(', ')} alone; add ${status} to it if that is good too.`;
	if (status === TOO_MANY) return 'a rate limiter. All users of the load have one address: raise its limit for the run.';
	if (LOG_IN.includes(status)) return 'list requests that need no log-in, or log in with a k6 script (load.script).';
	const byHost = `If it wants another Host than that of ${entry}, name it under hosts.`;
	if (status >= FIRST_SERVER_ERROR)
		// A proxy says so of a Host that it has no server for.
		return `its log may say why. Volumes are new in a run: is what it needs in them?${status === UNAVAILABLE ? ` ${byHost}` : ''}`;
	// Servers that speak TLS say so of a request that comes without.
	if (status === BAD_REQUEST && entry.startsWith('http:'))
		return `if that port speaks HTTPS, write https:// in the entry; else list requests under load.urls that it serves. ${byHost}`;
	return `list requests under load.urls that it serves. ${byHost}`;
}

/**
 * What to ask for in place of what is redirected: never a place outside of the run, which may be the public one of the site.
 * @param location without its query
 */
function insteadOf(location: string, entry: string) {
	const asked = partsOfEntry(entry);
	const absolute = location.replace(/^\/\//, `${asked.scheme}://`);
	if (!/^https?:\/\//i.test(absolute)) return `ask for ${location} instead`;
	const path = absolute.replace(/^https?:\/\/[^/]*/i, '') || '/';
	const { scheme, host, port } = ENTRY.test(absolute) ? partsOfEntry(absolute) : { ...asked, host: '' };
	if (host.toLowerCase() !== asked.host.toLowerCase())
		return `it leads away from the entry, to ${location}. Ask for ${path} if ${entry} serves it too; if that wants its users’ Host, name it under hosts`;
	if (scheme === asked.scheme && port === asked.port) return `ask for ${path} instead`;
	return `it leads to ${location}. If the service listens there, write "${scheme}://${host}:${port}/" as the entry in ${PROJECT_FILE}`;
}

/** Without what may be a secret. */
const placeOf = (location: string) => location.replace(/\?.*/, '');

/** A name that the network of the run does not know is looked up by nobody: k6 is given one address for it. */
export async function aboutPinned(
	requests: ListedRequest[],
	list: () => Promise<Pick<Service, 'service' | 'addresses'>[]>,
): Promise<string[]> {
	const pinned = new Set(requests.flatMap(({ address }) => address ?? []));
	const containers = pinned.size === 0 ? [] : await list();
	const services = new Set(containers.filter(({ addresses }) => addresses.some((one) => pinned.has(one))).map(({ service }) => service));
	return [...services].flatMap((service) => {
		const { length } = containers.filter((one) => one.service === service);
		return length < 2
			? []
			: [
					`${service} has ${length} containers and is asked by a name that is none of its network's: all of the load goes to one of them. Written under "hosts" in ${PROJECT_FILE}, the name leads to all of them.`,
				];
	});
}
