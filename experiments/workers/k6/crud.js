/**
 * What a user of the CRUD service does: one operation of the published mix on a document of its own, again as soon as it is
 * answered. User v works on database (v mod 3) + 1. What it owns outlives the warm-up: a user may do both.
 */
import exec from 'k6/execution';
import { Counter, Trend } from 'k6/metrics';
import { optionsFor } from '../../../k6/lib/options.js';
import { newClient } from '../../../k6/lib/requests.js';
import { shapeOfRun } from '../../../k6/lib/shapes.js';
import { DATABASES, newUser, OPERATIONS } from './crud-user.js';
import { shapes } from './shapes.js';

const target = __ENV.TARGET;
const METHODS = { read: 'GET', create: 'PUT', update: 'PATCH', delete: 'DELETE' };
const REQUESTS = Object.fromEntries(OPERATIONS.map((operation) => [operation, { method: METHODS[operation] }]));
const MISSED = 404;
const isGood = (/** @type {number} */ status) => status === 200 || status === 201;

const trend = (/** @type {string} */ name) => new Trend(`lab_latency_${name}`, true);
/** Of good answers alone. */
const latencyOf = Object.fromEntries(
	OPERATIONS.map((operation) => [
		operation,
		{
			all: trend(operation),
			in: Object.fromEntries(DATABASES.map((database) => [database, trend(`${operation}_${database}`)])),
		},
	]),
);
const missed = Object.fromEntries(OPERATIONS.map((operation) => [operation, new Counter(`lab_missed_${operation}`)]));
const created = new Counter('lab_created');
const deleted = new Counter('lab_deleted');

const shape = shapeOfRun(__ENV, shapes);
const client = newClient(shape, isGood);

export const options = optionsFor(shape);

/** Made at its first request: k6 numbers its users after it has read the script. @type {ReturnType<typeof newUser> | undefined} */
let user;

export { tellStart as setup } from '../../../k6/lib/start.js';

export function warmup() {
	act(client.warm, () => {});
}

export function load() {
	act(client.send, count);
}

/** @param {typeof client.send} request @param {typeof count} countStep */
function act(request, countStep) {
	if (!user) user = newUser(exec.vu.idInTest);
	const { operation, id } = user.next();
	const { response, waitedMs } = request(`${target}${user.database}/documents/${id}`, REQUESTS[operation]);
	if (operation === 'create' && isGood(response.status)) user.own(id);
	countStep(response.status, waitedMs, operation, user.database);
}

/** @type {(status: number, waitedMs: number, operation: import('./crud-user.js').Operation, database: string) => void} */
function count(status, waitedMs, operation, database) {
	if (status === MISSED) missed[operation].add(1);
	if (!isGood(status)) return;
	latencyOf[operation].all.add(waitedMs);
	latencyOf[operation].in[database].add(waitedMs);
	if (operation === 'create') created.add(1);
	if (operation === 'delete') deleted.add(1);
}

export function handleSummary(/** @type {object} */ data) {
	return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
