/**
 * Changes a copy of HAProxy's configuration so that the lab can watch it: every HTTP proxy logs each request in the lab's format, with
 * the request's id, to the container's output, and the process answers questions for its counters. What else the configuration says is
 * left as it is and in its order.
 */

import { NotReadyError } from '../../base/errors.ts';
import type { Configuration, Overlaid } from '../configuration.ts';
import type { ServiceModel } from '../contract.ts';
import { optionValues } from '../proxy-detection.ts';
import { sectionsOf, speaksHttp, wordsOf } from './config-sections.ts';
import { OWN_MARK, type Section } from './http-line.ts';

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
