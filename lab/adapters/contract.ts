/**
 * What an adapter gives the lab: the only code that knows a product. The engine asks for nothing else, and speaks of what
 * happened in the words of this file alone.
 *
 * A service that requests pass is a hop. What a hop recorded of one request is a sighting; sightings of several hops are joined
 * by the id that the request carries (`X-Request-Id`).
 */

/**
 * What a product's log, counters or state can say, in one vocabulary. Names with underscores are error types of RFC 9209
 * (https://www.rfc-editor.org/rfc/rfc9209#section-2.3); the others are the lab's own, where it has none.
 *
 * Why an attempt to ask a service behind this one failed.
 * - connection_refused: the service behind refused the connection
 * - connection_timeout: the connection to the service behind was not made in time
 * - connection_terminated: the service behind broke the connection before it answered
 * - http_response_incomplete: the service behind broke the connection inside its answer
 * - http_response_timeout: the service behind did not answer in time
 * - http_protocol_error: the service behind sent what is no HTTP
 * - destination_ip_unroutable: no route to the service behind
 * - dns_error: the name of the service behind was not found
 * About the request as a whole, at this service.
 * - destination_unavailable: every service behind was left out or down
 * - connection_limit_reached: the queue or the connections to the services behind were at their limit
 * - queue-timeout: the request waited in this service’s queue for too long
 * - http_request_denied: turned away by a rule or a rate limit
 * - proxy_internal_error: this service was out of file descriptors, local ports or memory
 * - client-gone: the client left before the answer
 * About this service.
 * - table-full-new: the connection table was full, and a new connection was closed
 * - table-full-idle: the connection table was full, and idle connections were closed
 * - ejected: a service behind was left out after failures or failed checks
 * - reinstated: a service behind was taken in again
 * - worker-died: a worker process ended
 * - slow: a statement or command took long
 * - shut-down: it was told to stop
 * Of a program that asks a store through a pool of connections: what the name of its error says.
 * - pool-timeout: no connection of its pool became free in time
 * - pool-cleared: its pool was cleared, after a connection of another request broke
 * - connect-failed: no server was found to connect to
 * - connection-broken: a connection to the server broke, or could not be made
 * - store-timeout: no answer of the server came in time
 * - store-error: the server answered with an error
 * - store-failed: asking the server failed, and why it does not say
 * - queue-failed: the queue failed it
 *
 * @typedef {'connection_refused' | 'connection_timeout' | 'connection_terminated' | 'http_response_incomplete'
 *   | 'http_response_timeout' | 'http_protocol_error' | 'destination_ip_unroutable' | 'dns_error' | 'destination_unavailable'
 *   | 'connection_limit_reached' | 'queue-timeout' | 'http_request_denied' | 'proxy_internal_error' | 'client-gone' | 'table-full-new'
 *   | 'table-full-idle' | 'ejected' | 'reinstated' | 'worker-died' | 'slow' | 'shut-down' | 'pool-timeout' | 'pool-cleared'
 *   | 'connect-failed' | 'connection-broken' | 'store-timeout' | 'store-error' | 'store-failed' | 'queue-failed'} Signal
 */

/**
 * @typedef {'generator' | 'load-balancer' | 'app' | 'pool' | 'queue' | 'cache' | 'database'} Tier
 * @typedef {0 | 1 | 2 | 3} Level  0: the container alone; 1: its own log as it is; 2: a configuration that the lab lays over; 3: a preload
 * @typedef {'full' | 'partial' | 'none'} Extent
 *
 * @typedef {object} ServiceModel      a service as Compose has resolved it
 * @property {string} service          its name
 * @property {string} image            empty where it is built
 * @property {string[]} command        entrypoint and command together; empty where the image's own are used
 * @property {Record<string, string>} environment  names and values; never recorded or shown
 * @property {number[]} ports          that it listens on: exposed or published, as far as the file says
 * @property {string[]} dependsOn      services
 * @property {{ source: string, target: string, type: string, readOnly: boolean }[]} mounts
 * @property {string[]} networks
 * @property {number} replicas
 * @property {string[]} [files]        places in its container where files of the user's lie that are not mounted; for a guess alone
 *
 * @typedef {object} Detection
 * @property {Tier} tier
 * @property {string} reason           one clause: what in the service says so ("image haproxy:2.6")
 *
 * @typedef {object} Watch             what can be known of the service at a level
 * @property {Level} level
 * @property {string} gives            one sentence: what the report can say then
 * @property {string} [needs]          what it takes: a line that the service's own configuration must have, or consent
 *
 * @typedef {object} OverlayPart       merged into the generated overlay under the service's name
 * @property {Record<string, string>} [environment]
 * @property {string[]} [command]
 * @property {{ source: string, target: string, readOnly: boolean }[]} [mounts]  sources that begin with `raw:` are the service's own: to write, what is taken into the
 *   record after the run; read-only, the changed copy of its configuration
 *
 * @typedef {object} Container         a running container, as an adapter may ask it
 * @property {string} service
 * @property {string} address          on the project's network
 * @property {(command: string[], limitMs: number) => Promise<{ exitCode: number, output: string }>} execute  inside it
 *
 * @typedef {object} Files             what was recorded of one service
 * @property {string} log              the container's output, each line with the engine's time before it, and of a shipped service then what it
 *   wrote into the record itself, each line with its own
 * @property {any[]} samples           what `sample` gave, once a second, in the order of time
 * @property {(name: string) => string} file  a file of the service's own folder in the record, or of a shipped service one beside those folders; empty
 *   where it is not there
 * @property {readonly string[]} [beside]  names of files that it has in the record beside the services' folders: what it or an observer wrote there
 *
 * @typedef {object} About             what the adapter may know beside the record
 * @property {string} service
 * @property {Tier} tier
 * @property {Level} level
 * @property {Map<string, string>} names   address (without port) and container name to service
 * @property {{ from: number, to: number }} window  of the load, seconds since 1970
 * @property {{ has: (id: string) => boolean }} [wanted]  of a shipped service: ids of requests that are kept
 * @property {string[]} [observers]    of a shipped service: addresses of the lab's own, who are no clients
 *
 * @typedef {object} Message           one thing that a service said
 * @property {Signal} signal
 * @property {number} t                seconds since 1970
 * @property {string} text             the line, as it was written
 * @property {string} [to]             the service behind that it speaks of
 * @property {string} [source]         where it stands, where that is not the log
 *
 * @typedef {object} UpstreamAttempt             an attempt to ask a service behind
 * @property {string} to               the service; the address where no service has it
 * @property {number | null} status    of its answer
 * @property {boolean} connected
 * @property {Message | null} message  why it failed
 * @property {number} [took_s]         where the record tells
 *
 * @typedef {object} RequestRecord          what a hop recorded of one request
 * @property {string} service          the hop
 * @property {string} id               empty where the log has none
 * @property {number} received         seconds since 1970
 * @property {number | null} ended     null: its record ends first
 * @property {'answered' | 'broken' | 'open'} outcome  broken: closed without a whole answer
 * @property {number | null} status    that it sent
 * @property {string} error            name of an error that it gave for it; else empty
 * @property {string} place            where in it the request was when it broke, in its own parts; else empty
 * @property {UpstreamAttempt[]} asked           services behind, in their order
 * @property {Message[]} own           what it said of the request as a whole
 * @property {{ whole: number, behind: number, connect: number }} [took_ms]  it had the request for so long, of which services behind had
 *   it, of which connecting to them took; where the record tells
 *
 * @typedef {object} Ejection             a time in which a service behind was left out
 * @property {string} node             the service
 * @property {number} from             seconds since 1970
 * @property {number} to
 * @property {Signal | null} trigger   why the attempt failed that set it off; null where that is not on record
 * @property {string} line             that says so; else the one that says that it was left out
 * @property {string | null} request   id of the request whose attempt it was
 *
 * @typedef {object} Limit             something that can run full
 * @property {string} resource         "connection slots", "server connections"
 * @property {number} size
 * @property {{ t: number, used: number }[]} used  measured
 * @property {string} [unit]           connections unless given
 * @property {boolean} [fills]         it is room, and no places: who finds it full is turned away or crowds others out, and waits for nobody
 * @property {number} [full]           from here on it is as good as used up; its size unless given
 *
 * @typedef {object} HopRecord         what a service recorded, in neutral words
 * @property {string} service
 * @property {Tier} tier
 * @property {string} product
 * @property {{ requests: Extent, reasons: Extent, limits: Extent }} coverage  requests: each is on record, with its id; reasons: every
 *   failure of its own leaves a message; limits: what can run full is watched
 * @property {string[]} uncovered      what is not covered and why, what weighs most first: the one sentence that is shown ("Redis knows no requests")
 * @property {string} source           of the counts ("access log")
 * @property {string} [received_source]  of `received`, where it is another one
 * @property {string} [log_source]     where its messages stand ("error log")
 * @property {number | null} received  requests in the window
 * @property {number | null} answered_ok
 * @property {number | null} answered_error
 * @property {number | null} aborted
 * @property {string[]} [asked_by_name]  services of several containers that it asked by the name that they have in common: its record does not
 *   say which of them (the engine's own; no adapter gives it)
 * @property {RequestRecord[]} requestRecords    of the window
 * @property {Message[]} messages      of the window, whichever request they are about, in the order of time
 * @property {Record<string, { t: number, value: number }[]>} counters  that only grow and that a rule asks for, as sampled; named by a signal where one fits
 * @property {string} [counters_source]  where they stand
 * @property {boolean} [only_load]     nobody but the load asks it, so that all that it counted is the load's
 * @property {Limit[]} limits
 * @property {Ejection[]} [ejections]       where it tells more of them than its messages `ejected` and `reinstated`
 * @property {number} [ejected_s]      how long it leaves a service out
 * @property {Heartbeat[]} [heartbeat]         what it wrote of itself once a second as long as it found time for it
 * @property {boolean} [silent_close]  where a service behind breaks off, it may close its client's connection without an answer or a line
 *
 * Of a shipped service that is read before the load's window is known:
 * @property {Map<string, import('../diagnose/ledger/traces.ts').Attempt[]>} [attempts]  requests that are wanted, by id
 * @property {number[]} [repeated]     when it received a request of the generator's once more
 * @property {number} [identified]     requests that it has by an id of the generator's, wanted or not
 * @property {StoreReading[]} [readings]  of a store, in the order of time
 * @property {number[]} [refused]      when it logged that it refused a connection
 * @property {number[]} [stopping]     when it logged that it was told to stop: it answers what it then interrupts with an error
 *
 * @typedef {object} Inside            what the lab asks inside the container of a shipped system's proxy
 * @property {string} folder           of its configurations, at the top of the repository
 * @property {{ file: string, command: (entrypoint: string[]) => string[], slots: (answer: string) => number | null }} conf  that it runs, and how
 *   many connections its table has
 * @property {{ file: string, command: string[], parse: (answer: string) => object | null }} totals  of its connections: asked at the start, before
 *   the load and after it
 *
 * @typedef {object} Heartbeat             a program's word of itself; counters since it began
 * @property {number} t
 * @property {string} [event]          `start`, `tick`, `stop`
 * @property {number} received
 * @property {Record<string, number>} answered  by class of status: `2xx`
 * @property {number} aborted          their caller hung up before the answer was out
 * @property {number} in_flight
 * @property {Record<string, number>} errors  by the error's name
 * @property {Record<string, number>} ok_ms  sums over good answers: `count`, `handler`, `pool`, `database`
 * @property {Record<string, number>} [own]  what it counts beside that
 * @property {number} busy_share       of the second, in which what takes up its work had no rest
 * @property {{ max: number }} [late_ms]  by which it took up its work too late
 * @property {number} [max_pool_size]
 * @property {Record<string, string>} [versions]
 * @property {Pool | null} pool        of its connections to a store
 *
 * @typedef {object} Pool
 * @property {number} checkouts        connections that it handed out
 * @property {number} wait_ms          for which these were waited for, in all
 * @property {Record<string, number>} failed  those that it did not hand out, by the error's name
 * @property {number} cleared          how often it was cleared
 * @property {number} in_use           now
 * @property {number} waiting          requests, now
 *
 * @typedef {object} Program           what a program that makes the load says of it
 * @property {string} program          its name
 * @property {number} began_s          seconds since 1970, by the container itself: starting a process in it is not counted
 * @property {number} ended_s
 * @property {Writer[]} writers        one for each file
 *
 * @typedef {object} Writer
 * @property {string} file
 * @property {number} threads
 * @property {number} inserts          that it was told to make
 * @property {number | null} seconds   that it took, as it says itself; null when it did not say
 * @property {number | null} stored    records that its file holds afterwards; null when the file could not be read
 * @property {number} exit_code
 *
 * @typedef {object} ProgramReader     of what it has printed so far
 * @property {(text: string) => { began_s: number | null, ended_s: number | null, exitCodes: number[] }} span  exit codes in the order of the files
 * @property {(text: string) => { seconds: number | null, done: number }} writer  done: the share of its work, 0 to 1
 * @property {(text: string) => number | null} stored
 *
 * @typedef {object} Store             what a store of a shipped system is called in figures and how it is asked
 * @property {string} program          that counts ("mongod")
 * @property {string} source           of its counts
 * @property {string} operations       its counters of operations
 * @property {number} search_s         after a network error a client looks for a server for as long as this unless told otherwise
 * @property {number} retry_s          it tries its server as often
 *
 * @typedef {object} StoreReading      taken once a second, and when the load is over; without what it did not answer. Counters since it began
 * @property {number} t
 * @property {string} [name]           of the store, where there are several
 * @property {string} [event]          `stop`: the last
 * @property {string} [set]            whose members have copies of the same documents
 * @property {{ open: number, free: number, refused?: number }} [connections]  refused: since it began, where it counts them
 * @property {{ insert: number, query?: number, update?: number, delete?: number }} [operations]
 * @property {{ reads: Worked, writes: Worked }} [worked]
 * @property {number} [journal_bytes]
 * @property {number} [documents]
 * @property {number} [documents_exact]  counted one by one
 *
 * @typedef {{ us: number, count: number }} Worked  operations, and microseconds that it worked on them
 *
 * @typedef {object} Adapter
 * @property {string} product
 * @property {string} title            "HAProxy"
 * @property {(service: ServiceModel) => Detection | null} detect
 * @property {(service: ServiceModel) => Watch[]} watches  what each level gives, the lowest first
 * @property {(service: ServiceModel, level: Level) => OverlayPart} overlay
 * @property {string} [durable]        of a store: what to set so that what it acknowledged outlives its process, as a clause without its full stop
 * @property {{ command: string[], pattern: RegExp, component?: string } | null} version  asked inside the container; the pattern's first group. component:
 *   what the versions of a shipped system's run call it, its product unless given
 * @property {((container: Container) => Promise<object | null>) | null} sample  asked once a second, must answer within a second; null: nothing
 * @property {(container: Container) => Promise<void>} [release]  after the last sample: closes what `sample` keeps open
 * @property {Level} [sampledFrom]  below this level there is nothing to ask; 1 unless given. A question that nobody hears would be
 *   counted as a refused connection of the service's
 * @property {(container: Container) => Promise<number | null>} [backlog]  how many messages wait in it, of a queue; null: it cannot be asked
 * @property {import('./configuration.ts').Configuration} [configuration]  of which level 2 lays a changed copy over the service's own
 * @property {(line: string) => string} [redact]  one line of the log, without the engine's time; gives it as the record keeps it. As any program's
 *   (log-content.ts) unless given
 * @property {(files: Files, about: About) => HopRecord} read  pure
 * @property {(service: ServiceModel) => import('./faults.ts').ProductFault[]} [faults]  known troubles, for the self-test of a user's own system
 *
 * Of the products of the shipped systems:
 * @property {(service: { name: string, tier: string }) => boolean} [unlabelled]  whether it is what a service without a label of its product runs
 * @property {Inside} [inside]
 * @property {Store} [store]
 * @property {ProgramReader} [program]
 * @property {boolean} [isLabsOwn]     no user's system has it
 * @property {(error: string) => Signal | null} [errorSignal]  what the name of an error says that a program logs with a request; null where it is another's
 * @property {(name: string) => string[]} [recorded]  files beside the services' folders that one of that name leaves in the record, or the lab of it
 * @property {string[]} [packed]       those of them that are large
 * @property {(files: Files) => string[] | null} [askedAgain]  of a proxy: ids of requests for which it asked several services; null where that is known
 *   only when it has been read
 * @property {(thinned: Record<string, string>, files: Record<string, string>, left: Left) => Record<string, string>} [without]  its files of a record
 *   without some requests; thinned: without the lines that name these
 *
 * @typedef {object} Left              out of a record
 * @property {(id: string) => boolean} isDropped  of a request
 * @property {{ all: number[], gone: number[] }} answered  when nodes answered requests well, seconds since 1970; gone: those that are left out
 * @property {string} service
 */

/** What any service's container tells, whatever it runs. @type {Watch} */
export const AS_CONTAINER = { level: 0, gives: 'its CPU, memory and sockets, and that it ended' };
