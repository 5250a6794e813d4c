/**
 * Which pages of the same site a page in HTML links to. Pure.
 */

/** Of a link, in quotes or without; the names of tags and attributes have no case. */
const LINK = /<a\b[^>]{0,500}?\shref\s*=\s*("([^"]*)"|'([^']*)'|([^\s>"']+))/gi;
const ENTITIES = /** @type {Record<string, string>} */ ({ '&amp;': '&', '&#38;': '&', '&#x26;': '&', '&quot;': '"', '&#39;': "'" });
/** What a link does that is called so is seldom undone: a log-out, or a button that is none. */
const HARMFUL = /log-?_?out|sign-?_?out|delete|remove|unsubscribe|cancel|destroy|logoff/i;
/** Files, which a proxy or a store of files answers. */
const FILE = /\.(pdf|zip|gz|tgz|dmg|exe|png|jpe?g|gif|svg|webp|mp4|mp3|ico|css|js|xml|rss|atom)$/i;

/**
 * @param {string} page
 * @param {string} path  of the page
 * @param {number} most
 * @returns {string[]} paths with their queries, as the page has them from its beginning on, each once, without the page itself
 */
export function linksIn(page, path, most) {
  const base = new URL(path, 'http://site.invalid/');
  const paths = new Set();
  for (const [, , double, single, bare] of page.matchAll(LINK)) {
    const written = (double ?? single ?? bare).replaceAll(/&(amp|#38|#x26|quot|#39);/g, (entity) => ENTITIES[entity]).trim();
    const to = URL.canParse(written, base.href) ? new URL(written, base) : null;
    if (to === null || to.origin !== base.origin || HARMFUL.test(written) || FILE.test(to.pathname)) continue;
    const own = `${to.pathname}${to.search}`;
    if (own !== `${base.pathname}${base.search}`) paths.add(own);
    if (paths.size >= most) break;
  }
  return [...paths];
}
