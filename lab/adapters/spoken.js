/**
 * What a service is that is asked in a protocol, as far as that tells: HTTP is spoken by services of every kind.
 *
 * @typedef {import('./contract.js').Tier} Tier
 * @typedef {{ tier: Tier, product: string }} Spoken  product: of the adapter that reads what speaks it; empty where there is none
 */

/** @type {Record<string, Spoken>} */
const STORES = {
  postgres: { tier: 'database', product: 'postgres' },
  mysql: { tier: 'database', product: '' },
  mongodb: { tier: 'database', product: 'mongo' },
  redis: { tier: 'cache', product: 'redis' },
  memcached: { tier: 'cache', product: '' },
  amqp: { tier: 'queue', product: '' },
};

/** Protocols in which programs are asked, and nothing is said of what they are. */
const OF_PROGRAMS = ['http', 'http2', 'fastcgi', 'uwsgi'];

/** @param {string} protocol  of the wire @returns {Spoken | null} null where it does not tell */
export const storeOf = (protocol) => (Object.hasOwn(STORES, protocol) ? STORES[protocol] : null);

/** Whether it is one in which programs are asked. @param {string} protocol */
export const isOfPrograms = (protocol) => OF_PROGRAMS.includes(protocol);
