/**
 * What a run suffered from, in figures that a trial can be compared with, and the shortest load that is likely to show it again.
 *
 * @typedef {object} Trouble
 * @property {number} failed      requests, those included that were open at the end
 * @property {number} requests
 * @property {number} share       of them, in the seconds that a trial has
 * @property {{ service: string, cause: string, title: string, count: number }[]} places  where they failed and why, the most first
 * @property {number} onset_s     of the load, in which they began
 * @property {number} load_s      that the load lasted
 * @property {number} cut_s       after which a trial may end
 * @property {number | null} users  that were there when they began, where the shape says it
 *
 * @typedef {import('../record/types.js').Result} Result
 */

/** Of failed requests, until which a trial goes on, and for how long after the first of them at least. The rule's own choices. */
const FAILED_ENOUGH = 20;
const AFTER_ONSET_S = 8;
/** A request that is to fail may end some time after it began; what began until then is let end. */
const MARGIN_S = 2;
/** Of the load, from which on a cut saves nothing. */
const NEARLY_ALL = 0.85;
/** Of all failures, that have to be there by the onset: a single early one is another's. */
const ONSET_SHARE = 0.02;

/** @param {Result} result @returns {Trouble | null} null where nothing failed */
export function troubleOf(result) {
	const { metrics, ledger, timeline, stages } = result;
	const failed = metrics.failures + metrics.unanswered;
	if (failed === 0) return null;
	const rows = timeline.filter(({ warmup, t_s: t }) => !warmup && t >= 0);
	const loadS = stages.at(-1)?.to_s ?? Math.ceil(result.duration_s);
	const onset = secondBy(rows, Math.max(1, ONSET_SHARE * metrics.failures)) ?? 0;
	const enough = secondBy(rows, Math.min(FAILED_ENOUGH, metrics.failures));
	const wanted = Math.max(enough ?? loadS, onset + AFTER_ONSET_S) + MARGIN_S;
	const cut = wanted > NEARLY_ALL * loadS ? Math.ceil(loadS) : Math.ceil(wanted);
	return {
		failed,
		requests: metrics.requests + metrics.unanswered,
		share: cut >= loadS ? failed / (metrics.requests + metrics.unanswered) : shareUntil(rows, cut),
		places: ledger.failures
			.map(({ service, cause, cause_title: title, count }) => ({ service, cause, title, count }))
			.toSorted((one, other) => other.count - one.count),
		onset_s: onset,
		load_s: loadS,
		cut_s: cut,
		users: usersAt(stages, onset),
	};
}

/** @type {(rows: Result['timeline'], count: number) => number | null} the second by whose end so many had failed */
function secondBy(rows, count) {
	let failed = 0;
	for (const { t_s: t, failures_per_s: more } of rows) {
		failed += more ?? 0;
		if (failed >= count) return t;
	}
	return null;
}

/** @type {(rows: Result['timeline'], seconds: number) => number} */
function shareUntil(rows, seconds) {
	const until = rows.filter(({ t_s: t }) => t < seconds);
	const sum = (/** @type {(row: Result['timeline'][number]) => number | null} */ of) =>
		until.reduce((total, row) => total + (of(row) ?? 0), 0);
	const ended = sum(({ throughput_rps: rps }) => rps);
	return ended === 0 ? 0 : sum(({ failures_per_s: failures }) => failures) / ended;
}

/** The most that the stage of the onset has: a trial that holds them is sure to have what brought the trouble. @type {(stages: Result['stages'], second: number) => number | null} */
function usersAt(stages, second) {
	const stage = stages.find(({ from_s: from, to_s: to }) => second >= from && second < to) ?? stages.at(-1);
	return stage?.unit === 'users' ? stage.target : null;
}

/**
 * What a copy showed.
 * @param {Result} result
 * @param {string | null} probe  id of what was changed in it
 * @param {number} [fromS]  of its load, before which it is not looked at
 * @returns {import('./decide.js').Copy}
 */
export function copyOf(result, probe, fromS = 0) {
	const { metrics, ledger } = result;
	const [worst] = ledger.failures.toSorted((one, other) => other.count - one.count);
	const place = worst === undefined ? '' : `${worst.service}/${worst.cause}`;
	if (fromS === 0)
		return {
			probe,
			failed: metrics.failures + metrics.unanswered,
			requests: metrics.requests + metrics.unanswered,
			good_rps: metrics.goodput_rps,
			place,
		};
	const rows = result.timeline.filter(({ warmup, t_s: t }) => !warmup && t >= fromS);
	const total = (/** @type {'throughput_rps' | 'failures_per_s' | 'goodput_rps'} */ of) =>
		rows.reduce((sum, row) => sum + (row[of] ?? 0), 0);
	return {
		probe,
		failed: Math.round(total('failures_per_s')),
		requests: Math.round(total('throughput_rps')),
		good_rps: rows.length === 0 ? 0 : total('goodput_rps') / rows.length,
		place,
	};
}
