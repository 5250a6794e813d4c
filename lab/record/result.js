/**
 * The shape of `result.json`: what the analysis says of one run, and all that a report may show. Rendering reads this
 * and computes nothing. Counts are requests of the load alone (the warm-up is in no figure). Times in `t_s` are seconds
 * from the start of the load; negative ones are the warm-up. Names end in unit and qualifier.
 *
 * @typedef {'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue'} Tier
 * @typedef {{ p50: number | null, p95: number | null, p99: number | null, max: number | null }} Percentiles
 * @typedef {{ mean: number | null, max: number | null }} MeanMax
 *
 * @typedef {object} Result
 * @property {2} schema
 * @property {string} run                 `<architecture or experiment>/<UTC time>-<short id>`, the folder below reports/
 * @property {string} architecture        id, such as `2a`
 * @property {string} architecture_title  in words
 * @property {string} load                id, such as `ramp`
 * @property {string} load_title
 * @property {string} budget              key of the budgets table
 * @property {import('../options/calibration.js').Calibration | null} [calibration]  that quotas or think time follow from; null when neither does
 * @property {string} started             ISO 8601, start of the load
 * @property {number} duration_s          from the start of the load to the last answer
 * @property {boolean} interrupted        the load was cut short; what was measured until then is here
 * @property {LoadEnd | null} [load_end]  where it ended before its time; null where it did not, and a result from before has none
 * @property {Onset | null} [onset]       when the system stopped, which the headline says first; null where it did not, and a result from before has none
 * @property {string} command             repeats this run
 * @property {string} headline            the verdict in one or two sentences, made from the ledger
 * @property {TryNext[]} try_next         what may relieve the culprit; of an INVALID run what to do before it is made again; empty when nothing
 *   is known
 * @property {Validity} validity
 * @property {Metrics} metrics
 * @property {Published | null} published figures of the same architecture from its source
 * @property {FailureCounts} failures_by  how k6 saw the failures
 * @property {Ledger} ledger
 * @property {Flow} flow
 * @property {Record<string, Resource>} resources  by service name, such as `k6` or `app-1`
 * @property {Stage[]} stages
 * @property {TimelineRow[]} timeline
 * @property {Series} series
 * @property {TimeLedger | null} time_ledger  null where no service told how long it had a request
 * @property {string[]} [time_untold]     services on the way that did not tell, and what would make them; a result from before has none
 * @property {UserTime | null} user_time  null where k6 did not make the load, or left no full record of it
 * @property {{ tier: Tier | 'machine', evidence: string[] } | null} bottleneck  of the whole run, over the seconds that hurt where there were any
 * @property {string} bottleneck_reason   why this tier, or why none could be named
 * @property {StageBottleneck[]} bottleneck_by_stage  a row for each of `stages`
 * @property {string[]} [giving_way]      when each limit was reached, answers became slow and requests began to fail, in the order of time; a
 *   result from before has none
 * @property {Client | null} client       what users got in the end, where they try again or give up early; null as published
 * @property {GoneWrites} [gone_writes]  writes that users were told were done and that are gone; a result from before has none
 * @property {Queue | null} queue         what became of what a queue had taken; null where none takes what users ask for
 * @property {FaultEffect[]} faults       that its user put in (FAULT), and the load's surge, in the order of time; empty for most
 * @property {Machine} machine
 * @property {HostReport[]} [hosts]       of a run on a Swarm
 * @property {Wire | null} [wire]         what services asked of each other, as it passed their networks; null where that was not recorded, and
 *   nothing in a result from before
 * @property {Waiting | null} [waiting]   null where the wire was not recorded or the system is shipped, and nothing in a result from before
 * @property {Record<string, string>} versions  component to the version that it reports of itself
 * @property {string[]} notes             doubts about the data, in words
 * @property {string} scenario            key of the scenarios table: what one request is
 * @property {Record<string, string>} variables  the architecture's own, such as `WORKERS`; every one of them with its value
 * @property {Record<string, number | null>} figures  the scenario's own, by the ids of its table entry
 * @property {Breakdown[]} breakdowns     the scenario's own tables; empty for most
 *
 * @typedef {{ after_s: number, most_s: number, text: string }} LoadEnd  seconds that it took and was to take, and both with the reason in a
 *   sentence
 *
 * @typedef {object} Onset               of the last stop, or where it came back from each of the longest
 * @property {'never' | 'stopped' | 'came-back'} kind  nobody was ever answered well; from then on nobody was; for a time nobody was
 * @property {number} from_s              of the load: the last good answer before it
 * @property {number | null} to_s         where it came back: the first good answer after it
 * @property {string} text                a sentence or two
 *
 * @typedef {object} Breakdown            figures by something that the scenario tells apart, such as operation
 * @property {string} title
 * @property {string} caption             what to see in it
 * @property {string} rows_label          heading of the names, such as `operation`
 * @property {{ id: string, label: string, unit: import('../catalog/metrics.js').Unit }[]} columns
 * @property {{ name: string, values: (number | null)[] }[]} rows  values in the order of the columns
 *
 * @typedef {import('../options/settings.js').ClientBehaviour & ClientCounts} Client
 *
 * @typedef {object} ClientCounts         a request is what a user wanted answered, an attempt what was sent for it
 * @property {number} requests            that users were done with
 * @property {number} gave_up             of those, without a good answer
 * @property {number} attempts
 * @property {number | null} amplification  attempts a request
 * @property {Percentiles} latency_ms_ok  from wanting to send the first attempt to the good answer
 *
 * @typedef {object} Queue                writes of the load, which users were told were accepted (202)
 * @property {number} accepted
 * @property {number} completed           written, in the load or after it; by the database's count where that is known, else by the worker's log
 * @property {number} completed_in_load   written before the load had ended, by the worker's log
 * @property {number} failed              taken out and not written, by the worker's own word
 * @property {number | null} left         still in the queue when the lab stopped waiting, by the queue's own count; null where it could not be asked
 * @property {number | null} lost         neither left nor failed nor stored, by the database's count; null where that or the queue's is not known
 * @property {number} unlogged            stored, and the worker's log does not say when: it was killed
 * @property {Percentiles} lag_ms         from accepted to written, of those that were
 * @property {number[]} backlog           accepted and not taken out, at the end of each second of the load
 * @property {number[]} oldest_s          how long the oldest of them had waited then
 * @property {number | null} drained_after_s  from the end of the load to the last write; null where some were left
 *
 * @typedef {object} GoneWrites
 * @property {number | null} count        null where nobody knows: without the ids of requests (INTEGRITY=1) equal counts do not say that none is
 * @property {boolean} at_least           there may be more
 * @property {string} text                a sentence; empty where none is known to be gone
 * @property {string[]} to_do             sentences: what would have kept them, by what is on record
 *
 * @typedef {object} FaultEffect          seconds from the start of the load
 * @property {string} text                as FAULT takes it, or the surge in words
 * @property {number | null} began_s
 * @property {number | null} ended_s       undone, or over by itself
 * @property {string | null} failed       why it could not be put in or undone; null where it was
 * @property {{ seconds: number, goodput_rps: number, failure_rate: number | null } | null} before  median of the seconds before it; null
 *   where there were too few
 * @property {{ goodput_rps: number, failure_rate: number | null } | null} during  of the requests that ended while it was there; null where it
 *   was over at once, or k6's own record tells no single request
 * @property {number | null} recovered_after_s  from its end until good answers came as before; null where they did not in the load
 * @property {number | null} watched_after_s    from its end to that of the load
 * @property {boolean} metastable         it was over, as many requests arrived as before it, and service stayed down
 * @property {SustainingLoop | null} loop  of one that is metastable
 * @property {number | null} later_rps    good answers a second from 30 to 60 s after its end, their median; null where the load ended before
 * @property {{ before: number, most: number, at_end: number, recovered_after_s: number | null } | null} [backlog]  accepted and not taken by a
 *   worker: the most in the seconds before it, and since it began, and at the end of the load; null where no queue takes what users ask for
 *
 * @typedef {object} SustainingLoop       from the end of what set it off to the end of the load
 * @property {number} arrivals_rps        requests a second that the load makes
 * @property {number | null} attempts_rps what users sent for them, a second, by what came to its end
 * @property {number} served_before_rps   good answers a second before it
 * @property {number | null} worked       requests that the nodes were done with; null where their record does not tell
 * @property {number | null} in_vain      of those, whose client had hung up before
 *
 * @typedef {object} Wire
 * @property {WireEdge[]} edges           the busiest first
 * @property {{ from: string, to: string, asked: number }[]} no_host  looked for on the network and not found: to: a service that had the
 *   address before, or the address
 * @property {{ name: string, packets: number | null, dropped: number | null, cpu_s: number | null }[]} networks  null: not recorded, or not
 *   known; cpu_s: that recording took, of one core
 * @property {WireGap[]} [gaps]           of the record; a result from before has none
 * @property {string[]} doubts            in words, the gaps among them
 * @property {string[]} [differs]         what was seen and doubletake.yaml does not say, and the other way round, a sentence each
 * @property {WireUrl[]} [urls]           requests of the load by what they asked for, the most frequent first; a result from before has none
 * @property {WireWaterfall[]} [waterfalls]  the slowest good requests, then lost ones of each way in which requests were lost
 * @property {{ from: string, to: string, calls: number, by_id: number, by_order: number, ambiguous: number }[]} [joins]  of each edge behind
 *   the entry, the whole capture: calls, and those whose request is known, by an id or by order; ambiguous: of those, where another request
 *   would fit as well
 * @property {WireOutside[]} [outside]    hosts that are none of the stack, and who asked them; a result from before has none
 * @property {WireTime | null} [time]     null where no good request was recorded to its end; a result from before has none
 * @property {WireComparison[]} [compared]  with other records of the run; nothing in a result from before
 * @property {WireFailures | null} [failures]  null: no request failed
 * @property {WireStanding} [standing]    where requests stood; a result from before has none
 *
 * @typedef {object} WireStanding         a value for each step of the load: its mean over the step, where it is no count
 * @property {number} step_s
 * @property {number} from_s              of the first step, seconds from the start of the load
 * @property {{ name: string, standing: number[] }[]} services  requests in each, less those for which it waited on others; in the order of a
 *   request's way. Beyond some the rest is one row
 * @property {{ from: string, to: string, port: number, waiting: number[],
 *   connections: Record<import('../diagnose/waiting/standing.js').ConnectionState, number[]>, gave_up: number[] }[]} edges  in the same order, beyond some
 *   the busiest. waiting: calls that are waited for, and connections that are being opened; gave_up: calls that `from` gave up
 * @property {number[]} good              answers to the generator
 * @property {number[]} failed            by the generator's record, when it knew of each; what was open when the load ended in the last step
 * @property {{ t_s: number, kind: 'onset' | 'event' | 'limit', text: string }[]} marks  in the order of time
 * @property {StandingSpell} worst        up to ten seconds
 * @property {string} text                what to see, in a sentence or two
 *
 * @typedef {object} StandingSpell
 * @property {number} from_s
 * @property {number} to_s
 * @property {{ name: string, standing: number }[]} services  means over it, most first; none in which less than a hundredth stood
 * @property {{ from: string, to: string, port: number, waiting: number,
 *   connections: Record<import('../diagnose/waiting/standing.js').ConnectionState, number>, gave_up: number, gave_up_after_ms: { p10: number, p50: number, p90: number } | null }[]} edges  in the order of a request's way; means, of `refused` and
 *   `gave_up` how many
 *
 * @typedef {object} WireGap              what the record does not have
 * @property {'unseen' | 'dropped' | 'ended' | 'late' | 'unread'} kind  unseen: a network was not recorded; dropped: by the kernel, or it is not
 *   known; ended: before the load did; late: connections were there before it; unread: a decoder failed
 * @property {string} text                without its edges
 * @property {{ from: string, to: string }[]} edges  on which calls may be missing
 *
 * @typedef {object} Waiting              where failed requests failed, by following whom they waited for
 * @property {number} failed              requests that failed on the wire
 * @property {number} followed            of those, that were of kinds frequent enough
 * @property {WaitingFinding[]} findings  the most requests first
 * @property {string[]} doubts            in words
 *
 * @typedef {object} WaitingFinding       requests that failed at one place for one reason
 * @property {string} kind                verbs and templates of the first kinds; empty where they are not known
 * @property {number} count
 * @property {{ service: string, edge: { from: string, to: string } | null }} place  edge: on which it shows
 * @property {WaitingHop[]} chain         from the entry to the place, of the most frequent kind
 * @property {import('../diagnose/waiting/text.js').Mechanism | null} mechanism  null: not on record
 * @property {string | null} title        the mechanism, as the end of a sentence that begins with the place
 * @property {'proved' | 'counted' | 'timed' | 'inferred'} basis  of the place
 * @property {'proved' | 'counted' | 'timed' | 'inferred' | null} why_basis  of the mechanism
 * @property {boolean} [is_given_up]      no reason is on record but that the caller of the last service on the way waited no longer
 * @property {string[]} evidence          sentences
 * @property {string[]} doubts            in words
 *
 * @typedef {object} WaitingHop
 * @property {string} service             that was asked
 * @property {{ from: string, to: string }} edge
 * @property {string} said                how the calls ended
 * @property {number | null} failed       share of the failed requests that have such a call; null where the way is known by waiting alone
 * @property {number | null} good         of the good ones; null where there were too few
 * @property {'request' | 'id' | 'order' | 'within' | 'waiting' | 'before'} by  how it is known that the calls are
 *   theirs; within: each lies in one of them; before: they are not theirs, and nobody was asked since
 *
 * @typedef {object} WireUrl              answers of the entry
 * @property {string} verb                empty, as the template, of all that have no row of their own
 * @property {string} template
 * @property {number} count
 * @property {number} failed
 * @property {{ p50: number | null, p95: number | null }} time_ms  of whole answers
 * @property {{ from: string, to: string, calls_per_request: number, calls_per_request_calm: number | null, time_ms_per_request: number,
 *   ambiguous_share: number }[]} edges   that it asked, the nearest to the entry first; calm: in seconds in which no request that failed began, null where
 *   every second or none was so; ambiguous_share: of its calls, 0 to 1
 *
 * @typedef {object} WireWaterfall        a request and what was asked for it
 * @property {'slowest' | 'lost'} why
 * @property {number} of_kind             requests that were good, or were lost in the same way
 * @property {string | null} id           null where it has none on the wire
 * @property {number} at_s                from the begin of the load
 * @property {number | null} took_ms      null where its end was not seen
 * @property {WireHop[]} rows             the request itself first, then each call under the one that it was made for
 * @property {number} more                calls that have no row
 *
 * @typedef {object} WireHop
 * @property {number} depth
 * @property {string} from
 * @property {string} to
 * @property {string} protocol
 * @property {string} verb
 * @property {string} template
 * @property {number | null} status
 * @property {string | null} code
 * @property {import('../wire/contract.js').End | 'refused' | 'unanswered' | 'unasked-closed' | 'unasked-reset' | 'no-host'} end  of a
 *   connection that was turned away, as in WireFailureEnd; no-host: nobody had the address, so that none began
 * @property {import('../wire/contract.js').Side | null} by
 * @property {number} offset_ms           from the begin of the request
 * @property {number | null} took_ms
 * @property {'id' | 'order' | null} joined  null of the request itself
 * @property {boolean} ambiguous          another request would fit as well
 *
 * @typedef {object} WireOutside          in the load
 * @property {string} from
 * @property {string} name                that was looked up; `host` is this machine; empty where no lookup is on record
 * @property {string[]} addresses         some of those that were asked; none where the name was not found
 * @property {number | null} port         null where the name was not found
 * @property {string} protocol
 * @property {number} connections         that were asked for, or used
 * @property {number} unopened            of those, refused or not answered
 * @property {number | null} calls        null where what passed is not read
 * @property {number} failed              of those, without a whole answer in time, or with one that says that it went wrong
 * @property {{ p50: number | null, p95: number | null }} time_ms  of answered calls
 * @property {{ p50: number | null, p95: number | null }} open_ms  of connections, from asking for one to its last byte
 * @property {number} lookups             of the name
 * @property {number} lookups_failed
 *
 * @typedef {object} WireTime             of good requests of the load, a mean over them
 * @property {number} requests
 * @property {number} mean_ms             of the whole request
 * @property {{ service: string, tier: Tier | 'outside', ms: number, share: number, ambiguous_share: number }[]} services  that requests passed, the nearest to the user
 *   first: the time in the service itself, without its calls to others; they sum to the whole. ambiguous_share: of that time, in calls that
 *   another request would fit as well
 * @property {{ from: string, to: string, tier: Tier | 'outside', ms: number, calls_per_request: number, ambiguous_share: number,
 *   unjoined: number, unjoined_ms: number }[]} edges  tier: of who is asked; ms: of all calls there for a request together, with what lies behind; unjoined: calls in the load that belong to no request that is known,
 *   and their time, by request, which is in the caller's own
 *
 * @typedef {object} WireComparison       of one way and one other record
 * @property {string} from
 * @property {string} to
 * @property {string} what                in words: "sent by k6"
 * @property {'requests' | 'ms'} unit
 * @property {number} wire
 * @property {number} other
 * @property {string} source              the other record
 * @property {{ kind: string, count: number, of: number }[]} explained  of the difference; of: so many there are of the kind
 * @property {number} left                what is not explained: above 0 the other has more
 * @property {boolean} holds
 *
 * @typedef {import('../wire/contract.js').End | 'raced' | 'refused' | 'unanswered' | 'unasked-closed' | 'unasked-reset' | 'unasked-open' | 'unseen'} WireFailureEnd
 *   raced: sent on a connection that had been closed; unasked: on the connection no request was sent; unseen: nothing on the wire is it
 *
 * @typedef {object} WireFailures         how failed requests ended where the generator had sent them
 * @property {number} failed              that the generator counts
 * @property {number} explained           of those, whose end on the wire is known
 * @property {number} agreed              whose place in the ledger is where the wire saw the request last, or lies behind
 * @property {{ end: WireFailureEnd, by: string, count: number, by_id: number, placed: { service: string, cause: string, cause_title: string,
 *   count: number }[], timeouts?: WireRunInto[] }[]} rows
 *   by: who ended it, empty where nobody did; by_id: found by the request's id, the others by their time; placed: by the ledger, empty where
 *   it places none; timeouts: that they ran into, themselves or with a call of theirs
 * @property {{ wire: string, ledger: string, cause_title: string, count: number, arrived?: boolean }[]} apart  where the wire saw it last, and the
 *   ledger's place; arrived: there, by the wire, where the ledger's cause says that it was not
 *
 * @typedef {Pick<WireTimeout, 'by' | 'how' | 'after_ms'> & { from: string, to: string, count: number }} WireRunInto  count: of the failed
 *
 * @typedef {object} WireEdge             of calls and connections that began in the load
 * @property {string} from                who asked, by the name that its figures have; `host` is the machine; an address where no service had it
 * @property {string} to
 * @property {number} port
 * @property {string} protocol            that most of its connections spoke; empty where nothing was said
 * @property {{ opened: number, refused: number, unanswered: number, reset: number, closed_unasked: number }} connections  opened: asked for,
 *   whatever became of it; reset: by who was asked; closed_unasked: by who was to be asked, before anything was
 * @property {Record<string, number>} [turned_away]  logins that were answered with an error, by its code; a result from before has none
 * @property {number} calls               the sum of `ends`
 * @property {Record<import('../wire/contract.js').End, number>} ends
 * @property {Record<string, number>} statuses  of whole answers: a class of status ("2xx"), the code of an error, or "ok"
 * @property {number} bad                 of those answered in time, that say that it went wrong at whoever answered
 * @property {number} raced               on a connection that the other side had closed before
 * @property {number} late                given up, and answered afterwards
 * @property {number} beside              heartbeats, set-ups of connections, and what was said unasked
 * @property {{ p50: number | null, p95: number | null }} time_ms  of whole answers, from the first byte of the question to the last of the
 *   answer
 * @property {{ p10: number, p50: number, p90: number } | null} gave_up_after_ms  of calls that were given up
 * @property {WireTimeout[]} [timeouts]   the most frequent first; a result from before has none
 * @property {number} unknown_bytes       that no decoder could read
 * @property {number} hidden_bytes        of a protocol that is known and not read, such as TLS
 *
 * @typedef {object} WireTimeout          that ended calls of an edge after equal times
 * @property {string} by                  whose it is: who asked, or who was asked
 * @property {'gave-up' | 'connect' | 'closed' | 'answered'} how  gave-up: who asked waited no longer; connect: for a connection; closed, answered: who was asked closed the
 *   connection, or answered with an error, while it waited for nobody
 * @property {number} after_ms            from the first byte of the question, the median
 * @property {number} count
 * @property {number} share               of the edge's calls that ended in the same way, whatever they took, 0 to 1
 *
 * @typedef {{ command: string, why: string }} TryNext
 * @typedef {object} Validity
 * @property {'VALID' | 'SUSPECT' | 'INVALID'} verdict
 * @property {string[]} reasons           of the whole run, and of stages what the whole run does not show
 * @property {{ target: number, from_s: number, to_s: number, verdict: 'VALID' | 'SUSPECT' | 'INVALID', reasons: string[] }[]} stages
 *
 * @typedef {object} Metrics
 * @property {number} requests            finished requests, good and failed
 * @property {number} throughput_rps      finished requests a second
 * @property {number} goodput_rps         good answers a second
 * @property {number} failures
 * @property {number} refused             failures in which a tier said no by a rule or a limit of its own, whatever made it; a result from before has none
 * @property {number} unanswered          failures that were still open when the load and its grace ended
 * @property {number} dropped_arrivals    of an open load, that the generator could not begin
 * @property {number} failure_rate        0 to 1, of attempts
 * @property {number | null} failures_per_user_minute
 * @property {number | null} failed_user_time_share  of the users' time, spent on requests that failed; 0 to 1
 * @property {{ all: Percentiles, ok: Percentiles }} latency_ms   what the user waited: from wanting to send to the last byte
 * @property {{ all: Percentiles, ok: Percentiles } | null} duration_ms  k6's own http_req_duration, without connecting: as sources publish it
 *
 * @typedef {object} Published
 * @property {string} source
 * @property {number} requests
 * @property {number} throughput_rps
 * @property {number | null} goodput_rps
 * @property {number} failures
 * @property {number} failure_rate
 * @property {number | null} latency_ms_p95_all
 * @property {number | null} latency_ms_p95_ok
 *
 * @typedef {object} FailureCounts
 * @property {Record<string, number>} status     HTTP status to count
 * @property {Record<string, number>} error_code k6 error code to count, for failures without a status
 * @property {Record<string, number>} kind       what k6's error text says (`eof`, `reset`, ...)
 *
 * @typedef {object} Ledger
 * @property {Hop[]} hops               what each tier says of itself
 * @property {Edge[]} edges             what the two ends of each connection say of the requests between them
 * @property {Failure[]} failures        rows sum with `unattributed` exactly to metrics.failures
 * @property {number} unattributed
 * @property {string} unattributed_reason  why; empty where all are placed
 * @property {NearMiss[]} near_misses   what did not fail but cost
 * @property {Writes} writes
 * @property {{ statement: string, left: number, right: number, may_differ?: number, holds: boolean, exact?: boolean }[]} checks
 *   conservation, tier by tier; may_differ: by what crossed the load's edges and is no loss; exact: nothing rests on a run in
 *   which it is off by one
 *
 * @typedef {object} Hop
 * @property {Tier} tier
 * @property {string} service
 * @property {string} source            where its counts come from
 * @property {number | null} received
 * @property {number | null} answered_ok
 * @property {number | null} answered_error
 * @property {number | null} aborted    ended without an answer
 *
 * @typedef {object} Edge
 * @property {string} from              service
 * @property {string} to
 * @property {number | null} sent       by the caller's own record
 * @property {string} sent_source
 * @property {number | null} received   by the callee's own record
 * @property {string} received_source
 * @property {number | null} unseen     requests and attempts that were sent, and of which the callee has no record
 * @property {EdgeOnWire | null} [wire]  null where nothing of it passed the networks of the run; nothing where these were not recorded
 *
 * @typedef {object} EdgeOnWire         what passed from one service to the other in the load, on all ports; calls are the sum of answered,
 *   given_up, broken_off and open
 * @property {number} calls
 * @property {number} answered          whole, in time
 * @property {number} bad               of those, that say that it went wrong at the callee
 * @property {number} given_up          by the caller, before a byte of the answer
 * @property {number} broken_off        closed or reset by the callee, or cut short by either
 * @property {number} open              when the recording ended
 * @property {number} raced             of all calls, on a connection that the callee had closed before
 * @property {number} connections       that were asked for
 * @property {number} refused           of those, that were refused, not answered, or closed by the callee before a question
 * @property {number} unread_bytes      of a protocol that is not read, such as TLS, or not understood: calls may be among them
 *
 * @typedef {object} NearMiss
 * @property {string} id
 * @property {Tier} tier
 * @property {string} service
 * @property {number} count
 * @property {string} text              what happened and what it cost
 * @property {Evidence[]} evidence
 *
 * @typedef {Record<string, number>} BasisCounts  failures by how it is known: proved (a record of that very request), timed (something
 *   recorded happened at the same time), counted (a counter of the run rose) or inferred (nothing else is left)
 *
 * @typedef {object} Failure             placed on its trigger
 * @property {Tier} tier
 * @property {string} service
 * @property {string} cause       id, such as `connection-table-full`
 * @property {string} cause_title in words
 * @property {number} count
 * @property {number} share       of all failures, 0 to 1
 * @property {string} rule        which rule placed them, in words
 * @property {{ where: BasisCounts, why: BasisCounts }} basis
 * @property {{ tier: Tier, service: string, cause: string, cause_title: string } | null} amplifier  what made many failures of the trigger
 * @property {string | null} chain  from trigger to failures, in a sentence
 * @property {Evidence[]} evidence
 *
 * @typedef {{ kind: 'log', source: string, line: string, count: number } | { kind: 'counter', source: string, name: string, before: number, after: number } | { kind: 'count', source: string, text: string, count: number } | { kind: 'reading', text: string }} Evidence
 *
 * @typedef {{ acknowledged: number | null, persisted: number | null, unacknowledged: number | null, lost: number | null, duplicated: number | null }} Writes
 *
 * @typedef {object} Flow
 * @property {{ id: string, label: string, tier: Tier | 'outside', received: number | null, answered_ok: number | null, answered_error: number | null, note: string }[]} nodes
 *   in the order that requests pass; outside: none of the stack
 * @property {FlowEdge[]} edges
 * @property {{ at: string, cause_title: string, count: number, share: number }[]} outlets  share of all requests
 *
 * @typedef {object} FlowEdge
 * @property {string} from
 * @property {string} to
 * @property {number | null} requests
 * @property {number | null} share        of what `from` passed on
 * @property {'wire'} [source]           calls on the wire, several to a request; else what a service or the generator counted
 * @property {boolean} [at_least]        some of what passed could not be read
 * @property {number} [connections]      where nothing that passed could be read
 *
 * @typedef {object} Resource
 * @property {Tier | 'observer'} tier
 * @property {number | null} cpu_quota_cores   null when unlimited
 * @property {MeanMax} cpu_cores               during the load
 * @property {number | null} cpu_throttled_fraction  throttled quota periods over all
 * @property {MeanMax} memory_bytes
 *
 * @typedef {object} Stage
 * @property {number} from_s
 * @property {number} to_s
 * @property {number} target
 * @property {'users' | 'rps' | 'iterations/s'} unit
 * @property {boolean} held
 * @property {number | null} [requests]  that ended in it, and of the last stage those that ended after it too; all stages have all requests of
 *   the load. null where k6's own record of each second was read, which tells no single request, and a result from before has none
 * @property {number | null} throughput_rps  of those that ended in its seconds
 * @property {number | null} goodput_rps
 * @property {number | null} failure_rate    of its requests
 * @property {number | null} latency_ms_p50_ok  of its requests' good answers; where their number is not known the median over its seconds of
 *   each second's percentile, which is lower
 * @property {number | null} latency_ms_p95_ok
 * @property {number | null} latency_ms_p99_ok
 * @property {Record<string, number | null>} cpu_share  service to mean share of its quota (or of the host's cores)
 * @property {Record<string, number | null>} cpu_ms_per_request  service to its CPU time for one finished request, good or failed
 * @property {number | null} bound_rps  mean over the stage's seconds of series.bound_rps
 *
 * @typedef {object} StageBottleneck
 * @property {number} target
 * @property {number} from_s
 * @property {number} to_s
 * @property {Tier | null} tier          that binds in most of the stage's seconds; null when none does
 * @property {string | null} service     of that tier, the one that was at its limit longest
 * @property {string} what               its limit, or what is known where no tier binds
 * @property {number | null} measured_rps  finished requests a second
 * @property {number | null} bound_rps
 * @property {string[]} evidence
 *
 * @typedef {object} TimelineRow  one per second; null where k6 recorded nothing
 * @property {number} t_s
 * @property {boolean} warmup
 * @property {number | null} vus
 * @property {number | null} throughput_rps
 * @property {number | null} goodput_rps
 * @property {number | null} failures_per_s
 * @property {number | null} latency_ms_p50     of all requests
 * @property {number | null} latency_ms_p95
 * @property {number | null} latency_ms_p99
 * @property {number | null} latency_ms_p50_ok  of good answers alone
 * @property {number | null} latency_ms_p95_ok
 * @property {number | null} latency_ms_p99_ok
 *
 * @typedef {object} Series  arrays as long as `timeline`, on the same seconds
 * @property {Record<string, (number | null)[]>} failures_by_tier  tier (or `unattributed`) to failures a second
 * @property {Record<string, (number | null)[]>} cpu_share         service to share of its quota, 0 to 1 and above
 * @property {Limit[]} limits  limited resources
 * @property {(number | null)[]} bound_rps  finished requests a second that users and CPU allow at most, as lab/diagnose/limits/laws.js reckons it
 *
 * @typedef {object} Limit
 * @property {string} id
 * @property {string} label
 * @property {Tier | 'machine'} tier
 * @property {number | null} limit  null: not on record
 * @property {string} unit
 * @property {string} [note]        half a sentence: why more than the limit may be used, or why there is none
 * @property {(number | null)[]} values
 *
 * @typedef {object} TimeLedger  where the time of good answers went, mean milliseconds
 * @property {'wire'} [source]   the parts are times on the wire; else services told them
 * @property {{ id: string, label: string, tier: Tier | 'outside', waits: boolean }[]} parts
 * @property {{ t_s: number[], parts: Record<string, (number | null)[]>, measured_ms: (number | null)[] }} series  measured_ms is k6's own mean
 * @property {{ target: number, parts: Record<string, number | null>, measured_ms: number | null }[]} stages
 * @property {{ sum_ms: number, measured_ms: number, gap_fraction: number }} check
 *
 * @typedef {object} UserTime  users x seconds, and what they went into; the parts sum to it
 * @property {number} total_s
 * @property {{ id: UserTimePart, label: string, seconds: number, share: number }[]} parts
 * @property {{ target: number, parts: Record<UserTimePart, number | null> }[]} stages  shares, 0 to 1, in the order of the load's stages
 *
 * @typedef {'answered' | 'failed' | 'connecting' | 'thinking' | 'generator'} UserTimePart  generator: its own overhead
 *
 * @typedef {object} HostReport
 * @property {string} name
 * @property {string[]} services          that ran on it, by their names
 * @property {string[]} beside            other hosts that are the same machine
 * @property {number} cores
 * @property {number} memory_bytes
 * @property {string} os
 * @property {string} kernel
 * @property {string} engine
 * @property {number | null} busy_share   of the machine's cores over the load; null where it was not read
 * @property {number | null} clock_offset_s  against the clock of the lab's machine; null for that one
 * @property {number | null} clock_within_s  as exactly as that is known
 *
 * @typedef {object} Machine
 * @property {string} os
 * @property {string} kernel
 * @property {string} cpu_model
 * @property {number} cores
 * @property {number} memory_bytes
 * @property {string} engine      container engine and version
 * @property {string} images      `hub` or `local`
 */
export const RESULT_SCHEMA_VERSION = 2;
