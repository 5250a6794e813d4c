/**
 * The published user, and nothing of the lab: GET /, think for 10 ms, again. No ids, no counters, no record; the overhead of
 * the lab is measured against it, under the same users and times.
 */
import { sleep } from 'k6';
import http from 'k6/http';
import { COUNTED_PLAINLY, scenariosOf } from '../lib/options.js';
import { shapeOfRun } from '../lib/shapes.js';

const THINK_TIME_S = 0.01;
const target = __ENV.TARGET;

export const options = {
	scenarios: scenariosOf(shapeOfRun(__ENV)),
	thresholds: COUNTED_PLAINLY,
};

function visit() {
	http.get(target);
	sleep(THINK_TIME_S);
}

export { visit as load, visit as warmup };

export function handleSummary(/** @type {object} */ data) {
	return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
