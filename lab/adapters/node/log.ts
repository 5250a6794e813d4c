/** Finds in the output of a Node service that a process of it died. Of a line only what matches is kept. */

import { completeLines, isDuring } from '../complete-lines.ts';
import type { About, Message } from '../contract.ts';

/** The last line of an error that nobody caught, since Node 17 (node_errors.cc, PrintUncaughtException). */
const UNCAUGHT = /^Node\.js v\d+\.\d+\.\d+$/;

/** @returns of the load */
export const readLog = (log: string, window: About['window']): Message[] =>
	completeLines(log)
		.filter(({ t, text }) => isDuring(t, window) && UNCAUGHT.test(text))
		.map(({ t }) => ({ signal: 'worker-died', t, text: 'a process ended of an error nobody caught' }));
