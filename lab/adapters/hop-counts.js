/**
 * What every reader of a log of requests does with its sightings: keeps those of the load, counts them by outcome, and puts what was
 * said of them in the order of time.
 */

/**
 * @typedef {import('./contract.js').Sighting} Sighting
 * @typedef {import('./contract.js').Message} Message
 * @typedef {{ from: number, to: number }} Window  seconds since 1970
 */

const FIRST_BAD_STATUS = 400;

/** Sightings of which a part lies in the window. @type {(sightings: Sighting[], window: Window) => Sighting[]} */
export const seenIn = (sightings, window) =>
  sightings.filter(({ received, ended }) => (ended ?? received) > window.from && received < window.to);

/**
 * @param {Sighting[]} sightings
 * @returns {{ received: number, answered_ok: number, answered_error: number, aborted: number }}
 */
export function countsOf(sightings) {
  const answered = sightings.filter(({ outcome }) => outcome === 'answered');
  const ok = answered.filter(({ status }) => status !== null && status < FIRST_BAD_STATUS).length;
  return {
    received: sightings.length,
    answered_ok: ok,
    answered_error: answered.length - ok,
    aborted: sightings.filter(({ outcome }) => outcome === 'broken').length,
  };
}

/** What stands for the counts where no requests are on record. */
export const NOT_COUNTED = Object.freeze({ received: null, answered_ok: null, answered_error: null, aborted: null });

/**
 * @param {Sighting[]} sightings  of the window
 * @param {Message[]} others      that are about no single request
 * @param {Window} window
 * @returns {Message[]} in the order of time
 */
export function messagesOf(sightings, others, window) {
  const ofRequests = sightings.flatMap(({ own, asked }) => [...own, ...asked.flatMap(({ message }) => (message ? [message] : []))]);
  const ofService = others.filter(({ t }) => t >= window.from && t <= window.to);
  return [...ofRequests, ...ofService].sort((one, other) => one.t - other.t);
}

/**
 * @param {string} text  an address with or without scheme and port
 * @returns {string} the host alone
 */
export function bareAddress(text) {
  const host = text.replace(/^[a-z]+:\/\//i, '');
  const bracketed = /^\[([^\]]+)\]/.exec(host);
  if (bracketed) return bracketed[1];
  // An IPv6 address without brackets has several colons, and no port.
  return host.split(':').length === 2 ? host.slice(0, host.indexOf(':')) : host;
}

/** @type {(text: string, names: Map<string, string>) => string} the service at an address; the host where no service has it */
export const serviceAt = (text, names) => names.get(bareAddress(text)) ?? bareAddress(text);

/** @type {(values: { t: number, value: number }[]) => boolean} whether a counter is worth telling */
export const hasRisen = (values) => values.length > 1 && values[values.length - 1].value > values[0].value;
