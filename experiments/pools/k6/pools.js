/**
 * What a connection to the pools node does: GET /, and again as soon as it is answered, as autocannon does (published).
 */
import { optionsFor } from '../../../k6/lib/options.js';
import { newClient } from '../../../k6/lib/requests.js';
import { shapeOfRun } from '../../../k6/lib/shapes.js';
import { shapes } from './shapes.js';

const target = __ENV.TARGET;
const isGood = (/** @type {number} */ status) => status === 200;

const shape = shapeOfRun(__ENV, shapes);
const client = newClient(shape, isGood);

export const options = optionsFor(shape);

export { tellStart as setup } from '../../../k6/lib/start.js';

export function warmup() {
	client.warm(target);
}

export function load() {
	client.send(target);
}

export function handleSummary(/** @type {object} */ data) {
	return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
