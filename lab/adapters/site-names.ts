/**
 * By which host names a proxy tells its sites apart, and at which ports it speaks TLS, as its configuration says: of all that a file holds
 * nothing else is in what is returned.
 */

/** https://nginx.org/en/docs/http/server_names.html */
const SERVER_NAME = /^[^#\n]*?\bserver_name\s+([^;{}]+);/gm;
/** https://httpd.apache.org/docs/current/vhosts/name-based.html */
const VIRTUAL_HOST = /^[ \t]*(?:ServerName|ServerAlias)\s+(.+)$/gim;
/** https://docs.haproxy.org/3.0/configuration.html#7.3.6-hdr */
const HEADER = /^[^#\n]*?\bhdr(?:_dom)?\(host\)(?:,\w+)*((?:[ \t]+-[a-z])*(?:[ \t]+[a-z\d*][\w.*-]*)+)/gim;
/** https://doc.traefik.io/traefik/routing/routers/, in a file */
const MATCHER = /(?<!!)\bHost\(([^)]*)\)/g;
/** https://caddyserver.com/docs/caddyfile/concepts#addresses: at the beginning of a line. */
const SITE = /^([a-z\d*][^\s{}#=;]*(?:,\s*[a-z\d*][^\s{}#=;]*)*)\s*\{\s*$/gim;
/** https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/route/v3/route_components.proto */
const DOMAINS = /\bdomains["']?\s*:\s*\[([^\]]*)\]/g;
/** With a dot: a single word there may be anything. */
const NAME = /^([a-z\d]([a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/;
const FILE = /\.(conf|cfg|ini|pem|crt|key|log|sock|json|ya?ml|toml|html?|php|js|css|txt)$/;

/**
 * @param text of a configuration
 * @returns in lower case, in their order, each once; of a pattern nothing
 */
export function siteNames(text: string): string[] {
	const lists = [SERVER_NAME, VIRTUAL_HOST, HEADER, MATCHER, SITE, DOMAINS].flatMap((pattern) =>
		[...text.matchAll(pattern)].map(({ index, 1: list }) => ({ index, list })),
	);
	const words = lists
		.toSorted((one, other) => one.index - other.index)
		.flatMap(({ list }) => list.split(/[\s,`"']+/))
		.map((word) =>
			word
				.toLowerCase()
				.replace(/^https?:\/\//, '')
				.replace(/[:/].*$/, ''),
		);
	return [...new Set(words)].filter((word) => NAME.test(word) && !FILE.test(word));
}

/** `…` up to the end of a block is bounded: a file may have one line. */
const TLS_PORTS: RegExp[] = [
	// https://nginx.org/en/docs/http/ngx_http_core_module.html#listen
	/^[^#\n]*?\blisten\s+(?:\S*:)?(\d{1,5})\b[^;#\n]*\bssl\b/gm,
	// https://docs.haproxy.org/3.0/configuration.html#5.1-ssl
	/^[^#\n]*?\bbind\s+\S*:(\d{1,5})\b[^#\n]*\bssl\b/gm,
	// https://httpd.apache.org/docs/current/mod/mod_ssl.html#sslengine
	/<VirtualHost\s[^>\n]*:(\d{1,5})>(?:(?!<\/VirtualHost>)[\s\S]){0,9999}?^[ \t]*SSLEngine\s+on/gim,
	// https://caddyserver.com/docs/caddyfile/concepts#addresses, and a site with a line `tls`
	/^(?:[^\s{},]+,\s*)*https:\/\/[^\s{},/]*:(\d{1,5})(?=[^{}\n]*\{\s*$)/gm,
	/^(?=[^\s#])[^{}\n]*:(\d{1,5})[^{}\n]*\{[^{}]{0,9999}?^[ \t]*tls\b/gm,
	// https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/listener/v3/listener_components.proto: a listener’s address stands before its filters.
	/\bport_value["']?\s*:\s*(\d{1,5})\b(?:(?!port_value)[\s\S]){0,9999}?DownstreamTlsContext/g,
];

/**
 * @param text of a configuration
 * @returns in the container, each once; of a port that is said elsewhere or by a variable nothing
 */
export const tlsPorts = (text: string): number[] => [
	...new Set(TLS_PORTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, port]) => Number(port)))),
];
