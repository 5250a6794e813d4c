/**
 * What a user of the ticket service does: POST /tickets, again as soon as it is answered.
 */
import { Counter } from 'k6/metrics';
import { optionsFor } from '../../../k6/lib/options.js';
import { newClient } from '../../../k6/lib/requests.js';
import { shapeOfRun } from '../../../k6/lib/shapes.js';
import { shapes } from './shapes.js';
import { ticketSquare } from './ticket-square.js';

const target = __ENV.TARGET;
const SALE = { method: 'POST' };
const WARMUP_SALE = { ...SALE, headers: { 'X-Event': 'warmup' } };
const isGood = (/** @type {number} */ status) => status === 200;
const TICKET = /"ticket":(\d+)/;

/** What was answered, to be compared with what is stored without a line for each ticket. */
const sum = new Counter('lab_ticket_sum');
const squares = new Counter('lab_ticket_squares');

const shape = shapeOfRun(__ENV, shapes);
const client = newClient(shape, isGood);

export const options = { ...optionsFor(shape), discardResponseBodies: false };

export { tellStart as setup } from '../../../k6/lib/start.js';

export function warmup() {
	client.warm(target, WARMUP_SALE);
}

export function load() {
	const { response } = client.send(target, SALE);
	if (!isGood(response.status)) return;
	const [, ticket] = TICKET.exec(String(response.body)) || [];
	sum.add(Number(ticket));
	squares.add(ticketSquare(Number(ticket)));
}

export function handleSummary(/** @type {object} */ data) {
	return { [`${__ENV.RECORD_FOLDER}/k6-summary.json`]: JSON.stringify(data) };
}
