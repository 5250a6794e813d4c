/**
 * What the kernel counts in each container's network namespace, and how busy the whole machine is, once a second. Read
 * from the host's /proc, so that no container is entered while the load runs; where the engine has a
 * kernel of its own (Docker Desktop) the record stays empty.
 */
import { isOnThisKernel } from '../../docker/cgroup.js';
import { known, readHead, readText } from '../../docker/proc.js';
import { EngineCpu } from './engine-cpu.js';
import { availableMemory, readConntrack, readCpuTimes, readPressure } from './machine.js';
import { HostPackets, readContainerPackets } from './packets.js';
import { countLookups, parseListeners, parsePorts } from './sockets.js';

const EVERY_MS = 1000;
const MICROSECONDS = 1e6;
/**
 * The counters of /proc/net/netstat (TcpExt) and /proc/net/snmp (Tcp) that speak of connections: opened, refused, dropped,
 * reset or sent for again.
 */
const KEPT = new Set([
  'ListenOverflows',
  'ListenDrops',
  'TCPAbortOnData',
  'TCPAbortOnClose',
  'TCPAbortOnTimeout',
  'TCPBacklogDrop',
  'TCPReqQFullDrop',
  'TCPTimeWaitOverflow',
  'TCPSynRetrans',
  'TCPTimeouts',
  'ActiveOpens',
  'PassiveOpens',
  'AttemptFails',
  'EmbryonicRsts',
  'EstabResets',
  'OutRsts',
  'RetransSegs',
]);
/** Six lines of /proc/net/tcp: where a service listens. A longer read makes the kernel walk its table of connections (0.8 ms a walk). */
const LISTENERS_BYTES = 1024;
/** A namespace with no listener in a file is looked at again so often. */
const LISTENERS_AGAIN_TICKS = 10;
/** The whole of /proc/net/tcp has 150 bytes for each connection: read rarely, and only where the ports may become scarce. */
const PORTS_EVERY_TICKS = 5;
const PORTS_FROM_SOCKETS = 2000;

/** Docker's resolver has one in each namespace. */
const ENGINE_SOCKETS = 1;

/** @typedef {import('../../docker/cgroup.js').Placed & { name: string, portRange: import('./port-range.js').PortRange | null }} Watched  a container; portRange: null where it is not known */

/**
 * @param {Watched[]} watched
 * @param {Pick<import('../../docker/system.js').Records, 'kernel' | 'host'>} records
 * @returns {() => void} stops watching
 */
export function observeKernel(watched, records) {
  const here = watched.filter(isOnThisKernel);
  // Where none of them is here, what this machine does is not what theirs does.
  if (watched.length > 0 && here.length === 0) return () => {};
  const namespaces = here.map((one) => new Namespace(one));
  const packets = new HostPackets();
  const engine = new EngineCpu();
  let ticks = 0;
  const timer = setInterval(() => {
    const t = Date.now() / 1000;
    records.host.write({ t, ...readHost(), ...known({ packets: packets.count(), engine_cpu_s: engine.read() }) });
    for (const namespace of namespaces) {
      const line = namespace.read(ticks);
      if (line) records.kernel.write({ t, name: namespace.name, ...line });
    }
    ticks += 1;
  }, EVERY_MS);
  return () => clearInterval(timer);
}

function readHost() {
  const { busy, total, stat } = readCpuTimes();
  const own = process.cpuUsage();
  return {
    cpu_busy_s: busy,
    cpu_total_s: total,
    lab_cpu_s: (own.user + own.system) / MICROSECONDS,
    available_bytes: availableMemory(),
    ...known({ stat, pressure: readPressure(), conntrack: readConntrack() }),
  };
}

class Namespace {
  #folder;
  #portRange;
  /** Files of the namespace in which a socket listened. @type {Set<string>} */
  #listening = new Set();

  /** @param {Watched} watched */
  constructor({ name, pid, portRange }) {
    this.name = name;
    this.#folder = `/proc/${pid}/net`;
    this.#portRange = portRange;
  }

  /** @param {number} ticks since the start */
  read(ticks) {
    const sockstat = readText(`${this.#folder}/sockstat`);
    if (sockstat === null) return null;
    const sockets = parseSockets(sockstat);
    const counters = {
      ...parseCounters(readText(`${this.#folder}/netstat`) ?? ''),
      ...parseCounters(readText(`${this.#folder}/snmp`) ?? ''),
    };
    const packets = readContainerPackets(this.#folder);
    const [accept, ports, lookups] = [
      this.#readQueues(ticks),
      this.#readPorts(ticks, sockets),
      this.#countLookups(parseDatagrams(sockstat)),
    ];
    return { sockets, counters, ...known({ packets, accept, ports, lookups }) };
  }

  /** Reading them costs twice as much as all the rest: only where there is more than the engine's own. @param {number | null} sockets for datagrams @returns {number | null} */
  #countLookups(sockets) {
    if (sockets === null || sockets <= ENGINE_SOCKETS) return sockets === null ? null : 0;
    const text = readText(`${this.#folder}/udp`);
    return text === null ? null : countLookups(text);
  }

  /** @param {number} ticks @returns {import('./sockets.js').Listener[] | null} null where nothing listens */
  #readQueues(ticks) {
    const files = ticks % LISTENERS_AGAIN_TICKS === 0 ? ['tcp', 'tcp6'] : [...this.#listening];
    const queues = files.flatMap((file) => {
      const found = parseListeners(readHead(`${this.#folder}/${file}`, LISTENERS_BYTES) ?? '');
      if (found.length > 0) this.#listening.add(file);
      return found;
    });
    return queues.length > 0 ? queues : null;
  }

  /** @param {number} ticks @param {Record<string, number>} sockets */
  #readPorts(ticks, { tw = 0, inuse = 0 }) {
    if (ticks % PORTS_EVERY_TICKS !== 0 || tw + inuse <= PORTS_FROM_SOCKETS || this.#portRange === null) return null;
    const text = readText(`${this.#folder}/tcp`);
    return text === null ? null : { ...parsePorts(text, this.#portRange.range), range_of: this.#portRange.of };
  }
}

/**
 * @param {string} text of /proc/net/sockstat
 * @returns {Record<string, number>} TCP sockets by state: `inuse`, `tw` (TIME_WAIT), `alloc`, `orphan`
 */
export function parseSockets(text) {
  const words = (/^TCP: (.*)$/m.exec(text)?.[1] ?? '').split(' ');
  /** @type {Record<string, number>} */
  const sockets = {};
  for (let at = 0; at + 1 < words.length; at += 2) sockets[words[at]] = Number(words[at + 1]);
  return sockets;
}

/** @param {string} text of /proc/net/sockstat @returns {number | null} sockets for datagrams */
export function parseDatagrams(text) {
  const count = /^UDP: inuse (\d+)/m.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

/**
 * @param {string} text of /proc/net/netstat or snmp: pairs of lines, names and values
 * @returns {Record<string, number>}
 */
export function parseCounters(text) {
  /** @type {Record<string, number>} */
  const counters = {};
  const lines = text.split('\n');
  for (let at = 0; at + 1 < lines.length; at += 2) {
    if (!/^(TcpExt|Tcp):/.test(lines[at])) continue;
    const values = lines[at + 1].split(' ');
    for (const [index, name] of lines[at].split(' ').entries()) if (KEPT.has(name)) counters[name] = Number(values[index]);
  }
  return counters;
}
