/**
 * Reads lines of HAProxy's HTTP log (`option httplog`: configuration manual, section 8.2.3), with or without the columns that the lab's
 * own format puts before them.
 */

export type HttpLine = {
	/** of the request, where the lab's column or a captured header has it; else empty */
	id: string;
	/** of the server, where the lab's column has it; else empty */
	address: string;
	/** seconds since 1970 */
	received: number;
	ended: number;
	backend: string;
	/** null: the request reached none, or HAProxy answered it itself */
	server: string | null;
	/** null: the phase was never reached (the log has -1) */
	timers_ms: { request: number | null; queue: number | null; connect: number | null; response: number | null; active: number };
	/** logged before the end (`option logasap`) */
	early: boolean;
	/** null: none was sent */
	status: number | null;
	/** termination state, four characters */
	state: string;
	retries: number;
	/** to another server, so that the retries do not belong to the one that is named */
	redispatched: boolean;
	/** the line */
	text: string;
};

/** Of the lab's own columns; a change of their meaning takes a new word. */
export const OWN_MARK = 'doubletake1';

/**
 * What may stand before the message: nothing (`format raw`), a priority (`format short`), or that with time, host, program and process
 * (`format rfc3164`). Nothing that a client can write stands here.
 */
const BEFORE = /^(?:<\d{1,3}>)?(?:[^"[]{0,120}\bhaproxy\[\d+\]: )?/;

const OWN_COLUMNS = new RegExp(`^${OWN_MARK} id=(\\S*) to=(\\S+) end=(\\d+) `);

const COLUMNS = new RegExp(
	[
		/^(?<client>\S+):(?<port>\d+) \[(?<date>[^\]]+)\] \S+ (?<backend>[^\s/]+)\/(?<server>\S+) /,
		/(?<request>-?\d+)\/(?<queue>-?\d+)\/(?<connect>-?\d+)\/(?<response>-?\d+)\/(?<early>\+?)(?<active>\d+) /,
		/(?<status>-?\d+) \+?(?<bytes>\d+) \S+ \S+ (?<state>[CSPLRIDUKcs-][RQCHDLT-][A-Z-][A-Z-]) /,
		/\d+\/\d+\/\d+\/\d+\/(?<redispatched>\+?)(?<retries>\d{1,3}) \d+\/\d+(?<rest> .*)?$/,
	]
		.map(({ source }) => source)
		.join(''),
);

/** Braces inside a captured header are written as `#7B` and `#7D` (section 8.6), so the first that closes is the list's own. */
const CAPTURED = /^ \{([^}]*)\}/;

/** Ids that the lab's wrapper around a k6 script sends: user and count; `w` before those of the warm-up. */
export const K6_ID = /^w?\d+-\d+$/;

const DATE = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Time zones differ by quarters of an hour. */
const ZONE_STEP_S = 900;

/** @returns the message without what the log's format puts before it */
export const messageOf = (text: string): string => text.replace(BEFORE, '');

/**
 * @param stamped t: when the engine took the line, seconds since 1970
 * @returns null for what is no whole line of this format
 */
export function readHttpLine({ t, text }: { t: number; text: string }): HttpLine | null {
	const message = messageOf(text);
	const own = OWN_COLUMNS.exec(message);
	const columns = COLUMNS.exec(own ? message.slice(own[0].length) : message)?.groups;
	if (!columns) return null;
	const activeMs = Number(columns.active);
	const times = own ? timesByEnd(Number(own[3]), activeMs) : timesByDate(columns.date, activeMs, t);
	if (!times) return null;
	return {
		id: own ? unset(own[1]) : (capturedIn(columns.rest ?? '').find((header) => K6_ID.test(header)) ?? ''),
		address: own && !own[2].startsWith('-') ? own[2].replace(/:\d+$/, '') : '',
		...times,
		backend: columns.backend,
		server: columns.server.startsWith('<') ? null : columns.server,
		timers_ms: {
			request: reached(columns.request),
			queue: reached(columns.queue),
			connect: reached(columns.connect),
			response: reached(columns.response),
			active: activeMs,
		},
		early: columns.early === '+',
		status: Number(columns.status) > 0 ? Number(columns.status) : null,
		state: columns.state,
		retries: Number(columns.retries),
		redispatched: columns.redispatched === '+',
		text,
	};
}

const reached = (timer: string) => (Number(timer) < 0 ? null : Number(timer));

/** HAProxy writes a hyphen for what is not there. */
const unset = (value: string) => (value === '-' ? '' : value);

const timesByEnd: (endMs: number, activeMs: number) => { received: number; ended: number } = (endMs, activeMs) => ({
	received: (endMs - activeMs) / 1000,
	ended: endMs / 1000,
});

/**
 * The log's date has no time zone: it is that of the container. The engine's time of the same line tells which, because a line is written
 * when its request ends.
 */
function timesByDate(date: string, activeMs: number, stampedAt: number): { received: number; ended: number } | null {
	const found = DATE.exec(date);
	const month = MONTHS.indexOf(found?.[2] ?? '');
	if (!found || month < 0) return null;
	const [, day, , year, hour, minute, second, ms = '0'] = found;
	const asUtc = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second), Number(ms)) / 1000;
	const zone = Math.round((asUtc + activeMs / 1000 - stampedAt) / ZONE_STEP_S) * ZONE_STEP_S;
	const received = asUtc - zone;
	return { received, ended: received + activeMs / 1000 };
}

/**
 * @param rest captured headers of the request and of the answer, and the request's first line
 * @returns the headers
 */
function capturedIn(rest: string): string[] {
	const captured: string[] = [];
	let left = rest;
	// Those of the request, then those of the answer; each list is left out where nothing is captured.
	for (let list = 0; list < 2; list += 1) {
		const found = CAPTURED.exec(left);
		if (!found) break;
		captured.push(...found[1].split('|'));
		left = left.slice(found[0].length);
	}
	return captured;
}

export type Section = {
	/** `global`, `defaults`, `frontend`, ...; empty for what stands before the first */
	kind: string;
	/** empty where it has none */
	name: string;
	/** the section of defaults that it names itself */
	from: string | null;
	/** as they were written; the first opens it */
	lines: string[];
};
