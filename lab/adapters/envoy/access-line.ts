/**
 * Reads lines of Envoy's access log: its default text format (https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage),
 * and JSON with whatever fields the configuration gives it, the lab's own among them.
 */

import { isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { NotReadyError } from '../../base/errors.ts';
import { jsonIn } from '../../base/values.ts';
import { optionValues } from '../found-servers.ts';
import { withoutContent } from '../log-content.ts';
import { OWN_NAME } from './admin.ts';

/**
 * @typedef {object} AccessLine
 * @property {string} id
 * @property {number} received      seconds since 1970
 * @property {number} ended
 * @property {boolean} timed        the line has its own time; else the engine's stands for its end, which comes late
 * @property {number | null} status null: no answer was begun
 * @property {string[]} flags       response flags
 * @property {string | null} details  response code details; null where the log has none
 * @property {string} failure       why the transport failed; else empty
 * @property {string} host          of the last attempt; empty where there was none
 * @property {string} cluster       empty where the log does not have it
 * @property {number | null} attempts  null where the log does not have it
 * @property {number} durationMs    from the first byte in to the last byte out
 * @property {number | null} sentMs  from the first byte in until it was sent on; null where it was not, or the log does not have it
 * @property {boolean | null} upstreamAnswered  by the time that the upstream took; null where the log does not have it
 * @property {boolean} own          written in the lab's format
 * @property {string} text
 */

/** The field and value by which a line of the lab's own format is known. */
const OWN_FIELD = 'log';
export const OWN_MARK = 'doubletake1';

/**
 * The text is anchored at both ends: what a client writes into its headers (agent, authority) stands between. One more word after the
 * flags is the response code's details, which many add there.
 */
const TEXT = new RegExp(
	[
		/^\[(?<start>\d{4}-\d\d-\d\dT[\d:.]+Z)\] "(?<request>.*?)" (?<status>\d+|-) (?<flags>[A-Z][A-Z,]*|-) (?:(?<details>[A-Za-z]\S*) )?/,
		/(?<bytesIn>\d+|-) (?<bytesOut>\d+|-) (?<duration>\d+|-) (?<upstreamTime>\d+|-) "/,
		/.*" "(?<id>[^"]*)" "(?<authority>[^"]*)" "(?<host>[^"]*)"$/,
	]
		.map(({ source }) => source)
		.join(''),
);

/** Forwarded for whom, and by which agent; then after the id the host that was asked for. */
const OF_CLIENT = /("[^"]*")( \d+| -)( [A-Z][A-Z,]*| -)(.*?) "[^"]*" "[^"]*" ("[^"]*") "[^"]*" ("[^"]*")$/;

/** What fields are called in JSON, after everything but letters and digits has become an underscore. */
const FIELDS = {
	start: ['start_time', 'timestamp', 'time'],
	duration: ['duration', 'duration_ms', 'total_duration'],
	status: ['response_code', 'status', 'status_code'],
	flags: ['response_flags', 'flags'],
	details: ['response_code_details', 'details'],
	failure: ['upstream_transport_failure_reason'],
	host: ['upstream_host', 'upstream_address', 'upstream_remote_address'],
	cluster: ['upstream_cluster', 'upstream_cluster_raw'],
	attempts: ['upstream_request_attempt_count', 'attempt_count'],
	sent: ['request_tx_duration'],
	upstreamTime: ['x_envoy_upstream_service_time', 'upstream_service_time'],
	id: ['request_id', 'x_request_id', 'requestid'],
};

const OWN_FIELDS = new Set([OWN_FIELD, ...Object.values(FIELDS).flat()]);

/**
 * @param {{ t: number, text: string }} stamped  t: when the engine took the line, seconds since 1970
 * @returns {AccessLine | null} null for what is no whole line of an access log
 */
export function readAccessLine({ t, text }) {
	return text.startsWith('{') ? readJson(t, text) : readText(t, text);
}

/** @param {string} text without the engine's time @returns {string} from which the same is read */
export function redact(text) {
	const asText = OF_CLIENT.exec(TEXT.test(text) ? text : '');
	if (asText === null) return withoutContent(text, (field) => OWN_FIELDS.has(plainName(field)));
	const [all, request, status, flags, figures, id, host] = asText;
	return `${text.slice(0, -all.length)}${withoutContent(request)}${status}${flags}${figures} "?" "?" ${id} "?" ${host}`;
}

/** @param {number} t @param {string} text @returns {AccessLine | null} */
function readText(t, text) {
	const found = TEXT.exec(text)?.groups;
	if (!found) return null;
	return lineOf({ ...found, details: found.details ?? null }, t, text, false);
}

/** @param {number} t @param {string} text @returns {AccessLine | null} */
function readJson(t, text) {
	const values = jsonIn(text);
	if (values === null) return null;
	const fields = new Map(Object.entries(values).map(([name, value]) => [plainName(name), value]));
	const field = (/** @type {string[]} */ names) => {
		const name = names.find((one) => fields.has(one));
		return name === undefined ? undefined : fields.get(name);
	};
	// Without these two it is some other JSON.
	if (field(FIELDS.status) === undefined || field(FIELDS.duration) === undefined) return null;
	const found = Object.fromEntries(Object.entries(FIELDS).map(([key, names]) => [key, field(names)]));
	return lineOf(found, t, text, values[OWN_FIELD] === OWN_MARK);
}

/** @param {string} name */
const plainName = (name) =>
	name
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '_')
		.replace(/^_|_$/g, '');

/** No request is tried as often: it is no number of Envoy's. The lab's own choice. */
const ATTEMPTS_MOST = 1000;

/** @param {unknown} value @returns {number | null} */
function attemptsIn(value) {
	const count = numberOf(value);
	return Number.isInteger(count) && Number(count) <= ATTEMPTS_MOST ? count : null;
}

/** @param {Record<string, any>} found @param {number} t @param {string} text @param {boolean} own @returns {AccessLine} */
function lineOf(found, t, text, own) {
	const durationMs = numberOf(found.duration) ?? 0;
	const start = typeof found.start === 'string' ? Date.parse(found.start) / 1000 : Number.NaN;
	const timed = Number.isFinite(start);
	const received = timed ? start : t - durationMs / 1000;
	const status = numberOf(found.status);
	return {
		id: textOf(found.id),
		received,
		ended: received + durationMs / 1000,
		timed,
		// Envoy writes 0 where it sent no answer.
		status: status === null || status === 0 ? null : status,
		flags: textOf(found.flags)
			.split(',')
			.filter((flag) => flag !== ''),
		details: found.details === undefined || found.details === null ? null : textOf(found.details),
		failure: textOf(found.failure),
		host: textOf(found.host),
		cluster: textOf(found.cluster),
		attempts: attemptsIn(found.attempts),
		durationMs,
		sentMs: numberOf(found.sent),
		upstreamAnswered: found.upstreamTime === undefined ? null : numberOf(found.upstreamTime) !== null,
		own,
		text,
	};
}

/** Envoy writes a hyphen, or in JSON null, for what is not there. @param {unknown} value */
const textOf = (value) => (typeof value === 'string' && value !== '-' ? value : '');

/** @param {unknown} value @returns {number | null} */
function numberOf(value) {
	const number = typeof value === 'string' && value !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/*
 * Changes a copy of Envoy's bootstrap so that the lab can watch it: every manager of HTTP connections logs each request in the lab's
 * format and keeps the id that the request came with, and a listener of the lab's own passes two questions on to the administration
 * interface.
 */

/**
 * @typedef {import('yaml').YAMLMap} YAMLMap
 * @typedef {import('yaml').Document} Document
 */

/**
 * Where the lab asks, and where the administration interface listens if the configuration has none. Below the ports that Linux gives to
 * connections going out (32768 and above), so none of these can have taken them.
 */
export const STATS_PORT = 28901;
const ADMIN_PORT = 28902;

/** Where the image has its bootstrap. */
const DEFAULT_PATH = '/etc/envoy/envoy.yaml';

const HTTP_MANAGER = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const STDOUT_LOG = 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog';
const ROUTER = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';

/** By field. One that a version does not know would keep it from starting; the youngest here came with 1.20. */
const FORMAT = {
	[OWN_FIELD]: OWN_MARK,
	start_time: '%START_TIME%',
	duration: '%DURATION%',
	response_code: '%RESPONSE_CODE%',
	response_flags: '%RESPONSE_FLAGS%',
	response_code_details: '%RESPONSE_CODE_DETAILS%',
	upstream_transport_failure_reason: '%UPSTREAM_TRANSPORT_FAILURE_REASON%',
	upstream_host: '%UPSTREAM_HOST%',
	upstream_cluster: '%UPSTREAM_CLUSTER%',
	upstream_request_attempt_count: '%UPSTREAM_REQUEST_ATTEMPT_COUNT%',
	request_tx_duration: '%REQUEST_TX_DURATION%',
	upstream_service_time: '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
	request_id: '%REQ(X-REQUEST-ID)%',
	bytes_received: '%BYTES_RECEIVED%',
	bytes_sent: '%BYTES_SENT%',
};

/** @type {import('../configuration.ts').Configuration} */
export const configuration = { name: 'envoy.yaml', pathOf, overlaid: overlaidConfig };

/** @param {import('../contract.ts').ServiceModel} service @returns {string | null} */
function pathOf(service) {
	const [path] = optionValues(service, 'envoy', ['-c', '--config-path']);
	// A configuration in the command itself is no file.
	if (optionValues(service, 'envoy', ['--config-yaml']).length > 0) return null;
	return path ?? service.mounts.find(({ target }) => /\/envoy\.ya?ml$/.test(target))?.target ?? DEFAULT_PATH;
}

/**
 * @param {string} text  YAML, or the same in JSON
 * @returns {import('../configuration.ts').Overlaid}
 * @throws {NotReadyError} for a text that is no mapping
 */
function overlaidConfig(text) {
	const document = parseDocument(text);
	const [error] = document.errors;
	if (error || !isMap(document.contents))
		throw new NotReadyError(
			`Envoy’s bootstrap: expected a mapping in YAML or JSON; found ${error ? `a fault in line ${error.linePos?.[0].line}` : 'none'}.`,
			'correct it, or watch at level 1.',
		);
	const managers = managersOf(document);
	// All of them before the first is added to: an alias is written out as it was.
	const logs = managers.map((manager) => sequenceIn(manager, 'access_log', document));
	const changes = [...managers.flatMap((manager, index) => watchManager(manager, logs[index], document)), ...openStats(document)];
	const isJson = text.trimStart().startsWith('{');
	return { text: isJson ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 }), changes };
}

/** Every manager of HTTP connections, wherever it stands; one that an alias repeats stands once. @param {Document} document @returns {YAMLMap[]} */
function managersOf(document) {
	/** @type {YAMLMap[]} */
	const managers = [];
	visit(document, {
		Map(_, node) {
			if (node.get('@type') === HTTP_MANAGER) managers.push(node);
		},
	});
	return managers;
}

/** @type {(manager: YAMLMap, log: import('yaml').YAMLSeq, document: Document) => string[]} changes */
function watchManager(manager, log, document) {
	const title = `HTTP manager ${manager.get(keyIn(manager, 'stat_prefix')) ?? 'without a name'}`;
	log.add(
		document.createNode({
			name: 'envoy.access_loggers.stdout',
			typed_config: { '@type': STDOUT_LOG, log_format: { json_format: FORMAT } },
		}),
	);
	const changes = [`${title}: each request is logged with its X-Request-Id to the container's output.`];
	const preserve = keyIn(manager, 'preserve_external_request_id');
	if (manager.get(preserve) !== true) {
		// Envoy gives a request from outside an id of its own, in place of the one it came with.
		manager.set(preserve, true);
		changes.push(`${title}: a request keeps the X-Request-Id that it came with.`);
	}
	return changes;
}

/** @param {Document} document @returns {string[]} changes */
function openStats(document) {
	const { admin } = /** @type {any} */ (document.toJS());
	const address = adminAddress(admin);
	if (address === null) return ['The administration interface has no fixed port: how full connections and queues are is not watched.'];
	const changes = [];
	if (!admin) {
		document.set('admin', document.createNode({ address }));
		changes.push('admin: the administration interface listens inside the container.');
	}
	const resources = mapIn(document, 'static_resources');
	sequenceIn(resources, 'listeners', document).add(document.createNode(statsListener()));
	sequenceIn(resources, 'clusters', document).add(document.createNode(adminCluster(address)));
	changes.push(`listener ${OWN_NAME}: /stats and /clusters can be read on port ${STATS_PORT} of the project's network.`);
	return changes;
}

/** @param {any} admin of the bootstrap @returns {Record<string, any> | null} at which it answers from inside; null: none that is known */
function adminAddress(admin) {
	if (!admin) return { socket_address: { address: '127.0.0.1', port_value: ADMIN_PORT } };
	if (admin.address?.pipe) return { pipe: admin.address.pipe };
	const socket = admin.address?.socket_address ?? admin.address?.socketAddress;
	const port = socket?.port_value ?? socket?.portValue;
	if (!port) return null;
	// What listens everywhere listens here.
	const host = /^(?:0\.0\.0\.0|::|\[::\])$/.test(socket.address ?? '') ? '127.0.0.1' : socket.address;
	return { socket_address: { address: host, port_value: port } };
}

/** Two paths alone: others of the interface stop the program. */
const statsListener = () => ({
	name: OWN_NAME,
	address: { socket_address: { address: '0.0.0.0', port_value: STATS_PORT } },
	filter_chains: [
		{
			filters: [
				{
					name: 'envoy.filters.network.http_connection_manager',
					typed_config: {
						'@type': HTTP_MANAGER,
						stat_prefix: OWN_NAME,
						route_config: {
							name: OWN_NAME,
							virtual_hosts: [
								{
									name: OWN_NAME,
									domains: ['*'],
									routes: ['/stats', '/clusters'].map((path) => ({ match: { path }, route: { cluster: OWN_NAME } })),
								},
							],
						},
						http_filters: [{ name: 'envoy.filters.http.router', typed_config: { '@type': ROUTER } }],
					},
				},
			],
		},
	],
});

/** @param {Record<string, any>} address */
const adminCluster = (address) => ({
	name: OWN_NAME,
	type: 'STATIC',
	connect_timeout: '1s',
	load_assignment: { cluster_name: OWN_NAME, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
});

/** A field may be spelt as in the API (`access_log`) or as in its JSON (`accessLog`); both at once would be an error. @type {(map: YAMLMap | Document, name: string) => string} */
function keyIn(map, name) {
	const camel = name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
	return map.has(camel) ? camel : name;
}

/** @type {(document: Document, name: string) => YAMLMap} made where there is none */
function mapIn(document, name) {
	const key = keyIn(document, name);
	const found = /** @type {unknown} */ (document.get(key, true));
	if (isMap(found)) return found;
	const made = /** @type {YAMLMap} */ (/** @type {unknown} */ (document.createNode({})));
	document.set(key, made);
	return made;
}

/**
 * The sequence of a field, made where there is none. One that is an alias is written out, so that what is added stays here.
 * @type {(map: YAMLMap, name: string, document: Document) => import('yaml').YAMLSeq}
 */
function sequenceIn(map, name, document) {
	const key = keyIn(map, name);
	const found = /** @type {unknown} */ (map.get(key, true));
	if (isSeq(found)) return found;
	const items = isAlias(found) ? (found.toJS(document) ?? []) : isScalar(found) || found === undefined ? [] : [found];
	const made = /** @type {import('yaml').YAMLSeq} */ (/** @type {unknown} */ (document.createNode(items)));
	map.set(key, made);
	return made;
}
