import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { configuration, pathOf, STATS_PORT } from './config.ts';
import { sectionsOf, speaksHttp, wordsOf } from './config-sections.ts';
import { readHttpLine } from './http-line.ts';

const { overlaid } = configuration;

const T = Date.parse('2026-11-21T20:00:00Z') / 1000;

/** The manual's example of section 8.2.3, in the raw format. */
const PLAIN =
	'10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"';
const PLAIN_T = Date.parse('2009-02-06T12:14:14.770Z') / 1000;

function readLine(text: string, t: number = PLAIN_T) {
	const line = readHttpLine({ t, text });
	assert.ok(line, text);
	return line;
}

const isNear: (one: number, other: number) => void = (one, other) => assert.ok(Math.abs(one - other) < 1e-6, `${one} is not ${other}`);

test('of the manual’s example what is asked for is read', () => {
	const { received, ended, ...line } = readLine(PLAIN);
	isNear(received, Date.parse('2009-02-06T12:14:14.655Z') / 1000);
	isNear(ended, Date.parse('2009-02-06T12:14:14.764Z') / 1000);
	assert.deepEqual(line, {
		id: '',
		address: '',
		backend: 'static',
		server: 'srv1',
		timers_ms: { request: 10, queue: 0, connect: 30, response: 69, active: 109 },
		early: false,
		status: 200,
		state: '----',
		retries: 0,
		redispatched: false,
		text: PLAIN,
	});
});

test('what another format of the log puts before the message does not matter', () => {
	for (const before of ['<134>', '<134>Feb  6 12:14:14 localhost haproxy[14389]: ', 'haproxy[14389]: '])
		assert.equal(readLine(before + PLAIN).server, 'srv1');
});

test('timers of phases that were never reached, and a status that was never sent, are none', () => {
	const { timers_ms, status, server } = readLine(
		'127.0.0.1:34548 [15/Oct/2003:15:18:55.798] px-http px-http/<NOSRV> -1/-1/-1/-1/8490 -1 0 - - CR-- 2/2/2/2/0 0/0 "<BADREQ>"',
	);
	assert.deepEqual(timers_ms, { request: null, queue: null, connect: null, response: null, active: 8490 });
	assert.deepEqual([status, server], [null, null]);
	const zero = readLine('10.0.0.1:3 [15/Oct/2003:15:18:55.798] a a/<NOSRV> -1/-1/-1/-1/8 0 0 - - CR-- 2/2/2/2/0 0/0 ""');
	assert.equal(zero.status, null);
});

test('retries and a redispatch are read', () => {
	const { retries, redispatched } = readLine(
		'10.0.0.9:3 [21/Nov/2026:20:00:00.000] web app/s2 0/1230/7/147/1384 200 243 - - ---- 324/239/238/99/+3 4/9 "HEAD / HTTP/1.0"',
	);
	assert.deepEqual({ retries, redispatched }, { retries: 3, redispatched: true });
});

test('a line that is written before the end says so', () => {
	const line = readLine(
		'10.0.0.9:3 [15/Oct/2003:08:32:17.654] px px/srv1 9/0/7/14/+30 200 +243 - - ---- 3/3/3/1/0 0/0 "GET /image.iso HTTP/1.0"',
	);
	assert.deepEqual([line.early, line.timers_ms.active, line.status], [true, 30, 200]);
});

test('the id is that of the captured headers which looks like one, whatever stands beside it', () => {
	const line = (captured: string) => readLine(PLAIN.replace('{1wt.eu} {}', captured)).id;
	assert.equal(line('{7-12}'), '7-12');
	assert.equal(line('{shop.local|w7-12|curl/8.0 (x 1-1)}'), 'w7-12');
	assert.equal(line('{shop.local||} {|864}'), '');
	assert.equal(line('{2026-11-21}'), '');
});

test('a line of an SSL frontend, and one of the HTTPS format, is read like another', () => {
	const line = readLine(`${PLAIN.replace('http-in ', 'http-in~ ')} 0/0/0/0/0 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384`);
	assert.deepEqual([line.backend, line.server, line.status], ['static', 'srv1', 200]);
});

test('the date is of the container’s time zone, which the engine’s time of the line tells', () => {
	const text = '10.0.0.9:3 [21/Nov/2026:21:30:00.500] web app/s1 0/0/1/8/10 200 4 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"';
	isNear(readLine(text, T + 0.52).received, T + 0.5);
	isNear(readLine(text.replace('21:30:00', '12:00:00'), T + 2).received, T + 0.5);
});

test('a line in the lab’s format has the id, the server’s address and its end in milliseconds', () => {
	const own = `doubletake1 id=5-3 to=172.18.0.4:3000 end=${T * 1000 + 1124} ${PLAIN}`;
	const { id, address, received, ended, server } = readLine(own, T + 2);
	assert.deepEqual({ id, address, server }, { id: '5-3', address: '172.18.0.4', server: 'srv1' });
	isNear(ended, T + 1.124);
	isNear(received, T + 1.015);
});

test('in the lab’s format what is not there is empty', () => {
	for (const columns of ['id= to=-:- end=1000', 'id=- to=-:0 end=1000']) {
		const { id, address } = readLine(`doubletake1 ${columns} ${PLAIN}`);
		assert.deepEqual([id, address], ['', '']);
	}
	assert.equal(readLine(`doubletake1 id=1-1 to=fd00::4:3000 end=1000 ${PLAIN}`).address, 'fd00::4');
});

test('a request that was cut off is read as far as it was written, and half a line is none', () => {
	assert.equal(readLine(PLAIN.slice(0, -10)).status, 200);
	for (const length of [0, 9, 40, 70, 84, 96, 104]) assert.equal(readHttpLine({ t: PLAIN_T, text: PLAIN.slice(0, length) }), null);
});

test('lines of other formats, and what a client writes to look like one, are no requests', () => {
	const others = [
		'',
		'Server app/s1 is DOWN, reason: Layer4 timeout',
		'10.0.1.2:33313 [06/Feb/2009:12:12:51.443] fnt bck/srv1 0/0/5007 212 -- 0/0/0/0/3 0/0',
		'127.0.0.1:56059 [03/Dec/2012:17:35:10.380] frt/f1: Connection error during SSL handshake',
		'{"status":200,"request":"GET / HTTP/1.1"}',
		PLAIN.replace('06/Feb', '06/Xxx'),
		`10.0.0.1 "GET /x ${PLAIN}"`,
	];
	for (const text of others) assert.equal(readHttpLine({ t: PLAIN_T, text }), null, text);
});

test('what a client writes into its request changes nothing of the columns before it', () => {
	const line = readLine(
		`10.0.0.9:3 [21/Nov/2026:20:00:00.000] web app/s1 0/0/1/8/10 200 4 - - ---- 1/1/1/1/0 0/0 {9-9 SC-- 1/1/1/1/9 0/0} "GET /${PLAIN.replace(/"/g, '#22')}"`,
		T,
	);
	assert.deepEqual([line.state, line.retries, line.backend, line.id], ['----', 0, 'app', '']);
});

const text = readFileSync(new URL('./fixtures/haproxy.cfg', import.meta.url), 'utf8');

test('the sections’ lines, put together, are the text', () => {
	assert.equal(
		sectionsOf(text)
			.flatMap(({ lines }) => lines)
			.join('\n'),
		text,
	);
});

test('sections have their kind, their name and the defaults that they name', () => {
	assert.deepEqual(
		sectionsOf(text).map(({ kind, name, from }) => [kind, name, from]),
		[
			['', '', null],
			['global', '', null],
			['defaults', 'web', null],
			['frontend', 'public', null],
			['listen', 'admin', null],
			['backend', 'app', null],
			['backend', 'api', 'web'],
			['defaults', 'raw', null],
			['frontend', 'database', null],
			['backend', 'postgres', null],
		],
	);
});

test('a proxy speaks HTTP by its own mode, by the defaults it names, or by those nearest before it', () => {
	const sections = sectionsOf(text);
	const http = sections.filter((section) => speaksHttp(section, sections)).map(({ name }) => name);
	assert.deepEqual(http, ['web', 'public', 'admin', 'app', 'api']);
});

test('without a mode a proxy speaks TCP, and defaults build upon others only when they say so', () => {
	const speaking = (lines: string) => {
		const sections = sectionsOf(lines);
		return speaksHttp(sections[sections.length - 1], sections);
	};
	assert.equal(speaking('frontend a\n  bind :80'), false);
	assert.equal(speaking('defaults\n  mode http\ndefaults\n  timeout client 1s\nfrontend a\n  bind :80'), false);
	assert.equal(speaking('defaults one\n mode http\ndefaults two from one\n timeout client 1s\nfrontend a from two\n bind :80'), true);
	assert.equal(speaking('defaults\n mode tcp\nfrontend a\n mode http'), true);
	assert.equal(speaking('frontend a from nowhere\n bind :80'), false);
});

test('a comment is no word, and a word that only begins like a section opens none', () => {
	assert.deepEqual(wordsOf('   bind :80 # public'), ['bind', ':80']);
	assert.equal(sectionsOf('frontend a\n  default_backend b\n  # backend c\n  backendless x').length, 2);
});

/** a section's lines that say something */
const linesOf: (configuration: string, kind: string, name?: string) => string[] = (configuration, kind, name = '') =>
	(sectionsOf(configuration).find((section) => section.kind === kind && section.name === name)?.lines ?? [])
		.map((line) => line.trim())
		.filter((line) => line !== '');

const service = (more?: Partial<ServiceModel>) => serviceModel({ service: 'edge', image: 'haproxy:2.6', ...more });

const FIRST_RULE = 'http-request set-var(txn.doubletake_id) req.fhdr(X-Request-Id) if { req.fhdr(X-Request-Id) -m reg ^[A-Za-z0-9_.-]+$ }';

test('an HTTP frontend takes the id before any rule of its own, and logs in the lab’s format at its end', () => {
	const lines = linesOf(overlaid(text).text, 'frontend', 'public');
	assert.deepEqual(lines.slice(0, 3), ['frontend public', FIRST_RULE, 'bind :80']);
	const end = lines.indexOf('default_backend app');
	assert.deepEqual(lines.slice(end + 1, end + 5), [
		'no option dontlog-normal',
		'no option logasap',
		'no log',
		'log stdout len 2048 format raw local0',
	]);
	assert.match(
		lines[end + 5],
		/^log-format "doubletake1 id=%\[var\(txn\.doubletake_id\)\] to=%si:%sp end=%\[date\(0,ms\)\] %ci:%cp \[%tr\] /,
	);
	assert.equal(lines[end + 6], '# the end of the public way in');
});

test('its own lines stay in their order, and a log format of its own becomes a comment', () => {
	const before = linesOf(text, 'frontend', 'public');
	const after = linesOf(overlaid(text).text, 'frontend', 'public');
	const expected = before.map((line) => (line.startsWith('log-format') ? `# doubletake: ${line}` : line));
	assert.deepEqual(
		after.filter((line) => expected.includes(line)),
		expected,
	);
});

test('a listen section that is HTTP by its defaults is watched too', () => {
	const lines = linesOf(overlaid(text).text, 'listen', 'admin');
	assert.equal(lines[1], FIRST_RULE);
	assert.ok(lines.includes('# doubletake: option httplog clf'));
	assert.ok(!lines.includes('option httplog clf'));
});

test('an HTTP backend says to the container’s output what becomes of its servers', () => {
	const lines = linesOf(overlaid(text).text, 'backend', 'app');
	assert.deepEqual(lines.slice(-2), ['no log', 'log stdout len 2048 format raw local0']);
});

test('what speaks TCP, the defaults and the global section are left alone', () => {
	const { text: changed } = overlaid(text);
	const left = [
		['defaults', 'web'],
		['defaults', 'raw'],
		['frontend', 'database'],
		['backend', 'postgres'],
	];
	for (const [kind, name] of left) assert.deepEqual(linesOf(changed, kind, name), linesOf(text, kind, name));
	const globals = sectionsOf(changed).filter(({ kind }) => kind === 'global');
	assert.deepEqual(
		globals.map(({ lines }) => lines.length > 2 && lines[1].trim()),
		[`stats socket ipv4@*:${STATS_PORT} level user`, 'log stdout format raw local0'],
	);
});

test('comments stay, those before the first section stay before it', () => {
	const { text: changed } = overlaid(text);
	for (const line of text.split('\n').filter((one) => one.trim().startsWith('#'))) assert.ok(changed.includes(line), line);
	assert.ok(changed.startsWith('# written after the manual'));
});

test('each change is reported, with what it replaces', () => {
	const { changes } = overlaid(text);
	assert.equal(changes.length, 5);
	assert.match(changes[0], /^frontend public: .* instead of log-format; no other target gets its log\.$/);
	assert.match(changes[1], /^listen admin: .* instead of option httplog;/);
	assert.match(changes[4], new RegExp(`port ${STATS_PORT}`));
});

test('a condition that opens before the next section does not take the lab’s lines in', () => {
	const { text: changed } = overlaid('frontend a\n    mode http\n    bind :80\n\n.if defined(X)\nbackend b\n    mode http\n.endif\n');
	assert.ok(changed.indexOf('log-format "doubletake1') < changed.indexOf('.if defined(X)'));
});

test('line ends of another system do not matter', () => {
	assert.equal(overlaid(text.replace(/\n/g, '\r\n')).text, overlaid(text).text);
});

test('a text without any proxy is refused', () => {
	for (const none of ['', 'global\n  maxconn 5\n', '{"not": "haproxy"}']) assert.throws(() => overlaid(none), NotReadyError);
});

test('the configuration lies where the command, a mount or the image says, and several files are none', () => {
	assert.equal(pathOf(service()), '/usr/local/etc/haproxy/haproxy.cfg');
	assert.equal(pathOf(service({ command: ['haproxy', '-db', '-f', '/etc/h.cfg'] })), '/etc/h.cfg');
	const mounts = [{ source: './edge.cfg', target: '/etc/haproxy/haproxy.cfg', type: 'bind', readOnly: true }];
	assert.equal(pathOf(service({ mounts })), '/etc/haproxy/haproxy.cfg');
	assert.equal(pathOf(service({ command: ['haproxy', '-f', '/a.cfg', '-f', '/b.cfg'] })), null);
	assert.equal(pathOf(service({ command: ['haproxy', '-f', '/etc/haproxy/conf.d/'] })), null);
});

test('the shipped configuration has what the lab lays over others, but for its log, which loses no lines', () => {
	const shipped = readFileSync(new URL('../../../haproxy/2a-haproxy.cfg', import.meta.url), 'utf8');
	const bare = 'defaults\n    mode http\nfrontend users\n    bind :8080\nbackend nodes\n    server one one:80\n';
	const laid = overlaid(bare)
		.text.split('\n')
		.filter((line) => !bare.split('\n').includes(line));
	const lines = shipped.split('\n');
	const others = laid.filter((line) => !/^\s*(?:no (?:log|option)|log stdout)\b/.test(line));
	assert.deepEqual(
		others.map((line) => lines.includes(line)),
		[true, true, true, true],
		others.join('\n'),
	);
	for (const kind of ['frontend', 'backend'])
		assert.ok(linesOf(shipped, kind, kind === 'frontend' ? 'users' : 'nodes').includes('log ring@requests local0'), kind);
});
