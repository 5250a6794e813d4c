/**
 * What `doubletake init --observe` does: brings a copy of a user's system up as a run does, asks it what the load would ask, each request
 * alone, and reads from its networks who asked whom. Nothing of the copy is left.
 *
 * @typedef {import('./project-schema.js').Project} Project
 * @typedef {import('./checked-system.js').CheckedSystem} CheckedSystem
 * @typedef {import('../measure/system.js').System} System
 * @typedef {{ service: string, url: string }} Entry
 * @typedef {{ entry: Entry, observed: import('../wire/observed.js').Observed }} Seen
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { captureOf } from '../capture/run-capture.js';
import { NotReadyError } from '../define/errors.js';
import { RAW } from '../define/paths.js';
import { spell } from '../define/spelling.js';
import { listServices } from '../measure/containers.js';
import { ensureGenerator } from '../measure/images.js';
import { preflight } from '../measure/preflight.js';
import { writingUser } from '../measure/run-folder.js';
import { makeScratch } from '../measure/scratch.js';
import { takeDown } from '../measure/stack.js';
import { labelledSystem } from '../measure/system.js';
import { observedOf } from '../wire/observed.js';
import { readWire } from '../wire/record.js';
import { bringUpOwn } from './bring-up.js';
import { checkSystem, systemOf } from './checked-system.js';
import { entryService } from './describe.js';
import { FILES } from './fill-folders.js';
import { openView } from './open-view.js';
import { GENERATOR, LEAST_COMPOSE, overlayText } from './overlay.js';
import { ownImages } from './own-images.js';
import { linksIn } from './page-links.js';
import { prepareImages } from './prepare-images.js';
import { ASKED_MOST, NOWHERE, probe, probedOf, ROOT, TIMES } from './probe.js';
import { PROJECT_FILE, partsOfEntry } from './project-schema.js';

/** For all of them together. */
const PROBE_LIMIT_MS = 60_000;
/** Before the first and after the last: what goes on by itself shows itself, and what was put into a queue is taken out. */
const QUIET_MS = 3000;
/** Of those at which users could enter. */
const ENTRIES_MOST = 4;

/**
 * @param {object} options
 * @param {string} options.folder  of doubletake.yaml, absolute
 * @param {Project} options.project
 * @param {Pick<import('./measure.js').ProjectSettings, 'images' | 'busy' | 'allowData'>} options.settings
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<{ observed: import('../wire/observed.js').Observed, entry: Entry, passed: Seen[], urls: string[], checked: CheckedSystem }>}
 *   entry: where users come in; passed: others, and what was seen of those; urls: pages that the entry's links to, where the load is none yet
 * @throws {import('../define/errors.js').LabError} when the machine or the stack is not ready, or nothing could be seen
 */
export async function observeProject({ folder, project, settings, say, signal }) {
  if (project.capture === 'off')
    throw new NotReadyError(
      `init --observe: expected leave to record what passes the networks of a copy; found "capture: off" in ${PROJECT_FILE}.`,
      'take that out, or write tiers and edges by hand.',
    );
  const checked = await checkSystem({ folder, project, side: null, allowData: settings.allowData });
  const { runProject, models } = checked;
  for (const note of checked.notes) say(`note: ${note}`);
  const published = async () => [];
  await preflight({ project: runProject, leastCompose: LEAST_COMPOSE, disk: folder, published, busy: settings.busy, say, signal });
  const loadS = (PROBE_LIMIT_MS + 2 * QUIET_MS) / 1000;
  const capture = await captureOf({ isWanted: true, project: runProject, loadS, images: settings.images, say, signal });
  const scratch = await makeScratch('observe');
  /** @type {import('../measure/engine-view.js').EngineView | null} */
  let view = null;
  try {
    view = await openView(checked.copy.view, scratch);
    const names = ownImages(models, folder);
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
    const system = systemOf({ project: runProject, folder, files: [...project.compose, overlay], side: null, supplies: checked.supplies });
    await prepareImages({ system, models, names, say, signal });
    say('bringing a copy up, to see who asks whom');
    const { variables } = await ensureGenerator({ mode: settings.images, say, signal });
    const image = variables.K6_IMAGE;
    await bringUpOwn({ checked, project, system, image, scratch, mayFail: true, whenCreated: capture?.begin, say, signal });
    const entries = entriesOf(project, checked);
    /** @type {Map<string, string[]>} */
    const pages = new Map();
    for (const { url } of entries)
      pages.set(url, await probeQuietly({ checked, project: { ...project, entry: url }, system, say, signal }));
    await capture?.stop();
    const record = join(scratch, RAW.wire);
    await capture?.write(record);
    const seen = await readObserved(record, entries, capture?.notes ?? []);
    return { ...seen, urls: pages.get(seen.entry.url) ?? [], checked };
  } finally {
    say('taking the copy down');
    await capture?.clear();
    const left = await takeDown({}, labelledSystem(runProject));
    if (left !== null) say(`${left}; "${spell(['clean'])}" tries again`);
    await view?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
/**
 * Where no file says which of several services users come in at, each is asked, unless its user chose, or says what to ask for.
 * @param {Project} project
 * @param {Pick<CheckedSystem, 'requests' | 'proposal'>} checked
 * @returns {Entry[]} that of doubletake.yaml first
 */
export function entriesOf(project, { requests, proposal: { entries = [] } }) {
  const written = { service: entryService(project), url: project.entry };
  const isProposed = entries[0]?.url === project.entry;
  return isProposed && isPlaceholder(project, requests) ? entries.slice(0, ENTRIES_MOST) : [written];
}

/** Whether nobody has said what to ask for. @param {Project} project @param {CheckedSystem['requests']} requests */
const isPlaceholder = ({ load }, requests) =>
  load.script === undefined && requests.every(({ method, path }) => method === ROOT.method && path === ROOT.path);

/**
 * @param {object} options
 * @param {Pick<CheckedSystem, 'requests' | 'headers'>} options.checked
 * @param {Project} options.project
 * @param {System} options.system
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<string[]>} as `load.urls` has them, the pages that the entry's page links to, with that one first, where nobody has said
 *   what to ask for; none where there are none
 */
async function probeQuietly({ checked: { requests, headers }, project, system, say, signal }) {
  const asked = probedOf(requests);
  await wait(QUIET_MS, undefined, { signal });
  say(`asking ${asked.map(({ method, path }) => `${method} ${path}`).join(', ')}, ${TIMES} times each`);
  const containers = await listServices(system);
  const options = { project, headers, containers, limitMs: PROBE_LIMIT_MS, signal };
  let page = '';
  const told = (/** @type {unknown} */ request, /** @type {{ page?: string }} */ answer) => {
    if (request === asked[0]) page = answer.page ?? page;
  };
  const failed = await probe({ ...options, asked: [...asked, NOWHERE], told });
  failed.delete(NOWHERE);
  for (const [{ method, path }, { status, error }] of failed)
    say(`note: ${method} ${path} is answered by ${status || error}: whom it would need if it were answered well may not be seen`);
  const linked = isPlaceholder(project, requests) ? linkedPages(page, project) : [];
  if (linked.length > 0) say(`asking the pages that it links to, of which there are ${linked.length}`);
  const broken = await probe({ ...options, asked: linked });
  await wait(QUIET_MS, undefined, { signal });
  const pages = linked.filter((request) => !broken.has(request));
  return pages.length === 0 ? [] : [ROOT, ...pages].map(({ method, path }) => `${method} ${path}`);
}

/** @param {string} page @param {Project} project @returns {import('../../k6/lib/request-list.js').ListedRequest[]} below the entry */
function linkedPages(page, { entry }) {
  const { base } = partsOfEntry(entry);
  return linksIn(page, `${base}${ROOT.path}`, ASKED_MOST - 1).flatMap((path) =>
    path.startsWith(`${base}/`) ? [{ method: ROOT.method, path: path.slice(base.length) }] : [],
  );
}

/** @param {string} record @param {Entry[]} entries @param {string[]} notes */
async function readObserved(record, entries, notes) {
  const wire = await readWire(record).catch(() => null);
  const all =
    wire === null ? [] : entries.map((entry) => ({ entry, observed: observedOf(wire, { entry: entry.service, generator: GENERATOR }) }));
  const [chosen, ...passed] = mostReaching(all.filter(({ observed }) => observed.asked > 0));
  if (chosen !== undefined) return { ...chosen, passed };
  throw new NotReadyError(
    `init --observe: expected to see requests at ${entries[0].url} on the networks of the copy; found ${notes.join('; ') || 'none'}.`,
    `see that "entry" in ${PROJECT_FILE} is where users come in; else write tiers and edges by hand.`,
  );
}

/** From where requests come to more services is where users come in; of those alike, what was proposed. @param {Seen[]} all */
export const mostReaching = (all) => all.toSorted((one, other) => reachedFrom(other).length - reachedFrom(one).length);

/** The entry among them. @param {Seen} seen */
export const reachedFrom = ({ observed: { services } }) => services.filter(({ place }) => place === 'way').map(({ service }) => service);
