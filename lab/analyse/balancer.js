/**
 * What the load balancer logged of the load: every request that it took, by outcome, and every reason it gave.
 */

/** The client hung up before the answer: Nginx's own status, never sent. */
export const CLIENT_CLOSED = 499;

/** What the error log's messages mean. First match wins. @type {[string, RegExp][]} */
const MESSAGES = [
  ['reusing', /worker_connections are not enough, reusing connections/],
  ['table_full', /worker_connections are not enough/],
  ['no_descriptors', /Too many open files/],
  ['no_ports', /Cannot assign requested address/],
  ['no_live_upstreams', /no live upstreams/],
  ['benched', /upstream server temporarily disabled/],
  ['upstream_refused', /connect\(\) failed \(111/],
  ['upstream_unreachable', /connect\(\) failed \(11[03]|No route to host/],
  ['upstream_connect_timeout', /upstream timed out .*while connecting to upstream/],
  ['upstream_timeout', /upstream timed out/],
  ['upstream_reset', /(recv|send|writev)\(\) failed \((104|32)|Connection reset by peer.*upstream/],
  ['upstream_closed', /upstream prematurely closed connection/],
  ['upstream_invalid', /upstream sent (invalid|no valid|too big)/],
  ['limited', /limiting (requests|connections)/],
  ['worker_died', /worker process \d+ exited on signal/],
];
/** Those that say why one attempt to ask a node failed. */
const OF_ATTEMPTS = new Set([
  'no_descriptors',
  'no_ports',
  'upstream_refused',
  'upstream_unreachable',
  'upstream_connect_timeout',
  'upstream_timeout',
  'upstream_reset',
  'upstream_closed',
  'upstream_invalid',
]);

/**
 * @typedef {object} AccessLine   a line of the access log; several attempts are told one after the other, in one text
 * @property {number} t           end of the request, seconds since 1970
 * @property {string} id          of the request
 * @property {number} status
 * @property {number} request_s
 * @property {number} connection  number of the client's connection
 * @property {string} upstream    addresses that were asked
 * @property {string} upstream_status
 * @property {string} connect_s
 * @property {string} upstream_s
 * @property {string} error       name, of a node's answer with an error
 * @property {string} completion  `OK` when the answer went out whole
 *
 * @typedef {{ id: string, t: number, connection: number | null, address: string | null, text: string, level: string }} Message
 *
 * @typedef {object} Tried        an attempt to ask a node
 * @property {string} address     without its port; the name of the group of nodes when none was left to ask
 * @property {number | null} status
 * @property {boolean} connected
 * @property {Message | null} message  of the error log, why it failed
 *
 * @typedef {object} BalancerRecord
 * @property {string} name               of the service
 * @property {AccessLine[]} lines        of the load
 * @property {number} ok                 lines with a good status, sent whole
 * @property {number} errors             lines with a status of 400 and above that went to the client
 * @property {number} clientClosed       lines whose client hung up
 * @property {Message[]} log             known messages of the error log in the load, in their order
 * @property {Message[]} benchLog        of the whole record: a node that was left out in the warm-up may still be so
 * @property {Record<string, { count: number, first: string, times: number[] }>} messages  the log's by kind
 * @property {number | null} requests    that it counted itself in the load (stub_status)
 * @property {number | null} accepted    connections in the load
 * @property {number | null} dropped     connections closed because no slot was free
 * @property {number | null} slots       size of the connection table, all workers
 * @property {number} failTimeoutS       how long a node is left out after a failure
 */

/** Nginx's own. https://nginx.org/en/docs/http/ngx_http_upstream_module.html#fail_timeout */
const FAIL_TIMEOUT_S = 10;

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
  const everything = raw.errorLines.flatMap(readMessage);
  const log = everything.filter(({ t }) => t >= Math.floor(window.from));
  return {
    name: service.name,
    lines,
    ok: lines.filter(({ status, completion }) => status < 400 && completion === 'OK').length,
    errors: lines.filter(({ status }) => status >= 400 && status !== CLIENT_CLOSED).length,
    clientClosed: lines.filter(({ status }) => status === CLIENT_CLOSED).length,
    log,
    benchLog: everything,
    messages: byKind(log),
    ...totalsOf(raw.balancerStatus, window),
    slots: slotsOf(raw.balancerConf),
    failTimeoutS: Number(/fail_timeout=(\d+)/.exec(raw.balancerConf)?.[1] ?? FAIL_TIMEOUT_S),
  };
}

/** @type {(status: any[], window: import('./window.js').Window) => { requests: number | null, accepted: number | null, dropped: number | null }} */
function totalsOf(status, window) {
  const [before, after] = [status.filter(({ t }) => t <= window.from).at(-1), status.at(-1)];
  if (!before || !after || after.t <= before.t) return { requests: null, accepted: null, dropped: null };
  // Asking for the totals is a request of its own.
  const asked = status.filter(({ t }) => t > before.t).length;
  return {
    requests: after.requests - before.requests - asked,
    accepted: after.accepted - before.accepted,
    dropped: after.accepted - after.handled - (before.accepted - before.handled),
  };
}

/** @param {import('./read-raw.js').Raw['errorLines'][number]} line @returns {Message[]} */
function readMessage({ t, level, connection, text }) {
  const id = MESSAGES.find(([, pattern]) => pattern.test(text))?.[0];
  if (id === undefined) return [];
  const address = /upstream: "http:\/\/([\d.]+|\[[^\]]+\])/.exec(text)?.[1] ?? null;
  return [{ id, t, connection, address, text, level }];
}

/** @param {Message[]} log */
function byKind(log) {
  /** @type {BalancerRecord['messages']} */
  const messages = {};
  for (const { id, t, level, text } of log) {
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

/** @param {string} text of a log variable that names each attempt */
export const attemptsIn = (text) => (text === '' ? [] : text.split(/ ?[,:] /));

/**
 * Which nodes a request was tried at, each with the message that says why it failed: the error log names the client's
 * connection, so a message belongs to the request that was on it in those seconds.
 * @param {AccessLine} line
 * @param {Map<number, Message[]>} byConnection  in their order
 * @returns {{ tried: Tried[], own: Message[] }} own: messages about the request as a whole
 */
export function triedFor(line, byConnection) {
  const inTime = (byConnection.get(line.connection) ?? []).filter(
    // The error log has whole seconds.
    ({ t }) => t >= Math.floor(line.t - line.request_s) && t <= line.t,
  );
  const failures = inTime.filter(({ id }) => OF_ATTEMPTS.has(id));
  const statuses = attemptsIn(line.upstream_status);
  const connects = attemptsIn(line.connect_s);
  const tried = attemptsIn(line.upstream).map((address, index) => {
    const bare = address.replace(/:\d+$/, '');
    const at = failures.findIndex((message) => message.address === bare);
    return {
      address: bare,
      status: /^\d+$/.test(statuses[index] ?? '') ? Number(statuses[index]) : null,
      connected: /\d/.test(connects[index] ?? ''),
      message: at < 0 ? null : failures.splice(at, 1)[0],
    };
  });
  return { tried, own: inTime.filter(({ id }) => !OF_ATTEMPTS.has(id)) };
}

/** @param {Message[]} log @returns {Map<number, Message[]>} */
export function groupByConnection(log) {
  const groups = new Map();
  for (const message of log) {
    if (message.connection === null) continue;
    const group = groups.get(message.connection);
    if (group) group.push(message);
    else groups.set(message.connection, [message]);
  }
  return groups;
}
