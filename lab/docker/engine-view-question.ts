/**
 * What may be asked of the engine through a view of it: to read, and of one project alone; and where a program writes the configuration of a
 * proxy that is another container of that project, to have that one read it again. What is asked is read here and written anew,
 * so that nothing of a client's own text gets to the engine. Pure.
 */
import { jsonIn } from '../base/values.ts';
import { PROJECT_LABEL } from './containers.ts';

export type Kind =
	| 'ping'
	| 'version'
	| 'info'
	| 'containers'
	| 'container'
	| 'events'
	| 'networks'
	| 'network'
	| 'services'
	| 'tasks'
	| 'reload';

/** path: for the engine */
export type Question = { kind: Kind; path: string };

type Refusal = { status: number; message: string };

/** of a project that runs under another name than its owner gave it */
export type Names = {
	/** that it runs under; a text that stands nowhere else */
	project: string;
	/** that its owner knows it by */
	own: string;
	/** names of its networks and containers, as the engine has them, and as its owner knows them, where these are no names of the project's own */
	known: Record<string, string>;
	/** a container of it may be sent the signal at which servers read their configuration again */
	reloads?: boolean;
};

/** https://docs.docker.com/reference/api/engine/ */
const VERSION = /^\/v\d{1,3}\.\d{1,3}(?=\/)/;
const ID = '([a-zA-Z0-9][a-zA-Z0-9_.-]*)';
const ROUTES: { kind: Kind; path: RegExp; write: (id: string) => string; takes?: string[]; isFiltered?: boolean }[] = [
	{ kind: 'ping', path: /^\/_ping$/, write: () => '/_ping' },
	{ kind: 'version', path: /^\/version$/, write: () => '/version' },
	{ kind: 'info', path: /^\/info$/, write: () => '/info' },
	{ kind: 'containers', path: /^\/containers\/json$/, write: () => '/containers/json', takes: ['all', 'limit'], isFiltered: true },
	{ kind: 'container', path: new RegExp(`^/containers/${ID}/json$`), write: (id) => `/containers/${id}/json` },
	{ kind: 'events', path: /^\/events$/, write: () => '/events', takes: ['since', 'until'], isFiltered: true },
	{ kind: 'networks', path: /^\/networks$/, write: () => '/networks', isFiltered: true },
	{ kind: 'network', path: new RegExp(`^/networks/${ID}$`), write: (id) => `/networks/${id}` },
	{ kind: 'services', path: /^\/services$/, write: () => '/services', isFiltered: true },
	{ kind: 'tasks', path: /^\/tasks$/, write: () => '/tasks', isFiltered: true },
];
const RELOAD: (typeof ROUTES)[number] = {
	kind: 'reload',
	path: new RegExp(`^/containers/${ID}/kill$`),
	write: (id) => `/containers/${id}`,
};
/** What tells a server to read its configuration again, by its name or its number. */
const HANG_UP = /^((SIG)?HUP|1)$/;
/** Numbers, moments, true and false. */
const PLAIN_VALUE = /^[\w.:+-]*$/;
const FILTER = /^[a-z-]+$/;
const [BAD_REQUEST, FORBIDDEN] = [400, 403];

/** @param target of the request, as it came */
export function questionOf(method: string, target: string, names: Names): Question | Refusal {
	const at = target.indexOf('?');
	const whole = at < 0 ? target : target.slice(0, at);
	const version = VERSION.exec(whole)?.[0] ?? '';
	const path = whole.slice(version.length);
	const given = new URLSearchParams(at < 0 ? '' : target.slice(at + 1));
	const isReload = names.reloads === true && method === 'POST' && RELOAD.path.test(path) && HANG_UP.test(given.get('signal') ?? '');
	const read = ['GET', 'HEAD'].includes(method) ? ROUTES.find((one) => one.path.test(path)) : undefined;
	const route = isReload ? RELOAD : read;
	if (route === undefined)
		return {
			status: FORBIDDEN,
			message: `${method} ${askedFor(target)} is refused: in a run of Doubletake the engine can only be read`,
		};
	const id = engineName(route.path.exec(path)?.[1] ?? '', names);
	const query = new URLSearchParams();
	for (const name of route.takes ?? []) if (given.has(name)) query.set(name, String(given.get(name)));
	if (![...query.values()].every((value) => PLAIN_VALUE.test(value)))
		return { status: BAD_REQUEST, message: 'invalid value of a parameter' };
	if (route.isFiltered) {
		const filters = filtersOf(given.get('filters'), names);
		if (filters === null) return { status: BAD_REQUEST, message: 'invalid filters' };
		query.set('filters', JSON.stringify(filters));
	}
	const written = `${version}${route.write(id)}`;
	return { kind: route.kind, path: query.size === 0 ? written : `${written}?${query}` };
}

/**
 * A client's own filters, and that of the project, which has to hold beside them: the engine gives what has all labels of a list.
 * @param text JSON: lists by name, or mappings to true, as older clients write them
 * @returns null where it is something else
 */
function filtersOf(text: string | null, names: Names): Record<string, string[]> | null {
	const filters: Record<string, string[]> = {};
	const given = mappingOf(jsonIn(text || '{}'));
	if (given === null) return null;
	for (const [name, value] of Object.entries(given)) {
		const mapping = mappingOf(value);
		const values = mapping === null ? value : Object.keys(mapping);
		if (!FILTER.test(name) || !Array.isArray(values) || !values.every((one) => typeof one === 'string')) return null;
		filters[name] = values.map((one) => asEngineHas(name, one, names));
	}
	return { ...filters, label: [...(filters.label ?? []), `${PROJECT_LABEL}=${names.project}`] };
}

const mappingOf = (value: unknown): Record<string, unknown> | null =>
	typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

function asEngineHas(filter: string, value: string, names: Names): string {
	if (filter !== 'label') return engineName(value, names);
	return value === `${PROJECT_LABEL}=${names.own}` ? `${PROJECT_LABEL}=${names.project}` : value;
}

/** By which the engine knows what its owner calls so; an id stays what it is. */
function engineName(name: string, { project, own, known }: Names) {
	const found = Object.entries(known).find(([, theirs]) => theirs === name);
	if (found !== undefined) return found[0];
	return name.startsWith(`${own}-`) || name.startsWith(`${own}_`) ? `${project}${name.slice(own.length)}` : name;
}

/** Without what may be anything: names of what is asked for, and queries. */
export const askedFor = (target: string) =>
	target
		.replace(VERSION, '')
		.replace(/[?#].*/s, '')
		.split('/')
		.map((part, index) => (index === 2 && part !== 'json' && !WORDS.test(part) ? '{id}' : part.replace(/[^\w.-]/g, '')))
		.slice(0, PARTS_MOST)
		.join('/');

/** Of the engine's own. */
const WORDS = /^(create|prune|search|load|get|auth|json|init|join|leave|update|unlock|unlockkey)$/;
const PARTS_MOST = 4;
