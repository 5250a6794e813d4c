/**
 * What a user of any service does: one request of a list, chosen by its weight, think (for 10 ms unless the load says how
 * long), again. The list is JSON, in REQUESTS or in the file that REQUESTS_FILE names (see lib/request-list.js). The same user
 * sends the same requests in every run of a SEED; the warm-up has an order of its own. Its users think as those of the load do: without
 * that, a quarter of them could ask for more than all of the load.
 */
import { sleep } from 'k6';
import { optionsFor } from '../lib/options.js';
import { newPause } from '../lib/pause.js';
import { randomOf } from '../lib/random.js';
import { chooserOf, readList, requestsTo } from '../lib/request-list.js';
import { newClient } from '../lib/requests.js';
import { longestThink, thinkTimeOf } from '../lib/think.js';
import { shapes } from '../shapes.js';

const SEED = Number(__ENV.SEED || 1);
/** Above the number of users and of orders, so that no two of them share a seed. */
const SEEDS_APART = 1_000_003;
const ORDERS = { load: 0, warmup: 1 };

const shape = shapes[__ENV.SHAPE](__ENV);
const list = readList(__ENV.REQUESTS_FILE ? open(__ENV.REQUESTS_FILE) : __ENV.REQUESTS);
const requests = requestsTo(__ENV.TARGET, list);
const choose = chooserOf(list.map(({ weight = 1 }) => weight));
const pause = newPause(shape, __ENV.THINK_TIME_S);
const thinkTime = thinkTimeOf(__ENV.THINK_TIME_S);
/** Each request says which statuses are good for it. */
const never = () => false;
const client = newClient(shape, never, longestThink(__ENV.THINK_TIME_S));
const nextOfWarmup = nextIn(ORDERS.warmup);
const nextOfLoad = nextIn(ORDERS.load);

export const options = optionsFor(shape);

export { tellStart as setup } from '../lib/start.js';

export function warmup() {
  const { url, request } = nextOfWarmup();
  client.warm(url, request);
  sleep(thinkTime(__VU, __ITER));
}

export function load() {
  const { url, request } = nextOfLoad();
  client.send(url, request);
  pause();
}

/** @param {number} order */
function nextIn(order) {
  if (requests.length === 1) return () => requests[0];
  /** Made at the first request: k6 numbers its users after it has read the script. @type {(() => number) | undefined} */
  let random;
  return () => {
    if (!random) random = randomOf(SEED * SEEDS_APART + 2 * __VU + order);
    return requests[choose(random())];
  };
}

export function handleSummary(/** @type {object} */ data) {
  return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
