/**
 * What a user of the document service does: GET /, think (for 10 ms, as published, unless the load says how long), again. How long it
 * waits for an answer, and what it does when one is bad, are variables: TIMEOUT, RETRIES and what goes with it (lib/behaviour.js).
 */
import { sleep } from 'k6';
import { behaviourOf } from '../lib/behaviour.js';
import { optionsFor } from '../lib/options.js';
import { newPause } from '../lib/pause.js';
import { newClient } from '../lib/requests.js';
import { shapeOfRun } from '../lib/shapes.js';
import { tellStart } from '../lib/start.js';
import { waitAtStartBarrier } from '../lib/start-barrier.js';
import { THINK_TIME_S } from '../lib/think.js';

const shape = shapeOfRun(__ENV);
const target = __ENV.TARGET;
/** Each good answer is written down by the id of its request, which the app stores. */
const integrity = __ENV.INTEGRITY === '1';
/** 202: a queue has taken it, and nobody has done it yet. */
const isGood = (/** @type {number} */ status) => status === 200 || status === 202;
const client = newClient(shape, isGood, newPause(__ENV.THINK_TIME_S), behaviourOf(__ENV));
/** Once: k6 looks a name of an object up at each use. */
const { send } = client;

export const options = optionsFor(shape);

export function setup() {
	waitAtStartBarrier(__ENV.START_BEAT_S);
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
