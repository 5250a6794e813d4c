/**
 * A user's script says itself what it sends, and may change something with each request, so that nothing of it is asked before the load.
 * What its users tell of their first answers says soon enough whether all of it fails: then the load is stopped, and it is said why.
 *
 * A system that breaks down under its load is what the load is for. So it is only stopped where what is answered is no sign of that: a
 * page that is not there, a log-in, a name that nobody has, k6's own address. Time-outs, refused connections and what proxies say of a
 * service that is gone (502, 503, 504) are left to the report.
 */

import { STATUS_CODES } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../base/errors.ts';
import { jsonIn } from '../base/values.ts';
import { PROJECT_FILE, scriptTarget } from '../catalog/project-schema.ts';
import { eachRequest, parseStart, tellsRequests } from '../record/k6-requests.ts';
import { urlHosts } from '../target/host-names.ts';
import { ITSELF } from '../target/machine-addresses.ts';

/** code: k6's own, of an error */
export type Failed = { method: string; url: string; status: number; code: number };

/** From the first request on: some answers of most users are known by then, and little time is lost. */
const LOOKED_AT_S = 10;
/** A load that is this old is not stopped any more: what it measures is worth more than what it saves. */
const STOPPED_UNTIL_S = 30;
const LOOK_MS = 1000;
/** One may be meant to fail, before one that takes long. */
const FAILURES_LEAST = 2;
const SHOWN_MOST = 5;
const [FIRST_REFUSAL, GATEWAY] = [400, [502, 503, 504]];
/** https://grafana.com/docs/k6/latest/javascript-api/error-codes/ */
const CODES = { unknownHost: 1101, outside: 1110, refused: 1212 };

class FirstRequests {
	#rest = '';
	#beganS = Number.POSITIVE_INFINITY;
	#hasGood = false;
	#count = 0;
	#failed: Map<string, Failed> = new Map();

	/** @param text a further piece of k6's log; it may end inside a line */
	feed(text: string) {
		const all = this.#rest + text;
		if (this.#beganS === Number.POSITIVE_INFINITY) this.#beganS = parseStart(all) ?? this.#beganS;
		const lines = all.split('\n');
		this.#rest = lines.pop() ?? '';
		for (const reported of lines.map(saidIn)) {
			if (reported?.event === 'first-good') this.#hasGood = true;
			if (reported?.event === 'first-failed') {
				this.#count += 1;
				this.#failed.set(`${reported.method} ${reported.url} ${reported.status} ${reported.code}`, reported);
			}
			if (!tellsRequests(reported)) continue;
			eachRequest(reported.requests ?? [], ({ isGood }) => {
				this.#hasGood ||= isGood;
			});
		}
	}

	/**
	 * @param now seconds since 1970
	 * @returns each kind of request once where all of them fail, and not because of the load; null where some
	 * do not; undefined while nobody knows
	 */
	verdict(now: number): Failed[] | null | undefined {
		const elapsed = now - this.#beganS;
		if (this.#hasGood || elapsed > STOPPED_UNTIL_S) return null;
		if (!(elapsed >= LOOKED_AT_S) || this.#count < FAILURES_LEAST) return undefined;
		const failed = [...this.#failed.values()];
		return failed.every(isMisled) ? failed : null;
	}
}

/** @param line of k6's log */
function saidIn(line: string): any {
	const msg = jsonIn(line)?.msg;
	return typeof msg === 'string' && msg.startsWith('{') ? jsonIn(msg) : null;
}

const asksItself = ({ url }: Failed) => urlHosts(url).some((host) => ITSELF.test(host));

function isMisled(failed: Failed) {
	const { status, code } = failed;
	if (status >= FIRST_REFUSAL) return !GATEWAY.includes(status);
	return code === CODES.unknownHost || code === CODES.outside || (code === CODES.refused && asksItself(failed));
}

export function refusalOfScript({
	failed,
	script,
	line,
	entry,
}: {
	failed: Failed[];
	script: string;
	/** of doubletake.yaml, which names it */
	line: number;
	entry: string;
}): NotReadyError {
	const lines = failed.slice(0, SHOWN_MOST).map(({ method, url, status, code }) => `    ${method} ${url} ${answerOf(status, code)}`);
	const more = failed.length > lines.length ? [`    and ${failed.length - lines.length} more`] : [];
	const statuses = [...new Set(failed.map(({ status }) => status))].filter((status) => status > 0).toSorted((one, other) => one - other);
	const remedies = [
		`edit ${script}, so that it asks for what ${entry} serves.`,
		...(failed.some(asksItself)
			? [`To k6 in its container localhost is k6 itself; the script finds ${scriptTarget(entry)} in __ENV.TARGET.`]
			: []),
		...(failed.some(({ status }) => status === 0) ? ['Services have the names that they have in the Compose file.'] : []),
		...(statuses.length > 0
			? [`If these answers are good, say so in it: http.setResponseCallback(http.expectedStatuses(${statuses.join(', ')})).`]
			: []),
	];
	const found = `${PROJECT_FILE}:${line}, load.script: expected a script of which some request is answered well; found none in its first ${LOOKED_AT_S} s, so the load was stopped. What was asked first:`;
	return new NotReadyError([found, ...lines, ...more].join('\n'), remedies.join(' '));
}

function answerOf(status: number, code: number): string {
	if (status > 0) return `is answered with ${status}${STATUS_CODES[status] ? ` ${STATUS_CODES[status]}` : ''}`;
	if (code === CODES.outside) return 'leads out of the run, where the load does not go';
	return code === CODES.unknownHost ? 'names a host that nobody there has' : 'is refused: nothing listens there';
}

/**
 * Drives a load, and stops it where its first requests all fail.
 * @throws {NotReadyError} that `refuse` gives
 */
export async function unlessAllFail<T>(
	{
		read,
		refuse,
		signal,
		clock = { lookMs: LOOK_MS, now: () => Date.now() / 1000 },
	}: {
		/** what k6 wrote since the last call */
		read: () => Promise<string>;
		refuse: (failed: Failed[]) => NotReadyError;
		signal: AbortSignal;
		/** now: seconds since 1970 */
		clock?: { lookMs: number; now: () => number };
	},
	drive: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const [stop, over] = [new AbortController(), new AbortController()];
	const first = new FirstRequests();
	let refusal: NotReadyError | null = null;
	const look = async () => {
		while (!over.signal.aborted) {
			first.feed(await read());
			const failed = first.verdict(clock.now());
			if (failed === null) return;
			if (failed !== undefined) {
				refusal = refuse(failed);
				return stop.abort();
			}
			await wait(clock.lookMs, undefined, { signal: over.signal }).catch(() => {});
		}
	};
	const looking = look();
	// Awaited below; a failure before that must not be an unhandled one.
	looking.catch(() => {});
	try {
		return await drive(AbortSignal.any([signal, stop.signal]));
	} catch (error) {
		throw refusal !== null && !signal.aborted ? refusal : error;
	} finally {
		over.abort();
		await looking;
	}
}
