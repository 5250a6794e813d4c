/**
 * What Nginx recorded, in neutral words. A user's own writes to its container's output: requests in the lab's format where that was laid over
 * its configuration, in the common form else, and its error log between them. One of the shipped systems writes both logs, in the lab's format,
 * into files of the record, and was asked for its totals (stub_status) and the configuration that it ran.
 */

import { isRow, jsonIn, parseLines } from '../../base/values.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { bareRecord } from '../bare-record.ts';
import type { About, Ejection, Files, HopRecord } from '../contract.ts';
import { serviceAt } from '../hop-counts.ts';
import { stampedLines } from '../log-lines.ts';
import { countAccess } from '../opaque/access-log.ts';
import {
	type AccessLine,
	type ErrorLine,
	groupByConnection,
	type LogMessage,
	parseErrorLog,
	readMessage,
	requestRecordOf,
} from './access-line.ts';
import { configuration, OWN_MARK } from './config.ts';
import { FILES, slotsIn } from './inside.ts';

type Totals = { t: number; accepted: number; handled: number; requests: number };

type Recorded = {
	lines: AccessLine[];
	errors: ErrorLine[];
	/** asked one after the other */
	totals: Totals[];
	/** as `nginx -T` prints it */
	conf: string;
};

/**
 * Times in which Nginx left a server out after failures (`max_fails`, `fail_timeout`), and what set each off: the failed attempt
 * that is logged next to it, of the same client's connection and server.
 *
 */

/** Lines of other connections may lie between the two; Nginx writes them in one go. */
const LOOK_AROUND = 50;
/** It may go on in the next second. */
const APART_S = 1;

/**
 * @param log of the whole record: who was left out in the warm-up may still be so
 * @param lines of the whole record
 */
function ejectionsOf(
	log: LogMessage[],
	lines: AccessLine[],
	{ names, ejectedS }: { names: Map<string, string>; ejectedS: number },
): Ejection[] {
	return log.flatMap((message, index) => {
		if (message.signal !== 'ejected') return [];
		const trigger = nearest(log, index);
		return [
			{
				node: message.to === undefined ? 'a service' : serviceAt(message.to, names),
				// The second that the log names has begun, and may be over by then.
				from: message.t,
				to: message.t + 1 + ejectedS,
				trigger: trigger?.signal ?? null,
				line: trigger?.text ?? message.text,
				request: lines.find((line) => line.connection === message.connection && isAt(line, message.t))?.id ?? null,
			},
		];
	});
}

/**
 * Nginx says why an attempt failed before it leaves the server out, but for a time-out, of which it says so after.
 * @param index of the message that the server was left out
 */
function nearest(log: LogMessage[], index: number) {
	const isOwn = (other: LogMessage | undefined) =>
		other !== undefined &&
		other.signal !== 'ejected' &&
		other.connection === log[index].connection &&
		other.to === log[index].to &&
		Math.abs(other.t - log[index].t) <= APART_S;
	for (let away = 1; away <= LOOK_AROUND; away += 1)
		for (const other of [log[index - away], log[index + away]]) if (isOwn(other)) return other;
	return undefined;
}

const isAt = (line: AccessLine, second: number) => line.t >= second && line.t - line.request_s < second + 1;

const PREFIX = `${OWN_MARK} `;
/** What the log says of a request is the client's to choose; a line that is cut or that is not the lab's is none. */
const NUMBERS = ['t', 'status', 'request_s', 'connection'];
const TEXTS = ['id', 'upstream', 'upstream_status', 'connect_s', 'upstream_s', 'error', 'completion'];

/** It begins to close idle clients when 1/16 of its slots are free (ngx_drain_connections). */
const TABLE_SHARE = 15 / 16;
const CLIENT_CLOSED = 499;
/** Nginx's own. https://nginx.org/en/docs/http/ngx_http_upstream_module.html#fail_timeout */
const EJECTED_S = 10;

/** A long log is read once, however often it is asked for. */
const linesIn: WeakMap<Files, AccessLine[]> = new WeakMap();

/** Its configuration logs into a file of the record, in the lab's format. */
const logsIntoFile = ({ beside = [] }: Files) => beside.includes(FILES.access);

/** Of that file. */
function filedLines(files: Files): AccessLine[] {
	const lines = linesIn.get(files) ?? parseLines(files.file(FILES.access), undefined, isAccessLine);
	linesIn.set(files, lines);
	return lines;
}

/** @returns ids of requests for which it asked several services; null where the load's window decides what is read */
export const askedAgain = (files: Files): string[] | null =>
	logsIntoFile(files) ? filedLines(files).flatMap(({ id, upstream }) => (upstream.includes(', ') ? [id] : [])) : null;

export function read(files: Files, about: About): HopRecord {
	const { log, file } = files;
	const { service, level, window, names } = about;
	const conf = file(configuration.name);
	if (logsIntoFile(files)) {
		const totals = parseLines(file(FILES.totals));
		const lines = filedLines(files);
		// Its health check opens a port and asks nothing, and its totals have a port of their own.
		return { ...recordOf({ lines, errors: parseErrorLog(file(FILES.error)), totals, conf }, about), only_load: true };
	}
	if (level === 0 || log === '')
		return {
			...bareRecord(about, 'nginx'),
			uncovered: [
				level === 0
					? `the log of ${service} was not read: what it did with a request is not known`
					: `${service} wrote nothing to its output: what it did with a request is not known`,
			],
		};
	const stamped = stampedLines(log);
	const own = stamped.flatMap(({ text }) => readOwn(text));
	const errors = stamped.flatMap(({ t, text }) => parseErrorLog(text).map((line) => ({ ...line, t: inUtc(line.t, t) })));
	if (own.length > 0) return { ...recordOf({ lines: own, errors, totals: [], conf }, about), counters: {} };
	const counted = countAccess(log, window);
	const messages = errors.flatMap(readMessage).filter(({ t }) => t >= Math.floor(window.from) && t <= window.to + 1);
	return {
		...bareRecord(about, 'nginx'),
		coverage: { requests: counted ? 'partial' : 'none', reasons: 'partial', limits: 'none' },
		uncovered: [`Nginx logs no ids by itself: which request ${service} lost cannot be said ("watch: 2" would)`],
		...(counted ? { source: 'access log', ...counted } : {}),
		log_source: 'error log',
		messages,
		ejections: ejectionsOf(errors.flatMap(readMessage), [], { names, ejectedS: ejectedIn(conf) }),
	};
}

/** Seconds for which a server is left out. */
const ejectedIn = (conf: string) => Number(/fail_timeout=(\d+)/.exec(conf)?.[1] ?? EJECTED_S);

/** Zones differ by quarters of an hour (https://www.iana.org/time-zones). */
const ZONE_STEP_S = 900;

/**
 * The error log is in the container's own zone (`TZ`, /etc/localtime), and does not say which; the engine took the line at once.
 * @param reported by the line, read as UTC
 * @param taken by the engine
 */
const inUtc = (reported: number, taken: number) => reported + Math.round((taken - reported) / ZONE_STEP_S) * ZONE_STEP_S;

function readOwn(text: string): AccessLine[] {
	const line = text.startsWith(PREFIX) ? jsonIn(text.slice(PREFIX.length)) : null;
	return isAccessLine(line) ? [line] : [];
}

/** A program may write what looks like one. */
const isAccessLine = (value: any): value is AccessLine =>
	isRow(value) && NUMBERS.every((name) => Number.isFinite(value[name])) && TEXTS.every((name) => typeof value[name] === 'string');

function recordOf({ lines, errors, totals, conf }: Recorded, about: About): HopRecord {
	const { service, names, window } = about;
	const everything = errors.flatMap(readMessage);
	// The error log has whole seconds.
	const messages = everything.filter(({ t }) => t >= Math.floor(window.from));
	const ofLoad = lines.filter(({ t }) => t > window.from);
	const byConnection = groupByConnection(messages);
	const requestRecords = ofLoad.map((line) => requestRecordOf(line, { service, names, byConnection }));
	const requests = requestsOf(totals, lines, window);
	const slots = slotsIn(conf);
	const ejectedS = ejectedIn(conf);
	return {
		...bareRecord(about, 'nginx'),
		coverage: { requests: 'full', reasons: 'full', limits: slots === null ? 'none' : 'full' },
		source: requests === null ? 'access log' : 'stub_status, access log',
		received_source: requests === null ? 'access log' : 'stub_status',
		log_source: 'error log',
		received: requests ?? ofLoad.length,
		answered_ok: requestRecords.filter(({ status, outcome }) => Number(status) < FIRST_BAD_STATUS && outcome === 'answered').length,
		answered_error: ofLoad.filter(({ status }) => status >= FIRST_BAD_STATUS && status !== CLIENT_CLOSED).length,
		aborted: ofLoad.filter(({ status }) => status === CLIENT_CLOSED).length,
		requestRecords,
		messages,
		counters_source: 'stub_status',
		counters: { 'table-full-new': totals.map(({ t, accepted, handled }) => ({ t, value: accepted - handled })) },
		limits: slots === null ? [] : [{ resource: 'connection slots', size: slots, used: [], full: slots * TABLE_SHARE }],
		ejections: ejectionsOf(everything, lines, { names, ejectedS }),
		ejected_s: ejectedS,
	};
}

/**
 * By its own count in the load.
 * @param lines those of the warm-up too
 * @returns null without totals from right before the load and from after it: where it did not answer between warm-up and
 * load, those before are older than the warm-up, which would be counted
 */
function requestsOf(totals: Totals[], lines: AccessLine[], { from }: { from: number }): number | null {
	const [before, after] = [totals.filter(({ t }) => t <= from).at(-1), totals.at(-1)];
	if (!before || !after || after.t <= before.t || lines.some(({ t }) => t > before.t && t <= from)) return null;
	// Asking for the totals is a request of its own.
	return after.requests - before.requests - totals.filter(({ t }) => t > before.t).length;
}
