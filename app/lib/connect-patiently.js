/**
 * A store may start after those who ask it.
 */
import { setTimeout as wait } from 'node:timers/promises';

const ATTEMPTS = 60;
const EVERY_MS = 500;

/**
 * @param {() => Promise<unknown>} connect
 * @param {number} [everyMs]
 * @throws the last attempt's error
 */
export async function connectPatiently(connect, everyMs = EVERY_MS) {
	for (let attempt = 1; ; attempt += 1) {
		try {
			await connect();
			return;
		} catch (error) {
			if (attempt === ATTEMPTS) throw error;
			await wait(everyMs);
		}
	}
}
