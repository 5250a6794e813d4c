/**
 * Where the load of a user's script may go: to private addresses, which containers have. A redirect to the public address of a site is
 * followed by k6 unless told otherwise, and that site must not get the load.
 */

/** All of IPv4 but what RFC 1918, 3927, 6598 and 1122 keep for private, local and shared use, and of IPv6 what is global. */
const PUBLIC = [
	...['1.0.0.0/8', '2.0.0.0/7', '4.0.0.0/6', '8.0.0.0/7', '11.0.0.0/8', '12.0.0.0/6', '16.0.0.0/4', '32.0.0.0/3', '64.0.0.0/3'],
	...['96.0.0.0/6', '100.0.0.0/10', '100.128.0.0/9', '101.0.0.0/8', '102.0.0.0/7', '104.0.0.0/5', '112.0.0.0/5', '120.0.0.0/6'],
	...['124.0.0.0/7', '126.0.0.0/8', '128.0.0.0/3', '160.0.0.0/5', '168.0.0.0/8', '169.0.0.0/9', '169.128.0.0/10', '169.192.0.0/11'],
	...['169.224.0.0/12', '169.240.0.0/13', '169.248.0.0/14', '169.252.0.0/15', '169.255.0.0/16', '170.0.0.0/7', '172.0.0.0/12'],
	...['172.32.0.0/11', '172.64.0.0/10', '172.128.0.0/9', '173.0.0.0/8', '174.0.0.0/7', '176.0.0.0/4', '192.0.0.0/9', '192.128.0.0/11'],
	...['192.160.0.0/13', '192.169.0.0/16', '192.170.0.0/15', '192.172.0.0/14', '192.176.0.0/12', '192.192.0.0/10', '193.0.0.0/8'],
	...['194.0.0.0/7', '196.0.0.0/6', '200.0.0.0/5', '208.0.0.0/4', '2000::/3'],
];

/**
 * Of k6, before the name of the script. What is given here stands in the place of the script's own list.
 * @param script blocked: ranges that it blocks itself
 */
export const insideOnly = ({ isInside, blocked = [] }: { isInside?: boolean; blocked?: string[] }): string[] =>
	isInside ? [...new Set([...PUBLIC, ...blocked])].flatMap((range) => ['--blacklist-ip', range]) : [];
