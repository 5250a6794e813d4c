/** What is known of a Node service: of its output what says that a process died, and what the preload recorded in its processes. */

import { isRow, parseLines } from '../../base/values.ts';
import { bareRecord } from '../bare-record.ts';
import { isDuring, limitOf, parseRequestLog, sampledExtent } from '../complete-lines.ts';
import type { About, Files, HopRecord, Limit, Message, RequestRecord } from '../contract.ts';
import { countsOf, seenIn } from '../hop-counts.ts';
import { withAccess } from '../opaque/access-log.ts';
import { heartbeatOf } from '../pulse.ts';
import { readLog } from './log.ts';
import { PRELOAD_LEVEL } from './overlay.ts';

/** The records of a service's processes, as the preload wrote them: each process, thread or container has its own. */
type Process = {
	/** what it said of itself, once a second */
	rows: any[];
	requestRecords: RequestRecord[];
	/** requests of which it says that it made a line, and the line is not there */
	lost: number;
	/** requests with an id of the generator's */
	ofLoad: number;
};

const EVERY_ID = { has: () => true };

/**
 * @param about names: address to service
 * @returns of this container, in the order in which they began
 */
function processesIn(file: (name: string) => string, { service, names }: { service: string; names: Map<string, string> }): Process[] {
	const found = [];
	for (let number = 1; ; number += 1) {
		const rows = rowsIn(file(`process-${number}.ndjson`));
		if (rows.length === 0) return found;
		const owners = (rows[0].addresses ?? []).flatMap((address: string) => names.get(address) ?? []);
		// An address that nobody has is of a container that was started again.
		if (owners.length > 0 && !owners.includes(service)) continue;
		found.push(processOf(rows, file(`process-${number}-requests.log`), service));
	}
}

function processOf(rows: any[], log: string, service: string): Process {
	const { attempts: byId, received: ofLoad } = parseRequestLog(log, service, EVERY_ID);
	const requestRecords = [...byId].flatMap(([id, attempts]) =>
		attempts.map(({ node, ...attempt }) => ({ service: node, id, ...attempt, asked: [], own: [] })),
	);
	return { rows, requestRecords, ofLoad, lost: Math.max(0, (rows.at(-1)?.logged ?? 0) - requestRecords.length) };
}

/** A process that was killed may have left half a line. */
const rowsIn = (text: string): any[] => parseLines(text, undefined, isOwn).map(heartbeatOf);

const isOwn = (row: any) => isRow(row) && Number.isFinite(row.t);

/**
 * All processes as one: a row for each second in which one of them wrote, with the counters of all, and the loop of the busiest.
 * @returns in the form of a single one
 */
function joinedRows(processes: Process[]): any[] {
	const written = processes
		.flatMap(({ rows }, index) => rows.map((row, at) => ({ row, index, isLast: at === rows.length - 1 })))
		.toSorted((one, other) => one.row.t - other.row.t);
	/** What each process told last. */
	const latest: Map<number, { row: any; isLast: boolean }> = new Map();
	const joined: any[] = [];
	for (const [at, { row, index, isLast }] of written.entries()) {
		latest.set(index, { row, isLast });
		const next = written[at + 1]?.row;
		if (next && Math.floor(next.t) === Math.floor(row.t)) continue;
		const fresh = [...latest.values()]
			.filter((reported) => Math.floor(reported.row.t) === Math.floor(row.t))
			.map((reported) => reported.row);
		joined.push(sumOf([...latest.values()], fresh, row.t, joined.length === 0));
	}
	return joined;
}

function sumOf(all: { row: any; isLast: boolean }[], fresh: any[], t: number, isFirst: boolean): any {
	const rows = all.map(({ row }) => row);
	const added = (of: any[], read: (row: any) => number | undefined) => of.reduce((sum, row) => sum + (read(row) ?? 0), 0);
	const most = (read: (row: any) => number | undefined) => Math.max(...fresh.map((row) => read(row) ?? 0));
	// What an ended process has counted stays counted; what it had open it has no more.
	const alive = all.filter(({ row, isLast }) => !isLast || fresh.includes(row)).map(({ row }) => row);
	return {
		t,
		event: isFirst ? 'start' : 'tick',
		...(isFirst ? { versions: rows[0].versions } : {}),
		received: added(rows, (row) => row.received),
		answered: addedKeys(rows.map((row) => row.answered)),
		aborted: added(rows, (row) => row.aborted),
		in_flight: added(alive, (row) => row.in_flight),
		errors: {},
		ok_ms: addedKeys(rows.map((row) => row.ok_ms)),
		late_ms: { max: most((row) => row.late_ms?.max) },
		busy_share: most((row) => row.busy_share),
		pool: null,
	};
}

function addedKeys(parts: (Record<string, number> | undefined)[]) {
	const total: Map<string, number> = new Map();
	for (const part of parts) for (const [key, value] of Object.entries(part ?? {})) total.set(key, (total.get(key) ?? 0) + value);
	return Object.fromEntries(total);
}

/** Of the requests, that may lack a line: as of any log (../../diagnose/ledger/facts.ts). */
const LOST_SHARE = 0.01;
/** A status class, as it counts them. */
const FIRST_ERROR = '4xx';
/** A process that lives writes each second; one that wrote nothing for so long while others did has ended. */
const SILENT_S = 3;
/** From here on V8 does little else than collect garbage, before it gives up. */
const FULL_HEAP_SHARE = 0.95;

export function read({ log, file }: Files, about: About): HopRecord {
	const messages = about.level === 0 ? [] : readLog(log, about.window);
	if (about.level < PRELOAD_LEVEL) return readOutput(log, about, messages);
	const processes = processesIn(file, about);
	const record = bareRecord(about, 'node');
	if (processes.length === 0) return { ...record, uncovered: [notLoaded(about.service)], messages };
	return { ...record, ...readProcesses(processes, about) };
}

function readOutput(log: string, about: About, messages: Message[]): HopRecord {
	const floor = `${about.service} is watched from outside: its container, and not single requests (watch: ${PRELOAD_LEVEL} gives each)`;
	return withAccess({ ...bareRecord(about, 'node'), uncovered: [floor], messages }, log, about);
}

const notLoaded = (service: string) =>
	`${service} left no record: it took no connection, runs a Node before 18.18 or none, starts its program without NODE_OPTIONS, has no HTTP server of Node’s own, or could not write to its record`;

/** That a process died their record says. */
function readProcesses(processes: Process[], about: About): Partial<HopRecord> {
	const { service, window } = about;
	const heartbeat = joinedRows(processes);
	const requestRecords = seenIn(
		processes.flatMap((process) => process.requestRecords),
		window,
	);
	const doubts = doubtsAbout(processes, service);
	return {
		coverage: { requests: doubts.length === 0 ? 'full' : 'partial', reasons: 'partial', limits: sampledExtent(heartbeat, window) },
		uncovered: [...doubts, `what a request waited for inside ${service}, and why its program answered an error, is not on record`],
		source: 'record of its processes',
		log_source: 'output and record',
		...(isNamed(processes) ? countsOf(requestRecords) : countedIn(heartbeat, window)),
		requestRecords,
		messages: diedIn(processes, window).toSorted((one, other) => one.t - other.t),
		limits: heapLimits(processes, window),
		heartbeat: heartbeat,
	};
}

/** Of the requests, that have to have an id, or those that have one are not the load's alone. */
const NAMED_SHARE = 0.5;

const total = (processes: Process[], read: (process: Process) => number) => processes.reduce((sum, process) => sum + read(process), 0);

/** Whether the load's requests are those that it has by their ids. */
function isNamed(processes: Process[]) {
	const received = total(processes, ({ rows }) => rows.at(-1).received);
	return total(processes, ({ ofLoad }) => ofLoad) > 0 && total(processes, ({ rows }) => rows.at(-1).logged) >= received * NAMED_SHARE;
}

/** What it counted in the load, whatever ids its requests had. */
function countedIn(heartbeat: any[], { from }: About['window']) {
	const [before, after] = [heartbeat.findLast(({ t }) => t <= from), heartbeat[heartbeat.length - 1]];
	const gained = (read: (row: any) => number) => read(after) - (before ? read(before) : 0);
	const answered = (row: any, isWanted: (status: string) => boolean) =>
		Object.entries<any>(row.answered).reduce((sum, [status, count]) => (isWanted(status) ? sum + count : sum), 0);
	const isError = (status: string) => status >= FIRST_ERROR;
	return {
		received: gained(({ received }) => received),
		answered_ok: gained((row) => answered(row, (status) => !isError(status))),
		answered_error: gained((row) => answered(row, isError)),
		aborted: gained(({ aborted }) => aborted),
	};
}

/** Why requests may be missing, a sentence each. */
function doubtsAbout(processes: Process[], service: string): string[] {
	const lost = total(processes, (process) => process.lost);
	const logged = total(processes, ({ rows }) => rows.at(-1).logged);
	const received = total(processes, ({ rows }) => rows.at(-1).received);
	const isForeign = total(processes, ({ ofLoad }) => ofLoad) === 0;
	const troubles = processes.flatMap(({ rows }) => rows.flatMap(({ trouble }) => trouble ?? []));
	return [
		...(isForeign ? [`no request reached ${service} with the id that the load gave it (X-Request-Id)`] : []),
		...(!isForeign && !isNamed(processes) ? [`${received - logged} of ${received} requests reached ${service} without an id`] : []),
		...(isNamed(processes) ? [] : [`what ${service} counted has health checks among it`]),
		...(lost > logged * LOST_SHARE
			? [`${lost} of the ${logged} requests that ${service} wrote down are not in its record: it was killed`]
			: []),
		...[...new Set(troubles)].map((text) => `the record of ${service} may have gaps: the preload met with "${text}"`),
	];
}

/**
 * Processes of several that ended in the load: killed, so that they wrote no last line, or by themselves with an error. That the only one
 * ended the container engine tells.
 */
function diedIn(processes: Process[], window: About['window']): Message[] {
	return processes.flatMap(({ rows }, index) => {
		const { t, event, code } = rows.at(-1);
		const others = processes.filter((_, at) => at !== index);
		const isAlone = !others.some((other) => other.rows.some((row) => Math.abs(row.t - t - SILENT_S) <= 1));
		if (!isDuring(t, window) || isAlone || (event === 'stop' && code === 0)) return [];
		const how = event === 'stop' ? `ended with code ${code}` : 'wrote no last line, and no other after that';
		return [{ signal: 'worker-died' as const, t, text: `process ${rows[0].pid}: ${how}` }];
	});
}

const inMb = (bytes: number | undefined) => (bytes === undefined ? undefined : Math.round(bytes / 1e6));

/** Of the process whose heap came nearest to its limit. */
function heapLimits(processes: Process[], window: About['window']): Limit[] {
	const limits = processes.flatMap(({ rows }) =>
		limitOf(
			'heap',
			rows,
			window,
			({ heap_limit_bytes: size }) => inMb(size),
			({ heap_bytes: used }) => inMb(used),
		),
	);
	const share = ({ size, used }: Limit) => Math.max(...used.map((reading) => reading.used)) / size;
	const [nearest] = limits.toSorted((one, other) => share(other) - share(one));
	return nearest ? [{ ...nearest, unit: 'MB', full: nearest.size * FULL_HEAP_SHARE }] : [];
}
