/**
 * Faults that the lab can put into a node, to test its own diagnosis. Each stands for something that happens to real nodes:
 * a proxy or library that drops sockets, a leak, a loop that blocks. Without their variables none of this does anything.
 *
 * @typedef {object} Faults
 * @property {number | null} keepAliveTimeoutMs   idle connections are closed after so long; null: Node's own 5 s
 * @property {number} destroyConnectionsShare     of new connections, closed before anything is read
 * @property {number} ignoreConnectionsShare      of new connections, kept open and never read
 * @property {number} destroyShare                of requests, whose connection is closed without an answer
 * @property {number} invalidShare                of requests, answered with something that is not HTTP
 * @property {number} cutAnswerShare              of requests, whose connection is closed in the middle of the answer
 * @property {number} leakMb                      allocated and kept for each request of the load
 * @property {number} busyMs                      for which each request of the load blocks the event loop
 * @property {number} wrongCommandShare           of requests, which send MongoDB a command that it does not know
 * @property {number} slowQueryShare              of requests, which make MongoDB sleep
 * @property {number} slowQueryMs
 */

const BYTES_A_MB = 2 ** 20;
const SHARES = /** @type {const} */ (['destroyShare', 'invalidShare', 'cutAnswerShare']);
/** Ids of the warm-up begin so. A leak or a blocked loop must not use up the node before the load begins. */
const WARMUP = 'w';
/** A header may not hold a zero. */
const NOT_HTTP = 'HTTP/1.1 200 OK\r\n\0\r\n\r\n';
const CUT_ANSWER = '{"latency":';

/** What was leaked. @type {Buffer[]} */
const leaked = [];

/**
 * @param {(name: string, least: number, most: number) => number | undefined} optional reads a variable, and checks it
 * @returns {Faults}
 */
export function readFaults(optional) {
	const share = (/** @type {string} */ name) => optional(name, 0, 1) ?? 0;
	return {
		keepAliveTimeoutMs: optional('KEEP_ALIVE_TIMEOUT_MS', 1, 600_000) ?? null,
		destroyConnectionsShare: share('DESTROY_CONNECTIONS_SHARE'),
		ignoreConnectionsShare: share('IGNORE_CONNECTIONS_SHARE'),
		destroyShare: share('DESTROY_SHARE'),
		invalidShare: share('INVALID_SHARE'),
		cutAnswerShare: share('CUT_ANSWER_SHARE'),
		leakMb: optional('LEAK_MB', 0, 1024) ?? 0,
		busyMs: optional('BUSY_MS', 0, 60_000) ?? 0,
		wrongCommandShare: share('WRONG_COMMAND_SHARE'),
		slowQueryShare: share('SLOW_QUERY_SHARE'),
		slowQueryMs: optional('SLOW_QUERY_MS', 0, 60_000) ?? 0,
	};
}

/** @param {number} share 0 to 1 */
const happens = (share) => share > 0 && Math.random() < share;

/** Whether addCost and corruptResponse have anything to do; asked once, so that a node without faults is not slowed by them. @param {Faults} faults */
export const hasRequestFaults = (faults) => faults.leakMb > 0 || faults.busyMs > 0 || SHARES.some((name) => faults[name] > 0);

/** The same of injectDatabaseFault. @param {Faults} faults */
export const harmsDatabase = ({ wrongCommandShare, slowQueryShare }) => wrongCommandShare > 0 || slowQueryShare > 0;

/**
 * What a request costs beside its work.
 * @param {Faults} faults
 * @param {string | undefined} id
 */
export function addCost({ leakMb, busyMs }, id) {
	if (id === undefined || id.startsWith(WARMUP)) return;
	// Pages are the process's own only once they are written to.
	if (leakMb > 0) leaked.push(Buffer.alloc(leakMb * BYTES_A_MB, 1));
	if (busyMs > 0) for (const end = Date.now() + busyMs; Date.now() < end; );
}

/**
 * Corrupts the answer of some requests, after they were read and logged.
 * @param {Faults} faults
 * @param {string | undefined} id
 * @param {import('node:http').ServerResponse} res
 * @returns {boolean} whether it was corrupted, so that nothing more is to be answered
 */
export function corruptResponse(faults, id, res) {
	const fault = SHARES.find((name) => happens(faults[name]));
	if (fault === undefined) return false;
	// In the container's output, which the diagnosis does not read: the truth of this very request.
	console.log(`fault ${id} ${fault}`);
	const { socket } = res;
	if (fault === 'destroyShare') socket?.destroy();
	if (fault === 'invalidShare') socket?.end(NOT_HTTP);
	if (fault === 'cutAnswerShare') {
		res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': CUT_ANSWER.length + 1 });
		res.end(CUT_ANSWER, () => socket?.destroy());
	}
	return true;
}

/**
 * Closes idle connections early, and keeps some connections from the server.
 * @param {import('node:http').Server} server
 * @param {Pick<Faults, 'keepAliveTimeoutMs' | 'destroyConnectionsShare' | 'ignoreConnectionsShare'>} faults
 */
export function breakConnections(server, { keepAliveTimeoutMs, destroyConnectionsShare, ignoreConnectionsShare }) {
	if (keepAliveTimeoutMs !== null) {
		server.keepAliveTimeout = keepAliveTimeoutMs;
		// Node 24 waits for this much longer than it says.
		server.keepAliveTimeoutBuffer = 0;
	}
	if (destroyConnectionsShare === 0 && ignoreConnectionsShare === 0) return;
	const listeners = /** @type {((socket: import('node:net').Socket) => void)[]} */ (server.listeners('connection'));
	server.removeAllListeners('connection');
	server.on('connection', (socket) => {
		if (happens(destroyConnectionsShare)) socket.destroy();
		// Nobody listens to it, so nothing is read from it; an error of it must not end the process.
		else if (happens(ignoreConnectionsShare)) socket.on('error', () => {});
		else for (const listener of listeners) listener.call(server, socket);
	});
}

/**
 * Commands that MongoDB answers with an error, or late.
 * @param {Faults} faults
 * @param {import('mongoose').Model<any>} model whose database it is
 */
export async function injectDatabaseFault({ wrongCommandShare, slowQueryShare, slowQueryMs }, model) {
	if (happens(wrongCommandShare)) await model.db.db?.command({ noSuchCommand: 1 });
	if (happens(slowQueryShare)) await model.findOne({ $where: `sleep(${slowQueryMs}) || true` }).lean();
}
