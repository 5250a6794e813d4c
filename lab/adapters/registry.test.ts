import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { ServiceModel } from './contract.ts';
import { aboutOf, filesOf } from './fixtures/hop-files.ts';
import { serviceModel } from './fixtures/service-model.ts';
import { adapterOf, everyAdapter } from './registry.ts';

/** The first that takes it. */
function detect(service: ServiceModel) {
	for (const adapter of everyAdapter) {
		const detection = adapter.detect(service);
		if (detection !== null) return { product: adapter.product, ...detection };
	}
	return null;
}

test('a service has the adapter of its product, and the reason why', () => {
	const found = detect(serviceModel({ image: 'bitnami/pgbouncer:1.18' }));
	assert.deepEqual(found, { product: 'pgbouncer', tier: 'pool', reason: 'image bitnami/pgbouncer:1.18' });
	assert.equal(detect(serviceModel({ image: 'postgres:15' }))?.product, 'postgres');
	assert.equal(detect(serviceModel({ ports: [5432, 6432] }))?.product, 'pgbouncer');
});

test('what no adapter takes is of a product that nobody has told', () => {
	assert.equal(detect(serviceModel({ image: 'shop/api:3', ports: [8000] })), null);
});

test('a product is a folder with an adapter, in the order of the folders, and what takes the rest comes last', () => {
	const products = everyAdapter.map(({ product }) => product);
	const folder = new URL('.', import.meta.url);
	const folders = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/adapter.ts`, folder)));
	const known = folders.filter((name) => products.includes(name) && name !== 'opaque').toSorted();
	assert.deepEqual(products, [...known, 'opaque']);
});

test('an adapter is found by its product, and an unknown product has none', () => {
	for (const { product } of everyAdapter) assert.equal(adapterOf(product)?.product, product);
	assert.equal(adapterOf('abacus'), null);
});

for (const adapter of everyAdapter) {
	test(`${adapter.product} lays nothing over a service without consent, and says what each level gives`, () => {
		const service = serviceModel({ image: 'postgres:15' });
		for (const level of [0, 1] as const) assert.deepEqual(adapter.overlay(service, level), {});
		const levels = adapter.watches(service).map(({ level }) => level);
		assert.deepEqual(
			levels,
			levels.toSorted((one, other) => one - other),
		);
		assert.equal(levels[0], 0);
	});

	test(`${adapter.product} gives the lab each configuration that a copy is laid over`, () => {
		const { mounts = [] } = adapter.overlay(serviceModel({ image: adapter.product }), 2);
		const laid = mounts
			.filter(({ source, readOnly }) => readOnly && source.startsWith('raw:'))
			.map(({ source }) => source.slice('raw:'.length));
		assert.deepEqual(laid, adapter.configuration ? [adapter.configuration.name] : []);
	});

	test(`${adapter.product} makes of an empty record one without figures`, () => {
		const record = adapter.read(filesOf(''), aboutOf());
		assert.deepEqual([record.product, record.service, record.received, record.messages], [adapter.product, 'store', null, []]);
		assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
		assert.ok(record.uncovered.length > 0);
	});
}
