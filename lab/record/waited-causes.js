/**
 * Causes that following the waiting finds (lab/diagnose/waiting), in a system of any make: none of them asks which product stands there.
 *
 * @import { Row } from './causes.js'
 */

import { backAfter, cured, same } from './probes.js';

const LEFT_OUT = {
	remedy: 'Correct what failed behind it, or let it leave a service out only after more failures.',
	confirm: backAfter('fresh'),
};

/** Of what the wire does not show, and a service's own log does. */
const BY_LOG =
	'lines of its own log that are known to say this came one for one with the requests that failed there, and with no others; or the wire shows no reason, and they came more often than in calm seconds';

/** @type {Record<string, Row>} */
const loggedCauses = {
	'certificate-expired': {
		title: 'it was refused, for its certificate had expired',
		rule: 'lines of the log of who asked it are known to say this and came one for one with the requests, for each of which that opened a connection to it that nobody else can read',
		remedy: 'Renew the certificate, and see that the clock is right.',
		confirm: same('one-user', 'fresh'),
	},
	'certificate-refused': {
		title: 'it refused the certificate of a service behind it',
		rule: BY_LOG,
		remedy: 'Let it trust who signed the certificate, or give the service one that is made out to its name.',
		confirm: same('one-user', 'fresh'),
	},
	'heap-full': {
		title: 'it had used up its heap',
		rule: BY_LOG,
		limit: true,
		remedy: 'Give its runtime a larger heap, or let it keep less.',
		confirm: backAfter('fresh'),
	},
	'disk-full': {
		title: 'it had no space left on its disk',
		rule: BY_LOG,
		limit: true,
		remedy: 'Free space on its disk, or give it a larger one.',
	},
	'shared-memory-full': {
		title: 'it had no shared memory left (/dev/shm)',
		rule: BY_LOG,
		limit: true,
		remedy: 'Give its container more shared memory.',
	},
	'name-not-found': {
		title: 'it could not resolve a name',
		rule: BY_LOG,
		remedy: 'Correct the name, or start the service that has it.',
		confirm: same('one-user', 'fresh'),
	},
	'workers-restarting': {
		title: 'it was starting its workers anew, and nobody took connections meanwhile',
		rule: 'connections waited to be accepted by it while it was idle, and its log has as many lines of workers that it started, from 2 s before each failed request until its end, as hardly ever in calm seconds',
		remedy: 'Let it restart its workers less often, or one after the other.',
		confirm: cured('knob'),
	},
	'worker-timeout': {
		title: 'it ended workers of its own that took too long',
		rule: BY_LOG,
		remedy: 'Give its workers more time, or let them do less for each request.',
		confirm: cured('knob'),
	},
	'worker-killed': {
		title: 'it lost workers that were killed',
		rule: BY_LOG,
		remedy: 'Give it more memory, or fewer workers.',
		confirm: cured('more-of-it'),
	},
	'no-callee': { title: 'it had taken out every service behind it', rule: BY_LOG, ...LEFT_OUT },
	'callee-refused': {
		title: 'it could not connect to a service behind it',
		rule: BY_LOG,
		remedy: 'See that the service behind it listens, and takes connections.',
	},
	'callee-full': {
		title: 'a service behind it that was full turned it away',
		rule: BY_LOG,
		remedy: 'Raise the limit of the service behind it, or ask it less often.',
		confirm: cured('one-user'),
	},
	'callee-timeout': {
		title: 'it gave up a service behind it that did not answer in time',
		rule: BY_LOG,
		remedy: 'See what makes the service behind it slow.',
	},
	'callee-closed': {
		title: 'it lost connections that a service behind it closed before it answered',
		rule: BY_LOG,
		remedy: 'Let the service behind it keep idle connections for longer than this one does.',
	},
	'publishers-blocked': {
		title: 'it blocked publishers because memory or disk ran short',
		rule: BY_LOG,
		limit: true,
		remedy: 'Give it more memory or disk, or let messages be taken from it sooner.',
	},
};

/** @type {Record<string, Row>} */
export const waitedCauses = {
	...loggedCauses,
	'given-before': {
		title: 'it had given a client what another service refused afterwards',
		rule: 'the requests were refused at once by a service that answered others of the kind well in the same seconds; nearly all of them, and hardly any of those, came on a connection whose last earlier request of some kind this one had answered, where several do',
		remedy: 'Let the services share what they give to a client, or send each client to one of them.',
		confirm: same('one-user'),
	},
	'not-shared': {
		title: 'it did not know what another of its kind had given to the same client',
		rule: 'it refused requests at once that came on a connection whose last earlier request of some kind, or one since, another one had answered which is asked for the same, and answered others of the kind well in the same seconds, nearly none of which did; neither the time since then nor the number of requests tells them apart as well',
		remedy: 'Let its containers share what they keep of a client, or send each client to one of them.',
		confirm: same('one-user'),
	},
	'statement-elsewhere': {
		title: 'it asked for a prepared statement on a connection that did not have it',
		rule: 'it was answered with a code that says so (26000, 42P05, 1243): who hands on what others ask, in their protocol, is the one who chose the connection; or the requests ended there for no reason that the wire shows, and lines of its own log that are known to say this came one for one with them',
		remedy: 'Let who hands statements on keep each client on one connection, or use no prepared statements.',
		confirm: cured('one-user'),
	},
	'login-refused': {
		title: 'it asked as a user, or with a password, that the other does not let in',
		rule: 'it was answered with a code that says so, such as 28P01, 1045 or WRONGPASS; where its log-ins had gone well before, it is the other’s doing',
		remedy: 'Make the user and the password the same on both sides.',
		confirm: same('one-user', 'fresh'),
	},
	'not-read': {
		title: 'it took nothing more of what its caller sends it',
		rule: 'requests stood in its caller, which was idle and waited for no answer, while on the wire it said again and again that it takes no more bytes of that (a window of zero), which it hardly did at calm moments',
		limit: true,
		remedy: 'Let it read on while it works, or send it less at a time.',
		confirm: cured('one-user'),
	},
	'own-wait': {
		title: 'it waited for something that is not on record, and gave up each time after as long',
		rule: 'calls of one kind were answered with an error after one length of time, of which good ones took a small part, while it waited for nobody that is seen and other kinds were answered as ever',
	},
	forgotten: {
		title: 'it answered nothing any more on connections that had been silent for long',
		rule: 'what came first on a connection after a silence of so long or longer got no answer, and nearly all else that it was asked in the same seconds did: a firewall, a NAT or a relay has forgotten the connection, and told neither end',
		remedy: 'Send something on silent connections now and then, or close them sooner.',
		confirm: backAfter('fresh'),
	},
	'no-writes': {
		title: 'it took no writes: it was a replica then, or read-only',
		rule: 'it answered with a code that says so, such as READONLY, 25006, 1836 or 10107',
		remedy: 'Send writes to the one that takes them.',
		confirm: same('one-user', 'fresh'),
	},
	'not-ready': {
		title: 'it was starting, stopping or recovering, and said so',
		rule: 'it answered with a code that says so, such as 57P03, 1053 or LOADING',
		remedy: 'Let its callers wait until it is ready, and ask again.',
	},
	'out-of-threads': {
		title: 'it could not start another thread',
		rule: 'the kernel refused it a further process or thread, which it counts for the container, at least once for two failed requests, and hardly ever in calm seconds; or the requests ended there for no reason that the wire shows, and lines of its own log that are known to say this came one for one with them',
		limit: true,
		remedy: 'Raise its limit of processes, or let it start fewer threads.',
		confirm: cured('one-user', 'more-of-it'),
	},
	'stale-address': {
		title: 'it asked an address that was another container’s by then',
		rule: 'its calls went to a service that it had never asked before, at an address that another one had held',
		remedy: 'Let it look the name up again when connections fail.',
		confirm: [...same('one-user'), ...cured('fresh')],
	},
	'closed-unasked': {
		title: 'it accepted connections and closed them before anything was asked',
		unarrived: 'request',
		rule: 'on the wire the connection was accepted and closed by the service before a byte of a question',
		remedy: 'See in its log why it closes connections, such as by a limit of their number.',
	},
	'slots-taken': {
		title: 'it had all its connection slots taken',
		rule: 'on the wire it closed connections as they came while as many were open as ever and never more, those of all its callers counted, or with those that it made itself; of connections that came then it took one in ten at most, and others while fewer were open; or its own log says so',
		limit: true,
		remedy: 'Raise its limit of connections, or let its callers hold fewer.',
		confirm: cured('one-user', 'knob'),
	},
	'turned-away': {
		title: 'it turned requests away by a limit or a rule of its own',
		rule: 'it answered with an error at once, having asked nobody, where for good requests it asks others or answers well; the code is quoted',
		refusal: true,
		limit: true,
		remedy: 'Raise its limit, or ask it less often.',
		confirm: cured('knob'),
	},
	'many-calls': {
		title: 'it made many calls for each request, one after the other, of which none took long',
		rule: 'requests were in it that waited mostly for answers of another service, each of which took at most a tenth of the time that the requests took, and no longer than in calm seconds',
		remedy: 'Ask for many things in one call, or make the calls at the same time.',
		confirm: same('one-user'),
	},
	unended: {
		title: 'it began answers and did not end them',
		rule: 'its answers began, and nothing more of them came for most of the time until the caller closed the connection',
	},
	'checks-failed': {
		title: 'it took its callees out after its checks or calls of them had failed',
		rule: 'calls of it failed, of its own accord or for requests, and then it answered at once without having asked anybody; of calls for requests either a part, while others were answered well, or single ones, around which the callee answered all others',
		...LEFT_OUT,
	},
	polled: {
		title: 'it asked for something again and again without success, such as a lock or a result',
		rule: 'calls of one kind far more often for each failed request than for each in calm seconds, each answered at once and well, while it was idle and waited for nobody, until one length of time was over. Who asked the same last and has ended since is told beside it',
		remedy: 'Let who holds the lock or the result give it sooner, or wait for it without asking again.',
	},
	'statement-unfit': {
		title: 'it asked its database for what that does not have',
		rule: 'the database answered with a code that says that the statement does not fit: an unknown column, table or function, or no statement. Where such calls of the same caller had gone well before, the database is the place, which no longer has it',
		remedy: 'Bring the database and the statements to the same version.',
		confirm: same('one-user', 'fresh'),
	},
	'dead-connections': {
		title: 'it went on with connections that a service behind it had closed',
		rule: 'the service behind it had closed connections on which it was asked, more than were opened in their place; from then on it answered with an error at once, having asked nobody, where for good requests it asks',
		remedy: 'Let it try a connection before it uses it, or open a new one in its place.',
		confirm: cured('fresh'),
	},
	'no-ports': {
		title: 'it had no local port left for connections',
		rule: 'within the 60 s for which Linux keeps a port after a connection is closed, it had closed as many connections to one callee as it has ports; the failed requests asked nobody',
		limit: true,
		remedy: 'Keep connections open for further requests, or widen its range of local ports.',
		confirm: cured('one-user', 'two-of-it', 'knob'),
	},
	'cpu-throttled': {
		title: 'it was throttled, having used up its CPU quota',
		rule: 'the requests stood in it, which waited for nobody, and the kernel throttled it in a quarter of its periods and more then, in calm seconds in less than half of that',
		limit: true,
		remedy: 'Raise its CPU quota, or let each request do less.',
		confirm: cured('one-user', 'two-of-it', 'more-of-it'),
	},
	'cpu-taken': {
		title: 'it took the CPU that others needed',
		rule: 'the requests stood in a service that waited for nobody, the machine was full, and this neighbour, which is not on their way, used a quarter of a core and more beyond what it uses in calm seconds',
		limit: true,
		remedy: 'Limit the CPU of this neighbour, or move it to another machine.',
		confirm: [...cured('without-bystander'), ...same('more-of-it')],
	},
	'pool-held': {
		title: 'it held every connection of its pool and asked nothing on them',
		rule: 'the requests stood in it while four in five and more of its connections to one callee were in a transaction, or had an answer that it did not read to its end, and nothing was asked on them; or it failed them at once while each connection that it ever had was so, and hardly any good ones',
		limit: true,
		remedy: 'Give each connection back before waiting for anything else, and after an error too.',
		confirm: backAfter('fresh'),
	},
	'pool-full': {
		title: 'it had every connection of its pool in use',
		rule: 'the requests stood in it while nine in ten and more of its connections to one callee were asking, their number flat, and the callee answered as soon as in calm seconds; or it failed them at once while all were in use; or its own log has a line for each that says so',
		limit: true,
		remedy: 'Give the pool more connections, or hold each of them for less time.',
		confirm: cured('one-user', 'knob'),
	},
	'workers-taken': {
		title: 'it had all its workers taken',
		rule: 'it worked on the same number of requests at most moments and never on more, each waiting for a callee that answered as soon as in calm seconds, while more stood before them; or its callees waited for it in a circle; or, while it used little CPU and waited for nobody, its answers, late ones too, came in the rhythm of few at a time, those of all or of such as waited while others of their kind did not, connections waited to be accepted while long calls of one kind went on, as many at most moments and never more, or it was asked more than it answered in the time for which its callers wait',
		limit: true,
		remedy: 'Give it more workers, or let each request hold one for less time.',
		confirm: cured('one-user', 'two-of-it', 'knob'),
	},
	'deliveries-held': {
		title: 'it kept messages that a broker had given it, and never acknowledged them',
		rule: 'the requests waited for what a broker pushes to their service, good ones had it and failed ones had not; this one took the messages that they send, never acknowledged as many as it ever had at a time, and was given no more; or it never acknowledged those of the failed requests',
		limit: true,
		remedy: 'Acknowledge each message when it is done, and after an error too.',
		confirm: backAfter('fresh'),
	},
	'workers-idle-connections': {
		title: 'its workers were held by connections that callers kept open and did not use',
		rule: 'connections waited to be accepted by it while callers kept connections open on which nothing was asked, and it waited for nobody',
		limit: true,
		remedy: 'Let it close idle connections sooner, or give it more workers.',
		confirm: cured('two-of-it', 'knob'),
	},
	lock: {
		title: 'it let calls wait for a transaction that another client kept open',
		rule: 'calls stood in it that waited for nobody, and one transaction had been open before the jam and through it',
		limit: true,
		remedy: 'Let the other client end its transaction sooner.',
		confirm: cured('without-kind', 'without-bystander'),
	},
	deadlock: {
		title: 'it broke off transactions that waited for each other in a circle',
		rule: 'it answered with the code that it has for a deadlock',
		remedy: 'Let all take locks in the same order, and try again what was broken off.',
		confirm: cured('one-user'),
	},
	conflict: {
		title: 'it broke off transactions that were in conflict with others',
		rule: 'it answered with the code that it has for a conflict of transactions, or of writes',
		remedy: 'Try again what was broken off, or let fewer write the same at a time.',
		confirm: cured('one-user'),
	},
	'held-by-one': {
		title: 'it answered nobody while it worked on one kind of call',
		rule: 'it answered nothing for stretches in which calls waited, and one kind of call was first in them far above its share of calls',
		limit: true,
		remedy: 'Make that kind of call shorter, or let another service take it.',
		confirm: cured('without-kind'),
	},
	'slow-kind': {
		title: 'it was slow for one kind of call alone',
		rule: 'calls of one kind took several times as long as in calm seconds, or as others, and waited for nobody',
		limit: true,
		remedy: 'See what that kind of call does, and let it do less.',
	},
	busy: {
		title: 'it was busy with itself',
		rule: 'the requests stood in it, which waited for nobody, and it used nine tenths of one core or of its quota and more, in calm seconds less',
		limit: true,
		remedy: 'Add a container of it, or let each request do less.',
		confirm: cured('one-user', 'two-of-it'),
	},
	'time-limit': {
		title: 'it ended requests by a time limit of its own',
		rule: 'it gave a service behind it up after equal times, which answered well all the same, when nobody waited any more, after about the same time each, or never answered in much less; or it ended requests after equal times while it waited, or closed them without an answer as soon as the service behind it had answered well, and all that took less were answered. The service behind it took no longer than for such requests that went well; where none did, about the same time for each',
		remedy: 'Let its time limit be longer, or make quicker what it waits for.',
		confirm: cured('knob'),
	},
	hung: {
		title: 'it answered nobody any more, though it was idle and waited for nobody',
		rule: 'it had answered requests of that kind, answered none that came after, used less than a tenth of a core and waited for nobody: a lock of its own, a pool whose connections were lost',
		limit: true,
		remedy: 'See what its threads wait for while it hangs, and correct it.',
		confirm: backAfter('fresh'),
	},
	'outside-failed': {
		title: 'its calls to a host outside of the stack failed',
		rule: 'the call that failed with the requests went to a host that is none of the stack',
		remedy: 'See why the host outside fails, or do without its answer.',
	},
	'outside-slow': {
		title: 'it waited for a host outside of the stack',
		rule: 'the requests waited in it for a host that is none of the stack, which took longer than in calm seconds',
		limit: true,
		remedy: 'Ask the host outside less often, or keep its answers.',
	},
	'name-unanswered': {
		title: 'it could not look a name up, or waited for it',
		rule: 'a lookup of a name that was not answered, failed or took long lay in most of the failed requests and in few good ones; or sockets of its resolver waited, more than in calm seconds',
		remedy: 'See why names are not resolved, or keep them once they are.',
	},
	'memory-short': {
		title: 'it was short of memory',
		rule: 'the requests stood in it while its memory was near its limit and pages that had been thrown out came back from the disk, more than in calm seconds',
		limit: true,
		remedy: 'Give it more memory, or let it keep less for each request.',
		confirm: cured('more-of-it'),
	},
	'disk-wait': {
		title: 'it waited for the disk',
		rule: 'the requests stood in it while it read or wrote, and it or the machine waited for the disk, more than in calm seconds',
		limit: true,
		remedy: 'Give it a faster disk, or let it read and write less.',
	},
	unexplained: {
		title: 'why is not on record',
		rule: 'the requests ended or stood there, and what was read of the service does not say why',
	},
};
