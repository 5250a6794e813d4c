/**
 * The tier of a service that no adapter takes: by its image, its program, its ports, its name, and last by who depends on whom.
 *
 * @typedef {import('./compose-model.js').AttachedService} AttachedService
 * @typedef {{ tier: import('../adapters/contract.js').Tier | null, reason: string }} Guess  tier null: no request passes it
 */
import { knownImage, knownName, tierOfPort } from '../adapters/well-known.js';

/** A program stands first in its command, or behind a script or an init that starts it. */
const PROGRAM_WORDS = 2;
/** What such a service does is done once, before the rest is of use: unless it is started again whenever it ends. */
const JOB = /(^|[-_])(migrate|migrations?|migrator|seed|seeder|init|setup|bootstrap|create-?buckets?)$|^(migrate|seed|init|setup)[-_]/i;

/**
 * @param {AttachedService} model
 * @param {import('./edges.js').Edge[]} edges
 * @returns {Guess}
 */
export function opaqueTier(model, edges) {
  return guessByProduct(model) ?? byDirection(model, edges);
}

/**
 * What it is by itself, whomever it asks.
 * @param {AttachedService} model
 * @returns {Guess | null}
 */
export const guessByProduct = (model) => byJob(model) ?? byImage(model) ?? byProgram(model) ?? byPort(model) ?? byName(model);

/** @param {AttachedService} model @returns {Guess | null} */
const byJob = ({ service, restarts }) =>
  JOB.test(service) && restarts !== 'always' ? { tier: null, reason: 'its name, of a job that ends' } : null;

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

/** @type {(model: AttachedService, edges: import('./edges.js').Edge[]) => Guess} */
function byDirection({ service, published, mounts, networkMode }, edges) {
  if (networkMode.startsWith('service:'))
    return { tier: 'app', reason: `it is reached through the network of ${networkMode.replace('service:', '')}` };
  const asks = edges.filter(({ from }) => from === service).map(({ to }) => to);
  const isAsked = edges.some(({ to }) => to === service);
  if (isAsked && asks.length === 0 && mounts.some(({ type }) => type === 'volume'))
    return { tier: 'database', reason: 'others depend on it, it depends on nothing, and it keeps a volume' };
  const clauses = [];
  if (published.length > 0) clauses.push(`it publishes port ${published.join(', ')}`);
  if (asks.length > 0) clauses.push(`it depends on ${asks.join(', ')}`);
  if (clauses.length > 0) return { tier: 'app', reason: clauses.join(' and ') };
  if (isAsked) return { tier: 'app', reason: 'others depend on it, and it keeps no volume' };
  return { tier: 'app', reason: 'nothing says what it is' };
}
