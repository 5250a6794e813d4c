/**
 * A node of the document service on several databases. Serves GET /.
 */
import { documentHandler } from '../documents/documents.js';
import { readConfig } from '../lib/config.js';
import { serveExpress } from '../lib/database-node.js';
import { newCounts } from '../lib/telemetry.js';
import { connectShards } from './shards.js';

const URLS = ['mongodb://mongo-1:27017/doubletake', 'mongodb://mongo-2:27017/doubletake'];

const config = readConfig(process.env);
const counts = newCounts();
const { work, ...databases } = await connectShards(config, URLS);
await serveExpress(config, counts, databases, (app) => {
	app.get('/', documentHandler(config, counts, work));
});
