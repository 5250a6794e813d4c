/**
 * What the users of requests.js send, in their order and with their think times, and nothing of the lab: no ids but those that the load itself asks for, no
 * counters, no record.
 * The overhead of the lab on a system of one's own is measured against it.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { COUNTED_PLAINLY, scenariosOf } from '../lib/options.js';
import { ordersOf } from '../lib/orders.js';
import { newPause } from '../lib/pause.js';
import { loadDuration, shapeOfRun } from '../lib/shapes.js';
import { thinkTimeOf } from '../lib/think.js';

const shape = shapeOfRun(__ENV);
const durationMs = loadDuration(shape) * 1000;
const { load: nextOfLoad, warmup: nextOfWarmup, hosts } = ordersOf(__ENV, open(__ENV.REQUESTS_FILE));
const thinkTime = thinkTimeOf(__ENV.THINK_TIME_S);
const pause = newPause(__ENV.THINK_TIME_S);
/** Milliseconds since 1970; known once the load has begun. */
let endsAt = 0;

// Redirects and certificates are taken as there.
export const options = { scenarios: scenariosOf(shape), thresholds: COUNTED_PLAINLY, maxRedirects: 0, insecureSkipTLSVerify: true, hosts };

export function warmup() {
	send(nextOfWarmup(), 'warmup');
	sleep(thinkTime(__VU, __ITER));
}

export function load() {
	if (endsAt === 0) endsAt = exec.scenario.startTime + durationMs;
	send(nextOfLoad(), 'load');
	sleep(typeof pause === 'function' ? pause((endsAt - Date.now()) / 1000) : pause);
}

/** @param {import('../lib/request-list.js').Ready} next @param {import('../lib/stored-id.js').Part} part */
function send({ url, request: { method, headers, body, fill } }, part) {
	const filled = fill?.(part, __VU, __ITER);
	http.request(method, filled?.url ?? url, filled?.body ?? body, { headers: { ...headers, ...filled?.headers } });
}

export function handleSummary(/** @type {object} */ data) {
	return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
