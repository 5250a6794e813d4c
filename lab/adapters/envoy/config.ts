/**
 * Changes a copy of Envoy's bootstrap so that the lab can watch it: every manager of HTTP connections logs each request in the lab's
 * format and keeps the id that the request came with, and a listener of the lab's own passes two questions on to the administration
 * interface.
 */

import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import { NotReadyError } from '../../base/errors.ts';
import type { Configuration, Overlaid } from '../configuration.ts';
import type { ServiceModel } from '../contract.ts';
import { optionValues } from '../proxy-detection.ts';
import { OWN_FIELD, OWN_MARK } from './access-line.ts';
import { OWN_NAME } from './admin.ts';

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

export const configuration: Configuration = { name: 'envoy.yaml', pathOf, overlaid: overlaidConfig };

function pathOf(service: ServiceModel): string | null {
	const [path] = optionValues(service, 'envoy', ['-c', '--config-path']);
	// A configuration in the command itself is no file.
	if (optionValues(service, 'envoy', ['--config-yaml']).length > 0) return null;
	return path ?? service.mounts.find(({ target }) => /\/envoy\.ya?ml$/.test(target))?.target ?? DEFAULT_PATH;
}

/**
 * @param text YAML, or the same in JSON
 * @throws {NotReadyError} for a text that is no mapping
 */
function overlaidConfig(text: string): Overlaid {
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

/** Every manager of HTTP connections, wherever it stands; one that an alias repeats stands once. */
function managersOf(document: Document): YAMLMap[] {
	const managers: YAMLMap[] = [];
	visit(document, {
		Map(_, node) {
			if (node.get('@type') === HTTP_MANAGER) managers.push(node);
		},
	});
	return managers;
}

/** changes */
function watchManager(manager: YAMLMap, log: YAMLSeq, document: Document): string[] {
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

/** @returns changes */
function openStats(document: Document): string[] {
	const { admin } = document.toJS() as any;
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

/**
 * @param admin of the bootstrap
 * @returns at which it answers from inside; null: none that is known
 */
function adminAddress(admin: any): Record<string, any> | null {
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

const adminCluster = (address: Record<string, any>) => ({
	name: OWN_NAME,
	type: 'STATIC',
	connect_timeout: '1s',
	load_assignment: { cluster_name: OWN_NAME, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
});

/** A field may be spelt as in the API (`access_log`) or as in its JSON (`accessLog`); both at once would be an error. */
function keyIn(map: YAMLMap | Document, name: string): string {
	const camel = name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
	return map.has(camel) ? camel : name;
}

/** made where there is none */
function mapIn(document: Document, name: string): YAMLMap {
	const key = keyIn(document, name);
	const found = document.get(key, true) as unknown;
	if (isMap(found)) return found;
	const made = document.createNode({}) as unknown as YAMLMap;
	document.set(key, made);
	return made;
}

/** The sequence of a field, made where there is none. One that is an alias is written out, so that what is added stays here. */
function sequenceIn(map: YAMLMap, name: string, document: Document): YAMLSeq {
	const key = keyIn(map, name);
	const found = map.get(key, true) as unknown;
	if (isSeq(found)) return found;
	const items = isAlias(found) ? (found.toJS(document) ?? []) : isScalar(found) || found === undefined ? [] : [found];
	const made = document.createNode(items) as unknown as YAMLSeq;
	map.set(key, made);
	return made;
}
