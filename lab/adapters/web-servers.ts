/**
 * Web servers that may balance: by themselves they serve files and run programs within, such as PHP, and pass requests on only where their
 * configuration says so.
 */

/** Programs and images of Apache's. */
const SERVING = new Set(['apache2', 'apachectl', 'httpd']);

/** @param known of an image or a program (well-known.ts) */
export const servesByItself = ({ name }: { name: string }) => SERVING.has(name);

const TO = '\\b(?:ajp|balancer|fcgi|h2c?|https?|scgi|uwsgi|wss?)://([^/:\\s"|\\]]+|\\[[^\\]]*\\])';
/** https://httpd.apache.org/docs/2.4/mod/mod_proxy.html and https://httpd.apache.org/docs/2.4/rewrite/flags.html#flag_p */
const PASSES_ON = [
	new RegExp(`^[ \\t]*(?:ProxyPass(?:Match)?|BalancerMember)\\s[^\\n]*?${TO}`, 'gim'),
	new RegExp(`^[ \\t]*SetHandler\\s+"?proxy:[^\\n]*?${TO}`, 'gim'),
	new RegExp(`^[ \\t]*RewriteRule\\s[^\\n]*?${TO}[^\\n]*\\[(?:[^\\]\\n]*,)?P(?:,[^\\]\\n]*)?\\]`, 'gim'),
	/** Whom, says a variable. */
	/^[ \t]*(?:ProxyPass(?:Match)?|BalancerMember)\s[^\n]*?(\$\{\w+\})/gim,
];
/** A program of the same container, such as one that runs PHP. */
const ITSELF = /^(?:localhost|127\.|\[?::1\]?|0\.0\.0\.0)/i;

/** Whether a configuration of such a server passes requests on to another host. */
export const passesOn = (text: string) => PASSES_ON.some((pattern) => [...text.matchAll(pattern)].some(([, host]) => !ITSELF.test(host)));
