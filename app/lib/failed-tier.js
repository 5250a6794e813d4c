/**
 * Which tier an error of the MongoDB driver accuses, by the driver's own error names
 * (https://mongodb.github.io/node-mongodb-native/, classes Mongo*Error).
 */
const tierByErrorName = new Map([
	['MongoWaitQueueTimeoutError', 'pool'],
	['WaitQueueTimeoutError', 'pool'],
	['MongoPoolClearedError', 'pool'],
	['PoolClearedOnNetworkError', 'pool'],
	['MongoPoolClosedError', 'pool'],
]);

/**
 * @param {unknown} error
 * @returns {'pool' | 'database' | 'app'}
 */
export function failedTier(error) {
	const name = error instanceof Error ? error.name : '';
	return /** @type {'pool' | undefined} */ (tierByErrorName.get(name)) ?? (name.startsWith('Mongo') ? 'database' : 'app');
}
