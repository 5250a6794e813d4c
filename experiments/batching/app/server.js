/**
 * The ticket service, one worker of the system under test: Express, the MongoDB driver, and batches of its own. Serves
 * POST /tickets.
 */
import { readConfig } from '../../../app/lib/config.js';
import { serveOnDatabase } from '../../../app/lib/database-node.js';
import { newCounts } from '../../../app/lib/telemetry.js';
import { newBatcher } from './batcher.js';
import { newSeller, openEvents } from './sales.js';
import { readSettings } from './settings.js';
import { ticketHandler } from './tickets.js';

const config = readConfig(process.env);
const { batching, stock } = readSettings(process.env);
const counts = { ...newCounts(), own: { batches: 0, batched: 0 } };

await serveOnDatabase(config, counts, async (app, client) => {
	await openEvents(client.db(), stock);
	const sell = newSeller(client.db(), counts.own);
	/** @type {Parameters<typeof ticketHandler>[2]} */
	const sellAlone = async (event, sale) => (await sell(event, [sale]))[0];
	app.post('/tickets', ticketHandler(config, counts, batching ? newBatcher(sell) : sellAlone));
});
