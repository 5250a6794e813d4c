/**
 * A known trouble, for the self-test: how it is put into a system, and what the report has to say of it then. An adapter gives those of its
 * product, each of which is bound to a service of a user's system; those of the shipped systems name their services themselves
 * (shipped-faults.ts). What reads the record knows nothing of any: the fault reaches the containers alone.
 *
 * Doses must not depend on the machine: a limit is far below what any machine would need.
 */
export type Fault = Demand & Put;

/** what a fault has to make the diagnosis say */
export type Demand = {
	/** the causes of its failed requests; none: nothing may fail; left out: not asked */
	expected?: Expected[];
	/** failed requests that there must be, or the fault did not take; 1 unless given */
	least?: number;
	/** failed requests that must still be open at the end */
	unanswered?: number;
	/** the tier that must be named as the bottleneck; null: none; left out: not asked */
	saturated?: Tier | null;
	/** what must be said though it lost nothing */
	near_misses?: NearMiss[];
	validity?: 'VALID' | 'not VALID';
};

/** a failed request is right when one of these holds for it */
export type Expected = {
	tier: Tier;
	cause: string;
	/** any of these, where it is one of several */
	services?: string[];
	/** causes that may stand beside it as what made many failures of it */
	amplifiers?: string[];
	/** only where one of them does stand beside it */
	amplified?: boolean;
	/** of the load, in which the request ended; from its start unless given */
	from_s?: number;
	to_s?: number;
	/** it need not occur; one that must occur and does not is a miss */
	may?: boolean;
	/** only where the node wrote this of the very request into its output (app/lib/faults.js) */
	marked?: string;
};

/**
 * one of these ids in the ledger's near misses, at one of the services; at the one
 *  that the fault is of unless given
 */
type NearMiss = { ids: string[]; services?: string[] };

export type Action = {
	/** seconds from the load's start */
	after_s: number;
	service: string;
	action:
		| 'kill'
		| 'start'
		| 'stop'
		| 'restart'
		| 'pause'
		| 'unpause'
		| 'disconnect'
		| 'connect'
		| 'cut'
		| 'join'
		| 'lose'
		| 'lose-no-more'
		| 'delay'
		| 'delay-no-more'
		| 'crash-worker'
		| 'quota'
		| 'execute'
		| 'update'
		| 'drain'
		| 'activate';
	/** of `disconnect` and `connect`; the lab's own unless given */
	network?: string;
	/** of what is done to a way: the container at its other end */
	other?: string;
	/** of `quota`; with neither it nor a share the quota is again what it was */
	cores?: number;
	/** of `quota`: of what it was; of `lose` and `lose-no-more`: of the packets */
	share?: number;
	/** of `delay`: added to each round trip */
	delay_ms?: number;
	/** of `execute`: what is run in the container; anything but an end with 0 is an error */
	command?: string[];
	/** of `execute`: in which it has to end */
	limit_s?: number;
};

/** at least one of these says how it is put in, but for a control; all that are there are done */
export type Put = {
	/** a clause: "one connection to each server, and 1 ms in the queue" */
	title: string;
	/** of a file that a service reads */
	change?: Change;
	/** the whole command of the service, given what the lab would start it with, if anything; null where it cannot be told */
	command?: (command: string[] | undefined) => string[] | null;
	/** settings by the service's name, as Compose files spell them */
	services?: Record<string, object>;
	/** that the settings name beside the system's own */
	networks?: string[];
	/** of Compose */
	variables?: Record<string, string>;
	/** in the order of time */
	actions?: FaultAction[];
	/** asked inside the service before the load; otherwise: a clause that says why the fault cannot be put in, unless the command ends with 0 */
	needs?: { command: string[]; otherwise: string };
	/** a clause that says why it cannot be put in at all */
	cannot?: string;
	/** from which level on the product tells of it, and what, where the first does not do */
	reported?: { level: Level; gives: string };
};

/**
 * of any service of the product; id: among
 * those of the product: "queue-short"; near_misses that name no service are of that one
 */
export type ProductFault = Omit<Fault, 'expected'> & { id: string; expected: Attribution[]; least: number };

/**
 * short: part of the short form, that runs with the
 * tests
 */
type ShippedFault = Fault & { architecture: string; load: string; short?: boolean };

/** on one node, under a calm load, unless given */
export type WrittenFault = Omit<ShippedFault, 'architecture' | 'load'> & Partial<ShippedFault>;

/** a fault of a system of which runs are made */
export type PlannedFault = {
	/** the control, `<service>.<fault>`, or as the fault is called that names its services itself */
	id: string;
	title: string;
	/** of services by their names */
	demand: Demand;
	/** that it is of; empty where it names its services itself */
	service: string;
	/** null for the control */
	how: Put | null;
	/** a clause that says why it cannot be put in */
	cannot: string | null;
	/** at which its service is watched, 0 where it is of none; null where it is watched as the lab watches its own */
	level: Level | null;
	/** that it names itself; null: it is of the system that is tested, under its load */
	on: { architecture: string; load: string } | null;
	/** part of the short form */
	isShort: boolean;
	/** it may turn out not to fit the system, or the machine, which says nothing of the diagnosis */
	mayRefuse: boolean;
	/** the system may bear it, so that there is nothing to diagnose */
	mayBear: boolean;
};

/** a cause that counts as right */
type Attribution = {
	/** of the ledger's */
	cause: string;
	/** at whichever service of that tier; at the service itself unless given */
	tier?: Tier;
};

export type Change = {
	/** whose it is, where the fault is of none */
	service?: string;
	/** of the file, in the container; or of a folder, of all files in it */
	path: string;
	/** of the changed copy in the service's folder of the record */
	name: string;
	/** null where there is nothing to change */
	changed: (text: string) => string | null;
	/** a clause for that: "it names no server" */
	lacking: string;
};

type FaultMoment = {
	/** up: when the system is up, before the load; else the share of the load after which it is done */
	at: 'up' | number;
	/** whose container, where the fault is of none; else the first of its service */
	service?: string;
	/** of `execute`: share of the load for which it goes on */
	lasts?: number;
	/** of `execute`: run inside the container, and goes on for so long; has to end with 0 */
	command?: (seconds: number) => string[];
};

export type FaultAction = FaultMoment & Pick<Action, 'action' | 'network' | 'other' | 'cores' | 'share' | 'delay_ms'>;

import type { Level, Tier } from '../base/tier.ts';

/** What a run without a fault is called: what fails in it is no fault's. */
export const CONTROL = 'control';

/** How the ledger calls it that a container is not there, by its tier. */
const ENDED = ['app-crashed', 'balancer-down', 'database-down'];

/** Its first process gets SIGKILL, and with it the container ends. */
export const killed: ProductFault = {
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

/** What it answers is right and in time: it is the way to it that is bad. */
export const onTheWay: ProductFault[] = [
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
