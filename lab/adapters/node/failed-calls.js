/**
 * What a process counted of calls and connections to others that failed, in neutral words: a message for each.
 *
 * @typedef {import('../contract.js').Message} Message
 */
import { isDuring } from '../whole-lines.js';

/** Codes of Node (libuv) and of undici, which its fetch is. @type {Record<string, import('../contract.js').Signal>} */
const SIGNAL_OF = {
  ECONNREFUSED: 'connection_refused',
  ETIMEDOUT: 'connection_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connection_timeout',
  ECONNRESET: 'connection_terminated',
  EPIPE: 'connection_terminated',
  UND_ERR_SOCKET: 'connection_terminated',
  UND_ERR_HEADERS_TIMEOUT: 'http_response_timeout',
  UND_ERR_BODY_TIMEOUT: 'http_response_timeout',
  EHOSTUNREACH: 'destination_ip_unroutable',
  ENETUNREACH: 'destination_ip_unroutable',
  ENOTFOUND: 'dns_error',
  EAI_AGAIN: 'dns_error',
  EMFILE: 'proxy_internal_error',
  ENFILE: 'proxy_internal_error',
  EADDRNOTAVAIL: 'proxy_internal_error',
};

/**
 * @param {any[]} rows  of one process
 * @param {import('../contract.js').About} about
 * @returns {Message[]} of the load, at the end of the second in which they were counted
 */
export function failedCalls(rows, { names, window }) {
  return rows.flatMap(({ t, outgoing }, index) => {
    const before = rows[index - 1]?.outgoing.failed ?? {};
    if (!isDuring(t, window)) return [];
    return Object.entries(outgoing.failed).flatMap(([what, count]) => {
      const [code, address = ''] = what.split(' ');
      const signal = SIGNAL_OF[code];
      if (signal === undefined) return [];
      const to = names.get(hostOf(address));
      const message = { signal, t, text: `${what}, from its own record`, ...(to === undefined ? {} : { to }) };
      return Array.from({ length: count - (before[what] ?? 0) }, () => message);
    });
  });
}

/** `172.18.0.5:5432`, `::ffff:172.18.0.5:5432` and `db:5432` without what is around the host. @param {string} address */
const hostOf = (address) => address.replace(/^::ffff:/i, '').replace(/:\d+$/, '');
