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
  // What only its log tells.
  'heap-full': { title: 'had used up its heap' },
  'out-of-descriptors': { title: 'had no file descriptor left' },
  'out-of-threads': { title: 'could not start another thread' },
  'disk-full': { title: 'had no space left on its disk' },
  'name-not-found': { title: 'could not resolve a name' },
  'worker-timeout': { title: 'ended workers of its own that took too long' },
  'worker-killed': { title: 'lost workers that were killed' },
  'slots-taken': { title: 'had all its connection slots taken' },
  'no-callee': { title: 'had taken out every service behind it' },
  'callee-refused': { title: 'could not connect to a service behind it' },
  'callee-full': { title: 'was turned away by a service behind it that was full' },
  'callee-timeout': { title: 'gave up a service behind it that did not answer in time' },
  'callee-closed': { title: 'lost connections that a service behind it closed before it answered' },
  'statement-elsewhere': { title: 'asked for a prepared statement on a connection that did not have it' },
  'publishers-blocked': { title: 'blocked publishers because memory or disk ran short' },
});
