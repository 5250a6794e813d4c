/**
 * How the lab asks MongoDB for its status: over a connection of its own that is kept, at the container's address. A shell inside the
 * container would have to be started each second, and costs a core for most of it.
 */

import type { MongoClient as MongoClientOfMongodb } from 'mongodb';
import { jsonIn } from '../../base/values.ts';
import { bareRecord, completeLines, isDuring, limitOf, sampledExtent } from '../complete-lines.ts';
import type { About, Container, Files, HopRecord, Limit, Message } from '../contract.ts';

/**
 * MongoDB's own numbers for what it logs. The words of a message may change from version to version, its number does not
 * (https://www.mongodb.com/docs/manual/reference/log-messages/).
 */
export const LOG_IDS = Object.freeze({
	/** "Connection refused because there are too many open connections" */
	refused: 22942,
	/** "Received signal" */
	signal: 23377,
	/** "Slow query": any operation that took longer than `slowms`, 100 unless it is set */
	slow: 51803,
});

/** Numbers of the signals that end it: SIGINT and SIGTERM. */
export const STOPS = [2, 15];

/*
 * Reads MongoDB's log, a JSON object a line (4.4 and newer).
 */

/** MongoDB's own default of `slowms`: below it nothing is logged for taking long. */
export const SLOW_MS = 100;
/** Of the lab's own connections. */
const OWN_NAME = 'doubletake';
/** Of databases that only the server and its replicas write to. */
const INTERNAL = /^(local|admin|config)\./;

/** a line of the log, of what the record keeps of it */
type Entry = {
	/** severity: F, E, W, I or D1 to D5 */
	s: string;
	id: number;
	/** fixed words: what varies stands in attr */
	msg: string;
	attr?: { durationMillis?: number; planSummary?: string; ns?: string; appName?: string; connectionCount?: number };
};

/**
 * @param line without the engine's time
 * @returns null for what is no line of MongoDB's: an image's entrypoint and its scripts print others
 */
function entryIn(line: string): Entry | null {
	const entry = line.startsWith('{') ? jsonIn(line) : null;
	return typeof entry?.id === 'number' && typeof entry.msg === 'string' && typeof entry.s === 'string' ? entry : null;
}

type Said = {
	messages: Message[];
	/** how many connections it had when it refused one more */
	full: { t: number; used: number }[];
};

function readLog(log: string, window: About['window']): Said {
	const said: Said = { messages: [], full: [] };
	for (const { t, text } of completeLines(log)) {
		const entry = isDuring(t, window) ? entryIn(text) : null;
		const { id, attr = {} } = entry ?? {};
		// It counts the one that it refuses.
		if (id === LOG_IDS.refused && attr.connectionCount) said.full.push({ t, used: attr.connectionCount - 1 });
		if (id === LOG_IDS.slow && isOfUsers(attr)) said.messages.push({ signal: 'slow', text: slowText(attr), t });
	}
	return said;
}

const isOfUsers = ({ durationMillis = 0, ns = '', appName }: NonNullable<Entry['attr']>) =>
	durationMillis >= SLOW_MS && !INTERNAL.test(ns) && appName !== OWN_NAME;

const slowText = ({ durationMillis, planSummary }: NonNullable<Entry['attr']>) =>
	`Slow query: ${durationMillis} ms${planSummary ? `, ${planSummary}` : ''}`;

const PORT = 27017;
const LIMIT_MS = 800;
const CREDENTIALS_LIMIT_MS = 900;

/** Sections of serverStatus that are left out: the lab reads none of them, and some take the server time. */
const LEFT_OUT = Object.fromEntries(
	['repl', 'metrics', 'locks', 'tcmalloc', 'transactions', 'logicalSessionRecordCache', 'flowControl', 'security'].map((name) => [name, 0]),
);

/** As the official image and Bitnami's name them; a file where Compose gives it as a secret. The values never reach the record. */
const CREDENTIALS = `value() { eval "text=\\$$1 path=\\$\${1}_FILE"; [ -z "$text" ] && [ -r "$path" ] && text=$(cat "$path"); printf '%s\\n' "$text"; }
if [ -n "$MONGODB_ROOT_PASSWORD$MONGODB_ROOT_PASSWORD_FILE" ]; then value MONGODB_ROOT_USER; value MONGODB_ROOT_PASSWORD
else value MONGO_INITDB_ROOT_USERNAME; value MONGO_INITDB_ROOT_PASSWORD; fi`;
/** Bitnami's own, where only the password is set. */
const USER = 'root';

/** It accepts who is one too many, and closes the connection at once. */
const REFUSED = /connection .* closed/;

/** Those that are connected. */
const clients: WeakMap<Container, MongoClientOfMongodb> = new WeakMap();

/**
 * @returns `{ refused: true }` when no connection was left for the lab either
 * @throws {Error} where it does not answer in time, or does not let the lab in
 */
export async function sampleState(container: Container): Promise<object> {
	const known = clients.get(container);
	if (known) return stateIn(await ask(known));
	const client = await newClient(container);
	try {
		const status = await ask(client);
		clients.set(container, client);
		return stateIn(status);
	} catch (error) {
		// One that could not connect is of no use any more.
		await client.close(true);
		if (REFUSED.test(String(error))) return { refused: true };
		throw error;
	}
}

const ask = (client: MongoClientOfMongodb) => client.db('admin').command({ serverStatus: 1, ...LEFT_OUT });

/** @param container that may have ended */
export async function releaseState(container: Container) {
	const client = clients.get(container);
	clients.delete(container);
	// What it was asked is on record: a connection that cannot be closed well must not cost the run.
	await client?.close(true).catch(() => {});
}

async function newClient(container: Container) {
	const { output } = await container.execute(['sh', '-c', CREDENTIALS], CREDENTIALS_LIMIT_MS);
	const [username = '', password = ''] = output.split('\n').map((text) => text.replace(/\r$/, ''));
	// Not loaded by commands that ask no MongoDB.
	const { MongoClient } = await import('mongodb');
	return new MongoClient(`mongodb://${container.address}:${PORT}/`, {
		...(password === '' ? {} : { auth: { username: username || USER, password } }),
		appName: OWN_NAME,
		directConnection: true,
		maxPoolSize: 1,
		serverMonitoringMode: 'poll',
		serverSelectionTimeoutMS: LIMIT_MS,
		connectTimeoutMS: LIMIT_MS,
		socketTimeoutMS: LIMIT_MS,
	});
}

/** sections that a version does not have are left out */
type State = {
	/** open, the lab's two among them, and how many more it would take */
	connections?: { current: number; available: number };
	/** read and write: operations at work in the store */
	tickets?: Record<string, { out: number; totalTickets: number }>;
};

/**
 * @param status as serverStatus answers
 * @returns numbers alone: no name of a host, a user or a database
 */
export function stateIn({ connections, wiredTiger }: Record<string, any>): State {
	const tickets = wiredTiger?.concurrentTransactions;
	return JSON.parse(
		JSON.stringify({
			connections: connections && { current: connections.current, available: connections.available },
			tickets: tickets && { read: ticketsIn(tickets.read), write: ticketsIn(tickets.write) },
		}),
	);
}

const ticketsIn = (kind: any) => kind && { out: kind.out, totalTickets: kind.totalTickets };

/*
 * What of MongoDB's log the record keeps: when it said what, in its own fixed words. What varies (commands, values, names of users, of
 * databases and of clients) is the user's, but for a few attributes that the lab reads.
 */

const NOT_KEPT = '(its text is not kept)';
/** Of the server's own databases and of the lab: names that are not the user's. */
const KEPT: Record<string, (value: any) => unknown> = {
	durationMillis: number,
	signal: number,
	connectionCount: number,
	// Of a container, or of the lab; not of a person.
	remote: String,
	// "IXSCAN { email: 1 }" names fields; the stage alone does not.
	planSummary: (value) => /^[A-Z_]+/.exec(String(value))?.[0],
	ns: (value) => /^(local|admin|config)\./.exec(String(value))?.[0],
	appName: (value) => (value === OWN_NAME ? value : undefined),
};

/**
 * @param line without the engine's time
 * @returns from which the same messages are read
 */
export function redact(line: string): string {
	const entry = entryIn(line) as Record<string, any> | null;
	if (entry === null) return line === '' ? line : NOT_KEPT;
	const { t, s, c, id, ctx, msg, attr = {} } = entry;
	const kept = Object.entries(KEPT).flatMap(([name, keep]) => {
		const value = attr?.[name] === undefined ? undefined : keep(attr[name]);
		return value === undefined ? [] : [[name, value]];
	});
	return JSON.stringify({ t, s, c, id, ctx, msg, ...(kept.length > 0 ? { attr: Object.fromEntries(kept) } : {}) });
}

function number(value: unknown) {
	return typeof value === 'number' ? value : undefined;
}

/*
 * What MongoDB recorded of a load: what it logged, and what its own status said once a second.
 */

export function read({ log, samples }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	const { messages, full } = readLog(level === 0 ? '' : log, window);
	return {
		...bareRecord(about, 'mongo'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`MongoDB knows no requests: an operation that failed in ${service} belongs to no single one`],
		messages,
		limits: [...connectionLimit(full, samples, window), ...['read', 'write'].flatMap((kind) => ticketLimit(kind, samples, window))],
	};
}

/**
 * Its own limit, or that of the file descriptors that it may open. When all are taken it tells the lab nothing any more, and how many they
 * are stands in the lines of those that it refused.
 */
function connectionLimit(full: Said['full'], samples: any[], window: About['window']): Limit[] {
	const reported = [...samples, ...full].toSorted((one, other) => one.t - other.t);
	return limitOf(
		'connections',
		reported,
		window,
		({ connections, used }) => used ?? (connections && connections.current + connections.available),
		({ connections, used, refused }, size) => used ?? (refused ? size : connections?.current),
	);
}

/** From 7.0 on the server changes their number itself, to keep its throughput: then they are no limit that something runs into. */
function ticketLimit(kind: string, samples: any[], window: About['window']) {
	const sizes = new Set(samples.flatMap(({ tickets }) => tickets?.[kind]?.totalTickets ?? []));
	if (sizes.size !== 1) return [];
	const limits = limitOf(
		`${kind} tickets`,
		samples,
		window,
		({ tickets }) => tickets?.[kind]?.totalTickets,
		({ tickets }) => tickets?.[kind]?.out,
	);
	return limits.map((limit) => ({ ...limit, unit: 'operations' }));
}
