/**
 * The CRUD service, one node on three databases of one MongoDB: Express and the MongoDB driver. Serves
 * /:database/documents/:id, as routes.js says.
 */
import { readConfig } from '../../../app/lib/config.js';
import { serveOnDatabase } from '../../../app/lib/database-node.js';
import { newCounts } from '../../../app/lib/telemetry.js';
import { documentsOf } from './documents.js';
import { documentRoutes } from './routes.js';
import { DATABASES, seedsOf } from './seeds.js';

const config = readConfig(process.env);
const counts = newCounts();

await serveOnDatabase(config, counts, async (app, client) => {
	const databases = new Map(DATABASES.map((name) => [name, documentsOf(client.db(name))]));
	for (const [name, documents] of databases) await documents.seed(seedsOf(name));
	for (const { method, handler } of documentRoutes(config, counts, databases)) app[method]('/:database/documents/:id', handler);
});
