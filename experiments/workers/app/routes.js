/**
 * The CRUD service's requests, all on /:database/documents/:id and without a body:
 *   GET     reads a document and answers it
 *   PUT     creates one (201); 409 when the id is taken
 *   PATCH   updates one with a new payload
 *   DELETE  deletes one
 * The last three answers hold no document. What is not there, a document or a database, is a miss: 404.
 */
import { requestHandler } from '../../../app/lib/request-handler.js';

/** @typedef {import('../../../app/lib/request-handler.js').Answer} Answer */

/** @type {Answer} */
const MISSED = { status: 404, body: { error: 'not there' } };
/** @type {Answer} */
const TAKEN = { status: 409, body: { error: 'there already' } };

/** @type {Record<'get' | 'put' | 'patch' | 'delete', (documents: import('./documents.js').Documents, id: string) => Promise<Answer>>} */
const operations = {
	async get(documents, id) {
		const document = await documents.read(id);
		return document ? { body: { document } } : MISSED;
	},
	put: async (documents, id) => ((await documents.create(id)) ? { status: 201 } : TAKEN),
	patch: async (documents, id) => ((await documents.update(id)) ? {} : MISSED),
	delete: async (documents, id) => ((await documents.delete(id)) ? {} : MISSED),
};

/**
 * @param {import('../../../app/lib/config.js').Config} config
 * @param {import('../../../app/lib/telemetry.js').Counts} counts
 * @param {Map<string, import('./documents.js').Documents>} databases by name
 * @returns {{ method: keyof typeof operations, handler: import('express').RequestHandler }[]}
 */
export function documentRoutes(config, counts, databases) {
	return /** @type {(keyof typeof operations)[]} */ (Object.keys(operations)).map((method) => ({
		method,
		handler: requestHandler(config, counts, async ({ params }) => {
			const { database, id } = /** @type {{ database: string, id: string }} */ (params);
			const documents = databases.get(database);
			return documents ? operations[method](documents, id) : MISSED;
		}),
	}));
}
