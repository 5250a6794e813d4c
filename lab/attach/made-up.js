/**
 * Values for secrets that a user's files name and do not have. Each is the same in all runs: what is compared is to be one system.
 */
import { createHash } from 'node:crypto';

const LETTERS = 32;

/** @param {string} name  of a variable or a secret */
export const madeUp = (name) => createHash('sha256').update(`doubletake ${name}`).digest('hex').slice(0, LETTERS);
