/**
 * The local ports that a container's connections may have.
 *
 * @typedef {{ range: [number, number], of: 'service' | 'host' }} PortRange
 */
import { execute } from '../../docker/docker.js';
import { readText } from '../../docker/proc.js';
import { parsePortRange } from './sockets.js';

const PORT_RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

/**
 * Each namespace has a range of its own, which is shown inside it alone. Asked once, before the load; where the container has
 * no program that could tell, that of this machine stands for it.
 * @param {string} id of the container
 * @returns {Promise<PortRange | null>}
 */
export async function readPortRange(id) {
  const own = parsePortRange(await execute(id, ['cat', PORT_RANGE]).catch(() => null));
  if (own) return { range: own, of: 'service' };
  const range = parsePortRange(readText(PORT_RANGE));
  return range && { range, of: 'host' };
}
