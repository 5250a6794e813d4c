/**
 * What a user of the document service does: GET /, think (for 10 ms, as published, unless the load says how long), again.
 */
import { sleep } from 'k6';
import { optionsFor } from '../lib/options.js';
import { newPause } from '../lib/pause.js';
import { newClient } from '../lib/requests.js';
import { THINK_TIME_S } from '../lib/think.js';
import { shapes } from '../shapes.js';

const shape = shapes[__ENV.SHAPE](__ENV);
const target = __ENV.TARGET;
/** Each good answer is written down by the id of its request, which the app stores. */
const integrity = __ENV.INTEGRITY === '1';
const isGood = (/** @type {number} */ status) => status === 200;

const client = newClient(shape, isGood, newPause(__ENV.THINK_TIME_S));
/** Once: k6 looks a name of an object up at each use. */
const { send } = client;

export const options = optionsFor(shape);

export { tellStart as setup } from '../lib/start.js';

export function warmup() {
  client.warm(target);
  sleep(THINK_TIME_S);
}

export function load() {
  const sent = send(target);
  if (integrity && isGood(sent.response.status)) console.error(JSON.stringify({ acknowledged: sent.id }));
  sleep(sent.thinkS);
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
