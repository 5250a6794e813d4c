/**
 * The document service, one node of the system under test: Express, Mongoose, MongoDB. Serves GET /.
 */
import { readConfig } from '../lib/config.js';
import { serveOnDatabase } from '../lib/database-node.js';
import { newCounts } from '../lib/telemetry.js';
import { documentHandler } from './documents.js';

const config = readConfig(process.env);
const counts = newCounts();
await serveOnDatabase(config, counts, (app) => {
	app.get('/', documentHandler(config, counts));
});
