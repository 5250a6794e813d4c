/**
 * What became of each request that the process's HTTP servers received: counted, and of each with an id a line when it is received and a
 * line when it is closed, in the form of the lab's own programs (app/lib/request-log.js). A request costs two lines and one listener.
 */
import { attempt, listen } from './attempt.mjs';
import { counts } from './counts.mjs';
import { beginRecord, logLine } from './record.mjs';

const ID_HEADER = 'x-request-id';
/** Anything else would break the form of the log. */
const ID = /^[\w.:-]{1,100}$/;
/** The first status that is not a good answer. */
const FIRST_BAD_STATUS = 400;
const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'];
/** Before the program may put a clock of its own in its place. */
const { now } = Date;

export function watchRequests() {
	// Who takes connections keeps a record: of npm and of other programs that only start one there is none.
	listen('net.server.socket', ({ socket }) => {
		if (socket.localPort !== undefined) beginRecord();
	});
	listen('http.server.request.start', received);
}

/** @param {{ request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse }} message */
function received({ request, response }) {
	beginRecord();
	counts.received += 1;
	counts.in_flight += 1;
	const at = now();
	const id = idOf(request);
	if (id !== '' && logLine(at, `+${id}`, '')) counts.logged += 1;
	response.on('close', () => attempt(() => closed(id, at, response)));
}

/** @param {import('node:http').IncomingMessage} request */
function idOf(request) {
	const id = request.headers[ID_HEADER];
	return typeof id === 'string' && ID.test(id) ? id : '';
}

/** @param {string} id @param {number} at @param {import('node:http').ServerResponse} response */
function closed(id, at, { writableFinished, statusCode }) {
	const ended = now();
	counts.in_flight -= 1;
	if (writableFinished) {
		const statusClass = STATUS_CLASSES[Math.floor(statusCode / 100)] ?? STATUS_CLASSES[0];
		counts.answered[statusClass] = (counts.answered[statusClass] ?? 0) + 1;
		if (statusCode < FIRST_BAD_STATUS) {
			counts.ok_ms.count += 1;
			counts.ok_ms.handler += ended - at;
		}
	} else counts.aborted += 1;
	if (id === '') return;
	if (writableFinished) logLine(ended, `-${id}`, ` ${statusCode}`);
	else logLine(ended, `x${id}`, '');
}
