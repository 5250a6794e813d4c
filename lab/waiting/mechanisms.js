/**
 * Why requests fail at the place where they do, as far as the wire and what was read beside it can tell, in the order in which it is asked.
 * The title ends a sentence that begins with the place.
 *
 * @typedef {keyof typeof MECHANISMS} Mechanism
 */
export const MECHANISMS = /** @type {const} */ ({
  'keep-alive-race': { title: 'closed idle connections at the moment at which the next request was sent on them' },
  'stale-address': { title: 'asked an address that was another container’s by then' },
  gone: { title: 'was not there' },
  paused: { title: 'was paused' },
  'out-of-memory': { title: 'was killed because its memory was used up' },
  refused: { title: 'refused connections' },
  unanswered: { title: 'did not answer connection requests' },
  'closed-unasked': { title: 'accepted connections and closed them before anything was asked' },
  'turned-away': { title: 'turned requests away' },
  'checks-failed': { title: 'took its callees out after its own checks of them had failed' },
  'no-ports': { title: 'had no local port left for connections' },
  'cpu-throttled': { title: 'was throttled: it had used up its CPU quota' },
  'cpu-taken': { title: 'took the CPU that others needed' },
  'pool-held': { title: 'held every connection of its pool and asked nothing on them' },
  'pool-full': { title: 'had every connection of its pool in use' },
  'workers-taken': { title: 'had all its workers taken' },
  'workers-idle-connections': { title: 'had its workers held by connections that callers kept open and did not use' },
  lock: { title: 'let calls wait for a transaction that another client kept open' },
  'held-by-one': { title: 'answered nobody while it worked on one kind of call' },
  'slow-kind': { title: 'was slow for one kind of call alone' },
  busy: { title: 'was busy with itself' },
  'broken-off': { title: 'broke requests off without having asked anybody' },
  'own-error': { title: 'answered with an error of its own' },
});
