/**
 * Causes that following the waiting finds (lab/diagnose/waiting), in a system of any make: none of them asks which product stands there.
 */

/** Of what the wire does not show, and a service's own log does. */
const BY_LOG =
	'lines of its own log that are known to say this came one for one with the requests that failed there, and with no others; or the wire shows no reason, and they came more often than in calm seconds';

/** @type {Record<string, import('./causes.js').Cause>} */
const loggedCauses = {
	'certificate-expired': {
		title: 'it was refused, for its certificate had expired',
		rule: 'lines of the log of who asked it are known to say this and came one for one with the requests, for each of which that opened a connection to it that nobody else can read',
	},
	'certificate-refused': { title: 'it refused the certificate of a service behind it', rule: BY_LOG },
	'heap-full': { title: 'it had used up its heap', rule: BY_LOG, limit: true },
	'disk-full': { title: 'it had no space left on its disk', rule: BY_LOG, limit: true },
	'shared-memory-full': { title: 'it had no shared memory left (/dev/shm)', rule: BY_LOG, limit: true },
	'name-not-found': { title: 'it could not resolve a name', rule: BY_LOG },
	'workers-restarting': {
		title: 'it was starting its workers anew, and nobody took connections meanwhile',
		rule: 'connections waited to be accepted by it while it was idle, and its log has as many lines of workers that it started, from 2 s before each failed request until its end, as hardly ever in calm seconds',
	},
	'worker-timeout': { title: 'it ended workers of its own that took too long', rule: BY_LOG },
	'worker-killed': { title: 'it lost workers that were killed', rule: BY_LOG },
	'no-callee': { title: 'it had taken out every service behind it', rule: BY_LOG },
	'callee-refused': { title: 'it could not connect to a service behind it', rule: BY_LOG },
	'callee-full': { title: 'a service behind it that was full turned it away', rule: BY_LOG },
	'callee-timeout': { title: 'it gave up a service behind it that did not answer in time', rule: BY_LOG },
	'callee-closed': { title: 'it lost connections that a service behind it closed before it answered', rule: BY_LOG },
	'publishers-blocked': { title: 'it blocked publishers because memory or disk ran short', rule: BY_LOG, limit: true },
};

/** @type {Record<string, import('./causes.js').Cause>} */
export const waitedCauses = {
	...loggedCauses,
	'given-before': {
		title: 'it had given a client what another service refused afterwards',
		rule: 'the requests were refused at once by a service that answered others of the kind well in the same seconds; nearly all of them, and hardly any of those, came on a connection whose last earlier request of some kind this one had answered, where several do',
	},
	'not-shared': {
		title: 'it did not know what another of its kind had given to the same client',
		rule: 'it refused requests at once that came on a connection whose last earlier request of some kind, or one since, another one had answered which is asked for the same, and answered others of the kind well in the same seconds, nearly none of which did; neither the time since then nor the number of requests tells them apart as well',
	},
	'statement-elsewhere': {
		title: 'it asked for a prepared statement on a connection that did not have it',
		rule: 'it was answered with a code that says so (26000, 42P05, 1243): who hands on what others ask, in their protocol, is the one who chose the connection; or the requests ended there for no reason that the wire shows, and lines of its own log that are known to say this came one for one with them',
	},
	'login-refused': {
		title: 'it asked as a user, or with a password, that the other does not let in',
		rule: 'it was answered with a code that says so, such as 28P01, 1045 or WRONGPASS; where its log-ins had gone well before, it is the other’s doing',
	},
	'not-read': {
		title: 'it took nothing more of what its caller sends it',
		rule: 'requests stood in its caller, which was idle and waited for no answer, while on the wire it said again and again that it takes no more bytes of that (a window of zero), which it hardly did at calm moments',
		limit: true,
	},
	'own-wait': {
		title: 'it waited for something that is not on record, and gave up each time after as long',
		rule: 'calls of one kind were answered with an error after one length of time, of which good ones took a small part, while it waited for nobody that is seen and other kinds were answered as ever',
	},
	forgotten: {
		title: 'it answered nothing any more on connections that had been silent for long',
		rule: 'what came first on a connection after a silence of so long or longer got no answer, and nearly all else that it was asked in the same seconds did: a firewall, a NAT or a relay has forgotten the connection, and told neither end',
	},
	'no-writes': {
		title: 'it took no writes: it was a replica then, or read-only',
		rule: 'it answered with a code that says so, such as READONLY, 25006, 1836 or 10107',
	},
	'not-ready': {
		title: 'it was starting, stopping or recovering, and said so',
		rule: 'it answered with a code that says so, such as 57P03, 1053 or LOADING',
	},
	'out-of-threads': {
		title: 'it could not start another thread',
		rule: 'the kernel refused it a further process or thread, which it counts for the container, at least once for two failed requests, and hardly ever in calm seconds; or the requests ended there for no reason that the wire shows, and lines of its own log that are known to say this came one for one with them',
		limit: true,
	},
	'stale-address': {
		title: 'it asked an address that was another container’s by then',
		rule: 'its calls went to a service that it had never asked before, at an address that another one had held',
	},
	'closed-unasked': {
		title: 'it accepted connections and closed them before anything was asked',
		unarrived: 'request',
		rule: 'on the wire the connection was accepted and closed by the service before a byte of a question',
	},
	'slots-taken': {
		title: 'it had all its connection slots taken',
		rule: 'on the wire it closed connections as they came while as many were open as ever and never more, those of all its callers counted, or with those that it made itself; of connections that came then it took one in ten at most, and others while fewer were open; or its own log says so',
		limit: true,
	},
	'turned-away': {
		title: 'it turned requests away by a limit or a rule of its own',
		rule: 'it answered with an error at once, having asked nobody, where for good requests it asks others or answers well; the code is quoted',
		refusal: true,
		limit: true,
	},
	'many-calls': {
		title: 'it made many calls for each request, one after the other, of which none took long',
		rule: 'requests were in it that waited mostly for answers of another service, each of which took at most a tenth of the time that the requests took, and no longer than in calm seconds',
	},
	unended: {
		title: 'it began answers and did not end them',
		rule: 'its answers began, and nothing more of them came for most of the time until the caller closed the connection',
	},
	'checks-failed': {
		title: 'it took its callees out after its checks or calls of them had failed',
		rule: 'calls of it failed, of its own accord or for requests, and then it answered at once without having asked anybody; of calls for requests either a part, while others were answered well, or single ones, around which the callee answered all others',
	},
	polled: {
		title: 'it asked for something again and again without success, such as a lock or a result',
		rule: 'calls of one kind far more often for each failed request than for each in calm seconds, each answered at once and well, while it was idle and waited for nobody, until one length of time was over. Who asked the same last and has ended since is told beside it',
	},
	'statement-unfit': {
		title: 'it asked its database for what that does not have',
		rule: 'the database answered with a code that says that the statement does not fit: an unknown column, table or function, or no statement. Where such calls of the same caller had gone well before, the database is the place, which no longer has it',
	},
	'dead-connections': {
		title: 'it went on with connections that a service behind it had closed',
		rule: 'the service behind it had closed connections on which it was asked, more than were opened in their place; from then on it answered with an error at once, having asked nobody, where for good requests it asks',
	},
	'no-ports': {
		title: 'it had no local port left for connections',
		rule: 'within the 60 s for which Linux keeps a port after a connection is closed, it had closed as many connections to one callee as it has ports; the failed requests asked nobody',
		limit: true,
	},
	'cpu-throttled': {
		title: 'it was throttled, having used up its CPU quota',
		rule: 'the requests stood in it, which waited for nobody, and the kernel throttled it in a quarter of its periods and more then, in calm seconds in less than half of that',
		limit: true,
	},
	'cpu-taken': {
		title: 'it took the CPU that others needed',
		rule: 'the requests stood in a service that waited for nobody, the machine was full, and this neighbour, which is not on their way, used a quarter of a core and more beyond what it uses in calm seconds',
		limit: true,
	},
	'pool-held': {
		title: 'it held every connection of its pool and asked nothing on them',
		rule: 'the requests stood in it while four in five and more of its connections to one callee were in a transaction, or had an answer that it did not read to its end, and nothing was asked on them; or it failed them at once while each connection that it ever had was so, and hardly any good ones',
		limit: true,
	},
	'pool-full': {
		title: 'it had every connection of its pool in use',
		rule: 'the requests stood in it while nine in ten and more of its connections to one callee were asking, their number flat, and the callee answered as soon as in calm seconds; or it failed them at once while all were in use; or its own log has a line for each that says so',
		limit: true,
	},
	'workers-taken': {
		title: 'it had all its workers taken',
		rule: 'it worked on the same number of requests at most moments and never on more, each waiting for a callee that answered as soon as in calm seconds, while more stood before them; or its callees waited for it in a circle; or, while it used little CPU and waited for nobody, its answers, late ones too, came in the rhythm of few at a time, those of all or of such as waited while others of their kind did not, connections waited to be accepted while long calls of one kind went on, as many at most moments and never more, or it was asked more than it answered in the time for which its callers wait',
		limit: true,
	},
	'deliveries-held': {
		title: 'it kept messages that a broker had given it, and never acknowledged them',
		rule: 'the requests waited for what a broker pushes to their service, good ones had it and failed ones had not; this one took the messages that they send, never acknowledged as many as it ever had at a time, and was given no more; or it never acknowledged those of the failed requests',
		limit: true,
	},
	'workers-idle-connections': {
		title: 'its workers were held by connections that callers kept open and did not use',
		rule: 'connections waited to be accepted by it while callers kept connections open on which nothing was asked, and it waited for nobody',
		limit: true,
	},
	lock: {
		title: 'it let calls wait for a transaction that another client kept open',
		rule: 'calls stood in it that waited for nobody, and one transaction had been open before the jam and through it',
		limit: true,
	},
	deadlock: {
		title: 'it broke off transactions that waited for each other in a circle',
		rule: 'it answered with the code that it has for a deadlock',
	},
	conflict: {
		title: 'it broke off transactions that were in conflict with others',
		rule: 'it answered with the code that it has for a conflict of transactions, or of writes',
	},
	'held-by-one': {
		title: 'it answered nobody while it worked on one kind of call',
		rule: 'it answered nothing for stretches in which calls waited, and one kind of call was first in them far above its share of calls',
		limit: true,
	},
	'slow-kind': {
		title: 'it was slow for one kind of call alone',
		rule: 'calls of one kind took several times as long as in calm seconds, or as others, and waited for nobody',
		limit: true,
	},
	busy: {
		title: 'it was busy with itself',
		rule: 'the requests stood in it, which waited for nobody, and it used nine tenths of one core or of its quota and more, in calm seconds less',
		limit: true,
	},
	'time-limit': {
		title: 'it ended requests by a time limit of its own',
		rule: 'it gave a service behind it up after equal times, which answered well all the same, when nobody waited any more, after about the same time each, or never answered in much less; or it ended requests after equal times while it waited, or closed them without an answer as soon as the service behind it had answered well, and all that took less were answered. The service behind it took no longer than for such requests that went well; where none did, about the same time for each',
	},
	hung: {
		title: 'it answered nobody any more, though it was idle and waited for nobody',
		rule: 'it had answered requests of that kind, answered none that came after, used less than a tenth of a core and waited for nobody: a lock of its own, a pool whose connections were lost',
		limit: true,
	},
	'outside-failed': {
		title: 'its calls to a host outside of the stack failed',
		rule: 'the call that failed with the requests went to a host that is none of the stack',
	},
	'outside-slow': {
		title: 'it waited for a host outside of the stack',
		rule: 'the requests waited in it for a host that is none of the stack, which took longer than in calm seconds',
		limit: true,
	},
	'name-unanswered': {
		title: 'it could not look a name up, or waited for it',
		rule: 'a lookup of a name that was not answered, failed or took long lay in most of the failed requests and in few good ones; or sockets of its resolver waited, more than in calm seconds',
	},
	'memory-short': {
		title: 'it was short of memory',
		rule: 'the requests stood in it while its memory was near its limit and pages that had been thrown out came back from the disk, more than in calm seconds',
		limit: true,
	},
	'disk-wait': {
		title: 'it waited for the disk',
		rule: 'the requests stood in it while it read or wrote, and it or the machine waited for the disk, more than in calm seconds',
		limit: true,
	},
	unexplained: {
		title: 'why is not on record',
		rule: 'the requests ended or stood there, and what was read of the service does not say why',
	},
};
