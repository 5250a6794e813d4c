/**
 * What the kernel counts in each container's network namespace, and how busy the whole machine is, once a second. Read
 * from the host's /proc, so that no container is entered; on a host without it (Docker Desktop) the record stays empty.
 */
import { readFile } from 'node:fs/promises';
import { availableMemory, readCpuTimes } from './machine.js';

const EVERY_MS = 1000;
const MICROSECONDS = 1e6;
/** The counters of /proc/net/netstat (TcpExt) and /proc/net/snmp (Tcp) that speak of refused or dropped connections. */
const KEPT = new Set([
  'ListenOverflows',
  'ListenDrops',
  'TCPAbortOnData',
  'TCPAbortOnClose',
  'TCPAbortOnTimeout',
  'TCPBacklogDrop',
  'TCPReqQFullDrop',
  'TCPTimeWaitOverflow',
  'AttemptFails',
  'EstabResets',
  'OutRsts',
  'RetransSegs',
]);

/**
 * @param {import('./docker.js').Service[]} services
 * @param {{ kernel: import('./record-file.js').RecordFile, host: import('./record-file.js').RecordFile }} records
 * @returns {() => void} stops watching
 */
export function observeKernel(services, records) {
  const tick = async () => {
    const t = Date.now() / 1000;
    const { busy, total } = readCpuTimes();
    const own = process.cpuUsage();
    records.host.write({
      t,
      cpu_busy_s: busy / 1000,
      cpu_total_s: total / 1000,
      lab_cpu_s: (own.user + own.system) / MICROSECONDS,
      available_bytes: await availableMemory(),
    });
    for (const { name, pid } of services) {
      const line = await readNamespace(pid);
      if (line) records.kernel.write({ t, name, ...line });
    }
  };
  // A tick that fails is a gap in the record, which the analysis sees; it must not end the run.
  const timer = setInterval(() => tick().catch(() => {}), EVERY_MS);
  return () => clearInterval(timer);
}

/** @param {number} pid of a process inside the namespace */
async function readNamespace(pid) {
  const read = (/** @type {string} */ file) => readFile(`/proc/${pid}/net/${file}`, 'utf8').catch(() => '');
  const [sockstat, netstat, snmp] = await Promise.all([read('sockstat'), read('netstat'), read('snmp')]);
  if (sockstat === '') return null;
  return { sockets: parseSockets(sockstat), counters: { ...parseCounters(netstat), ...parseCounters(snmp) } };
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
