/**
 * The products of the shipped architectures. Their records have files of their own, older than the adapters, and are read by what is
 * named here in neutral words.
 *
 * @typedef {import('./nginx/messages.js').ErrorLine} ErrorLine  of the proxy's error log
 */
export { isAnswered, isBroken, isOfDatabase, isPoolCleared, isPoolWait } from './mongo/driver-errors.js';
export { parseRefusals } from './mongo/refusals.js';
export { parseErrorLog } from './nginx/messages.js';
export { recordOf as proxyRecordOf } from './nginx/read.js';

/** As readers know it. */
export const PROXY = Object.freeze({ title: 'Nginx' });

/** As readers know it, and as the program that counts is called. */
export const DATABASE = Object.freeze({ title: 'MongoDB', program: 'mongod' });
