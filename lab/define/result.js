/**
 * The shape of `result.json`: what the analysis says of one run, and all that a report may show. Rendering reads this
 * and computes nothing. Counts are requests of the load alone (the warm-up is in no figure). Times in `t_s` are seconds
 * from the start of the load; negative ones are the warm-up. Names end in unit and qualifier.
 *
 * @typedef {'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'queue'} Tier
 * @typedef {{ p50: number | null, p95: number | null, p99: number | null, max: number | null }} Percentiles
 * @typedef {{ mean: number | null, max: number | null }} MeanMax
 *
 * @typedef {object} Result
 * @property {1} schema
 * @property {string} run                 `<architecture or experiment>/<UTC time>-<short id>`, the folder below reports/
 * @property {string} architecture        id, such as `2a`
 * @property {string} architecture_title  in words
 * @property {string} load                id, such as `ramp`
 * @property {string} load_title
 * @property {string} budget              `fair` or `none`
 * @property {string} started             ISO 8601, start of the load
 * @property {number} duration_s          from the start of the load to the last answer
 * @property {boolean} interrupted        the load was cut short; what was measured until then is here
 * @property {string} command             repeats this run
 * @property {string} headline            the verdict in one or two sentences, made from the ledger
 * @property {TryNext[]} try_next         what may relieve the culprit; empty when nothing is known
 * @property {Validity} validity
 * @property {Metrics} metrics
 * @property {Published | null} published figures of the same architecture from its source
 * @property {FailureCounts} failures_by  how k6 saw the failures
 * @property {Ledger} ledger
 * @property {Flow} flow
 * @property {Record<string, Resource>} resources  by service name (`k6`, `nginx`, `app-1`, `mongo`)
 * @property {Stage[]} stages
 * @property {TimelineRow[]} timeline
 * @property {Series} series
 * @property {TimeLedger | null} time_ledger
 * @property {{ tier: Tier, evidence: string[] } | null} bottleneck
 * @property {string} bottleneck_reason   why this tier, or why none could be named
 * @property {Machine} machine
 * @property {Record<string, string>} versions  component to the version that it reports of itself
 * @property {string[]} notes             doubts about the data, in words
 * @property {string} scenario            key of the scenarios table: what one request is
 * @property {Record<string, string>} variables  the architecture's own, such as `WORKERS`; every one of them with its value
 * @property {Record<string, number | null>} figures  the scenario's own, by the ids of its table entry
 * @property {Breakdown[]} breakdowns     the scenario's own tables; empty for most
 *
 * @typedef {object} Breakdown            figures by something that the scenario tells apart, such as operation
 * @property {string} title
 * @property {string} caption             what to see in it
 * @property {string} rows_label          heading of the names, such as `operation`
 * @property {{ id: string, label: string, unit: import('./metrics.js').Unit }[]} columns
 * @property {{ name: string, values: (number | null)[] }[]} rows  values in the order of the columns
 *
 * @typedef {{ command: string, why: string }} TryNext
 * @typedef {{ verdict: 'VALID' | 'SUSPECT' | 'INVALID', reasons: string[], stages?: StageValidity[] }} Validity  stages: since schema 2
 * @typedef {{ target: number, from_s: number, to_s: number, verdict: 'VALID' | 'SUSPECT' | 'INVALID', reasons: string[] }} StageValidity
 *
 * @typedef {object} Metrics
 * @property {number} requests            finished requests, good and failed
 * @property {number} throughput_rps      finished requests a second
 * @property {number} goodput_rps         good answers a second
 * @property {number} failures
 * @property {number} failure_rate        0 to 1
 * @property {{ all: Percentiles, ok: Percentiles }} latency_ms
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
 * @property {{ tier: Tier, service: string, received: number | null, answered_ok: number | null, answered_error: number | null, lost: number | null }[]} tiers
 * @property {Failure[]} failures        rows sum with `unattributed` exactly to metrics.failures
 * @property {number} unattributed
 * @property {Writes} writes
 * @property {{ statement: string, left: number, right: number, holds: boolean, exact?: boolean }[]} checks  conservation,
 *   tier by tier; exact: nothing rests on a run in which it is off by one
 *
 * @typedef {object} Failure
 * @property {Tier} tier
 * @property {string} service
 * @property {string} cause       id, such as `connection-table-full`
 * @property {string} cause_title in words
 * @property {number} count
 * @property {number} share       of all failures, 0 to 1
 * @property {string} rule        which rule placed them, in words
 * @property {Evidence[]} evidence
 *
 * @typedef {{ kind: 'log', source: string, line: string, count: number } | { kind: 'counter', source: string, name: string, before: number, after: number } | { kind: 'count', source: string, text: string, count: number }} Evidence
 *
 * @typedef {{ acknowledged: number | null, persisted: number | null, unacknowledged: number | null, lost: number | null, duplicated: number | null }} Writes
 *
 * @typedef {object} Flow
 * @property {{ id: string, label: string, tier: Tier, received: number | null, answered_ok: number | null, answered_error: number | null, note: string }[]} nodes  in the order that requests pass
 * @property {{ from: string, to: string, requests: number | null, share: number | null }[]} edges  share of what `from` passed on
 * @property {{ at: string, cause_title: string, count: number, share: number }[]} outlets  share of all requests
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
 * @property {'users' | 'rps'} unit
 * @property {boolean} held
 * @property {number | null} throughput_rps
 * @property {number | null} goodput_rps
 * @property {number | null} failure_rate
 * @property {number | null} latency_ms_p50_ok  median over the stage's seconds
 * @property {number | null} latency_ms_p95_ok
 * @property {number | null} latency_ms_p99_ok
 * @property {Record<string, number | null>} cpu_share  service to mean share of its quota (or of the host's cores)
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
 * @property {{ id: string, label: string, tier: Tier, limit: number | null, unit: string, values: (number | null)[] }[]} limits  limited resources
 *
 * @typedef {object} TimeLedger  where the time of good answers went, mean milliseconds
 * @property {{ id: string, label: string, tier: Tier, waits: boolean }[]} parts
 * @property {{ t_s: number[], parts: Record<string, (number | null)[]>, measured_ms: (number | null)[] }} series  measured_ms is k6's own mean
 * @property {{ target: number, parts: Record<string, number | null>, measured_ms: number | null }[]} stages
 * @property {{ sum_ms: number, measured_ms: number, gap_fraction: number }} check
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
export const RESULT_SCHEMA_VERSION = 1;
