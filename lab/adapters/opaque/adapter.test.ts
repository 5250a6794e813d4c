import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

test('it claims no service and changes none', () => {
	const service = serviceModel({ image: 'shop/api', ports: [8000] });
	assert.equal(adapter.detect(service), null);
	assert.deepEqual(adapter.overlay(service, 3), {});
	assert.deepEqual([adapter.version, adapter.sample], [null, null]);
});

function faultOf(id: string, replicas: number = 2) {
	const found = adapter.faults?.(serviceModel({ service: 'web', replicas })).find((fault) => fault.id === id);
	assert.ok(found);
	return found;
}

test('one of two can be stopped, and the only one cannot: it is killed', () => {
	assert.equal(faultOf('stopped').cannot, undefined);
	assert.match(String(faultOf('stopped', 1).cannot), /no second one/);
	assert.equal(faultOf('killed', 1).cannot, undefined);
});

test('that one was stopped has to be said, even if no request failed', () => {
	const { least, near_misses: misses } = faultOf('stopped');
	assert.deepEqual([least, misses], [0, [{ ids: ['ended'] }]]);
});

test('a worker is looked for before the load, and killed only in it', () => {
	const { needs, actions = [] } = faultOf('worker-killed');
	assert.equal(needs?.command.at(-1), 'look');
	assert.ok(actions.length > 1 && actions.every(({ command }) => command?.(0).at(-1) === 'kill'));
});

test('what is paused goes on before the load ends', () => {
	const [pause, unpause] = faultOf('paused').actions ?? [];
	assert.deepEqual([pause.action, unpause.action], ['pause', 'unpause']);
	assert.ok(Number(pause.at) < Number(unpause.at) && Number(unpause.at) < 1);
});
