/**
 * What the load balancer logged of the load: every request that it took, by outcome, and every reason it gave.
 */

/** The client hung up before the answer: Nginx's own status, never sent. */
const CLIENT_CLOSED = 499;

/** What the error log's messages mean. First match wins. @type {[string, RegExp][]} */
const MESSAGES = [
  ['reusing', /worker_connections are not enough, reusing connections/],
  ['table_full', /worker_connections are not enough/],
  ['no_descriptors', /Too many open files/],
  ['no_ports', /Cannot assign requested address/],
  ['no_live_upstreams', /no live upstreams/],
  ['upstream_refused', /connect\(\) failed \(111/],
  ['upstream_unreachable', /connect\(\) failed \(11[03]|No route to host/],
  ['upstream_timeout', /upstream timed out/],
  ['upstream_reset', /recv\(\) failed \(104|Connection reset by peer.*upstream/],
  ['upstream_closed', /upstream prematurely closed connection/],
  ['limited', /limiting (requests|connections)/],
];

/**
 * @typedef {object} BalancerRecord
 * @property {string} name               of the service
 * @property {any[]} lines               of the access log that belong to the load
 * @property {number} ok                 lines with a good status, sent whole
 * @property {number} errors             lines with a status of 400 and above that went to the client
 * @property {number} clientClosed       lines whose client hung up
 * @property {Record<string, number>} byNode lines by the node that answered last
 * @property {Record<string, { count: number, first: string, times: number[] }>} messages of the error log in the load
 * @property {number | null} accepted    connections in the load
 * @property {number | null} dropped     connections closed because no slot was free
 * @property {number | null} slots       size of the connection table, all workers
 */

/**
 * @param {import('./read-raw.js').Raw} raw
 * @param {import('./window.js').Window} window
 * @returns {BalancerRecord | null} null when the architecture has none
 */
export function balancerRecord(raw, window) {
  const service = /** @type {{ name: string, tier: string }[]} */ (raw.manifest.services ?? []).find(
    ({ tier }) => tier === 'load-balancer',
  );
  if (!service) return null;
  const lines = raw.accessLines.filter(({ t }) => t > window.from);
  const [before, after] = [raw.balancerStatus.filter(({ t }) => t <= window.from).at(-1), raw.balancerStatus.at(-1)];
  const both = before && after && after.t > before.t;
  return {
    name: service.name,
    lines,
    ok: lines.filter(({ status, completion }) => status < 400 && completion === 'OK').length,
    errors: lines.filter(({ status }) => status >= 400 && status !== CLIENT_CLOSED).length,
    clientClosed: lines.filter(({ status }) => status === CLIENT_CLOSED).length,
    byNode: countByNode(lines, nodeNames(raw.manifest)),
    messages: digestMessages(raw.errorLines.filter(({ t }) => t >= Math.floor(window.from))),
    accepted: both ? after.accepted - before.accepted : null,
    dropped: both ? after.accepted - after.handled - (before.accepted - before.handled) : null,
    slots: slotsOf(raw.balancerConf),
  };
}

/**
 * @param {any} manifest
 * @returns {Map<string, string>} address to service name
 */
export function nodeNames(manifest) {
  return new Map((manifest.services ?? []).map((/** @type {{ address: string, name: string }} */ { address, name }) => [address, name]));
}

/**
 * @param {any} line of the access log
 * @param {Map<string, string>} names
 * @returns {string | null} the node that was asked last; null when none was
 */
export function nodeOf(line, names) {
  const last = line.upstream.split(/[,:] /).at(-1) ?? '';
  return names.get(last.replace(/:\d+$/, '')) ?? null;
}

/** @param {any[]} lines @param {Map<string, string>} names */
function countByNode(lines, names) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const line of lines) {
    const node = nodeOf(line, names);
    if (node) counts[node] = (counts[node] ?? 0) + 1;
  }
  return counts;
}

/** @param {import('./read-raw.js').Raw['errorLines']} lines */
function digestMessages(lines) {
  /** @type {BalancerRecord['messages']} */
  const messages = {};
  for (const { t, level, text } of lines) {
    const id = MESSAGES.find(([, pattern]) => pattern.test(text))?.[0];
    if (id === undefined) continue;
    messages[id] ??= { count: 0, first: `[${level}] ${text}`, times: [] };
    messages[id].count += 1;
    messages[id].times.push(t);
  }
  return messages;
}

/** @param {string} conf as `nginx -T` prints it */
function slotsOf(conf) {
  const connections = /^\s*worker_connections\s+(\d+);/m.exec(conf)?.[1];
  const workers = /^\s*worker_processes\s+(\d+);/m.exec(conf)?.[1] ?? '1';
  return connections === undefined ? null : Number(connections) * Number(workers);
}

/**
 * The last status that an upstream gave for a line; null when none did.
 * @param {any} line
 */
export function upstreamStatus(line) {
  const last = line.upstream_status.split(/[,:] /).at(-1);
  return /^\d+$/.test(last ?? '') ? Number(last) : null;
}
