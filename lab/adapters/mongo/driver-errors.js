/**
 * What the names of the MongoDB driver's errors mean, as a node logs them with a failed request.
 */
const POOL_WAIT = new Set(['MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError']);
const POOL_CLEARED = new Set(['MongoPoolClearedError', 'PoolClearedError', 'PoolClearedOnNetworkError', 'MongoPoolClearedOnNetworkError']);
const ANSWERED = new Set(['MongoServerError', 'MongoWriteConcernError', 'MongoBulkWriteError']);
const BROKEN = 'MongoNetworkError';

/** @param {string} error @returns {boolean} no connection of the pool became free in time */
export const isPoolWait = (error) => POOL_WAIT.has(error);

/** @param {string} error @returns {boolean} the driver had cleared the pool, after a network error of another request */
export const isPoolCleared = (error) => POOL_CLEARED.has(error);

/** @param {string} error @returns {boolean} the database answered, with an error */
export const isAnswered = (error) => ANSWERED.has(error);

/** @param {string} error @returns {boolean} a socket to the database broke, or could not be made */
export const isBroken = (error) => error === BROKEN;

/** @param {string} error @returns {boolean} it speaks of the pool or of the database */
export const isOfDatabase = (error) => error.startsWith('Mongo') || isPoolWait(error) || isPoolCleared(error);
