/**
 * What a user of any service does: one request of a list, chosen by its weight, think (for 10 ms unless the load says how
 * long), again. The list is JSON, in REQUESTS or in the file that REQUESTS_FILE names (see lib/request-list.js); REQUEST_HEADERS has, as
 * JSON too, the values of headers that are not in it; REQUEST_MARK is of the run, in the ids that its system is to store. The same user
 * sends the same requests in every run of a SEED; the warm-up has an order of its own. Its users think as those of the load do: without
 * that, a quarter of them could ask for more than all of the load. How long a user waits for an answer, and what it does when one is bad,
 * are variables (lib/behaviour.js); so is the beat on which it begins with other generators.
 *
 * A redirect is an answer and is not followed: it may lead to the public address of a site, which must not get the load. A service's own
 * certificate is not for the name that it has here, and is taken as it is.
 */
import { sleep } from 'k6';
import { behaviourOf } from '../lib/behaviour.js';
import { optionsFor } from '../lib/options.js';
import { ordersOf } from '../lib/orders.js';
import { newPause } from '../lib/pause.js';
import { newClient } from '../lib/requests.js';
import { shapeOfRun } from '../lib/shapes.js';
import { tellStart } from '../lib/start.js';
import { waitAtStartBarrier } from '../lib/start-barrier.js';
import { thinkTimeOf } from '../lib/think.js';

const shape = shapeOfRun(__ENV);
const { load: nextOfLoad, warmup: nextOfWarmup, hosts } = ordersOf(__ENV, __ENV.REQUESTS_FILE ? open(__ENV.REQUESTS_FILE) : __ENV.REQUESTS);
const thinkTime = thinkTimeOf(__ENV.THINK_TIME_S);
/** Each request says which statuses are good for it. */
const never = () => false;
/** Who is to take the next arrival does not think. */
const pause = shape.model === 'open' ? 0 : newPause(__ENV.THINK_TIME_S);
/** Each good answer to a request whose id is to be stored is written down by it. */
const integrity = __ENV.INTEGRITY === '1';
const client = newClient(shape, never, pause, behaviourOf(__ENV));

export const options = { ...optionsFor(shape), maxRedirects: 0, insecureSkipTLSVerify: true, hosts };

export function setup() {
	waitAtStartBarrier(__ENV.START_BEAT_S);
	tellStart();
}

export function warmup() {
	const { url, request } = nextOfWarmup();
	client.warm(url, request);
	if (shape.warmupRate === undefined) sleep(thinkTime(__VU, __ITER));
}

export function load() {
	const { url, request } = nextOfLoad();
	const sent = client.send(url, request);
	while (sent.againMs >= 0) {
		if (sent.againMs > 0) sleep(sent.againMs / 1000);
		client.send(url, request);
	}
	if (integrity && request.isStored && request.isGood(sent.response.status)) console.error(JSON.stringify({ acknowledged: sent.firstId }));
	sleep(sent.thinkS);
}

export function handleSummary(/** @type {object} */ data) {
	return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
