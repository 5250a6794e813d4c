/**
 * What a user of the document service does: GET /, think for 10 ms (published), again.
 */
import { sleep } from 'k6';
import http from 'k6/http';
import { optionsFor } from '../lib/options.js';
import { countOutcome, countStart } from '../lib/outcomes.js';
import { shapes } from '../shapes.js';

const THINK_TIME_S = 0.01;
const target = __ENV.TARGET;
/** Each request carries an id that the app stores, and each good answer is written down by id. */
const integrity = __ENV.INTEGRITY === '1';
const isGood = (/** @type {number} */ status) => status === 200;

export const options = optionsFor(shapes[__ENV.SHAPE](__ENV));

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
  sleep(THINK_TIME_S);
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
