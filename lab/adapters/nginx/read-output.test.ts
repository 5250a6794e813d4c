import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutOf, FROM, filesOf, line } from '../fixtures/hop-files.ts';
import { read } from './read.ts';

const ABOUT = aboutOf({ service: 'edge', tier: 'load-balancer', level: 2, names: new Map([['172.18.0.4', 'web']]) });

const own = (second: number, more?: object) =>
	line(
		second,
		`doubletake1 ${JSON.stringify({ t: FROM + second, id: '1-1', status: 200, request_s: 0.02, connection: 17, upstream: '172.18.0.4:8000', upstream_status: '200', connect_s: '0.001', upstream_s: '0.018', error: '', completion: 'OK', ...more })}`,
	);
const FULL = '2026/11/21 20:00:04 [warn] 8#8: 1024 worker_connections are not enough, reusing connections';

test('in the lab’s format each request is on record, and what its error log says between them', () => {
	const log = own(1) + line(4, FULL) + own(5, { id: '2-1', status: 502, upstream_status: '502' }) + line(6, 'doubletake1 {"t":1,"cut');
	const record = read(filesOf(log), ABOUT);
	assert.deepEqual(record.coverage.requests, 'full');
	assert.deepEqual([record.received, record.answered_ok, record.answered_error], [2, 1, 1]);
	assert.deepEqual(
		record.requestRecords.map(({ id, asked }) => [id, asked.map(({ to, status }) => [to, status])]),
		[
			['1-1', [['web', 200]]],
			['2-1', [['web', null]]],
		],
	);
	assert.deepEqual(
		record.messages.map(({ signal, text }) => [signal, text]),
		[['table-full-idle', FULL.slice(FULL.indexOf('1024')).replace(/^/, '[warn] ')]],
	);
});

test('its error log is read in whatever zone the container is, by the time at which the engine took the line', () => {
	for (const clock of ['2026/11/21 21:00:04', '2026/11/22 01:45:04', '2026/11/21 14:00:03']) {
		const record = read(filesOf(own(1) + line(4.2, FULL.replace(/^\S+ \S+/, clock)) + own(5)), ABOUT);
		assert.deepEqual(
			record.messages.map(({ signal, t }) => [signal, t - FROM]),
			[['table-full-idle', clock.endsWith('03') ? 3 : 4]],
			clock,
		);
	}
});

test('the size of its connection table is what the changed copy of its configuration says', () => {
	const files = { ...filesOf(own(1)), file: () => 'worker_processes 2;\nevents {\n  worker_connections 512;\n}\n' };
	assert.deepEqual(
		read(files, ABOUT).limits.map(({ resource, size }) => [resource, size]),
		[['connection slots', 1024]],
	);
});

test('of its own log requests are counted and none is told apart', () => {
	const log = line(2, '172.18.0.9 - - [21/Nov/2026:20:00:02 +0000] "GET / HTTP/1.1" 200 12 "-" "k6"') + line(4, FULL);
	const record = read(filesOf(log), { ...ABOUT, level: 1 });
	assert.deepEqual(record.coverage, { requests: 'partial', reasons: 'partial', limits: 'none' });
	assert.deepEqual([record.received, record.answered_ok, record.requestRecords, record.messages.length], [1, 1, [], 1]);
	assert.match(record.uncovered[0], /"watch: 2" would/);
});

test('whom it left out and why is read from its own log too, by the name of the service', () => {
	const about = '172.18.0.9, server: , request: "GET / HTTP/1.1", upstream: "http://172.18.0.4:8000/"';
	const log =
		line(
			4,
			`2026/11/21 20:00:04 [error] 7#7: *32 connect() failed (111: Connection refused) while connecting to upstream, client: ${about}`,
		) + line(4, `2026/11/21 20:00:04 [warn] 7#7: *32 upstream server temporarily disabled while connecting to upstream, client: ${about}`);
	const { ejections = [] } = read(filesOf(log), { ...ABOUT, level: 1 });
	assert.deepEqual(
		ejections.map(({ node, trigger, from, to }) => [node, trigger, to - from]),
		[['web', 'connection_refused', 11]],
	);
});

test('at level 0 its log is not read', () => {
	assert.deepEqual(read(filesOf(own(1)), { ...ABOUT, level: 0 }).coverage, { requests: 'none', reasons: 'none', limits: 'none' });
});

test('a service behind is known by its address, whatever it is spoken to in', () => {
	const late = '[error] 31#31: *17 upstream timed out (110: Connection timed out) while reading response header from upstream';
	const request = 'client: 172.18.0.9, server: , request: "GET / HTTP/1.1"';
	for (const scheme of ['http', 'https', 'fastcgi', 'uwsgi', 'scgi', 'grpc', 'grpcs']) {
		const log = line(4, `2026/11/21 20:00:04 ${late}, ${request}, upstream: "${scheme}://172.18.0.4:9000", host: "web"`);
		const [message] = read(filesOf(own(1) + log), ABOUT).messages;
		assert.deepEqual([message.signal, message.to], ['http_response_timeout', '172.18.0.4'], scheme);
	}
});

test('a socket in a file that takes no connection refused it', () => {
	for (const reason of ['11: Resource temporarily unavailable', '111: Connection refused', '2: No such file or directory']) {
		const text = `2026/11/21 20:00:04 [error] 31#31: *17 connect() to unix:/run/app.sock failed (${reason}) while connecting to upstream, client: 172.18.0.9, server: , request: "GET / HTTP/1.1", upstream: "http://unix:/run/app.sock:/", host: "web"`;
		const [message] = read(filesOf(own(1) + line(4, text)), ABOUT).messages;
		assert.deepEqual([message.signal, message.to], ['connection_refused', undefined], reason);
	}
});
