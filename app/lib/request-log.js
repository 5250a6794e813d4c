/**
 * What became of each request that carries an id, as a line when it is received and a line when it is closed, so that a
 * failure can be placed by where its id was last seen. Lines are gathered and written several times a second; a node that is
 * killed takes the last of them with it.
 *
 *   #1795223417197                          the moment that all times count from, milliseconds since 1970
 *   +12-34 5678                             received, 5,678 ms later
 *   -12-34 5690 200                         answered, with its status
 *   -12-34 5690 500 MongoServerError        the same, with the error's name
 *   -12-34 5690 503 BreakerOpenError 12-9   the same of a refusal, with the request whose failure made the node refuse it
 *   x12-34 5690 database                    closed without an answer, while it was there: app, pool or database
 */
import { closeSync, openSync, write, writeSync } from 'node:fs';
import { join } from 'node:path';

/** How much a killed node can lose at the most. */
const WRITE_EVERY_MS = 200;
const SUFFIX = '-requests.log';

let began = Date.now();
let lines = '';
let file = -1;
let writing = false;

/**
 * Opens the log; until then lines are gathered alone.
 * @param {string} recordFolder
 * @param {string} name of the node
 * @returns {() => void} writes what is left, and closes it
 */
export function openRequestLog(recordFolder, name) {
	began = Date.now();
	file = openSync(join(recordFolder, `${name}${SUFFIX}`), 'a');
	// A node that is started again goes on in the same file, with a moment of its own.
	writeSync(file, `#${began}\n`);
	const timer = setInterval(writeLines, WRITE_EVERY_MS);
	return () => {
		clearInterval(timer);
		writeSync(file, takeLines());
		closeSync(file);
		file = -1;
	};
}

/** One write at a time keeps the lines in order. */
function writeLines() {
	if (writing || lines === '') return;
	writing = true;
	write(file, takeLines(), () => {
		writing = false;
	});
}

/** Lines that are not yet written; they are handed out once. */
export function takeLines() {
	const taken = lines;
	lines = '';
	return taken;
}

/** @param {string} id */
export function logReceived(id) {
	lines += `+${id} ${Date.now() - began}\n`;
}

/** @param {string} id @param {number} status @param {string} [error] name @param {string} [opener] id of the request that made the node refuse */
export function logAnswered(id, status, error, opener) {
	lines += `-${id} ${Date.now() - began} ${status}${error === undefined ? '' : ` ${error}`}${opener === undefined ? '' : ` ${opener}`}\n`;
}

/** @param {string} id @param {string} place where the request was: app, pool or database */
export function logBroken(id, place) {
	lines += `x${id} ${Date.now() - began} ${place}\n`;
}
