/**
 * Names of variables whose value is nobody else's business, the values that they have in what a user gives the lab, and texts in which such
 * a name is followed by what is likely its value.
 */

import { jsonIn } from './values.ts';

/** As people name them. */
export const SECRET_NAME = /pass(word|wd|phrase)?|secret|token|salt|credential|(^|_)(api_?)?key(_base)?$/i;
/** What else holds one, as a rule. */
const MAY_BE_SECRET =
	/(?<=[a-z_.-])pwd$|(^|[_.-])(auth(orization)?|jwt|pin|cookie|bearer)$|signing|webhook(_?url)?$|[a-z]Key$|[.-]key$|basicauth\.users$/i;

const TAKEN = '?';
/** Names, schemes, users and passwords are shorter; without a bound a long word would be read from each of its letters on. */
const OF_USER = /(?<![a-z\d+.-])([a-z][a-z\d+.-]{0,30}:\/\/[^\s:/?#@]{0,200}):([^\s/?#@]{1,500})@/gi;
const ASSIGNED =
	/(?<![\w-])((?:[\w-]{0,60}(?:password|passwd|secret|token)|api[-_]?key|(?:proxy-)?authorization)["']?\s*[:=]\s*["']?)(?!\s)[^\s"',;}]+/gi;

/** Who comes in at an address, with or without a scheme: `cache://:pw@cache`, `shop:pw@tcp(db:3306)/shop`. A password may have what it should not. */
const USER_INFO = /(?:^|[\s"'=,;(])(?:[a-z][a-z\d+.-]{0,30}:\/\/)?([^\s:/?#@"'=,;(]{0,200}):([^\s"']{1,200}?)@(?=[\w[(])/gi;
/** Of an address that has a key in the place of a user. */
const KEY_INFO = /(?<![a-z\d+.-])[a-z][a-z\d+.-]{0,30}:\/\/([A-Za-z0-9_.~-]{16,500})@/gi;
/** `password=x`, `"token": "x"`, `AccountKey=x;`, `--password=x`. */
const NAMED = /(?<![\w.-])([\w.-]{1,100})["']?\s*[=:]\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"',;&}]+))/g;
const FLAG = /^-{1,2}([\w.-]+)(?:=(.*))?$/s;
/** Some programs take it without a blank; a word of small letters is the name of another flag. */
const SHORT_FLAG = /(?:^|\s)-p(?=[^\s"']*[^a-z\s"'-])([^\s:=/"']{6,})(?=[\s"']|$)/g;
/** Nobody types it: a key, whatever its name is. */
const MADE = /^(?![/.~])(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[A-Za-z0-9+/_=~-]{20,}$|^[0-9a-f]{32,}$|^[Bb]earer\s+\S+$/;
/** In a command, a label or a script. */
const HEADER =
	/(?<![\w.-])((?:proxy-)?authorization|x-[\w-]{0,60}(?:key|token|auth)|api-?key)["'`]?\s*:\s*["'`]?((?:(?:bearer|basic|token)\s+)?[^\s"'`,;}]{1,500})/gi;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

const isSecretName = (name: string) => [name, name.replace(/[-.]/g, '_')].some((one) => SECRET_NAME.test(one) || MAY_BE_SECRET.test(one));

/**
 * @param text such as lines of a log
 * @returns without passwords of addresses and what is assigned to a name of a secret
 */
export const withoutAssigned = (text: string): string => text.replace(OF_USER, `$1:${TAKEN}@`).replace(ASSIGNED, `$1${TAKEN}`);

/**
 * @param name of a variable, a label or a field
 * @returns what of it is secret: all of it by its name, else passwords and keys within it
 */
export function secretsOf(name: string, value: string): string[] {
	const isAll = isSecretName(name) || [value, ...authorised(value)].some((one) => MADE.test(one)) || PEM.test(value);
	return [...(isAll ? [value, ...authorised(value)] : []), ...secretsWithin(value)];
}

/** @param environment each as NAME=value */
export const secretsInEnvironment = (environment: readonly string[]): string[] =>
	environment.flatMap((variable) => {
		const at = variable.indexOf('=');
		return at < 0 ? [] : secretsOf(variable.slice(0, at), variable.slice(at + 1));
	});

/** @returns passwords of addresses, and values beside a name of a secret */
function secretsWithin(text: string): string[] {
	const users = [...text.matchAll(USER_INFO)].flatMap(([, , password]) => [password, decoded(password)]);
	const keys = [...text.matchAll(KEY_INFO)].map(([, key]) => key);
	const named = [...text.matchAll(NAMED)].filter(([, name]) => SECRET_NAME.test(name) && !/\.\w+$/.test(name));
	const values = named.flatMap(([, , double, single, plain]) => double ?? single ?? plain);
	const flags = [...text.matchAll(SHORT_FLAG)].map(([, value]) => value);
	return [...users, ...keys, ...values.flatMap((value) => [value, decoded(value)]), ...flags, ...headersIn(text), ...inJson(text)];
}

/** @param words of a command */
export const secretsInCommand = (words: readonly string[]): string[] =>
	words.flatMap((word, at) => {
		const [, name = '', value = words[at + 1] ?? ''] = FLAG.exec(word) ?? [];
		return [...(isSecretName(name) && !value.startsWith('-') ? [value] : []), ...secretsWithin(word)];
	});

/** They say what is wanted, and not who wants it. */
const OPEN_HEADERS =
	/^(accept(-.*)?|content-.*|host|user-agent|origin|referer|cache-control|connection|pragma|te|upgrade(-.*)?|dnt|range|if-.*|expect|via|forwarded|x-forwarded-.*|x-requested-with|x-request-id|traceparent|sec-.*|prefer)$/i;
/** The lab fills it in. */
const PLACEHOLDER = /\{\{\s*\w+\s*\}\}/;

/** @param headers of requests, as they are sent */
export const secretsInHeaders = (headers: Record<string, string>): string[] =>
	Object.entries(headers).flatMap(([name, value]) =>
		OPEN_HEADERS.test(name) ? [] : value.split(PLACEHOLDER).flatMap((part) => [part, ...authorised(part), ...cookies(name, part)]),
	);

/** The same of headers that are written out in a text. */
export const headersIn = (text: string): string[] =>
	[...text.matchAll(HEADER)].flatMap(([, name, value]) => secretsInHeaders({ [name]: value }));

/** What stands behind the scheme of an authorisation, and who that is. */
function authorised(value: string): string[] {
	const [, scheme = '', token = ''] = /^([A-Za-z][\w-]*):?\s+(\S.*)$/s.exec(value.trim()) ?? [];
	if (scheme.toLowerCase() !== 'basic')
		return token === '' ? [] : [token, ...[...token.matchAll(/="?([^\s",]+)/g)].map(([, part]) => part)];
	const pair = Buffer.from(token, 'base64').toString();
	return [token, pair, pair.slice(pair.indexOf(':') + 1)];
}

const cookies = (name: string, value: string): string[] =>
	/^cookie$/i.test(name) ? value.split(/;\s*/).map((cookie) => cookie.slice(cookie.indexOf('=') + 1)) : [];

/** Fields of a text that is JSON. */
function inJson(text: string): string[] {
	const values = /^\s*[[{]/.test(text) ? jsonIn(text) : null;
	const within = (name: string, value: unknown) => {
		if (typeof value === 'string') return name !== '' && (isSecretName(name) || PEM.test(value)) ? [value] : [];
		if (typeof value !== 'object' || value === null) return [];
		const found: string[] = Object.entries(value).flatMap(([key, one]) => within(Array.isArray(value) ? name : key, one));
		return found;
	};
	return within('', values);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
