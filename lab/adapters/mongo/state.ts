/**
 * How the lab asks MongoDB for its status: over a connection of its own that is kept, at the container's address. A shell inside the
 * container would have to be started each second, and costs a core for most of it.
 */

import type { MongoClient as MongoClientOfMongodb } from 'mongodb';
import type { Container, Message } from '../contract.ts';
import { OWN_NAME } from './log.ts';

/** Numbers of the signals that end it: SIGINT and SIGTERM. */
export const STOPS = [2, 15];

export type Said = {
	messages: Message[];
	/** how many connections it had when it refused one more */
	full: { t: number; used: number }[];
};

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
