/**
 * How the logs of services are read: their messages, and the phrases that are known. The engine is handed these and knows no product's words.
 */
import { messagesIn } from './log-messages.js';
import { phraseIn } from './phrases.js';

/** @type {import('../waiting/logs.js').LogWords} */
export const logWords = Object.freeze({ messagesIn, phraseIn });
