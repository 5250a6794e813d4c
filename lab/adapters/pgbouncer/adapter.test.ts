import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

const faultsOf = (service: ServiceModel) => adapter.faults?.(service) ?? [];

test('images, commands and, of a built image, the port say that a service is PgBouncer', () => {
	for (const image of ['edoburu/pgbouncer:1.18.0', 'bitnami/pgbouncer', 'pgbouncer/pgbouncer:latest'])
		assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'pool', reason: `image ${image}` });
	assert.equal(adapter.detect(serviceModel({ command: ['pgbouncer', '/etc/pgbouncer/pgbouncer.ini'] }))?.reason, 'command pgbouncer');
	assert.equal(adapter.detect(serviceModel({ ports: [6432] }))?.reason, 'port 6432');
});

test('PostgreSQL and exporters are not it', () => {
	for (const image of ['postgres:15', 'prometheuscommunity/pgbouncer-exporter'])
		assert.equal(adapter.detect(serviceModel({ image, ports: [6432] })), null, image);
});

test('its version is read, and nothing is laid over', () => {
	assert.equal(adapter.version?.pattern.exec('PgBouncer 1.18.0\nlibevent 2.1.12-stable')?.[1], '1.18.0');
	assert.deepEqual(adapter.overlay(serviceModel({ image: 'bitnami/pgbouncer' }), 2), {});
});

const SHOP = readFileSync(new URL('../../../examples/shop/pgbouncer.ini', import.meta.url), 'utf8');

/** The configuration with the fault in it. */
const withSmallPools = (text: string) => faultsOf(serviceModel())[0].change?.changed(text);

/** What is set, by name. */
function settingsIn(text: string | null | undefined): Record<string, string[]> {
	const found: Record<string, string[]> = {};
	for (const [, name, value] of String(text).matchAll(/^(\w+) *= *(.*)$/gm)) found[name] = [...(found[name] ?? []), value];
	return found;
}

test('each pool has one connection and clients wait for a second, each set once; all else stays', () => {
	const { default_pool_size, query_wait_timeout, reserve_pool_size, pool_mode, shop } = settingsIn(withSmallPools(SHOP));
	assert.deepEqual([default_pool_size, query_wait_timeout, reserve_pool_size], [['1'], ['1'], ['0']]);
	assert.deepEqual([pool_mode, shop], [['transaction'], ['host=store port=5432 dbname=shop user=shop']]);
});

test('a database with a pool of its own has one connection too', () => {
	const text = '[databases]\nshop = host=db pool_size=20 min_pool_size=5 reserve_pool=3\n[pgbouncer]\ndefault_pool_size=9\n';
	const { shop, default_pool_size } = settingsIn(withSmallPools(text));
	assert.deepEqual([shop, default_pool_size], [['host=db pool_size=1 min_pool_size=0 reserve_pool=0'], ['1']]);
});

test('what is no configuration of PgBouncer is left alone', () => {
	assert.equal(withSmallPools('"shop" "secret"\n'), null);
});

const pathOf = (service: ServiceModel) => faultsOf(service)[0].change?.path;

test('the file is the one that the command names, else the one that is mounted, else the usual one', () => {
	const mounts = [{ source: '/home/ada/p.ini', target: '/opt/pgbouncer.ini', type: 'bind', readOnly: true }];
	assert.equal(pathOf(serviceModel({ command: ['pgbouncer', '-v', '/etc/shop.ini'], mounts })), '/etc/shop.ini');
	assert.equal(pathOf(serviceModel({ command: ['sh', '-c', 'exec pgbouncer /run/p.ini'] })), '/run/p.ini');
	assert.equal(pathOf(serviceModel({ mounts })), '/opt/pgbouncer.ini');
	assert.equal(pathOf(serviceModel()), '/etc/pgbouncer/pgbouncer.ini');
});

test('the slow statement goes on for whole seconds, on PgBouncer’s own socket', () => {
	const [{ actions = [] }] = faultsOf(serviceModel());
	const command = actions[0].command?.(3.2) ?? [];
	assert.equal(command.at(-1), '4');
	assert.match(String(command.at(-2)), /\.s\.PGSQL\.6432/);
});
