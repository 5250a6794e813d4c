/**
 * What may stand in doubletake.yaml: what the lab knows of a user's system, and the load that it puts on it.
 *
 * @typedef {import('../adapters/contract.js').Tier | 'other'} ProjectTier  other: no request passes it
 *
 * @typedef {object} ProjectService
 * @property {ProjectTier} tier
 * @property {string} product
 * @property {import('../adapters/contract.js').Level} watch
 * @property {string} [reason]  why it was taken for this; written as a comment, and not read again
 *
 * @typedef {object} ProjectLoad   of urls, openapi and script one is given; the rest is of the first two
 * @property {string[]} [urls]     method and path, with a weight before and a body after; at another entry than the first a URL below that
 * @property {string} [openapi]    file
 * @property {string} [script]     file, of k6
 * @property {Record<string, string>} [headers]  of every request of the first two; ${NAME} in a value is of the environment
 * @property {number[]} [expect]   statuses that are good answers to the first two; below 400 unless given
 * @property {string[]} [include]  of openapi: operations that may change something and are sent all the same
 * @property {string[]} [exclude]  of openapi: operations that are not sent
 * @property {keyof typeof LOAD_SHAPES} [shape]
 * @property {number} [users]
 * @property {number} [think_ms]
 *
 * @typedef {object} Project
 * @property {string[]} compose    files, in their order
 * @property {string | string[]} entry  URL inside the network; several where users come in at several places
 * @property {Record<string, string>} [hosts]  names by which users ask, with the entry that sends on by them; of each entry the first one is
 *   that of what names no other
 * @property {Record<string, ProjectService>} services
 * @property {[string, string][]} edges  who asks whom
 * @property {ProjectLoad} load
 * @property {Record<string, import('../attach/copied-folders.js').Data>} [data]  of folders of this machine into which services may write; a copy
 *   unless given
 * @property {'on' | 'off'} [capture]  whether what passes its networks is recorded; on unless given
 */

import { THINK_MOST_MS } from './options.js';

export const PROJECT_FILE = 'doubletake.yaml';

/** @type {ProjectTier[]} */
export const PROJECT_TIERS = ['load-balancer', 'app', 'pool', 'queue', 'cache', 'database', 'other'];

/** What is used of a service, by the level to which it is watched. */
export const LEVELS = Object.freeze(['its container', 'its own log', 'a configuration laid over its own', 'a preload in its process']);

export const LOAD_SHAPES = Object.freeze({
  steps: 'more users in four steps, each held for 15 s',
  brief: 'the same in 16 s, to see whether all of it works',
});

/** What becomes of a folder of this machine into which services may write. */
export const DATA = Object.freeze({
  copy: 'a copy of it, in a volume of the run',
  empty: 'an empty volume of the run',
  live: 'the folder itself: what the run writes stays there',
});

/** Where the requests of a load come from. */
export const LOAD_SOURCES = /** @type {const} */ (['urls', 'openapi', 'script']);

/** What a load has unless it says otherwise. @type {{ shape: 'steps', users: number, think_ms: number }} */
export const LOAD_DEFAULTS = { shape: 'steps', users: 200, think_ms: 1000 };

/**
 * A system of which nothing is known is asked for what most serve, at each of its entries and by each of their hosts.
 * @param {Pick<Project, 'entry' | 'hosts'>} project
 * @returns {ProjectLoad}
 */
export const placeholderFor = (project) => ({
  urls: entryUrls(project).flatMap((entry, index) => [
    index === 0 ? 'GET /' : `GET ${entry}`,
    ...hostsAt(project, entry)
      .slice(1)
      .map((host) => `GET ${urlOfHost(host, entry)}`),
  ]),
  ...LOAD_DEFAULTS,
});

/** @param {Pick<Project, 'entry' | 'hosts' | 'load'>} project */
export const isPlaceholder = ({ load: { urls }, ...project }) =>
  urls !== undefined && urls.join('\n') === placeholderFor(project).urls?.join('\n');

/** @param {Pick<Project, 'hosts'>} project @param {string} entry @returns {string[]} by which it sends on */
export const hostsAt = ({ hosts = {} }, entry) => Object.keys(hosts).filter((host) => hosts[host] === entry);

/** As users ask for it: at the usual port. @param {string} host @param {string} entry */
export const urlOfHost = (host, entry) => `${partsOfEntry(entry).scheme}://${host}/`;

const LEVEL_MOST = LEVELS.length - 1;
/** One k6 of 3 GB holds fewer. */
const USERS_MOST = 100_000;

/** Scheme, service, port and path. Not every name of a service is a host name by the rules of URLs, so it is not read as one. */
export const ENTRY = /^(https?):\/\/([A-Za-z0-9._-]+)(?::(\d{1,5}))?(\/\S*)?$/;

/** In lower case, as hosts are compared. */
const HOST_NAME = '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$';

/** @param {Pick<Project, 'entry'>} project @returns {[string, ...string[]]} where users come in; what names no other place is asked at the first */
export const entryUrls = ({ entry }) => /** @type {[string, ...string[]]} */ ([entry].flat());

/** @param {string} entry @returns {string} the service; empty where the entry is no URL */
export const hostOfEntry = (entry) => ENTRY.exec(entry)?.[2] ?? '';

/**
 * @param {string} entry  that the schema takes
 * @returns {{ scheme: 'http' | 'https', host: string, port: number, base: string }} base: before each path, without a slash at its end
 */
export function partsOfEntry(entry) {
  const [, scheme, host, port, path = ''] = ENTRY.exec(entry) ?? [];
  const isSecured = scheme === 'https';
  return { scheme: isSecured ? 'https' : 'http', host, port: Number(port ?? (isSecured ? 443 : 80)), base: path.replace(/\/+$/, '') };
}

const text = (/** @type {string} */ description) => ({ type: 'string', minLength: 1, description });

const OPERATIONS = {
  type: 'array',
  minItems: 1,
  description: 'a list of operations of the OpenAPI document, such as ["POST /orders"]',
  items: { type: 'string', pattern: '^[A-Za-z]+ +/', description: 'a method and a path of the OpenAPI document, such as "POST /orders"' },
};

/** Of HTTP. */
const [STATUS_LEAST, STATUS_MOST] = [100, 599];

/** Each description ends the sentence "expected ...". @type {Record<string, any>} */
export const PROJECT_SCHEMA = {
  type: 'object',
  description: 'names and values (compose, entry, hosts, services, edges, load, data, capture)',
  additionalProperties: false,
  required: ['compose', 'entry', 'services', 'load'],
  properties: {
    compose: { type: 'array', minItems: 1, description: 'a list of at least one Compose file', items: text('the name of a Compose file') },
    entry: {
      type: ['string', 'array'],
      minItems: 1,
      pattern: ENTRY.source,
      description: 'the URL of a service in its network, such as http://web:8080/, or a list of such URLs',
      items: { type: 'string', pattern: ENTRY.source, description: 'the URL of a service in its network, such as http://web:8080/' },
    },
    hosts: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: HOST_NAME, description: 'the name of a host in lower case, without scheme, port and path' },
      description: 'names of hosts with the entry that sends requests on by them, such as { shop.test: http://web:8080/ }',
      additionalProperties: { type: 'string', description: 'the URL of an entry, as it is written there' },
    },
    services: {
      type: 'object',
      minProperties: 1,
      description: 'at least one service by its name in the Compose file',
      additionalProperties: {
        type: 'object',
        description: 'tier, product and watch of the service, such as { tier: app, product: opaque, watch: 0 }',
        additionalProperties: false,
        required: ['tier', 'product', 'watch'],
        properties: {
          tier: { enum: PROJECT_TIERS, description: `one of ${PROJECT_TIERS.join(', ')}` },
          product: { type: 'string', pattern: '^[a-z0-9-]+$', description: 'the name of a product in lower case, or opaque' },
          watch: { type: 'integer', minimum: 0, maximum: LEVEL_MOST, description: `a level from 0 to ${LEVEL_MOST}` },
        },
      },
    },
    edges: {
      type: 'array',
      description: 'a list of pairs of services, such as [[web, db]]',
      items: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        description: 'a pair of services: who asks, and who is asked',
        items: text('the name of a service; in quotes if it could be read as a number'),
      },
    },
    data: {
      type: 'object',
      description: 'folders with copy, empty or live, such as { ./uploads: empty }',
      additionalProperties: { enum: Object.keys(DATA), description: `one of ${Object.keys(DATA).join(', ')}` },
    },
    capture: { enum: ['on', 'off'], description: 'on or off' },
    load: {
      type: 'object',
      description: `one of ${LOAD_SOURCES.join(', ')}, and the number of users`,
      additionalProperties: false,
      properties: {
        urls: {
          type: 'array',
          minItems: 1,
          description: 'a list of at least one request, such as ["GET /"]',
          items: {
            type: 'string',
            pattern: '^(\\d+x )?(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (/|https?://)\\S*( .+)?$',
            description:
              'a method and a path, such as "GET /orders", with how often it is asked before and a body after ("3x POST /orders {}"); at another entry than the first, or by another of its hosts, a URL in place of the path',
          },
        },
        openapi: text('the name of an OpenAPI file'),
        script: text('the name of a k6 script'),
        // What is wrong in it is told without its values (load-headers.js).
        headers: {},
        expect: {
          type: 'array',
          minItems: 1,
          description: 'a list of HTTP statuses that are good answers, such as [200, 404]',
          items: {
            type: 'integer',
            minimum: STATUS_LEAST,
            maximum: STATUS_MOST,
            description: `an HTTP status from ${STATUS_LEAST} to ${STATUS_MOST}`,
          },
        },
        include: OPERATIONS,
        exclude: OPERATIONS,
        shape: { enum: Object.keys(LOAD_SHAPES), description: `one of ${Object.keys(LOAD_SHAPES).join(', ')}` },
        users: { type: 'integer', minimum: 1, maximum: USERS_MOST, description: `a whole number from 1 to ${USERS_MOST}` },
        think_ms: { type: 'integer', minimum: 0, maximum: THINK_MOST_MS, description: `a whole number from 0 to ${THINK_MOST_MS}` },
      },
    },
  },
};
