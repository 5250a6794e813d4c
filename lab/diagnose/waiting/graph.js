/**
 * What explains what at one place. Where an answer of one family and one of another are both supported there, and the first explains the second, the
 * second is only how the first shows. The relation is transitive and has no circle.
 *
 * @typedef {import('./text.js').Mechanism} Mechanism
 */

/** Causes by family. A question may say that its answers are of another one (questions.js). @type {Record<string, Mechanism[]>} */
export const FAMILIES = {
	absent: ['gone', 'paused', 'out-of-memory', 'stale-address', 'not-ready', 'workers-restarting'],
	outside: ['outside-failed', 'outside-slow'],
	names: ['name-unanswered', 'name-not-found'],
	lacks: ['out-of-descriptors', 'out-of-threads', 'heap-full', 'shared-memory-full'],
	disk: ['disk-full', 'publishers-blocked'],
	starved: ['cpu-throttled', 'cpu-taken'],
	busy: ['busy'],
	memory: ['memory-short'],
	'disk-wait': ['disk-wait'],
	lost: ['packets-lost'],
	held: ['lock', 'deliveries-held'],
	'pool-held': ['pool-held'],
	'pool-full': ['pool-full'],
	workers: ['workers-taken'],
	'workers-idle': ['workers-idle-connections'],
	'workers-ended': ['worker-timeout', 'worker-killed', 'worker-crashed'],
	slots: ['slots-taken'],
	ports: ['no-ports'],
	closed: ['keep-alive-race'],
	remembers: ['dead-connections', 'checks-failed', 'forgotten', 'no-callee'],
	given: ['given-before', 'not-shared'],
	code: ['deadlock', 'conflict', 'no-writes', 'login-refused'],
	statement: ['statement-unfit', 'statement-elsewhere'],
	certificate: ['certificate-expired', 'certificate-refused'],
	'turned-away': ['turned-away'],
	callee: ['callee-refused', 'callee-full', 'callee-timeout', 'callee-closed'],
	'not-read': ['not-read'],
	serial: ['held-by-one'],
	polled: ['polled'],
	limit: ['time-limit', 'many-calls'],
	unended: ['unended'],
	unconnected: ['accept-backlog-overflow', 'refused', 'unanswered', 'closed-unasked'],
	slow: ['own-wait', 'slow-kind'],
	hung: ['hung'],
	outcome: ['own-error', 'broken-off'],
};

/** Families that only some questions answer with. */
export const OF_QUESTIONS = /** @type {const} */ (['kept', 'overrun', 'stopped', 'throughout']);

/** @type {Record<string, string[]>} */
export const EXPLAINS = {
	absent: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended', 'names', 'remembers'],
	outside: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	names: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended', 'outside', 'remembers'],
	lacks: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended', 'workers-idle', 'absent', 'disk'],
	disk: ['absent'],
	starved: ['busy', 'pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	busy: [],
	memory: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended', 'disk-wait'],
	'disk-wait': ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	lost: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	'not-read': ['lost'],
	held: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended', 'starved', 'serial'],
	kept: ['serial'],
	polled: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	ports: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	remembers: ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	'pool-held': ['pool-full', 'workers', 'slots', 'turned-away', 'workers-ended'],
	'turned-away': ['pool-full', 'workers'],
	'pool-full': ['workers'],
	slots: ['workers'],
	workers: ['serial', 'overrun'],
	limit: ['serial'],
	serial: ['busy'],
	statement: ['code'],
};

/** Families that tell how failures show, and never why: all others explain them, and the earlier of these the later. */
export const SYMPTOMS = ['unconnected', 'outcome', 'slow', 'hung', 'throughout'];

/** What would be tried to tell one family from another that looks like it. @type {Record<string, string>} */
export const DECIDED_BY = {
	starved: 'more CPU for it',
	busy: 'a second container of it',
	memory: 'more memory for it',
	lacks: 'a higher limit',
	names: 'an address in the place of the name',
	held: 'the load without the client that held it',
	kept: 'the load without the client that held it',
	'pool-held': 'more connections in its pool',
	'pool-full': 'more connections in its pool',
	workers: 'more workers',
	'workers-idle': 'a shorter time for idle connections',
	slots: 'more connection slots',
	ports: 'more local ports',
	remembers: 'a restart of it',
	serial: 'the load without that kind of call',
	limit: 'a longer time limit',
	'turned-away': 'a higher limit',
};

/** @type {Map<Mechanism, string>} */
const FAMILY = new Map(Object.entries(FAMILIES).flatMap(([family, causes]) => causes.map((cause) => [cause, family])));

/** @param {Mechanism | null} cause  null: it stood there, and why is not known @returns {string} */
export const familyOf = (cause) => (cause === null ? 'slow' : /** @type {string} */ (FAMILY.get(cause)));

/** @type {Map<string, Set<string>>} */
const reached = new Map();

/** @param {string} family @returns {Set<string>} all that it explains, but for the symptoms */
function reachOf(family) {
	const known = reached.get(family);
	if (known) return known;
	const found = new Set();
	const left = [...(EXPLAINS[family] ?? [])];
	while (left.length > 0) {
		const next = /** @type {string} */ (left.pop());
		if (found.has(next)) continue;
		found.add(next);
		left.push(...(EXPLAINS[next] ?? []));
	}
	reached.set(family, found);
	return found;
}

/** @param {string} one @param {string} other  families @returns {boolean} */
export const explains = (one, other) =>
	one !== other && (SYMPTOMS.includes(other) ? SYMPTOMS.indexOf(one) < SYMPTOMS.indexOf(other) : reachOf(one).has(other));

/** @param {Mechanism | null} cause @returns {boolean} whether it tells how failures show, and not why */
export const isSymptom = (cause) => SYMPTOMS.includes(familyOf(cause));
