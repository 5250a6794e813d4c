/** What Caddy recorded, in neutral words: its access log, its errors, its health checks, and the metrics that were sampled. */

import { bareRecord } from '../bare-record.ts';
import type { About, Files, HopRecord, Message, RequestRecord } from '../contract.ts';
import { countsOf, messagesOf, seenIn } from '../hop-counts.ts';
import { stampedLines } from '../log-lines.ts';
import { abortReasonOf } from './go-errors.ts';
import { checkMessages, gaugeMessages } from './health.ts';
import { type Entry, readEntry } from './log-entry.ts';
import { limitsOf } from './metrics.ts';
import { messageOf, type Request, requestRecordOf, requestsIn } from './requests.ts';

export type Metrics = {
	openFiles: number | null;
	mostFiles: number | null;
	/** by the upstream as the configuration names it: 1 or 0 */
	healthy: Record<string, number>;
};

export type MetricsSample = Metrics & { t: number };

/** A message about no request: Go's server writes those of its own through the logger `http.stdlib`. */
const NO_FILES = /^http: Accept error: .*too many open files/;

export function read(files: Files, about: About): HopRecord {
	const all = stampedLines(files.log)
		.flatMap((stamped) => readEntry(stamped) ?? [])
		.sort((one, other) => one.t - other.t);
	// The service's own loggers go on beside the lab's; each request must count once.
	const watched = all.some(({ own }) => own);
	const entries = watched ? all.filter(({ own }) => own) : all;
	const { requests, unjoined } = requestsIn(entries);
	const requestRecords = seenIn(
		requests.map((request) => requestRecordOf(request, about)),
		about.window,
	);
	const others = [...otherMessages(all, files.samples, about.names), ...unjoined.map(abortMessage)];
	const limits = limitsOf(files.samples);
	const hasAccess = entries.some(({ kind }) => kind === 'access');
	return {
		...bareRecord(about, 'caddy'),
		...coverageOf({ watched, hasAccess, requests, requestRecords, unjoined, limited: limits.length > 0 }),
		source: hasAccess ? 'access log' : 'error log',
		...(watched ? {} : { hides_asked: true }),
		...(hasAccess && countsOf(requestRecords)),
		requestRecords,
		messages: messagesOf(requestRecords, others, about.window),
		limits,
	};
}

function otherMessages(entries: Entry[], samples: MetricsSample[], names: Map<string, string>): Message[] {
	const checks = entries.filter(({ kind }) => kind === 'health');
	const said = entries
		.filter(({ kind, message }) => kind === 'other' && NO_FILES.test(message))
		.map((entry) => messageOf(entry, 'proxy_internal_error'));
	// The checks tell the moment; without them the gauge tells of what was left out for failed requests.
	return [...said, ...(checks.length > 0 ? checkMessages(checks, names) : gaugeMessages(samples, names))];
}

const abortMessage = (abort: Entry): Message => messageOf(abort, abortReasonOf(abort.error).signal);

type Found = {
	/** the lab's own logger wrote */
	watched: boolean;
	hasAccess: boolean;
	requests: Request[];
	/** of the window */
	requestRecords: RequestRecord[];
	unjoined: Entry[];
	limited: boolean;
};

function coverageOf({ watched, hasAccess, requests, requestRecords, unjoined, limited }: Found): Pick<HopRecord, 'coverage' | 'uncovered'> {
	const withoutId = requestRecords.filter(({ id }) => id === '').length;
	const silent = requests.some(({ end }) => end.kind === 'access' && end.status === null);
	const gaps = [
		[
			!hasAccess,
			'Caddy wrote no access log in JSON: only requests that it answered with an error of its own are on record; add "log" to each site, or allow Doubletake to lay its own configuration over (watch: 2).',
		],
		[
			withoutId > 0,
			`${withoutId} of the ${requestRecords.length} requests in Caddy’s log came without X-Request-Id: they cannot be joined to k6’s.`,
		],
		[!watched, 'Caddy’s log does not name the service behind that answered, or the attempts that it repeated (watch: 2).'],
		[
			silent && !watched,
			'Caddy logs the status 0 for a client that left before the answer, and for a request that no route took; they are taken for clients that left.',
		],
		[
			unjoined.length > 0,
			`Caddy did not say of which request an answer broke off, ${unjoined.length === 1 ? 'once' : `${unjoined.length} times`}: those requests may look whole.`,
		],
		[!limited, 'How many file descriptors Caddy had in use is not watched (watch: 2).'],
		[true, 'Caddy has no limit for connections of its own: what it cannot take waits in the kernel and leaves no line in its log.'],
	] as [boolean, string][];
	return {
		coverage: {
			requests: hasAccess && withoutId === 0 ? 'full' : requests.length > 0 ? 'partial' : 'none',
			reasons: watched && unjoined.length === 0 ? 'full' : requests.length > 0 ? 'partial' : 'none',
			limits: limited ? 'full' : 'none',
		},
		uncovered: gaps.filter(([applies]) => applies).map(([, sentence]) => sentence),
	};
}
