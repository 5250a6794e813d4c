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
export type UserTimePart = 'answered' | 'failed' | 'connecting' | 'thinking' | 'generator';
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
export type MetricVerdict = 'better' | 'worse' | 'same' | 'INCONCLUSIVE';
export type ClaimVerdict = 'HOLDS' | 'REFUTED' | 'INCONCLUSIVE';
export type Basis = 'measured' | 'fitted' | 'extrapolated';
export type FindingVerdict = 'HOLDS' | 'REFUTED' | 'INCONCLUSIVE' | 'DEPENDS' | 'DOES NOT CARRY OVER' | 'not measured';

export interface Documents {
  result: Result;
  compare: Comparison;
  experiment: ExperimentResult;
  plan: CapacityPlan;
  findings: Findings;
  proof: Proof;
}
export interface Result {
  schema: 2;
  run: string;
  architecture: string;
  architecture_title: string;
  load: string;
  load_title: string;
  budget: string;
  calibration: {
    run: string;
    measured: string;
    validity: 'VALID' | 'SUSPECT';
    machine: {
      cpu_model: string;
      cores: number;
      kernel: string;
    };
    images: {
      [k: string]: string;
    };
    git: {
      commit: string;
      changed: boolean;
    } | null;
    demand_ms: {
      [k: string]: number;
    };
    throughput_rps: number;
    served?: {
      architecture: string;
      budget: string;
      variables: {
        [k: string]: string;
      };
      rps: number;
      runs: string[];
    };
  } | null;
  started: string;
  duration_s: number;
  interrupted: boolean;
  load_end: null | LoadEnd;
  onset: null | Onset;
  command: string;
  headline: string;
  try_next: TryNext[];
  validity: Validity;
  metrics: Metrics;
  published: null | Published;
  failures_by: FailureCounts;
  ledger: Ledger;
  flow: Flow;
  resources: {
    [k: string]: Resource;
  };
  stages: Stage[];
  timeline: TimelineRow[];
  series: Series;
  time_ledger: null | TimeLedger;
  time_untold: string[];
  user_time: null | UserTime;
  bottleneck: {
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'machine';
    service?: string;
    evidence: string[];
  } | null;
  bottleneck_reason: string;
  bottleneck_by_stage: StageBottleneck[];
  giving_way: string[];
  client: null | Client;
  gone_writes: null | GoneWrites;
  queue: null | Queue;
  faults: FaultEffect[];
  machine: Machine;
  hosts?: HostReport[];
  wire: null | Wire;
  waiting: null | Waiting;
  versions: {
    [k: string]: string;
  };
  notes: string[];
  scenario: string;
  variables: {
    [k: string]: string;
  };
  figures: {
    [k: string]: number | null;
  };
  breakdowns: Breakdown[];
  proof?: Proof;
  graded_by?: number;
}
export interface LoadEnd {
  after_s: number;
  most_s: number;
  text: string;
}
export interface Onset {
  kind: 'never' | 'stopped' | 'came-back';
  from_s: number;
  to_s: number | null;
  text: string;
}
export interface TryNext {
  command: string;
  why: string;
  once_valid?: true;
}
export interface Validity {
  verdict: 'VALID' | 'SUSPECT' | 'INVALID';
  reasons: string[];
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
  rule: string;
  grade: 'SUSPECT' | 'INVALID';
  reason: string;
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
  requests: number;
  throughput_rps: number;
  goodput_rps: number;
  failures: number;
  refused: number | null;
  unanswered: number;
  dropped_arrivals: number | null;
  failure_rate: number | null;
  failures_per_user_minute: number | null;
  failed_user_time_share: number | null;
  latency_ms: {
    all: Percentiles;
    ok: Percentiles;
  };
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
  status: {
    [k: string]: number;
  };
  error_code: {
    [k: string]: number;
  };
  kind: {
    [k: string]: number;
  };
}
export interface Ledger {
  hops: Hop[];
  edges: Edge[];
  failures: Failure[];
  unattributed: number;
  unattributed_reason: string;
  near_misses: NearMiss[];
  writes: Writes;
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
  source: string;
  received: number | null;
  answered_ok: number | null;
  answered_error: number | null;
  aborted: number | null;
  left_out?: number;
}
export interface Edge {
  from: string;
  to: string;
  sent: number | null;
  sent_source: string;
  received: number | null;
  received_source: string;
  unseen: number | null;
  wire?: null | EdgeOnWire;
}
export interface EdgeOnWire {
  calls: number;
  answered: number;
  bad: number;
  client_errors?: number;
  given_up: number;
  broken_off: number;
  open: number;
  raced: number;
  connections: number;
  refused: number;
  unread_bytes: number;
}
export interface Failure {
  tier: Tier;
  service: string;
  cause: string;
  cause_title: string;
  count: number;
  share: number;
  rule: string;
  basis: {
    where: BasisCounts;
    why: BasisCounts;
  };
  amplifier: {
    tier: Tier;
    service: string;
    cause: string;
    cause_title: string;
  } | null;
  chain: string | null;
  evidence: Evidence[];
}
export interface BasisCounts {
  [k: string]: number;
}
export interface NearMiss {
  id: string;
  tier: Tier;
  service: string;
  count: number;
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
  share: number | null;
  source?: 'wire';
  at_least?: boolean;
  connections?: number;
}
export interface Resource {
  tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'observer';
  cpu_quota_cores: number | null;
  cpu_cores: MeanMax;
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
  requests: number | null;
  throughput_rps: number | null;
  goodput_rps: number | null;
  failure_rate: number | null;
  latency_ms_p50_ok: number | null;
  latency_ms_p95_ok: number | null;
  latency_ms_p99_ok: number | null;
  cpu_share: {
    [k: string]: number | null;
  };
  cpu_ms_per_request: {
    [k: string]: number | null;
  };
  bound_rps: number | null;
}
export interface TimelineRow {
  t_s: number;
  warmup: boolean;
  vus: number | null;
  throughput_rps: number | null;
  goodput_rps: number | null;
  failures_per_s: number | null;
  latency_ms_p50: number | null;
  latency_ms_p95: number | null;
  latency_ms_p99: number | null;
  latency_ms_p50_ok: number | null;
  latency_ms_p95_ok: number | null;
  latency_ms_p99_ok: number | null;
}
export interface Series {
  failures_by_tier: {
    [k: string]: (number | null)[];
  };
  cpu_share: {
    [k: string]: (number | null)[];
  };
  limits: Limit[];
  bound_rps: (number | null)[];
}
export interface Limit {
  id: string;
  label: string;
  tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'machine';
  limit: number | null;
  unit: string;
  note?: string;
  values: (number | null)[];
}
export interface TimeLedger {
  source?: 'wire';
  parts: {
    id: string;
    label: string;
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'outside';
    waits: boolean;
  }[];
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
export interface UserTime {
  total_s: number;
  parts: {
    id: UserTimePart;
    label: string;
    seconds: number;
    share: number;
  }[];
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
  tier: null | Tier;
  service: string | null;
  what: string;
  measured_rps: number | null;
  bound_rps: number | null;
  evidence: string[];
}
export interface Client {
  timeout_ms: number | null;
  retries: number;
  backoff_ms: number;
  budget_percent: number | null;
  retry_after: boolean;
  requests: number;
  gave_up: number;
  attempts: number;
  amplification: number | null;
  latency_ms_ok: Percentiles;
}
export interface GoneWrites {
  count: number | null;
  at_least: boolean;
  text: string;
  to_do: string[];
}
export interface Queue {
  accepted: number;
  completed: number;
  completed_in_load: number;
  failed: number;
  left: number | null;
  lost: number | null;
  unlogged: number;
  lag_ms: Percentiles;
  backlog: number[];
  oldest_s: number[];
  drained_after_s: number | null;
}
export interface FaultEffect {
  text: string;
  began_s: number | null;
  ended_s: number | null;
  failed: string | null;
  before: {
    seconds: number;
    goodput_rps: number;
    failure_rate: number | null;
  } | null;
  during: {
    goodput_rps: number;
    failure_rate: number | null;
  } | null;
  recovered_after_s: number | null;
  watched_after_s: number | null;
  metastable: boolean;
  loop: null | SustainingLoop;
  later_rps: number | null;
  backlog: {
    before: number;
    most: number;
    at_end: number;
    recovered_after_s: number | null;
  } | null;
}
export interface SustainingLoop {
  arrivals_rps: number;
  attempts_rps: number | null;
  served_before_rps: number;
  worked: number | null;
  in_vain: number | null;
}
export interface Machine {
  os: string;
  kernel: string;
  cpu_model: string;
  cores: number;
  memory_bytes: number;
  engine: string;
  images: 'hub' | 'local';
}
export interface HostReport {
  name: string;
  services: string[];
  beside: string[];
  cores: number;
  memory_bytes: number;
  os: string;
  kernel: string;
  engine: string;
  busy_share: number | null;
  clock_offset_s: number | null;
  clock_within_s: number | null;
}
export interface Wire {
  edges: WireEdge[];
  no_host: {
    from: string;
    to: string;
    asked: number;
  }[];
  networks: {
    name: string;
    packets: number | null;
    dropped: number | null;
    cpu_s: number | null;
  }[];
  gaps?: WireGap[];
  doubts: string[];
  differs?: string[];
  urls?: WireUrl[];
  waterfalls?: WireWaterfall[];
  joins?: {
    from: string;
    to: string;
    calls: number;
    by_id: number;
    by_order: number;
    ambiguous: number;
  }[];
  outside?: WireOutside[];
  time?: null | WireTime;
  compared?: WireComparison[];
  failures?: null | WireFailures;
  standing?: WireStanding;
}
export interface WireEdge {
  from: string;
  to: string;
  port: number;
  protocol: string;
  connections: {
    opened: number;
    refused: number;
    unanswered: number;
    reset: number;
    closed_unasked: number;
  };
  turned_away: {
    [k: string]: number;
  };
  calls: number;
  ends: {
    answered: number;
    'given-up': number;
    closed: number;
    reset: number;
    cut: number;
    open: number;
  };
  statuses: {
    [k: string]: number;
  };
  bad: number;
  raced: number;
  late: number;
  beside: number;
  time_ms: {
    p50: number | null;
    p95: number | null;
  };
  gave_up_after_ms: {
    p10: number;
    p50: number;
    p90: number;
  } | null;
  timeouts: WireTimeout[];
  unknown_bytes: number;
  hidden_bytes: number;
}
export interface WireTimeout {
  by: string;
  how: 'gave-up' | 'connect' | 'closed' | 'answered';
  after_ms: number;
  count: number;
  share: number;
}
export interface WireGap {
  kind: 'unseen' | 'dropped' | 'ended' | 'late' | 'unread';
  text: string;
  edges: {
    from: string;
    to: string;
  }[];
}
export interface WireUrl {
  verb: string;
  template: string;
  count: number;
  failed: number;
  time_ms: {
    p50: number | null;
    p95: number | null;
  };
  edges: {
    from: string;
    to: string;
    calls_per_request: number;
    calls_per_request_calm: number | null;
    time_ms_per_request: number;
    ambiguous_share: number;
  }[];
}
export interface WireWaterfall {
  why: 'slowest' | 'lost';
  of_kind: number;
  id: string | null;
  at_s: number;
  took_ms: number | null;
  rows: WireHop[];
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
  offset_ms: number;
  took_ms: number | null;
  joined: 'id' | 'order' | null;
  ambiguous: boolean;
}
export interface WireOutside {
  from: string;
  name: string;
  addresses: string[];
  port: number | null;
  protocol: string;
  connections: number;
  unopened: number;
  calls: number | null;
  failed: number;
  time_ms: {
    p50: number | null;
    p95: number | null;
  };
  open_ms: {
    p50: number | null;
    p95: number | null;
  };
  lookups: number;
  lookups_failed: number;
}
export interface WireTime {
  requests: number;
  mean_ms: number;
  services: {
    service: string;
    tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'outside';
    ms: number;
    share: number;
    ambiguous_share: number;
  }[];
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
export interface WireComparison {
  from: string;
  to: string;
  what: string;
  unit: 'requests' | 'ms';
  wire: number;
  other: number;
  source: string;
  explained: {
    kind: string;
    count: number;
    of: number;
  }[];
  left: number;
  holds: boolean;
}
export interface WireFailures {
  failed: number;
  explained: number;
  agreed: number;
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
  apart: {
    wire: string;
    ledger: string;
    cause_title: string;
    count: number;
    arrived?: boolean;
  }[];
}
export interface WireRunInto {
  by: string;
  how: 'gave-up' | 'connect' | 'closed' | 'answered';
  after_ms: number;
  from: string;
  to: string;
  count: number;
}
export interface WireStanding {
  step_s: number;
  from_s: number;
  services: {
    name: string;
    standing: number[];
  }[];
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
  good: number[];
  failed: number[];
  marks: {
    t_s: number;
    kind: 'onset' | 'event' | 'limit';
    text: string;
  }[];
  worst: StandingInterval;
  text: string;
}
export interface StandingInterval {
  from_s: number;
  to_s: number;
  services: {
    name: string;
    standing: number;
  }[];
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
export interface Waiting {
  failed: number;
  followed: number;
  findings: WaitingFinding[];
  doubts: string[];
}
export interface WaitingFinding {
  kind: string;
  count: number;
  place: {
    service: string;
    edge: {
      from: string;
      to: string;
    } | null;
  };
  chain: WaitingHop[];
  mechanism: string | null;
  title: string | null;
  basis: 'proved' | 'counted' | 'timed' | 'inferred';
  why_basis: 'proved' | 'counted' | 'timed' | 'inferred' | null;
  is_given_up: boolean;
  log?: {
    words: string;
    is_each: boolean;
  };
  evidence: string[];
  doubts: string[];
}
export interface WaitingHop {
  service: string;
  edge: {
    from: string;
    to: string;
  };
  said: string;
  failed: number | null;
  good: number | null;
  by: 'request' | 'id' | 'order' | 'within' | 'count' | 'waiting' | 'before' | 'push';
}
export interface Breakdown {
  title: string;
  caption: string;
  rows_label: string;
  columns: {
    id: string;
    label: string;
    unit: 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';
  }[];
  rows: {
    name: string;
    values: (number | null)[];
  }[];
}
export interface Proof {
  schema: 1;
  run: string;
  started: string;
  took_s: number;
  outcome: 'proved' | 'undecided' | 'not-shown' | 'unsteady';
  sentence: string;
  trouble: ProvedTrouble;
  as_it_was: ProofCopy[];
  probes: ProofProbe[];
  rule: {
    cured: number;
    trouble: number;
    served: number;
    as_was: number;
    relieved: number;
    relieved_later: number;
  };
}
export interface ProvedTrouble {
  service: string;
  cause: string;
  title: string;
  failed: number;
  requests: number;
  load: string;
}
export interface ProofCopy {
  run: string;
  failed: number;
  requests: number;
  good_rps: number;
  place: string;
}
export interface ProofProbe {
  id: string;
  kind: string;
  service: string;
  title: string;
  line: string;
  verdict: 'proved' | 'acquitted' | 'partly' | 'moved' | 'undecided' | 'refused' | 'untried';
  text: string;
  copies: ProofCopy[];
}
export interface Comparison {
  schema: 2;
  id: string;
  title: string;
  load: string;
  load_title: string;
  budget: string;
  seed: number;
  started: string;
  ended: string;
  command: string;
  links: {
    index: string | null;
    experiment: string | null;
  };
  base: Arm;
  other: Arm;
  paired: boolean;
  blocks: Blocks;
  control: null | Control;
  metrics: MetricComparison[];
  correction: string;
  survivorship: null | Survivorship;
  verdict: Verdict;
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
  id: string;
  architecture: string;
  title: string;
  runs: ArmRun[];
  doubt: null | Doubt;
  failed_share: number | null;
  headline: string | null;
  typical_run: string | null;
  flow: null | Flow;
  ledger: LedgerRow[];
  timeline: ArmTimelineRow[];
}
export interface ArmRun {
  block: number;
  href: string | null;
  validity: {
    verdict: 'VALID' | 'SUSPECT' | 'INVALID';
    reasons: string[];
    doubts: RunDoubt[];
  };
  counts: boolean;
  metrics: {
    [k: string]: number | null;
  };
}
export interface Doubt {
  suspect: number;
  runs: number;
  text: string;
}
export interface LedgerRow {
  tier: 'generator' | 'load-balancer' | 'app' | 'pool' | 'database' | 'cache' | 'queue' | 'unattributed';
  cause_title: string;
  count: number;
  share: number;
}
export interface ArmTimelineRow {
  t_s: number;
  goodput_rps: Range;
  failures_per_s: Range;
  latency_ms_p95_ok: Range;
  vus: Range;
}
export interface Range {
  median: number | null;
  low: number | null;
  high: number | null;
}
export interface Blocks {
  wanted: number;
  complete: number;
  least: number;
  left_out: {
    arm: string;
    block: number;
    reasons: string[];
  }[];
}
export interface Control {
  command: string;
  started: string;
  blocks: number;
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
  base: Range;
  other: Range;
  blocks: number;
  estimate: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  p_adjusted: number | null;
  effect: number | null;
  delta: number;
  delta_from: string;
  verdict: MetricVerdict;
  held_back: string | null;
  sentence: string;
  failed_share: {
    base: number | null;
    other: number | null;
  } | null;
}
export interface Survivorship {
  sentence: string;
  arm: string;
  failed_share: number;
  latency_ms_p95_ok: {
    base: number;
    other: number;
  };
  rank: number;
}
export interface Verdict {
  word: 'better' | 'worse' | 'same' | 'mixed' | 'INCONCLUSIVE';
  sentence: string;
  reasons: string[];
}
export interface ExperimentResult {
  schema: 2;
  id: string;
  experiment: string;
  title: string;
  question: string;
  load: string;
  load_title: string;
  budget: string;
  seed: number;
  started: string;
  ended: string;
  command: string;
  index: string | null;
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
  claims_hash: string | null;
  pairs: Pair[];
  curve: null | CurveResult;
  published: null | PublishedTable;
  notes: string[];
  machine: {
    text: string;
    cores: number;
    cpu_model: string;
    os: string;
    memory_bytes: number;
  };
  versions: {
    [k: string]: string;
  };
}
export interface ExperimentArm {
  id: string;
  title: string;
  load?: string;
  runs: number;
  invalid: number;
  suspect: number;
  doubt: null | Doubt;
  metrics: {
    [k: string]: Range;
  };
  ledger: LedgerRow[];
  breakdowns: Breakdown[];
  typical_run: string | null;
  outcomes: null | Outcomes;
  price: null | Price;
  all_runs: ArmRun[];
}
export interface Outcomes {
  done_rps: number;
  accepted_rps: number;
  refused_rps: number;
  failed_rps: number;
}
export interface Price {
  containers: number;
  database_connections: number | null;
  backlog: number | null;
  drained_after_s: number | null;
  stale_share: number | null;
}
export interface ClaimResult {
  id: string;
  statement: string;
  source: string;
  published: {
    label: string;
    text: string;
  }[];
  test: string;
  delta: string;
  verdict: ClaimVerdict;
  quote: string;
  sentence: string;
  measured: {
    label: string;
    text: string;
    holds: boolean | null;
  }[];
  remarks: string[];
  rules: number;
  tests: ClaimTest[];
  doubts: ArmDoubt[] | null;
  without_suspect: null | WithoutSuspect;
  relief: null | Relief;
  evidence: {
    label: string;
    href: string;
  }[];
}
export interface ClaimTest {
  label: string;
  basis?: 'runs' | 'published';
  scale: 'ratio' | 'difference' | 'share';
  blocks: number;
  estimate: number | null;
  low: number | null;
  high: number | null;
  threshold: number;
  wanted: 'at least' | 'at most';
  published: number | null;
  verdict: ClaimVerdict;
}
export interface ArmDoubt {
  arm: string;
  doubt: Doubt;
}
export interface WithoutSuspect {
  verdict: ClaimVerdict;
  tests: {
    label: string;
    basis?: 'runs' | 'published';
    scale: 'ratio' | 'difference' | 'share';
    blocks: number;
    estimate: number | null;
    low: number | null;
    high: number | null;
    threshold: number;
    wanted: 'at least' | 'at most';
    published: number | null;
    verdict: ClaimVerdict;
    over: string | null;
    why?: string;
  }[];
}
export interface Relief {
  sentence: string;
  before: Range;
  before_arm: string;
  rows: ReliefRow[];
}
export interface ReliefRow {
  tier: string;
  accused: boolean;
  arm: string;
  relief: string;
  after: Range;
  failures: 'gone' | 'fewer' | 'stay' | 'more' | 'INCONCLUSIVE';
  doubt: null | Doubt;
}
export interface Pair {
  base: string;
  other: string;
  href: string;
  verdict: Verdict;
}
export interface CurveResult {
  x_label: string;
  metric: string;
  metric_label: string;
  unit: 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';
  points: CurvePoint[];
  usl: null | Usl;
  usl_refused: string | null;
  knee: number | null;
  knee_refused: string | null;
  sentence: string;
}
export interface CurvePoint {
  x: number;
  arm: string;
  value: Range;
  values: number[];
  efficiency: number | null;
  failure_rate: Range;
}
export interface Usl {
  lambda: {
    estimate: number;
    low: number;
    high: number;
  };
  sigma: {
    estimate: number;
    low: number;
    high: number;
  };
  kappa: {
    estimate: number;
    low: number;
    high: number;
  };
  peak: {
    n: number;
    value: number;
    low: number | null;
    high: number | null;
  } | null;
  line: {
    x: number;
    value: number;
    low: number;
    high: number;
  }[];
  method: string;
}
export interface PublishedTable {
  source: string;
  within: number | null;
  arms: {
    arm: string;
    figures: PublishedFigure[];
  }[];
}
export interface PublishedFigure {
  metric: string;
  label: string;
  unit: 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';
  published: number;
  measured: Range;
  ratio: number | null;
  near: boolean | null;
  reason: string | null;
}
export interface CapacityPlan {
  schema: 2;
  id: string;
  experiment: PlannedExperiment;
  target: {
    rps: number;
    p95_ms: number | null;
  };
  command: string;
  index: string | null;
  headline: string;
  verdict: 'HOLDS' | 'REFUTED';
  doubt: null | PlanDoubt;
  nodes: number;
  nodes_by_estimate: number;
  numbers: NumberRow[];
  most: {
    measured: number;
    reach: number;
  };
  most_rps: number;
  tiers: TierRow[];
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
  demands: DemandRow[];
  model: ModelRow[];
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
  started: string;
  runs: number;
  left_out: number;
  blocks: {
    complete: number;
    wanted: number;
  };
}
export interface PlanDoubt {
  suspect: number;
  runs: number;
  text: string;
  differs: boolean | null;
  without: string;
}
export interface NumberRow {
  n: number;
  capacity_rps: Interval;
  capped_by: {
    tier: string;
    rps: number;
  } | null;
  response: {
    mean_ms: Response;
    p95_ms: Response;
  } | null;
  enough: boolean;
  basis: Basis;
}
export interface Interval {
  estimate: number;
  low: number;
  high: number;
}
export interface Response {
  estimate: number;
  low: number;
  high: number | null;
}
export interface TierRow {
  tier: string;
  number: number;
  demand_ms: number;
  basis: Basis;
  full_rps: number;
  busy: number;
  text: string;
}
export interface PointRow {
  n: number;
  arm: string;
  values: number[];
  measured: Range;
  fitted: number;
}
export interface HoldOut {
  fitted_on: number[];
  n: number;
  predicted: Interval;
  measured: Range;
  runs: number;
  runs_inside: number;
  inside: boolean;
  sentence: string;
}
export interface DemandRow {
  tier: string;
  n: number;
  number: number;
  cores: number;
  demand_ms: Range;
  busy: Range;
}
export interface ModelRow {
  n: number;
  users: number;
  measured_rps: number;
  model_rps: number;
  measured_ms: number | null;
  model_ms: number;
}
export interface Findings {
  schema: 2;
  headline: string;
  registered: string | null;
  grading: string | null;
  counts: {
    publications: VerdictCounts;
    own: VerdictCounts;
    registered: VerdictCounts;
  };
  started: string | null;
  ended: string | null;
  machines: string[];
  index: string | null;
  command: string;
  experiments: ExperimentFinding[];
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
  id: string;
  record: string | null;
  title: string;
  question: string;
  source: string;
  own: boolean;
  href: string | null;
  markdown: string | null;
  headline: string | null;
  blocks: {
    wanted: number;
    complete: number;
    least: number;
  } | null;
  load: string | null;
  budget: string | null;
  machine: string | null;
  started: string | null;
  claims: ClaimFinding[];
  reported: string | null;
  incomplete: string | null;
  grading: string | null;
}
export interface ClaimFinding {
  id: string;
  own: boolean;
  statement: string;
  published: {
    label: string;
    text: string;
  }[];
  verdict: FindingVerdict;
  sentence: string | null;
  registered: {
    verdict: ClaimVerdict;
    statement: string;
    sentence: string;
  } | null;
  deviation: string | null;
  elsewhere: ConditionReading[];
  remarks: string[];
  doubt: string | null;
  href: string | null;
}
export interface ConditionReading {
  load: string;
  budget: string;
  record: string;
  verdict: ClaimVerdict;
  text: string;
  instead: string | null;
  tests: ClaimTest[];
}
