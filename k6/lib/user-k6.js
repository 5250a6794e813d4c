/**
 * Stands in for the module `k6` in a user's script: the same functions, a `check` that the lab hears of, and a `sleep` whose time is
 * counted, so that it is not taken for the generator's own. An answer with a good status that fails a check is counted apart, as
 * what it is: no tier lost it.
 *
 * Why the script's import has to name this module (k6 1.1.0 and 2.2.0): `k6` exports names and no object (internal/js/modules/k6/k6.go:54),
 * made anew at each use (js/modules/gomodule.go:85), so that nothing that a script could reach is what another one calls. The lab
 * mounts a copy of each file of the script that imports `k6`, with this module's path in its place (lab/load/wrapper.ts).
 * Libraries that k6 fetches from the network keep k6's own.
 */
import k6 from 'k6';
import { Counter } from 'k6/metrics';
import { thinks } from './request-log.js';
import { isKnownFailure, isLoad } from './user-http.js';
import { idSent } from './user-params.js';

/** Of each user, written down by their ids; the counter has all of them. */
const EXAMPLES_MOST = 16;

const ask = k6.check;
const rest = k6.sleep;
/** Seconds that users slept. Of the lines of the log those are missing that no request came after. */
const thought = new Counter('lab_think_s');
/** Answers with a good status, each once. */
const failed = new Counter('lab_check_failed');
/** Checks of anything else than an answer, such as what a script read from its body. */
const failedOther = new Counter('lab_check_failed_other');
let examples = 0;
/** A script may check one answer several times. */
let lastId = '';

/**
 * @param {any} value
 * @param {any} checks
 * @param {any} [tags]
 */
export function check(value, checks, tags) {
	let isPassed = false;
	try {
		isPassed = tags === undefined ? ask(value, checks) : ask(value, checks, tags);
		return isPassed;
	} finally {
		if (!isPassed && isLoad()) countFailed(idSent(value));
	}
}

/** @param {number} seconds */
export function sleep(seconds) {
	const isThought = isLoad() && seconds > 0;
	if (isThought) thinks(seconds);
	rest(seconds);
	if (isThought) thought.add(seconds);
}

/** @param {string} id of the answer's request; empty where it is none */
function countFailed(id) {
	if (id === '') {
		failedOther.add(1);
		return;
	}
	if (id === lastId || isKnownFailure(id)) return;
	lastId = id;
	failed.add(1);
	if (examples >= EXAMPLES_MOST) return;
	examples += 1;
	console.error(JSON.stringify({ check_failed: id, t: Date.now() / 1000 }));
}

export * from 'k6';
export default { ...k6, check, sleep };
