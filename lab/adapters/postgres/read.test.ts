import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Level } from '../../base/tier.ts';
import { aboutOf, eachSecond, FROM, filesOf, line } from '../fixtures/hop-files.ts';
import { read } from './read.ts';
import { redact } from './redact.ts';

/** Samples from second 1 on; of each the waits at that time. */
const samplesOf = (...seconds: [number, number][][]) =>
	seconds.map((waits, index) => ({ t: FROM + index + 1, lock_waits: waits.length > 0 ? waits : null }));

const READY = line(-5, 'LOG:  database system is ready to accept connections');

/**
 * What is told of a load that its log says nothing of.
 * @param logged the log has a line for each statement that took long and ended
 */
const lockWaits = (samples: any[], logged: boolean) => read(filesOf(READY, samples), aboutOf({ level: logged ? 2 : 1 })).messages;

const reported: (samples: any[], logged?: boolean) => [number, string][] = (samples, logged = false) =>
	lockWaits(samples, logged).map(({ t, text }) => [t - FROM, text]);

const HELD = samplesOf(
	[],
	[[71, 0.5]],
	[[71, 1.5]],
	[
		[71, 2.6],
		[72, 0.4],
	],
	[
		[71, 3.5],
		[72, 1.4],
	],
);

test('each statement that waited for a lock is reported once, with the longest that was seen of it', () => {
	assert.deepEqual(reported(HELD), [
		[5, 'process 71 waits for a lock, for 3500 ms so far'],
		[5, 'process 72 waits for a lock, for 1400 ms so far'],
	]);
	assert.equal(lockWaits(HELD, false)[0].source, 'pg_stat_activity');
});

test('a process that waits again is another wait', () => {
	assert.deepEqual(
		reported(samplesOf([[71, 0.9]], [[71, 1.9]], [], [[71, 0.2]], [[71, 1.2]])).map(([t]) => t),
		[2, 5],
	);
});

test('what waited for less than a second, or since before the load, is not told', () => {
	assert.deepEqual(reported(samplesOf([[71, 0.4]], [[72, 0.9]])), []);
	assert.deepEqual(reported(samplesOf([[71, 30.5]], [[71, 31.5]])), []);
});

test('where the log tells of what ended, only what still waits is reported beside it', () => {
	const ended = samplesOf([[71, 0.8]], [[71, 1.8]], [], [[72, 0.5]], [[72, 1.5]]);
	assert.deepEqual(
		reported(ended, true).map(([t]) => t),
		[5],
	);
	assert.equal(reported(ended).length, 2);
});

test('samples that do not tell of waits, as of a server that refused, tell nothing', () => {
	assert.deepEqual(
		reported([
			{ t: FROM + 1, refused: true },
			{ t: FROM + 2, connections: 3 },
		]),
		[],
	);
	assert.deepEqual(reported([]), []);
});

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
const readLog = (log: string, level: Level = 1) => read(filesOf(log), aboutOf({ level }));
const meaningsOf = (text: string) => readLog(line(1, text)).messages.map((message) => [message.signal, message.text]);

test('each line of the load that tells what took long, or that a process ended, is a message', () => {
	const died = line(7.5, 'LOG:  server process (PID 71) was terminated by signal 9: Killed');
	assert.deepEqual(
		readLog(LOG + died).messages.map(({ t, signal, text }) => [t - FROM, signal, text]),
		[
			[6, 'slow', 'LOG:  duration: 1234.567 ms'],
			[7.5, 'worker-died', 'LOG:  server process (PID 71) was terminated by signal 9'],
		],
	);
});

test('no statement, value or name of the user is kept', () => {
	const reported = JSON.stringify([readLog(LOG, 1), readLog(LOG, 2)]);
	for (const secret of ['hunter2', '4111', 'cards', 'pay(']) assert.ok(!reported.includes(secret), secret);
});

test('what tells of neither is no message', () => {
	for (const text of [
		'LOG:  checkpoint starting: time',
		'LOG:  duration: 99.999 ms  statement: select 1',
		'LOG:  connection received: host=172.18.0.5 port=40444',
		'WARNING:  there is no transaction in progress',
		'NOTICE:  deadlock detected',
		'STATEMENT:  deadlock detected',
		'FATAL:  sorry, too many clients already',
		"LOG:  statement: select 'LOG:  duration: 640.000 ms'",
		'duration: 640.000 ms',
	])
		assert.deepEqual(meaningsOf(text), [], text);
});

test('a wait for a lock keeps the kind of the lock and the time, not what it is on', () => {
	const text = 'LOG:  process 71 still waiting for AccessExclusiveLock on relation 16384 of database 5 after 1000.123 ms';
	assert.deepEqual(meaningsOf(text), [['slow', 'LOG:  process 71 still waiting for AccessExclusiveLock after 1000.123 ms']]);
});

test('the prefix may be any, or none', () => {
	for (const prefix of [
		'',
		'2026-11-21 20:00:01.000 UTC [71] ',
		'shop@shop/[71]: ',
		'<71>',
		'[71-1] user=shop,db=shop,app=,client=172.18.0.5 ',
	])
		assert.deepEqual(meaningsOf(`${prefix}LOG:  duration: 640.000 ms`), [['slow', 'LOG:  duration: 640.000 ms']], prefix);
});

test('a line without its end is no message', () => {
	assert.deepEqual(readLog(line(1, 'LOG:  duration: 640.000 ms').trimEnd()).messages, []);
});

const STATE = JSON.parse(readFileSync(new URL('./fixtures/state.json', import.meta.url), 'utf8'));

test('its views tell what runs full in it, and of requests it knows nothing', () => {
	const record = read(filesOf(LOG, eachSecond(STATE)), aboutOf());
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'full' });
	assert.deepEqual([record.product, record.tier, record.received], ['postgres', 'database', null]);
});

test('reserved slots are no limit for the app, unless it connects as a superuser', () => {
	const [limit] = read(filesOf(LOG, eachSecond(STATE)), aboutOf()).limits;
	assert.deepEqual([limit.resource, limit.size, limit.used[0].used], ['connections', 17, 12]);
	assert.equal(read(filesOf(LOG, eachSecond({ ...STATE, superusers: 12 })), aboutOf()).limits[0].size, 20);
});

test("a refusal of the lab's own question says that every slot was taken", () => {
	const samples = eachSecond(STATE).map((sample) => (sample.t === FROM + 5 ? { t: sample.t, refused: true } : sample));
	const { limits } = read(filesOf('', samples), aboutOf());
	assert.equal(limits[0].used.find(({ t }) => t === FROM + 5)?.used, limits[0].size);
});

test("what the server says of the lab's own process is not about the system", () => {
	const slow = (pid: number) => line(4, `2026-11-21 20:00:04.000 UTC [${pid}] LOG:  duration: 640.000 ms`);
	const samples = eachSecond(STATE, (second) => ({ pid: 500 + second }));
	const { messages } = read(filesOf(`${slow(71)}${slow(504)}`, samples), aboutOf());
	assert.deepEqual(
		messages.map(({ text }) => text),
		['LOG:  duration: 640.000 ms'],
	);
});

test('a server that lets the lab not in tells nothing of its state', () => {
	const samples = Array.from({ length: 10 }, (_, second) => ({ t: FROM + second + 0.95, failed: true }));
	assert.equal(read(filesOf('', samples), aboutOf()).coverage.limits, 'none');
});

test('without samples no limit is reported', () => {
	const record = read(filesOf(LOG), aboutOf());
	assert.deepEqual([record.limits, record.coverage.limits], [[], 'none']);
});

test('at level 0 the log is not read', () => {
	assert.deepEqual(read(filesOf(LOG, eachSecond(STATE)), aboutOf({ level: 0 })).messages, []);
});

test('where its log goes to a file in the container, its views tell of each wait', () => {
	const samples = HELD.map((sample) => ({ ...sample, settings: { ...STATE.settings, logging_collector: 'on' } }));
	assert.equal(lockWaits(samples, true).length, 2);
});

test('what waits for a lock to the end is reported in the order of time, whether or not the log tells of slow statements', () => {
	const samples = eachSecond(STATE, (second) => ({ lock_waits: second < 3 ? null : [[71, second - 2.5]] }));
	for (const level of [1, 2] as const) {
		const { messages } = read(filesOf(line(2, 'LOG:  duration: 640.000 ms'), samples), aboutOf({ level }));
		assert.deepEqual(
			messages.map(({ signal, t }) => [signal, t - FROM]),
			[
				['slow', 2],
				['slow', 10],
			],
		);
	}
});

test('nothing of a statement reaches the record', () => {
	const reported = JSON.stringify(read(filesOf(LOG, eachSecond(STATE)), aboutOf({ level: 2 })));
	for (const secret of ['hunter2', '4111', 'cards']) assert.ok(!reported.includes(secret), secret);
});

const STAMP = /^\S+Z /;

/** Line by line, as the record is written. */
const redacted = (log: string) =>
	log.replace(/^.*$/gm, (text) => {
		const stamp = STAMP.exec(text)?.[0] ?? '';
		return stamp + redact(text.slice(stamp.length));
	});

test('statements, values and texts of the user are taken away, with the lines that they go on in', () => {
	const text = redacted(LOG);
	for (const secret of ['hunter2', '4111', 'update cards', 'select', 'pay(']) assert.ok(!text.includes(secret), secret);
	assert.equal(text.split('\n').length, LOG.split('\n').length);
});

test('what is read of the log is the same without them', () => {
	for (const level of [1, 2] as const) assert.deepEqual(readLog(redacted(LOG), level), readLog(LOG, level));
});

test('when it said something, and who did, stays', () => {
	const prefix = '2026-11-21 20:00:01.999 UTC [71] ';
	assert.equal(redact(`${prefix}STATEMENT:  select 1`), `${prefix}STATEMENT:  (its text is not kept)`);
	assert.equal(
		redact(`${prefix}ERROR:  23505: duplicate key value violates unique constraint "x"`),
		`${prefix}ERROR:  23505: duplicate key value violates unique constraint`,
	);
	assert.equal(redact(`${prefix}LOG:  duration: 12.500 ms  bind <unnamed>: select 1`), `${prefix}LOG:  duration: 12.500 ms`);
	assert.equal(redact(`${prefix}LOG:  statement: select 1`), `${prefix}LOG:  statement: (its text is not kept)`);
	assert.equal(redact(`${prefix}LOG:  execute s1: select ': '`), `${prefix}LOG:  execute s1: (its text is not kept)`);
});

test('what the user’s code or an extension logs is not kept, be it no error', () => {
	const taken = (text: string, kept: string) => assert.equal(redact(`[71] ${text}`), `[71] ${kept}`);
	taken('LOG:  card 4111 of hunter2 was charged', 'LOG:  (its text is not kept)');
	taken("LOG:  AUDIT: SESSION,1,1,WRITE,UPDATE,,,update cards set pin = 'hunter2',<none>", 'LOG:  (its text is not kept)');
	taken('LOG:  received fast shutdown request of hunter2', 'LOG:  received fast shutdown request');
	taken('HINT:  Card 4111 has another owner.', 'HINT:  (its text is not kept)');
	assert.equal(redact("LINE 1: insert into cards values ('4111')) x"), 'LINE 1: (its text is not kept)');
});

test('PostgreSQL’s own words stay as they are', () => {
	for (const text of [
		'[1] LOG:  listening on IPv4 address "0.0.0.0", port 5432',
		'[28] LOG:  database system was shut down at 2026-11-21 19:59:49 UTC',
		'[27] LOG:  checkpoint complete: wrote 44 buffers (0.3%); write=4.412 s, sync=0.010 s, total=4.430 s',
		'[71] LOG:  process 71 acquired ExclusiveLock on advisory lock [5,0,12,1] after 1203.001 ms',
		'[1] LOG:  server process (PID 71) was terminated by signal 9: Killed',
		'[71] LOG:  duration: 12.500 ms',
		'[1] LOG:  database system is ready to accept connections',
		'[1] LOG:  redirecting log output to logging collector process',
		'[71] LOG:  process 71 still waiting for ShareLock on transaction 755 after 1000.123 ms',
		'[1] LOG:  could not fork new process for connection: Cannot allocate memory',
		'[71] FATAL:  sorry, too many clients already',
		'PostgreSQL init process complete; ready for start up.',
		'',
	])
		assert.equal(redact(text), text);
});
