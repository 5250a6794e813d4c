/**
 * A node of the document service on a replica set. Serves GET /.
 */
import { documentHandler } from '../documents/documents.js';
import { readConfig } from '../lib/config.js';
import { serveOnDatabase } from '../lib/database-node.js';
import { newCounts } from '../lib/telemetry.js';
import { MEMBERS, makeReplicaSet, SET } from './replica-set.js';
import { Staleness } from './staleness.js';
import { replicaWork } from './work.js';

const DATABASE = 'doubletake';
const URL = `mongodb://${MEMBERS.join(',')}/${DATABASE}?replicaSet=${SET}&w=majority&readPreference=secondary`;

const config = { ...readConfig(process.env), databaseUrl: URL };
const staleness = new Staleness();
const counts = { ...newCounts(), own: staleness.counts };
await makeReplicaSet();
await serveOnDatabase(config, counts, (app, client) => {
	const documents = client.db(DATABASE).collection('documents');
	const life = Date.now().toString(36);
	app.get('/', documentHandler(config, counts, replicaWork(config, /** @type {any} */ (documents), staleness, life)));
});
