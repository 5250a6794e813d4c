/**
 * How what services say is read: the messages of their logs, the phrases that are known, and the codes of their errors. The engine is handed
 * these and knows no product's words.
 */
import { codeCause, codeMeaning } from './codes.js';
import { messagesIn } from './log-messages.js';
import { phraseIn } from './phrases.js';

/** @type {import('../diagnose/waiting/logs.js').LogWords} */
export const logWords = Object.freeze({ messagesIn, phraseIn, codeMeaning, codeCause });
