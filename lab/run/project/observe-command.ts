/**
 * `doubletake init --observe`: brings a copy of a user's system up as a run does, asks it what the load would ask, each request alone, and reads
 * from its networks who asked whom. Nothing of the copy is left.
 */

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ListedRequest } from '../../../k6/lib/request-list.js';
import type { Decided } from '../../adapters/observed-system.ts';
import { decide } from '../../adapters/observed-system.ts';
import { readText } from '../../base/bounded-file.ts';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { formatCommand } from '../../base/format-command.ts';
import { RAW } from '../../base/paths.ts';
import type { Around } from '../../base/progress.ts';
import { ownOf } from '../../base/values.ts';
import { rewriteFile } from '../../base/whole-file.ts';
import { nameOfFolder } from '../../catalog/architectures.ts';
import { hasProject, parseProject, readProject } from '../../catalog/project-file.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { entryUrls, isPlaceholder, PROJECT_FILE, partsOfEntry } from '../../catalog/project-schema.ts';
import type { System } from '../../docker/containers.ts';
import { labelledSystem, listServices } from '../../docker/containers.ts';
import type { EngineView } from '../../docker/http-answer.ts';
import { ensureGenerator, imageStart } from '../../docker/images.ts';
import { takeLock } from '../../docker/lock.ts';
import { writingUser } from '../../docker/run-folder.ts';
import { makeScratch } from '../../docker/scratch.ts';
import { takeDown } from '../../docker/stack.ts';
import { refuseIdle } from '../../options/accepted-options.ts';
import type { Permission } from '../../options/allowed.ts';
import type { Settings } from '../../options/settings.ts';
import { readSettings } from '../../options/settings.ts';
import { OPAQUE } from '../../target/detect.ts';
import { projectImages } from '../../target/generators.ts';
import { GENERATOR, overlayText } from '../../target/overlay.ts';
import { readWire } from '../../wire/record.ts';
import type { Observed } from '../../wire/tenancy.ts';
import { observedOf } from '../../wire/tenancy.ts';
import { captureOf } from '../capture/run-capture.ts';
import { preflight } from '../preflight.ts';
import type { CheckedSystem } from './checked-system.ts';
import { checkSystem } from './checked-system.ts';
import { init } from './init-command.ts';
import type { Entry, FoundEntryPoints, Seen } from './observed-entries.ts';
import { askedEntries, enteredOf, foundEntryPoints, reachedFrom, urlsSeen } from './observed-entries.ts';
import { asSeen, withObserved } from './observed-file.ts';
import { FILES, openView } from './open-view.ts';
import { linksIn } from './page-links.ts';
import { bringUpStack, prepareImages } from './prepare-images.ts';
import { ASKED_MOST, NOWHERE, probe, probedOf, ROOT, TIMES, whatOf } from './probe.ts';
import { resolvedSystem } from './resolved-system.ts';

const COMMAND = 'init --observe';

/**
 * Writes doubletake.yaml where there is none, brings a copy up, and writes into it what was seen. What its user changed by hand stays.
 * @param given Compose files, where there is no doubletake.yaml yet
 * @returns the exit code
 * @throws {LabError}
 */
export async function initObserving(
	folder: string,
	given: string[],
	env: Record<string, string | undefined>,
	{ permission, isExplained = false, reporter, signal }: { permission: Permission; isExplained?: boolean } & Around,
): Promise<number> {
	const name = nameOfFolder(folder);
	refuseIdle('init', name, env, `"${COMMAND}"`);
	const settings = readSettings(name, env, permission);
	const isThere = hasProject(folder);
	if (isThere && given.length > 0)
		throw new NotReadyError(
			`${COMMAND}: expected no Compose files beside a ${PROJECT_FILE}, which names them; found ${given.join(', ')}.`,
			`leave them out, or correct "compose" in ${PROJECT_FILE}.`,
		);
	if (!isThere || isExplained) await init(folder, given, reporter, { isExplained, permission });
	const { say } = reporter.progress;
	const release = await takeLock(say);
	try {
		const project = await readProject(folder);
		const { observed, entered, passed, urls, entryPoints, checked } = await observeProject({ folder, project, settings, say, signal });
		const written = { ...project, entries: entered.map(({ entry }) => entry.service) };
		const decided = decide({ observed, written, proposal: checked.proposal });
		const entries = entered.map(({ entry }) => entry.url);
		const path = join(folder, PROJECT_FILE);
		const text = readText(path) ?? '';
		const commands = await imageCommands(project, checked, folder);
		const asIs = { decided, models: checked.models, commands };
		const services = Object.fromEntries(Object.entries(project.services).map(([name, one]) => [name, asSeen(name, one, asIs)]));
		const changed = withObserved(text, project, { entries, entryPoints, urls, edges: decided.edges, services });
		parseProject(changed, PROJECT_FILE);
		if (changed !== text) await rewriteFile(path, changed);
		reporter.tell(wordsOf(decided, entryText(entered, passed), { urls, isChanged: changed !== text }));
		reporter.give({ file: PROJECT_FILE, result: { project: parseProject(changed, PROJECT_FILE), observed, notes: decided.notes } });
		return EXIT.done;
	} finally {
		await release();
	}
}

/**
 * What the images of services start that the file gives no command and of which nobody knows what they run: a mirror may call them anything.
 */
async function imageCommands({ services }: Project, { models }: CheckedSystem, folder: string): Promise<Record<string, string[]>> {
	const names = projectImages(models, folder);
	const unknown = models.filter(({ service, command }) => ownOf(services, service)?.product === OPAQUE && command.length === 0);
	const found = await Promise.all(unknown.map(({ service, image }) => imageStart(ownOf(names, service) ?? image)));
	return Object.fromEntries(unknown.map(({ service }, index) => [service, [...found[index].entrypoint, ...found[index].command]]));
}

function entryText(entered: Seen[], passed: Seen[]) {
	const needOf = (seen: Seen) =>
		reachedFrom(seen)
			.filter((service) => service !== seen.entry.service)
			.join(', ') || 'no other service';
	const others = passed.map((other) => `; at ${other.entry.url} they would need ${needOf(other)}`);
	const isOne = entered.length === 1 && others.length === 0;
	const named = entered.map((one) => `${one.entry.url}${isOne ? '' : `, and need ${needOf(one)}`}`);
	return `Requests enter at ${named.join('; at ')}${others.join('')}`;
}

function wordsOf({ edges, notes, outside }: Decided, entry: string, { urls, isChanged }: { urls: string[]; isChanged: boolean }) {
	const asked = edges.map(([from, to]) => `  ${from} asks ${to}`);
	const parts = [
		[`Seen on the wire. ${entry}`, ...asked].join('\n'),
		[...notes, ...(outside === '' ? [] : [outside])].map((note) => `  ${note}`).join('\n'),
		urls.length === 0 ? '' : `The load is now ${urls.length} pages: that at which users enter, and those that it leads to.`,
	];
	const end = isChanged ? `changed ${PROJECT_FILE}; next: doubletake run` : `${PROJECT_FILE} says what was seen; next: doubletake run`;
	return `${[...parts.filter((part) => part !== ''), end].join('\n\n')}\n`;
}

/** For all of them together. */
const PROBE_LIMIT_MS = 60_000;
/** Before the first and after the last: what goes on by itself shows itself, and what was put into a queue is taken out. */
const QUIET_MS = 3000;

/**
 * @returns entered: where users come in; passed: where they do not, and what was seen of those; urls: pages to be asked, as `load.urls` has them, where
 * the load is none yet; doors: how entries want to be asked
 * @throws {LabError} when the machine or the stack is not ready, or nothing could be seen
 */
async function observeProject({
	folder,
	project,
	settings,
	say,
	signal,
}: {
	/** of doubletake.yaml, absolute */
	folder: string;
	project: Project;
	settings: Settings;
	say: (text: string) => void;
	signal: AbortSignal;
}): Promise<{
	observed: Observed;
	entered: Seen[];
	passed: Seen[];
	urls: string[];
	entryPoints: FoundEntryPoints;
	checked: CheckedSystem;
}> {
	if (project.capture === 'off')
		throw new NotReadyError(
			`init --observe: expected leave to record what passes the networks of a copy; found "capture: off" in ${PROJECT_FILE}.`,
			'take that out, or write tiers and edges by hand.',
		);
	const checked = await checkSystem({ folder, project, arm: null, settings });
	const { runProject, models } = checked;
	for (const note of checked.notes) say(`note: ${note}`);
	const published = async () => [];
	await preflight({ project: runProject, published, settings, say, signal });
	const loadS = (PROBE_LIMIT_MS + 2 * QUIET_MS) / 1000;
	const capture = await captureOf({ isWanted: true, project: runProject, loadS, images: settings.images, say, signal });
	const scratch = await makeScratch('observe');
	let view: EngineView | null = null;
	try {
		view = await openView(checked.copy.view, scratch);
		const names = projectImages(models, folder);
		// It may hold secrets.
		const overlay = join(scratch, 'overlay.yaml');
		const places = { writtenFolder: scratch, servicesFolder: scratch, copiesFolder: scratch };
		// It is never started.
		const generator = { image: 'none', user: writingUser(), environment: {}, mounts: [] };
		const changes = checked.copy.changes(join(scratch, FILES));
		await writeFile(
			overlay,
			overlayText({ models, project, parts: {}, run: { ...places, images: names, generator, changes, isBare: true } }),
		);
		const { resolved, supplies } = checked;
		const system = await resolvedSystem({ resolved, supplies, project: runProject, folder, files: project.compose, overlay, scratch });
		await prepareImages({ system, models, config: checked.copy.config, names, say, signal });
		say('bringing a copy up, to see who asks whom');
		const { variables } = await ensureGenerator({ mode: settings.images, say, signal });
		const image = variables.K6_IMAGE;
		const up = { checked, project, system, image, scratch, mayFail: true, whenCreated: capture?.begin, say, signal };
		const { requests, entryPoints: asEntryPoints } = await bringUpStack(up);
		const entries = askedEntries(project, checked);
		const isFree = isPlaceholder(project);
		const asked = [
			...requests,
			...entries.filter(({ url }) => !entryUrls(project).includes(url)).map(({ url: target }) => ({ ...ROOT, target })),
		];
		const pages = await probeQuietly({ asked, headers: checked.headers, isFree, project, system, say, signal });
		await capture?.stop();
		const record = join(scratch, RAW.wire);
		await capture?.write(record);
		const wire = await readWire(record).catch(() => null);
		const observedAt = (some: Entry[]) =>
			wire === null ? null : observedOf(wire, { entries: some.map(({ service }) => service), generator: GENERATOR });
		const all = entries.flatMap((entry) => {
			const observed = observedAt([entry]);
			return observed !== null && observed.asked > 0 ? [{ entry, observed }] : [];
		});
		const { entered, passed } = enteredOf(all, entryUrls(project));
		const observed = observedAt(entered.map(({ entry }) => entry));
		if (observed === null || entered.length === 0) throw nothingSeen(entries, capture?.notes ?? []);
		const entryPoints = foundEntryPoints(project, asEntryPoints);
		const urls = isFree ? urlsSeen({ project, entryPoints, pages, entered }) : [];
		return { observed, entered, passed, urls, entryPoints, checked };
	} finally {
		say('taking the copy down');
		await capture?.clear();
		const left = await takeDown({}, labelledSystem(runProject));
		if (left !== null) say(`${left}; "${formatCommand(['clean'])}" tries again`);
		await view?.close();
		await rm(scratch, { recursive: true, force: true });
	}
}

/** @returns those that were answered well, and pages that they link to, where nobody has said what to ask for */
async function probeQuietly({
	asked,
	headers,
	isFree,
	project,
	system,
	say,
	signal,
}: {
	/** of the load, and the page of each entry that it does not ask */
	asked: ListedRequest[];
	headers: Record<string, string>;
	/** nobody has said what to ask for */
	isFree: boolean;
	project: Project;
	system: System;
	say: (text: string) => void;
	signal: AbortSignal;
}): Promise<ListedRequest[]> {
	const wanted = probedOf(asked);
	await wait(QUIET_MS, undefined, { signal });
	say(`asking ${wanted.map(whatOf).join(', ')}, ${TIMES} times each`);
	const containers = await listServices(system);
	const options = { project, headers, containers, limitMs: PROBE_LIMIT_MS, signal };
	const pages: Map<ListedRequest, string> = new Map();
	const reported = (request: ListedRequest, { page }: { page?: string }) => page && pages.set(request, page);
	const nowhere = [...new Map(wanted.map((request) => [request.target, { ...request, ...NOWHERE }])).values()];
	const failed = await probe({ ...options, asked: [...wanted, ...nowhere], reported });
	for (const [request, { status, error }] of failed)
		if (!nowhere.includes(request))
			say(`note: ${whatOf(request)} is answered by ${status || error}: whom it would need if it were answered well may not be seen`);
	const linked = isFree ? wanted.flatMap((request) => linkedPages(request, pages.get(request) ?? '', project)) : [];
	if (linked.length > 0) say(`asking the pages that they link to, of which there are ${linked.length}`);
	const broken = await probe({ ...options, asked: linked });
	await wait(QUIET_MS, undefined, { signal });
	return [...wanted.filter((request) => !failed.has(request)), ...linked.filter((request) => !broken.has(request))];
}

/** Below the entry, which is asked as its page is. */
function linkedPages(request: ListedRequest, page: string, project: Project): ListedRequest[] {
	const { target = entryUrls(project)[0] } = request;
	const { base } = partsOfEntry(target);
	if (request.path !== ROOT.path) return [];
	return linksIn(page, `${base}${ROOT.path}`, ASKED_MOST - 1).flatMap((path) =>
		path.startsWith(`${base}/`) ? [{ ...request, path: path.slice(base.length) }] : [],
	);
}

const nothingSeen = (entries: Entry[], notes: string[]) =>
	new NotReadyError(
		`init --observe: expected to see requests at ${entries.map(({ url }) => url).join(' or ')} on the networks of the copy; found ${notes.join('; ') || 'none'}.`,
		`see that "entry" in ${PROJECT_FILE} is where users come in; else write tiers and edges by hand.`,
	);
