/** Which pages of the same site a page in HTML links to, and which files of it the page loads. Pure. */

/** Of a link, in quotes or without; the names of tags and attributes have no case. */
const LINK = /<a\b[^>]{0,500}?\shref\s*=\s*("([^"]*)"|'([^']*)'|([^\s>"']+))/gi;
/** Scripts, styles, icons and pictures. */
const LOADED = /<(?:script|img|link)\b[^>]{0,500}?\s(?:src|href)\s*=\s*("([^"]*)"|'([^']*)'|([^\s>"']+))/gi;
const ENTITIES = { '&amp;': '&', '&#38;': '&', '&#x26;': '&', '&quot;': '"', '&#39;': "'" } as Record<string, string>;
/** What a link does that is called so is seldom undone: a log-out, or a button that is none. */
const HARMFUL = /log-?_?out|sign-?_?out|delete|remove|unsubscribe|cancel|destroy|logoff/i;
/** Files, which a proxy or a store of files answers. */
const FILE = /\.(pdf|zip|gz|tgz|dmg|exe|png|jpe?g|gif|svg|webp|mp4|mp3|ico|css|m?js|woff2?|xml|rss|atom)$/i;

/**
 * @param path of the page
 * @returns paths with their queries, as the page has them from its beginning on, each once, without the page itself
 */
export const linksIn = (page: string, path: string, most: number): string[] =>
	pathsIn(page.matchAll(LINK), path, most, (to, written) => !HARMFUL.test(written) && !FILE.test(to.pathname));

/**
 * @param path of the page
 * @returns as above, of files
 */
export const filesIn = (page: string, path: string, most: number): string[] =>
	pathsIn(page.matchAll(LOADED), path, most, (to) => FILE.test(to.pathname));

function pathsIn(found: Iterable<RegExpMatchArray>, path: string, most: number, isWanted: (to: URL, written: string) => boolean): string[] {
	const base = new URL(path, 'http://site.invalid/');
	const paths: Set<string> = new Set();
	for (const [, , double, single, bare] of found) {
		const written = (double ?? single ?? bare).replaceAll(/&(amp|#38|#x26|quot|#39);/g, (entity) => ENTITIES[entity]).trim();
		const to = URL.canParse(written, base.href) ? new URL(written, base) : null;
		if (to === null || to.origin !== base.origin || !isWanted(to, written)) continue;
		const own = `${to.pathname}${to.search}`;
		if (own !== `${base.pathname}${base.search}`) paths.add(own);
		if (paths.size >= most) break;
	}
	return [...paths];
}
