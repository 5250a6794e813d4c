/**
 * What /proc/net/tcp of a network namespace tells of its sockets: how many connections wait to be accepted, and how many
 * local ports each destination has taken. Format: https://docs.kernel.org/networking/proc_net_tcp.html
 */

import type { Listener } from './machine.ts';

/** `sl: local:port remote:port state tx_queue:rx_queue`, all but the first in hexadecimal. */
const LINE = /^ *\d+: ([\dA-F]+):([\dA-F]{4}) ([\dA-F]+):([\dA-F]{4}) ([\dA-F]{2}) [\dA-F]{8}:([\dA-F]{8})/gm;
const LISTEN = '0A';
const NAMES_PORT = '0035';
/** Docker's resolver listens on it in every namespace. */
const RESOLVER = '0B00007F';
const DESTINATIONS_KEPT = 4;

/** local ports taken, TIME_WAIT included */
type Ports = { range: [number, number]; by_destination: Record<string, number> };

/**
 * Listening sockets come first in the file. The queue's limit is not in it: what exceeds it is in the counter ListenOverflows.
 * @param text beginning of /proc/net/tcp or tcp6; its last line may be cut
 */
export function parseListeners(text: string): Listener[] {
	const listeners = [];
	for (const [, address, port, , , state, queued] of text.matchAll(LINE)) {
		if (state !== LISTEN) break;
		if (address !== RESOLVER) listeners.push({ port: Number.parseInt(port, 16), queued: Number.parseInt(queued, 16) });
	}
	return listeners;
}

/**
 * Each destination, address and port, has the whole range of local ports to itself; a port in TIME_WAIT is still taken.
 * @param text of the whole of /proc/net/tcp
 * @param range of local ports that the kernel gives out
 * @returns with the destinations that took most
 */
export function parsePorts(text: string, range: [number, number]): Ports {
	const counts: Map<string, number> = new Map();
	for (const [, , local, address, port, state] of text.matchAll(LINE)) {
		const localPort = Number.parseInt(local, 16);
		if (state === LISTEN || localPort < range[0] || localPort > range[1]) continue;
		const destination = `${address}:${port}`;
		counts.set(destination, (counts.get(destination) ?? 0) + 1);
	}
	const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, DESTINATIONS_KEPT);
	return { range, by_destination: Object.fromEntries(most.map(([destination, count]) => [formatAddress(destination), count])) };
}

/**
 * Lookups of names that wait for an answer. A program's resolver has a socket for each, from its question to the answer, and connects it to
 * whom it asks; what the engine's own resolver answers never leaves the namespace, so that no packet of it is recorded. (musl does not connect
 * it: its lookups are not seen here.)
 * @param text of /proc/net/udp
 */
export const countLookups = (text: string): number => [...text.matchAll(LINE)].filter(([, , , , port]) => port === NAMES_PORT).length;

/** The file has an IPv4 address as the number that the machine holds it in: least significant byte first. */
function formatAddress(destination: string) {
	const [address, port] = destination.split(':');
	const bytes = (address.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).reverse();
	return `${bytes.join('.')}:${Number.parseInt(port, 16)}`;
}

/** @param text of ip_local_port_range */
export function parsePortRange(text: string | null): [number, number] | null {
	const [, from, to] = /^(\d+)\s+(\d+)\s*$/.exec(text ?? '') ?? [];
	return from === undefined ? null : [Number(from), Number(to)];
}
