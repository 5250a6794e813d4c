/**
 * Changes a copy of Caddy's configuration so that the lab can watch it: every site logs its requests, a logger of the lab's own writes
 * them to the container's output with what the reverse proxy says of each attempt, and a port tells the metrics.
 */

import { NotReadyError } from '../../base/errors.ts';
import { jsonIn } from '../../base/values.ts';
import type { Configuration, Overlaid } from '../configuration.ts';
import type { ServiceModel } from '../contract.ts';
import { optionValues } from '../proxy-detection.ts';
import { readCaddyfile } from './caddyfile.ts';
import { OWN_KEY } from './log-entry.ts';

export type Block = {
	kind: 'options' | 'snippet' | 'site';
	/** as it stands before the brace */
	name: string;
	/** index of the line that opens it */
	first: number;
	/** index of the line that closes it */
	last: number;
	/** first words of its own lines, those of blocks within left out */
	directives: string[];
};

/** Where the lab asks for the metrics. Below the ports that Linux gives to connections going out (32768 and above). */
export const METRICS_PORT = 28401;

/** Where the image, and Debian's package, has its configuration. */
const DEFAULT_PATH = '/etc/caddy/Caddyfile';

/** Requests and their errors; each attempt of the reverse proxy (its level is DEBUG). */
const NAMESPACES = ['http.log', 'http.handlers.reverse_proxy'];

const LOGGER = [
	`log ${OWN_KEY} {`,
	'\toutput stdout',
	'\tformat json {',
	`\t\tname_key ${OWN_KEY}`,
	'\t}',
	'\tlevel DEBUG',
	`\tinclude ${NAMESPACES.join(' ')}`,
	'}',
];

const METRICS_SITE = ['', `http://:${METRICS_PORT} {`, '\tmetrics /metrics', '}', ''];

const LOGGER_CHANGE =
	"options: a logger of Doubletake's own writes each request, with its X-Request-Id and each attempt, to the container's output.";
const METRICS_CHANGE = `site http://:${METRICS_PORT}: the metrics can be read on this port of the project's network.`;

export const configuration: Configuration = { name: 'Caddyfile', pathOf, overlaid: overlaidConfig };

function pathOf(service: ServiceModel): string | null {
	// `caddy reverse-proxy --from x --to y` has no configuration.
	if (service.command.some((part) => /\breverse-proxy\b/.test(part))) return null;
	const [path] = optionValues(service, 'caddy', ['--config', '-c']);
	return path ?? service.mounts.find(({ target }) => target.endsWith('/Caddyfile'))?.target ?? DEFAULT_PATH;
}

/**
 * @param text a Caddyfile, or Caddy's own JSON
 * @throws {NotReadyError} for a text without any site
 */
function overlaidConfig(text: string): Overlaid {
	// A Caddyfile may begin with a brace too, so only the whole text tells.
	const json = jsonIn(text);
	return typeof json === 'object' && json ? overlaidJson(json) : overlaidCaddyfile(text.replace(/\r\n/g, '\n'));
}

function overlaidCaddyfile(text: string): Overlaid {
	const { lines, blocks } = readCaddyfile(withBraces(text));
	const sites = blocks.filter(({ kind }) => kind === 'site');
	if (sites.length === 0)
		throw new NotReadyError(
			'Caddyfile: expected a site, with or without braces; found none.',
			'name the file that has it (Doubletake does not follow "import"), or watch at level 1.',
		);
	/** lines to put after a line, by its index */
	const after: Map<number, string[]> = new Map();
	const changes = [LOGGER_CHANGE];
	for (const { name, first, directives: own } of sites) {
		if (own.includes('log')) continue;
		after.set(first, ['\tlog']);
		changes.push(`site ${name}: its requests are logged.`);
	}
	const logger = LOGGER.map((line) => `\t${line}`);
	const options = blocks.find(({ kind }) => kind === 'options');
	if (options) after.set(options.first, logger);
	const before = options ? [] : ['{', ...logger, '}', ''];
	const changed = lines.flatMap((line, index) => [line, ...(after.get(index) ?? [])]);
	return { text: [...before, ...changed, ...METRICS_SITE].join('\n'), changes: [...changes, METRICS_CHANGE] };
}

/** A site without braces takes the whole file, so that none could stand beside it. */
function withBraces(text: string) {
	const { lines, bare } = readCaddyfile(text);
	if (bare === null) return text;
	// The brace belongs on the line of the addresses, before what is only a comment there.
	const opening = `${lines[bare].replace(/\s#.*$/, '').trimEnd()} {`;
	return [...lines.slice(0, bare), opening, ...lines.slice(bare + 1), '}'].join('\n');
}

function overlaidJson(json: any): Overlaid {
	const servers = json.apps?.http?.servers;
	if (!servers || Object.keys(servers).length === 0)
		throw new NotReadyError(
			'Caddy’s configuration: expected apps.http.servers; found none.',
			'name the file that has them, or watch at level 1.',
		);
	const changed = structuredClone(json);
	const changes = [LOGGER_CHANGE];
	changed.logging ??= {};
	changed.logging.logs ??= {};
	changed.logging.logs[OWN_KEY] = {
		writer: { output: 'stdout' },
		encoder: { format: 'json', name_key: OWN_KEY },
		level: 'DEBUG',
		include: NAMESPACES,
	};
	for (const [name, server] of Object.entries<any>(changed.apps.http.servers)) {
		if (server.logs) continue;
		server.logs = {};
		changes.push(`server ${name}: its requests are logged.`);
	}
	changed.apps.http.servers[OWN_KEY] = {
		listen: [`:${METRICS_PORT}`],
		automatic_https: { disable: true },
		routes: [{ match: [{ path: ['/metrics'] }], handle: [{ handler: 'metrics' }] }],
	};
	return { text: `${JSON.stringify(changed, null, 2)}\n`, changes: [...changes, METRICS_CHANGE] };
}
