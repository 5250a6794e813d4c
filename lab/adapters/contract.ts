/**
 * What an adapter gives the lab: the only code that knows a product. The engine asks for nothing else, and speaks of what
 * happened in the words of this file alone.
 *
 * A service that requests pass is a hop. What a hop recorded of one request is a sighting; sightings of several hops are joined
 * by the id that the request carries (`X-Request-Id`).
 */

import type { Signal } from '../base/signal.ts';
import type { Level, Tier } from '../base/tier.ts';
import type { Attempt } from './attempt.ts';
import type { Configuration } from './configuration.ts';
import type { ProductFault } from './faults.ts';

export type Extent = 'full' | 'partial' | 'none';

/** a service as Compose has resolved it */
export type ServiceModel = {
	/** its name */
	service: string;
	/** empty where it is built */
	image: string;
	/** entrypoint and command together; empty where the image's own are used */
	command: string[];
	/** names and values; never recorded or shown */
	environment: Record<string, string>;
	/** that it listens on: exposed or published, as far as the file says */
	ports: number[];
	/** services */
	dependsOn: string[];
	mounts: { source: string; target: string; type: string; readOnly: boolean }[];
	networks: string[];
	replicas: number;
	/** places in its container where files of the user's lie that are not mounted; for a guess alone */
	files?: string[];
};

export type Detection = {
	tier: Tier;
	/** one clause: what in the service says so ("image haproxy:2.6") */
	reason: string;
};

/** what can be known of the service at a level */
export type Watch = {
	level: Level;
	/** one sentence: what the report can say then */
	gives: string;
	/** what it takes: a line that the service's own configuration must have, or consent */
	needs?: string;
};

/** merged into the generated overlay under the service's name */
export type OverlayPart = {
	environment?: Record<string, string>;
	command?: string[];
	/** sources that begin with `raw:` are the service's own: to write, what is taken into the record after the run; read-only, the changed copy of its configuration */
	mounts?: { source: string; target: string; readOnly: boolean }[];
};

/** a running container, as an adapter may ask it */
export type Container = {
	service: string;
	/** on the project's network */
	address: string;
	/** inside it */
	execute: (command: string[], limitMs: number) => Promise<{ exitCode: number; output: string }>;
};

/** what was recorded of one service */
export type Files = {
	/** the container's output, each line with the engine's time before it, and of a shipped service then what it wrote into the record itself, each line with its own */
	log: string;
	/** what `sample` gave, once a second, in the order of time */
	samples: any[];
	/** a file of the service's own folder in the record, or of a shipped service one beside those folders; empty where it is not there */
	file: (name: string) => string;
	/** names of files that it has in the record beside the services' folders: what it or an observer wrote there */
	beside?: readonly string[];
};

/** what the adapter may know beside the record */
export type About = {
	service: string;
	tier: Tier;
	level: Level;
	/** address (without port) and container name to service */
	names: Map<string, string>;
	/** of the load, seconds since 1970 */
	window: { from: number; to: number };
	/** of a shipped service: ids of requests that are kept */
	wanted?: { has: (id: string) => boolean };
	/** of a shipped service: addresses of the lab's own, who are no clients */
	observers?: string[];
};

/** one thing that a service said */
export type Message = {
	signal: Signal;
	/** seconds since 1970 */
	t: number;
	/** the line, as it was written */
	text: string;
	/** the service behind that it speaks of */
	to?: string;
	/** where it stands, where that is not the log */
	source?: string;
};

/** an attempt to ask a service behind */
export type UpstreamAttempt = {
	/** the service; the address where no service has it */
	to: string;
	/** of its answer */
	status: number | null;
	connected: boolean;
	/** why it failed */
	message: Message | null;
	/** where the record tells */
	took_s?: number;
};

/** what a hop recorded of one request */
export type RequestRecord = {
	/** the hop */
	service: string;
	/** empty where the log has none */
	id: string;
	/** seconds since 1970 */
	received: number;
	/** null: its record ends first */
	ended: number | null;
	/** broken: closed without a whole answer */
	outcome: 'answered' | 'broken' | 'open';
	/** that it sent */
	status: number | null;
	/** name of an error that it gave for it; else empty */
	error: string;
	/** where in it the request was when it broke, in its own parts; else empty */
	place: string;
	/** services behind, in their order */
	asked: UpstreamAttempt[];
	/** what it said of the request as a whole */
	own: Message[];
	/** it had the request for so long, of which services behind had it, of which connecting to them took; where the record tells */
	took_ms?: { whole: number; behind: number; connect: number };
};

/** a time in which a service behind was left out */
export type Ejection = {
	/** the service */
	node: string;
	/** seconds since 1970 */
	from: number;
	to: number;
	/** why the attempt failed that set it off; null where that is not on record */
	trigger: Signal | null;
	/** that says so; else the one that says that it was left out */
	line: string;
	/** id of the request whose attempt it was */
	request: string | null;
};

/** something that can run full */
export type Limit = {
	/** "connection slots", "server connections" */
	resource: string;
	size: number;
	/** measured */
	used: { t: number; used: number }[];
	/** connections unless given */
	unit?: string;
	/** it is room, and no places: who finds it full is turned away or crowds others out, and waits for nobody */
	fills?: boolean;
	/** from here on it is as good as used up; its size unless given */
	full?: number;
};

/** what a service recorded, in neutral words */
export type HopRecord = {
	service: string;
	tier: Tier;
	product: string;
	/** requests: each is on record, with its id; reasons: every failure of its own leaves a message; limits: what can run full is watched */
	coverage: { requests: Extent; reasons: Extent; limits: Extent };
	/** what is not covered and why, what weighs most first: the one sentence that is shown ("Redis knows no requests") */
	uncovered: string[];
	/** of the counts ("access log") */
	source: string;
	/** of `received`, where it is another one */
	received_source?: string;
	/** where its messages stand ("error log") */
	log_source?: string;
	/** requests in the window */
	received: number | null;
	answered_ok: number | null;
	answered_error: number | null;
	aborted: number | null;
	/** services of several containers that it asked by the name that they have in common: its record does not say which of them (the engine's own; no adapter gives it) */
	asked_by_name?: string[];
	/** its record says of requests, and not whom it asked for them: errors alone name somebody */
	hides_asked?: boolean;
	/** of the window */
	requestRecords: RequestRecord[];
	/** of the window, whichever request they are about, in the order of time */
	messages: Message[];
	/** that only grow and that a rule asks for, as sampled; named by a signal where one fits */
	counters: Record<string, { t: number; value: number }[]>;
	/** where they stand */
	counters_source?: string;
	/** nobody but the load asks it, so that all that it counted is the load's */
	only_load?: boolean;
	limits: Limit[];
	/** where it tells more of them than its messages `ejected` and `reinstated` */
	ejections?: Ejection[];
	/** how long it leaves a service out */
	ejected_s?: number;
	/** what it wrote of itself once a second as long as it found time for it */
	heartbeat?: Heartbeat[];
	/** where a service behind breaks off, it may close its client's connection without an answer or a line Of a shipped service that is read before the load's window is known: */
	silent_close?: boolean;
	/** requests that are wanted, by id */
	attempts?: Map<string, Attempt[]>;
	/** when it received a request of the generator's once more */
	repeated?: number[];
	/** requests that it has by an id of the generator's, wanted or not */
	identified?: number;
	/** of a store, in the order of time */
	readings?: StoreReading[];
	/** when it logged that it refused a connection */
	refused?: number[];
	/** when it logged that it was told to stop: it answers what it then interrupts with an error */
	stopping?: number[];
};

/** what the lab asks inside the container of a shipped system's proxy */
type Inside = {
	/** of its configurations, at the top of the repository */
	folder: string;
	/** that it runs, and how many connections its table has */
	conf: { file: string; command: (entrypoint: string[]) => string[]; slots: (answer: string) => number | null };
	/** of its connections: asked at the start, before the load and after it */
	totals: { file: string; command: string[]; parse: (answer: string) => object | null };
};

/** a program's word of itself; counters since it began */
export type Heartbeat = {
	t: number;
	/** `start`, `tick`, `stop` */
	event?: string;
	received: number;
	/** by class of status: `2xx` */
	answered: Record<string, number>;
	/** their caller hung up before the answer was out */
	aborted: number;
	in_flight: number;
	/** by the error's name */
	errors: Record<string, number>;
	/** sums over good answers: `count`, `handler`, `pool`, `database` */
	ok_ms: Record<string, number>;
	/** what it counts beside that */
	own?: Record<string, number>;
	/** of the second, in which what takes up its work had no rest */
	busy_share: number;
	/** by which it took up its work too late */
	late_ms?: { max: number };
	max_pool_size?: number;
	versions?: Record<string, string>;
	/** of its connections to a store */
	pool: Pool | null;
};

type Pool = {
	/** connections that it handed out */
	checkouts: number;
	/** for which these were waited for, in all */
	wait_ms: number;
	/** those that it did not hand out, by the error's name */
	failed: Record<string, number>;
	/** how often it was cleared */
	cleared: number;
	/** now */
	in_use: number;
	/** requests, now */
	waiting: number;
};

/** what a program that makes the load says of it */
export type Program = {
	/** its name */
	program: string;
	/** seconds since 1970, by the container itself: starting a process in it is not counted */
	began_s: number;
	ended_s: number;
	/** one for each file */
	writers: Writer[];
};

export type Writer = {
	file: string;
	threads: number;
	/** that it was told to make */
	inserts: number;
	/** that it took, as it says itself; null when it did not say */
	seconds: number | null;
	/** records that its file holds afterwards; null when the file could not be read */
	stored: number | null;
	exit_code: number;
};

/** of what it has printed so far */
export type ProgramReader = {
	/** exit codes in the order of the files */
	span: (text: string) => { began_s: number | null; ended_s: number | null; exitCodes: number[] };
	/** done: the share of its work, 0 to 1 */
	writer: (text: string) => { seconds: number | null; done: number };
	stored: (text: string) => number | null;
};

/** what a store of a shipped system is called in figures and how it is asked */
export type Store = {
	/** that counts ("mongod") */
	program: string;
	/** of its counts */
	source: string;
	/** its counters of operations */
	operations: string;
	/** after a network error a client looks for a server for as long as this unless told otherwise */
	search_s: number;
	/** it tries its server as often */
	retry_s: number;
};

/** taken once a second, and when the load is over; without what it did not answer. Counters since it began */
export type StoreReading = {
	t: number;
	/** of the store, where there are several */
	name?: string;
	/** `stop`: the last */
	event?: string;
	/** whose members have copies of the same documents */
	set?: string;
	/** refused: since it began, where it counts them */
	connections?: { open: number; free: number; refused?: number };
	operations?: { insert: number; query?: number; update?: number; delete?: number };
	worked?: { reads: Worked; writes: Worked };
	journal_bytes?: number;
	documents?: number;
	/** counted one by one */
	documents_exact?: number;
};

/** operations, and microseconds that it worked on them */
type Worked = { us: number; count: number };

export type Adapter = {
	product: string;
	/** "HAProxy" */
	title: string;
	detect: (service: ServiceModel) => Detection | null;
	/** what each level gives, the lowest first */
	watches: (service: ServiceModel) => Watch[];
	overlay: (service: ServiceModel, level: Level) => OverlayPart;
	/** of a store: what to set so that what it acknowledged outlives its process, as a clause without its full stop */
	durable?: string;
	/** asked inside the container; the pattern's first group. component: what the versions of a shipped system's run call it, its product unless given */
	version: { command: string[]; pattern: RegExp; component?: string } | null;
	/** asked once a second, must answer within a second; null: nothing */
	sample: ((container: Container) => Promise<object | null>) | null;
	/** after the last sample: closes what `sample` keeps open */
	release?: (container: Container) => Promise<void>;
	/** below this level there is nothing to ask; 1 unless given. A question that nobody hears would be counted as a refused connection of the service's */
	sampledFrom?: Level;
	/** how many messages wait in it, of a queue; null: it cannot be asked */
	backlog?: (container: Container) => Promise<number | null>;
	/** of which level 2 lays a changed copy over the service's own */
	configuration?: Configuration;
	/** one line of the log, without the engine's time; gives it as the record keeps it. As any program's (log-content.ts) unless given */
	redact?: (line: string) => string;
	/** pure */
	read: (files: Files, about: About) => HopRecord;
	/** known troubles, for the self-test of a user's own system Of the products of the shipped systems: */
	faults?: (service: ServiceModel) => ProductFault[];
	/** whether it is what a service without a label of its product runs */
	unlabelled?: (service: { name: string; tier: string }) => boolean;
	inside?: Inside;
	store?: Store;
	program?: ProgramReader;
	/** no user's system has it */
	isLabsOwn?: boolean;
	/** what the name of an error says that a program logs with a request; null where it is another's */
	errorSignal?: (error: string) => Signal | null;
	/** files beside the services' folders that one of that name leaves in the record, or the lab of it */
	recorded?: (name: string) => string[];
	/** those of them that are large */
	packed?: string[];
	/** of a proxy: ids of requests for which it asked several services; null where that is known only when it has been read */
	askedAgain?: (files: Files) => string[] | null;
	/** its files of a record without some requests; thinned: without the lines that name these */
	without?: (thinned: Record<string, string>, files: Record<string, string>, left: Left) => Record<string, string>;
};

/** out of a record */
export type Left = {
	/** of a request */
	isDropped: (id: string) => boolean;
	/** when nodes answered requests well, seconds since 1970; gone: those that are left out */
	answered: { all: number[]; gone: number[] };
	service: string;
};

/** What any service's container tells, whatever it runs. */
export const AS_CONTAINER: Watch = { level: 0, gives: 'its CPU, memory and sockets, and that it ended' };
