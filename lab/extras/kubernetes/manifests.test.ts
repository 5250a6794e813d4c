import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manifestsOf } from './manifests.ts';

/** As `docker compose config --format json` prints it. */
const MODEL = {
	services: {
		'2a-nginx': {
			image: 'nginx:1',
			entrypoint: ['nginx', '-c', '/etc/doubletake/2a.conf'],
			command: null,
			labels: { 'doubletake.tier': 'load-balancer', 'doubletake.name': 'nginx' },
			user: '101:101',
			read_only: true,
			cap_drop: ['ALL'],
			cpu_period: 10_000,
			cpu_quota: 2500,
			mem_limit: '268435456',
			healthcheck: { test: ['CMD', 'true'], interval: '1m30s', timeout: '2s', retries: 20 },
			stop_grace_period: '12s',
			depends_on: { app: {} },
			tmpfs: ['/tmp'],
			volumes: [
				{ type: 'volume', source: 'raw', target: '/raw' },
				{ type: 'bind', source: '/lab/nginx', target: '/etc/doubletake', read_only: true },
			],
		},
		k6: {
			image: 'k6:1',
			command: ['run', '--quiet', '/scripts/k6/scenarios/documents.js'],
			labels: { 'doubletake.tier': 'generator', 'doubletake.name': 'k6' },
			environment: { TARGET: 'http://nginx:8080/', EMPTY: null, K6_LOG_OUTPUT: 'file=/raw/k6.log,level=error' },
			sysctls: { 'net.ipv4.ip_local_port_range': '1024 65535', 'net.ipv4.tcp_tw_reuse': '1' },
			user: '10001:10001',
		},
	},
};
const FILES: Record<string, string> = { '/lab/nginx/2a.conf': 'events {}', '/lab/nginx/snippets/main.conf': 'worker_processes 1;' };

const { manifests, ignored } = manifestsOf(MODEL, {
	filesIn: (folder) => Object.keys(FILES).map((file) => file.slice(folder.length + 1)),
	read: (file) => FILES[file],
	generators: 3,
});
const the = (kind: string): any => manifests.find((manifest) => manifest.kind === kind);

test('a service is a pod that is found by its name, without a balancer before it', () => {
	assert.deepEqual(
		manifests.map(({ kind, metadata: { name } }) => `${kind} ${name}`),
		['Namespace doubletake', 'ConfigMap doubletake-nginx', 'Service nginx', 'Deployment nginx', 'TestRun k6'],
	);
	assert.equal(the('Service').spec.clusterIP, 'None');
	assert.deepEqual(the('Service').spec.selector, the('Deployment').spec.selector.matchLabels);
});

test('a pod is as hardened and as limited as its container', () => {
	const { containers, terminationGracePeriodSeconds: grace, nodeSelector } = the('Deployment').spec.template.spec;
	const [{ command, args, resources, securityContext, readinessProbe }] = containers;
	assert.deepEqual([command, args], [MODEL.services['2a-nginx'].entrypoint, undefined]);
	assert.deepEqual(resources.limits, { cpu: '0.25', memory: '268435456' });
	assert.deepEqual(securityContext, {
		readOnlyRootFilesystem: true,
		allowPrivilegeEscalation: false,
		capabilities: { drop: ['ALL'] },
		runAsNonRoot: true,
		runAsUser: 101,
		runAsGroup: 101,
	});
	assert.deepEqual(readinessProbe, { exec: { command: ['true'] }, periodSeconds: 90, timeoutSeconds: 2, failureThreshold: 20 });
	assert.equal(grace, 12);
	assert.deepEqual(nodeSelector, { 'doubletake.load-balancer': 'yes' });
});

test('a folder that is read comes with all its files, at their places', () => {
	const { containers, volumes } = the('Deployment').spec.template.spec;
	assert.deepEqual(the('ConfigMap').data, { '2a.conf': 'events {}', 'snippets_main.conf': 'worker_processes 1;' });
	const [mount] = containers[0].volumeMounts.filter(({ mountPath }: any) => mountPath === '/etc/doubletake');
	const volume = volumes.find(({ name }: any) => name === mount.name);
	assert.deepEqual(volume.configMap.items[1], { key: 'snippets_main.conf', path: 'snippets/main.conf' });
	assert.deepEqual(
		volumes.map(({ name, emptyDir }: any) => [name, emptyDir]),
		[
			['raw', {}],
			['nginx', undefined],
			['memory-tmp', { medium: 'Memory' }],
		],
	);
});

test('the load is so many runners of one script, which tell of each request', () => {
	const { parallelism, script, runner } = the('TestRun').spec;
	assert.deepEqual([parallelism, script], [3, { localFile: '/scripts/k6/scenarios/documents.js' }]);
	assert.deepEqual(runner.env, [
		{ name: 'TARGET', value: 'http://nginx:8080/' },
		{ name: 'EMPTY', value: '' },
		{ name: 'K6_LOG_OUTPUT', value: 'stdout' },
	]);
	assert.deepEqual(runner.securityContext.sysctls, [{ name: 'net.ipv4.ip_local_port_range', value: '1024 65535' }]);
});

test('what is left out is said, with the reason', () => {
	assert.deepEqual(
		ignored.map(({ service, field }) => `${service} ${field}`),
		['2a-nginx depends_on', 'k6 sysctls net.ipv4.tcp_tw_reuse'],
	);
});
