/**
 * Addresses of the user's machine in a script of their own: in the container of k6 they are k6 itself, and the services behind the ports that
 * the Compose file publishes there are meant. Knows nothing of k6.
 *
 * @typedef {{ url: any, params: any }} Asked  as k6 is given them
 */

/** What names a machine to itself, and to a container of Docker Desktop. */
const ITSELF = /^(https?:\/\/)((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal)(?::(\d+))?)(?=[/?#]|$)/i;
const PORTS = { 'http://': '80', 'https://': '443' };

/**
 * @param {Record<string, string>} places  `nginx:80`, by the port of the machine
 * @returns {((url: any, params: any) => Asked) | null} with the Host that the script wrote, as users send it; null where there are none
 */
export function insideOf(places) {
  if (Object.keys(places).length === 0) return null;
  return (url, params) => {
    // What http.url`...` makes is whole only as it is: its name goes along as a tag.
    const isTemplate = typeof url === 'object' && url !== null && typeof url.clean_url === 'string';
    const written = isTemplate ? url.url : url;
    const found = typeof written === 'string' ? ITSELF.exec(written) : null;
    const place = found && places[found[3] ?? PORTS[/** @type {keyof typeof PORTS} */ (found[1].toLowerCase())]];
    if (!found || !place) return { url, params };
    const [whole, scheme, host] = found;
    const named = isTemplate ? { tags: { name: url.name, ...params?.tags } } : {};
    return {
      url: `${scheme}${place}${written.slice(whole.length)}`,
      params: { ...params, ...named, headers: { Host: host, ...params?.headers } },
    };
  };
}
