/**
 * What Nginx recorded, in neutral words. A user's own writes to its container's output: requests in the lab's format where that was laid over
 * its configuration, in the common form else, and its error log between them. One of the shipped systems writes both logs, in the lab's format,
 * into files of the record, and was asked for its totals (stub_status) and the configuration that it ran.
 *
 * @typedef {{ t: number, accepted: number, handled: number, requests: number }} Totals
 *
 * @typedef {object} Recorded
 * @property {AccessLine[]} lines
 * @property {ErrorLine[]} errors
 * @property {Totals[]} totals   asked one after the other
 * @property {string} conf       as `nginx -T` prints it
 *
 * @import { Configuration, Overlaid } from '../configuration.ts'
 * @import { About, Adapter, Ejection, Files, HopRecord, ServiceModel } from '../contract.ts'
 * @import { AccessLine, ErrorLine, LogMessage } from './access-line.ts'
 */

import { NotReadyError } from '../../base/errors.ts';
import { RECORD } from '../../base/paths.ts';
import { isRow, jsonIn, parseLines } from '../../base/values.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { bareRecord } from '../complete-lines.ts';
import { optionValues } from '../found-servers.ts';
import { serviceAt, stampedLines } from '../hop-counts.ts';
import { countAccess } from '../opaque/access-log.ts';
import { groupByConnection, parseErrorLog, readMessage, requestRecordOf } from './access-line.ts';

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
 * @param {LogMessage[]} log  of the whole record: who was left out in the warm-up may still be so
 * @param {import('./access-line.ts').AccessLine[]} lines  of the whole record
 * @param {{ names: Map<string, string>, ejectedS: number }} about
 * @returns {Ejection[]}
 */
function ejectionsOf(log, lines, { names, ejectedS }) {
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
 * @param {LogMessage[]} log
 * @param {number} index of the message that the server was left out
 */
function nearest(log, index) {
	const isOwn = (/** @type {LogMessage | undefined} */ other) =>
		other !== undefined &&
		other.signal !== 'ejected' &&
		other.connection === log[index].connection &&
		other.to === log[index].to &&
		Math.abs(other.t - log[index].t) <= APART_S;
	for (let away = 1; away <= LOOK_AROUND; away += 1)
		for (const other of [log[index - away], log[index + away]]) if (isOwn(other)) return other;
	return undefined;
}

/** @param {import('./access-line.ts').AccessLine} line @param {number} second */
const isAt = (line, second) => line.t >= second && line.t - line.request_s < second + 1;

/*
 * Changes a copy of Nginx's main configuration so that the lab can watch it: each request is logged with its id in the lab's format, and
 * warnings are logged too, which Nginx hides by default, both to the container's output. Files that it includes are left as they are.
 */

/** Of the lab's own lines; a change of their meaning takes a new word. */
export const OWN_MARK = 'doubletake1';

/** Where the image of Docker Hub has it, and Debian's package. */
const DEFAULT_PATH = '/etc/nginx/nginx.conf';
const REPLACED = '# doubletake: ';

/** https://nginx.org/en/docs/http/ngx_http_log_module.html, https://nginx.org/en/docs/http/ngx_http_upstream_module.html#variables */
const FIELDS = [
	'"t":$msec',
	'"id":"$http_x_request_id"',
	'"status":$status',
	'"request_s":$request_time',
	'"connection":$connection',
	'"upstream":"$upstream_addr"',
	'"upstream_status":"$upstream_status"',
	'"connect_s":"$upstream_connect_time"',
	'"upstream_s":"$upstream_response_time"',
	'"error":""',
	'"completion":"$request_completion"',
];
const LOGS = [`log_format ${OWN_MARK} escape=json '${OWN_MARK} {${FIELDS.join(',')}}';`, `access_log /dev/stdout ${OWN_MARK};`];
const WARNINGS = 'error_log /dev/stderr warn;';

/** @type {Configuration} */
export const configuration = { name: 'nginx.conf', pathOf, overlaid };

/** @param {ServiceModel} service @returns {string | null} */
export function pathOf(service) {
	const [path] = optionValues(service, 'nginx', ['-c']);
	return path ?? service.mounts.find(({ target }) => target.endsWith('/nginx.conf'))?.target ?? DEFAULT_PATH;
}

/**
 * @param {string} text
 * @returns {Overlaid}
 * @throws {NotReadyError} for a text without an http block
 */
function overlaid(text) {
	const lines = text.replace(/\r\n/g, '\n').split('\n');
	const http = lines.findIndex((line) => /^\s*http\s*\{\s*(#.*)?$/.test(line));
	if (http < 0)
		throw new NotReadyError(
			'Nginx’s configuration: expected a line "http {"; found none.',
			'name the file that has it, or watch at level 1.',
		);
	const replaced = (/** @type {string} */ line) =>
		/^\s*(access_log|error_log)\s/.test(line) ? line.replace(/^(\s*)/, `$1${REPLACED}`) : line;
	const changed = [
		WARNINGS,
		...lines.slice(0, http).map(replaced),
		lines[http],
		...LOGS.map((line) => `    ${line}`),
		...lines.slice(http + 1).map(replaced),
	];
	return {
		text: changed.join('\n'),
		changes: [
			'http: each request is logged with its X-Request-Id to the container’s output, instead of what access_log says in this file.',
			'warnings, such as that of a full connection table, are logged to the container’s output, instead of what error_log says in this file.',
		],
	};
}

/*
 * What the lab asks the Nginx of a shipped system inside its container: the configuration that it runs, and its connection totals.
 */

/** Names inside `raw/` of what it and the lab leave there. */
export const FILES = Object.freeze({
	access: 'nginx-access.ndjson',
	error: 'nginx-error.log',
	conf: 'nginx.conf',
	totals: 'nginx-status.ndjson',
});

/** @param {string[]} entrypoint of its container @returns {string[]} prints the configuration, includes and all */
const confCommand = (entrypoint) => ['nginx', '-T', '-q', '-c', entrypoint[entrypoint.indexOf('-c') + 1]];

const ASK = "exec 3<>/dev/tcp/127.0.0.1/8081; printf 'GET /status HTTP/1.0\\r\\n\\r\\n' >&3; timeout 2 cat <&3";

/** Prints its totals, which it tells on a port of their own. */
const TOTALS_COMMAND = ['timeout', '3', 'bash', '-c', ASK];

/**
 * @param {string} answer of ngx_http_stub_status_module
 * @returns {{ accepted: number, handled: number, requests: number, active: number } | null} null where it is none
 */
function parseTotals(answer) {
	const totals = /^\s*(\d+) (\d+) (\d+)\s*$/m.exec(answer);
	const active = /Active connections: (\d+)/.exec(answer);
	if (!totals || !active) return null;
	const [, accepted, handled, requests] = totals.map(Number);
	return { accepted, handled, requests, active: Number(active[1]) };
}

/** Of its connection table, all workers together. @param {string} conf @returns {number | null} */
export function slotsIn(conf) {
	const connections = /^\s*worker_connections\s+(\d+);/m.exec(conf)?.[1];
	const workers = /^\s*worker_processes\s+(\d+);/m.exec(conf)?.[1] ?? '1';
	return connections === undefined ? null : Number(connections) * Number(workers);
}

/** @type {NonNullable<Adapter['inside']>} */
export const inside = {
	folder: 'nginx',
	conf: { file: FILES.conf, command: confCommand, slots: slotsIn },
	totals: { file: FILES.totals, command: TOTALS_COMMAND, parse: parseTotals },
};

const PREFIX = `${OWN_MARK} `;
/** What the log says of a request is the client's to choose; a line that is cut or that is not the lab's is none. */
const NUMBERS = ['t', 'status', 'request_s', 'connection'];
const TEXTS = ['id', 'upstream', 'upstream_status', 'connect_s', 'upstream_s', 'error', 'completion'];

/** It begins to close idle clients when 1/16 of its slots are free (ngx_drain_connections). */
const TABLE_SHARE = 15 / 16;
const CLIENT_CLOSED = 499;
/** Nginx's own. https://nginx.org/en/docs/http/ngx_http_upstream_module.html#fail_timeout */
const EJECTED_S = 10;

/** A long log is read once, however often it is asked for. @type {WeakMap<Files, AccessLine[]>} */
const linesIn = new WeakMap();

/** Its configuration logs into a file of the record, in the lab's format. @param {Files} files */
const logsIntoFile = ({ beside = [] }) => beside.includes(FILES.access);

/** Of that file. @param {Files} files @returns {AccessLine[]} */
function filedLines(files) {
	const lines = linesIn.get(files) ?? parseLines(files.file(FILES.access), undefined, isAccessLine);
	linesIn.set(files, lines);
	return lines;
}

/** @param {Files} files @returns {string[] | null} ids of requests for which it asked several services; null where the load's window decides what is read */
export const askedAgain = (files) =>
	logsIntoFile(files) ? filedLines(files).flatMap(({ id, upstream }) => (upstream.includes(', ') ? [id] : [])) : null;

/**
 * @param {Files} files
 * @param {About} about
 * @returns {HopRecord}
 */
export function read(files, about) {
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

/** Seconds for which a server is left out. @param {string} conf */
const ejectedIn = (conf) => Number(/fail_timeout=(\d+)/.exec(conf)?.[1] ?? EJECTED_S);

/** Zones differ by quarters of an hour (https://www.iana.org/time-zones). */
const ZONE_STEP_S = 900;

/**
 * The error log is in the container's own zone (`TZ`, /etc/localtime), and does not say which; the engine took the line at once.
 * @param {number} reported   by the line, read as UTC
 * @param {number} taken  by the engine
 */
const inUtc = (reported, taken) => reported + Math.round((taken - reported) / ZONE_STEP_S) * ZONE_STEP_S;

/** @param {string} text @returns {AccessLine[]} */
function readOwn(text) {
	const line = text.startsWith(PREFIX) ? jsonIn(text.slice(PREFIX.length)) : null;
	return isAccessLine(line) ? [line] : [];
}

/** A program may write what looks like one. @param {any} value @returns {value is AccessLine} */
const isAccessLine = (value) =>
	isRow(value) && NUMBERS.every((name) => Number.isFinite(value[name])) && TEXTS.every((name) => typeof value[name] === 'string');

/**
 * @param {Recorded} recorded
 * @param {About} about
 * @returns {HopRecord}
 */
function recordOf({ lines, errors, totals, conf }, about) {
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
 * @param {Totals[]} totals
 * @param {AccessLine[]} lines  those of the warm-up too
 * @param {{ from: number }} window
 * @returns {number | null} null without totals from right before the load and from after it: where it did not answer between warm-up and
 *   load, those before are older than the warm-up, which would be counted
 */
function requestsOf(totals, lines, { from }) {
	const [before, after] = [totals.filter(({ t }) => t <= from).at(-1), totals.at(-1)];
	if (!before || !after || after.t <= before.t || lines.some(({ t }) => t > before.t && t <= from)) return null;
	// Asking for the totals is a request of its own.
	return after.requests - before.requests - totals.filter(({ t }) => t > before.t).length;
}

/*
 * The logs and totals of a shipped system's Nginx without requests that are left out of its record.
 */

/** What the error log calls a connection. */
const CONNECTION = / \*(\d+) /;

/** @type {NonNullable<Adapter['without']>} */
export function without(thinned, files, { isDropped }) {
	const [access, error, totals] = [FILES.access, FILES.error, FILES.totals].map((name) => `${RECORD.raw}/${name}`);
	if (!files[access]) return {};
	return {
		...(files[error] ? { [error]: ofConnections(thinned[error], files[access], thinned[access]) } : {}),
		...(files[totals] ? { [totals]: less(files[totals], files[access], isDropped) } : {}),
	};
}

/** The error log names the connection alone. @param {string} text @param {string} all lines of the access log @param {string} kept */
function ofConnections(text, all, kept) {
	const connectionsIn = (/** @type {string} */ lines) => new Set([...lines.matchAll(/"connection":(\d+)/g)].map(([, number]) => number));
	const [every, left] = [connectionsIn(all), connectionsIn(kept)];
	const isKept = (/** @type {string} */ line) => {
		const number = CONNECTION.exec(line)?.[1];
		return number === undefined || !every.has(number) || left.has(number);
	};
	return text
		.split('\n')
		.filter((line) => line === '' || isKept(line))
		.join('\n');
}

/** @param {string} totals @param {string} access @param {(id: string) => boolean} isDropped */
function less(totals, access, isDropped) {
	const dropped = parseLines(access).filter(({ id }) => isDropped(id));
	return parseLines(totals)
		.map((row) => ({ ...row, requests: Math.max(0, row.requests - dropped.filter(({ t }) => t <= row.t).length) }))
		.map((row) => `${JSON.stringify(row)}\n`)
		.join('');
}
