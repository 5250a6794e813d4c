/**
 * Shapes: how many users, and for how long. Read by the k6 scenarios and by the lab, so that the load that runs and the
 * stages that the report marks are one thing. Durations are in seconds.
 *
 * A closed shape says how many users are there; each sends its next request after the last is answered. An open shape
 * says how many requests a second arrive, whatever becomes of the earlier ones.
 * A program has a number of things to do, and ends when they are done.
 *
 * @typedef {{ duration_s: number, target: number, held?: boolean, surge?: boolean }} Stage  held: the target does not change during it;
 *   surge: it is more than before, and goes back to that
 * @typedef {object} Shape
 * @property {string} title
 * @property {'closed' | 'open' | 'program'} model
 * @property {'users' | 'rps' | 'iterations/s'} unit of the targets; iterations/s: of a script, whose iterations send as many requests as they like
 * @property {number} warmup_s
 * @property {Stage[]} stages       none where a program makes the load
 * @property {number} [settle_s]    without load between warm-up and load; 3 unless given
 * @property {number} [warmupUsers] 20 unless given
 * @property {number} [warmupRate]  arrivals a second, in the place of users who send the next request at once
 * @property {number} [usersMost]   users that an open shape may have waiting at once; OPEN_USERS unless given
 * @property {string[]} [arriving]  scenarios of a script whose iterations arrive at a rate, whatever becomes of the earlier ones
 * @property {number} [inserts]     that a program has to make, in all
 * @property {number} [expected_s]  that a program is likely to take
 * @property {Ends} [ends]          of a script that may end before its stages have: what it ends by
 *
 * @typedef {object} Ends
 * @property {Record<string, number>} iterations  scenarios that end when so many are done
 * @property {number} timed_s       when the last of its other scenarios ends, seconds from the start; 0 where there is none
 * @property {string[]} aborting    metrics whose thresholds may end all of it
 */

/** Users during the warm-up: enough to fill every pool and compile every path, too few to overload a node. */
export const WARMUP_USERS = 20;
/** Seconds without load between warm-up and load, so that no request belongs to both. */
export const SETTLE_S = 3;
/** How long k6 lets requests finish after the last stage; k6's own default. */
export const GRACEFUL_STOP_S = 30;

const PUBLISHED_TARGETS = [100, 500, 1000, 2000];
const PUBLISHED_USERS = 2000;
/** At the top of `patient`, where they demand about what one node serves. */
export const PATIENT_USERS = PUBLISHED_TARGETS[PUBLISHED_TARGETS.length - 1];

/** Enough to keep every tier at work, and fewer than there are connections in a pool (50 a node) or slots in a table. */
const CALIBRATION_USERS = 50;

/** Users that an open shape may have waiting at once: the published top. */
export const OPEN_USERS = 2000;
/** k6 takes up to 1.1 MB for each (2,000 who all wait, measured), and may have 4 GB (compose/base.yaml). */
const OPEN_USERS_MOST = 3000;
/** k6 frees a user a little after its time-out, later where CPU is short. The lab's own. */
const USERS_TO_SPARE = 1.25;

/** Of the users at the top of `steps`: each is a step. */
const STEPS = [0.25, 0.5, 0.75, 1];
/** At the top of `steps`, where the system does not say how many. */
const STEPS_USERS = 200;

/** k6 makes the shape too, and its toLocaleString takes no language. @param {number} count */
const withCommas = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

/**
 * The published targets, or with another number of users at the top the same shares of it.
 * @param {string | undefined} users
 */
function targetsOf(users) {
	const times = Number(users || PUBLISHED_USERS) / PUBLISHED_USERS;
	return PUBLISHED_TARGETS.map((target) => Math.max(1, Math.round(target * times)));
}

/** @param {number[]} targets */
function inWords(targets) {
	const words = targets.map(withCommas);
	return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** Whether it is the published number. @param {string | undefined} users */
const isPublished = (users) => Number(users || PUBLISHED_USERS) === PUBLISHED_USERS;

/** @type {(title: string, warmup_s: number, stages: Stage[]) => Shape} */
const closed = (title, warmup_s, stages) => ({ title, model: 'closed', unit: 'users', warmup_s, stages });

/** @type {(title: string, warmup_s: number, stages: Stage[], usersMost: number) => Shape} */
const open = (title, warmup_s, stages, usersMost) => ({ title, model: 'open', unit: 'rps', warmup_s, stages, usersMost });

/** @type {(target: number, reached_s: number, held_s: number) => Stage[]} */
const reachedAndHeld = (target, reached_s, held_s) => [
	{ duration_s: reached_s, target },
	{ duration_s: held_s, target, held: true },
];

/** @type {(users: string | undefined, given: { reached_s: number, held_s: number, warmup_s: number }) => Shape} */
function inSteps(users, { reached_s, held_s, warmup_s }) {
	const top = Number(users || STEPS_USERS);
	const targets = STEPS.map((share) => Math.max(1, Math.round(share * top)));
	const title = `${withCommas(top)} users in four steps, each reached in ${reached_s} s and held for ${held_s} s`;
	const stages = targets.flatMap((target) => reachedAndHeld(target, reached_s, held_s));
	return { ...closed(title, warmup_s, stages), warmupUsers: targets[0] };
}

/**
 * Users who give up after a time-out are as many at once as arrive until then, with all their attempts.
 * @type {(rps: number, env: Record<string, string | undefined>) => number}
 */
function waitingAtMost(rps, { TIMEOUT: timeout, RETRIES: retries }) {
	const waiting = rps * (Number(timeout || 0) / 1000) * (1 + Number(retries || 0));
	return Math.min(OPEN_USERS_MOST, Math.max(OPEN_USERS, Math.ceil(USERS_TO_SPARE * waiting)));
}

const HELD_USERS = 200;
/** Key of the shape of one level of a search for a limit. */
export const LEVEL_SHAPE = 'level';
/**
 * Its warm-up and its load. What comes in beyond what a system serves waits: of 3 % too much the last request of the 30 s waits for one. In 20 s a
 * pool that serves 39 a second was asked 41, and its p95 stayed below 0.8 s.
 */
const LEVEL_S = { warmup: 8, held: 30 };
/** Key of the shape that a trial has, where it does not have the load's own. */
export const TRIAL_SHAPE = 'trial';
/** A trial is cut long before. */
const TRIAL_MOST_S = 600;

/**
 * A number of users from the first second to the last.
 * @type {(title: string, users: number, duration_s: number, warmup_s: number) => Shape}
 */
export const held = (title, users, duration_s, warmup_s) => ({
	...closed(title, warmup_s, [{ duration_s, target: users, held: true }]),
	warmupUsers: users,
});

/** @type {Record<string, (env: Record<string, string | undefined>) => Shape>} */
export const shapes = {
	ramp: ({ USERS: users }) =>
		closed(
			`the ${isPublished(users) ? 'published ramp' : 'ramp'}: 20 s each to ${inWords(targetsOf(users))} users`,
			10,
			targetsOf(users).map((target) => ({ duration_s: 20, target })),
		),
	smoke: ({ USERS: users }) =>
		closed(
			isPublished(users) ? 'the published ramp in 12 s' : `the ramp to ${withCommas(Number(users))} users in 12 s`,
			4,
			targetsOf(users).map((target) => ({ duration_s: 3, target })),
		),
	// With less to do than one node can do, a user who fails at once does not make the load of many.
	patient: ({ THINK_TIME_S: think }) =>
		closed(
			`the published ramp: 20 s each to 100, 500, 1,000 and 2,000 users, who think for ${
				think ? `${Number(think)} s` : 'as long as makes 2,000 of them demand what one node serves'
			}, after a failure too`,
			10,
			PUBLISHED_TARGETS.map((target) => ({ duration_s: 20, target })),
		),
	calibrate: () => held(`${CALIBRATION_USERS} users for 12 s: what a request costs each tier`, CALIBRATION_USERS, 12, 6),
	// As many users, of a system that is warm: after 6 s of warm-up with a quota, two nodes served 16 to 21 % more in the last four of
	// twelve seconds than in the first four (BUDGET=fair, three runs, each SUSPECT for that).
	full: () => held(`${CALIBRATION_USERS} users for 15 s: what a system serves when it is full`, CALIBRATION_USERS, 15, 30),
	plateaus: ({ USERS: users }) =>
		closed(
			`${isPublished(users) ? 'the published targets' : `${inWords(targetsOf(users))} users`}, each reached in 5 s and held for 30 s`,
			10,
			targetsOf(users).flatMap((target) => reachedAndHeld(target, 5, 30)),
		),
	// Of one run by five seconds: what a request costs four nodes falls from 2.4 to 0.9 ms of CPU in the first 30 s; from then on it goes from
	// 0.9 to 1.4 and back every 10 to 20 s, and so does what it costs Nginx and MongoDB: the speed of the machine. So the warm-up is as
	// long as compiling takes, with room, and the load several times as long as one such change.
	hold: ({ USERS: users }) => {
		const target = Number(users || HELD_USERS);
		const title = `${withCommas(target)} users held for 60 s${users ? '' : ': more than four small nodes can serve at once'}`;
		// As many as in the load: fewer never wait for the pool, and a node's way through a wait would be compiled in the load.
		return { ...closed(title, 45, reachedAndHeld(target, 3, 60)), warmupUsers: target };
	},
	crowd: () => closed('300 users for 10 s: more than small limits bear', 3, reachedAndHeld(300, 2, 8)),
	calm: () => open('60 requests a second for 10 s: less than any architecture bears', 3, reachedAndHeld(60, 1, 9), 200),
	steady: () =>
		open('100 requests a second for 40 s: enough of them for a p99, and work enough for a CPU time', 10, reachedAndHeld(100, 1, 39), 200),
	open: (env) => {
		const top = Number(env.RATE || 1000);
		return open(`arrivals rising to ${top} requests a second, then held`, 10, reachedAndHeld(top, 40, 20), waitingAtMost(top, env));
	},
	// Long enough for a fault in it to be over for a minute.
	constant: (env) => {
		const rate = Number(env.RATE || 300);
		return open(`${rate} requests a second for 100 s`, 10, reachedAndHeld(rate, 2, 98), waitingAtMost(rate, env));
	},
	// Open, so that what the surge leaves behind meets the same load as before it, and so that is its warm-up: users who send the next
	// request at once fill a queue faster than it is worked off, and what they leave is then done in the load. Long, because what
	// compiles in the calm stage would be taken for what the system serves before the surge: in one run a request cost a node 2.8, 1.1 and
	// 0.75 ms of CPU in the first three times five seconds, and from then on 0.8 to 0.4.
	// A system that only just bears the calm rate has work of the warm-up left. In a run of 2a-replica it was done 2.7 s after the warm-up, and
	// 155 writes of it were counted in the load, which began 3 s after it. So it has 10 s.
	surge: (env) => {
		const top = Number(env.RATE || 1000);
		const calm = Math.round(top / 2);
		const stages = [
			...reachedAndHeld(calm, 2, 18),
			...reachedAndHeld(top, 1, 9).map((stage) => ({ ...stage, surge: true })),
			...reachedAndHeld(calm, 1, 39),
		];
		const title = `arrivals at ${calm} requests a second, a surge to ${top} for 10 s, then ${calm} again`;
		return { ...open(title, 20, stages, waitingAtMost(top, env)), settle_s: 10, warmupRate: calm };
	},
	[LEVEL_SHAPE]: (env) => {
		const { RATE: rps, USERS: users } = env;
		const target = Number(rps || users);
		if (!rps) return held(`${withCommas(target)} users for ${LEVEL_S.held} s`, target, LEVEL_S.held, LEVEL_S.warmup);
		const title = `${withCommas(target)} requests a second for ${LEVEL_S.held} s`;
		const stages = reachedAndHeld(target, 1, LEVEL_S.held - 1);
		return { ...open(title, LEVEL_S.warmup, stages, waitingAtMost(target, env)), warmupRate: target };
	},
	// The number of users at which trouble began, held; a trial says by CUT_S for how long.
	[TRIAL_SHAPE]: ({ USERS: users }) => {
		const target = Number(users || HELD_USERS);
		return closed(`${withCommas(target)} users, held`, 4, reachedAndHeld(target, 1, TRIAL_MOST_S));
	},
	steps: ({ USERS: users }) => inSteps(users, { reached_s: 5, held_s: 15, warmup_s: 10 }),
	brief: ({ USERS: users }) => inSteps(users, { reached_s: 1, held_s: 3, warmup_s: 3 }),
};

/**
 * @param {Record<string, string | undefined>} env  SHAPE: its name; SETTLE_S: how long it is without load after the warm-up, in the place
 *   of its own; CUT_S: after how many seconds it is cut; and what it takes by itself
 * @param {Record<string, (env: Record<string, string | undefined>) => Shape>} [known]  among which it is
 * @returns {Shape}
 */
export function shapeOfRun(env, known = shapes) {
	const shape = known[env.SHAPE ?? ''](env);
	const settled = env.SETTLE_S ? { ...shape, settle_s: Number(env.SETTLE_S) } : shape;
	return env.CUT_S ? cutShape(settled, Number(env.CUT_S)) : settled;
}

/** A stage that is cut ends at what it had reached by then. @type {(shape: Shape, seconds: number) => Shape} */
function cutShape(shape, seconds) {
	let left = seconds;
	let from = 0;
	/** @type {Stage[]} */
	const stages = [];
	for (const stage of shape.stages) {
		if (left <= 0) break;
		const share = Math.min(1, left / stage.duration_s);
		stages.push({ ...stage, duration_s: stage.duration_s * share, target: Math.round(from + (stage.target - from) * share) });
		from = stage.target;
		left -= stage.duration_s;
	}
	return { ...shape, title: `${shape.title}; cut after ${seconds} s`, stages };
}

/**
 * Seconds from the start of k6 to the start of the load.
 * @param {Shape} shape
 */
export const loadStart = (shape) => shape.warmup_s + (shape.settle_s ?? SETTLE_S);

/**
 * Seconds that the stages last.
 * @param {Shape} shape
 */
export const loadDuration = (shape) => shape.stages.reduce((sum, stage) => sum + stage.duration_s, 0);
