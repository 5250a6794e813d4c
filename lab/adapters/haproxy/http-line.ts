/**
 * Reads lines of HAProxy's HTTP log (`option httplog`: configuration manual, section 8.2.3), with or without the columns that the lab's
 * own format puts before them.
 */

import { NotReadyError } from '../../base/errors.ts';
import type { Configuration, Overlaid } from '../configuration.ts';
import type { ServiceModel } from '../contract.ts';
import { optionValues } from '../found-servers.ts';

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
const OWN_MARK = 'doubletake1';

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

/*
 * Reads HAProxy's configuration as far as the lab must know it: its sections in their order, and whether a proxy speaks HTTP.
 */

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

/** Configuration manual, sections 2.7 to 4: words that open a section. */
const KINDS =
	'global defaults frontend backend listen userlist peers resolvers mailers cache program http-errors ring log-forward fcgi-app';
const OPENS = new RegExp(`^\\s*(${KINDS.split(' ').join('|')})(?:\\s|$)`);

/** @returns whose lines, put together, are the text */
export function sectionsOf(text: string): Section[] {
	const sections: Section[] = [{ kind: '', name: '', from: null, lines: [] }];
	for (const line of text.split('\n')) {
		if (OPENS.test(line)) {
			const words = wordsOf(line);
			const from = words.indexOf('from');
			const name = words[1] === 'from' ? '' : (words[1] ?? '');
			sections.push({ kind: words[0], name, from: from < 0 ? null : (words[from + 1] ?? null), lines: [] });
		}
		sections[sections.length - 1].lines.push(line);
	}
	return sections;
}

/** A line without its comment, as words. */
export const wordsOf = (line: string): string[] =>
	line
		.replace(/(^|\s)#.*$/, '')
		.trim()
		.split(/\s+/)
		.filter((word) => word !== '');

/**
 * Whether a proxy speaks HTTP: by its own `mode`, else by that of the defaults which it names or which stand nearest before it.
 * Without any it speaks TCP.
 */
export function speaksHttp(section: Section, sections: Section[]) {
	let current: Section | undefined = section;
	// Each step goes to a section of defaults that stands before, so there are no more steps than sections.
	for (let step = 0; current !== undefined && step < sections.length; step += 1) {
		const mode = ownMode(current);
		if (mode !== null) return mode === 'http';
		current = defaultsOf(current, sections);
	}
	return false;
}

/** @returns the last that is given counts */
function ownMode({ lines }: Section): string | null {
	const modes = lines.map(wordsOf).filter((words) => words[0] === 'mode');
	return modes.at(-1)?.[1] ?? null;
}

function defaultsOf(section: Section, sections: Section[]): Section | undefined {
	const before = sections.slice(0, sections.indexOf(section)).filter(({ kind }) => kind === 'defaults');
	if (section.from !== null) return before.findLast(({ name }) => name === section.from);
	// Defaults do not build upon those before them unless they say so.
	return section.kind === 'defaults' ? undefined : before.at(-1);
}

/*
 * Changes a copy of HAProxy's configuration so that the lab can watch it: every HTTP proxy logs each request in the lab's format, with
 * the request's id, to the container's output, and the process answers questions for its counters. What else the configuration says is
 * left as it is and in its order.
 */

/**
 * Where the lab asks for counters. Below the ports that Linux gives to connections going out (32768 and above), so none of these can have
 * taken it. A stats socket is not subject to the process's connection limit (`LI_O_UNLIMITED`), which a page for statistics would be: it
 * would not answer just when the process is full.
 */
export const STATS_PORT = 28404;

/** Where the image of Docker Hub, and that of haproxytech, has its configuration. */
const DEFAULT_PATH = '/usr/local/etc/haproxy/haproxy.cfg';

const INDENT = '    ';
const REPLACED = '# doubletake: ';

/** Holds the request's id. A variable, because a capture would shift the numbers of the captures that the configuration may refer to. */
const ID_VARIABLE = 'txn.doubletake_id';

/**
 * The first rule of a proxy, so that no rule of its own ends the request before. What could not be an id is left out: a log-format writes
 * a variable as it is, and a client must not be able to write the columns that follow.
 */
const ID_RULE = `http-request set-var(${ID_VARIABLE}) req.fhdr(X-Request-Id) if { req.fhdr(X-Request-Id) -m reg ^[A-Za-z0-9_.-]+$ }`;

/** The lab's columns, then those of `option httplog` (configuration manual, section 8.2.3). */
const LOG_FORMAT = `log-format "${OWN_MARK} id=%[var(${ID_VARIABLE})] to=%si:%sp end=%[date(0,ms)] %ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r"`;

/** Flushes what was set for the section and for its defaults before; then one target, the container's output. */
const LOG_TARGET = ['no log', 'log stdout len 2048 format raw local0'];

/** A proxy that writes no line for a good request, or one before its end, would hide what the lab counts. */
const WHOLE_LOG = ['no option dontlog-normal', 'no option logasap'];

/** Lines that set a format, which the lab's would have to overrule with a warning. */
const SETS_FORMAT = /^\s*(?:log-format\s|option\s+(?:httplog|httpslog|tcplog)\b)/;

export const configuration: Configuration = { name: 'haproxy.cfg', pathOf, overlaid: overlaidConfig };

export function pathOf(service: ServiceModel): string | null {
	const paths = optionValues(service, 'haproxy', ['-f']);
	if (paths.length === 0) return service.mounts.find(({ target }) => target.endsWith('/haproxy.cfg'))?.target ?? DEFAULT_PATH;
	// Of several files, each may depend on the defaults of the one before; a folder is several files.
	return paths.length > 1 || paths[0].endsWith('/') ? null : paths[0];
}

/** @throws {NotReadyError} for a text without any proxy */
function overlaidConfig(text: string): Overlaid {
	const sections = sectionsOf(text.replace(/\r\n/g, '\n'));
	if (!sections.some(({ kind }) => kind === 'frontend' || kind === 'listen'))
		throw new NotReadyError(
			'HAProxy’s configuration: expected a section "frontend" or "listen"; found none.',
			'name the file that has them, or watch at level 1.',
		);
	const changes: string[] = [];
	const lines = sections.flatMap((section) => changedLines(section, speaksHttp(section, sections), changes));
	return { text: withStatsSocket(lines, sections, changes).join('\n'), changes };
}

/** @param changes that are made, added to */
function changedLines(section: Section, http: boolean, changes: string[]): string[] {
	const { kind, name } = section;
	if (!http) return section.lines;
	if (kind === 'backend') {
		changes.push(`backend ${name}: messages about its servers go to the container's output.`);
		return withLast(section.lines, LOG_TARGET);
	}
	if (kind !== 'frontend' && kind !== 'listen') return section.lines;
	const [opening, ...rest] = section.lines;
	const replaced = rest.filter((line) => SETS_FORMAT.test(line));
	const kept = rest.map((line) => (SETS_FORMAT.test(line) ? line.replace(/^(\s*)/, `$1${REPLACED}`) : line));
	const instead = replaced.length > 0 ? `, instead of ${replaced.map(formatOf).join(', ')}` : '';
	changes.push(
		`${kind} ${name}: each request is logged with its X-Request-Id to the container's output${instead}; no other target gets its log.`,
	);
	return withLast([opening, `${INDENT}${ID_RULE}`, ...kept], [...WHOLE_LOG, ...LOG_TARGET, LOG_FORMAT]);
}

/** What a line that sets a format is called. */
function formatOf(line: string) {
	const [keyword, option] = wordsOf(line);
	return keyword === 'option' ? `option ${option}` : keyword;
}

/** Puts lines at a section's end, before the empty lines and comments that lead to the next, and before a condition that opens there. */
function withLast(lines: string[], last: string[]) {
	const end = lines.findLastIndex((line) => wordsOf(line).length > 0 && !/^\s*\.(?:if|elif|else)\b/.test(line)) + 1;
	return [...lines.slice(0, end), ...last.map((line) => `${INDENT}${line}`), ...lines.slice(end)];
}

/** A configuration may have several global sections, so the lab adds one of its own in front. */
function withStatsSocket(lines: string[], sections: Section[], changes: string[]): string[] {
	changes.push(`global: the process tells its counters on port ${STATS_PORT} of the project's network, for reading alone.`);
	const socket = `stats socket ipv4@*:${STATS_PORT} level user`;
	const before = sections[0].lines.length;
	return [...lines.slice(0, before), 'global', `${INDENT}${socket}`, '', ...lines.slice(before)];
}
