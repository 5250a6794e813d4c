/**
 * Puts the lines that Caddy wrote of one request together. They carry its headers, so they are joined by its id; without one, by the
 * client's connection, on which one request follows another.
 */

import type { Signal } from '../../base/signal.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import type { About, Message, RequestRecord, UpstreamAttempt } from '../contract.ts';
import { serviceAt } from '../hop-counts.ts';
import { abortReasonOf, addressIn, isDialing, reasonOf } from './go-errors.ts';
import type { Entry } from './log-entry.ts';

export type Reason = {
	signal: Signal;
	/** it speaks of an attempt to ask a service behind, and not of the request as a whole */
	ofAttempt: boolean;
};

export type Request = {
	/** the line that ends it: of the access log, or of the error log where there is no access log */
	end: Entry;
	attempts: Entry[];
	error: Entry | null;
	abort: Entry | null;
};

/** Nginx's status for a client that left, which Caddy took over; never sent. */
const CLIENT_CLOSED = 499;
/** Caddy logs 0 where it wrote no status; without one Go's server sends this. */
const IMPLICIT_STATUS = 200;
const WITHOUT_BODY = new Set([204, 304]);

/** A line about an answer that broke off comes just before the line that ends its request. Both are written by one routine. */
const ABORT_BEFORE_END_S = 0.05;

/**
 * @param entries in the order of time
 * @returns unjoined: answers that broke off, of which the log does not say whose they were
 */
export function requestsIn(entries: Entry[]): { requests: Request[]; unjoined: Entry[] } {
	const ends = entries.some(({ kind }) => kind === 'access') ? 'access' : 'error';
	const pending: Map<string, Entry[]> = new Map();
	const requests: Request[] = [];
	const nameless: Entry[] = [];
	for (const entry of entries) {
		const key = entry.id || entry.client;
		if (entry.kind === 'abort' && key === '') nameless.push(entry);
		else if (entry.kind === ends) {
			requests.push(requestOf(entry, pending.get(key) ?? []));
			pending.delete(key);
		} else if (entry.kind === 'attempt' || entry.kind === 'error' || entry.kind === 'abort') {
			pending.set(key, [...(pending.get(key) ?? []), entry]);
		}
	}
	// What a site without an access log has: errors that no line follows.
	for (const left of pending.values()) {
		const error = left.find(({ kind }) => kind === 'error');
		if (error) requests.push(requestOf(error, left));
	}
	return { requests, unjoined: joinAborts(requests, nameless) };
}

function requestOf(end: Entry, others: Entry[]): Request {
	return {
		end,
		attempts: others.filter(({ kind }) => kind === 'attempt'),
		error: end.kind === 'error' ? end : (others.find(({ kind }) => kind === 'error') ?? null),
		abort: others.find(({ kind }) => kind === 'abort') ?? null,
	};
}

/**
 * Up to 2.6 such a line names no request: it belongs to the one that ends next with less than it promised.
 * @returns that belong to none
 */
function joinAborts(requests: Request[], aborts: Entry[]): Entry[] {
	return aborts.filter((abort) => {
		const short = requests.find(
			(request) =>
				request.abort === null && isShort(request.end) && request.end.t >= abort.t && request.end.t - abort.t < ABORT_BEFORE_END_S,
		);
		if (short) short.abort = abort;
		return short === undefined;
	});
}

const isShort = ({ method, status, size, promised }: Entry) =>
	method !== 'HEAD' && !WITHOUT_BODY.has(status ?? 0) && size !== null && promised !== null && size < promised;

export function requestRecordOf(request: Request, { service, names }: About): RequestRecord {
	const { end, error, abort } = request;
	const status = statusOf(request);
	const left = status === null || status === CLIENT_CLOSED;
	const isBroken = left || abort !== null || isShort(end);
	const asked = withAbort(askedOf(request, names), abort);
	return {
		service,
		id: end.id,
		received: end.t - (end.duration_s ?? 0),
		ended: end.t,
		outcome: isBroken ? 'broken' : 'answered',
		status: left ? null : status,
		error: status !== null && status >= FIRST_BAD_STATUS ? (error?.message ?? '') : '',
		place: isBroken ? (left ? 'waiting for the answer' : 'sending the answer') : '',
		asked,
		own: ownMessages(request, left),
	};
}

function statusOf({ end, attempts, error }: Request): number | null {
	if (end.status !== null) return end.status;
	// At the level of DEBUG each attempt has a line. Where there is none, no route asked for anything, and the client had an empty answer.
	return end.own && attempts.length === 0 && error === null ? IMPLICIT_STATUS : null;
}

function askedOf({ attempts, error }: Request, names: Map<string, string>): UpstreamAttempt[] {
	if (attempts.length > 0) return attempts.map((attempt) => attemptOf(attempt, names));
	const reason = error === null ? null : reasonOf(error.message);
	if (error === null || !reason?.ofAttempt) return [];
	// Without lines of attempts the error tells of the last one alone.
	const address = addressIn(error.message);
	const to = address === '' ? '' : serviceAt(address, names);
	return [{ to, status: null, connected: !isDialing(error.message), message: messageOf(error, reason.signal, to) }];
}

function attemptOf(attempt: Entry, names: Map<string, string>): UpstreamAttempt {
	// Of an upstream by name that several containers answer to, Go's error has the address of the one that was asked.
	const to = serviceAt(addressIn(attempt.error) || attempt.upstream, names);
	if (attempt.error === '') return { to, status: attempt.status, connected: true, message: null };
	const reason = reasonOf(attempt.error);
	const message = reason?.ofAttempt ? messageOf(attempt, reason.signal, to) : null;
	return { to, status: null, connected: !isDialing(attempt.error), message };
}

function withAbort(asked: UpstreamAttempt[], abort: Entry | null): UpstreamAttempt[] {
	const reason = abort === null ? null : abortReasonOf(abort.error);
	const last = asked.at(-1);
	if (abort === null || !reason?.ofAttempt || last === undefined) return asked;
	return [...asked.slice(0, -1), { ...last, message: messageOf(abort, reason.signal, last.to) }];
}

function ownMessages({ end, attempts, error, abort }: Request, left: boolean): Message[] {
	const reason = error === null ? null : reasonOf(error.message);
	const own = error !== null && reason && !reason.ofAttempt ? [messageOf(error, reason.signal)] : [];
	const aborted = abort === null ? null : abortReasonOf(abort.error);
	// Without a line of an attempt there is no other place to tell that its answer broke off.
	if (abort !== null && aborted && (!aborted.ofAttempt || attempts.length === 0)) own.push(messageOf(abort, aborted.signal));
	if (left && !own.some(({ signal }) => signal === 'client-gone')) own.push(messageOf(end, 'client-gone'));
	return own;
}

export const messageOf: (entry: Entry, signal: Signal, to?: string) => Message = ({ t, text }, signal, to = '') =>
	to === '' ? { signal, t, text } : { signal, t, text, to };
