import type { LoadChange } from '../../k6/lib/changed-load.js';
import type { Level, Tier } from '../base/tier.ts';
import type { Variable } from '../base/variable.ts';
import type { Data } from './mount-data.ts';

/**
 * What may stand in doubletake.yaml: what the lab knows of a system, and the load that it puts on it. Each shipped system has one beside
 * its Compose file, as a user's has.
 */
/** other: no request passes it */
export type ProjectTier = Tier | 'other';

export type ProjectService = {
	tier: ProjectTier;
	product: string;
	watch: Level;
	/** why it was taken for this; written as a comment, and not read again */
	reason?: string;
};

/** of urls, openapi, script and scenario one is given; the rest is of the first two */
export type ProjectLoad = {
	/** method and path, with a weight before and a body after; at another entry than the first a URL below that */
	urls?: string[];
	/** file */
	openapi?: string;
	/** file, of k6 */
	script?: string;
	/** key of the scenarios table, of a shipped system: what makes it is in the system's Compose files */
	scenario?: string;
	/** of every request of the first two; ${NAME} in a value is of the environment, {{request_id}} is the id that the system is to store, in a path and a body too (k6/lib/stored-id.js) */
	headers?: Record<string, string>;
	/** statuses that are good answers to the first two; below 400 unless given */
	expect?: number[];
	/** of openapi: operations that may change something and are sent all the same */
	include?: string[];
	/** of openapi: operations that are not sent */
	exclude?: string[];
	shape?: keyof typeof LOAD_SHAPES;
	users?: number;
	think_ms?: number;
	/** of a trial, and never of the file: what of a script's load is otherwise */
	change?: LoadChange;
};

/** what may take failures away, tried when most of them have such a cause */
export type Remedy = {
	/** in words; one thing, or it would not say which one mattered */
	change: string;
	/** of failures, that it takes away */
	causes: string[];
	/** that are given other values; or */
	variables?: Record<string, string>;
	/** another shipped system, which has that change */
	system?: string;
};

/** a system that the lab brings along: the labels of its services say what they are */
export type Shipped = {
	title: string;
	question: string;
	/** given on the command line or by an experiment's arm */
	variables?: Record<string, Variable>;
	remedies?: Remedy[];
	/** on the lab's own network; none where a program is the load */
	entry?: string;
	/** by their tiers unless given */
	edges?: [string, string][];
	/** key of the scenarios table: what one request is */
	load?: { scenario: string };
	/** key of the same system in published.json, `<section>.<run>` */
	published?: string;
};

/** a user's own system */
export type Project = {
	/** in words, for headings */
	title?: string;
	/** why one would run it */
	question?: string;
	/** values that a comparison may give */
	variables?: Record<string, Variable>;
	remedies?: Remedy[];
	/** by service and variable of its environment, the values that a proof tries */
	knobs?: Record<string, Record<string, (string | number)[]>>;
	/** files, in their order */
	compose: string[];
	/** URL inside the network; several where users come in at several places */
	entry: string | string[];
	/** names by which users ask, with the entry that sends on by them; of each entry the first one is that of what names no other */
	hosts?: Record<string, string>;
	services: Record<string, ProjectService>;
	/** who asks whom */
	edges: [string, string][];
	load: ProjectLoad;
	/** of folders of this machine into which services may write; a copy unless given */
	data?: Record<string, Data>;
	/** whether what passes its networks is recorded; on unless given */
	capture?: 'on' | 'off';
	/** how the ids that it stored are read */
	integrity?: StoredIds;
	/** of a shipped system, key of the same system in published.json */
	published?: string;
};

export type StoredIds = {
	/** in a container of which */
	service: string;
	/** prints the stored ids, each in a line of its own */
	command: string[];
};

export const PROJECT_FILE = 'doubletake.yaml';

export const THINK_MOST_MS = 600_000;

export const PROJECT_TIERS: ProjectTier[] = ['load-balancer', 'app', 'pool', 'queue', 'cache', 'database', 'other'];

/** What is used of a service, by the level to which it is watched. */
export const LEVELS = Object.freeze(['its container', 'its own log', 'a configuration laid over its own', 'a preload in its process']);

export const LOAD_SHAPES = Object.freeze({
	steps: 'more users in four steps, each held for 15 s',
	brief: 'the same in 16 s, to see whether all of it works',
	hold: 'all users for 60 s, after 45 s of warm-up: what a full system serves',
});

/** What becomes of a folder of this machine into which services may write. */
export const DATA = Object.freeze({
	copy: 'a copy of it, in a volume of the run',
	empty: 'an empty volume of the run',
	live: 'the folder itself: what the run writes stays there',
});

/** Where the requests of a load come from. */
export const LOAD_SOURCES = ['urls', 'openapi', 'script'] as const;

/** What a load has unless it says otherwise. */
export const LOAD_DEFAULTS: { shape: 'steps'; users: number; think_ms: number } = { shape: 'steps', users: 200, think_ms: 1000 };

/** A system of which nothing is known is asked for what most serve, at each of its entries and by each of their hosts. */
export const placeholderFor = (project: Pick<Project, 'entry' | 'hosts'>): ProjectLoad => ({
	urls: entryUrls(project).flatMap((entry, index) => [
		index === 0 ? 'GET /' : `GET ${entry}`,
		...hostsAt(project, entry)
			.slice(1)
			.map((host) => `GET ${urlOfHost(host, entry)}`),
	]),
	...LOAD_DEFAULTS,
});

export const isPlaceholder = ({ load: { urls }, ...project }: Pick<Project, 'entry' | 'hosts' | 'load'>) =>
	urls !== undefined && urls.join('\n') === placeholderFor(project).urls?.join('\n');

/** @returns by which it sends on */
export const hostsAt = ({ hosts = {} }: Pick<Project, 'hosts'>, entry: string): string[] =>
	Object.keys(hosts).filter((host) => hosts[host] === entry);

/** As users ask for it: at the usual port. */
export const urlOfHost = (host: string, entry: string) => `${partsOfEntry(entry).scheme}://${host}/`;

const LEVEL_MOST = LEVELS.length - 1;
/** One k6 of 3 GB holds fewer. */
const USERS_MOST = 100_000;

/** Scheme, service, port and path. Not every name of a service is a host name by the rules of URLs, so it is not read as one. */
export const ENTRY = /^(https?):\/\/([A-Za-z0-9._-]+)(?::(\d{1,5}))?(\/\S*)?$/;

/** In lower case, as hosts are compared. */
const HOST_NAME = '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$';

/** Of an entry, what a k6 script finds in __ENV.TARGET: scripts put paths behind it that begin with a slash. */
export const scriptTarget = (entry: string) => entry.replace(/\/$/, '');

/** @returns where users come in; what names no other place is asked at the first */
export const entryUrls = ({ entry }: Pick<Project, 'entry'>): [string, ...string[]] => [entry].flat() as [string, ...string[]];

/** @returns the service; empty where the entry is no URL */
export const hostOfEntry = (entry: string): string => ENTRY.exec(entry)?.[2] ?? '';

/**
 * @param entry that the schema takes
 * @returns base: before each path, without a slash at its end
 */
export function partsOfEntry(entry: string): { scheme: 'http' | 'https'; host: string; port: number; base: string } {
	const [, scheme, host, port, path = ''] = ENTRY.exec(entry) ?? [];
	const isSecured = scheme === 'https';
	return { scheme: isSecured ? 'https' : 'http', host, port: Number(port ?? (isSecured ? 443 : 80)), base: path.replace(/\/+$/, '') };
}

const text = (description: string) => ({ type: 'string', minLength: 1, description });

const OPERATIONS = {
	type: 'array',
	minItems: 1,
	description: 'a list of operations of the OpenAPI document, such as ["POST /orders"]',
	items: { type: 'string', pattern: '^[A-Za-z]+ +/', description: 'a method and a path of the OpenAPI document, such as "POST /orders"' },
};

const VARIABLE_NAME = { pattern: '^[A-Z][A-Z0-9_]*$', description: 'the name of a variable, in capitals' };

const VARIABLES = {
	type: 'object',
	minProperties: 1,
	propertyNames: VARIABLE_NAME,
	description: 'variables that the Compose files read, by their names',
	additionalProperties: {
		type: 'object',
		description: 'about, standard, and choices or range, such as { about: connections in the pool, standard: "8", range: [1, 500] }',
		additionalProperties: false,
		required: ['about', 'standard'],
		oneOf: [{ required: ['choices'] }, { required: ['range'] }],
		properties: {
			about: text('what it is, in words'),
			standard: text('its value unless another is given, in quotes'),
			choices: { type: 'array', minItems: 1, description: 'a list of the values that it may have', items: text('a value, in quotes') },
			range: {
				type: 'array',
				minItems: 2,
				maxItems: 2,
				description: 'the least and the most of a whole number, such as [1, 500]',
				items: { type: 'integer', description: 'a whole number' },
			},
		},
	},
};

const REMEDY_BY = {
	variables: {
		type: 'object',
		minProperties: 1,
		propertyNames: VARIABLE_NAME,
		description: 'other values of variables, such as { POOL: "32" }',
		additionalProperties: { type: 'string', description: 'a text, in quotes' },
	},
	system: text('the name of another shipped system'),
};

/** by: what a remedy is made with */
const remediesBy: (by: 'variables' | 'system', example: string) => object = (by, example) => ({
	type: 'array',
	minItems: 1,
	description: 'a list of changes that may take failures away',
	items: {
		type: 'object',
		description: `change, causes and ${by}, such as { change: a larger pool, causes: [pool-wait], ${example} }`,
		additionalProperties: false,
		required: ['change', 'causes', by],
		properties: {
			change: text('what it changes, in words'),
			causes: { type: 'array', minItems: 1, description: 'a list of causes of failures', items: text('the name of a cause') },
			[by]: REMEDY_BY[by],
		},
	},
});

const KNOBS = {
	type: 'object',
	minProperties: 1,
	description: 'services with variables of their environment and the values to try, such as { api: { POOL: [5, 20] } }',
	additionalProperties: {
		type: 'object',
		minProperties: 1,
		description: 'variables with the values to try, such as { POOL: [5, 20] }',
		additionalProperties: {
			type: 'array',
			minItems: 1,
			description: 'a list of values, such as [5, 20]',
			items: { type: ['string', 'number'], description: 'a number, or a text' },
		},
	},
};

/** Of HTTP. */
const [STATUS_LEAST, STATUS_MOST] = [100, 599];

const EDGES = {
	type: 'array',
	description: 'a list of pairs of services, such as [[web, db]]',
	items: {
		type: 'array',
		minItems: 2,
		maxItems: 2,
		description: 'a pair of services: who asks, and who is asked',
		items: text('the name of a service; in quotes if it could be read as a number'),
	},
};

/** What any system may say of itself. */
const ABOUT = {
	title: text('what the system is, in a few words'),
	question: { type: 'string', pattern: '\\?$', description: 'what is asked of the system, with a question mark at its end' },
	variables: VARIABLES,
};

const schemaOf: (required: string[], properties: Record<string, any>) => Record<string, any> = (required, properties) => ({
	type: 'object',
	description: `names and values (${Object.keys(properties).join(', ')})`,
	additionalProperties: false,
	required,
	properties,
});

/** Of a system that the lab brings along, whose services say by labels what they are. Each description ends the sentence "expected ...". */
export const SHIPPED_SCHEMA = schemaOf(['title', 'question'], {
	...ABOUT,
	entry: { type: 'string', pattern: ENTRY.source, description: 'the URL of a service in its network, such as http://web:8080/' },
	edges: EDGES,
	load: {
		type: 'object',
		description: 'a scenario of Doubletake, such as { scenario: tickets }',
		additionalProperties: false,
		required: ['scenario'],
		properties: { scenario: text('the name of a scenario of Doubletake') },
	},
	remedies: remediesBy('system', 'system: 2a-pool500'),
	published: { type: 'string', pattern: '^[^.]+\\.[^.]+$', description: 'section and run of published.json, such as doubling.2a' },
});

/** Of a user's own. */
export const PROJECT_SCHEMA = schemaOf(['compose', 'entry', 'services', 'load'], {
	compose: { type: 'array', minItems: 1, description: 'a list of at least one Compose file', items: text('the name of a Compose file') },
	entry: {
		type: ['string', 'array'],
		minItems: 1,
		pattern: ENTRY.source,
		description: 'the URL of a service in its network, such as http://web:8080/, or a list of such URLs',
		items: { type: 'string', pattern: ENTRY.source, description: 'the URL of a service in its network, such as http://web:8080/' },
	},
	hosts: {
		type: 'object',
		minProperties: 1,
		propertyNames: { pattern: HOST_NAME, description: 'the name of a host in lower case, without scheme, port and path' },
		description: 'names of hosts with the entry that sends requests on by them, such as { shop.test: http://web:8080/ }',
		additionalProperties: { type: 'string', description: 'the URL of an entry, as it is written there' },
	},
	services: {
		type: 'object',
		minProperties: 1,
		description: 'at least one service by its name in the Compose file',
		additionalProperties: {
			type: 'object',
			description: 'tier, product and watch of the service, such as { tier: app, product: opaque, watch: 0 }',
			additionalProperties: false,
			required: ['tier', 'product', 'watch'],
			properties: {
				tier: { enum: PROJECT_TIERS, description: `one of ${PROJECT_TIERS.join(', ')}` },
				product: { type: 'string', pattern: '^[a-z0-9-]+$', description: 'the name of a product in lower case, or opaque' },
				watch: { type: 'integer', minimum: 0, maximum: LEVEL_MOST, description: `a level from 0 to ${LEVEL_MOST}` },
			},
		},
	},
	edges: EDGES,
	data: {
		type: 'object',
		description: 'folders with copy, empty or live, such as { ./uploads: empty }',
		additionalProperties: { enum: Object.keys(DATA), description: `one of ${Object.keys(DATA).join(', ')}` },
	},
	capture: { enum: ['on', 'off'], description: 'on or off' },
	integrity: {
		type: 'object',
		description: 'service and command, such as { service: db, command: [psql, -U, app, -tA, -c, "select ref from orders"] }',
		additionalProperties: false,
		required: ['service', 'command'],
		properties: {
			service: text('the name of a service'),
			command: {
				type: 'array',
				minItems: 1,
				description: 'a list of words: a program of the container and what it is given, such as [psql, -tA, -c, "select ref from orders"]',
				items: text('a word of the command; in quotes if it could be read as something else than a text'),
			},
		},
	},
	load: {
		type: 'object',
		description: `one of ${LOAD_SOURCES.join(', ')}, and the number of users`,
		additionalProperties: false,
		properties: {
			urls: {
				type: 'array',
				minItems: 1,
				description: 'a list of at least one request, such as ["GET /"]',
				items: {
					type: 'string',
					pattern: '^(\\d+x )?(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (/|https?://)\\S*( .+)?$',
					description:
						'a method and a path, such as "GET /orders", with how often it is asked before and a body after ("3x POST /orders {}"); at another entry than the first, or by another of its hosts, a URL in place of the path',
				},
			},
			openapi: text('the name of an OpenAPI file'),
			script: text('the name of a k6 script'),
			// What is wrong in it is told without its values.
			headers: {},
			expect: {
				type: 'array',
				minItems: 1,
				description: 'a list of HTTP statuses that are good answers, such as [200, 404]',
				items: {
					type: 'integer',
					minimum: STATUS_LEAST,
					maximum: STATUS_MOST,
					description: `an HTTP status from ${STATUS_LEAST} to ${STATUS_MOST}`,
				},
			},
			include: OPERATIONS,
			exclude: OPERATIONS,
			shape: { enum: Object.keys(LOAD_SHAPES), description: `one of ${Object.keys(LOAD_SHAPES).join(', ')}` },
			users: { type: 'integer', minimum: 1, maximum: USERS_MOST, description: `a whole number from 1 to ${USERS_MOST}` },
			think_ms: { type: 'integer', minimum: 0, maximum: THINK_MOST_MS, description: `a whole number from 0 to ${THINK_MOST_MS}` },
		},
	},
	...ABOUT,
	remedies: remediesBy('variables', 'variables: { POOL: "32" }'),
	knobs: KNOBS,
});
