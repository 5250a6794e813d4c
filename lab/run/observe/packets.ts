/** Packets that the kernel handled. It works on them in nobody's time, so that only their number says for whom it did. */

import type { Proc } from './observe-kernel.ts';

export const LOOPBACK = 'lo';

/**
 * How often the kernel took up a packet, for each interface: what was received and what was sent. What goes over the loopback
 * is sent and received at once.
 * @param text of /proc/net/dev (https://man7.org/linux/man-pages/man5/proc_pid_net.5.html)
 */
export function parsePackets(text: string): Record<string, number> {
	const packets: Record<string, number> = {};
	for (const line of text.split('\n')) {
		const [, name, counters] = /^\s*([^:]+):\s*(.*)$/.exec(line) ?? [];
		if (name === undefined) continue;
		const values = counters.split(/\s+/).map(Number);
		packets[name] = name === LOOPBACK ? values[1] : values[1] + values[9];
	}
	return packets;
}

/**
 * Counts the host's packets on from reading to reading: the interface of a container that has ended takes its count along.
 */
export class HostPackets {
	#read;
	#isBridge;
	#total = 0;
	#before: Record<string, number> = {};

	constructor({ read, isBridge }: Proc) {
		this.#read = read;
		this.#isBridge = isBridge;
	}

	/** @returns of all interfaces, never less than before; null where the kernel does not show it */
	count(): number | null {
		const text = this.#read('/proc/net/dev');
		if (text === null) return null;
		const now = parsePackets(text);
		for (const [name, packets] of Object.entries(now)) {
			if (!this.#isBridge(name)) this.#total += Math.max(0, packets - (this.#before[name] ?? 0));
		}
		this.#before = now;
		return this.#total;
	}
}
