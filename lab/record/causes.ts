/** The causes that a failed request can have, as reports name them, and how one comes to be placed there. */

import type { Signal } from '../base/signal.ts';
import type { Confirmation } from './probes.ts';
import { backAfter, cured, same } from './probes.ts';
import { it } from './titles.ts';
import type { Waited } from './waited-causes.ts';
import { waitedCauses, waitedRows } from './waited-causes.ts';

export type Cause = {
	/** in words, fit for "failed at the load balancer: <title>" */
	title: string;
	/** the title without its subject, where that is the place */
	ofIt?: string;
	/** how a failure comes to be placed here */
	rule: string;
	/** what, by this cause, was not taken or never arrived: others' records may know better */
	unarrived?: 'request' | 'answer';
	/** something there is of a limited number, and all of it was in use */
	limit?: boolean;
	/** the tier said no, by a rule or a limit of its own: nobody served the request, and nothing was lost */
	refusal?: boolean;
	/** of the service itself, evidence whichever request they are about */
	messages?: Signal[];
	/** of the kernel, in the tier's network namespace */
	counters?: string[];
	/** what a user can change; null where that depends on more than the cause */
	remedy: string | null;
	/** what would confirm it: a change, and what should come of it. None where no such change tells it from others */
	confirm: Confirmation[];
};

/** of a table, which may leave those two out */
export type Row = Omit<Cause, 'remedy' | 'confirm'> & Partial<Cause>;

/** a cause that following the waiting may find */
export type Found = {
	/** of a sentence whose subject is the place */
	predicate: string;
	/** what explains it, and what it explains (lab/diagnose/waiting/graph.ts) */
	family: string;
	/** cause of the ledger, where that is another */
	as?: string;
};

const TABLE = { remedy: 'Raise its limit of connections, or close those that idle sooner.', confirm: cured('one-user', 'knob') };
const ENDED = { remedy: 'See in its log why it ended, and let it be started again at once.', confirm: cured('fresh') };
const UNHEARD = {
	remedy: 'See that it listens at that address and port, and that no firewall rejects connections to it.',
	confirm: same('one-user'),
};
const BROKE = { remedy: 'See in its log why it breaks connections off, and correct it.' };
const IDLE = { remedy: 'Let it keep idle connections for longer than its callers do.', confirm: cured('knob') };
const POOL = { remedy: 'Give the pool more connections, or hold each of them for less time.', confirm: cured('one-user', 'knob') };
const NETWORK = { remedy: 'Correct the network between the two.', confirm: same('one-user') };

/** Of rules and of the walk alike. */
const both = {
	'worker-crashed': {
		predicate: 'lost a worker process, which ended of an error',
		family: 'workers-ended',
		title: 'one of its worker processes had crashed',
		rule: 'The connection broke within 2 s of a log line that says that one of its processes ended, and it has no record of the request. A proxy before it may have closed the connection without a line. Or: its own log has such a line for each request that it broke off',
		messages: ['worker-died'],
		remedy: 'See in its log what the process did when it crashed, and correct it.',
		confirm: cured('without-kind'),
	},
	refused: {
		predicate: 'refused connections',
		family: 'unconnected',
		...it('refused connections'),
		rule: "k6's error for the request says connection refused, and the tier's container ran. Nothing listened at that port, or a firewall's rule rejected the connection. The tier's own kernel counts a refusal as a reset (OutRsts); a firewall's rejection is not counted",
		counters: ['OutRsts'],
		...UNHEARD,
	},
	'keep-alive-race': {
		predicate: 'closed idle connections at the moment at which the next request was sent on them',
		family: 'closed',
		...it('closed an idle connection just as the next request was sent on it'),
		unarrived: 'request',
		rule: 'k6\'s error for the request is "server closed idle connection", on one that it had used before, with no sign of a full table, a crash or an overflow',
		...IDLE,
	},
	'accept-backlog-overflow': {
		predicate: 'did not accept the connections that waited, and had no room for more',
		family: 'unconnected',
		title: 'its queue of connections to be accepted overflowed',
		unarrived: 'request',
		rule: "Connecting timed out or was reset while the kernel counted overflows in this tier's network namespace; no more failures than it counted in that second",
		counters: ['ListenOverflows', 'ListenDrops', 'EmbryonicRsts'],
		limit: true,
		remedy: 'Let it accept connections sooner, such as by more workers, or let more of them wait.',
		confirm: cured('one-user', 'two-of-it'),
	},
	'out-of-descriptors': {
		predicate: 'was at its limit of open files, and each connection uses one',
		family: 'lacks',
		...it('ran out of file descriptors'),
		rule: 'It dropped a connection, left it unread, or could open none to the database, while its process was at its limit of open files (read once a second)',
		limit: true,
		remedy: 'Raise its limit of open files, or let it close idle connections.',
		confirm: cured('more-of-it'),
	},
	'out-of-memory': {
		predicate: 'was killed because its memory was used up',
		family: 'absent',
		title: 'the kernel killed it, because memory ran out',
		rule: "The tier's container, or a process of it, had ended, killed because memory ran out, within 2 s of the failure",
		limit: true,
		remedy: 'Give it more memory, or let it keep less for each request.',
		confirm: cured('more-of-it'),
	},
} satisfies Record<string, Row & Found>;

/** What the walk finds, and the ledger has a word of its own for (`as`), or one for each tier (ledger/waited.ts). */
const renamed = {
	gone: { predicate: 'was not there', family: 'absent' },
	paused: { predicate: 'was paused', family: 'absent', as: 'stood-still' },
	unanswered: { predicate: 'did not answer connection requests', family: 'unconnected', as: 'unreachable' },
	'packets-lost': { predicate: 'was reached only after packets had been lost and sent again', family: 'lost', as: 'unreachable' },
	'broken-off': { predicate: 'broke requests off without having asked anybody', family: 'outcome', as: 'broke-off' },
	'own-error': { predicate: 'answered with an error of its own', family: 'outcome' },
} satisfies Record<string, Found>;

/** why requests fail where following them ends */
export type Mechanism = keyof typeof both | keyof typeof renamed | Waited;

export const mechanisms: Record<Mechanism, Found> = { ...waitedRows, ...both, ...renamed };

const rows: Record<string, Row> = {
	'generator-exhausted': {
		title: 'the load generator ran out of file descriptors or ports',
		rule: "k6's error for the request says so (too many open files, cannot assign requested address); it never left the generator",
		remedy: 'Raise the generator’s limit of open files, or spread the load over more generators.',
		confirm: cured('one-user'),
	},
	'cut-at-end': {
		title: 'cut off when the load ended',
		rule: 'k6\'s error is "context canceled": the generator itself stopped waiting, and no tier has a record of the request',
	},
	'connection-table-full-idle': {
		title: 'its connection table was full, and it closed idle clients',
		rule: 'k6 lost the connection without an answer, and the balancer has no record of the request. The balancer said between 6 s before and 2 s after that its connection table was full. It says so once a second at most, and a user finds the closed connection only with the next request',
		messages: ['table-full-idle', 'table-full-new'],
		...TABLE,
	},
	'connection-table-full-new': {
		title: 'its connection table was full, and it closed new sockets',
		rule: 'The same, within 2 s of the log line that it closed new connections, and no more than it counts accepted but not handled',
		messages: ['table-full-new', 'table-full-idle'],
		...TABLE,
	},
	'connection-table-full-upstream': {
		title: 'its connection table was full, and it had no slot for a socket to a node',
		rule: 'The balancer answered 500 without asking a node, within 2 s of the log line that its connection table was full',
		messages: ['table-full-new'],
		...TABLE,
	},
	'no-live-upstream': {
		...it('had left out every node, and turned requests away'),
		rule: 'The balancer answered without asking a node and said that none was left for that request; the trigger is what made it leave out the last node',
		remedy: 'Correct what failed behind it, or let it leave a service out only after more failures.',
		confirm: backAfter('fresh'),
	},
	'balancer-refused': {
		...it('refused the request by its own rules'),
		rule: 'The balancer answered with an error of its own without asking a node',
		remedy: 'Raise the limit, or change the rule, by which it refuses requests.',
		confirm: cured('knob'),
	},
	'queue-full': {
		title: 'its queue to the nodes was full, or the request waited in it for too long',
		rule: "The balancer's own record of the request says so",
		refusal: true,
		remedy: 'Let more requests wait in it, or for longer, or add nodes behind it.',
		confirm: cured('one-user', 'knob'),
	},
	'balancer-exhausted': {
		...it('ran out of file descriptors or local ports'),
		rule: 'The balancer said for the request that it had no file descriptor or no local port left',
		messages: ['proxy_internal_error'],
		remedy: 'Raise its limit of open files, widen its range of local ports, or keep connections to nodes open.',
		confirm: cured('one-user'),
	},
	'balancer-down': {
		...it('was down'),
		rule: "The balancer's container was not running, or not yet serving, within 2 s of the failure",
		...ENDED,
	},
	shed: {
		...it('was too busy, and refused the request at once'),
		rule: 'The app answered 503 and logged for the request that it was overloaded: its event loop was late (SHED_DELAY_MS)',
		refusal: true,
		remedy: 'Give it more CPU or another container, or let it refuse later.',
		confirm: cured('one-user', 'two-of-it', 'more-of-it'),
	},
	'breaker-open': {
		title: 'its circuit breaker was open, and it refused the request at once',
		rule: 'The app answered 503 and logged for the request that its circuit breaker was open (BREAKER_TIMEOUT_MS). The trigger is that of the request whose failure opened the breaker. The app logged that request too, if it failed by its pool or by the database',
		refusal: true,
		remedy: 'Correct what the circuit breaker guards, for calls to that had failed.',
		confirm: backAfter('fresh'),
	},
	'sold-out': {
		title: 'nothing was left to sell',
		rule: 'The app answered 409, which is right when the stock is gone',
		refusal: true,
	},
	'not-there': {
		title: 'what was asked for is not there',
		rule: 'The app answered 404',
		refusal: true,
		remedy: 'Ask for what is there, or let the load create it first.',
		confirm: same('one-user'),
	},
	taken: {
		title: 'what was to be created is there already',
		rule: 'The app answered 409',
		refusal: true,
		remedy: 'Let each request create something of its own.',
		confirm: same('one-user'),
	},
	'upstream-refused': {
		...it('refused connections'),
		rule: "The balancer said for the request that its connection was refused, and the node's container ran. Nothing listened at that port, or a firewall's rule rejected the connection, as with the cause refused",
		counters: ['OutRsts'],
		...UNHEARD,
	},
	'broke-off': {
		...it('had read the request and broke off the connection'),
		rule: 'The tier has a record of the request and none of an answer, or its caller says so; its container ran',
		...BROKE,
	},
	'broke-connection': {
		...it('closed the connection without an answer'),
		rule: 'Its caller says so. It is not on record whether the tier had read the request, or the records contradict each other. For a proxy that closes some connections without a line this is only inferred',
		...BROKE,
	},
	'closed-unread': {
		...it('closed the connection before it had read the request'),
		unarrived: 'request',
		rule: 'The tier closed the connection on which the request was sent, and has no record of the request. No full table, crash or overflow explains that. The tier counted no request that it gave no answer and has no line of. Where its kernel counts resets (OutRsts), it counted some within 2 s: nobody read these bytes. A kept connection that is closed as idle looks like this',
		counters: ['OutRsts'],
		...IDLE,
	},
	'answer-lost': {
		title: 'its answer did not arrive',
		unarrived: 'answer',
		rule: 'The tier has logged that it answered. Its caller says that the connection broke, or gave up waiting. For a balancer this is only inferred: an answer without a stated length may have been cut behind it, and the balancer cannot see that',
		...BROKE,
	},
	'upstream-timeout': {
		...it('did not answer in time'),
		rule: 'Its caller gave up before an answer, as it reports or as the wire shows, and nothing on record says what the requests that stood in it waited for',
	},
	'invalid-answer': {
		...it('sent an answer that its caller could not take'),
		rule: 'The balancer, or k6, said that what it sent for the request is no HTTP, or has more header than the balancer takes',
		remedy: 'Correct what it answers, or let its caller take larger headers.',
		confirm: same('one-user', 'fresh'),
	},
	'stood-still': {
		...it('stood still'),
		rule: 'The request was there, or waited for another tier on its behalf, while the tier ran but kept no record for over 3 s (readings are taken once a second)',
		remedy: 'See what stopped it for so long, such as a pause, a garbage collection or a machine that swaps.',
	},
	'event-loop-busy': {
		title: 'its event loop was busy, and it served nothing else',
		rule: "By the node's log, the request waited for the database or for a pooled connection. For most of that time the node's event loop was busy (95 % and more) or blocked, and nothing had happened to the database. Or: the program had the request, and no more is on record of it",
		remedy: 'Move long computations out of its event loop, or add containers.',
		confirm: cured('one-user', 'two-of-it'),
	},
	'never-read': {
		...it('had not read the request when the client gave up'),
		unarrived: 'request',
		rule: 'The request was sent on a connection to the tier, and the tier has no record of it',
	},
	'app-crashed': {
		title: 'the app had crashed',
		rule: "The node's container was not running, or not yet serving, within 2 s of the failure. If a request was never connected to the node, the 2 s begin when the request began to wait",
		...ENDED,
		confirm: cured('without-kind', 'fresh'),
	},
	'app-error': {
		title: 'the app answered an error of its own',
		rule: 'The node answered the request with an error that does not come from the database driver',
		remedy: 'See the error in its log, and correct it.',
		confirm: [...same('one-user'), ...cured('without-kind')],
	},
	'pool-wait-timeout': {
		title: 'no pooled connection came free in time',
		rule: 'The pool gave up waiting for a connection that was free, and nothing had happened to the database',
		...POOL,
	},
	'pool-wait': {
		title: 'every pooled connection was in use',
		rule: "The request was waiting for a pooled connection when its client gave up, by the node's log",
		...POOL,
	},
	'pool-cleared': {
		title: 'the driver had cleared the pool',
		rule: 'The driver failed the checkout because it had cleared its pool after a network error',
		remedy: 'Remove the network error after which the driver cleared its pool.',
	},
	'database-refused': {
		...it('refused connections'),
		rule: "The app's connection failed while the database counted or logged refused connections; no more failures than it did at the time",
		remedy: 'See that it listens there, and that its limit of connections is not reached.',
	},
	'database-slow': {
		...it('did not answer in time'),
		rule: "The request was in the database when the driver, the circuit breaker of the node or the client gave up. The database's container ran. Or: the request waited for a pooled connection, and no connection came back for 3 s or more, or the database had used up its CPU quota. Or: the request failed because the pool was cleared when another request ran out of time",
		remedy: 'See what makes it slow, such as long queries, locks or too little CPU.',
	},
	'database-lost': {
		title: 'the connection to it broke',
		rule: 'The driver says that its connection broke or could not be made, and nothing that is recorded explains it',
	},
	'database-down': {
		...it('was down'),
		rule: 'The app lost the database, the queue or the cache while its container had ended, or did not yet serve again, or while it said that it was stopping',
		...ENDED,
	},
	'database-unreachable': {
		...it('could not be reached from the node, though it ran'),
		unarrived: 'request',
		rule: "The driver lost the database while its kernel had to send again, or the node's kernel to dial again, and the database answered its observer. Or: the database answered nobody while the kernels of the node and of the observer had to send or dial again",
		counters: ['TCPTimeouts'],
		...NETWORK,
	},
	'database-error': {
		...it('answered an error'),
		rule: 'The database answered a command with an error',
		remedy: 'Correct what it is asked: its answer says what is wrong with that.',
		confirm: same('one-user'),
	},
	'client-gave-up': {
		...it('was still working when the client gave up'),
		rule: "The user's time-out passed, or the load ended, while the request was in the tier's own code, by its log. Or: by the network, it was in the tier, which waited for nobody",
		remedy: 'Let the request do less work, or let its client wait for longer.',
	},
	unreachable: {
		title: 'no connection to it could be made',
		unarrived: 'request',
		rule: 'Connecting failed (no route, no such name, no answer), or what was sent did not arrive (the kernel sent it again), although its container ran and no overflow was counted',
		...NETWORK,
	},
	...both,
	...waitedCauses,
};

/** By id. */
export const causes: Record<string, Cause> = Object.fromEntries(
	Object.entries(rows).map(([id, row]) => [id, { remedy: null, confirm: [], ...row }]),
);
