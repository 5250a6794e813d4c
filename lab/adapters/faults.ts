/**
 * A known trouble, for the self-test: how it is put into a system, and what the report has to say of it then. An adapter gives those of its
 * product, each of which is bound to a service of a user's system; those of the shipped systems name their services themselves
 * (shipped-faults.ts). What reads the record knows nothing of any: the fault reaches the containers alone.
 *
 * Doses must not depend on the machine: a limit is far below what any machine would need.
 *
 * @typedef {Demand & Put} Fault
 *
 * @typedef {object} Demand        what a fault has to make the diagnosis say
 * @property {Expected[]} [expected]         the causes of its failed requests; none: nothing may fail; left out: not asked
 * @property {number} [least]                failed requests that there must be, or the fault did not take; 1 unless given
 * @property {number} [unanswered]           failed requests that must still be open at the end
 * @property {Tier | null} [saturated]       the tier that must be named as the bottleneck; null: none; left out: not asked
 * @property {NearMiss[]} [near_misses]      what must be said though it lost nothing
 * @property {'VALID' | 'not VALID'} [validity]
 *
 * @typedef {object} Expected       a failed request is right when one of these holds for it
 * @property {Tier} tier
 * @property {string} cause
 * @property {string[]} [services]  any of these, where it is one of several
 * @property {string[]} [amplifiers] causes that may stand beside it as what made many failures of it
 * @property {boolean} [amplified]  only where one of them does stand beside it
 * @property {number} [from_s]      of the load, in which the request ended; from its start unless given
 * @property {number} [to_s]
 * @property {boolean} [may]        it need not occur; one that must occur and does not is a miss
 * @property {string} [marked]      only where the node wrote this of the very request into its output (app/lib/faults.js)
 *
 * @typedef {{ ids: string[], services?: string[] }} NearMiss  one of these ids in the ledger's near misses, at one of the services; at the one
 *   that the fault is of unless given
 *
 * @typedef {object} Action
 * @property {number} after_s       seconds from the load's start
 * @property {string} service
 * @property {'kill' | 'start' | 'stop' | 'restart' | 'pause' | 'unpause' | 'disconnect' | 'connect' | 'cut' | 'join' | 'lose' | 'lose-no-more' | 'delay' | 'delay-no-more' | 'crash-worker' | 'quota' | 'execute' | 'update' | 'drain' | 'activate'} action
 * @property {string} [network]     of `disconnect` and `connect`; the lab's own unless given
 * @property {string} [other]       of what is done to a way: the container at its other end
 * @property {number} [cores]       of `quota`; with neither it nor a share the quota is again what it was
 * @property {number} [share]       of `quota`: of what it was; of `lose` and `lose-no-more`: of the packets
 * @property {number} [delay_ms]    of `delay`: added to each round trip
 * @property {string[]} [command] of `execute`: what is run in the container; anything but an end with 0 is an error
 * @property {number} [limit_s]   of `execute`: in which it has to end
 *
 * @typedef {object} Put               at least one of these says how it is put in, but for a control; all that are there are done
 * @property {string} title            a clause: "one connection to each server, and 1 ms in the queue"
 * @property {Change} [change]         of a file that a service reads
 * @property {(command: string[] | undefined) => string[] | null} [command]  the whole command of the service, given what the lab would start
 *   it with, if anything; null where it cannot be told
 * @property {Record<string, object>} [services]  settings by the service's name, as Compose files spell them
 * @property {string[]} [networks]     that the settings name beside the system's own
 * @property {Record<string, string>} [variables]  of Compose
 * @property {FaultAction[]} [actions] in the order of time
 * @property {{ command: string[], otherwise: string }} [needs]  asked inside the service before the load; otherwise: a clause that says why the
 *   fault cannot be put in, unless the command ends with 0
 * @property {string} [cannot]         a clause that says why it cannot be put in at all
 * @property {{ level: Level, gives: string }} [reported]  from which level on the product tells of it, and what, where the first does not do
 *
 * @typedef {Omit<Fault, 'expected'> & { id: string, expected: Attribution[], least: number }} ProductFault  of any service of the product; id: among
 *   those of the product: "queue-short"; near_misses that name no service are of that one
 *
 * @typedef {Fault & { architecture: string, load: string, short?: boolean }} ShippedFault  short: part of the short form, that runs with the
 *   tests
 *
 * @typedef {Omit<ShippedFault, 'architecture' | 'load'> & Partial<ShippedFault>} WrittenFault  on one node, under a calm load, unless given
 *
 * @typedef {object} PlannedFault      a fault of a system of which runs are made
 * @property {string} id               the control, `<service>.<fault>`, or as the fault is called that names its services itself
 * @property {string} title
 * @property {Demand} demand  of services by their names
 * @property {string} service          that it is of; empty where it names its services itself
 * @property {Put | null} how          null for the control
 * @property {string | null} cannot    a clause that says why it cannot be put in
 * @property {Level | null} level      at which its service is watched, 0 where it is of none; null where it is watched as the lab watches its own
 * @property {{ architecture: string, load: string } | null} on  that it names itself; null: it is of the system that is tested, under its load
 * @property {boolean} isShort         part of the short form
 * @property {boolean} mayRefuse       it may turn out not to fit the system, or the machine, which says nothing of the diagnosis
 * @property {boolean} mayBear         the system may bear it, so that there is nothing to diagnose
 *
 * @typedef {object} Attribution             a cause that counts as right
 * @property {string} cause            of the ledger's
 * @property {Tier} [tier]             at whichever service of that tier; at the service itself unless given
 *
 * @typedef {object} Change
 * @property {string} [service]        whose it is, where the fault is of none
 * @property {string} path             of the file, in the container; or of a folder, of all files in it
 * @property {string} name             of the changed copy in the service's folder of the record
 * @property {(text: string) => string | null} changed  null where there is nothing to change
 * @property {string} lacking          a clause for that: "it names no server"
 *
 * @typedef {object} FaultMoment
 * @property {'up' | number} at        up: when the system is up, before the load; else the share of the load after which it is done
 * @property {string} [service]        whose container, where the fault is of none; else the first of its service
 * @property {number} [lasts]          of `execute`: share of the load for which it goes on
 * @property {(seconds: number) => string[]} [command]  of `execute`: run inside the container, and goes on for so long; has to end with 0
 *
 * @typedef {FaultMoment & Pick<Action, 'action' | 'network' | 'other' | 'cores' | 'share' | 'delay_ms'>} FaultAction
 *
 *
 * @import { Level, Tier } from './contract.ts'
 */

/** What a run without a fault is called: what fails in it is no fault's. */
export const CONTROL = 'control';

/** How the ledger calls it that a container is not there, by its tier. */
const ENDED = ['app-crashed', 'balancer-down', 'database-down'];

/** Its first process gets SIGKILL, and with it the container ends. @type {ProductFault} */
export const killed = {
	id: 'killed',
	title: 'its container killed with SIGKILL at 40 % of the load',
	expected: ENDED.map((cause) => ({ cause })),
	least: 1,
	actions: [{ at: 0.4, action: 'kill' }],
};

/** In the place of the name of a service: the first that asks it. */
export const CALLER = '(caller)';

/** Of what can be lost on its way the most that still lets some through, so that nobody is told that nothing is there. */
const LOST = 0.7;
/** Longer than most wait for an answer of a database. */
const DELAYED_MS = 1500;

/** What it answers is right and in time: it is the way to it that is bad. @type {ProductFault[]} */
export const onTheWay = [
	{
		id: 'packets-lost',
		title: `${LOST * 100} % of the packets between it and who asks it first lost for a fifth of the load, in each direction`,
		expected: ['unreachable', 'database-unreachable'].map((cause) => ({ cause })),
		least: 1,
		actions: [
			{ at: 0.4, action: 'lose', other: CALLER, share: LOST },
			{ at: 0.6, action: 'lose-no-more', other: CALLER, share: LOST },
		],
	},
	{
		id: 'packets-delayed',
		title: `each round trip between it and who asks it first takes ${DELAYED_MS / 1000} s longer for a fifth of the load`,
		expected: ['unreachable', 'database-unreachable'].map((cause) => ({ cause })),
		least: 1,
		actions: [
			{ at: 0.4, action: 'delay', other: CALLER, delay_ms: DELAYED_MS },
			{ at: 0.6, action: 'delay-no-more', other: CALLER },
		],
	},
];
