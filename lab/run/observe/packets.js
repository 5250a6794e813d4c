/**
 * Packets that the kernel handled. It works on them in nobody's time, so that only their number says for whom it did.
 */
import { existsSync } from 'node:fs';
import { readText } from '../../docker/proc.js';

const LOOPBACK = 'lo';

/**
 * How often the kernel took up a packet, for each interface: what was received and what was sent. What goes over the loopback
 * is sent and received at once.
 * @param {string} text of /proc/net/dev (https://man7.org/linux/man-pages/man5/proc_pid_net.5.html)
 * @returns {Record<string, number>}
 */
export function parsePackets(text) {
  /** @type {Record<string, number>} */
  const packets = {};
  for (const line of text.split('\n')) {
    const [, name, counters] = /^\s*([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const values = counters.split(/\s+/).map(Number);
    packets[name] = name === LOOPBACK ? values[1] : values[1] + values[9];
  }
  return packets;
}

/**
 * Packets that went into a container and out of it, since it was made. What it sends to itself stays out: the host's
 * interfaces do not see it.
 * @param {string} folder of the namespace, such as `/proc/<pid>/net`
 * @returns {number | null} null where the kernel does not show it
 */
export function readContainerPackets(folder) {
  const text = readText(`${folder}/dev`);
  if (text === null) return null;
  const { [LOOPBACK]: _, ...others } = parsePackets(text);
  return Object.values(others).reduce((sum, packets) => sum + packets, 0);
}

/** A bridge passes on what its members have counted already. @param {string} name */
const isBridge = (name) => existsSync(`/sys/class/net/${name}/bridge`);

/**
 * Counts the host's packets on from reading to reading: the interface of a container that has ended takes its count along.
 */
export class HostPackets {
  #read;
  #isCounted;
  #total = 0;
  /** @type {Record<string, number>} */
  #before = {};

  /**
   * @param {() => string | null} [read]
   * @param {(name: string) => boolean} [isCounted]
   */
  constructor(read = () => readText('/proc/net/dev'), isCounted = (name) => !isBridge(name)) {
    this.#read = read;
    this.#isCounted = isCounted;
  }

  /** @returns {number | null} of all interfaces, never less than before; null where the kernel does not show it */
  count() {
    const text = this.#read();
    if (text === null) return null;
    const now = parsePackets(text);
    for (const [name, packets] of Object.entries(now)) {
      if (this.#isCounted(name)) this.#total += Math.max(0, packets - (this.#before[name] ?? 0));
    }
    this.#before = now;
    return this.#total;
  }
}
