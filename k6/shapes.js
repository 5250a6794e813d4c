/**
 * Shapes: how many users, and for how long. Read by the k6 scenarios and by the lab, so that the load that runs and the
 * stages that the report marks are one thing. Durations are in seconds.
 *
 * A closed shape says how many users are there; each sends its next request after the last is answered. An open shape
 * says how many requests a second arrive, whatever becomes of the earlier ones.
 *
 * @typedef {{ duration_s: number, target: number, held?: boolean }} Stage  held: the target does not change during it
 * @typedef {object} Shape
 * @property {string} title
 * @property {'closed' | 'open'} model
 * @property {'users' | 'rps'} unit of the targets
 * @property {number} warmup_s
 * @property {Stage[]} stages
 * @property {number} [usersMost]   users that an open shape may have waiting at once; 2,000 unless given
 */

/** Users during the warm-up: enough to fill every pool and compile every path, too few to overload a node. */
export const WARMUP_USERS = 20;
/** Seconds without load between warm-up and load, so that no request belongs to both. */
export const SETTLE_S = 3;
/** How long k6 lets requests finish after the last stage; k6's own default. */
export const GRACEFUL_STOP_S = 30;

const PUBLISHED_TARGETS = [100, 500, 1000, 2000];

/** @type {Record<string, (env: Record<string, string | undefined>) => Shape>} */
export const shapes = {
  ramp: () => ({
    title: 'the published ramp: 20 s each to 100, 500, 1,000 and 2,000 users',
    model: 'closed',
    unit: 'users',
    warmup_s: 10,
    stages: PUBLISHED_TARGETS.map((target) => ({ duration_s: 20, target })),
  }),
  smoke: () => ({
    title: 'the published ramp in 12 s',
    model: 'closed',
    unit: 'users',
    warmup_s: 4,
    stages: PUBLISHED_TARGETS.map((target) => ({ duration_s: 3, target })),
  }),
  plateaus: () => ({
    title: 'the published targets, each reached in 5 s and held for 30 s',
    model: 'closed',
    unit: 'users',
    warmup_s: 10,
    stages: PUBLISHED_TARGETS.flatMap((target) => [
      { duration_s: 5, target },
      { duration_s: 30, target, held: true },
    ]),
  }),
  hold: () => ({
    title: '200 users held for 30 s: more than four small nodes can serve at once',
    model: 'closed',
    unit: 'users',
    warmup_s: 12,
    stages: [
      { duration_s: 3, target: 200 },
      { duration_s: 30, target: 200, held: true },
    ],
  }),
  crowd: () => ({
    title: '300 users for 10 s: more than small limits bear',
    model: 'closed',
    unit: 'users',
    warmup_s: 3,
    stages: [
      { duration_s: 2, target: 300 },
      { duration_s: 8, target: 300, held: true },
    ],
  }),
  calm: () => ({
    title: '60 requests a second for 10 s: less than any architecture bears',
    model: 'open',
    unit: 'rps',
    warmup_s: 3,
    stages: [
      { duration_s: 1, target: 60 },
      { duration_s: 9, target: 60, held: true },
    ],
    usersMost: 200,
  }),
  steady: () => ({
    title: '60 requests a second for a minute: enough of them for a p99',
    model: 'open',
    unit: 'rps',
    warmup_s: 10,
    stages: [
      { duration_s: 1, target: 60 },
      { duration_s: 59, target: 60, held: true },
    ],
    usersMost: 200,
  }),
  open: (env) => {
    const top = Number(env.RATE || 1000);
    return {
      title: `arrivals rising to ${top} requests a second, then held`,
      model: 'open',
      unit: 'rps',
      warmup_s: 10,
      stages: [
        { duration_s: 40, target: top },
        { duration_s: 20, target: top, held: true },
      ],
    };
  },
};

/**
 * Seconds from the start of k6 to the start of the load.
 * @param {Shape} shape
 */
export const loadStart = (shape) => shape.warmup_s + SETTLE_S;

/**
 * Seconds that the stages last.
 * @param {Shape} shape
 */
export const loadDuration = (shape) => shape.stages.reduce((sum, stage) => sum + stage.duration_s, 0);
