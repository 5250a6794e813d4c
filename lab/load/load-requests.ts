/** The requests that a load sends, from where doubletake.yaml says that they come from. */

import { type ListedRequest, requestsTo } from '../../k6/lib/request-list.js';
import { NotReadyError } from '../base/errors.ts';
import { secretsInHeaders } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { filledHeaders, withGiven } from '../catalog/project-problems.ts';
import { PROJECT_FILE, type ProjectLoad } from '../catalog/project-schema.ts';
import { shell } from '../docker/bounded.ts';
import { requestsOfOpenApi } from './openapi.ts';
import { byFirstHosts, readUrlList } from './url-list.ts';

/**
 * @param read of the folder of doubletake.yaml; null where there is no such file
 * @returns headers: that each is sent with, whose
 * values are in no request; notes: a sentence for each operation that is not sent, and why
 * @throws {NotReadyError} when there is nothing to send
 */
export function requestsOf(
	load: ProjectLoad,
	read: (file: string) => string | null,
	{
		entries = [],
		hosts,
		env = shell,
	}: {
		/** of which a URL of the list may be */
		entries?: string[];
		/** or of which, each with its entry */
		hosts?: Record<string, string>;
		/** that values of headers are taken from */
		env?: Record<string, string | undefined>;
	} = {},
): { requests: ListedRequest[]; headers: Record<string, string>; notes: string[] } {
	// A script says itself what it sends.
	if (load.script !== undefined) return { requests: [], headers: {}, notes: [] };
	const headers = filledHeaders(load.headers ?? {}, env);
	secrets.learn(secretsInHeaders(headers));
	const names = Object.keys(headers);
	const sites = { targets: entries, hosts };
	const { requests, notes } =
		load.openapi === undefined ? { requests: readUrlList(load.urls, sites), notes: [] } : described(load, names, read);
	for (const request of requests) secrets.learn(secretsInHeaders(request.headers ?? {}));
	const expected = load.expect === undefined ? {} : { expect: load.expect };
	return { requests: byFirstHosts(requests, sites).map((request) => withGiven({ ...expected, ...request }, names)), headers, notes };
}

/**
 * The load and its headers are for the entries alone, however its paths came to be: this is the URL that k6 is given, read as browsers do.
 * @param first of the entries, for what names no other
 * @throws {NotReadyError} naming the first path that leads elsewhere
 */
export function refuseElsewhere(requests: ListedRequest[], first: string) {
	for (const request of requests) {
		const entry = request.target ?? first;
		const { origin } = new URL(entry);
		const found = originOf(entry, request);
		if (found !== origin)
			throw new NotReadyError(
				`Request "${request.method}" of the load: expected a path of ${origin}; found ${JSON.stringify(request.path)}, which leads to ${found}.`,
				'correct it where the load comes from.',
			);
	}
}

function originOf(entry: string, request: ListedRequest) {
	try {
		return new URL(requestsTo(entry, [request])[0].url).origin;
	} catch {
		return 'no address';
	}
}

function described(
	{ openapi = '', include, exclude }: ProjectLoad,
	given: string[],
	read: (file: string) => string | null,
): { requests: ListedRequest[]; notes: string[] } {
	const text = read(openapi);
	if (text === null)
		throw new NotReadyError(`${PROJECT_FILE}, load.openapi: expected a file "${openapi}"; found none.`, 'correct its name.');
	const { requests, skipped } = requestsOfOpenApi(text, { include, exclude, given });
	const notes = skipped.map(({ operation, why }) => `${operation} is not sent: ${why}.`);
	if (requests.length === 0)
		throw new NotReadyError(
			[`${openapi}: expected an operation that can be sent; found none.`, ...notes].join('\n    '),
			'list requests under urls instead.',
		);
	return { requests, notes };
}
