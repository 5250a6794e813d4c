/**
 * What a request does: buys one ticket for the event that the header X-Event names, and answers its number; answers HTTP
 * 409 when none was left for it.
 */
import { currentRequest } from '../../../app/lib/pool-monitor.js';
import { requestHandler } from '../../../app/lib/request-handler.js';
import { EVENT } from './sales.js';

/**
 * @param {import('../../../app/lib/config.js').Config} config
 * @param {import('../../../app/lib/telemetry.js').Counts} counts
 * @param {(event: string, sale: import('./sales.js').Sale) => Promise<import('./sales.js').Ticket>} buy
 * @returns {import('express').RequestHandler}
 */
export function ticketHandler(config, counts, buy) {
	return requestHandler(config, counts, async (req) => {
		const ticket = await buy(req.get('x-event') ?? EVENT, { times: currentRequest.getStore() });
		return ticket === null ? { status: 409, body: { error: 'sold out' } } : { body: { ticket } };
	});
}
