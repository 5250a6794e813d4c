/**
 * What a connection to the pools node does: GET /, and again as soon as it is answered, as autocannon does (published).
 */
import http from 'k6/http';
import { optionsFor } from '../lib/options.js';
import { countOutcome, countStart } from '../lib/outcomes.js';
import { shapes } from '../shapes.js';

const target = __ENV.TARGET;
const isGood = (/** @type {number} */ status) => status === 200;

export const options = optionsFor(shapes[__ENV.SHAPE](__ENV));

/** Marks the moment at which the users are ready; the lab places every other record by it. */
export function setup() {
  console.error(JSON.stringify({ event: 'start', t: Date.now() / 1000 }));
}

export function warmup() {
  http.get(target);
}

export function load() {
  countStart();
  countOutcome(http.get(target), isGood);
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
