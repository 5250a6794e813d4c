import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

const faultsOf = (service: ServiceModel) => adapter.faults?.(service) ?? [];

const service = (more?: Partial<ServiceModel>) => serviceModel({ service: 'edge', image: 'haproxy:2.6', ...more });

test('HAProxy is detected by its images and by its command, and nothing else is', () => {
	for (const image of ['haproxy', 'haproxy:2.6-alpine', 'haproxytech/haproxy-debian:2.6'])
		assert.equal(adapter.detect(service({ image }))?.tier, 'load-balancer', image);
	assert.ok(adapter.detect(service({ image: '', command: ['haproxy', '-db', '-f', '/etc/haproxy/haproxy.cfg'] })));
	const mounts = [{ type: 'bind', source: '', target: '/usr/local/etc/haproxy/haproxy.cfg', readOnly: true }];
	assert.ok(adapter.detect(service({ image: 'registry.test/mirror/haproxy', mounts, ports: [80] })), 'of a mirror, by its configuration');
	for (const image of ['', 'nginx', 'prom/haproxy-exporter']) assert.equal(adapter.detect(service({ image })), null, image);
});

test('each level says what it gives, and the second is not offered where no copy can be laid over', () => {
	assert.deepEqual(
		adapter.watches(service()).map(({ level }) => level),
		[0, 1, 2],
	);
	const several = service({ command: ['haproxy', '-f', '/a.cfg', '-f', '/b.cfg'] });
	assert.deepEqual(
		adapter.watches(several).map(({ level }) => level),
		[0, 1],
	);
});

test('only with consent a changed copy is laid over the configuration', () => {
	assert.deepEqual(
		[0, 1].map((level) => adapter.overlay(service(), level as 0 | 1)),
		[{}, {}],
	);
	assert.deepEqual(adapter.overlay(service(), 2), {
		mounts: [{ source: 'raw:haproxy.cfg', target: '/usr/local/etc/haproxy/haproxy.cfg', readOnly: true }],
	});
});

test('the version is what the program says of itself', () => {
	assert.equal(
		adapter.version?.pattern.exec('HAProxy version 2.6.12-1+deb12u1 2023/12/16 - https://haproxy.org/')?.[1],
		'2.6.12-1+deb12u1',
	);
	assert.equal(adapter.version?.pattern.exec('HA-Proxy version 2.2.9 2021/02/06')?.[1], '2.2.9');
});

const CFG = readFileSync(new URL('./fixtures/haproxy.cfg', import.meta.url), 'utf8');

/** The configuration with each fault in it. */
const [withShortQueue, withFewConnections]: ((text: string) => string | null | undefined)[] = faultsOf(serviceModel()).map(
	({ change }) =>
		(text) =>
			change?.changed(text),
);

const linesOf = (text: string, pattern: RegExp) =>
	text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => pattern.test(line));

test('each server for HTTP has one connection, whatever it had, and those for other protocols keep theirs', () => {
	assert.deepEqual(linesOf(String(withShortQueue(CFG)), /^server /), [
		'server app-1 app-1:3000 check maxconn 1',
		'server app-2 app-2:3000 check maxconn 1',
		'server api-1 api-1:3000 maxconn 1',
		'server db db:5432',
	]);
});

test('each section with such servers has the short queue, and no other', () => {
	const text = 'backend app\n    mode http\n    timeout queue 3s # long\n    server a a:1 minconn 2 maxconn 9 # maxconn 3\n';
	assert.deepEqual(linesOf(String(withShortQueue(text)), /./), ['backend app', 'timeout queue 1ms', 'mode http', 'server a a:1 maxconn 1']);
	assert.equal(linesOf(String(withShortQueue(CFG)), /^timeout queue 1ms$/).length, 2);
});

test('a configuration without a server for HTTP has no queue to be shortened', () => {
	assert.equal(withShortQueue('frontend web\n    mode http\n    bind :80\n'), null);
	assert.equal(withShortQueue('backend db\n    mode tcp\n    server db db:5432\n'), null);
});

test('the process has few connections, and its proxies keep their own limits', () => {
	const changed = withFewConnections('global\n    maxconn 2000\n    log stdout\nfrontend web\n    maxconn 500\n');
	assert.deepEqual(linesOf(String(changed), /maxconn|log/), ['log stdout', 'maxconn 500', 'maxconn 2']);
	assert.equal(linesOf(String(withFewConnections('frontend web\n')), /^maxconn 2$/).length, 1);
	assert.equal(withFewConnections('backend app\n'), null);
});

test('both change the file that the service reads, where it is one', () => {
	const service = serviceModel({ command: ['haproxy', '-f', '/etc/shop.cfg'] });
	assert.deepEqual(
		faultsOf(service).map(({ id, change }) => [id, change?.path]),
		[
			['short-queue', '/etc/shop.cfg'],
			['few-connections', '/etc/shop.cfg'],
		],
	);
	const several = faultsOf(serviceModel({ command: ['haproxy', '-f', '/a.cfg', '-f', '/b.cfg'] }));
	assert.ok(several.every(({ cannot, change }) => cannot !== undefined && change === undefined));
});
