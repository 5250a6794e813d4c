/**
 * What a user of the document service does: GET /, think (for 10 ms, as published, unless the load says how long), again. How long it
 * waits for an answer, and what it does when one is bad, are variables: TIMEOUT, RETRIES and what goes with it.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { optionsFor } from '../lib/options.js';
import { newPause } from '../lib/pause.js';
import { randomOf } from '../lib/random.js';
import { newClient } from '../lib/requests.js';
import { newRetries, policyOf } from '../lib/retries.js';
import { shapeOfRun } from '../lib/shapes.js';
import { tellStart } from '../lib/start.js';
import { THINK_TIME_S } from '../lib/think.js';
import { waitForBeat } from '../lib/together.js';

const shape = shapeOfRun(__ENV);
const target = __ENV.TARGET;
/** Each good answer is written down by the id of its request, which the app stores. */
const integrity = __ENV.INTEGRITY === '1';
/** 202: a queue has taken it, and nobody has done it yet. */
const isGood = (/** @type {number} */ status) => status === 200 || status === 202;
/** More than a load has. */
const USERS_MOST = 100_000;

const policy = policyOf(__ENV);
/** Each user's own, made when it is first asked: k6 numbers its users after it has read the script. @type {(() => number) | undefined} */
let random;
const draw = () => {
  random ??= randomOf(Number(__ENV.SEED || 1) * USERS_MOST + exec.vu.idInTest);
  return random();
};
const client = newClient(shape, isGood, newPause(__ENV.THINK_TIME_S), {
  ...(__ENV.TIMEOUT ? { timeoutMs: Number(__ENV.TIMEOUT) } : {}),
  retries: policy && newRetries(policy, draw),
});
/** Once: k6 looks a name of an object up at each use. */
const { send } = client;

export const options = optionsFor(shape);

export function setup() {
  waitForBeat(__ENV.START_BEAT_S);
  tellStart();
}

export function warmup() {
  client.warm(target);
  sleep(THINK_TIME_S);
}

export function load() {
  const sent = send(target);
  while (sent.againMs >= 0) {
    if (sent.againMs > 0) sleep(sent.againMs / 1000);
    send(target);
  }
  if (integrity && isGood(sent.response.status)) console.error(JSON.stringify({ acknowledged: sent.id }));
  sleep(sent.thinkS);
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
