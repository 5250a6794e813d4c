/**
 * A record with fewer requests in it: some of each kind of failure, and some good ones. What a user wrote of its requests, every log's lines of
 * them and, where the wire was recorded, what was asked for them go together; whatever is counted or measured by the second stays, but that
 * requests which are left out are taken off what counts requests. Pure.
 */

import { basename } from 'node:path';
import type { Left as LeftOfContract } from '../../adapters/contract.ts';
import { adapterFor } from '../../adapters/registry.ts';
import { RAW, RECORD, requestLogOf, SERVICE_RECORD } from '../../base/paths.ts';
import { grouped, parseLines } from '../../base/values.ts';
import { some } from '../../diagnose/joins/rules.ts';
import type { Raw } from '../../diagnose/read-raw.ts';
import type { Window } from '../../diagnose/time/window.ts';
import { maskedFigures } from '../../diagnose/waiting/logs.ts';
import { EACH, eachRequest, HEAD } from '../../record/k6-requests.ts';
import type { PlacedRequest, RecordFiles } from './files.ts';
import { thinWire, WIRE } from './files.ts';

/** a record as it was measured */
export type Whole = {
	files: RecordFiles;
	raw: Raw;
	window: Window;
	/** its failed requests */
	placed: PlacedRequest[];
};

/*
 * What the generator wrote of its requests, with fewer of them: a line of a user stays whole or goes.
 */

/** Of what a scenario said of failures, of each status and kind: texts for the reader. */
const SAMPLES_EACH = 3;
/** k6's own times of the requests of the load, and counts of them. */
const OF_LOAD = 'http_req_duration{scenario:load}';
const COUNTED = ['lab_finished', OF_LOAD];

/**
 * @param wanted failed requests that are kept at any rate; about how many good ones beside them
 * @returns the files that changed; what they hold
 */
function thinLoad(
	files: RecordFiles,
	{ chosen, good }: { chosen: Set<string>; good: number },
): { files: RecordFiles; failed: string[]; good: number; warm: number } {
	const logs = Object.keys(files).filter((name) => basename(name) === RAW.k6Log);
	const changed: RecordFiles = {};
	const reported = { failed: [] as string[], good: 0, warm: 0 };
	for (const name of logs) {
		const lines = files[name].split('\n').filter((line) => line !== '');
		const kept = keptOf(lines, chosen, Math.ceil(good / logs.length));
		changed[name] = kept.lines.map((line) => `${line}\n`).join('');
		reported.failed.push(...kept.failed);
		reported.good += kept.good;
		reported.warm += kept.warm;
		const summary = name.replace(RAW.k6Log, RAW.k6Summary);
		if (files[summary]) changed[summary] = counting(files[summary], kept.failed.length + kept.good);
	}
	return { files: changed, ...reported };
}

type Said = { line: string; said: any };

function keptOf(lines: string[], chosen: Set<string>, good: number) {
	const all = lines.map((line) => ({ line, said: saidIn(line) }));
	const isOf = (name: string) => all.filter(({ said }) => Array.isArray(said[name]) && said[name].length >= HEAD + EACH);
	const load = isOf('requests');
	const bad = load.filter(({ said }) => idsOf(said).some((id) => chosen.has(id)));
	const clean = load.filter(({ said }) => idsOf(said).length === 0);
	const each = clean.reduce((total, one) => total + goodIn(one), 0) / Math.max(1, clean.length);
	const [plain, warm] = [some(clean, Math.ceil(good / Math.max(1, each))), some(isOf('warm'), good)];
	const samples = all.filter(({ said }) => typeof said.kind === 'string' && typeof said.code === 'number');
	const dropped = new Set([...load, ...isOf('warm'), ...samples]);
	for (const one of [...bad, ...plain, ...warm, ...fewOf(samples)]) dropped.delete(one);
	const kept = all.filter((one) => !dropped.has(one));
	return {
		lines: kept.map(({ line }) => line),
		failed: bad.flatMap(({ said }) => idsOf(said)),
		good: [...bad, ...plain].reduce((total, one) => total + goodIn(one), 0),
		warm: warm.reduce((total, { said }) => total + (said.warm.length - HEAD) / EACH, 0),
	};
}

const fewOf = (samples: Said[]) =>
	[...grouped(samples, ({ said: { code, kind } }) => `${code} ${kind}`).values()].flatMap((of) => some(of, SAMPLES_EACH));

/** @param line of k6's log */
function saidIn(line: string) {
	try {
		const { msg } = JSON.parse(line);
		return typeof msg === 'string' && msg.startsWith('{') ? JSON.parse(msg) : {};
	} catch {
		return {};
	}
}

/** @returns of the requests of the line that failed */
const idsOf = ({ failed }: any): string[] => (Array.isArray(failed) ? failed.filter(Array.isArray).map(([id]) => id) : []);

function goodIn({ said }: Said) {
	let good = 0;
	eachRequest(said.requests, ({ isGood }) => {
		if (isGood) good += 1;
	});
	return good;
}

function counting(summary: string, requests: number) {
	const read = JSON.parse(summary);
	for (const name of COUNTED) if (read.metrics?.[name]?.values.count !== undefined) read.metrics[name].values.count = requests;
	return JSON.stringify(onlyRead(read));
}

/** Of k6's metrics, those that no figure comes from; and where the load has metrics of its own, those of all scenarios. */
const UNREAD = /^(http_req_(receiving|tls_handshaking|waiting|connecting|failed)|vus|vus_max|iterations|data_sent|data_received)$/;
const UNREAD_OF_ALL = /^(http_req_(duration|blocked)(\{expected_response:true\})?|http_reqs|iteration_duration)$/;

function onlyRead({ root_group: _, options: __, metrics = {}, ...rest }: any): any {
	const isRead = (name: string) =>
		metrics[name].thresholds !== undefined || !(UNREAD.test(name) || (OF_LOAD in metrics && UNREAD_OF_ALL.test(name)));
	return { ...rest, metrics: Object.fromEntries(Object.entries<any>(metrics).filter(([name]) => isRead(name))) };
}

/*
 * What services counted of requests, less those that are left out. Of the time that a node adds up over its good answers as large a share goes as
 * of those answers, second by second.
 */

/** HTTP: an answer that is none of an error. */
const BAD_LEAST = 400;
const PER_MS = 1000;

function withCounters(
	thinned: RecordFiles,
	files: RecordFiles,
	{ nodes, isDropped }: { nodes: string[]; isDropped: (id: string) => boolean },
) {
	const changed: RecordFiles = {};
	for (const node of nodes) {
		const [log, rows] = [`${RECORD.raw}/${requestLogOf(node)}`, `${RECORD.raw}/${node}.ndjson`];
		if (files[log]) changed[rows] = ofNode(files[rows], droppedIn(files[log], isDropped));
	}
	return { ...thinned, ...changed };
}

/** @returns the last line may be cut */
const rowsOf = (text: string): any[] => parseLines(text);

const textOf = (rows: any[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** a line of a node's log; seconds since 1970 */
type Dropped = { t: number; sign: string; status: string | undefined };

/** A node that starts again counts anew. */
function ofNode(text: string, dropped: Dropped[]) {
	let from = Number.NEGATIVE_INFINITY;
	let ok = newSums();
	const rows = rowsOf(text).map((row) => {
		if (row.event === 'start') [from, ok] = [row.t, newSums()];
		const until = dropped.filter(({ t }) => t >= from && t <= row.t);
		const ended = until.filter(({ sign }) => sign === '-');
		const less = (counted: number, gone: Dropped[]) => Math.max(0, counted - gone.length);
		const answered = Object.entries<any>(row.answered ?? {}).map(([code, counted]) => [
			code,
			less(
				counted,
				ended.filter(({ status }) => classOf(status) === code),
			),
		]);
		return {
			...row,
			received: less(
				row.received,
				until.filter(({ sign }) => sign === '+'),
			),
			...(row.answered ? { answered: Object.fromEntries(answered) } : {}),
			...(row.ok_ms ? { ok_ms: ok(row.ok_ms, ended.filter(({ status }) => Number(status) < BAD_LEAST).length) } : {}),
		};
	});
	return textOf(rows);
}

/** As a node counts what it answered: `2xx`. */
const classOf = (status: string | undefined) => `${status?.[0]}xx`;

/** a count, and milliseconds by what took them */
type Sums = Record<string, number>;

/** @returns of one reading after the other; gone: good answers that are left out by then */
function newSums(): (sums: Sums, gone: number) => Sums {
	let [before, kept] = [{ count: 0 }, { count: 0 }] as Sums[];
	return (sums, gone) => {
		const count = Math.max(kept.count, sums.count - gone);
		const gained = sums.count - before.count;
		const share = gained > 0 ? Math.min(1, (count - kept.count) / gained) : 0;
		const next = Object.fromEntries(
			Object.entries(sums).map(([name, ms]) => [
				name,
				name === 'count' ? count : Math.round(((kept[name] ?? 0) + (ms - (before[name] ?? 0)) * share) * PER_MS) / PER_MS,
			]),
		);
		[before, kept] = [sums, next];
		return next;
	};
}

/** When nodes answered requests well, by their logs, and those of them that are left out. */
function answeredIn(
	files: RecordFiles,
	{ nodes, isDropped }: { nodes: string[]; isDropped: (id: string) => boolean },
): LeftOfContract['answered'] {
	const logs = nodes.flatMap((node) => files[`${RECORD.raw}/${requestLogOf(node)}`] ?? []);
	const times = (isOf: (id: string) => boolean) =>
		logs.flatMap((log) => droppedIn(log, isOf)).flatMap(({ t, sign, status }) => (sign === '-' && Number(status) < BAD_LEAST ? [t] : []));
	return { all: times(() => true), gone: times(isDropped) };
}

/** @param log of a node's requests */
function droppedIn(log: string, isDropped: (id: string) => boolean): Dropped[] {
	let began = 0;
	return log.split('\n').flatMap((line) => {
		const [first, ms, status] = line.split(' ');
		if (first[0] === '#') began = Number(first.slice(1));
		return ms !== undefined && isDropped(first.slice(1)) ? [{ t: (began + Number(ms)) / 1000, sign: first[0], status }] : [];
	});
}

/*
 * Logs without the lines of requests that are left out.
 */

/** The generator's ids in a text, where no longer name and no date is around them; a node's log of requests has a sign before each. */
const ID = /(?:(?<![\w.:-])|(?<=^[^\w\s]))w?\d+-\d+(?![\w-])/gm;

/** Before a line of what a service wrote, as the engine took it. */
const TIME = /^(\S+Z) /;
/** What is said of a failure is said when it happens. The lab's own choice. */
const NEAR_S = 0.05;

type Left = {
	isDropped: (id: string) => boolean;
	/** of what a service wrote, of each kind of line that names no request so many stay, beside those near a failure */
	lines: number;
	/** when a request failed that stays, seconds since 1970 */
	moments: number[];
	raw: Raw;
};

function thinLogs(files: RecordFiles, { isDropped, lines, moments, raw }: Left): RecordFiles {
	const services = (raw.manifest.services ?? []) as { name: string; tier: string; product?: string }[];
	const isLine = (line: string) => !(line.match(ID) ?? []).some(isDropped);
	const whole = new Set([RECORD.manifest, WIRE]);
	const thinned = Object.fromEntries(
		Object.entries(files).map(([name, text]) => {
			if (basename(name) === RAW.k6Log) return [name, withoutAcknowledged(text, isDropped)];
			if (whole.has(name) || name.endsWith('.json')) return [name, text];
			const left = linesOf(text, isLine);
			return [name, basename(name) === SERVICE_RECORD.log ? fewOfEachKind(left, lines, moments) : left];
		}),
	);
	const of = { nodes: Object.keys(raw.nodes), isDropped };
	const answered = answeredIn(files, of);
	const ofProducts = services.map(
		(service) => adapterFor(service)?.without?.(thinned, files, { isDropped, answered, service: service.name }) ?? {},
	);
	return withCounters(Object.assign({}, thinned, ...ofProducts), files, of);
}

const linesOf = (text: string, isKept: (line: string) => boolean) =>
	text
		.split('\n')
		.filter((line) => line === '' || isKept(line))
		.join('\n');

function fewOfEachKind(text: string, most: number, moments: number[]) {
	const kinds: Map<string, number[]> = new Map();
	const lines = text.split('\n');
	const isNear = (t: number) => moments.some((moment) => Math.abs(moment - t) <= NEAR_S);
	const kept: Set<number> = new Set();
	for (const [number, line] of lines.entries()) {
		const time = TIME.exec(line);
		const kind = maskedFigures(time ? line.slice(time[0].length) : line);
		const own = kinds.get(kind) ?? [];
		kinds.set(kind, own);
		own.push(number);
		if (line === '' || (time && isNear(Date.parse(time[1]) / 1000))) kept.add(number);
	}
	for (const numbers of kinds.values()) for (const number of some(numbers, most)) kept.add(number);
	return lines.filter((_, number) => kept.has(number)).join('\n');
}

/** What a user was told was stored, beside what it wrote of its requests. */
const withoutAcknowledged = (text: string, isDropped: (id: string) => boolean) =>
	text.includes(ACKNOWLEDGED)
		? textOf(rowsOf(text).filter(({ msg }) => !isAcknowledged(msg) || !isDropped(JSON.parse(msg).acknowledged)))
		: text;
const ACKNOWLEDGED = 'acknowledged';

const isAcknowledged = (msg: string | undefined) => msg?.startsWith(`{"${ACKNOWLEDGED}"`) === true;

/** Good requests for each one of a kind of failure that is kept, and at least so many. */
const GOOD_EACH = 8;
const GOOD_LEAST = 80;
/** Lines of each kind that name no request, in the same way; where all requests are kept, so many. */
const LINES_EACH = 4;
const LINES_MOST = 160;
/** Failures near which every line of a log is kept. */
const NEAR_MOST = 40;
const WARM = 'w';

/** @param each of every kind of failure so many are kept at least, where there are so many */
export function thin(whole: Whole, each: number): RecordFiles {
	const { files, raw } = whole;
	// What an earlier version of the lab measured says of no good request by itself when it was.
	if (!Number.isFinite(each) || raw.written === null)
		return thinLogs(files, { isDropped: () => false, lines: LINES_MOST, moments: [], raw });
	const chosen = new Set(kindsOf(whole.placed).flatMap((ids) => some(ids, each)));
	const isFailed = new Set(raw.failures.map(({ id }) => id));
	const load = thinLoad(files, { chosen, good: Math.max(GOOD_LEAST, each * GOOD_EACH) });
	const logged = idsIn(files);
	const ofWarmUp = logged.filter((id) => id.startsWith(WARM));
	const good = logged.filter((id) => !id.startsWith(WARM) && !isFailed.has(id));
	const kept = new Set([...load.failed, ...some(good, load.good), ...some(ofWarmUp, load.warm)]);
	const known = new Set([...logged, ...isFailed]);
	const isDropped = (id: string) => known.has(id) && !kept.has(id);
	const moments = raw.failures.filter(({ id }) => kept.has(id)).map(({ t }) => t);
	const logs = thinLogs(
		{ ...files, ...load.files },
		{ isDropped, lines: Math.min(LINES_MOST, each * LINES_EACH), moments: some(moments, NEAR_MOST), raw },
	);
	return files[WIRE] === undefined
		? logs
		: { ...logs, [WIRE]: thinWire(whole, { kept, isDropped, share: kept.size / Math.max(1, known.size) }) };
}

/** Of each kind of failure its requests' ids, as they ended. */
function kindsOf(placed: Whole['placed']): string[][] {
	const kinds: Map<string, string[]> = new Map();
	for (const { id, kind } of placed) {
		const own = kinds.get(kind) ?? [];
		kinds.set(kind, own);
		own.push(id);
	}
	return [...kinds.values()];
}

/**
 * Of all logs the one that has the most of them.
 * @returns once each, as they come
 */
function idsIn(files: RecordFiles): string[] {
	const all = Object.entries(files)
		.filter(([name]) => name !== RECORD.manifest && basename(name) !== RAW.k6Log)
		.map(([, text]) => new Set(text.match(ID)));
	return [...all.reduce((most, one) => (one.size > most.size ? one : most), new Set())];
}
