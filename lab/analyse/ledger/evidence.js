/**
 * The pieces of evidence that rules attach, and the questions that several rules ask.
 */

/** A connection that breaks this long before a container's end, or after it, is its end. */
const AROUND_S = 2;

/** @type {(source: string, text: string, count: number) => import('../../define/result.js').Evidence} */
export const countEvidence = (source, text, count) => ({ kind: 'count', source, text, count });

/** @type {(facts: import('./facts.js').Facts, id: string) => import('../../define/result.js').Evidence[]} */
export function logEvidence({ balancer }, id) {
  const message = balancer?.messages[id];
  return message ? [{ kind: 'log', source: `${balancer?.name} error log`, line: message.first, count: message.count }] : [];
}

/** @type {(source: string, name: string, before: number, after: number) => import('../../define/result.js').Evidence} */
export const counterEvidence = (source, name, before, after) => ({ kind: 'counter', source, name, before, after });

/** What MongoDB itself says of refused connections. @param {import('./facts.js').Facts} facts */
export function rejectedEvidence({ database }) {
  return database.rejected ? [counterEvidence('mongod', 'connections refused', database.rejected.before, database.rejected.after)] : [];
}

/** @param {import('./facts.js').Facts} facts @param {string} name of a service */
export function overflowEvidence({ kernel }, name) {
  return ['ListenOverflows', 'ListenDrops'].flatMap((counter) => {
    const { before, after, gained } = kernel[name] ?? { before: {}, after: {}, gained: {} };
    return gained[counter] > 0 ? [counterEvidence(`kernel, ${name}`, counter, before[counter] ?? 0, after[counter])] : [];
  });
}

/**
 * Whether a service was not there at a moment.
 * @param {import('./facts.js').Facts} facts
 * @param {string} service
 * @param {number | null} moment seconds since 1970; null asks whether it ever was not
 */
export function diedAround({ deaths }, service, moment) {
  return deaths.some(
    ({ name, from, to }) => name === service && (moment === null || (moment >= from - AROUND_S && moment <= to + AROUND_S)),
  );
}

/** @param {import('./facts.js').Facts} facts @param {string} service @returns {{ from: number, to: number }[]} */
export function timesAway({ deaths }, service) {
  return deaths.filter(({ name }) => name === service).map(({ from, to }) => ({ from: from - AROUND_S, to: to + AROUND_S }));
}
