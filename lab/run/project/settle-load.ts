/**
 * What the load asks once it is known how the entries answer: by TLS, for the host name or as behind the proxy that they want, and in the
 * place of a page that only leads on that to which it leads. What somebody wrote down to be asked stays what is asked.
 */

import type { ListedRequest } from '../../../k6/lib/request-list.js';
import type { Project } from '../../catalog/project-schema.ts';
import { entryUrls, isPlaceholder, PROJECT_FILE, partsOfEntry, urlOfHost } from '../../catalog/project-schema.ts';
import type { Answer } from '../../docker/http-answer.ts';
import type { Place, Way, Ways } from './entry-way.ts';
import {
	asNamed,
	besideIt,
	followed,
	hostOf,
	isPage,
	isSamePlace,
	kindOf,
	leadsTo,
	MEANING,
	throughRedirect,
	urlOf,
	withHeaders,
} from './entry-way.ts';
import { isGood, isSafe, ROOT } from './probe.ts';

/** an entry, as it is asked by one host */
export type EntryPoint = {
	/** as it is written */
	entry: string;
	/** as it is sent; empty where requests name none */
	host: string;
	/** where it is asked, by the service's name */
	target: string;
	/** that it needs and nobody wrote; without what is not to be shown */
	headers: Record<string, string>;
	/** it answers by redirects alone, to where it does not answer */
	isAway: boolean;
};

/** notes: a sentence each */
type Settled = { requests: ListedRequest[]; notes: string[]; entryPoints: EntryPoint[] };

/** isUnanswered: the load begins though what was asked before it was not answered well */
export type Waited = Settled & { isUnanswered: boolean };

/** Of a load, so many are asked of each entry. */
const ASKED_MOST = 10;
/** Of an entry's pages, as `init --observe` takes them. */
const PAGES_MOST = 20;
const [EMPTY_OK, FIRST_REDIRECT, FIRST_REFUSAL] = [200, 300, 400];
const WRITTEN_BY = `"doubletake init --observe" writes that into ${PROJECT_FILE}.`;

export async function settleLoad({
	project,
	requests,
	ways,
	healthPath = () => '',
}: {
	project: Pick<Project, 'entry' | 'hosts' | 'load'>;
	/** of the load */
	requests: ListedRequest[];
	ways: Ways;
	/** that the file has a health check of the entry ask; empty where there is none */
	healthPath?: (entry: string) => string;
}): Promise<Settled> {
	const entries = entryUrls(project);
	const isFree = isPlaceholder(project) && project.load.expect === undefined;
	const asked = entries.flatMap((entry) => {
		const own = requests.filter(({ target = entries[0] }) => target === entry);
		const hosts = own.length === 0 ? [''] : [...new Set(own.map(hostOf))];
		return hosts.map((host) => ({ entry, host, requests: own.filter((request) => hostOf(request) === host) }));
	});
	const all = await Promise.all(
		asked.map(async (one) => {
			const settled = await settleEntryPoint({ ...one, ways, isFree, health: healthPath(one.entry) });
			const isFirst = one.entry === entries[0];
			return { ...settled, requests: isFirst ? settled.requests : settled.requests.map((request) => ({ target: one.entry, ...request })) };
		}),
	);
	const isSome = all.some(({ isAnswering }) => isAnswering);
	// Of a load that nobody wrote, what fails is left out as long as something is left.
	const isLeftOut = ({ isAnswering }: SettledEntryPoint) => isFree && isSome && !isAnswering;
	const staying = all.filter((one) => !isLeftOut(one));
	return {
		requests: staying.flatMap((one) => one.requests),
		notes: unique(
			all.flatMap((one, index) =>
				isLeftOut(one) ? [`${nameOf(asked[index])} answers GET / with ${one.answered}, and is left out of the load.`] : one.notes,
			),
		),
		entryPoints: staying.map(({ entryPoint }) => entryPoint),
	};
}

const unique = <T>(values: T[]): T[] => [...new Set(values)];

/**
 * isAnswering: some request of
 *   it is answered well; answered: the status of its first, or why there is none
 */
type SettledEntryPoint = Omit<Settled, 'entryPoints'> & { entryPoint: EntryPoint; isAnswering: boolean; answered: number | string };

type Given = { entry: string; host: string; requests: ListedRequest[]; ways: Ways; isFree: boolean; health: string };

/** As users know it. */
const nameOf = ({ entry, host }: Pick<Given, 'entry' | 'host'>) => (host === '' ? entry : urlOfHost(host, entry));

const rootOf = (given: Pick<Given, 'entry' | 'host'>): ListedRequest =>
	given.host === '' ? ROOT : { ...ROOT, headers: { Host: given.host }, shown: nameOf(given) };

async function settleEntryPoint(given: Given): Promise<SettledEntryPoint> {
	const { entry, host, requests, ways, isFree } = given;
	const safe = requests.filter(isSafe).slice(0, ASKED_MOST);
	const asked = safe.length > 0 ? safe : [rootOf(given)];
	const answers = await Promise.all(asked.map((request) => ways.ask(request, entry)));
	const isWell = (answer: Answer, index: number) =>
		isGood(asked[index], answer) &&
		(asked[index].expect !== undefined || (answer.status < FIRST_REDIRECT && !isNothing(asked[index], answer)));
	const { headers, note, at } = answers.some(isWell) ? NOTHING : await neededHeaders(given, asked, answers);
	const isAway = at === null && asked.every((request, index) => request.expect === undefined && leadsAway(given, request, answers[index]));
	const inIts = (some: ListedRequest[]) =>
		withWay(
			some.map((request) => withHeaders(request, headers)),
			ways.of(entry, host),
			entry,
		);
	const { target } = ways.of(entry, host);
	const notes = [...note, ...tlsNote(entry, shownAs(entry, target)), ...(isAway ? [awayNote(given, answers[0])] : [])];
	// What the user's files alone name is not shown.
	const shown = at?.isFromFiles ? {} : headers;
	const entryPoint = { entry, host, target: shownAs(entry, target), headers: shown, isAway };
	const answered = isAway ? `a redirect to ${placeOf(answers[0])}` : answers[0].status || answers[0].error;
	if (!isFree) {
		const isAnswering = at !== null || answers.some((answer, index) => isGood(asked[index], answer));
		return { requests: inIts(requests), notes, entryPoint, isAnswering, answered };
	}
	const found = await pagesOf(given, headers, at?.answer ?? answers[0], at?.seen);
	const pages = found.pages.map((path) => ({ ...rootOf(given), path }));
	return {
		requests: inIts(pages.length > 0 ? pages : requests),
		notes: [...notes, ...found.notes],
		entryPoint,
		isAnswering: found.isAnswering && !isAway,
		answered,
	};
}

/** Without what may be a secret. */
const placeOf = ({ location }: Answer) => location.replace(/[?#].*/, '');

/** A redirect to another place than that which was asked. */
function leadsAway({ entry, host, ways }: Given, { path }: ListedRequest, answer: Answer): boolean {
	const asked = partsOfEntry(ways.of(entry, host).target);
	const from = asNamed(asked, host);
	const led = leadsTo(answer, { ...from, path: `${asked.base}${path}` });
	return led !== null && !isSamePlace(led, from);
}

function awayNote(given: Given, answer: Answer) {
	const service = partsOfEntry(given.entry).host;
	return `${nameOf(given)} answers by redirects alone, to ${placeOf(answer)}, for which ${service} does not answer in the run: what is measured there is the redirects, not what lies behind them. Write the service that answers there as the entry in ${PROJECT_FILE}, or switch the redirect off for the run; "expect" under load says that it is what you want to measure.`;
}

/** What some proxies say of a name that they have no site for: well done, and no page. */
const isNothing = ({ method }: ListedRequest, { status, isEmpty }: Answer) =>
	method === ROOT.method && status === EMPTY_OK && isEmpty === true;

type Needed = {
	headers: Record<string, string>;
	note: string[];
	at: (Awaited<ReturnType<typeof throughRedirect>> & { isFromFiles?: true }) | null;
};

const NOTHING: Needed = { headers: {}, note: [], at: null };

async function neededHeaders(given: Given, asked: ListedRequest[], answers: Answer[]): Promise<Needed> {
	const { entry, host, ways } = given;
	const named = nameOf(given);
	const index = answers.findIndex(({ status, location }) => status >= FIRST_REDIRECT && status < FIRST_REFUSAL && location !== '');
	if (index >= 0) {
		const at = await throughRedirect({ ways, entry, request: asked[index], answer: answers[index] });
		if (at === null) return NOTHING;
		const said = `${named} sends users to ${placeOf(answers[index])}: the load stays at Doubletake's containers, and asks it with ${at.what}, which it takes. ${WRITTEN_BY}`;
		return { headers: at.headers, note: [said.replace('with TLS', 'by TLS')], at };
	}
	const isRefused = (answer: Answer) => answer.status >= FIRST_REFUSAL || isNothing(asked[0], answer);
	for (const name of host === '' && answers.every(isRefused) ? ways.names : []) {
		const headers = { Host: name };
		const answer = await ways.ask(withHeaders(asked[0], headers), entry, ways.of(entry));
		if (answer.status === 0 || isRefused(answer)) continue;
		const { base: _, ...place } = partsOfEntry(ways.of(entry).target);
		const said = `${entry} answers ${isNothing(asked[0], answers[0]) ? 'nothing but headers' : answers[0].status} to its own name: the load asks it with another Host, which your files name.`;
		return { headers, note: [said], at: { headers, answer, seen: { ...place, host: name }, what: 'Host', isFromFiles: true } };
	}
	return NOTHING;
}

/**
 * @param answer of its page
 * @returns pages: paths below the entry
 */
async function pagesOf(
	given: Given,
	headers: Record<string, string>,
	answer: Answer,
	seen?: Omit<Place, 'path'>,
): Promise<{ pages: string[]; notes: string[]; isAnswering: boolean }> {
	const { entry, host, ways, health } = given;
	const named = nameOf(given);
	const way = ways.of(entry, host);
	const { base, ...place } = partsOfEntry(way.target);
	const ask = (path: string) => ways.ask(withHeaders({ ...rootOf(given), path: path.slice(base.length) }, headers), entry, way);
	const from = { ...asNamed(place, host), ...seen, path: `${base}${ROOT.path}` };
	const found = await followed({ ask, answer, from, base });
	const below = (paths: string[]) => paths.map((path) => path.slice(base.length));
	if (found !== null) {
		const page = found.answer.page ?? '';
		const kind = kindOf({ paths: found.paths, page });
		const isLed = found.paths.length > 1;
		if (!isLed)
			return { pages: [ROOT.path], notes: kind === 'page' ? [] : [`The page at ${named} is ${MEANING[kind]}.`], isAnswering: true };
		const beside = await besideIt({ ask, page, path: found.path, base, most: PAGES_MOST - 1 });
		const healthy = health !== '' && isPage(await ask(health)) ? [health] : [];
		const pages = [...new Set([found.path, ...beside, ...healthy])].slice(0, PAGES_MOST);
		const more = pages.length > 1 ? ` and ${pages.length - 1} more that it loads, links to or is checked by` : '';
		return {
			pages: below(pages),
			notes: [`GET / of ${named} leads to ${withoutQuery(found.path)}, ${MEANING[kind]}. The load asks for it${more}.`],
			isAnswering: true,
		};
	}
	if (health !== '' && health !== from.path && isPage(await ask(health)))
		return {
			pages: below([health]),
			notes: [
				`GET / of ${named} answers ${answer.status || answer.error}: the load asks for ${health}, which its health check asks, until load.urls says what users ask.`,
			],
			isAnswering: true,
		};
	return { pages: [], notes: [], isAnswering: answer.status > 0 && answer.status < FIRST_REFUSAL };
}

const withoutQuery = (path: string) => path.replace(/\?.*/, '');

const withWay = (requests: ListedRequest[], { target, address }: Way, entry: string): ListedRequest[] =>
	target === entry
		? requests
		: requests.map((request) => ({ ...request, target, ...(address && { address, shown: request.shown ?? shownAs(entry, target) }) }));

/** By the service's name. */
const shownAs = (entry: string, target: string) => urlOf({ ...partsOfEntry(target), host: partsOfEntry(entry).host });

function tlsNote(entry: string, target: string): string[] {
	if (!target.startsWith('https:')) return [];
	const { host, port } = partsOfEntry(entry);
	const where = target === entry ? '' : `, so that k6 asks it by https, at port ${partsOfEntry(target).port}`;
	const written = target === entry ? '' : ` ${WRITTEN_BY}`;
	return [
		`${host} speaks TLS${where || ` at port ${port}`}; its certificate is taken as it is. The wire cannot be read inside of it: what fails there is placed by its connections, and by what stands behind.${written}`,
	];
}
