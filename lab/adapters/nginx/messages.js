/**
 * What the lines of Nginx's error log mean.
 *
 * @typedef {import('../contract.js').Signal} Signal
 * @typedef {import('../contract.js').Message & { connection: number | null }} LogMessage  connection: number of the client's; `to` is an
 *   address without its port
 */

/** First match wins. @type {[Signal, RegExp][]} */
const MEANINGS = [
  ['table-full-idle', /worker_connections are not enough, reusing connections/],
  ['table-full-new', /worker_connections are not enough/],
  ['proxy_internal_error', /Too many open files/],
  ['proxy_internal_error', /Cannot assign requested address/],
  ['destination_unavailable', /no live upstreams/],
  ['benched', /upstream server temporarily disabled/],
  // Of a socket in a file: full (11), nobody listens (111), not there (2).
  ['connection_refused', /connect\(\) (failed \(111|to unix:\S+ failed \((11|111|2):)/],
  ['destination_ip_unroutable', /connect\(\) failed \(11[03]|No route to host/],
  ['connection_timeout', /upstream timed out .*while connecting to upstream/],
  ['http_response_timeout', /upstream timed out/],
  // The header had come by then.
  ['http_response_incomplete', /(upstream prematurely closed connection|\w+\(\) failed \(104.*) while reading upstream$/],
  ['connection_terminated', /(recv|send|writev)\(\) failed \((104|32)|Connection reset by peer.*upstream/],
  ['connection_terminated', /upstream prematurely closed connection/],
  ['http_protocol_error', /upstream sent (invalid|no valid|too big)/],
  ['dns_error', /no resolver defined|could not be resolved/],
  ['http_request_denied', /limiting (requests|connections)|client intended to send too large|access forbidden by rule/],
  ['worker-died', /worker process \d+ exited (on signal|with fatal code)/],
];

/** Those that say why one attempt to ask a service behind failed. @type {Set<Signal>} */
export const OF_ATTEMPTS = new Set([
  'proxy_internal_error',
  'connection_refused',
  'destination_ip_unroutable',
  'connection_timeout',
  'http_response_timeout',
  'connection_terminated',
  'http_response_incomplete',
  'http_protocol_error',
  'dns_error',
]);

/** `2026/11/21 00:15:46 [warn] 6#6: *17 text`, read as UTC, which containers run in unless told otherwise (read.js). https://nginx.org/en/docs/ngx_core_module.html#error_log */
const LINE = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) \[(\w+)\] \d+#\d+: (?:\*(\d+) )?(.*)$/;

/** Its address, whatever it is spoken to in. A socket in a file is no service's by its name. */
const UPSTREAM = /upstream: "(?:https?|fastcgi|uwsgi|scgi|grpcs?|memcached):\/\/([\d.]+|\[[^\]]+\])/;

/** Of a server that has no address. */
const UNRESOLVED = /^(\S+) could not be resolved|no resolver defined to resolve (\S+)/;

/** @typedef {{ t: number, level: string, connection: number | null, text: string }} ErrorLine */

/** @param {string} text of the error log @returns {ErrorLine[]} */
export function parseErrorLog(text) {
  return text.split('\n').flatMap((line) => {
    const found = LINE.exec(line);
    if (!found) return [];
    const [, year, month, day, time, level, connection, message] = found;
    const t = Date.parse(`${year}-${month}-${day}T${time}Z`) / 1000;
    return [{ t, level, connection: connection === undefined ? null : Number(connection), text: message }];
  });
}

/** @param {ErrorLine} line @returns {LogMessage[]} one, or none where it means nothing known */
export function readMessage({ t, level, connection, text }) {
  // What follows is the client's to choose: its request line, its host and its referrer.
  const [said] = text.split(', client: ');
  const signal = MEANINGS.find(([, pattern]) => pattern.test(said))?.[0];
  if (signal === undefined) return [];
  const to = UPSTREAM.exec(text)?.[1] ?? UNRESOLVED.exec(said)?.slice(1).find(Boolean);
  return [{ signal, t, connection, text: `[${level}] ${text}`, ...(to === undefined ? {} : { to }) }];
}
