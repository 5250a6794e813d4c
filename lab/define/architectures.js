/**
 * The architectures: tiers wired in one way. The id is the Compose profile's suffix (`arch-<id>`), the name of the Nginx
 * conf where there is one of its own, and the label in every report. The services themselves are in compose/compose.yaml.
 *
 * @typedef {object} Architecture
 * @property {string} title       in words, for headings
 * @property {string} question    why one would run it
 * @property {string} entry       where the load goes, on the lab's own network
 * @property {string} [published] key of the same system in published.json, `<section>.<run>`
 * @property {string[]} [reliefs] architectures that relieve a tier of this one, to be tried when that tier is the culprit
 * @property {string} [relieves]  the tier that this architecture relieves, compared with the one that names it
 * @property {string} [relief]    what the relief is, in words
 */

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
    reliefs: ['2a-tuned'],
  },
  '2a': {
    title: 'two nodes behind Nginx, as published',
    question: 'Do two nodes serve twice as much?',
    entry: 'http://nginx:8080/',
    published: 'doubling.2a',
    reliefs: ['2a-tuned', '2a-pool500'],
  },
  '2a-tuned': {
    title: 'two nodes behind Nginx with room for every user',
    question: 'Do the failures go when the balancer has connection room?',
    entry: 'http://nginx:8080/',
    relieves: 'load-balancer',
    relief: '8,192 connections instead of 1,024, and connections to the nodes kept alive',
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
};

/** @param {string} id */
export const profileOf = (id) => `arch-${id}`;
