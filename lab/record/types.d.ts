/* Made from the schemas beside it by "lab/doubletake docs". */

export type Tier = 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue';
export type Evidence =
  | {
      kind: 'log';
      source: string;
      line: string;
      count: number;
    }
  | {
      kind: 'counter';
      source: string;
      name: string;
      before: number;
      after: number;
    }
  | {
      kind: 'count';
      source: string;
      text: string;
      count: number;
    }
  | {
      kind: 'reading';
      text: string;
    };
/** generator: its own overhead */
export type UserTimePart = 'answered' | 'failed' | 'connecting' | 'thinking' | 'generator';
/** raced: sent on a connection that had been closed; unasked: on the connection no request was sent; unseen: nothing on the wire is it */
export type WireFailureEnd =
  | 'answered'
  | 'given-up'
  | 'closed'
  | 'reset'
  | 'cut'
  | 'open'
  | 'raced'
  | 'refused'
  | 'unanswered'
  | 'unasked-closed'
  | 'unasked-reset'
  | 'unasked-open'
  | 'unseen';
/** of `other` against `base` */
export type MetricVerdict = 'better' | 'worse' | 'same' | 'INCONCLUSIVE';
export type ClaimVerdict = 'HOLDS' | 'REFUTED' | 'INCONCLUSIVE';
/** read from runs; by the fit, within the numbers measured; by the fit or the model, where no run was made */
export type Basis = 'measured' | 'fitted' | 'extrapolated';
export type FindingVerdict = 'HOLDS' | 'REFUTED' | 'INCONCLUSIVE' | 'DEPENDS' | 'DOES NOT CARRY OVER' | 'not measured';

export interface Documents {
  result: Result;
  compare: Comparison;
  experiment: ExperimentResult;
  plan: CapacityPlan;
  findings: Findings;
}
/** What the analysis says of one run, and all that a report may show. Counts are requests of the load alone: the warm-up is in no figure. Times in `t_s` are seconds from the start of the load; negative ones are the warm-up. Names end in unit and qualifier. */
export interface Result {
  schema: 2;
  /** `<architecture or experiment>/<UTC time>-<short id>`, the folder below reports/ */
  run: string;
  /** id, such as `2a` */
  architecture: string;
  /** in words */
  architecture_title: string;
  /** id, such as `ramp` */
  load: string;
  load_title: string;
  /** key of the budgets table */
  budget: string;
  /** that quotas or think time follow from; null when neither does */
  calibration: {
    /** its record, a folder below reports/ */
    run: string;
    /** ISO 8601 */
    measured: string;
    validity: 'VALID' | 'SUSPECT';
    machine: {
      cpu_model: string;
      cores: number;
      kernel: string;
    };
    /** by the variables of the Compose files */
    images: {
      [k: string]: string;
    };
    git: {
      commit: string;
      changed: boolean;
    } | null;
    /** CPU milliseconds a finished request */
    demand_ms: {
      [k: string]: number;
    };
    throughput_rps: number;
    /** of the system of which a load asks a share: what it answers well when it is full */
    served?: {
      architecture: string;
      budget: string;
      /** of its own */
      variables: {
        [k: string]: string;
      };
      /** the median */
      rps: number;
      /** records, folders below reports/ */
      runs: string[];
    };
  } | null;
  /** ISO 8601, start of the load */
  started: string;
  /** from the start of the load to the last answer */
  duration_s: number;
  /** the load was cut short; what was measured until then is here */
  interrupted: boolean;
  /** where it ended before its time; null where it did not */
  load_end: null | LoadEnd;
  /** when the system stopped, which the headline says first; null where it did not */
  onset: null | Onset;
  /** repeats this run */
  command: string;
  /** the verdict in one or two sentences, made from the ledger */
  headline: string;
  /** what may relieve the culprit; of an INVALID run what to do before it is made again, and then what would relieve the culprit if a VALID run named the same; empty when nothing is known */
  try_next: TryNext[];
  validity: Validity;
  metrics: Metrics;
  /** figures of the same architecture from its source */
  published: null | Published;
  /** how k6 saw the failures */
  failures_by: FailureCounts;
  ledger: Ledger;
  flow: Flow;
  /** by service name, such as `k6` or `app-1` */
  resources: {
    [k: string]: Resource;
  };
  stages: Stage[];
  timeline: TimelineRow[];
  series: Series;
  /** null where no service told how long it had a request */
  time_ledger: null | TimeLedger;
  /** services on the way that did not tell, and what would make them */
  time_untold: string[];
  /** null where k6 did not make the load, or left no full record of it */
  user_time: null | UserTime;
  /** of the whole run, over the seconds that hurt where there were any */
  bottleneck: {
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'machine';
    /** of that tier, where failed requests were followed to it */
    service?: string;
    evidence: string[];
  } | null;
  /** why this tier, or why none could be named */
  bottleneck_reason: string;
  /** a row for each of `stages` */
  bottleneck_by_stage: StageBottleneck[];
  /** when each limit was reached, answers became slow and requests began to fail, in the order of time */
  giving_way: string[];
  /** what users got in the end, where they try again or give up early; null as published */
  client: null | Client;
  /** writes that users were told were done and that are gone */
  gone_writes: null | GoneWrites;
  /** what became of what a queue had taken; null where none takes what users ask for */
  queue: null | Queue;
  /** that its user put in (FAULT), and the load's surge, in the order of time; empty for most */
  faults: FaultEffect[];
  machine: Machine;
  /** of a run on a Swarm */
  hosts?: HostReport[];
  /** what services asked of each other, as it passed their networks; null where that was not recorded */
  wire: null | Wire;
  /** null where the wire was not recorded or the system is shipped */
  waiting: null | Waiting;
  /** component to the version that it reports of itself */
  versions: {
    [k: string]: string;
  };
  /** doubts about the data, in words */
  notes: string[];
  /** key of the scenarios table: what one request is */
  scenario: string;
  /** the architecture's own, such as `WORKERS`; every one of them with its value */
  variables: {
    [k: string]: string;
  };
  /** the scenario's own, by the ids of its table entry */
  figures: {
    [k: string]: number | null;
  };
  /** the scenario's own tables; empty for most */
  breakdowns: Breakdown[];
  /** version by whose rules the run was graded; nothing where it is its own */
  graded_by?: number;
}
/** seconds that it took and was to take, and both with the reason in a sentence */
export interface LoadEnd {
  after_s: number;
  most_s: number;
  text: string;
}
/** of the last stop, or where it came back from each of the longest */
export interface Onset {
  /** nobody was ever answered well; from then on nobody was; for a time nobody was */
  kind: 'never' | 'stopped' | 'came-back';
  /** of the load: the last good answer before it */
  from_s: number;
  /** where it came back: the first good answer after it */
  to_s: number | null;
  /** a sentence or two */
  text: string;
}
export interface TryNext {
  command: string;
  why: string;
  /** of an INVALID run, which proves nothing: to be tried only if a VALID one says the same */
  once_valid?: true;
}
export interface Validity {
  /** the worst of its doubts: comparisons leave out a run that is INVALID, whatever of it stands */
  verdict: 'VALID' | 'SUSPECT' | 'INVALID';
  /** of the whole run, and of stages what the whole run does not show */
  reasons: string[];
  /** the same with what each can move */
  doubts: RunDoubt[];
  stages: {
    target: number;
    from_s: number;
    to_s: number;
    verdict: 'VALID' | 'SUSPECT' | 'INVALID';
    reasons: string[];
    doubts: RunDoubt[];
  }[];
}
export interface RunDoubt {
  /** by which it was found: one name for each, such as `stolen` */
  rule: string;
  grade: 'SUSPECT' | 'INVALID';
  /** one sentence with the figure and its limit, without its full stop */
  reason: string;
  /** kinds of statements that it can move: all others stand */
  touches: (
    | 'rates'
    | 'latencies'
    | 'counts'
    | 'placements'
    | 'timed-placements'
    | 'hop-times'
    | 'bottleneck'
    | 'resources'
    | 'completions'
    | 'writes'
    | 'fault-effects'
  )[];
}
export interface Metrics {
  /** finished requests, good and failed */
  requests: number;
  /** finished requests a second */
  throughput_rps: number;
  /** good answers a second */
  goodput_rps: number;
  failures: number;
  /** failures in which a tier said no by a rule or a limit of its own, whatever made it */
  refused: number | null;
  /** failures that were still open when the load and its grace ended */
  unanswered: number;
  /** of an open load, that the generator could not begin; null where nobody counted */
  dropped_arrivals: number | null;
  /** 0 to 1, of attempts; null where none is on record */
  failure_rate: number | null;
  failures_per_user_minute: number | null;
  /** of the users' time, spent on requests that failed; 0 to 1 */
  failed_user_time_share: number | null;
  /** what the user waited: from wanting to send to the last byte */
  latency_ms: {
    all: Percentiles;
    ok: Percentiles;
  };
  /** k6's own http_req_duration, without connecting: as sources publish it */
  duration_ms: {
    all: Percentiles;
    ok: Percentiles;
  } | null;
}
export interface Percentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
}
export interface Published {
  source: string;
  requests: number;
  throughput_rps: number;
  goodput_rps: number | null;
  failures: number;
  failure_rate: number;
  latency_ms_p95_all: number | null;
  latency_ms_p95_ok: number | null;
}
export interface FailureCounts {
  /** HTTP status to count */
  status: {
    [k: string]: number;
  };
  /** k6 error code to count, for failures without a status */
  error_code: {
    [k: string]: number;
  };
  /** what k6's error text says (`eof`, `reset`, ...) */
  kind: {
    [k: string]: number;
  };
}
export interface Ledger {
  /** what each tier says of itself */
  hops: Hop[];
  /** what the two ends of each connection say of the requests between them */
  edges: Edge[];
  /** rows sum with `unattributed` exactly to metrics.failures */
  failures: Failure[];
  unattributed: number;
  /** why; empty where all are placed */
  unattributed_reason: string;
  /** what did not fail but cost */
  near_misses: NearMiss[];
  writes: Writes;
  /** conservation, tier by tier; may_differ: by what crossed the load's edges and is no loss; exact: nothing rests on a run in which it is off by one */
  checks: {
    statement: string;
    left: number;
    right: number;
    may_differ?: number;
    holds: boolean;
    exact?: boolean;
  }[];
}
export interface Hop {
  tier: Tier;
  service: string;
  /** where its counts come from */
  source: string;
  received: number | null;
  answered_ok: number | null;
  answered_error: number | null;
  /** ended without an answer */
  aborted: number | null;
  /** calls that are in no count of these, for they carry no id of a request though others on their edge do: health checks and the like */
  left_out?: number;
}
export interface Edge {
  /** service */
  from: string;
  to: string;
  /** by the caller's own record */
  sent: number | null;
  sent_source: string;
  /** by the callee's own record */
  received: number | null;
  received_source: string;
  /** requests and attempts that were sent, and of which the callee has no record */
  unseen: number | null;
  /** null where nothing of it passed the networks of the run; nothing where these were not recorded */
  wire?: null | EdgeOnWire;
}
/** what passed from one service to the other in the load, on all ports; calls are the sum of answered, given_up, broken_off and open */
export interface EdgeOnWire {
  calls: number;
  /** whole, in time */
  answered: number;
  /** of those, that say that it went wrong at the callee; of what the load asked, that it took for failed */
  bad: number;
  /** of those, others with a status from 400 on; nothing where there were none */
  client_errors?: number;
  /** by the caller, before a byte of the answer */
  given_up: number;
  /** closed or reset by the callee, or cut short by either */
  broken_off: number;
  /** when the recording ended */
  open: number;
  /** of all calls, on a connection that the callee had closed before */
  raced: number;
  /** that were asked for */
  connections: number;
  /** of those, that were refused, not answered, or closed by the callee before a question */
  refused: number;
  /** of a protocol that is not read, such as TLS, or not understood: calls may be among them */
  unread_bytes: number;
}
/** placed on its trigger */
export interface Failure {
  tier: Tier;
  service: string;
  /** id, such as `connection-table-full` */
  cause: string;
  /** in words */
  cause_title: string;
  count: number;
  /** of all failures, 0 to 1 */
  share: number;
  /** which rule placed them, in words */
  rule: string;
  basis: {
    where: BasisCounts;
    why: BasisCounts;
  };
  /** what made many failures of the trigger */
  amplifier: {
    tier: Tier;
    service: string;
    cause: string;
    cause_title: string;
  } | null;
  /** from trigger to failures, in a sentence */
  chain: string | null;
  evidence: Evidence[];
}
/** failures by how it is known: proved (a record of that very request), timed (something recorded happened at the same time), counted (a counter of the run rose) or inferred (nothing else is left) */
export interface BasisCounts {
  [k: string]: number;
}
export interface NearMiss {
  id: string;
  tier: Tier;
  service: string;
  count: number;
  /** what happened and what it cost */
  text: string;
  evidence: Evidence[];
}
export interface Writes {
  acknowledged: number | null;
  persisted: number | null;
  unacknowledged: number | null;
  lost: number | null;
  duplicated: number | null;
}
export interface Flow {
  /** in the order that requests pass, then who lost requests beside their way; outside: none of the stack */
  nodes: {
    id: string;
    label: string;
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'outside';
    received: number | null;
    answered_ok: number | null;
    answered_error: number | null;
    note: string;
  }[];
  edges: FlowEdge[];
  /** share of all requests */
  outlets: {
    at: string;
    cause_title: string;
    count: number;
    share: number;
  }[];
}
export interface FlowEdge {
  from: string;
  to: string;
  requests: number | null;
  /** of what `from` passed on */
  share: number | null;
  /** calls on the wire, several to a request; else what a service or the generator counted */
  source?: 'wire';
  /** some of what passed could not be read */
  at_least?: boolean;
  /** where nothing that passed could be read */
  connections?: number;
}
export interface Resource {
  tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'observer';
  /** null when unlimited */
  cpu_quota_cores: number | null;
  /** during the load */
  cpu_cores: MeanMax;
  /** throttled quota periods over all */
  cpu_throttled_fraction: number | null;
  memory_bytes: MeanMax;
}
export interface MeanMax {
  mean: number | null;
  max: number | null;
}
export interface Stage {
  from_s: number;
  to_s: number;
  target: number;
  unit: 'users' | 'rps' | 'iterations/s';
  held: boolean;
  /** that ended in it, and of the last stage those that ended after it too; all stages have all requests of the load. null where no single request is on record */
  requests: number | null;
  /** of those that ended in its seconds */
  throughput_rps: number | null;
  goodput_rps: number | null;
  /** of its requests */
  failure_rate: number | null;
  /** of its requests' good answers; where their number is not known the median over its seconds of each second's percentile, which is lower */
  latency_ms_p50_ok: number | null;
  latency_ms_p95_ok: number | null;
  latency_ms_p99_ok: number | null;
  /** service to mean share of its quota (or of the host's cores) */
  cpu_share: {
    [k: string]: number | null;
  };
  /** service to its CPU time for one finished request, good or failed */
  cpu_ms_per_request: {
    [k: string]: number | null;
  };
  /** mean over the stage's seconds of series.bound_rps */
  bound_rps: number | null;
}
/** one per second; null where k6 recorded nothing */
export interface TimelineRow {
  t_s: number;
  warmup: boolean;
  vus: number | null;
  throughput_rps: number | null;
  goodput_rps: number | null;
  failures_per_s: number | null;
  /** of all requests */
  latency_ms_p50: number | null;
  latency_ms_p95: number | null;
  latency_ms_p99: number | null;
  /** of good answers alone */
  latency_ms_p50_ok: number | null;
  latency_ms_p95_ok: number | null;
  latency_ms_p99_ok: number | null;
}
/** arrays as long as `timeline`, on the same seconds */
export interface Series {
  /** tier (or `unattributed`) to failures a second */
  failures_by_tier: {
    [k: string]: (number | null)[];
  };
  /** service to share of its quota, 0 to 1 and above */
  cpu_share: {
    [k: string]: (number | null)[];
  };
  /** limited resources */
  limits: Limit[];
  /** finished requests a second that users and CPU allow at most, as lab/diagnose/limits/laws.js reckons it */
  bound_rps: (number | null)[];
}
export interface Limit {
  id: string;
  label: string;
  tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'machine';
  /** null: not on record */
  limit: number | null;
  unit: string;
  /** half a sentence: why more than the limit may be used, or why there is none */
  note?: string;
  values: (number | null)[];
}
/** where the time of good answers went, mean milliseconds */
export interface TimeLedger {
  /** the parts are times on the wire; else services told them */
  source?: 'wire';
  parts: {
    id: string;
    label: string;
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'outside';
    waits: boolean;
  }[];
  /** measured_ms is k6's own mean */
  series: {
    t_s: number[];
    parts: {
      [k: string]: (number | null)[];
    };
    measured_ms: (number | null)[];
  };
  stages: {
    target: number;
    parts: {
      [k: string]: number | null;
    };
    measured_ms: number | null;
  }[];
  check: {
    sum_ms: number;
    measured_ms: number;
    gap_fraction: number;
  };
}
/** users x seconds, and what they went into; the parts sum to it */
export interface UserTime {
  total_s: number;
  parts: {
    id: UserTimePart;
    label: string;
    seconds: number;
    share: number;
  }[];
  /** shares, 0 to 1, in the order of the load's stages */
  stages: {
    target: number;
    parts: {
      answered: number | null;
      failed: number | null;
      connecting: number | null;
      thinking: number | null;
      generator: number | null;
    };
  }[];
}
export interface StageBottleneck {
  target: number;
  from_s: number;
  to_s: number;
  /** that binds in most of the stage's seconds; null when none does */
  tier: null | Tier;
  /** of that tier, the one that was at its limit longest */
  service: string | null;
  /** its limit, or what is known where no tier binds */
  what: string;
  /** finished requests a second */
  measured_rps: number | null;
  bound_rps: number | null;
  evidence: string[];
}
export interface Client {
  /** that users wait for an answer; null: k6's own 60 s */
  timeout_ms: number | null;
  /** of one request, at most */
  retries: number;
  /** before the first, doubled for each further one, of which users wait a random part; 0: at once */
  backoff_ms: number;
  /** of its requests that a user may try again; null: no such limit */
  budget_percent: number | null;
  /** what an answer says in Retry-After is waited for instead */
  retry_after: boolean;
  /** that users were done with */
  requests: number;
  /** of those, without a good answer */
  gave_up: number;
  attempts: number;
  /** attempts a request */
  amplification: number | null;
  /** from wanting to send the first attempt to the good answer */
  latency_ms_ok: Percentiles;
}
export interface GoneWrites {
  /** null where nobody knows: without the ids of requests (INTEGRITY=1) equal counts do not say that none is */
  count: number | null;
  /** there may be more */
  at_least: boolean;
  /** a sentence; empty where none is known to be gone */
  text: string;
  /** sentences: what would have kept them, by what is on record */
  to_do: string[];
}
/** writes of the load, which users were told were accepted (202) */
export interface Queue {
  accepted: number;
  /** written, in the load or after it; by the database's count where that is known, else by the worker's log */
  completed: number;
  /** written before the load had ended, by the worker's log */
  completed_in_load: number;
  /** taken out and not written, by the worker's own word */
  failed: number;
  /** still in the queue when the lab stopped waiting, by the queue's own count; null where it could not be asked */
  left: number | null;
  /** neither left nor failed nor stored, by the database's count; null where that or the queue's is not known */
  lost: number | null;
  /** stored, and the worker's log does not say when: it was killed */
  unlogged: number;
  /** from accepted to written, of those that were */
  lag_ms: Percentiles;
  /** accepted and not taken out, at the end of each second of the load */
  backlog: number[];
  /** how long the oldest of them had waited then */
  oldest_s: number[];
  /** from the end of the load to the last write; null where some were left */
  drained_after_s: number | null;
}
/** seconds from the start of the load */
export interface FaultEffect {
  /** as FAULT takes it, or the surge in words */
  text: string;
  began_s: number | null;
  /** undone, or over by itself */
  ended_s: number | null;
  /** why it could not be put in or undone; null where it was */
  failed: string | null;
  /** median of the seconds before it; null where there were too few */
  before: {
    seconds: number;
    goodput_rps: number;
    failure_rate: number | null;
  } | null;
  /** of the requests that ended while it was in force, from when it had been put in until undoing it began; null where that was a moment, or k6's own record tells no single request */
  during: {
    goodput_rps: number;
    failure_rate: number | null;
  } | null;
  /** from its end until good answers came as before; null where they did not in the load */
  recovered_after_s: number | null;
  /** from its end to that of the load */
  watched_after_s: number | null;
  /** it was over, as many requests arrived as before it, and service stayed down */
  metastable: boolean;
  /** of one that is metastable */
  loop: null | SustainingLoop;
  /** good answers a second from 30 to 60 s after its end, their median; null where the load ended before */
  later_rps: number | null;
  /** accepted and not taken by a worker: the most in the seconds before it, and since it began, and at the end of the load; null where no queue takes what users ask for */
  backlog: {
    before: number;
    most: number;
    at_end: number;
    recovered_after_s: number | null;
  } | null;
}
/** from the end of what set it off to the end of the load */
export interface SustainingLoop {
  /** requests a second that the load makes */
  arrivals_rps: number;
  /** what users sent for them, a second, by what came to its end */
  attempts_rps: number | null;
  /** good answers a second before it */
  served_before_rps: number;
  /** requests that the nodes were done with; null where their record does not tell */
  worked: number | null;
  /** of those, whose client had hung up before */
  in_vain: number | null;
}
export interface Machine {
  os: string;
  kernel: string;
  cpu_model: string;
  cores: number;
  memory_bytes: number;
  /** container engine and version */
  engine: string;
  /** `hub` or `local` */
  images: 'hub' | 'local';
}
export interface HostReport {
  name: string;
  /** that ran on it, by their names */
  services: string[];
  /** other hosts that are the same machine */
  beside: string[];
  cores: number;
  memory_bytes: number;
  os: string;
  kernel: string;
  engine: string;
  /** of the machine's cores over the load; null where it was not read */
  busy_share: number | null;
  /** against the clock of the lab's machine; null for that one */
  clock_offset_s: number | null;
  /** as exactly as that is known */
  clock_within_s: number | null;
}
export interface Wire {
  /** the busiest first */
  edges: WireEdge[];
  /** looked for on the network and not found: to: a service that had the address before, or the address */
  no_host: {
    from: string;
    to: string;
    asked: number;
  }[];
  /** null: not recorded, or not known; cpu_s: that recording took, of one core */
  networks: {
    name: string;
    packets: number | null;
    dropped: number | null;
    cpu_s: number | null;
  }[];
  /** of the record */
  gaps?: WireGap[];
  /** in words, the gaps among them */
  doubts: string[];
  /** what was seen and doubletake.yaml does not say, and the other way round, a sentence each */
  differs?: string[];
  /** requests of the load by what they asked for, the most frequent first */
  urls?: WireUrl[];
  /** the slowest good requests, then lost ones of each way in which requests were lost */
  waterfalls?: WireWaterfall[];
  /** of each edge behind the entry, the whole capture: calls, and those whose request is known, by an id or by order; ambiguous: of those, where another request would fit as well */
  joins?: {
    from: string;
    to: string;
    calls: number;
    by_id: number;
    by_order: number;
    ambiguous: number;
  }[];
  /** hosts that are none of the stack, and who asked them */
  outside?: WireOutside[];
  /** null where no good request was recorded to its end */
  time?: null | WireTime;
  /** with other records of the run */
  compared?: WireComparison[];
  /** null: no request failed */
  failures?: null | WireFailures;
  /** where requests stood */
  standing?: WireStanding;
}
/** of calls and connections that began in the load */
export interface WireEdge {
  /** who asked, by the name that its figures have; `host` is the machine; an address where no service had it */
  from: string;
  to: string;
  port: number;
  /** that most of its connections spoke; empty where nothing was said */
  protocol: string;
  /** opened: asked for, whatever became of it; reset: by who was asked; closed_unasked: by who was to be asked, before anything was */
  connections: {
    opened: number;
    refused: number;
    unanswered: number;
    reset: number;
    closed_unasked: number;
  };
  /** logins that were answered with an error, by its code */
  turned_away: {
    [k: string]: number;
  };
  /** the sum of `ends` */
  calls: number;
  ends: {
    answered: number;
    'given-up': number;
    closed: number;
    reset: number;
    cut: number;
    open: number;
  };
  /** of whole answers: a class of status ("2xx"), the code of an error, or "ok" */
  statuses: {
    [k: string]: number;
  };
  /** of those answered in time, that say that it went wrong at whoever answered */
  bad: number;
  /** on a connection that the other side had closed before */
  raced: number;
  /** given up, and answered afterwards */
  late: number;
  /** heartbeats, set-ups of connections, and what was said unasked */
  beside: number;
  /** of whole answers, from the first byte of the question to the last of the answer */
  time_ms: {
    p50: number | null;
    p95: number | null;
  };
  /** of calls that were given up */
  gave_up_after_ms: {
    p10: number;
    p50: number;
    p90: number;
  } | null;
  /** the most frequent first */
  timeouts: WireTimeout[];
  /** that no decoder could read */
  unknown_bytes: number;
  /** of a protocol that is known and not read, such as TLS */
  hidden_bytes: number;
}
/** that ended calls of an edge after equal times */
export interface WireTimeout {
  /** whose it is: who asked, or who was asked */
  by: string;
  /** gave-up: who asked waited no longer; connect: for a connection; closed, answered: who was asked closed the connection, or answered with an error, while it waited for nobody */
  how: 'gave-up' | 'connect' | 'closed' | 'answered';
  /** from the first byte of the question, the median */
  after_ms: number;
  count: number;
  /** of the edge's calls that ended in the same way, whatever they took, 0 to 1 */
  share: number;
}
/** what the record does not have */
export interface WireGap {
  /** unseen: a network was not recorded; dropped: by the kernel, or it is not known; ended: before the load did; late: connections were there before it; unread: a decoder failed */
  kind: 'unseen' | 'dropped' | 'ended' | 'late' | 'unread';
  /** without its edges */
  text: string;
  /** on which calls may be missing */
  edges: {
    from: string;
    to: string;
  }[];
}
/** answers of the entry */
export interface WireUrl {
  /** empty, as the template, of all that have no row of their own */
  verb: string;
  template: string;
  count: number;
  failed: number;
  /** of whole answers */
  time_ms: {
    p50: number | null;
    p95: number | null;
  };
  /** that it asked, the nearest to the entry first; calm: in seconds in which no request that failed began, null where every second or none was so; ambiguous_share: of its calls, 0 to 1 */
  edges: {
    from: string;
    to: string;
    calls_per_request: number;
    calls_per_request_calm: number | null;
    time_ms_per_request: number;
    ambiguous_share: number;
  }[];
}
/** a request and what was asked for it */
export interface WireWaterfall {
  why: 'slowest' | 'lost';
  /** requests that were good, or were lost in the same way */
  of_kind: number;
  /** null where it has none on the wire */
  id: string | null;
  /** from the begin of the load */
  at_s: number;
  /** null where its end was not seen */
  took_ms: number | null;
  /** the request itself first, then each call under the one that it was made for */
  rows: WireHop[];
  /** calls that have no row */
  more: number;
}
export interface WireHop {
  depth: number;
  from: string;
  to: string;
  protocol: string;
  verb: string;
  template: string;
  status: number | null;
  code: string | null;
  /** of a connection that was turned away, as in WireFailureEnd; no-host: nobody had the address, so that none began */
  end:
    | 'answered'
    | 'given-up'
    | 'closed'
    | 'reset'
    | 'cut'
    | 'open'
    | 'refused'
    | 'unanswered'
    | 'unasked-closed'
    | 'unasked-reset'
    | 'no-host';
  by: 'client' | 'server' | null;
  /** from the begin of the request */
  offset_ms: number;
  took_ms: number | null;
  /** null of the request itself */
  joined: 'id' | 'order' | null;
  /** another request would fit as well */
  ambiguous: boolean;
}
/** in the load */
export interface WireOutside {
  from: string;
  /** that was looked up; `host` is this machine; empty where no lookup is on record */
  name: string;
  /** some of those that were asked; none where the name was not found */
  addresses: string[];
  /** null where the name was not found */
  port: number | null;
  protocol: string;
  /** that were asked for, or used */
  connections: number;
  /** of those, refused or not answered */
  unopened: number;
  /** null where what passed is not read */
  calls: number | null;
  /** of those, without a whole answer in time, or with one that says that it went wrong */
  failed: number;
  /** of answered calls */
  time_ms: {
    p50: number | null;
    p95: number | null;
  };
  /** of connections, from asking for one to its last byte */
  open_ms: {
    p50: number | null;
    p95: number | null;
  };
  /** of the name */
  lookups: number;
  lookups_failed: number;
}
/** of good requests of the load, a mean over them */
export interface WireTime {
  requests: number;
  /** of the whole request */
  mean_ms: number;
  /** that requests passed, the nearest to the user first: the time in the service itself, without its calls to others; they sum to the whole. ambiguous_share: of that time, in calls that another request would fit as well */
  services: {
    service: string;
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'outside';
    ms: number;
    share: number;
    ambiguous_share: number;
  }[];
  /** tier: of who is asked; ms: of all calls there for a request together, with what lies behind; unjoined: calls in the load that belong to no request that is known, and their time, by request, which is in the caller's own */
  edges: {
    from: string;
    to: string;
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'outside';
    ms: number;
    calls_per_request: number;
    ambiguous_share: number;
    unjoined: number;
    unjoined_ms: number;
  }[];
}
/** of one way and one other record */
export interface WireComparison {
  from: string;
  to: string;
  /** in words: "sent by k6" */
  what: string;
  unit: 'requests' | 'ms';
  wire: number;
  other: number;
  /** the other record */
  source: string;
  /** of the difference; of: so many there are of the kind */
  explained: {
    kind: string;
    count: number;
    of: number;
  }[];
  /** what is not explained: above 0 the other has more */
  left: number;
  holds: boolean;
}
/** how failed requests ended where the generator had sent them */
export interface WireFailures {
  /** that the generator counts */
  failed: number;
  /** of those, whose end on the wire is known */
  explained: number;
  /** whose place in the ledger is where the wire saw the request last, or lies behind */
  agreed: number;
  /** by: who ended it, empty where nobody did; by_id: found by the request's id, the others by their time; placed: by the ledger, empty where it places none; timeouts: that they ran into, themselves or with a call of theirs */
  rows: {
    end: WireFailureEnd;
    by: string;
    count: number;
    by_id: number;
    placed: {
      service: string;
      cause: string;
      cause_title: string;
      count: number;
    }[];
    timeouts: WireRunInto[];
  }[];
  /** where the wire saw it last, and the ledger's place; arrived: there, by the wire, where the ledger's cause says that it was not */
  apart: {
    wire: string;
    ledger: string;
    cause_title: string;
    count: number;
    arrived?: boolean;
  }[];
}
/** count: of the failed */
export interface WireRunInto {
  /** whose it is: who asked, or who was asked */
  by: string;
  /** gave-up: who asked waited no longer; connect: for a connection; closed, answered: who was asked closed the connection, or answered with an error, while it waited for nobody */
  how: 'gave-up' | 'connect' | 'closed' | 'answered';
  /** from the first byte of the question, the median */
  after_ms: number;
  from: string;
  to: string;
  count: number;
}
/** a value for each step of the load: its mean over the step, where it is no count */
export interface WireStanding {
  step_s: number;
  /** of the first step, seconds from the start of the load */
  from_s: number;
  /** requests in each, less those for which it waited on others; in the order of a request's way. Beyond some the rest is one row */
  services: {
    name: string;
    standing: number[];
  }[];
  /** in the same order, beyond some the busiest. waiting: calls that are waited for, and connections that are being opened; gave_up: calls that `from` gave up */
  edges: {
    from: string;
    to: string;
    port: number;
    waiting: number[];
    connections: {
      asking: number[];
      unread: number[];
      in_transaction: number[];
      idle: number[];
      opening: number[];
      refused: number[];
    };
    gave_up: number[];
  }[];
  /** answers to the generator */
  good: number[];
  /** by the generator's record, when it knew of each; what was open when the load ended in the last step */
  failed: number[];
  /** in the order of time */
  marks: {
    t_s: number;
    kind: 'onset' | 'event' | 'limit';
    text: string;
  }[];
  /** up to ten seconds */
  worst: StandingInterval;
  /** what to see, in a sentence or two */
  text: string;
}
export interface StandingInterval {
  from_s: number;
  to_s: number;
  /** means over it, most first; none in which less than a hundredth stood */
  services: {
    name: string;
    standing: number;
  }[];
  /** in the order of a request's way; means, of `refused` and `gave_up` how many */
  edges: {
    from: string;
    to: string;
    port: number;
    waiting: number;
    connections: {
      asking: number;
      unread: number;
      in_transaction: number;
      idle: number;
      opening: number;
      refused: number;
    };
    gave_up: number;
    gave_up_after_ms: {
      p10: number;
      p50: number;
      p90: number;
    } | null;
  }[];
}
/** where failed requests failed, by following whom they waited for */
export interface Waiting {
  /** requests that failed on the wire */
  failed: number;
  /** of those, that were of kinds frequent enough */
  followed: number;
  /** the most requests first */
  findings: WaitingFinding[];
  /** in words */
  doubts: string[];
}
/** requests that failed at one place for one reason */
export interface WaitingFinding {
  /** verbs and templates of the first kinds; empty where they are not known */
  kind: string;
  count: number;
  /** edge: on which it shows */
  place: {
    service: string;
    edge: {
      from: string;
      to: string;
    } | null;
  };
  /** from the entry to the place, of the most frequent kind */
  chain: WaitingHop[];
  /** null: not on record */
  mechanism: string | null;
  /** the mechanism, as the end of a sentence that begins with the place */
  title: string | null;
  /** of the place */
  basis: 'proved' | 'counted' | 'timed' | 'inferred';
  /** of the mechanism */
  why_basis: 'proved' | 'counted' | 'timed' | 'inferred' | null;
  /** no reason is on record but that the caller of the last service on the way waited no longer */
  is_given_up: boolean;
  /** a line of the place's own log tells why; where there is one for each of them the first of the evidence has how many */
  log?: {
    /** the line's; empty where the mechanism stands for them */
    words: string;
    /** one for each of them, or as many; else said while requests failed alone */
    is_each: boolean;
  };
  /** sentences */
  evidence: string[];
  /** in words */
  doubts: string[];
}
export interface WaitingHop {
  /** that was asked */
  service: string;
  edge: {
    from: string;
    to: string;
  };
  /** how the calls ended */
  said: string;
  /** share of the failed requests that have such a call; null where the way is known by waiting alone */
  failed: number | null;
  /** of the good ones; null where there were too few */
  good: number | null;
  /** how it is known that the calls are theirs; within: each lies in one of them; count: as many were answered well as requests were, so that none is left for these; before: they are not theirs, and nobody was asked since; push: no call was open, a message was waited for */
  by: 'request' | 'id' | 'order' | 'within' | 'count' | 'waiting' | 'before' | 'push';
}
/** figures by something that the scenario tells apart, such as operation */
export interface Breakdown {
  title: string;
  /** what to see in it */
  caption: string;
  /** heading of the names, such as `operation` */
  rows_label: string;
  columns: {
    id: string;
    label: string;
    unit: 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';
  }[];
  /** values in the order of the columns */
  rows: {
    name: string;
    values: (number | null)[];
  }[];
}
/** Two arms of an experiment held against each other, block by block. The run is the sample. */
export interface Comparison {
  schema: 2;
  /** folder below reports/, such as `compare/20261121T040000Z-1a2b` */
  id: string;
  /** such as `2a against 2a-tuned` */
  title: string;
  load: string;
  load_title: string;
  budget: string;
  /** of the random order */
  seed: number;
  /** ISO 8601 */
  started: string;
  ended: string;
  /** repeats it */
  command: string;
  /** to the list of everything, and to the experiment that it is part of; null where there is none */
  links: {
    index: string | null;
    experiment: string | null;
  };
  /** the baseline */
  base: Arm;
  /** the candidate, which is judged */
  other: Arm;
  /** block by block; false against a baseline, whose runs have no blocks in common with the others */
  paired: boolean;
  blocks: Blocks;
  /** the A/A control whose noise the deltas know of; null when none was measured here */
  control: null | Control;
  /** in the order of the metrics table, gates first */
  metrics: MetricComparison[];
  /** how many metrics were tested, and what was done about it, in words */
  correction: string;
  /** null when no latency was shortened by dropping requests */
  survivorship: null | Survivorship;
  verdict: Verdict;
  /** doubts, in words */
  notes: string[];
  machine: {
    text: string;
    cores: number;
    cpu_model: string;
    os: string;
    memory_bytes: number;
  };
}
export interface Arm {
  /** the same as its label in the schedule, such as `2a-tuned` */
  id: string;
  architecture: string;
  /** in words */
  title: string;
  /** in the order they were made */
  runs: ArmRun[];
  /** how many of the runs that count are SUSPECT, and why; null when none is */
  doubt: null | Doubt;
  /** median failure rate of the runs that count */
  failed_share: number | null;
  /** of the typical run */
  headline: string | null;
  /** href of the run whose goodput is nearest to the median; null without one */
  typical_run: string | null;
  /** of the typical run */
  flow: null | Flow;
  /** over all runs that count */
  ledger: LedgerRow[];
  /** over all runs that count */
  timeline: ArmTimelineRow[];
}
export interface ArmRun {
  block: number;
  /** report.html of the run, relative to the folder of compare.json; null where it is not kept */
  href: string | null;
  validity: {
    verdict: 'VALID' | 'SUSPECT' | 'INVALID';
    /** of the whole run, and of stages what the whole run does not show */
    reasons: string[];
    doubts: RunDoubt[];
  };
  /** false: INVALID, or its partner is */
  counts: boolean;
  /** by metric id */
  metrics: {
    [k: string]: number | null;
  };
}
/** stands wherever the figures of these runs do */
export interface Doubt {
  suspect: number;
  /** that count, SUSPECT ones included */
  runs: number;
  /** `8 of 8 runs SUSPECT: the generator's CPU was at its quota for ...` */
  text: string;
}
export interface LedgerRow {
  tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'unattributed';
  cause_title: string;
  /** over all runs that count */
  count: number;
  /** of the arm's failures */
  share: number;
}
export interface ArmTimelineRow {
  t_s: number;
  goodput_rps: Range;
  failures_per_s: Range;
  latency_ms_p95_ok: Range;
  vus: Range;
}
/** low and high are the extremes over the blocks */
export interface Range {
  median: number | null;
  low: number | null;
  high: number | null;
}
export interface Blocks {
  wanted: number;
  /** blocks in which both runs count */
  complete: number;
  /** blocks that a verdict needs */
  least: number;
  /** INVALID runs */
  left_out: {
    arm: string;
    block: number;
    reasons: string[];
  }[];
}
export interface Control {
  /** the A/A control */
  command: string;
  started: string;
  blocks: number;
  /** by metric id: largest ratio (minus 1) or difference that its interval allows */
  noise: {
    [k: string]: number;
  };
}
export interface MetricComparison {
  id: string;
  label: string;
  unit: 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';
  better: 'higher' | 'lower';
  gate: boolean;
  scale: 'ratio' | 'difference';
  /** median and extremes of the runs that count */
  base: Range;
  other: Range;
  /** pairs with a figure on both sides */
  blocks: number;
  /** other/base, or other-base; Hodges-Lehmann */
  estimate: number | null;
  /** 95 % interval */
  low: number | null;
  high: number | null;
  /** Wilcoxon signed-rank, two-sided, exact */
  p: number | null;
  /** Holm, within the gates or within the rest */
  p_adjusted: number | null;
  /** matched-pairs rank-biserial correlation, -1 to 1; positive when other is larger */
  effect: number | null;
  /** differences below it do not matter; on the scale of estimate (0.05 is 5 %) */
  delta: number;
  /** why it is what it is */
  delta_from: string;
  verdict: MetricVerdict;
  /** why a better value is not called better: the gate that is worse */
  held_back: string | null;
  /** the verdict in words */
  sentence: string;
  /** beside every latency of successes */
  failed_share: {
    base: number | null;
    other: number | null;
  } | null;
}
export interface Survivorship {
  sentence: string;
  /** whose latency looks shorter */
  arm: string;
  failed_share: number;
  latency_ms_p95_ok: {
    base: number;
    other: number;
  };
  /** percentile of all requests sent that the arm's p95 of successes is at best, 0 to 100 */
  rank: number;
}
export interface Verdict {
  word: 'better' | 'worse' | 'same' | 'mixed' | 'INCONCLUSIVE';
  /** with figures, complete by itself */
  sentence: string;
  reasons: string[];
}
/** What an experiment found, claim by claim. */
export interface ExperimentResult {
  schema: 2;
  /** folder below reports/, such as `doubling/20261121T040000Z-1a2b` */
  id: string;
  /** key of the table, such as `doubling` */
  experiment: string;
  title: string;
  question: string;
  /** of several, with "and" between */
  load: string;
  load_title: string;
  budget: string;
  seed: number;
  /** ISO 8601 */
  started: string;
  ended: string;
  /** repeats it */
  command: string;
  /** link to the list of everything; null where there is none */
  index: string | null;
  /** the finding in one or two sentences */
  headline: string;
  blocks: {
    wanted: number;
    complete: number;
    least: number;
    left_out: {
      arm: string;
      block: number;
      reasons: string[];
    }[];
  };
  arms: ExperimentArm[];
  claims: ClaimResult[];
  /** SHA-256 of the claims as they stood before the first run; null without claims */
  claims_hash: string | null;
  /** comparisons made, each with a page of its own */
  pairs: Pair[];
  curve: null | CurveResult;
  /** the source's figures beside the measured ones; null where it gives none by arm */
  published: null | PublishedTable;
  notes: string[];
  machine: {
    text: string;
    cores: number;
    cpu_model: string;
    os: string;
    memory_bytes: number;
  };
  /** component to version */
  versions: {
    [k: string]: string;
  };
}
export interface ExperimentArm {
  id: string;
  title: string;
  /** of its own, where the experiment has several */
  load?: string;
  /** that count */
  runs: number;
  /** left out */
  invalid: number;
  /** counted, with doubts */
  suspect: number;
  /** how many of the runs that count are SUSPECT, and why; null when none is */
  doubt: null | Doubt;
  /** by metric id, over the runs that count */
  metrics: {
    [k: string]: Range;
  };
  ledger: LedgerRow[];
  /** the median of each figure over the runs that count */
  breakdowns: Breakdown[];
  /** href */
  typical_run: string | null;
  /** of the typical run */
  outcomes: null | Outcomes;
  /** of the typical run */
  price: null | Price;
  all_runs: ArmRun[];
}
/** requests a second, over the whole load; they add up to all of them */
export interface Outcomes {
  /** answered well, or behind a queue done while the load went on */
  done_rps: number;
  /** that a queue had accepted, and that were not done while the load went on */
  accepted_rps: number;
  /** failures in which a tier said no by a rule or a limit of its own */
  refused_rps: number;
  /** all others */
  failed_rps: number;
}
export interface Price {
  /** that serve */
  containers: number;
  /** open at once, the most of any second; of several databases added up; null where one was not asked */
  database_connections: number | null;
  /** writes that a queue had accepted and nobody had taken, the most of any second; null without a queue */
  backlog: number | null;
  /** from the end of the load until the queue was empty */
  drained_after_s: number | null;
  /** of the reads; null where nobody counts them */
  stale_share: number | null;
}
export interface ClaimResult {
  /** such as `D3` */
  id: string;
  /** what was claimed */
  statement: string;
  /** by whom */
  source: string;
  /** figures, each in words */
  published: {
    label: string;
    text: string;
  }[];
  /** what decides it, in words, as fixed before the run */
  test: string;
  /** in words */
  delta: string;
  verdict: ClaimVerdict;
  /** to be quoted: the sentence, what decided it, and what SUSPECT runs change about it */
  quote: string;
  /** the sentence alone */
  sentence: string;
  /** figures with their intervals; null: decides nothing */
  measured: {
    label: string;
    text: string;
    holds: boolean | null;
  }[];
  /** what decided it, what SUSPECT runs change about it, and the claim's own */
  remarks: string[];
  /** version of the rules by which it was judged */
  rules: number;
  /** the parts of the test, for drawing, over all runs that count */
  tests: ClaimTest[];
  /** arms that it shows or rests on of which runs were SUSPECT; null where it was judged before claims knew of doubts */
  doubts: ArmDoubt[] | null;
  /** the same tests without what was SUSPECT; null where its tests rest on nothing SUSPECT */
  without_suspect: null | WithoutSuspect;
  relief: null | Relief;
  /** pages that show it */
  evidence: {
    label: string;
    href: string;
  }[];
}
export interface ClaimTest {
  label: string;
  /** what the estimate was read from: runs unless said otherwise */
  basis?: 'runs' | 'published';
  scale: 'ratio' | 'difference' | 'share';
  /** that had a figure */
  blocks: number;
  estimate: number | null;
  low: number | null;
  high: number | null;
  threshold: number;
  /** side of the threshold on which the claim holds */
  wanted: 'at least' | 'at most';
  /** the published figure on the same scale */
  published: number | null;
  verdict: ClaimVerdict;
}
export interface ArmDoubt {
  arm: string;
  doubt: Doubt;
}
/** another verdict than that of all runs makes the claim INCONCLUSIVE */
export interface WithoutSuspect {
  verdict: ClaimVerdict;
  /** over: what was read, in words; null where nothing could be, and why */
  tests: {
    label: string;
    /** what the estimate was read from: runs unless said otherwise */
    basis?: 'runs' | 'published';
    scale: 'ratio' | 'difference' | 'share';
    /** that had a figure */
    blocks: number;
    estimate: number | null;
    low: number | null;
    high: number | null;
    threshold: number;
    /** side of the threshold on which the claim holds */
    wanted: 'at least' | 'at most';
    /** the published figure on the same scale */
    published: number | null;
    verdict: ClaimVerdict;
    over: string | null;
    why?: string;
  }[];
}
/** the claim's accusation, tested by relieving the accused and, beside it, the rival */
export interface Relief {
  /** "pool relieved: failures stay; balancer relieved: failures gone" */
  sentence: string;
  /** failure rate of the arm where nothing is relieved */
  before: Range;
  before_arm: string;
  rows: ReliefRow[];
}
export interface ReliefRow {
  /** that is relieved */
  tier: string;
  /** by the claim */
  accused: boolean;
  /** in which it is relieved */
  arm: string;
  /** what was changed */
  relief: string;
  /** failure rate */
  after: Range;
  failures: 'gone' | 'fewer' | 'stay' | 'more' | 'INCONCLUSIVE';
  /** of the arm's runs */
  doubt: null | Doubt;
}
export interface Pair {
  base: string;
  other: string;
  /** compare.html */
  href: string;
  verdict: Verdict;
}
/** a metric against a number of nodes, workers or threads */
export interface CurveResult {
  /** such as `nodes` */
  x_label: string;
  /** id */
  metric: string;
  metric_label: string;
  unit: 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';
  points: CurvePoint[];
  /** null when it could not be fitted */
  usl: null | Usl;
  /** why there is no fit, or no peak */
  usl_refused: string | null;
  /** the x after which another one adds less than half of a linear share */
  knee: number | null;
  /** why no knee is looked for */
  knee_refused: string | null;
  sentence: string;
}
export interface CurvePoint {
  x: number;
  arm: string;
  value: Range;
  /** one per run */
  values: number[];
  /** of linear growth from the first point, 1 is linear */
  efficiency: number | null;
  failure_rate: Range;
}
/** Universal Scalability Law: X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), Gunther 1993 */
export interface Usl {
  /** throughput of one */
  lambda: {
    estimate: number;
    low: number;
    high: number;
  };
  /** contention */
  sigma: {
    estimate: number;
    low: number;
    high: number;
  };
  /** coherence */
  kappa: {
    estimate: number;
    low: number;
    high: number;
  };
  /** null when it is not within reach of the data */
  peak: {
    n: number;
    value: number;
    low: number | null;
    high: number | null;
  } | null;
  /** fitted, with its band, within reach of the data */
  line: {
    x: number;
    value: number;
    low: number;
    high: number;
  }[];
  /** how the interval was made */
  method: string;
}
export interface PublishedTable {
  source: string;
  /** how near a measured figure is expected to be, such as 0.05 for 5 %; null where none is */
  within: number | null;
  arms: {
    arm: string;
    figures: PublishedFigure[];
  }[];
}
export interface PublishedFigure {
  /** id */
  metric: string;
  label: string;
  unit: 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';
  published: number;
  /** over the runs that count */
  measured: Range;
  /** measured median over published */
  ratio: number | null;
  /** within `within`; null where nothing is expected of this figure */
  near: boolean | null;
  /** why it is not near, as found out; null where it is, or where nothing is expected */
  reason: string | null;
}
/** How many nodes a rate wants, by what an experiment over numbers of nodes measured. */
export interface CapacityPlan {
  schema: 2;
  /** folder below reports/ */
  id: string;
  /** that was read */
  experiment: PlannedExperiment;
  target: {
    rps: number;
    p95_ms: number | null;
  };
  /** makes it again */
  command: string;
  /** link to the list of everything; null where there is none */
  index: string | null;
  /** in a few sentences */
  headline: string;
  /** of the hold-out check; REFUTED: the plan is not to be trusted */
  verdict: 'HOLDS' | 'REFUTED';
  /** null where all runs are VALID */
  doubt: null | PlanDoubt;
  /** the least number whose lower bound meets the target */
  nodes: number;
  /** the least number whose estimate does */
  nodes_by_estimate: number;
  /** every number of nodes that can be answered for, from 1 */
  numbers: NumberRow[];
  /** nodes: measured, and answered for */
  most: {
    measured: number;
    reach: number;
  };
  /** the largest rate that can be answered for, with the p95 asked for */
  most_rps: number;
  /** at the target, with `nodes` nodes */
  tiers: TierRow[];
  /** first: of all tiers, with `nodes` nodes */
  saturates: {
    first: {
      tier: string;
      rps: number;
    };
    second: {
      tier: string;
      rps: number;
    } | null;
  };
  /** line: capacity, with its prediction interval */
  curve: {
    points: PointRow[];
    line: {
      n: number;
      value: number;
      low: number;
      high: number;
    }[];
  };
  law: {
    lambda: number;
    sigma: number;
    kappa: number;
    method: string;
  };
  hold_out: HoldOut;
  /** measured, of every tier with every number of nodes */
  demands: DemandRow[];
  /** beside what was measured; empty where the experiment did not hold one number of users */
  model: ModelRow[];
  /** factor: of the plan; measured: in the runs, null where no mean was */
  p95_over_mean: {
    factor: number;
    measured: Range;
  };
  assumptions: string[];
  machine: {
    text: string;
    cores: number;
  };
}
export interface PlannedExperiment {
  id: string;
  title: string;
  href: string;
  load: string;
  load_title: string;
  budget: string;
  /** ISO 8601 */
  started: string;
  /** that were read: VALID and SUSPECT */
  runs: number;
  /** INVALID */
  left_out: number;
  blocks: {
    complete: number;
    wanted: number;
  };
}
/** of the runs that were read */
export interface PlanDoubt {
  suspect: number;
  runs: number;
  /** why, in a clause */
  text: string;
  /** whether the VALID runs alone give another number of nodes; null where they are too few */
  differs: boolean | null;
  /** what the VALID runs alone give, in a sentence */
  without: string;
}
export interface NumberRow {
  n: number;
  /** good requests a second; no more than the other tiers have CPU for */
  capacity_rps: Interval;
  /** that tier, where the nodes alone would serve more */
  capped_by: {
    tier: string;
    rps: number;
  } | null;
  /** at the target; null where the estimate does not bear it */
  response: {
    mean_ms: Response;
    p95_ms: Response;
  } | null;
  enough: boolean;
  /** of the capacity; a response is always extrapolated */
  basis: Basis;
}
/** 95 % */
export interface Interval {
  estimate: number;
  low: number;
  high: number;
}
/** high: with the low bound of the capacity; null where that does not bear the target */
export interface Response {
  estimate: number;
  low: number;
  high: number | null;
}
export interface TierRow {
  tier: string;
  /** of servers */
  number: number;
  /** CPU for a good request */
  demand_ms: number;
  /** of the demand */
  basis: Basis;
  /** rate at which it has no CPU left */
  full_rps: number;
  /** share of its CPU at the target, 0 to 1 */
  busy: number;
  text: string;
}
export interface PointRow {
  n: number;
  arm: string;
  /** goodput_rps, one per run */
  values: number[];
  measured: Range;
  fitted: number;
}
/** fitted without the largest number of nodes */
export interface HoldOut {
  /** numbers of nodes */
  fitted_on: number[];
  /** held out */
  n: number;
  predicted: Interval;
  measured: Range;
  runs: number;
  runs_inside: number;
  /** the measured median is in the interval */
  inside: boolean;
  sentence: string;
}
export interface DemandRow {
  tier: string;
  n: number;
  /** of servers */
  number: number;
  /** quota of all of them */
  cores: number;
  /** CPU for a good request */
  demand_ms: Range;
  /** share of the quota, 0 to 1 */
  busy: Range;
}
/** at the users of the experiment */
export interface ModelRow {
  n: number;
  users: number;
  /** median */
  measured_rps: number;
  model_rps: number;
  /** median of the runs' mean */
  measured_ms: number | null;
  model_ms: number;
}
/** The verdicts of all experiments with claims in one table, each with a sentence to quote and the place of its evidence. A record is judged under one load and one budget, and by the claims as they stood before its runs. Two verdicts come of more than one record or of what a source says of itself: DEPENDS, on a condition under which it was measured; and DOES NOT CARRY OVER, where another bottleneck was measured than the source's, so that it counts neither for the source nor against it. */
export interface Findings {
  schema: 2;
  /** counts the verdicts: the publications' claims, and the lab's own questions apart */
  headline: string;
  /** the same as it was registered before the runs, and what is read otherwise since; null where nothing was measured */
  registered: string | null;
  /** which verdicts rest on runs that were graded by rules replaced since; null where none does */
  grading: string | null;
  /** registered: of both, before the runs */
  counts: {
    publications: VerdictCounts;
    own: VerdictCounts;
    registered: VerdictCounts;
  };
  /** ISO 8601, of the first record; null where nothing was measured */
  started: string | null;
  /** of the last */
  ended: string | null;
  /** on which it was measured, in words */
  machines: string[];
  /** link to the list of everything; null where there is none */
  index: string | null;
  /** measures it all again */
  command: string;
  /** in the order of their table */
  experiments: ExperimentFinding[];
  /** those that ask a question and have no claims: of each load one, and only what was measured */
  unclaimed: ExperimentFinding[];
}
export interface VerdictCounts {
  HOLDS: number;
  REFUTED: number;
  INCONCLUSIVE: number;
  DEPENDS: number;
  'DOES NOT CARRY OVER': number;
  'not measured': number;
}
export interface ExperimentFinding {
  /** key of the experiments table */
  id: string;
  /** folder below reports/ in which it was measured; null where it was not */
  record: string | null;
  title: string;
  question: string;
  /** of its claims */
  source: string;
  /** none of its claims is a publication's */
  own: boolean;
  /** its page, from the folder of the findings */
  href: string | null;
  /** the same as Markdown */
  markdown: string | null;
  /** its own */
  headline: string | null;
  blocks: {
    wanted: number;
    complete: number;
    least: number;
  } | null;
  load: string | null;
  budget: string | null;
  machine: string | null;
  /** ISO 8601 */
  started: string | null;
  claims: ClaimFinding[];
  /** the sentence on the claim that says the most; null where nothing was measured */
  reported: string | null;
  /** why its verdicts are not to be relied on; null where they are */
  incomplete: string | null;
  /** that its runs were graded by rules replaced since; null where they were not */
  grading: string | null;
}
export interface ClaimFinding {
  /** such as `D3` */
  id: string;
  /** the lab's own question, which no publication makes a claim of */
  own: boolean;
  /** what was claimed */
  statement: string;
  /** figures, each in words */
  published: {
    label: string;
    text: string;
  }[];
  /** as it is read today */
  verdict: FindingVerdict;
  /** to be quoted; null where nothing was measured */
  sentence: string | null;
  /** as it was judged by what was fixed before the runs; null where nothing was measured */
  registered: {
    verdict: ClaimVerdict;
    statement: string;
    sentence: string;
  } | null;
  /** why it is read otherwise; null where it is read as registered */
  deviation: string | null;
  /** under other loads and budgets */
  elsewhere: ConditionReading[];
  /** what decided it, and what a reader has to know */
  remarks: string[];
  /** how many runs of which of its arms are SUSPECT, and why; null where none is */
  doubt: string | null;
  /** its evidence: the place of the claim on the experiment's page */
  href: string | null;
}
/** the same tests under another load or budget */
export interface ConditionReading {
  load: string;
  budget: string;
  /** id of the experiment's record */
  record: string;
  verdict: ClaimVerdict;
  /** figures with their intervals */
  text: string;
  /** what was tested in place of arms that were not measured there; null where it is the same */
  instead: string | null;
  tests: ClaimTest[];
}
