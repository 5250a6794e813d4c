import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { logAnswered, logBroken, logReceived, openRequestLog, takeLines } from './request-log.js';

test('each fate of a request has a line of its own, with its time and what is known of it', () => {
	takeLines();
	logReceived('1-2');
	logAnswered('1-2', 200);
	logAnswered('1-3', 500, 'MongoServerError');
	logBroken('1-4', 'pool');
	const lines = takeLines().trimEnd().split('\n');
	assert.deepEqual(
		lines.map((line) => line.replace(/ \d+(?= |$)/, ' T')),
		['+1-2 T', '-1-2 T 200', '-1-3 T 500 MongoServerError', 'x1-4 T pool'],
	);
	assert.equal(takeLines(), '');
});

test('what is gathered when the log is closed is in the file, and a second life goes on below the first', () => {
	const folder = mkdtempSync(join(os.tmpdir(), 'request-log-'));
	try {
		for (const id of ['1-1', '2-1']) {
			const close = openRequestLog(folder, 'app-7');
			logReceived(id);
			close();
		}
		assert.match(readFileSync(join(folder, 'app-7-requests.log'), 'utf8'), /^#\d{13}\n\+1-1 \d+\n#\d{13}\n\+2-1 \d+\n$/);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
