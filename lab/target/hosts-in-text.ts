/** Host names in the text of a configuration or a program, whatever it is written in. Texts hold secrets: as of host-names.ts. */

import { allIn, hostsByPlace, inLowerCase } from './host-names.ts';

/** Patterns are bounded, because a program may have a file of one line. Whole lines, and what follows a blank; `//` after a colon is a URL's. */
const COMMENTS = /<!--(?:(?!<!--)[\s\S]){0,9999}?-->|\/\*(?:(?!\/\*)[\s\S]){0,9999}?\*\/|^[ \t]*(?:#|\/\/|;|--\s).*$|\s(?:#|\/\/)\s.*$/gm;
/** `$api` and `${API:-web:80}`, and `{$API:web:80}`. */
const VARIABLE = /\{\$(\w+)(?::([^}]{0,999}))?\}|\$\{(\w+)(?::?-([^}]{0,999}))?\}|\$(\w+)/g;
/** `set $api web;` */
const SET = /\bset\s+\$(\w+)\s+["']?([^\s;"']+)/g;
/** `host: db`, `"address": "db"`, `'host' => 'db'`, `host = "db"` */
const KEYED =
	/(?:host|hostname|server|addr|address|addresses|upstream|backend|broker|endpoint|target|nodes)s?["'`]?\]?[ \t]*(?:=>|:=|[:=(])[ \t]*\[?[ \t]*["'`]?([a-z\d][\w.-]*)/gi;
/** `getenv("DB_HOST", "db")`, `env.DB_HOST || 'db'`, `ENV.fetch('DB_HOST') { 'db' }` */
const BY_DEFAULT =
	/(?:host|server|addr|url|uri|broker|endpoint)\w{0,40}["'`]?\s*[\])]*\s*(?:,|\|\||\?\?|\?:|\bor\b|\{)\s*["'`]([a-z\d][\w.-]*)["'`]/gi;
/** `proxy_pass web;`, `reverse_proxy web`, `server web weight=2;`: of `server web1 10.0.0.1:80` the first is a name and no host. */
const PASSED = /\b(?:[a-z]+_pass|reverse_proxy|php_fastcgi|balancermember)\s+(?:[a-z]+:\/\/)?([a-z\d][\w.-]*)(?=[\s;/:]|$)/gim;
const OF_GROUP = /\bserver\s+([a-z\d][\w.-]*)(?=\s*;|\s+[a-z_]+=|\s+(?:backup|down|resolve)\b)/gi;
/** `connect("db")`, `new Client(6379, 'cache')` */
const GIVEN = /\w\(\s*(?:\d+\s*,\s*)?["'`]([a-z\d][\w.-]*)["'`]\s*[,)]/gi;
const GROUP = /\bupstream\s+([\w.-]+)\s*\{/g;

export const withoutComments = (text: string) => text.replace(COMMENTS, '');

/**
 * @param environment of the service that reads it
 * @returns in lower case
 */
export function hostsInText(text: string, environment: Record<string, string> = {}): string[] {
	const bare = withoutComments(text);
	// A variable may be set anew in each place.
	const set = [...bare.matchAll(SET)].map(([, name, value]) => [name, value]);
	const whole = withoutGroups(filled(bare, { ...environment, ...Object.fromEntries(set) }));
	return inLowerCase([...set.map(([, value]) => value), ...hostsByPlace(whole), ...allIn(whole, [KEYED, BY_DEFAULT, PASSED, OF_GROUP])]);
}

/** Its variables replaced, as far as they are known. */
export function filled(text: string, variables: Record<string, string>) {
	const values = new Map(Object.entries(variables));
	return text.replace(
		VARIABLE,
		(whole, braced, bracedElse, shell, shellElse, plain) => values.get(braced ?? shell ?? plain) ?? bracedElse ?? shellElse ?? whole,
	);
}

/**
 * What a program gives to what it calls, which may be a host, or anything else.
 * @returns in lower case; hosts only where stores of the system are called so
 */
export const storesInCode = (text: string): string[] => inLowerCase(allIn(withoutComments(text), [GIVEN]));

/** A group of servers may have the name of a service that is not in it. */
function withoutGroups(text: string) {
	const groups = [...text.matchAll(GROUP)].map(([, name]) => name);
	return groups.reduce(
		(rest, name) => rest.replaceAll(new RegExp(`_pass\\s+(?:[a-z]+:\\/\\/)?${escaped(name)}(?=[\\s;/])`, 'g'), ''),
		text,
	);
}

const escaped = (name: string) => name.replaceAll(/[.-]/g, '\\$&');
