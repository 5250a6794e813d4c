/**
 * Addresses of the user's machine in a script of their own: in the container of k6 they are k6 itself, and the services behind the ports that
 * the Compose file publishes there are meant; so they are by names of hosts that lead to that machine. Knows nothing of k6.
 *
 * @typedef {{ url: any, params: any }} Asked  as k6 is given them
 */

/** What names a machine to itself, and to a container of Docker Desktop. */
const ITSELF = /^(https?:\/\/)((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?::(\d+))?)(?=[/?#]|$)/i;
/** Any other address with a name. */
const NAMED = /^(https?:\/\/)(([^/?#:@\s]+)(?::(\d+))?)(?=[/?#]|$)/i;
const PORTS = { 'http://': '80', 'https://': '443' };

/**
 * @param {Record<string, string>} places  `nginx:80`, by the port of the machine
 * @param {Record<string, string | null>} [hosts]  names in lower case that lead to it, with the port there, empty where that is the one that is
 *   written; null where the network knows the name
 * @returns {((url: any, params: any) => Asked) | null} with the Host that the script wrote, as users send it; null where there are none
 */
export function insideOf(places, hosts = {}) {
	if (Object.keys(places).length === 0) return null;
	const portOf = (/** @type {string} */ scheme, /** @type {string | undefined} */ port) =>
		port ?? PORTS[/** @type {keyof typeof PORTS} */ (scheme.toLowerCase())];
	/** What stands in the place of scheme, host and port. @param {string} written @returns {{ whole: string, url: string, host: string } | null} */
	const movedIn = (written) => {
		const itself = ITSELF.exec(written);
		if (itself !== null) {
			const [whole, scheme, host, port] = itself;
			const place = places[portOf(scheme, port)];
			return place === undefined ? null : { whole, url: `${scheme}${place}`, host };
		}
		const found = NAMED.exec(written);
		if (found === null) return null;
		const [whole, scheme, host, name, port] = found;
		const led = hosts[name.toLowerCase()];
		const place = led === undefined ? undefined : places[led || portOf(scheme, port)];
		if (place === undefined) return null;
		// A server of TLS is to be asked by that name.
		return { whole, url: `${scheme}${led === null ? `${name}:${place.split(':')[1]}` : place}`, host };
	};
	return (url, params) => {
		// What http.url`...` makes is whole only as it is: its name goes along as a tag.
		const isTemplate = typeof url === 'object' && url !== null && typeof url.clean_url === 'string';
		const written = isTemplate ? url.url : url;
		const moved = typeof written === 'string' ? movedIn(written) : null;
		if (moved === null) return { url, params };
		const { whole, host } = moved;
		const named = isTemplate ? { tags: { name: url.name, ...params?.tags } } : {};
		return {
			url: `${moved.url}${written.slice(whole.length)}`,
			params: { ...params, ...named, headers: { Host: host, ...params?.headers } },
		};
	};
}
