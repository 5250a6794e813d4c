/**
 * What the load asks once it is known how the entries answer: by TLS, for the host name or as behind the proxy that they want, and in the
 * place of a page that only leads on that to which it leads. What somebody wrote down to be asked stays what is asked.
 *
 * @typedef {import('../../k6/lib/request-list.js').ListedRequest} ListedRequest
 * @typedef {import('../measure/http-answer.js').Answer} Answer
 * @typedef {import('./entry-way.js').Ways} Ways
 * @typedef {import('./project-schema.js').Project} Project
 * @typedef {{ requests: ListedRequest[], notes: string[] }} Settled  notes: a sentence each
 */
import { besideIt, followed, isPage, kindOf, MEANING } from './entry-pages.js';
import { throughRedirect, urlOf, withHeaders } from './entry-way.js';
import { isGood, isSafe } from './failing-load.js';
import { entryUrls, isPlaceholder, partsOfEntry } from './project-schema.js';

/** Of a load, so many are asked of each entry. */
const ASKED_MOST = 10;
/** Of an entry's pages, as `init --observe` takes them. */
const PAGES_MOST = 20;
const [EMPTY_OK, FIRST_REDIRECT, FIRST_REFUSAL] = [200, 300, 400];
/** @type {ListedRequest} */
const ROOT = { method: 'GET', path: '/' };

/**
 * @param {object} options
 * @param {Pick<Project, 'entry' | 'load'>} options.project
 * @param {ListedRequest[]} options.requests  of the load
 * @param {Ways} options.ways
 * @param {(entry: string) => string} [options.healthPath]  that the file has a health check of the entry ask; empty where there is none
 * @returns {Promise<Settled>}
 */
export async function settleLoad({ project, requests, ways, healthPath = () => '' }) {
  const entries = entryUrls(project);
  const isFree = isPlaceholder(project.load, entries) && project.load.expect === undefined;
  const all = await Promise.all(
    entries.map(async (entry, index) => {
      const own = requests.filter(({ target = entries[0] }) => target === entry);
      const settled = await settleEntry({ entry, requests: own, ways, isFree, health: healthPath(entry) });
      return { ...settled, requests: index === 0 ? settled.requests : settled.requests.map((request) => ({ target: entry, ...request })) };
    }),
  );
  const isSome = all.some(({ isAnswering }) => isAnswering);
  // Of a load that nobody wrote, what fails is left out as long as something is left.
  const isLeftOut = (/** @type {SettledEntry} */ { isAnswering }) => isFree && isSome && !isAnswering;
  return {
    requests: all.filter((one) => !isLeftOut(one)).flatMap((one) => one.requests),
    notes: all.flatMap((one, index) => [
      ...one.notes,
      ...(isLeftOut(one) ? [`${entries[index]} answers GET / with ${one.answered}, and is left out of the load.`] : []),
    ]),
  };
}

/**
 * @typedef {Settled & { isAnswering: boolean, answered: number | string }} SettledEntry  isAnswering: some request of it is answered well;
 *   answered: the status of its first, or why there is none
 */
/** @typedef {{ entry: string, requests: ListedRequest[], ways: Ways, isFree: boolean, health: string }} Given */

/** @param {Given} given @returns {Promise<SettledEntry>} */
async function settleEntry(given) {
  const { entry, requests, ways, isFree } = given;
  const safe = requests.filter(isSafe).slice(0, ASKED_MOST);
  const asked = safe.length > 0 ? safe : [ROOT];
  const answers = await Promise.all(asked.map((request) => ways.ask(request, entry)));
  const isWell = (/** @type {Answer} */ answer, /** @type {number} */ index) =>
    isGood(asked[index], answer) &&
    (asked[index].expect !== undefined || (answer.status < FIRST_REDIRECT && !isNothing(asked[index], answer)));
  const { headers, note, at } = answers.some(isWell) ? NOTHING : await neededHeaders(given, asked, answers);
  const withAll = requests.map((request) => withHeaders(request, headers));
  const inIts = () => withWay(withAll, ways.of(entry), entry);
  const tls = tlsNote(entry, ways.of(entry).target);
  const answered = answers[0].status || answers[0].error;
  if (!isFree) {
    const isAnswering = at !== null || answers.some((answer, index) => isGood(asked[index], answer));
    return { requests: inIts(), notes: [...note, ...tls], isAnswering, answered };
  }
  const found = await pagesOf(given, headers, at?.answer ?? answers[0], at?.seen);
  const pages = withWay(
    found.pages.map((path) => withHeaders({ ...ROOT, path }, headers)),
    ways.of(entry),
    entry,
  );
  return {
    requests: pages.length > 0 ? pages : inIts(),
    notes: [...note, ...tls, ...found.notes],
    isAnswering: found.isAnswering,
    answered,
  };
}

/** What some proxies say of a name that they have no site for: well done, and no page. @param {ListedRequest} request @param {Answer} answer */
const isNothing = ({ method }, { status, isEmpty }) => method === ROOT.method && status === EMPTY_OK && isEmpty === true;

/** @typedef {{ headers: Record<string, string>, note: string[], at: Awaited<ReturnType<typeof throughRedirect>> }} Needed */
/** @type {Needed} */
const NOTHING = { headers: {}, note: [], at: null };

/** @param {Given} given @param {ListedRequest[]} asked @param {Answer[]} answers @returns {Promise<Needed>} */
async function neededHeaders({ entry, ways }, asked, answers) {
  const index = answers.findIndex(({ status, location }) => status >= FIRST_REDIRECT && status < FIRST_REFUSAL && location !== '');
  if (index >= 0) {
    const at = await throughRedirect({ ways, entry, request: asked[index], answer: answers[index] });
    if (at === null) return NOTHING;
    const to = answers[index].location.replace(/[?#].*/, '');
    const said = `${entry} sends users to ${to}: the load stays at the lab's containers, and asks it with ${at.what}, which it takes.`;
    return { headers: at.headers, note: [said.replace('with TLS', 'by TLS')], at };
  }
  const isRefused = (/** @type {Answer} */ answer) => answer.status >= FIRST_REFUSAL || isNothing(asked[0], answer);
  for (const name of answers.every(isRefused) ? ways.names : []) {
    const headers = { Host: name };
    const answer = await ways.ask(withHeaders(asked[0], headers), entry, ways.of(entry));
    if (answer.status === 0 || isRefused(answer)) continue;
    const { base: _, ...place } = partsOfEntry(ways.of(entry).target);
    const said = `${entry} answers ${isNothing(asked[0], answers[0]) ? 'nothing but headers' : answers[0].status} to its own name: the load asks it with another Host, which your files name.`;
    return { headers, note: [said], at: { headers, answer, seen: { ...place, host: name }, what: 'Host' } };
  }
  return NOTHING;
}

/**
 * @param {Given} given
 * @param {Record<string, string>} headers
 * @param {Answer} answer  of its page
 * @param {Omit<import('./entry-way.js').Place, 'path'>} [seen]
 * @returns {Promise<{ pages: string[], notes: string[], isAnswering: boolean }>} pages: paths below the entry
 */
async function pagesOf({ entry, ways, health }, headers, answer, seen) {
  const { base, ...place } = partsOfEntry(ways.of(entry).target);
  const ask = (/** @type {string} */ path) => ways.ask(withHeaders({ ...ROOT, path: path.slice(base.length) }, headers), entry);
  const from = { ...place, ...seen, path: `${base}${ROOT.path}` };
  const found = await followed({ ask, answer, from, base });
  const below = (/** @type {string[]} */ paths) => paths.map((path) => path.slice(base.length));
  if (found !== null) {
    const page = found.answer.page ?? '';
    const kind = kindOf({ paths: found.paths, page });
    const isLed = found.paths.length > 1;
    if (!isLed)
      return { pages: [ROOT.path], notes: kind === 'page' ? [] : [`The page at ${entry} is ${MEANING[kind]}.`], isAnswering: true };
    const beside = await besideIt({ ask, page, path: found.path, base, most: PAGES_MOST - 1 });
    const healthy = health !== '' && isPage(await ask(health)) ? [health] : [];
    const pages = [...new Set([found.path, ...beside, ...healthy])].slice(0, PAGES_MOST);
    const more = pages.length > 1 ? ` and ${pages.length - 1} more that it loads, links to or is checked by` : '';
    return {
      pages: below(pages),
      notes: [`GET / of ${entry} leads to ${withoutQuery(found.path)}, ${MEANING[kind]}. The load asks for it${more}.`],
      isAnswering: true,
    };
  }
  if (health !== '' && health !== from.path && isPage(await ask(health)))
    return {
      pages: below([health]),
      notes: [
        `GET / of ${entry} answers ${answer.status || answer.error}: the load asks for ${health}, which its health check asks, until load.urls says what users ask.`,
      ],
      isAnswering: true,
    };
  return { pages: [], notes: [], isAnswering: answer.status > 0 && answer.status < FIRST_REFUSAL };
}

/** @param {string} path */
const withoutQuery = (path) => path.replace(/\?.*/, '');

/** @param {ListedRequest[]} requests @param {import('./entry-way.js').Way} way @param {string} entry @returns {ListedRequest[]} */
const withWay = (requests, { target, address }, entry) =>
  target === entry
    ? requests
    : requests.map((request) => ({ ...request, target, ...(address && { address, shown: shownAs(entry, target) }) }));

/** By the service's name. @param {string} entry @param {string} target */
const shownAs = (entry, target) => urlOf({ ...partsOfEntry(target), host: partsOfEntry(entry).host });

/** @param {string} entry @param {string} target @returns {string[]} */
function tlsNote(entry, target) {
  if (!target.startsWith('https:')) return [];
  const { host, port } = partsOfEntry(entry);
  const where = target === entry ? '' : `, so that k6 asks it by https, at port ${partsOfEntry(target).port}`;
  return [
    `${host} speaks TLS${where || ` at port ${port}`}; its certificate is taken as it is. The wire cannot be read inside of it: what fails there is placed by its connections, and by what stands behind.`,
  ];
}
