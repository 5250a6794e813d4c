/** What Envoy recorded, in neutral words: its access log, its own messages, and what its administration interface said. */

import type { Signal } from '../../base/signal.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { bareRecord } from '../bare-record.ts';
import type { About, Files, HopRecord, Message, RequestRecord, UpstreamAttempt } from '../contract.ts';
import { countsOf, messagesOf, seenIn, serviceAt } from '../hop-counts.ts';
import { stampedLines } from '../log-lines.ts';
import { type AccessLine, readAccessLine } from './access-line.ts';
import { healthMessages, limitsOf } from './admin.ts';
import { FLAGS, isUpstreamsAnswer, outcomeOf, reasonsOf } from './flags.ts';

export type Reason = {
	signal: Signal;
	/** it speaks of the last attempt to ask a service behind, and not of the request as a whole */
	ofAttempt: boolean;
};

/** An id that Envoy made: it is a UUID, which no id of the lab's k6 is. */
const MADE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Envoy's own log: `[2026-11-21 20:00:00.123][1][warning][main] [source/server/server.cc:895] caught ENVOY_SIGTERM`. */
const OWN_LOG = /^\[\d{4}-\d\d-\d\d [\d:.]+\]\[\d+\]\[(?:warning|error|critical)\]\[\w+\] (?:\[[^\]]*\] )?/;
const OWN_MESSAGES: [RegExp, Signal][] = [[/Too many open files|Cannot assign requested address/, 'proxy_internal_error']];

export function read(files: Files, about: About): HopRecord {
	const stamped = stampedLines(files.log);
	const all = stamped.flatMap((line) => readAccessLine(line) ?? []);
	// The service's own access log goes on beside the lab's; each request must count once.
	const own = all.filter((line) => line.own);
	const lines = own.length > 0 ? own : all;
	const requestRecords = seenIn(
		lines.map((line) => requestRecordOf(line, about)),
		about.window,
	);
	const others = [...stamped.flatMap(readOwnMessage), ...healthMessages(files.samples, about.names)];
	const limits = limitsOf(files.samples);
	return {
		...bareRecord(about, 'envoy'),
		...coverageOf(lines, requestRecords, limits.length > 0),
		source: 'access log',
		...(lines.length > 0 && countsOf(requestRecords)),
		requestRecords,
		messages: messagesOf(requestRecords, others, about.window),
		limits,
	};
}

function readOwnMessage({ t, text }: { t: number; text: string }): Message[] {
	const before = OWN_LOG.exec(text);
	if (!before) return [];
	const said = text.slice(before[0].length);
	const signal = OWN_MESSAGES.find(([pattern]) => pattern.test(said))?.[1];
	return signal === undefined ? [] : [{ signal, t, text }];
}

function requestRecordOf(line: AccessLine, { service, names }: About): RequestRecord {
	const to = line.host === '' ? null : serviceAt(line.host, names);
	const reasons = reasonsOf(line);
	const messageOf = ({ signal }: Reason) => ({
		signal,
		t: line.ended,
		text: line.text,
		...(to === null ? {} : { to }),
	});
	const isAttempts = (reason: Reason) => reason.ofAttempt && to !== null;
	const outcome = outcomeOf(line);
	return {
		service,
		id: line.id,
		received: line.received,
		ended: line.ended,
		outcome,
		status: line.status,
		error: line.status === null || line.status >= FIRST_BAD_STATUS ? line.flags.join(',') : '',
		place: outcome === 'broken' ? (line.details ?? '') : '',
		asked: askedOf(line, to, reasons.filter(isAttempts).map(messageOf).at(0) ?? null),
		own: reasons.filter((reason) => !isAttempts(reason)).map(messageOf),
		...tookOf(line),
	};
}

/**
 * From when it had sent the request on, the upstream has it. Before that it waited for a connection, which may have had to be made: the log
 * does not tell how long that took.
 * @returns nothing where the request was not sent on
 */
const tookOf = ({ durationMs, sentMs }: AccessLine): Pick<RequestRecord, 'took_ms'> =>
	sentMs === null ? {} : { took_ms: { whole: durationMs, behind: Math.max(0, durationMs - sentMs), connect: 0 } };

/** The attempts: of those before the last the log has the number alone. */
function askedOf(line: AccessLine, to: string | null, message: Message | null): UpstreamAttempt[] {
	const repeated = Array.from({ length: Math.max(0, (line.attempts ?? 1) - 1) }, () => ({
		to: line.cluster || (to ?? ''),
		status: null,
		connected: false,
		message: null,
	}));
	// A request that a circuit breaker turned away was sent to nobody, though a host was chosen for it.
	if (to === null || line.flags.includes('UO')) return repeated;
	const status = isUpstreamsAnswer(line) ? line.status : null;
	return [...repeated, { to, status, connected: !line.flags.includes('UF'), message }];
}

/** @param requestRecords of the window */
function coverageOf(lines: AccessLine[], requestRecords: RequestRecord[], limited: boolean): Pick<HopRecord, 'coverage' | 'uncovered'> {
	const withoutId = requestRecords.filter(({ id }) => id === '').length;
	const renamed = requestRecords.filter(({ id }) => MADE_ID.test(id)).length;
	const vague = lines.some(({ details, flags }) => details === null && flags.includes('UF'));
	const retried = lines.some(({ attempts }) => (attempts ?? 1) > 1);
	const unknown = [...new Set(lines.flatMap(({ flags }) => flags))].filter((flag) => FLAGS[flag] === undefined);
	const gaps = [
		[
			lines.length === 0,
			'Envoy wrote no access log that Doubletake can read; log to stdout in the default format or in JSON, or allow Doubletake to lay its own configuration over (watch: 2).',
		],
		[
			withoutId > 0,
			`${withoutId} of Envoy’s ${requestRecords.length} lines have no request id: they cannot be joined to k6’s; log %REQ(X-REQUEST-ID)%, or allow Doubletake to lay its own configuration over (watch: 2).`,
		],
		[
			renamed > 0,
			`Envoy gave ${renamed} of ${requestRecords.length} requests an id of its own: their lines cannot be joined to k6’s; set "preserve_external_request_id: true", or allow Doubletake to lay its own configuration over (watch: 2).`,
		],
		[
			vague,
			'Envoy’s default access log does not tell a refused connection from one that was not made in time; log %RESPONSE_CODE_DETAILS%.',
		],
		[
			lines.some(({ timed }) => !timed),
			'Envoy’s lines have no start time: their times are those at which Envoy wrote them, up to ten seconds late.',
		],
		[retried, 'Envoy counts the repeated attempts of a request, and does not say why or where each failed.'],
		[unknown.length > 0, `Doubletake does not know these response flags of Envoy: ${unknown.join(', ')}.`],
		[!limited, 'How full Envoy’s circuit breakers were is not watched (watch: 2).'],
	] as [boolean, string][];
	const isNone = lines.length === 0;
	return {
		coverage: {
			requests: isNone ? 'none' : withoutId > 0 || renamed > 0 ? 'partial' : 'full',
			reasons: isNone ? 'none' : vague || retried || unknown.length > 0 ? 'partial' : 'full',
			limits: limited ? 'full' : 'none',
		},
		uncovered: gaps.filter(([applies]) => applies).map(([, sentence]) => sentence),
	};
}
