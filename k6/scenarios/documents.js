/**
 * What a user of the document service does: GET /, think (for 10 ms, as published, unless the load says how long), again.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import { optionsFor } from '../lib/options.js';
import { newClient } from '../lib/requests.js';
import { longestThink, THINK_TIME_S, thinkTimeOf } from '../lib/think.js';
import { loadDuration, shapes } from '../shapes.js';

const shape = shapes[__ENV.SHAPE](__ENV);
const thinkTime = thinkTimeOf(__ENV.THINK_TIME_S);
/** Seconds that users thought, where it is not the same each time. */
const thought = __ENV.THINK_TIME_S ? new Counter('lab_think_s') : null;
const target = __ENV.TARGET;
/** Each good answer is written down by the id of its request, which the app stores. */
const integrity = __ENV.INTEGRITY === '1';
const isGood = (/** @type {number} */ status) => status === 200;

const client = newClient(shape, isGood, longestThink(__ENV.THINK_TIME_S));
/** Each once: k6 looks a name of an imported module, and one of an object, up at each use. */
const { send } = client;
const pause = sleep;

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
  const sent = send(target);
  if (integrity && isGood(sent.response.status)) console.error(JSON.stringify({ acknowledged: sent.id }));
  if (thought === null) pause(THINK_TIME_S);
  else think(thought);
}

/** To the end of the load at most: k6 waits for users who still think, and rates are over all the time until it has ended. */
function think(/** @type {Counter} */ thought) {
  const left = loadDuration(shape) - (Date.now() - exec.scenario.startTime) / 1000;
  const seconds = Math.max(0, Math.min(thinkTime(__VU, __ITER), left));
  sleep(seconds);
  thought.add(seconds);
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
