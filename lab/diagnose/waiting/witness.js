/**
 * A line of the place's own log as the witness of why calls failed there. One for each of these, and for no other, is the reason: of a cause that is
 * known it is named, before all but a code on the wire and what explains that cause; else its words are quoted first. A line that is only as frequent
 * says why where nothing else does, or of what its mechanism leaves open.
 *
 * @typedef {import('./saying.js').Saying} Saying
 * @typedef {import('./step.js').Why} Why
 * @typedef {import('./text.js').Mechanism} Mechanism
 */

/** @type {Mechanism} */
export const CRASHED = 'worker-crashed';
/** @type {Mechanism[]} */
export const CERTIFICATES = ['certificate-expired', 'certificate-refused'];

/** Of which any line of its log may say more. @type {Set<Why['mechanism']>} */
const OPEN = new Set([null, 'hung']);
/** What it did, without a word of why. @type {Set<Why['mechanism']>} */
const OUTCOMES = new Set([...OPEN, 'own-error', 'broken-off', 'own-wait', 'slow-kind']);
/** Of what only tells that no answer came: what was so all the while tells why. @type {Set<Why['mechanism']>} */
const UNANSWERED = new Set(['held-by-one', 'slow-kind']);
/** It took no connections. @type {Set<Why['mechanism']>} */
const CLOSED = new Set(['closed-unasked', 'unanswered', 'accept-backlog-overflow']);
/** Of which a process ends. @type {Set<Mechanism>} */
const FATAL = new Set(['heap-full', 'out-of-threads', 'out-of-descriptors', 'disk-full']);
/** What it had no more of, or lost. @type {Set<Mechanism>} */
const OWN_LIMITS = new Set([
  ...FATAL,
  ...CERTIFICATES,
  'pool-full',
  'no-ports',
  'workers-taken',
  'worker-timeout',
  'worker-killed',
  CRASHED,
  'slots-taken',
]);
/** What is full, late or taken out because of something else. @type {Set<Mechanism>} */
const FOLLOWS = new Set([
  'pool-full',
  'workers-taken',
  'slots-taken',
  'turned-away',
  'worker-timeout',
  'worker-killed',
  'no-callee',
  'name-not-found',
]);
/** And of what, where that is found: what is not there, short of CPU, kept by somebody, or gone on with though it is dead. @type {Set<Why['mechanism']>} */
const EXPLAINS = new Set(
  /** @type {const} */ ([
    ...['gone', 'paused', 'out-of-memory', 'stale-address', 'outside-failed', 'outside-slow', 'workers-restarting'],
    ...['cpu-throttled', 'cpu-taken', 'memory-short', 'disk-wait', 'packets-lost'],
    ...['lock', 'deliveries-held', 'pool-held', 'polled'],
    ...['checks-failed', 'dead-connections', 'name-unanswered', 'no-ports', 'out-of-descriptors', 'out-of-threads'],
  ]),
);

/** What it says of whom it asks is no reason of its own: it points there. @param {Mechanism} cause */
const isOfCallee = (cause) => cause.startsWith('callee-');

/** Whether a line of a known cause says why. @param {Why} why @param {Saying} saying */
export function namesCause(why, { isOfPlace, cause, isOfThese, isState }) {
  const { mechanism, basis } = why;
  if (!isOfPlace || cause === null || cause === mechanism) return false;
  if (OPEN.has(mechanism) || isOfItself(mechanism, cause)) return true;
  if (isState && basis === 'inferred' && UNANSWERED.has(mechanism)) return true;
  return isOfThese && !isOfCallee(cause) && !why.isCoded && !(FOLLOWS.has(cause) && EXPLAINS.has(mechanism));
}

/**
 * Of what its mechanism leaves open: it took no more connections, for lack of what; it ended, of what.
 * @param {Why['mechanism']} mechanism @param {Mechanism} cause
 */
const isOfItself = (mechanism, cause) =>
  (CLOSED.has(mechanism) && OWN_LIMITS.has(cause)) ||
  // Each connection is a file.
  (mechanism === 'slots-taken' && cause === 'out-of-descriptors') ||
  // One code for both.
  (mechanism === 'disk-full' && cause === 'shared-memory-full') ||
  (mechanism === 'gone' && FATAL.has(cause));

/** The line whose words are quoted: it said the same of each of these, and nothing that is known tells more. @param {Why} why @param {Saying[]} said @returns {Saying | undefined} */
export const quotedOf = (why, said) => said.find((saying) => isQuoted(why, saying));

/** @param {Why} why @param {Saying} saying */
function isQuoted({ mechanism, isUnsaid = false, isCoded = false }, { isOfPlace, isOfThese, isThenAlone, cause, words }) {
  if (!isOfPlace || words === '' || isCoded) return false;
  // Where nothing is known, what it said then alone is the most that there is.
  if (!isOfThese && !(mechanism === null && isThenAlone)) return false;
  if (cause === null) return true;
  // What is known to be said of others it may have survived, and what was found says as much as a phrase of it.
  return (OUTCOMES.has(mechanism) || isUnsaid) && (cause === mechanism || isOfCallee(cause));
}
