/**
 * How the lab asks MongoDB for its status: over a connection of its own that is kept, at the container's address. A shell inside the
 * container would have to be started each second, and costs a core for most of it.
 */
import { OWN_NAME } from './log.js';

/** @typedef {import('../contract.js').Container} Container */

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

/** Those that are connected. @type {WeakMap<Container, import('mongodb').MongoClient>} */
const clients = new WeakMap();

/**
 * @param {Container} container
 * @returns {Promise<object>} `{ refused: true }` when no connection was left for the lab either
 * @throws {Error} where it does not answer in time, or does not let the lab in
 */
export async function sampleState(container) {
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

/** @param {import('mongodb').MongoClient} client */
const ask = (client) => client.db('admin').command({ serverStatus: 1, ...LEFT_OUT });

/** @param {Container} container  that may have ended */
export async function releaseState(container) {
  const client = clients.get(container);
  clients.delete(container);
  // What it was asked is on record: a connection that cannot be closed well must not cost the run.
  await client?.close(true).catch(() => {});
}

/** @param {Container} container */
async function newClient(container) {
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

/**
 * @typedef {object} State            sections that a version does not have are left out
 * @property {{ current: number, available: number }} [connections]  open, the lab's two among them, and how many more it would take
 * @property {Record<string, { out: number, totalTickets: number }>} [tickets]  read and write: operations at work in the store
 * @property {number} [queued]        operations that wait for a lock or a ticket
 * @property {Record<string, number>} [operations]  by kind, since it began
 * @property {number} [user_errors]   commands that it answered with an error of their own, since it began
 */

/**
 * @param {Record<string, any>} status  as serverStatus answers
 * @returns {State} numbers alone: no name of a host, a user or a database
 */
export function stateIn({ connections, wiredTiger, globalLock, opcounters, asserts }) {
  const tickets = wiredTiger?.concurrentTransactions;
  return JSON.parse(
    JSON.stringify({
      connections: connections && { current: connections.current, available: connections.available },
      tickets: tickets && { read: ticketsIn(tickets.read), write: ticketsIn(tickets.write) },
      queued: globalLock?.currentQueue?.total,
      operations: opcounters && numbersIn(opcounters),
      user_errors: asserts?.user,
    }),
  );
}

/** @param {any} kind */
const ticketsIn = (kind) => kind && { out: kind.out, totalTickets: kind.totalTickets };

/** @param {Record<string, unknown>} values */
const numbersIn = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'));
