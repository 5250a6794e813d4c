/**
 * Makes a replica set of MongoDBs that know nothing of each other yet.
 */
import mongoose from 'mongoose';
import { connectPatiently } from '../lib/connect-patiently.js';

export const SET = 'rs0';
export const MEMBERS = ['mongo-1:27017', 'mongo-2:27017', 'mongo-3:27017'];

/** MongoDB's codes: somebody else has done it, or is about to. */
const AlreadyInitialized = 23;
const ConfigurationInProgress = 109;
const DONE = [AlreadyInitialized, ConfigurationInProgress];
const ANSWER_LIMIT_MS = 5000;

/**
 * The first is to write as long as it is there, so that every run begins alike.
 * @param {string[]} hosts
 */
export const configOf = (hosts) => ({
	_id: SET,
	members: hosts.map((host, index) => ({ _id: index, host, priority: index === 0 ? 2 : 1 })),
});

/**
 * @param {(config: object) => Promise<unknown>} initiate
 * @throws what MongoDB refuses, but not that there is a set already
 */
export async function initiateOnce(initiate) {
	try {
		await initiate(configOf(MEMBERS));
	} catch (error) {
		if (!DONE.includes(/** @type {{ code?: number }} */ (error).code ?? 0)) throw error;
	}
}

/**
 * A set that was just made answers reads before it has chosen who writes, ten seconds and more (its members wait as long as for a primary
 * that is gone): the first writes would wait so long. Told to, a member asks for the votes of the others at once.
 * @param {() => Promise<{ isWritablePrimary?: boolean }>} hello  of the member that is to write
 * @param {() => Promise<unknown>} stepUp  of the same; refused by one that is not ready for it
 * @throws {Error} when it does not write yet
 */
export async function assertWrites(hello, stepUp) {
	const { isWritablePrimary: writes } = await hello();
	if (writes) return;
	await stepUp().catch(() => {});
	throw new Error(`${MEMBERS[0]}: expected the member that takes writes; found one that does not yet.`);
}

/**
 * Until the set takes writes.
 * @throws the last attempt's error
 */
export async function makeReplicaSet() {
	const client = new mongoose.mongo.MongoClient(`mongodb://${MEMBERS[0]}/`, {
		directConnection: true,
		serverSelectionTimeoutMS: ANSWER_LIMIT_MS,
	});
	try {
		const admin = client.db('admin');
		await connectPatiently(() => initiateOnce((config) => admin.command({ replSetInitiate: config })));
		await connectPatiently(() =>
			assertWrites(
				() => admin.command({ hello: 1 }),
				() => admin.command({ replSetStepUp: 1 }),
			),
		);
	} finally {
		await client.close();
	}
}
