/**
 * What the names of the MongoDB driver's errors mean, as a node logs them with a failed request.
 */
const POOL_WAIT = new Set(['MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError']);
const POOL_CLEARED = new Set(['MongoPoolClearedError', 'PoolClearedError', 'PoolClearedOnNetworkError', 'MongoPoolClearedOnNetworkError']);
const ANSWERED = new Set(['MongoServerError', 'MongoWriteConcernError', 'MongoBulkWriteError']);
const BROKEN = 'MongoNetworkError';
const NO_SERVER = new Set(['MongoServerSelectionError', 'MongooseServerSelectionError']);
const TIMED_OUT = new Set(['MongoNetworkTimeoutError', 'MongoOperationTimeoutError']);
/**
 * What the driver says of the program that calls it: of a client that it closed, a session that it ended, an argument that is none. No
 * server was asked. https://mongodb.github.io/node-mongodb-native/ (classes below MongoAPIError)
 */
const OF_THE_APP = new Set([
  'MongoAPIError',
  'MongoBatchReExecutionError',
  'MongoClientClosedError',
  'MongoCompatibilityError',
  'MongoCursorExhaustedError',
  'MongoCursorInUseError',
  'MongoExpiredSessionError',
  'MongoInvalidArgumentError',
  'MongoMissingCredentialsError',
  'MongoMissingDependencyError',
  'MongoNotConnectedError',
  'MongoParseError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTailableCursorError',
  'MongoTopologyClosedError',
  'MongoTransactionError',
]);

/** @type {[import('../contract.js').Signal, (error: string) => boolean][]} */
const MEANINGS = [
  ['pool-timeout', (error) => POOL_WAIT.has(error)],
  ['pool-cleared', (error) => POOL_CLEARED.has(error)],
  ['store-error', (error) => ANSWERED.has(error)],
  ['connection-broken', (error) => error === BROKEN],
  ['connect-failed', (error) => NO_SERVER.has(error)],
  ['store-timeout', (error) => TIMED_OUT.has(error)],
  ['store-failed', (error) => error.startsWith('Mongo') && !OF_THE_APP.has(error)],
];

/** @param {string} error @returns {import('../contract.js').Signal | null} null where it speaks neither of a pool nor of the database */
export const errorSignal = (error) => MEANINGS.find(([, isSo]) => isSo(error))?.[0] ?? null;
