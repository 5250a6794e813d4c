/**
 * What a container ran short of, or waited for in the kernel, at moments; and the whole machine, where the kernel counts it for that alone.
 *
 * @typedef {object} Strain      each null where it was not read
 * @property {number | null} cpu_wait     share of the time in which one of its tasks waited for a CPU, 0 to 1
 * @property {number | null} memory_wait  … for memory
 * @property {number | null} disk_wait    … for the disk
 * @property {number | null} refaults     pages a second that had been thrown out of its memory and came back from the disk
 * @property {number | null} memory_limit  bytes; null where it has none
 * @property {number | null} disk_bytes   a second that its processes read and wrote there
 * @property {number | null} overflows    of its queue of connections to be accepted, a second
 * @property {number | null} timeouts     times a second that its kernel sent a packet again, having waited without success to hear of it
 * @property {number | null} lookups      of names that waited for an answer, as a middle
 * @property {{ open: number, limit: number } | null} files  of its process that has most open, as a middle
 *
 * @typedef {object} Holder      who held a lock that others waited for, as the service itself told once a second
 * @property {string} address    of the client; empty where it came from within the container
 * @property {string} state      in the service's own words
 * @property {number} waiting    mean number of its clients that waited for this one
 * @property {number} held_s     for which it had been in a transaction, the longest
 *
 * @typedef {object} Strains
 * @property {(name: string, moments: number[]) => Strain} strain
 * @property {(moments: number[]) => number | null} machineDiskWait  share of the time in which anything on it waited for the disk
 * @property {(name: string, moments: number[]) => Holder[]} holders  who made most wait first
 */
import { Rows } from './rows.js';
import { grouped, middle } from './spread.js';

/** @param {Pick<import('../read-raw.js').Raw, 'containers' | 'kernel' | 'host' | 'adapted'>} raw @returns {Strains} */
export function strainsOf({ containers, kernel, host, adapted }) {
  const [usage, sockets] = [byName(containers), byName(kernel)];
  const told = new Map(adapted.map(({ service, files }) => [service, new Rows(files.samples)]));
  const machine = new Rows(host);
  return {
    strain(name, moments) {
      const [own, space] = [usage.get(name) ?? NONE, sockets.get(name) ?? NONE];
      const files = own.levels(moments, ({ fds }) => (fds && fds.limit !== null ? fds : null));
      return {
        cpu_wait: own.rate(moments, ({ pressure }) => pressure?.cpu_s),
        memory_wait: own.rate(moments, ({ pressure }) => pressure?.memory_s),
        disk_wait: own.rate(moments, ({ pressure }) => pressure?.io_s),
        refaults: own.rate(moments, ({ refaults }) => refaults),
        memory_limit: middleOf(own.levels(moments, ({ memory_limit_bytes: limit }) => limit)),
        disk_bytes: own.rate(moments, ({ disk_bytes: bytes }) => bytes),
        overflows: space.rate(moments, ({ counters }) => counters?.ListenOverflows),
        timeouts: space.rate(moments, ({ counters }) => counters?.TCPTimeouts),
        lookups: middleOf(space.levels(moments, ({ lookups }) => lookups)),
        files: files.length === 0 ? null : { open: middle(files.map(({ open_files: open }) => open)), limit: files[0].limit },
      };
    },
    machineDiskWait: (moments) => machine.rate(moments, ({ pressure }) => pressure?.io),
    holders: (name, moments) => holdersIn((told.get(name) ?? NONE).levels(moments, ({ lock_holders: holders = null }) => holders ?? [])),
  };
}
const NONE = new Rows([]);

/** @param {any[]} rows @returns {Map<string, Rows>} */
const byName = (rows) => new Map([...grouped(rows, ({ name }) => name)].map(([name, own]) => [name, new Rows(own)]));

/** @param {number[]} values @returns {number | null} */
const middleOf = (values) => (values.length === 0 ? null : middle(values));

/** @param {Holder[][]} samples  at each moment @returns {Holder[]} */
function holdersIn(samples) {
  const groups = grouped(samples.flat(), ({ address, state }) => JSON.stringify([address, state]));
  return [...groups.values()]
    .map((same) => ({
      address: same[0].address ?? '',
      state: same[0].state ?? '',
      waiting: same.reduce((sum, { waiting }) => sum + waiting, 0) / samples.length,
      held_s: same.reduce((longest, { held_s: held }) => Math.max(longest, held ?? 0), 0),
    }))
    .toSorted((one, other) => other.waiting - one.waiting);
}
