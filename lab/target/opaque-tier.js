/**
 * The tier of a service that no adapter takes: by its image, its program, its data, its ports, its name, and last by who depends on whom.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 * @typedef {{ tier: import('../adapters/contract.js').Tier | null, reason: string }} Guess  tier null: no request passes it
 */

import { programsOf } from '../adapters/recognise.js';
import { knownImage, knownName, tierOfData, tierOfPort, USUAL_PORTS } from '../adapters/well-known.js';

/** A program stands first in its command, or behind a script or an init that starts it. */
const PROGRAM_WORDS = 2;
/** What such a service does is done once, before the rest is of use: unless it is started again whenever it ends. */
const JOB =
  /(^|[-_])(migrate|migrations?|migrator|seed|seeder|setup|bootstrap|configurator|installer|create-?buckets?)$|^(migrate|seed|setup|create|install)[-_]|(^|[-_])init([-_]|$)/i;

/**
 * @param {AttachedService} model
 * @param {import('./edges.js').Edge[]} edges
 * @param {Set<string>} [asked]  services that others ask in HTTP
 * @returns {Guess}
 */
export function opaqueTier(model, edges, asked = new Set()) {
  return guessByProduct(model) ?? byDirection(model, edges, asked);
}

/**
 * What it is by itself, whomever it asks.
 * @param {AttachedService} model
 * @returns {Guess | null}
 */
export const guessByProduct = (model) =>
  byJob(model) ?? byToolsName(model) ?? byImage(model) ?? byProgram(model) ?? byData(model) ?? byPort(model) ?? byName(model);

/** @param {AttachedService} model @returns {Guess | null} */
const byJob = ({ service, restarts }) =>
  JOB.test(service) && restarts !== 'always' ? { tier: null, reason: 'its name, of a job that ends' } : null;

/** A tool may run on the image of a language, or on one that the system's own programs have. @param {AttachedService} model @returns {Guess | null} */
function byToolsName({ service, image }) {
  const known = knownImage(image)?.tier ?? 'app';
  return known === 'app' && knownName(service)?.tier === null ? { tier: null, reason: 'its name, of a tool for operators' } : null;
}

/** @param {AttachedService} model @returns {Guess | null} */
function byImage({ image }) {
  const known = knownImage(image);
  if (!known) return null;
  const name = image.replace(/@.*$/, '');
  return { tier: known.tier, reason: known.tier === null ? `image ${name}, a tool for operators` : `image ${name}` };
}

/** @param {AttachedService} model @returns {Guess | null} */
function byProgram({ command }) {
  const programs = command.slice(0, PROGRAM_WORDS).map((word) => word.slice(word.lastIndexOf('/') + 1));
  const known = programs.map(knownName).find((found) => found !== null);
  return known ? { tier: known.tier, reason: `it runs ${known.name}` } : null;
}

/**
 * A container that only holds a folder for others names a program that does nothing, and an image that has it all lets users in.
 * @param {AttachedService} model
 * @returns {Guess | null}
 */
function byData({ command, mounts, published }) {
  if (programsOf(command).length > 0 || published.some((port) => USUAL_PORTS.includes(port))) return null;
  const tier = tierOfData(mounts.flatMap(({ target, readOnly }) => (readOnly ? [] : [target])));
  return tier === null ? null : { tier, reason: 'where it keeps its data' };
}

/** @param {AttachedService} model @returns {Guess | null} */
function byPort({ ports }) {
  const port = ports.find((candidate) => tierOfPort(candidate) !== null);
  return port === undefined ? null : { tier: tierOfPort(port), reason: `it listens on port ${port}` };
}

/** @param {AttachedService} model @returns {Guess | null} */
function byName({ service }) {
  const known = knownName(service);
  return known ? { tier: known.tier, reason: 'its name' } : null;
}

/** @type {(model: AttachedService, edges: import('./edges.js').Edge[], asked: Set<string>) => Guess} */
function byDirection({ service, published, mounts, networkMode }, edges, asked) {
  if (networkMode.startsWith('service:'))
    return { tier: 'app', reason: `it is reached through the network of ${networkMode.replace('service:', '')}` };
  const asks = edges.filter(({ from }) => from === service).map(({ to }) => to);
  const isAsked = edges.some(({ to }) => to === service);
  // A store that is asked in HTTP is known by its image; others that are keep what they made, as a model or a picture.
  const isWeb = asked.has(service) || published.some((port) => USUAL_PORTS.includes(port));
  if (isAsked && asks.length === 0 && !isWeb && mounts.some(({ type }) => type === 'volume'))
    return { tier: 'database', reason: 'others depend on it, it depends on nothing, and it keeps a volume' };
  const clauses = [];
  if (published.length > 0) clauses.push(`it publishes port ${published.join(', ')}`);
  if (asks.length > 0) clauses.push(`it depends on ${asks.join(', ')}`);
  if (clauses.length > 0) return { tier: 'app', reason: clauses.join(' and ') };
  if (isAsked) return { tier: 'app', reason: 'others depend on it, and it keeps no volume' };
  return { tier: 'app', reason: 'nothing says what it is' };
}
