/**
 * The architectures: tiers wired in one way. The id is the Compose profile's suffix (`arch-<id>`), the name of the balancer's
 * configuration where there is one of its own, and the label in every report. The services themselves are in compose/compose.yaml.
 *
 * @typedef {object} Architecture
 * @property {string} [scenario]  key of the scenarios table, `documents` unless given: what one request is
 * @property {Record<string, Variable>} [variables]  of its own, given on the command line or by an experiment's arm
 * @property {string} title       in words, for headings
 * @property {string} question    why one would run it
 * @property {string} [entry]     where the load goes, on the lab's own network; none where a program is the load
 * @property {string} [published] key of the same system in published.json, `<section>.<run>`
 * @property {string[]} [reliefs] architectures that relieve a tier of this one, to be tried when that tier is the culprit. Each
 *   changes one thing, or it would not say which one mattered; test/static/reliefs.test.js holds them to it
 * @property {string} [relieves]  the tier that this architecture relieves, compared with the one that names it
 * @property {string} [relief]    what the relief changes, in words
 *
 * @typedef {object} Variable     reaches the containers and the k6 scenario under its own name
 * @property {string} about       in words
 * @property {string} standard    its value unless given
 * @property {readonly string[]} [choices]  the values that it may have; or
 * @property {readonly [number, number]} [range]  the least and the most, of a whole number
 */

/** @type {Variable} */
const BATCHING = { about: '1: sales are collected into batches; 0: each is made by itself', standard: '1', choices: ['0', '1'] };
/** More than any load here can buy, so that none runs out unless asked to. */
const STOCK = /** @type {Variable} */ ({ about: 'tickets there are', standard: '10000000', range: [1, 100_000_000] });

const SLOTS_RELIEF = '8,192 slots in the connection table (worker_connections) instead of 1,024';

const CHECKOUT = {
  scenario: 'tickets',
  entry: 'http://nginx:8080/tickets',
  variables: { BATCHING, STOCK },
};

/** @type {Record<string, Architecture>} */
export const architectures = {
  a: {
    title: 'one node',
    question: 'What does one Express node on one MongoDB carry?',
    entry: 'http://app-1:3000/',
    published: 'doubling.a',
  },
  'a-lb': {
    title: 'one node behind Nginx',
    question: 'What does the balancer itself cost?',
    entry: 'http://nginx:8080/',
    reliefs: ['a-lb-slots'],
  },
  'a-lb-slots': {
    title: 'one node behind Nginx with 8,192 connection slots',
    question: 'Do the failures of one node go when the connection table of the balancer has room?',
    entry: 'http://nginx:8080/',
    relieves: 'load-balancer',
    relief: SLOTS_RELIEF,
  },
  '2a': {
    title: 'two nodes behind Nginx, as published',
    question: 'Do two nodes serve twice as much?',
    entry: 'http://nginx:8080/',
    published: 'doubling.2a',
    reliefs: ['2a-slots', '2a-keepalive', '2a-pool500'],
  },
  '2a-slots': {
    title: 'two nodes behind Nginx with 8,192 connection slots',
    question: 'Do the failures go when the connection table of the balancer has room?',
    entry: 'http://nginx:8080/',
    relieves: 'load-balancer',
    relief: SLOTS_RELIEF,
  },
  '2a-keepalive': {
    title: 'two nodes behind Nginx, which keeps its connections to them',
    question: 'Do the failures go when a request no longer costs the balancer a connection and a local port?',
    entry: 'http://nginx:8080/',
    relieves: 'load-balancer',
    relief: 'connections to the nodes kept alive, which saves a local port a request and takes slots of the connection table',
  },
  '2a-haproxy': {
    title: 'two nodes behind HAProxy at its defaults',
    question: 'What do 2,000 users do to HAProxy, which has room for all of them?',
    entry: 'http://haproxy:8080/',
  },
  '2a-envoy': {
    title: 'two nodes behind Envoy at its defaults',
    question: 'What do 2,000 users do to Envoy, which makes 1,024 connections to the nodes and lets 1,024 requests wait?',
    entry: 'http://envoy:8080/',
  },
  '2a-tuned': {
    title: 'two nodes behind Nginx with room for every user',
    question: 'What do two nodes give with 8,192 connection slots and connections to the nodes kept alive?',
    entry: 'http://nginx:8080/',
  },
  '1a-tuned': {
    title: 'one node behind the balancer of 2a-tuned',
    question: 'What does one node give when the balancer is not what holds it back?',
    entry: 'http://nginx:8080/',
  },
  '3a-tuned': {
    title: 'three nodes behind the balancer of 2a-tuned',
    question: 'What does a third node add?',
    entry: 'http://nginx:8080/',
  },
  '4a-tuned': {
    title: 'four nodes behind the balancer of 2a-tuned',
    question: 'What does a fourth node add?',
    entry: 'http://nginx:8080/',
  },
  '2a-pool500': {
    title: 'two nodes behind Nginx, each with a pool of 500',
    question: 'Do the failures go when the database connection pool is ten times as large?',
    entry: 'http://nginx:8080/',
    relieves: 'pool',
    relief: 'maxPoolSize 500 instead of 50',
  },
  'tickets-1': {
    ...CHECKOUT,
    title: 'ticket checkout, one worker behind Nginx',
    question: 'What does one worker sell that gathers concurrent sales into batches?',
  },
  'tickets-2': {
    ...CHECKOUT,
    title: 'ticket checkout, two workers behind Nginx',
    question: 'Do two workers, each with batches of its own, sell more than one?',
  },
  'tickets-3': {
    ...CHECKOUT,
    title: 'ticket checkout, three workers behind Nginx',
    question: 'Do three?',
  },
  crud: {
    scenario: 'crud',
    title: 'one node on three databases of one MongoDB',
    question: 'How many closed-loop workers does it bear before more of them make it slower?',
    entry: 'http://app-1:3000/',
    variables: { WORKERS: { about: 'closed-loop workers for each database', standard: '10', range: [1, 200] } },
  },
  pools: {
    scenario: 'pools',
    title: 'one Fastify node with or without a Piscina pool',
    question: 'When does a worker pool help, and when does it cost?',
    entry: 'http://app-1:3000/',
    variables: {
      VARIANT: {
        about: 'what a request does, and where: async and sync sleep for 100 ms, hash computes',
        standard: 'async-unpooled',
        choices: [
          'async-unpooled',
          'async-pooled',
          'sync-unpooled',
          'sync-pooled',
          'async-pooled-tuned',
          'sync-pooled-tuned',
          'sync-pooled-tuned-started',
          'hash-unpooled',
          'hash-pooled',
        ],
      },
    },
  },
  tokyo: {
    scenario: 'inserts',
    title: 'Tokyo Cabinet, a store with one writer for each file',
    question: 'Do more writers insert more?',
    variables: {
      THREADS: { about: 'threads that insert into each file', standard: '1', range: [1, 64] },
      FILES: { about: 'files, each with a process of its own', standard: '1', range: [1, 64] },
    },
  },
};

/** @param {string} id */
export const scenarioOf = (id) => architectures[id].scenario ?? 'documents';

/** @param {string} id */
export const profileOf = (id) => `arch-${id}`;
