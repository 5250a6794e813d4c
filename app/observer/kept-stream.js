/**
 * Keeps what is sent to a socket, byte by byte, in a file. A process that does so does nothing else: it sleeps most of the time.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import net from 'node:net';

/**
 * To be woken for each line that a balancer sends would cost half of what the balancer does with its request (measured). What it sends
 * between two readings waits in the socket, which holds 208 KiB (Linux' `wmem_default`): read once a second, 1,200 lines a second were more,
 * and the last three seconds of a load were still with the balancer when it was stopped (measured).
 */
const READ_EVERY_MS = 100;
const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * @param {object} options
 * @param {string} options.socket  its path
 * @param {string} options.path    of the file, which is added to
 * @param {number} [options.every_ms]  it reads so often at most
 * @returns {Promise<{ close: () => Promise<void> }>} when it listens; close: waits until the senders have left and all that they sent is
 *   written
 */
export async function keepStream({ socket, path, every_ms: everyMs = READ_EVERY_MS }) {
	const file = openSync(path, 'a');
	let isToSleep = false;
	const sleep = () => {
		isToSleep = false;
		Atomics.wait(NEVER_CHANGED, 0, 0, everyMs);
	};
	const server = net.createServer((sender) => {
		// A sender that is killed may reset its connection; what it had sent until then is there.
		sender.on('error', () => {});
		sender.on('data', (piece) => {
			writeSync(file, piece);
			// When all that has come is written.
			if (!isToSleep) setImmediate(sleep);
			isToSleep = true;
		});
	});
	await new Promise((resolve) => server.listen(socket, () => resolve(undefined)));
	return {
		close: async () => {
			await new Promise((resolve) => server.close(resolve));
			closeSync(file);
		},
	};
}
