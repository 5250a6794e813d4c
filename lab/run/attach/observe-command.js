/**
 * `doubletake init --observe`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decide, storeOf } from '../../adapters/observed-system.js';
import { adapterOf } from '../../adapters/registry.js';
import { knownImage } from '../../adapters/well-known.js';
import { EXIT, NotReadyError } from '../../base/errors.js';
import { writeFileAtomic } from '../../base/files.js';
import { hasProject, parseProject, readProject } from '../../catalog/project-file.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';
import { takeLock } from '../../docker/lock.js';
import { OPAQUE } from '../../target/detect.js';
import { LEVEL_WITHOUT_CONSENT } from '../../target/init.js';
import { init, readProjectSettings } from './commands.js';
import { observeProject } from './observe.js';
import { reachedFrom } from './observed-entries.js';
import { withObserved } from './observed-file.js';

const COMMAND = 'init --observe';

/**
 * Writes doubletake.yaml where there is none, brings a copy up, and writes into it what was seen. What its user changed by hand stays.
 * @param {string} folder
 * @param {string[]} given  Compose files, where there is no doubletake.yaml yet
 * @param {Record<string, string | undefined>} env
 * @param {{ allowData: boolean, isExplained?: boolean } & import('../../cli/reporter.js').Around} options
 * @returns {Promise<number>} the exit code
 * @throws {import('../../base/errors.js').LabError}
 */
export async function initObserving(folder, given, env, { allowData, isExplained = false, reporter, signal }) {
  const settings = readProjectSettings(folder, env, allowData, { command: 'init', what: `"${COMMAND}"` });
  const isThere = hasProject(folder);
  if (isThere && given.length > 0)
    throw new NotReadyError(
      `${COMMAND}: expected no Compose files beside a ${PROJECT_FILE}, which names them; found ${given.join(', ')}.`,
      `leave them out, or correct "compose" in ${PROJECT_FILE}.`,
    );
  if (!isThere || isExplained) await init(folder, given, reporter, { isExplained });
  const { say } = reporter.progress;
  const release = await takeLock(say);
  try {
    const project = await readProject(folder);
    const { observed, entered, passed, urls, entryPoints, checked } = await observeProject({ folder, project, settings, say, signal });
    const written = { ...project, entries: entered.map(({ entry }) => entry.service) };
    const decided = decide({ observed, written, proposal: checked.proposal });
    const entries = entered.map(({ entry }) => entry.url);
    const path = join(folder, PROJECT_FILE);
    const text = await readFile(path, 'utf8');
    const services = Object.fromEntries(Object.entries(project.services).map(([name, one]) => [name, asSeen(one, name, decided, checked)]));
    const changed = withObserved(text, project, { entries, entryPoints, urls, edges: decided.edges, services });
    parseProject(changed, PROJECT_FILE);
    if (changed !== text) await writeFileAtomic(path, changed);
    reporter.tell(wordsOf(decided, entryText(entered, passed), { urls, isChanged: changed !== text }));
    reporter.give({ file: PROJECT_FILE, result: { project: parseProject(changed, PROJECT_FILE), observed, notes: decided.notes } });
    return EXIT.done;
  } finally {
    await release();
  }
}

/** @typedef {import('../../adapters/observed-system.js').Decided} Decided */

/**
 * A product is known by what it speaks where nothing else says what it is: others speak the same.
 * @param {import('../../catalog/project-schema.js').ProjectService} service
 * @param {string} name
 * @param {Decided} decided
 * @param {import('./checked-system.js').CheckedSystem} checked
 */
function asSeen({ tier, product, watch }, name, decided, { models }) {
  const protocol = decided.protocols[name] ?? '';
  const seen = { tier: decided.tiers[name] ?? tier, product, watch, protocol };
  const store = storeOf(protocol);
  const model = models.find(({ service }) => service === name);
  const isUnknown = product === OPAQUE && model !== undefined && knownImage(model.image) === null;
  if (!isUnknown || store === null || store.product === '' || store.tier !== seen.tier) return seen;
  const levels = (adapterOf(store.product)?.watches(model) ?? [])
    .map(({ level }) => level)
    .filter((level) => level <= LEVEL_WITHOUT_CONSENT);
  return { ...seen, product: store.product, watch: Math.max(watch, ...levels) };
}

/** @typedef {import('./observed-entries.js').Seen} Seen */

/** @param {Seen[]} entered @param {Seen[]} passed */
function entryText(entered, passed) {
  const needOf = (/** @type {Seen} */ seen) =>
    reachedFrom(seen)
      .filter((service) => service !== seen.entry.service)
      .join(', ') || 'no other service';
  const others = passed.map((other) => `; at ${other.entry.url} they would need ${needOf(other)}`);
  const isOne = entered.length === 1 && others.length === 0;
  const named = entered.map((one) => `${one.entry.url}${isOne ? '' : `, and need ${needOf(one)}`}`);
  return `Requests enter at ${named.join('; at ')}${others.join('')}`;
}

/** @param {Decided} decided @param {string} entry @param {{ urls: string[], isChanged: boolean }} found */
function wordsOf({ edges, notes, outside }, entry, { urls, isChanged }) {
  const asked = edges.map(([from, to]) => `  ${from} asks ${to}`);
  const parts = [
    [`Seen on the wire. ${entry}`, ...asked].join('\n'),
    [...notes, ...(outside === '' ? [] : [outside])].map((note) => `  ${note}`).join('\n'),
    urls.length === 0 ? '' : `The load is now ${urls.length} pages: that at which users enter, and those that it leads to.`,
  ];
  const end = isChanged ? `changed ${PROJECT_FILE}; next: doubletake run` : `${PROJECT_FILE} says what was seen; next: doubletake run`;
  return `${[...parts.filter((part) => part !== ''), end].join('\n\n')}\n`;
}
