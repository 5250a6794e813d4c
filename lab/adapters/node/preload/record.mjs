/**
 * The files of one process in the folder of its service's record: one of its lines of requests, one of what it says of itself each second.
 * Lines of requests are gathered and written several times a second; a process that is killed takes the last of them with it.
 */
import { fchmodSync, openSync, write, writeSync } from 'node:fs';
import process from 'node:process';
import { setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { attempt, note } from './attempt.mjs';
import { beginHeartbeat } from './heartbeat.mjs';

/** Beside the folder of this module. */
const FOLDER = fileURLToPath(new URL('../record/', import.meta.url));
/** How much a killed process can lose at the most. */
const WRITE_EVERY_MS = 200;
/** Processes of a service, in all its lives, that have a record. */
const PROCESSES_MOST = 999;
/** The lab has to be able to read it, whoever the service runs as. */
const READABLE = 0o644;

let isBegun = false;
let file = -1;
let began = 0;
let lines = '';
let isWriting = false;

/** With the first connection that the process takes; at any other there is nothing left to do. */
export function beginRecord() {
	if (isBegun) return;
	// Should this fail, each connection would fail again.
	isBegun = true;
	for (let number = 1; number <= PROCESSES_MOST; number += 1) {
		const heartbeat = openNew(`process-${number}.ndjson`);
		if (heartbeat === null) continue;
		file = openFile(`process-${number}-requests.log`, 'w');
		began = Date.now();
		lines = `#${began}\n`;
		setInterval(() => attempt(writeLines), WRITE_EVERY_MS).unref();
		const end = beginHeartbeat((line) => writeSync(heartbeat, line));
		process.on('exit', (code) =>
			attempt(() => {
				if (lines !== '') writeSync(file, takeLines());
				end(code);
			}),
		);
		return;
	}
}

/**
 * @param {number} at  milliseconds since 1970
 * @param {string} what  sign and id
 * @param {string} more
 * @returns {boolean} whether it will be written
 */
export function logLine(at, what, more) {
	if (file < 0) return false;
	lines += `${what} ${at - began}${more}\n`;
	return true;
}

/** One write at a time keeps the lines in order. */
function writeLines() {
	if (isWriting || lines === '') return;
	isWriting = true;
	write(file, takeLines(), (error) => {
		isWriting = false;
		if (error) note(error);
	});
}

function takeLines() {
	const taken = lines;
	lines = '';
	return taken;
}

/** Null where another process has it. @param {string} name */
function openNew(name) {
	try {
		return openFile(name, 'wx');
	} catch (error) {
		if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return null;
		throw error;
	}
}

/** @param {string} name @param {string} flags */
function openFile(name, flags) {
	const opened = openSync(`${FOLDER}${name}`, flags, READABLE);
	try {
		// Whatever its umask is.
		fchmodSync(opened, READABLE);
	} catch {
		// A file system without modes lets everybody read it.
	}
	return opened;
}
