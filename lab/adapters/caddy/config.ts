/**
 * Changes a copy of Caddy's configuration so that the lab can watch it: every site logs its requests, a logger of the lab's own writes
 * them to the container's output with what the reverse proxy says of each attempt, and a port tells the metrics.
 */

import { NotReadyError } from '../../base/errors.ts';
import { jsonIn } from '../../base/values.ts';
import type { Configuration, Overlaid } from '../configuration.ts';
import type { ServiceModel } from '../contract.ts';
import { optionValues } from '../found-servers.ts';
import { OWN_KEY } from './log-entry.ts';

/*
 * Reads a Caddyfile as far as the lab must know it: the lines of its blocks at the top, and what stands in each.
 * https://caddyserver.com/docs/caddyfile/concepts#structure
 */

type Block = {
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

type Caddyfile = {
	lines: string[];
	blocks: Block[];
	/** index of the last line of addresses, where the file is one site without braces */
	bare: number | null;
	/** of that site */
	directives: string[];
};

/** Stands for the mark that an earlier line has begun, so that it is taken for no directive. */
const CONTINUED = '"';

export function readCaddyfile(text: string): Caddyfile {
	const lines = text.split('\n');
	const words = wordsByLine(lines);
	const blocks = blocksOf(words);
	const inBlock = (index: number) => blocks.some(({ first, last }) => index >= first && index <= last);
	// The first line at the top that opens no block: addresses, and the rest of the file is what they are for.
	const at = words.findIndex((own, index) => own.length > 0 && !inBlock(index) && own[0] !== 'import' && own.at(-1) !== '{');
	if (at < 0) return { lines, blocks, bare: null, directives: [] };
	const bare = lastOfAddresses(words, at);
	// Addresses over several lines may lead to a block, whose first line has the last of them.
	if (inBlock(bare)) return { lines, blocks, bare: null, directives: [] };
	const before = blocks.filter(({ last }) => last < at);
	return { lines, blocks: before, bare, directives: directivesIn(words, bare + 1, words.length) };
}

/**
 * Addresses go on in the next line after a comma.
 * @returns index of their last line
 */
function lastOfAddresses(words: string[][], from: number): number {
	let at = from;
	while (at + 1 < words.length && (words[at].length === 0 || words[at].at(-1)?.endsWith(',') === true)) at += 1;
	return at;
}

/**
 * @param words by line
 * @returns at the top, in their order
 */
function blocksOf(words: string[][]): Block[] {
	const blocks: Block[] = [];
	let depth = 0;
	let first = 0;
	for (const [index, own] of words.entries()) {
		if (own[0] === '}') {
			depth -= 1;
			if (depth === 0) blocks.push(blockOf(words, first, index));
		} else if (own.at(-1) === '{') {
			if (depth === 0) first = index;
			depth += 1;
		}
	}
	return blocks;
}

function blockOf(words: string[][], first: number, last: number): Block {
	const name = words[first].slice(0, -1).join(' ');
	const kind = name === '' ? 'options' : /^&?\(/.test(name) ? 'snippet' : 'site';
	return { kind, name, first, last, directives: directivesIn(words, first + 1, last) };
}

function directivesIn(words: string[][], from: number, to: number): string[] {
	const found = [];
	let depth = 0;
	for (const own of words.slice(from, to)) {
		if (own[0] === '}') depth -= 1;
		else if (depth === 0 && own.length > 0 && own[0] !== CONTINUED) found.push(own[0]);
		if (own[0] !== '}' && own.at(-1) === '{') depth += 1;
	}
	return found;
}

/** The words of each line. A word in quotes may go on over several lines, and so may a heredoc: what lies within has none of its own. */
function wordsByLine(lines: string[]): string[][] {
	let quote = '';
	let heredoc = '';
	return lines.map((line) => {
		if (heredoc !== '') {
			if (line.trim() === heredoc) heredoc = '';
			return [];
		}
		const continued = quote !== '';
		const { words, open } = wordsOf(line, quote);
		quote = open;
		heredoc = /^<<([A-Za-z0-9_-]+)$/.exec(words.at(-1) ?? '')?.[1] ?? '';
		return continued ? [CONTINUED, ...words.slice(1)] : words;
	});
}

/**
 * @param inside the quote that an earlier line has opened; else empty
 * @returns open: the quote that is open at the line's end
 */
function wordsOf(line: string, inside: string): { words: string[]; open: string } {
	const words: string[] = [];
	let open = inside;
	let word = '';
	for (let at = 0; at < line.length; at += 1) {
		const letter = line[at];
		if (open !== '') {
			if (letter === '\\' && open === '"') at += 1;
			else if (letter === open) open = '';
			// A word in quotes is never a brace that opens or closes.
			word += open === '' ? '' : '_';
		} else if (/\s/.test(letter)) {
			if (word !== '') words.push(word);
			word = '';
		} else if (word === '' && letter === '#') return { words, open };
		else if (word === '' && (letter === '"' || letter === '`')) {
			open = letter;
			word = '_';
		} else word += letter;
	}
	if (word !== '' && open === '') words.push(word);
	return { words, open };
}

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
