/**
 * Host names in a service's environment, command and files. All hold secrets, so a caller compares what it gets from here with names
 * that it knows, and lets nothing else of it out.
 */

import { isIP } from 'node:net';
import type { AttachedService } from './compose-model.ts';

/** What stands between `//` and the path: user, password, hosts, ports. Another URL after a comma is one of its own. */
const AUTHORITY = /[a-z][a-z\d+.-]{0,30}:\/\/((?:(?!,[a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#'"`<>;(){}|\\])+)/gi;
/** `db:5432`, alone, in a list or in a line of shell. */
const HOST_AND_PORT = /(?<![\w.@:/-])([a-z\d][\w.-]*):\d{1,5}(?![\w.])/gi;
/** Behind a password in which a slash stands, no authority is found. */
const AFTER_USER = /@([a-z\d][\w.-]*)/gi;
/** `host=db`, in a database's connection text or an option. */
const ASSIGNED = /(?:host|server|data source|addr|upstream|backend|broker|endpoint|target)[\w-]{0,40}\s*=\s*'?([a-z\d][\w.-]*)/gi;
/** Names of variables and options whose whole value may be a host. */
const SPEAKS_OF_HOST = /host|server|addr|ur[il]|upstream|backend|broker|nodes|peer|endpoint|target|proxy/i;
/** Names of variables whose whole value is a host that is asked; those after them say by which names the service itself is asked. */
const NAMES_HOST = /(host|hostname|server|addr|address|endpoint|broker|node)s?$/i;
const NAMES_ITSELF = /allowed|virtual|vhost|letsencrypt|trusted|public|bind|listen|^host(name)?$/i;
/** Who may ask the service, where users are sent back to, and what is only looked at now and then. */
const NAMES_CALLERS = /cors|origin|allowed|trusted|csrf|redirect|callback|health/i;
/** An address of the machine under such a name is for browsers. */
const FOR_BROWSERS = /public|external|browser|client|frontend/i;
/** By which a container reaches the machine. https://docs.docker.com/desktop/features/networking/ */
const MACHINE =
	/\b(?:host\.docker\.internal|gateway\.docker\.internal|docker\.for\.(?:mac|win)\.localhost|172\.17\.0\.1)(?::(\d{1,5}))?(?![\w.:-])/gi;
const WEB_PORT = '80';
const IN_HTTP = /https?:\/\/([a-z\d][\w.-]*)/gi;
/** Variables whose value is a name of something else, that is often called like the store that it is in. */
const NAMES_OTHERS =
	/user|pass|secret|token|key|(^|_)(db|database|schema|name|owner|role|bucket|topic|index|prefix)$|dbname|database_?name/i;
const OPTION = /^--?[a-z][\w-]*$/i;
const NAME = /^[a-z\d][\w.-]*$/i;

/** @returns hosts of its URLs, in lower case */
export function urlHosts(text: string): string[] {
	return [...text.matchAll(AUTHORITY)]
		.flatMap(([, authority]) => authority.slice(authority.lastIndexOf('@') + 1).split(','))
		.map((place) =>
			place
				.replace(/:\d*$/, '')
				.replace(/^\[|\]$/g, '')
				.toLowerCase(),
		)
		.filter((host) => host !== '');
}

/** @returns in lower case */
export function hostsOfVariable(name: string, value: string): string[] {
	if (NAMES_CALLERS.test(name)) return [];
	const whole = SPEAKS_OF_HOST.test(name) ? value.split(/[\s,;]+/).filter((part) => NAME.test(part)) : [];
	return inLowerCase([...placesIn(value), ...whole]);
}

/**
 * Of a variable, those that it asks in HTTP.
 * @returns in lower case
 */
export const hostsInHttp = (text: string): string[] => inLowerCase(allIn(text, [IN_HTTP]));

/**
 * What is published at a port of the machine is often asked there by the other containers too.
 * @param places `web:80`, by the port of the machine
 * @param name of the variable whose value it is
 * @returns with the places of services in the place of the machine's
 */
export const withoutMachine = (text: string, places: Record<string, string>, name: string = ''): string =>
	FOR_BROWSERS.test(name) ? text : text.replace(MACHINE, (whole, port = WEB_PORT) => places[port] ?? whole);

/**
 * Which store is chosen by a variable that does not speak of hosts, as in `SESSION_STORE=cache`.
 * @returns in lower case; a host only where a store of the system is called so
 */
export const storeOfVariable = (name: string, value: string): string | null =>
	NAME.test(value) && !NAMES_OTHERS.test(name) ? value.toLowerCase() : null;

/**
 * Fewer than `hostsOfVariable` gives: each is likely a host, whether or not it is known as one.
 * @returns in lower case
 */
export function hostsAskedBy(name: string, value: string): string[] {
	const isHost = NAMES_HOST.test(name) && !NAMES_ITSELF.test(name);
	const whole = isHost ? value.split(/[\s,;]+/).filter((part) => NAME.test(part)) : [];
	const withPorts = NAMES_ITSELF.test(name) ? [] : [...value.matchAll(HOST_AND_PORT)].map(([, host]) => host);
	return inLowerCase([...urlHosts(value), ...withPorts, ...whole]);
}

/** @returns in lower case */
export function hostsOfCommand(command: string[]): string[] {
	const given = command.filter((word, index) => NAME.test(word) && isHostOption(command[index - 1] ?? ''));
	return inLowerCase([...command.flatMap(placesIn), ...given]);
}

const isHostOption = (word: string) => word === '-h' || (OPTION.test(word) && SPEAKS_OF_HOST.test(word));

/** Those by their place in a text: in a URL, before a port, assigned. */
export const hostsByPlace = (text: string): string[] => [...urlHosts(text), ...allIn(text, [HOST_AND_PORT, ASSIGNED])];

const placesIn = (text: string): string[] => [...hostsByPlace(text), ...allIn(text, [AFTER_USER])];

/** @param patterns each with one group */
export const allIn = (text: string, patterns: RegExp[]): string[] =>
	patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, found]) => found));

/** By which a Swarm reaches the containers of a service one by one. https://docs.docker.com/engine/swarm/networking/ */
const OF_SWARM = /^tasks\./;

/** @returns each once, as a service may be called */
export const inLowerCase = (hosts: string[]): string[] => [...new Set(hosts.map((host) => host.toLowerCase().replace(OF_SWARM, '')))];

/**
 * By which host names users know a system, as far as its services' environments and the files that they mount say it. They are values of the
 * user's: asked by, and never shown.
 */
type Naming = Pick<AttachedService, 'environment' | 'names' | 'mounts' | 'published'>;

const PUBLIC_NAMES_NAMES_ITSELF =
	/allowed|trusted|virtual|vhost|domain|server_?name|fqdn|public|external|site|(^|_)(app|base|root|server)_?url|^host(name)?$/i;
/** Whatever it may be called, a browser on the machine of who develops it calls it so. */
const LOCALLY = 'localhost';
const PUBLIC_NAMES_NAME = /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*\.[a-z]{2,}$/i;
const WORD = /[a-z\d.-]+/gi;
const AROUND = /^[.-]+|[.-]+$/g;
/** https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4 */
const NAME_MOST = 253;
/** Endings of files, which look like names of hosts. */
const FILE =
	/\.(conf|cfg|ini|pem|crt|cer|key|csr|log|sock|pid|json|ya?ml|toml|xml|html?|php|m?js|css|txt|md|so|sh|py|rb|sql|lua|tmpl?|gz|zip|png|jpe?g|gif|svg|ico|woff2?|types)$/i;
const COMMENT = /^[ \t]*(#|\/\/).*$/gm;
/** Each costs a request. */
const NAMES_MOST = 12;

/**
 * @param read a configuration on this machine; null where there is none
 * @returns in lower case, each once
 */
export function publicNames(models: Naming[], read: (path: string) => string | null): string[] {
	const own = new Set(models.flatMap(({ names }) => names.map((name) => name.toLowerCase())));
	const reported = models.flatMap(({ environment }) =>
		Object.entries(environment).flatMap(([name, value]) =>
			PUBLIC_NAMES_NAMES_ITSELF.test(name) ? [...urlHosts(value), ...value.toLowerCase().split(/[\s,;]+/)] : [],
		),
	);
	const mounted = models
		.filter(({ published }) => published.length > 0)
		.flatMap(({ mounts }) => mounts.filter(({ type }) => type === 'bind'))
		.flatMap(({ source }) => (read(source) ?? '').replace(COMMENT, '').match(WORD) ?? []);
	const all = [...reported, ...mounted]
		.filter((word) => word.length <= NAME_MOST)
		.map((word) => word.toLowerCase().replace(AROUND, ''))
		.filter((word) => PUBLIC_NAMES_NAME.test(word) && !FILE.test(word));
	return [...new Set([LOCALLY, ...all])].filter((name) => isIP(name) === 0 && !own.has(name)).slice(0, NAMES_MOST);
}
