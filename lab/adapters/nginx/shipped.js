/**
 * What the lab asks the shipped balancer inside its container: the configuration that it runs, and its connection totals.
 */

/** @param {string[]} entrypoint of its container @returns {string[]} prints the configuration, includes and all */
export const confCommand = (entrypoint) => ['nginx', '-T', '-q', '-c', entrypoint[entrypoint.indexOf('-c') + 1]];

const ASK = "exec 3<>/dev/tcp/127.0.0.1/8081; printf 'GET /status HTTP/1.0\\r\\n\\r\\n' >&3; timeout 2 cat <&3";

/** Prints its totals, which it tells on a port of their own. */
export const TOTALS_COMMAND = ['timeout', '3', 'bash', '-c', ASK];

/**
 * @param {string} answer of ngx_http_stub_status_module
 * @returns {{ accepted: number, handled: number, requests: number, active: number } | null} null where it is none
 */
export function parseTotals(answer) {
  const totals = /^\s*(\d+) (\d+) (\d+)\s*$/m.exec(answer);
  const active = /Active connections: (\d+)/.exec(answer);
  if (!totals || !active) return null;
  const [, accepted, handled, requests] = totals.map(Number);
  return { accepted, handled, requests, active: Number(active[1]) };
}
