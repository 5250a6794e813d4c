/**
 * What one request does, in whichever thread it is called: each export is one kind of work, and answers what the source's
 * server answers. Piscina loads this file in its threads and calls an export by its name; the main thread imports it.
 */
import { pbkdf2Sync } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** Published. */
const DELAY_MS = 100;
/**
 * What OWASP asks of PBKDF2-HMAC-SHA512 (Password Storage Cheat Sheet, 2023), and so what a login costs: about 70 ms of one
 * core at 3 GHz. A number of rounds and no clock, so that a slower core takes longer.
 */
const ROUNDS = 210_000;
const KEY_BYTES = 64;

/** Nothing ever changes it, so that a wait for a change is a sleep. */
const unchanged = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const answer = () => ({ hello: 'world' });

/** The thread goes on with other work meanwhile. @param {number} [delayMs] */
export async function sleepAsync(delayMs = DELAY_MS) {
	await wait(delayMs);
	return answer();
}

/** The thread does nothing else meanwhile. @param {number} [delayMs] */
export async function sleepSync(delayMs = DELAY_MS) {
	Atomics.wait(unchanged, 0, 0, delayMs);
	return answer();
}

/** The thread computes, and does nothing else meanwhile. @param {number} [rounds] */
export async function hash(rounds = ROUNDS) {
	pbkdf2Sync('doubletake', 'pools', rounds, KEY_BYTES, 'sha512');
	return answer();
}
