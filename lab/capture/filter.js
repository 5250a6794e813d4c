/**
 * Which packets are recorded, and how much of each.
 */

/** The payload's length: of the packet, less the heads of IP and TCP. Only IPv4 has the lengths where a filter can reach them. */
const HAS_PAYLOAD = '(((ip[2:2] - ((ip[0] & 0xf) << 2)) - ((tcp[12] & 0xf0) >> 2)) != 0)';
const BEGINS_OR_ENDS = '(tcp[tcpflags] & (tcp-syn|tcp-fin|tcp-rst) != 0)';
/** The receiver takes no more bytes. */
const CLOSES_WINDOW = '(tcp[14:2] = 0)';

/**
 * What says something, of a connection, of a host that is looked for, and of a name. Acknowledgements alone, a third of all packets, do not.
 * Of IPv6 they are recorded too.
 */
export const FILTER = `arp or udp port 53 or (ip6 proto 6) or (ip and tcp and (${HAS_PAYLOAD} or ${BEGINS_OR_ENDS} or ${CLOSES_WINDOW}))`;

/** Of each packet: the heads of Ethernet, IP and TCP, and of what is said as much as most requests with their ids, and most answers' heads. */
export const SNAP_BYTES = 500;
