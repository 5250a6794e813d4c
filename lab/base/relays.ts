/**
 * Connections to addresses that this machine is not on the network of: of the containers of a Swarm, whose networks are between its hosts. A relay
 * that is on them listens at a Unix socket here. It is told an address and a port in a line, answers with a line, and then hands on what comes.
 */

import type { RequestOptions } from 'node:http';
import net from 'node:net';
import tls from 'node:tls';

/** Until the other side has taken the connection. */
const CONNECT_LIMIT_MS = 3000;
/** What the relay says when it has. */
const CONNECTED = 'connected';
const NEWLINE = 0x0a;

/** Paths of the relays' sockets, by the addresses that they reach. */
const relays: Map<string, string> = new Map();

/**
 * @param path of the relay's socket
 * @param addresses that it reaches
 */
export function relayTo(path: string, addresses: string[]) {
	for (const address of addresses) relays.set(address, path);
}

/** Whether a relay reaches it. */
export const isRelayed = (address: string) => relays.has(address);

/**
 * @returns that is connected
 * @throws {Error} as the system says it: `connect ECONNREFUSED`
 */
export function connectTo(address: string, port: number): Promise<net.Socket> {
	const path = relays.get(address);
	const socket = path === undefined ? net.connect({ host: address, port }) : net.connect({ path });
	return new Promise((resolve, reject) => {
		const limit = setTimeout(() => fail(new Error('connect ETIMEDOUT')), CONNECT_LIMIT_MS);
		const fail = (error: Error) => {
			clearTimeout(limit);
			reject(error);
			socket.destroy();
		};
		const done = () => {
			clearTimeout(limit);
			socket.off('error', fail);
			resolve(socket);
		};
		socket.on('error', fail);
		if (path === undefined) {
			socket.on('connect', done);
			return;
		}
		socket.on('connect', () => socket.write(`${address}:${port}\n`));
		let said = '';
		const take = () => {
			for (let byte = socket.read(1); byte !== null; byte = socket.read(1)) {
				if (byte[0] !== NEWLINE) {
					said += String(byte);
					continue;
				}
				socket.off('readable', take);
				if (said === CONNECTED) done();
				else fail(new Error(said));
				return;
			}
		};
		socket.on('readable', take);
		socket.on('close', () => fail(new Error('connect ECONNRESET')));
	});
}

/**
 * What a request of `node:http` is told beside its host and port.
 * @param secured of one over TLS
 * @returns nothing where no relay reaches the address
 */
export const wayTo = (address: string, port: number, secured: tls.ConnectionOptions | null = null): RequestOptions =>
	isRelayed(address)
		? {
				agent: undefined,
				createConnection: (_, done) => {
					connectTo(address, port).then(
						(socket) => done(null, secured === null ? socket : tls.connect({ ...secured, socket })),
						(error) => done(error, undefined as any),
					);
					return undefined;
				},
			}
		: {};
