import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Signal } from '../../base/signal.ts';
import { factsOf, logError, recordOf as rawOf, recordOf } from '../../diagnose/fixtures/record.ts';
import type { Raw, Story } from '../../diagnose/fixtures/story.ts';
import { FROM, SECONDS, WARMUP_S } from '../../diagnose/fixtures/story.ts';
import { ejection, SAID, tellOf } from '../../diagnose/fixtures/tell.ts';
import type { HopRecord } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import type { AccessLine, LogMessage } from './access-line.ts';
import { groupByConnection, parseErrorLog, readMessage, requestRecordOf } from './access-line.ts';
import { configuration, pathOf } from './config.ts';
import { inside } from './inside.ts';
import { read } from './read.ts';

/** @param change of a healthy run of two nodes */
function ejectionsIn(change: (raw: Raw) => void) {
	const raw = recordOf({ balanced: true });
	change(raw);
	return factsOf(raw).entryProxy?.ejections ?? [];
}

test('a node is left out from the moment that is logged until the time-out after the end of that second', () => {
	const [{ node, from, to }, ...others] = ejectionsIn((raw) => ejection(raw, 3, 'app-2', SAID.refused));
	assert.deepEqual([node, from - FROM, to - FROM, others], ['app-2', 3, 14, []]);
});

test('what set it off is the failed attempt before it on the same connection, whatever else is logged between', () => {
	const [{ trigger, line }] = ejectionsIn((raw) => {
		tellOf(raw, 17, 3, SAID.reset, 'app-1');
		tellOf(raw, 18, 3, SAID.refused, 'app-1');
		tellOf(raw, 17, 3, SAID.timeout, 'app-2');
		tellOf(raw, 17, 3, SAID.ejected, 'app-1');
	});
	assert.equal(trigger, 'connection_terminated');
	assert.match(line, /^\[error\] recv\(\) failed .*10\.0\.0\.1/);
});

test('of several attempts of a connection the last one before it set it off', () => {
	const [{ trigger }] = ejectionsIn((raw) => {
		tellOf(raw, 17, 2, SAID.timeout, 'app-1');
		tellOf(raw, 17, 3, SAID.closed, 'app-1');
		tellOf(raw, 17, 3, SAID.ejected, 'app-1');
	});
	assert.equal(trigger, 'connection_terminated');
});

test('what failed on that connection seconds before did not set it off', () => {
	const [{ trigger }] = ejectionsIn((raw) => {
		tellOf(raw, 17, 1, SAID.reset, 'app-1');
		tellOf(raw, 17, 3, SAID.ejected, 'app-1');
	});
	assert.equal(trigger, null);
});

test('where no attempt of that connection is logged the trigger is not known, and the line itself is shown', () => {
	const [{ trigger, line, request }] = ejectionsIn((raw) => {
		tellOf(raw, 18, 3, SAID.refused, 'app-1');
		tellOf(raw, 17, 3, SAID.ejected, 'app-1');
	});
	assert.deepEqual([trigger, request], [null, null]);
	assert.match(line, /temporarily disabled/);
});

test('the request whose attempt it was is the one on that connection at the time', () => {
	const [{ request }] = ejectionsIn((raw) => {
		const [first, second, third] = raw.accessLines.filter(({ t }) => t > FROM);
		Object.assign(first, { id: 'w1-1', connection: 17, t: FROM + 2.5 });
		Object.assign(second, { id: 'w1-2', connection: 17, t: FROM + 4.2, request_s: 1 });
		Object.assign(third, { id: 'w2-1', connection: 18, t: FROM + 3.5 });
		tellOf(raw, 17, 3, SAID.reset, 'app-1');
		tellOf(raw, 17, 3, SAID.ejected, 'app-1');
	});
	assert.equal(request, 'w1-2');
});

test('a node that was left out in the warm-up may still be so when the load begins, and one that was let in before is none', () => {
	const spans = ejectionsIn((raw) => ejection(raw, -4, 'app-2', SAID.refused)).map(({ node, from, to }) => [node, from - FROM, to - FROM]);
	assert.deepEqual(spans, [['app-2', -4, 7]]);
	const early = ejectionsIn((raw) => {
		raw.balancerConf += 'server app-2:3000 fail_timeout=2s;';
		ejection(raw, -4, 'app-2', SAID.refused);
	});
	assert.deepEqual(early, []);
});

test('a run without a balancer leaves nobody out', () => {
	assert.equal(factsOf(recordOf()).entryProxy, null);
});

test('of a time-out Nginx says so only after it has left the node out', () => {
	const [{ node, trigger }] = ejectionsIn((raw) => {
		tellOf(raw, 4, 5, SAID.ejected, 'app-1');
		tellOf(raw, 9, 5, SAID.refused, 'app-1');
		tellOf(raw, 4, 5, SAID.timeout, 'app-1');
	});
	assert.deepEqual([node, trigger], ['app-1', 'http_response_timeout']);
});

const OWN = `user nginx;
error_log  /var/log/nginx/error.log notice;
events { worker_connections 1024; }
http {
    include mime.types;
    access_log  /var/log/nginx/access.log  main;
    server {
        access_log off;
        location / { proxy_pass http://web:8000; }
    }
}
`;

test('each request is logged with its id and warnings are logged, in place of what the file says; all else stays', () => {
	const { text, changes } = configuration.overlaid(OWN);
	const lines = text.split('\n');
	assert.equal(lines[0], 'error_log /dev/stderr warn;');
	assert.match(lines[5], /^ {4}log_format doubletake1 escape=json 'doubletake1 \{"t":\$msec,"id":"\$http_x_request_id",/);
	assert.equal(lines[6], '    access_log /dev/stdout doubletake1;');
	assert.deepEqual(
		lines.filter((line) => line.includes('# doubletake: ')),
		[
			'# doubletake: error_log  /var/log/nginx/error.log notice;',
			'    # doubletake: access_log  /var/log/nginx/access.log  main;',
			'        # doubletake: access_log off;',
		],
	);
	const kept = lines.filter((line) => !/doubletake|^error_log \/dev\/stderr/.test(line));
	assert.deepEqual(
		kept,
		OWN.split('\n').filter((line) => !/access_log|error_log/.test(line)),
	);
	assert.equal(changes.length, 2);
});

test('a file that is no main configuration is refused', () => {
	assert.throws(() => configuration.overlaid('server { listen 80; }'), /expected a line "http \{"; found none/);
});

test('its place is what the command says, else where it is mounted, else where the image has it', () => {
	assert.equal(pathOf(serviceModel({ image: 'nginx' })), '/etc/nginx/nginx.conf');
	assert.equal(pathOf(serviceModel({ command: ['nginx', '-c', '/conf/edge.conf'] })), '/conf/edge.conf');
	const mounts = [{ source: '/a/b.conf', target: '/opt/nginx/conf/nginx.conf', type: 'bind', readOnly: true }];
	assert.equal(pathOf(serviceModel({ image: 'nginx', mounts })), '/opt/nginx/conf/nginx.conf');
});

const { conf, totals } = inside;

test('the totals are read from the page of the status module', () => {
	const page =
		'HTTP/1.1 200 OK\r\n\r\nActive connections: 291 \nserver accepts handled requests\n 16630948 16630945 31070465 \nReading: 6 Writing: 179 Waiting: 106 \n';
	assert.deepEqual(totals.parse(page), { accepted: 16630948, handled: 16630945, requests: 31070465, active: 291 });
	assert.equal(totals.parse(''), null);
});

test('the configuration that is asked for is the one it was started with', () => {
	assert.deepEqual(conf.command(['nginx', '-c', '/etc/doubletake/2a.conf', '-g', 'daemon off;']).slice(-2), [
		'-c',
		'/etc/doubletake/2a.conf',
	]);
});

const names = new Map([
	['10.0.0.1', 'app-1'],
	['10.0.0.2', 'app-2'],
]);
const about = {
	service: 'nginx',
	tier: 'load-balancer' as const,
	level: 2 as const,
	names,
	window: { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - WARMUP_S },
};

function recordIn(story?: Story, change?: (raw: Raw) => void) {
	const raw = rawOf({ balanced: true, ...story });
	change?.(raw);
	return read(raw.adapted[0].files, about);
}

test('lines of the load are counted by outcome, the warm-up not among them', () => {
	const answers = [
		{ status: 500, count: 3, node: null },
		{ status: 502, count: 2 },
		{ status: 499, count: 4 },
	];
	const { answered_ok: ok, answered_error: errors, aborted, requestRecords } = recordIn({ answers });
	assert.deepEqual({ ok, errors, aborted, seen: requestRecords.length }, { ok: 1000, errors: 5, aborted: 4, seen: 1009 });
});

test('a good status that did not reach the client whole is no good answer', () => {
	const { answered_ok: ok, requestRecords } = recordIn({}, (raw) => {
		raw.accessLines[5].completion = '';
	});
	assert.deepEqual([ok, requestRecords.filter(({ outcome }) => outcome === 'broken').length], [999, 1]);
});

test('requests are those of the load by its own count, and what it dropped grows with what it accepted and did not handle', () => {
	const { received, received_source, counters } = recordIn({}, (raw) => {
		raw.balancerStatus[2].handled -= 7;
	});
	// One of the 1,001 was the question for these very totals.
	assert.deepEqual([received, received_source], [1000, 'stub_status']);
	assert.deepEqual(
		counters['table-full-new'].map(({ value }) => value),
		[0, 1, 8],
	);
});

test('without totals from before and after the load its log is what it received', () => {
	// From the start and the end alone, the warm-up would be counted.
	for (const keep of [[], [0], [2], [0, 2]]) {
		const { received, received_source, source } = recordIn({}, (raw) => {
			raw.accessLines.pop();
			raw.balancerStatus = keep.map((index) => raw.balancerStatus[index]);
		});
		assert.deepEqual([received, received_source, source], [999, 'access log', 'access log']);
	}
});

const slotsIn = ({ limits }: HopRecord) => limits.find(({ resource }) => resource === 'connection slots')?.size ?? null;

test('the connection table is as large as that of all workers', () => {
	assert.equal(slotsIn(recordIn()), 1024);
	assert.equal(
		slotsIn(
			recordIn({}, (raw) => {
				raw.balancerConf = 'worker_processes 4;\nevents { }\n worker_connections 512;\n';
			}),
		),
		2048,
	);
	assert.equal(
		slotsIn(
			recordIn({}, (raw) => {
				raw.balancerConf = '';
			}),
		),
		null,
	);
});

const MESSAGES = [
	['table-full-idle', '1024 worker_connections are not enough, reusing connections'],
	['table-full-new', '64 worker_connections are not enough while connecting to upstream, client: 10.0.0.7'],
	['proxy_internal_error', 'accept4() failed (24: Too many open files)'],
	['proxy_internal_error', 'connect() to 10.0.0.1:3000 failed (99: Cannot assign requested address) while connecting to upstream'],
	['destination_unavailable', 'no live upstreams while connecting to upstream'],
	['connection_refused', 'connect() failed (111: Connection refused) while connecting to upstream'],
	['destination_ip_unroutable', 'connect() failed (113: No route to host) while connecting to upstream'],
	['http_response_timeout', 'upstream timed out (110: Connection timed out) while reading response header from upstream'],
	['connection_terminated', 'recv() failed (104: Connection reset by peer) while reading response header from upstream'],
	['connection_terminated', 'upstream prematurely closed connection while reading response header from upstream'],
	['http_response_incomplete', 'upstream prematurely closed connection while reading upstream'],
	['http_response_incomplete', 'readv() failed (104: Connection reset by peer) while reading upstream'],
	['http_response_timeout', 'upstream timed out (110: Connection timed out) while reading upstream'],
	['http_request_denied', 'limiting requests, excess: 5.120 by zone "one"'],
	['connection_timeout', 'upstream timed out (110: Connection timed out) while connecting to upstream'],
	['http_protocol_error', 'upstream sent invalid header while reading response header from upstream'],
	['ejected', 'upstream server temporarily disabled while connecting to upstream'],
	['http_request_denied', 'client intended to send too large body: 2000000 bytes'],
	['http_request_denied', 'access forbidden by rule'],
	['dns_error', 'app-2 could not be resolved (3: Host not found)'],
	['worker-died', 'worker process 30 exited on signal 11'],
	['worker-died', 'worker process 30 exited with fatal code 2 and cannot be respawned'],
] as [string, string][];

for (const [signal, text] of MESSAGES) {
	test(`the error log's line "${text}" means ${signal} and nothing else`, () => {
		const { messages } = recordIn({}, (raw) => logError(raw, [-3, 2, 9], text));
		assert.deepEqual(
			messages.map((message) => [message.signal, message.t, message.text]),
			[2, 9].map((second) => [signal, FROM + second, `[warn] ${text}`]),
		);
	});
}

test('a line of the error log that means nothing known is left out', () => {
	assert.deepEqual(recordIn({}, (raw) => logError(raw, [3], 'signal process started')).messages, []);
});

test('a message names the connection and the node that it is about, by address without its port', () => {
	const text = 'recv() failed (104: Connection reset by peer) while reading response header, upstream: "http://10.0.0.1:3000/"';
	assert.deepEqual(readMessage({ t: FROM, level: 'error', connection: 17, text }), [
		{ signal: 'connection_terminated', t: FROM, connection: 17, to: '10.0.0.1', text: `[error] ${text}` },
	]);
});

test('a node is left out for as long as the configuration says, else for as long as Nginx does by itself', () => {
	assert.equal(recordIn().ejected_s, 10);
	const reported = recordIn({}, (raw) => {
		raw.balancerConf += 'server app-1:3000 max_fails=2 fail_timeout=3s;';
	});
	assert.equal(reported.ejected_s, 3);
});

const message: (second: number, connection: number | null, signal: Signal, to?: string) => LogMessage = (
	second,
	connection,
	signal,
	to,
) => ({ signal, t: FROM + second, connection, text: signal, ...(to && { to }) });

const retried = (more?: object): AccessLine => ({
	t: FROM + 4.5,
	id: 'w1-1',
	status: 200,
	request_s: 1,
	connection: 17,
	upstream: '10.0.0.1:3000, 10.0.0.2:3000',
	upstream_status: '502, 200',
	connect_s: '-, 0.001',
	upstream_s: '0.000, 0.016',
	error: '',
	completion: 'OK',
	...more,
});

const seenIn = (line: AccessLine, ...messages: LogMessage[]) =>
	requestRecordOf(line, { service: 'nginx', names, byConnection: groupByConnection(messages) });

test('a request that Nginx calls complete is broken where the server broke off inside its answer', () => {
	const one = retried({ upstream: '10.0.0.1:3000', upstream_status: '200', connect_s: '0.001', upstream_s: '0.016' });
	assert.equal(seenIn(one).outcome, 'answered');
	assert.equal(seenIn(one, message(4, 17, 'http_response_incomplete', '10.0.0.1')).outcome, 'broken');
	assert.equal(seenIn(one, message(4, 17, 'connection_terminated', '10.0.0.1')).outcome, 'answered');
});

test('each attempt of a request has its status, whether it was connected, and the message that says why it failed', () => {
	const refused = message(3, 17, 'connection_refused', '10.0.0.1');
	const { asked, own, took_ms } = seenIn(retried(), refused, message(3, 18, 'connection_terminated', '10.0.0.2'));
	assert.deepEqual(asked, [
		{ to: 'app-1', status: null, connected: false, message: refused, took_s: 0 },
		{ to: 'app-2', status: 200, connected: true, message: null, took_s: 0.016 },
	]);
	assert.deepEqual([own, took_ms], [[], { whole: 1000, behind: 16, connect: 1 }]);
});

test('attempts are told apart whether they were retried or redirected', () => {
	const statusesOf = (upstream: string, upstream_status: string) =>
		seenIn(retried({ upstream, upstream_status })).asked.map(({ to, status }) => [to, status]);
	assert.deepEqual(statusesOf('', ''), []);
	assert.deepEqual(statusesOf('-', '-'), []);
	assert.deepEqual(statusesOf('10.0.0.1:3000', '404'), [['app-1', 404]]);
	for (const apart of [', ', ' : '])
		assert.deepEqual(statusesOf(`10.0.0.1:3000${apart}10.0.0.2:3000`, `500${apart}200`), [
			['app-1', 500],
			['app-2', 200],
		]);
});

test('a message of the same connection belongs to the request that was on it at the time, and to no other', () => {
	const log = [message(1, 17, 'connection_terminated', '10.0.0.1'), message(5, 17, 'connection_terminated', '10.0.0.1')];
	const { asked, own } = seenIn(retried(), ...log, message(3, null, 'table-full-idle'));
	assert.deepEqual([asked[0].message, own], [null, []]);
});

test('what is logged of the request as a whole is no attempt of it, and a group of nodes is asked by its name', () => {
	const none = message(4, 17, 'destination_unavailable');
	const { asked, own } = seenIn(retried({ upstream: 'nodes', upstream_status: '502', connect_s: '-', upstream_s: '0.000' }), none);
	assert.deepEqual([asked, own], [[{ to: 'nodes', status: null, connected: false, message: null, took_s: 0 }], [none]]);
});

test('a group that has the name of a service is not that service', () => {
	const line = retried({ upstream: 'app', upstream_status: '502', connect_s: '-', upstream_s: '0.000' });
	const { asked } = requestRecordOf(line, { service: 'nginx', names: new Map([['app', 'app']]), byConnection: new Map() });
	assert.deepEqual(
		asked.map(({ to }) => to),
		['group app'],
	);
});

test('of two attempts at the same node each has a message of its own', () => {
	const [first, second] = [message(3, 17, 'http_response_timeout', '10.0.0.1'), message(4, 17, 'connection_terminated', '10.0.0.1')];
	const { asked } = seenIn(retried({ upstream: '10.0.0.1:3000, 10.0.0.1:3000' }), first, second);
	assert.deepEqual(
		asked.map((attempt) => attempt.message?.signal),
		['http_response_timeout', 'connection_terminated'],
	);
});

test('of two requests on a connection in one second each has the message of its own failure, and a good one between takes none away', () => {
	const [refused, reset] = [message(4, 17, 'connection_refused', '10.0.0.1'), message(4, 17, 'connection_terminated', '10.0.0.1')];
	const byConnection = groupByConnection([refused, reset]);
	const asked = [
		{ t: FROM + 4.3, status: 502, upstream_status: '502' },
		{ t: FROM + 4.5, status: 200, upstream_status: '200' },
		{ t: FROM + 4.7, status: 502, upstream_status: '502' },
	].map((more) => {
		const line = retried({ ...more, request_s: 0.1, upstream: '10.0.0.1:3000', connect_s: '0.001' });
		return requestRecordOf(line, { service: 'nginx', names, byConnection }).asked[0];
	});
	assert.deepEqual([asked[0].message, asked[2].message], [refused, reset]);
});

test('that no server was left is said of the request whose last server is the group, and a refusal of one that asked nobody', () => {
	const said = [message(4, 17, 'destination_unavailable'), message(4, 17, 'http_request_denied')];
	const ownOf = (upstream: string) => seenIn(retried({ upstream }), ...said).own.map(({ signal }) => signal);
	assert.deepEqual(['10.0.0.1:3000', '10.0.0.1:3000, nodes', 'nodes', ''].map(ownOf), [
		[],
		['destination_unavailable'],
		['destination_unavailable'],
		['destination_unavailable', 'http_request_denied'],
	]);
});

test('a server whose name was not found was asked, though the access log has no address of it', () => {
	const text = 'app-2 could not be resolved (3: Host not found), client: 10.0.0.7, server: , request: "GET / HTTP/1.1"';
	const [missing] = readMessage({ t: FROM + 4, level: 'error', connection: 17, text });
	const { asked } = seenIn(retried({ status: 502, upstream: '', upstream_status: '' }), missing);
	assert.deepEqual(asked, [{ to: 'app-2', status: null, connected: false, message: missing, took_s: 0 }]);
});

test('what a client chose to send means nothing', () => {
	const text = 'open() "/x" failed (2: No such file), client: 10.0.0.7, request: "GET /x HTTP/1.1", referrer: "no live upstreams"';
	assert.deepEqual(readMessage({ t: FROM, level: 'error', connection: 17, text }), []);
});

test('an answer of a node is its own, but for what Nginx says in place of one', () => {
	const statusIn = (status: string) =>
		seenIn(retried({ upstream: '10.0.0.1:3000', upstream_status: status, connect_s: '0.001' })).asked[0].status;
	assert.deepEqual(['200', '500', '503', '502', '504', '-'].map(statusIn), [200, 500, 503, null, null, null]);
});

test("a line of Nginx's error log has a moment, a level, a text, and the connection that it is about where it names one", () => {
	const text = [
		'2026/11/21 00:15:46 [warn] 6#6: 1024 worker_connections are not enough, reusing connections',
		'2026/11/21 00:15:47 [alert] 29#30: *1734 64 worker_connections are not enough while connecting to upstream',
	].join('\n');
	assert.deepEqual(parseErrorLog(text), [
		{ t: 1795220146, level: 'warn', connection: null, text: '1024 worker_connections are not enough, reusing connections' },
		{ t: 1795220147, level: 'alert', connection: 1734, text: '64 worker_connections are not enough while connecting to upstream' },
	]);
});

test('a line of the error log that has another form is skipped, and none at all is none', () => {
	assert.deepEqual(parseErrorLog('nginx: [emerg] host not found\n\n2026/11/21 00:15 [warn] cut'), []);
	assert.deepEqual(parseErrorLog(''), []);
});
