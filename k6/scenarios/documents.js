/**
 * What a user of the document service does: GET /, think (for 10 ms, as published, unless the load says how long), again.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { optionsFor } from '../lib/options.js';
import { countOutcome, countStart } from '../lib/outcomes.js';
import { THINK_TIME_S, thinkTimeOf } from '../lib/think.js';
import { loadDuration, shapes } from '../shapes.js';

const shape = shapes[__ENV.SHAPE](__ENV);
const thinkTime = thinkTimeOf(__ENV.THINK_TIME_S);
const target = __ENV.TARGET;
/** Each request carries an id that the app stores, and each good answer is written down by id. */
const integrity = __ENV.INTEGRITY === '1';
const isGood = (/** @type {number} */ status) => status === 200;

export const options = optionsFor(shape);

/** Marks the moment at which the users are ready; the lab places every other record by it. */
export function setup() {
  console.error(JSON.stringify({ event: 'start', t: Date.now() / 1000 }));
}

export function warmup() {
  http.get(target);
  sleep(THINK_TIME_S);
}

export function load() {
  countStart();
  const id = `${__VU}-${__ITER}`;
  const response = http.get(target, integrity ? { headers: { 'X-Request-Id': id } } : undefined);
  countOutcome(response, isGood);
  if (integrity && isGood(response.status)) console.error(JSON.stringify({ acknowledged: id }));
  think();
}

/** To the end of the load at most: k6 waits for users who still think, and rates are over all the time until it has ended. */
function think() {
  const seconds = thinkTime(__VU, __ITER);
  const left = seconds > THINK_TIME_S ? loadDuration(shape) - (Date.now() - exec.scenario.startTime) / 1000 : seconds;
  sleep(Math.max(0, Math.min(seconds, left)));
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
