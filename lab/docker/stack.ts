/** Brings a stack up until every service is healthy, and takes it down until nothing is left. */

import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../base/errors.ts';
import { noteGone, noteLeft } from '../base/left-behind.ts';
import { PROJECT } from '../base/paths.ts';
import { composeWith, down } from './compose.ts';
import { labelledSystem, labSystem, listForeign, listLeftovers, listServices, type Service, type System } from './containers.ts';
import { containerById, docker, ignoreGone } from './docker.ts';
import { releaseVolumes } from './held-volumes.ts';
import { takenOverBy } from './lock.ts';
import { EACH_STAYS, explainUnwell, lastOf, listUnwell, nextStep, type Rules, type Unwell, waitedFor } from './unwell.ts';
import { whileTelling } from './while-telling.ts';

/**
 * What to do when a stack did not start: by what Compose and the engine say, which speak of their own parts and seldom of a way out,
 * else by how a container stands. Pure.
 */

/** First match wins. */
const BY_WORDS: [RegExp, string][] = [
	[
		/Pool overlaps|invalid pool request/i,
		'the file gives a network a subnet that another network of this machine has: stop your own copy (docker compose down), or leave out "ipam".',
	],
	[/address pools have been fully subnetted/i, 'this machine has no subnet left: remove networks that nobody uses (docker network prune).'],
	[/port is already allocated|address already in use/i, 'stop the program that listens on that port.'],
	[
		/could not select device driver|unknown or invalid runtime name|error gathering device information/i,
		'the file wants a device or a runtime that this machine has not: leave it out in a second Compose file.',
	],
	[
		/bind source path does not exist|not a directory|Are you trying to mount a directory onto a file/i,
		'create the file that is mounted, or correct its path in the Compose file.',
	],
	[/exec format error|no matching manifest/i, 'take an image that is made for the processor of this machine.'],
	[/No such image|pull access denied/i, 'build or pull the image first, or correct its name.'],
];

const LEAVE_OUT = 'or leave it out (give it "profiles" in a second Compose file, and name that under "compose" in doubletake.yaml)';

/**
 * @param words of Compose
 * @returns the end of "To do: ..."
 */
function remedyOf(words: string, unwell: Unwell[], { isJob = () => false, mayEnd = () => false }: Partial<Rules> = {}): string {
	const known = BY_WORDS.find(([pattern]) => pattern.test(words));
	if (known) return known[1];
	if (unwell.some(({ isOutOfMemory }) => isOutOfMemory)) return 'give it more memory in the Compose file, or close other programs.';
	if (unwell.some(({ state }) => state === 'unhealthy'))
		return `try its health check in the container (docker compose exec), and correct the check or the service; ${LEAVE_OUT}.`;
	if (unwell.some(({ state }) => state === 'starting'))
		return `see in its log what it waits for, and start that before it (depends_on); ${LEAVE_OUT}.`;
	if (unwell.some(({ state, service }) => state === 'ended' && isJob(service)))
		return 'correct what the lines above name: others start when this job has ended with 0. Volumes are new in a run: is what it needs in them?';
	const ended = unwell.filter(({ state }) => state === 'ended');
	if (ended.length > 0 && ended.every(({ service }) => mayEnd(service)))
		return `correct what the lines above name: a service that no request passes may end before the load, but with 0; ${LEAVE_OUT}.`;
	if (ended.length > 0)
		return `correct what the lines above name; if it is a job that is to end, write "tier: other" for it in doubletake.yaml; ${LEAVE_OUT}.`;
	return 'correct what the lines above name, then run this again.';
}

const UP_LIMIT_MS = 120_000;
const LAST_LINES = 12;
/** What is not well yet is looked at so often. */
const LOOK_MS = 250;
/** What ended is started again after this time, and after twice as long each further time: a database may need half a minute. */
const AGAIN_MS = 1000;
const AGAIN_MOST = 5;
/** What its engine has given up, and nothing waits for, is given so much more. */
const RECOVER_MS = 60_000;

/** @throws {NotReadyError} naming the container that failed, with the last lines of its log */
export async function bringUp({
	system,
	services = [],
	env,
	rules = EACH_STAYS,
	limitMs = UP_LIMIT_MS,
	limitWhy = '',
	whenCreated,
	say = () => {},
	note = say,
	signal,
}: {
	system: System;
	/** those to be started, with what they depend on; every one of the active profiles unless given */
	services?: string[];
	env: Record<string, string>;
	/** what may end, and what comes back, before the load; each has to stay unless given */
	rules?: Rules;
	/** until all are healthy */
	limitMs?: number;
	/** that is so long, as a clause */
	limitWhy?: string;
	/** its networks and containers are there, and nothing has started */
	whenCreated?: () => Promise<void>;
	say?: (text: string) => void;
	/** says what the record of a run is to have too; `say` unless given */
	note?: (text: string) => void;
	signal: AbortSignal;
}): Promise<Service[]> {
	if (system.deployment) {
		await system.deployment.bringUp({ system, env, rules, limitMs });
		return listServices(system);
	}
	if (whenCreated) {
		// What is wrong with it is told when it is started.
		await composeWith(system, ['create', '--no-build', '--pull', 'never'], { services, env, limitMs, signal });
		signal.throwIfAborted();
		await whenCreated();
	}
	const endsAt = Date.now() + limitMs;
	const up = async () => {
		// Its --wait would wait for the engine, which asks each service only once in the interval of its health check.
		const args = ['up', '--detach', '--no-build', '--pull', 'never'];
		const result = await composeWith(system, args, { services, env, limitMs: Math.max(1, endsAt - Date.now()), signal });
		signal.throwIfAborted();
		return result.failed ? String(result.all ?? '') : null;
	};
	const limit = `${limitMs / 1000} s${limitWhy === '' ? '' : `, ${limitWhy},`}`;
	const tell = async () => {
		const what = waitedFor(await listUnwell(system, { isJob: rules.isJob }));
		return what === '' ? '' : `waiting for ${what} (at most ${limit.replace(/,$/, '')})`;
	};
	await whileTelling({ tell, say, signal }, async () =>
		untilWell({ system, rules, said: await up(), up, endsAt, limit, say, note, signal }),
	);
	return listServices(system);
}

/**
 * Compose gives up at the first container that ends while another waits for it, whether it is a job that is done or a service that its file
 * would start again.
 * @param options said: by Compose where it gave up; limit: how long that may take, in words
 */
async function untilWell({
	system,
	rules,
	said,
	up,
	endsAt,
	limit,
	say,
	note,
	signal,
}: {
	system: System;
	rules: Rules;
	said: string | null;
	up: () => Promise<string | null>;
	endsAt: number;
	limit: string;
	say: (text: string) => void;
	note: (text: string) => void;
	signal: AbortSignal;
}) {
	let words = said ?? '';
	let again = 0;
	let sickUntil = Number.POSITIVE_INFINITY;
	let unwell = await listUnwell(system, { asks: true });
	const what = `The stack did not start (it has ${limit} to become healthy).`;
	// Then it was not for a container that Compose gave up.
	if (said !== null && unwell.length === 0) throw await failedStart({ what, unwell, rules, words });
	for (;;) {
		const { next, ended } = nextStep(unwell, rules);
		if (next === 'go') {
			const sick = unwell.filter(({ state }) => state === 'unhealthy').map(({ name }) => name);
			if (sick.length > 0)
				note(
					`${sick.join(', ')} did not become healthy before the load; no request is known to need ${sick.length === 1 ? 'it' : 'them'}, so the run went on all the same`,
				);
			return;
		}
		const now = Date.now();
		sickUntil = next === 'recover' ? Math.min(sickUntil, now + RECOVER_MS) : Number.POSITIVE_INFINITY;
		if (next === 'give up' || now > Math.min(endsAt, sickUntil) || again > AGAIN_MOST)
			throw await failedStart({ what: `${what}${loopOf(again, ended)}`, unwell, rules, words });
		if (next === 'again') {
			await waitBefore(again, ended, say, signal);
			again += 1;
			words = (await startAgain(unwell, ended, up)) ?? words;
		}
		await wait(LOOK_MS, undefined, { signal });
		unwell = await listUnwell(system, { asks: true });
	}
}

/**
 * Looks after a stack that is up until its load begins: what ends, and comes back by its file, is started again.
 * @returns looks; whether all that has to be there is there
 * @throws {NotReadyError} from a look, when something ended that does not come back
 */
export function keeperOf({
	system,
	rules,
	say,
	signal,
}: {
	system: System;
	rules: Rules;
	say: (text: string) => void;
	signal: AbortSignal;
}): () => Promise<boolean> {
	let again = 0;
	return async () => {
		const unwell = (await listUnwell(system)).filter(({ state }) => state === 'ended');
		const { next, ended } = nextStep(unwell, rules);
		if (next === 'go') return true;
		const what = `The stack came up, and did not stay so until the load.${loopOf(again, ended)}`;
		if (next !== 'again' || again > AGAIN_MOST) throw await failedStart({ what, unwell, rules, words: '' });
		await waitBefore(again, ended, say, signal);
		again += 1;
		await startEnded(ended);
		return false;
	};
}

/** what is to be said of what did not start again */
const loopOf: (again: number, ended: Unwell[]) => string = (again, ended) =>
	again > AGAIN_MOST ? ` ${ended.map(({ name }) => name).join(', ')}: started ${again + 1} times, and ended each time.` : '';

/** @param again how often it was done before */
async function waitBefore(again: number, ended: Unwell[], say: (text: string) => void, signal: AbortSignal) {
	const services = [...new Set(ended.map(({ service }) => service))].join(', ');
	const how = again === 0 ? 'as its Compose file has it' : `${again + 1} of ${AGAIN_MOST + 1} times`;
	say(`${services} ended before the load, and is started again, ${how}`);
	await wait(AGAIN_MS * 2 ** again, undefined, { signal });
}

/** What waits for an ended one only Compose starts. */
async function startAgain(unwell: Unwell[], ended: Unwell[], up: () => Promise<string | null>): Promise<string | null> {
	if (unwell.some(({ state }) => state === 'created')) return up();
	await startEnded(ended);
	return null;
}

const startEnded = (ended: Unwell[]) => Promise.all(ended.map(({ id }) => containerById(id).start()));

/** words: of Compose */
async function failedStart({
	what,
	unwell,
	rules,
	words,
}: {
	what: string;
	unwell: Unwell[];
	rules: Rules;
	words: string;
}): Promise<NotReadyError> {
	const reported = await explainUnwell(unwell, rules);
	const parts = [what, ...reported];
	if (reported.length === 0) parts.push(lastOf(words, LAST_LINES));
	return new NotReadyError(parts.join('\n'), remedyOf(words, unwell, rules));
}

/**
 * @param system everything of the lab, of any run, unless given
 * @returns what is still there afterwards and why, as a clause; null when all is gone
 */
export async function takeDown(env: Record<string, string>, system?: System): Promise<string | null> {
	const elsewhere = (await system?.deployment?.takeDown()) ?? [];
	// What was made here for a stack of a Swarm goes after it: a volume of a user's folder.
	const { left: here, said } = await takeDownHere(env, system);
	const left = [...elsewhere, ...here];
	if (left.length === 0) {
		noteGone(system?.project);
		return null;
	}
	const clause = `still there: ${left.join(', ')}${said === '' ? '' : `; Compose said: ${said}`}`;
	noteLeft(wantedBy(system).project, clause);
	return clause;
}

const wantedBy = (system?: System) => system ?? labSystem();

/** Compose would remove all volumes of a project, whoever made them. */
async function removeOwnVolumes(project: string) {
	const own = (await listLeftovers()).filter((one) => one.project === project);
	await Promise.all(own.flatMap(({ volume }) => (volume ? [docker.getVolume(volume).remove().catch(ignoreGone)] : [])));
}

/** said: by Compose, where it failed */
async function takeDownHere(env: Record<string, string>, system?: System): Promise<{ left: string[]; said: string }> {
	const wanted = wantedBy(system);
	const taker = takenOverBy();
	// By its name it may be the other's by now.
	if (taker !== null && wanted.project === PROJECT) return { left: [`what ${taker} has not removed yet`], said: '' };
	// Compose takes a project down by its name: what else has that name would go too, with its data.
	const foreign = new Set((await listForeign()).map(({ project }) => project));
	const isShared = wanted.project === PROJECT && foreign.has(PROJECT);
	const said = new Set() as Set<string>;
	const bringDown = async (one: System) => {
		await releaseVolumes(one.project);
		const keepsVolumes = foreign.has(one.project);
		said.add((await down(one, env, { keepsVolumes })) ?? '');
		if (keepsVolumes) await removeOwnVolumes(one.project);
	};
	if (!isShared) await bringDown(wanted);
	const listLeft = async () => (await listLeftovers()).filter(({ project }) => system === undefined || project === system.project);
	// A container that was just being created when Compose looked is found the second time.
	const projects = new Set((await listLeft()).map(({ project }) => project));
	for (const project of projects) if (project !== PROJECT || !isShared) await bringDown(labelledSystem(project));
	const left = projects.size === 0 ? [] : (await listLeft()).map(({ what }) => what);
	const words = [...said].filter((one) => one !== '').join('\n');
	return { left: left.length === 0 && words !== '' ? await volumesNamedAfter(wanted.project) : left, said: words };
}

/** Of a volume that could not be removed the engine forgets the labels. */
async function volumesNamedAfter(project: string): Promise<string[]> {
	const { Volumes: volumes } = await docker.listVolumes({ filters: JSON.stringify({ name: [`${project}_`] }) });
	return (volumes ?? []).flatMap(({ Name: name }) => (name.startsWith(`${project}_`) ? [`volume ${name}`] : []));
}
