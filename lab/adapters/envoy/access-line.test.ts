import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { NotReadyError } from '../../base/errors.ts';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { readAccessLine } from './access-line.ts';
import { configuration, STATS_PORT } from './config.ts';

const { overlaid, pathOf } = configuration;

const T = Date.parse('2026-11-21T20:00:00Z') / 1000;

/** The manual's example. */
const TEXT =
	'[2016-04-15T20:17:00.310Z] "POST /api/v1/locations HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "locations" "tcp://10.0.2.1:80"';

function readLine(text: string) {
	const line = readAccessLine({ t: T, text });
	assert.ok(line, text);
	return line;
}

test('the manual’s example of the default format is read', () => {
	const { received, ended, ...line } = readLine(TEXT);
	assert.ok(Math.abs(received - Date.parse('2016-04-15T20:17:00.310Z') / 1000) < 1e-6);
	assert.ok(Math.abs(ended - received - 0.226) < 1e-6);
	assert.deepEqual(line, {
		id: 'cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2',
		timed: true,
		status: 204,
		flags: [],
		details: null,
		failure: '',
		host: 'tcp://10.0.2.1:80',
		cluster: '',
		attempts: null,
		durationMs: 226,
		sentMs: null,
		upstreamAnswered: true,
		own: false,
		text: TEXT,
	});
});

test('flags and, where they stand after them, the response code’s details are read', () => {
	const line = readLine(
		'[2024-07-20T07:09:48.470Z] "GET /x HTTP/1.1" 503 UF,URX upstream_reset_before_response_started{connection_failure,delayed_connect_error:_111} 0 145 0 - "-" "curl/8.4.0" "7-1" "localhost:8000" "172.28.0.2:801"',
	);
	assert.deepEqual(line.flags, ['UF', 'URX']);
	assert.deepEqual(
		[line.details, line.upstreamAnswered],
		['upstream_reset_before_response_started{connection_failure,delayed_connect_error:_111}', false],
	);
});

test('no answer, no id and no host are none', () => {
	const { status, id, host } = readLine('[2026-11-21T20:00:04.000Z] "GET / HTTP/1.1" 0 DC 0 0 2000 - "-" "-" "-" "envoy" "-"');
	assert.deepEqual({ status, id, host }, { status: null, id: '', host: '' });
});

test('JSON is read with typed values and with texts, whatever its fields are spelt like', () => {
	const typed = readLine(
		'{"start_time":"2026-11-21T20:00:01.500Z","duration":25,"response_code":200,"response_flags":"-","x-request-id":"7-2"}',
	);
	const texts = readLine('{"Start-Time":"2026-11-21T20:00:01.500Z","Duration":"25","Response_Code":"200","X-Request-ID":"7-2"}');
	for (const line of [typed, texts]) {
		assert.ok(Math.abs(line.received - (T + 1.5)) < 1e-6 && Math.abs(line.ended - (T + 1.525)) < 1e-6);
		assert.deepEqual([line.id, line.status, line.flags, line.timed, line.own], ['7-2', 200, [], true, false]);
	}
});

test('JSON without a start takes the engine’s time for its end, and says so', () => {
	const { received, ended, timed } = readLine('{"duration":500,"response_code":200}');
	assert.deepEqual([received, ended, timed], [T - 0.5, T, false]);
});

test('the lab’s own line is known by its mark, and has attempts, cluster and failure', () => {
	const line = readLine(
		'{"log":"doubletake1","start_time":"2026-11-21T20:00:02.000Z","duration":1,"response_code":503,"response_flags":"UF","response_code_details":"x","upstream_transport_failure_reason":"TLS_error","upstream_cluster":"app","upstream_request_attempt_count":3,"upstream_service_time":null}',
	);
	assert.deepEqual([line.own, line.attempts, line.cluster, line.failure, line.upstreamAnswered], [true, 3, 'app', 'TLS_error', false]);
});

test('half a line, another program’s line and other JSON are no requests', () => {
	const others = [
		'',
		TEXT.slice(0, -1),
		TEXT.slice(0, 60),
		'{"start_time":"2026-11-21T20:00:01.500Z","dur',
		'{"msg":"hello"}',
		'[]',
		'{',
		'[2026-11-21 20:00:15.000][1][warning][main] [source/server/server.cc:895] caught ENVOY_SIGTERM',
		`app said ${TEXT}`,
	];
	for (const text of others) assert.equal(readAccessLine({ t: T, text }), null, text);
});

test('what a client writes into its user agent changes neither the status nor the id', () => {
	const line = readLine(TEXT.replace('"nsq2http"', '"x" 503 UF 0 0 0 - "-" "y" "9-9" "z" "10.0.0.1:1" "'));
	assert.deepEqual([line.status, line.id, line.host], [204, 'cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2', 'tcp://10.0.2.1:80']);
});

const text = readFileSync(new URL('./fixtures/envoy.yaml', import.meta.url), 'utf8');

const listener = (bootstrap: any, name: string) => bootstrap.static_resources.listeners.find((one: any) => one.name === name);
const manager = (bootstrap: any, name: string) => listener(bootstrap, name).filter_chains[0].filters[0].typed_config;

const service = (more?: Partial<ServiceModel>) => serviceModel({ service: 'edge', image: 'envoyproxy/envoy:v1.31', ...more });

test('each manager of HTTP connections logs in the lab’s format beside its own logs, and keeps the ids that come', () => {
	const bootstrap = parse(overlaid(text).text);
	const [own, added] = manager(bootstrap, 'public').access_log;
	assert.equal(own.typed_config.log_format, undefined);
	assert.equal(added.name, 'envoy.access_loggers.stdout');
	const { json_format: format } = added.typed_config.log_format;
	assert.deepEqual(
		[format.log, format.request_id, format.response_code_details],
		['doubletake1', '%REQ(X-REQUEST-ID)%', '%RESPONSE_CODE_DETAILS%'],
	);
	assert.equal(manager(bootstrap, 'public').preserve_external_request_id, true);
});

test('a manager without a log gets one, and a field that is spelt in the other way is not written twice', () => {
	const partners = manager(parse(overlaid(text).text), 'partners');
	assert.equal(partners.access_log.length, 1);
	assert.equal(partners.preserveExternalRequestId, true);
	assert.ok(!('preserve_external_request_id' in partners));
	const camel = text.replace('access_log:', 'accessLog:');
	const own = manager(parse(overlaid(camel).text), 'public');
	assert.deepEqual([own.accessLog.length, 'access_log' in own], [2, false]);
});

test('what speaks TCP is left alone', () => {
	assert.deepEqual(manager(parse(overlaid(text).text), 'database'), manager(parse(text), 'database'));
});

test('comments and durations stay as they are', () => {
	const { text: changed } = overlaid(text);
	for (const kept of ["# written after the manual: the shop's edge", '# two nodes', '# the edge', 'connect_timeout: 0.25s', 'timeout: 15s'])
		assert.ok(changed.includes(kept), kept);
});

test('without an administration interface it gets one inside the container, of which a listener shows two paths', () => {
	const bootstrap = parse(overlaid(text).text);
	assert.deepEqual(bootstrap.admin, { address: { socket_address: { address: '127.0.0.1', port_value: 28902 } } });
	const own = listener(bootstrap, 'doubletake');
	assert.deepEqual(own.address, { socket_address: { address: '0.0.0.0', port_value: STATS_PORT } });
	const { routes } = own.filter_chains[0].filters[0].typed_config.route_config.virtual_hosts[0];
	assert.deepEqual(
		routes.map((route: any) => route.match.path),
		['/stats', '/clusters'],
	);
	assert.equal(own.filter_chains[0].filters[0].typed_config.access_log, undefined);
	const cluster = bootstrap.static_resources.clusters.find((one: any) => one.name === 'doubletake');
	assert.deepEqual(cluster.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address, bootstrap.admin.address);
});

test('an administration interface that there is stays as it is, and is asked where it listens', () => {
	const endpointOf = (admin: string) => {
		const bootstrap = parse(overlaid(`${text}admin:\n  address: ${admin}\n`).text);
		assert.deepEqual(bootstrap.admin, parse(`address: ${admin}`));
		const cluster = bootstrap.static_resources.clusters.find((one: any) => one.name === 'doubletake');
		return cluster?.load_assignment.endpoints[0].lb_endpoints[0].endpoint.address;
	};
	const here = { socket_address: { address: '127.0.0.1', port_value: 9901 } };
	assert.deepEqual(endpointOf('{ socket_address: { address: 0.0.0.0, port_value: 9901 } }'), here);
	assert.deepEqual(endpointOf('{ socketAddress: { address: 127.0.0.1, portValue: 9901 } }'), here);
	assert.deepEqual(endpointOf('{ pipe: { path: /run/admin.sock } }'), { pipe: { path: '/run/admin.sock' } });
	assert.equal(endpointOf('{ socket_address: { address: 127.0.0.1, port_value: 0 } }'), undefined);
});

test('each change is told', () => {
	const { changes } = overlaid(text);
	assert.equal(changes.length, 5);
	assert.match(changes[0], /^HTTP manager public: each request is logged/);
	assert.match(changes[1], /^HTTP manager public: a request keeps the X-Request-Id/);
	assert.match(changes[2], /^HTTP manager partners: each request is logged/);
	assert.match(changes[4], new RegExp(`port ${STATS_PORT}`));
});

test('logs that two managers share are added to once in each', () => {
	const shared = text
		.replace('access_log:', 'access_log: &logs')
		.replace('preserveExternalRequestId: true', 'preserveExternalRequestId: true\n                access_log: *logs');
	const bootstrap = parse(overlaid(shared).text);
	assert.deepEqual(
		['public', 'partners'].map((name) => manager(bootstrap, name).access_log.length),
		[2, 2],
	);
});

test('a bootstrap in JSON stays JSON, and one without static resources gets them', () => {
	const { text: changed } = overlaid('{"node": {"id": "x", "cluster": "y"}}');
	const bootstrap = JSON.parse(changed);
	assert.deepEqual([bootstrap.node.id, bootstrap.static_resources.listeners.length], ['x', 1]);
});

test('a text that is no mapping is refused', () => {
	for (const none of ['', 'hello', '- a\n- b', 'a: [1']) assert.throws(() => overlaid(none), NotReadyError, none);
});

test('the bootstrap lies where the command, a mount or the image says, and one inside the command is no file', () => {
	assert.equal(pathOf(service()), '/etc/envoy/envoy.yaml');
	assert.equal(pathOf(service({ command: ['envoy', '-c', '/edge.json'] })), '/edge.json');
	assert.equal(pathOf(service({ command: ['envoy', '--config-path=/edge.yaml'] })), '/edge.yaml');
	const mounts = [{ source: './e.yaml', target: '/conf/envoy.yml', type: 'bind', readOnly: true }];
	assert.equal(pathOf(service({ mounts })), '/conf/envoy.yml');
	assert.equal(pathOf(service({ command: ['envoy', '--config-yaml', 'admin: {}'] })), null);
});

test('the shipped bootstrap has what the lab lays over others, but for its log, which goes to a file', () => {
	const shipped = parse(readFileSync(new URL('../../../envoy/2a-envoy.yaml', import.meta.url), 'utf8'));
	const { admin: _, ...bare } = structuredClone(shipped);
	const users = manager(bare, 'users');
	const [log] = users.access_log;
	delete users.access_log;
	delete users.preserve_external_request_id;
	for (const kind of ['listeners', 'clusters'])
		bare.static_resources[kind] = bare.static_resources[kind].filter(({ name }: any) => name !== 'doubletake');
	const laid = parse(overlaid(JSON.stringify(bare)).text);
	const [laidLog] = manager(laid, 'users').access_log;
	manager(laid, 'users').access_log = [log];
	assert.deepEqual(laid, shipped);
	// The same fields in the same words, each as a text.
	const { inline_string: line } = log.typed_config.log_format.text_format_source;
	const [, time, fields] = /^(\S+) (\{.*\})\n$/.exec(line) ?? [];
	assert.equal(time, '%START_TIME%');
	assert.deepEqual(JSON.parse(fields), laidLog.typed_config.log_format.json_format);
});
