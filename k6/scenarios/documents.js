/**
 * What a user of the document service does: GET /, think for 10 ms (published), again.
 */
import { sleep } from 'k6';
import { optionsFor } from '../lib/options.js';
import { newClient } from '../lib/requests.js';
import { shapes } from '../shapes.js';

const THINK_TIME_S = 0.01;
const target = __ENV.TARGET;
/** Each good answer is written down by the id of its request, which the app stores. */
const integrity = __ENV.INTEGRITY === '1';
const isGood = (/** @type {number} */ status) => status === 200;

const shape = shapes[__ENV.SHAPE](__ENV);
const client = newClient(shape, isGood, THINK_TIME_S);

export const options = optionsFor(shape);

/** Marks the moment at which the users are ready; the lab places every other record by it. */
export function setup() {
  console.error(JSON.stringify({ event: 'start', t: Date.now() / 1000 }));
}

export function warmup() {
  client.warm(target);
  sleep(THINK_TIME_S);
}

export function load() {
  const { id, response } = client.send(target);
  if (integrity && isGood(response.status)) console.error(JSON.stringify({ acknowledged: id }));
  sleep(THINK_TIME_S);
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
