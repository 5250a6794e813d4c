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

/** @param {string} error @returns {boolean} no connection of the pool became free in time */
export const isPoolWait = (error) => POOL_WAIT.has(error);

/** @param {string} error @returns {boolean} the driver had cleared the pool, after a network error of another request */
export const isPoolCleared = (error) => POOL_CLEARED.has(error);

/** @param {string} error @returns {boolean} the database answered, with an error */
export const isAnswered = (error) => ANSWERED.has(error);

/** @param {string} error @returns {boolean} a socket to the database broke, or could not be made */
export const isBroken = (error) => error === BROKEN;

/** @param {string} error @returns {boolean} it broke or could not be made, or no server was found to make one to */
export const isUnmade = (error) => isBroken(error) || NO_SERVER.has(error);

/** @param {string} error @returns {boolean} no answer of the database came in time */
export const isTimedOut = (error) => TIMED_OUT.has(error);

/** @param {string} error @returns {boolean} it speaks of the pool or of the database */
export const isOfDatabase = (error) => (error.startsWith('Mongo') && !OF_THE_APP.has(error)) || isPoolWait(error) || isPoolCleared(error);
