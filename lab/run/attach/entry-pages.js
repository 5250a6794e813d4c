/**
 * Where an entry's page leads to, where it is no page itself: a log-in, the first steps of a new installation, or another page; and what
 * there is besides that answers well.
 *
 * @typedef {import('../../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('../../docker/http-answer.js').Answer} Answer
 * @typedef {import('./entry-way.js').Place} Place
 * @typedef {'log-in' | 'set-up' | 'page'} PageKind
 */

import { filesIn, linksIn } from '../../load/page-links.js';
import { isSamePlace, leadsTo } from './entry-way.js';

/** As browsers, which give up later: who needs more goes in a circle. */
const HOPS_MOST = 5;
/** Of files that a page loads, so many: a page has dozens, which a proxy answers. The lab's own choice. */
const FILES_MOST = 5;
/** Words of a path, in the order in which they count: who sets up an installation chooses a password too. */
const SET_UP =
  /(^|[/_.-])(install(er|ation)?|set[-_]?up|wizard|onboard(ing)?|first[-_]?(run|start|time|user)|getting[-_]?started|initial(i[sz]e)?)([/_.?-]|$)/i;
const LOG_IN = /(^|[/_.-])(log[-_]?in|sign[-_]?in|auth(enticate|orize)?|sso|session)([/_.?-]|$)/i;
/** Whatever language the page is in. */
const PASSWORD = /<input\b[^>]{0,500}?\btype\s*=\s*["']?password\b/i;
/** A page that has more links than these, and a field for a password, shows something besides it. The lab's own choice. */
const LINKS_OF_A_LOG_IN = 3;
const FIRST_REDIRECT = 300;

/** @param {Answer} answer */
export const isPage = ({ status }) => status >= 200 && status < FIRST_REDIRECT;

/**
 * @param {object} options
 * @param {(path: string) => Promise<Answer>} options.ask
 * @param {Answer} options.answer   of the first path
 * @param {Place} options.from      that gave it
 * @param {string} [options.base]   below which all paths have to be
 * @returns {Promise<{ path: string, paths: string[], answer: Answer } | null>} the page at the end; null where the way leaves the place, goes in a
 *   circle, or ends badly
 */
export async function followed({ ask, answer, from, base = '' }) {
  const paths = [from.path];
  for (let now = answer; paths.length <= HOPS_MOST; ) {
    const path = paths[paths.length - 1];
    if (isPage(now)) return { path, paths, answer: now };
    const led = leadsTo(now, { ...from, path });
    if (led === null || !isSamePlace(led, from) || paths.includes(led.path) || !led.path.startsWith(`${base}/`)) return null;
    paths.push(led.path);
    now = await ask(led.path);
  }
  return null;
}

/**
 * @param {{ paths: string[], page?: string }} found
 * @returns {PageKind}
 */
export function kindOf({ paths, page = '' }) {
  const words = paths.map((path) => path.replace(/\?.*/, ''));
  if (words.some((path) => SET_UP.test(path))) return 'set-up';
  if (words.some((path) => LOG_IN.test(path))) return 'log-in';
  const isAlone = paths.length > 1 || linksIn(page, paths[0], LINKS_OF_A_LOG_IN + 1).length <= LINKS_OF_A_LOG_IN;
  return PASSWORD.test(page) && isAlone ? 'log-in' : 'page';
}

/** What the load measures then. @type {Record<PageKind, string>} */
export const MEANING = {
  'log-in': 'a log-in: the load measures that page and not what lies behind it; a k6 script (load.script) or load.headers can log in',
  'set-up':
    'the first steps of a new installation, because volumes are new in a run: the load measures that page and not the system in use',
  page: 'a page',
};

/**
 * What answers well besides: files that the page loads, pages that it links to.
 * @param {object} options
 * @param {(path: string) => Promise<Answer>} options.ask
 * @param {string} options.page
 * @param {string} options.path  of it
 * @param {string} options.base  below which all have to be
 * @param {number} options.most
 * @returns {Promise<string[]>} paths
 */
export async function besideIt({ ask, page, path, base, most }) {
  const wanted = [...filesIn(page, path, FILES_MOST), ...linksIn(page, path, most)].filter((one) => one.startsWith(`${base}/`));
  const good = [];
  for (const one of [...new Set(wanted)].slice(0, most)) if (isPage(await ask(one))) good.push(one);
  return good;
}
