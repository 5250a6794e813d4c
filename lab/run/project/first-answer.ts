/**
 * Waits until the entry of a user's system answers, and looks at what it answers: that a container runs does not say that the service in
 * it does, and a load whose every request is refused, or sent elsewhere, is known before it has run for minutes.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { ListedRequest } from '../../../k6/lib/request-list.js';
import type { Proposal } from '../../adapters/observed-system.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { entryUrls, PROJECT_FILE } from '../../catalog/project-schema.ts';
import type { Service } from '../../docker/containers.ts';
import { isReachable } from '../../docker/http-answer.ts';
import type { AttachedService } from '../../target/compose-model.ts';
import { networkHosts } from '../../target/network-names.ts';
import { FIRST_SERVER_ERROR } from '../../wire/contract.ts';
import { aboutPinned, lastingNote } from './about-answers.ts';
import { aboutEntryPoints, hostOf, refuseOtherScheme, waysOf } from './entry-way.ts';
import type { Probe } from './failing-load.ts';
import { refuseFailing, SilentEntryError, spelt } from './failing-load.ts';
import { addressIn, askerOf, isSafe, standInsOf } from './probe.ts';
import type { Waited } from './settle-load.ts';
import { settleLoad } from './settle-load.ts';

/** A program for a virtual machine takes a minute on two cores; migrations of a database come on top. */
const ANSWER_LIMIT_MS = 180_000;
/** What a proxy says of a service that is not there may be all that it ever says. */
const BEHIND_LIMIT_MS = 120_000;
const LOOK_MS = 1000;
/** A service that ends for lack of another one does so within its first seconds; where no health check would show it, so long is waited. */
const STEADY_MS = 3000;
/** A proxy says so of a service that is not there yet. */
const NOT_YET = new Set([502, 503, 504]);
/** A program that answers errors itself may wait for its database, or be broken for good. */
const BROKEN_LIMIT_MS = 60_000;
/** Of a path that stands in for a load whose paths are not known it may answer them for good, and harm no load. */
const STAND_IN_LIMIT_MS = 15_000;
/** In a row: what starts answers one request well and breaks the next. */
const GOOD_TIMES = 3;
const AGAIN_MS = 500;
/** What is answered instead may change with every look while a stack starts: it is said so often at the most. */
const SAY_MS = 10_000;
const TIMES = {
	...{ limitMs: ANSWER_LIMIT_MS, behindMs: BEHIND_LIMIT_MS, brokenMs: BROKEN_LIMIT_MS, standInMs: STAND_IN_LIMIT_MS },
	...{ lookMs: LOOK_MS, againMs: AGAIN_MS, sayMs: SAY_MS },
};
/** Of what is not answered well, so many are named. */
const NAMED_MOST = 3;
/** Of the list, so many are asked once. */
const ASKED_MOST = 10;

/**
 * @returns the load's requests as they are to be sent; notes: of what they need, and of each that will
 * fail as it stands
 * @throws {NotReadyError} when nothing answers, or every request of the load fails
 */
export async function untilAnswered({
	project,
	models,
	proposal,
	names = [],
	healthPath,
	requests,
	headers: given = {},
	line = null,
	beside,
	list,
	look,
	isUnanswered = false,
	say,
	signal,
}: {
	project: Project;
	models: AttachedService[];
	proposal: Proposal;
	/** by which users may know the entries */
	names?: string[];
	/** that a health check of the file asks of an entry */
	healthPath?: (entry: string) => string;
	/** of the load; none where it is a script */
	requests: ListedRequest[];
	/** the containers: one that is started again may have another address */
	list: () => Promise<Pick<Service, 'service' | 'addresses'>[]>;
	/** that each is sent with */
	headers?: Record<string, string>;
	/** of doubletake.yaml, in which the load's requests stand; null where a load whose every request fails is to be run all the same */
	line?: number | null;
	/** what could stand in the place of the load, such as `script: load.js` */
	beside?: () => string[];
	/** whether all that has to be there is there */
	look: () => Promise<boolean>;
	/** it is known that what stands in for the load is not answered well */
	isUnanswered?: boolean;
	say: (text: string) => void;
	signal: AbortSignal;
}): Promise<Waited> {
	const entries = entryUrls(project);
	const named = entries.join(', ');
	const steadyMs = models.every(({ isChecked }) => isChecked) ? 0 : STEADY_MS;
	const listed = requests.filter(isSafe).slice(0, ASKED_MOST);
	const standIns = standInsOf({ entries, listed, healthPath });
	const askFor = askerOf({ project, list, headers: given });
	const addressOf = addressIn({ project, list });
	const hosts = networkHosts(project);
	const ways = waysOf({ ask: askFor, addressOf, names, hosts });
	const canAsk = (await list()).some(({ addresses }) => addresses.some((address) => isReachable(address)));
	const ask = canAsk
		? () => {
				const probe = async (request: ListedRequest) => ({
					request,
					answer: await ways.ask(request, request.target ?? entries[0]),
				});
				const standing = standIns.map(async (request) => ({ ...(await probe(request)), isStandIn: true }));
				return Promise.all([...listed.map(probe), ...standing]);
			}
		: null;
	const times = isUnanswered ? { ...TIMES, standInMs: STEADY_MS } : TIMES;
	const waited = await waitFor({ ask, entry: named, look, steadyMs, say, signal, times });
	const began = { isUnanswered: waited.length > 0 };
	if (ask === null) {
		const unasked = `${named} cannot be asked from this machine, and was not waited for.`;
		return { ...began, requests, notes: [unasked, ...waited], entryPoints: [] };
	}
	if (project.load.script !== undefined) {
		refuseOtherScheme(entries, ways);
		const others = await aboutEntryPoints({ project, models, proposal, ways });
		return { ...began, requests, notes: [...waited, ...others], entryPoints: [] };
	}
	const whole = waysOf({ ask: askerOf({ project, list, headers: given, isComplete: true }), addressOf, names, hosts });
	const settled = await settleLoad({ project, requests, ways: whole, healthPath });
	if (line !== null) await refuseFailing({ project, requests: settled.requests, line, beside, ask: askFor, say, signal });
	// Of these it is said already what their redirects are.
	const isAway = (request: ListedRequest) =>
		settled.entryPoints.some(
			(entryPoint) => entryPoint.isAway && entryPoint.entry === (request.target ?? entries[0]) && entryPoint.host === hostOf(request),
		);
	const notes = settled.requests
		.filter((request) => isSafe(request) && !isAway(request))
		.slice(0, ASKED_MOST)
		.map(async (request) =>
			lastingNote({ request, answer: await askFor(request), ask: askFor, entry: request.shown ?? request.target ?? entries[0] }),
		);
	const entryPoints = await aboutEntryPoints({ project, models, proposal, ways });
	const pinned = await aboutPinned(settled.requests, list);
	return { ...began, ...settled, notes: [...waited, ...settled.notes, ...pinned, ...(await Promise.all(notes)).flat(), ...entryPoints] };
}

/**
 * @returns none where all is well, or a note that it goes on regardless
 * @throws {NotReadyError}
 */
export async function waitFor({
	ask,
	entry,
	look,
	steadyMs,
	say,
	signal,
	times = TIMES,
}: {
	/** each of several requests; null where they cannot be asked from here */
	ask: (() => Promise<Probe[]>) | null;
	entry: string;
	look: () => Promise<boolean>;
	/** that nothing may have ended */
	steadyMs: number;
	say: (text: string) => void;
	signal: AbortSignal;
	times?: typeof TIMES;
}): Promise<string[]> {
	const begin = Date.now();
	let completeSince = begin;
	let goodTimes = 0;
	const said = { what: '', at: Number.NEGATIVE_INFINITY };
	for (;;) {
		const isComplete = await look();
		if (!isComplete) completeSince = Date.now();
		const probes = ask === null ? [] : await ask();
		const what = missingText(probes);
		goodTimes = isComplete && what === '' ? goodTimes + 1 : 0;
		const now = Date.now();
		if (goodTimes >= (ask === null ? 1 : GOOD_TIMES) && now - completeSince >= steadyMs) return [];
		const left = begin + patienceMs(probes, times) - now;
		if (left <= 0) return [goneOn({ probes, what, entry, waitedMs: now - begin, limitMs: times.limitMs })];
		if (what !== '' && what !== said.what && now - said.at >= times.sayMs) {
			say(`waiting until ${entry} answers well (at most ${Math.ceil(left / 1000)} s): ${what}`);
			Object.assign(said, { what, at: now });
		}
		await wait(goodTimes > 0 ? times.againMs : times.lookMs, undefined, { signal });
	}
}

const isMissing = ({ request: { expect }, answer: { status } }: Probe) =>
	status === 0 || (status >= FIRST_SERVER_ERROR && !expect?.includes(status));

/**
 * Of a page's text nothing: it may be somebody's.
 * @returns what each is answered that is not well; empty where all are
 */
function missingText(probes: Probe[]): string {
	const missing = probes.filter(isMissing);
	const more = missing.length > NAMED_MOST ? [`and ${missing.length - NAMED_MOST} more`] : [];
	const named = missing.slice(0, NAMED_MOST).map(({ request, answer }) => spelt({ request, answer: { ...answer, line: '' } }));
	return [...named, ...more].join('; ');
}

function patienceMs(probes: Probe[], { limitMs, behindMs, brokenMs, standInMs }: typeof TIMES): number {
	if (probes.every(({ answer: { status } }) => status === 0)) return limitMs;
	const missing = probes.filter(isMissing);
	if (missing.some(({ answer: { status } }) => status === 0 || NOT_YET.has(status))) return behindMs;
	return missing.length > 0 && missing.every(({ isStandIn }) => isStandIn) ? standInMs : brokenMs;
}

/**
 * @returns a note
 * @throws {NotReadyError} where nothing answers at all
 */
function goneOn({
	probes,
	what,
	entry,
	waitedMs,
	limitMs,
}: {
	probes: Probe[];
	what: string;
	entry: string;
	waitedMs: number;
	limitMs: number;
}): string {
	const [first] = probes;
	if (first !== undefined && probes.every(({ answer: { status } }) => status === 0))
		throw new SilentEntryError(
			`The entry: expected an HTTP answer of ${entry} within ${limitMs / 1000} s; found none: ${first.answer.error}.`,
			`see that the service listens on that port on all addresses (0.0.0.0) of its container; else correct "entry" in ${PROJECT_FILE}, its scheme (http or https) too.`,
		);
	const waited = `in ${Math.round(waitedMs / 1000)} s of waiting`;
	return what === ''
		? `Not all containers stayed up ${waited}; the load began all the same.`
		: `${entry} did not answer well ${waited} (${what}); the load began all the same.`;
}
