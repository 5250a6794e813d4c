import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, FROM, filesOf, line, WINDOW } from '../fixtures/hop-files.ts';
import { countAccess } from './access-log.ts';
import { read } from './read.ts';

const LOG = readFileSync(new URL('./fixtures/gunicorn.log', import.meta.url), 'utf8');

test('requests of the load are counted, and nothing else of them is kept', () => {
	assert.deepEqual(countAccess(LOG, WINDOW), { received: 4, answered_ok: 2, answered_error: 2 });
});

test('the forms that servers write are recognised', () => {
	for (const text of [
		'172.18.0.3 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif HTTP/1.0" 200 2326',
		'172.18.0.3 - frank [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326 "http://www.example.com/" "Mozilla/4.08 [en] (Win98; I)"',
		'172.18.0.3 - - [21/Nov/2026:20:00:01 +0000] "GET /a\\"b HTTP/1.1" 200 - "-" "-"',
		'fd00::3 - - [21/Nov/2026 20:00:01] "GET / HTTP/1.1" 200 -',
		'INFO:     172.18.0.3:53412 - "GET /items?q=1 HTTP/1.1" 200 OK',
		'172.18.0.3:53412 - "GET /items HTTP/1.1" 200',
		'{"ClientAddr":"172.18.0.3:57186","ClientHost":"172.18.0.3","ClientPort":"57186","DownstreamContentSize":15,"DownstreamStatus":200,"Duration":null}',
	])
		assert.equal(countAccess(line(1, text), WINDOW)?.answered_ok, 1, text);
});

test('a line that only mentions a request is no access log', () => {
	for (const text of [
		'calling "GET / HTTP/1.1" 200 times',
		'[2026-11-21 20:00:02 +0000] [1] [INFO] "GET / HTTP/1.1"',
		'{"status": 200}',
		'{"ClientHost":"127.0.0.1","DownstreamStatus":200,"Duration":1}',
		'',
	])
		assert.equal(countAccess(line(1, text), WINDOW), null, text);
});

test('a health check from within the container is no request of anybody', () => {
	for (const from of ['127.0.0.1 - - [21/Nov/2026 20:00:01]', '::1 - - [21/Nov/2026 20:00:01]', 'INFO:     127.0.0.1:53412 -'])
		assert.equal(countAccess(line(1, `${from} "GET /healthz HTTP/1.1" 200 2`), WINDOW), null, from);
});

test('what the engine stamped just after the load was asked in it', () => {
	const at = (second: number) => countAccess(line(second, '172.18.0.3 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326'), WINDOW);
	const length = WINDOW.to - WINDOW.from;
	assert.deepEqual([at(length + 0.5)?.received, at(length + 1.5)], [1, null]);
});

test('a line without its end is not counted', () => {
	const half = line(1, '172.18.0.3 - - [21/Nov/2026:20:00:01 +0000] "GET / HTTP/1.1" 200 5').trimEnd();
	assert.equal(countAccess(half, WINDOW), null);
});

const BOOT = '[2026-11-21 20:00:01 +0000] [9] [INFO] Booting worker with pid: 9';
const messagesIn = (log: string) => read(filesOf(log), aboutOf()).messages;
const saidIn = (log: string) => messagesIn(log).map(({ signal, text }) => [signal, text]);

test('each worker that ended is reported once, and those that a stop ended are not', () => {
	assert.deepEqual(
		messagesIn(LOG).map(({ t, signal, text }) => [Math.round(t - FROM), signal, text]),
		[
			[2, 'worker-died', 'WORKER TIMEOUT (pid:7)'],
			[4, 'worker-died', 'Worker with pid 8 was terminated due to signal 9'],
		],
	);
});

test('every way in which a server says that a worker ended is recognised', () => {
	for (const text of [
		'[CRITICAL] WORKER TIMEOUT (pid:12)',
		'[ERROR] Worker (pid:12) was sent SIGKILL! Perhaps out of memory?',
		'[ERROR] Worker (pid:12) exited with code 1',
		'[INFO] Worker exiting (pid: 12)',
		'INFO:     Child process [12] died',
	])
		assert.deepEqual(
			saidIn(line(1, text)).map(([signal]) => signal),
			['worker-died'],
			text,
		);
});

test('a worker booted in the load tells of one that ended without a word', () => {
	assert.deepEqual(saidIn(line(1, BOOT)), [['worker-died', 'Booting worker with pid: 9']]);
});

test('workers that a master boots when it starts or is told to are in nobody’s place', () => {
	for (const word of ['Starting gunicorn 20.1.0', 'Handling signal: hup', 'Handling signal: ttin'])
		assert.deepEqual(saidIn(`${line(-1, `[INFO] ${word}`)}${line(1, BOOT)}`), [], word);
});

test('a worker that dies soon after the start is told', () => {
	const died = '[WARNING] Worker with pid 7 was terminated due to signal 9';
	const log = `${line(-1, '[INFO] Starting gunicorn 20.1.0')}${line(1, died)}${line(1.1, BOOT)}`;
	assert.deepEqual(saidIn(log), [['worker-died', 'Worker with pid 7 was terminated due to signal 9']]);
});

test('a worker that has served its share is not told', () => {
	const served = '[7] [INFO] Autorestarting worker after current request.';
	const log = `${line(1, served)}${line(1.1, '[7] [INFO] Worker exiting (pid: 7)')}${line(1.2, BOOT)}`;
	assert.deepEqual(saidIn(log), []);
});

test('what ended before the load is not told, and its replacement neither', () => {
	assert.deepEqual(saidIn(`${line(-1, '[INFO] Worker exiting (pid: 7)')}${line(1, BOOT)}`), []);
});

test('a line without its end is no message', () => {
	assert.deepEqual(saidIn(line(1, '[CRITICAL] WORKER TIMEOUT (pid:12)').trimEnd()), []);
});

const ABOUT = aboutOf({ service: 'app', tier: 'app' });
const FLOOR = 'app runs a product that Doubletake does not know: it sees the container (CPU, memory, sockets, ends), not single requests';

test('of an unknown product nothing is covered, and it is said', () => {
	const record = read(filesOf(line(1, 'whatever it says')), ABOUT);
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
	assert.deepEqual([record.uncovered, record.received, record.messages], [[FLOOR], null, []]);
});

test('an access log on its output gives counts without ids', () => {
	const record = read(filesOf(LOG), ABOUT);
	assert.deepEqual(record.coverage, { requests: 'partial', reasons: 'none', limits: 'none' });
	assert.deepEqual([record.received, record.answered_ok, record.answered_error, record.aborted], [4, 2, 2, null]);
	assert.deepEqual([record.source, record.requestRecords, record.messages.length], ['access log', [], 2]);
});

test('at level 0 its output is not read', () => {
	const record = read(filesOf(LOG), { ...ABOUT, level: 0 });
	assert.deepEqual([record.received, record.messages, record.uncovered], [null, [], [FLOOR]]);
});

test('nothing of a request reaches the record', () => {
	const reported = JSON.stringify(read(filesOf(LOG), ABOUT));
	for (const secret of ['hunter2', '/items', '172.18']) assert.ok(!reported.includes(secret), secret);
});
