import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedOptions } from './changed-load.js';

const shop = {
	thresholds: { checks: ['rate>0.9'] },
	scenarios: {
		buy: {
			executor: 'ramping-vus',
			exec: 'buy',
			startVUs: 2,
			stages: [
				{ duration: '10s', target: 12 },
				{ duration: '20s', target: 12 },
			],
		},
		look: { executor: 'constant-arrival-rate', exec: 'look', rate: 4, duration: '31s', preAllocatedVUs: 8 },
		late: { executor: 'constant-vus', exec: 'late', vus: 3, startTime: '15s', duration: '5s' },
	},
};

test('A load that is cut keeps who comes when until then, and what begins later is left out', () => {
	const { scenarios, thresholds } = changedOptions(shop, { cut_s: 14 });
	assert.deepEqual(thresholds, shop.thresholds);
	assert.deepEqual(Object.keys(scenarios), ['buy', 'look']);
	assert.deepEqual(scenarios.buy.stages, [
		{ duration: '10000ms', target: 12 },
		{ duration: '4000ms', target: 12 },
	]);
	assert.equal(scenarios.look.duration, '14000ms');
	assert.deepEqual(changedOptions(shop, { cut_s: 5 }).scenarios.buy.stages, [{ duration: '5000ms', target: 7 }]);
});

test('A load that is held goes on with what it has come to, and what had ended stays so', () => {
	const { scenarios } = changedOptions(shop, { cut_s: 22, hold_s: 30 });
	assert.deepEqual(scenarios.buy.stages.at(-1), { duration: '30000ms', target: 12 });
	assert.equal(scenarios.look.duration, '52000ms');
	assert.equal(scenarios.late.duration, '5000ms');
});

test('One user at a time takes the scenarios in turn, each by its own function', () => {
	const { scenarios } = changedOptions(shop, { cut_s: 15, one_user: true });
	assert.deepEqual(scenarios.look, { executor: 'constant-vus', vus: 1, startTime: '5000ms', duration: '5000ms', exec: 'look' });
	assert.equal(Object.keys(scenarios).length, 3);
});

test('A load without one of its scenarios has the others as they were', () => {
	const { scenarios } = changedOptions(shop, { without: ['buy'] });
	assert.deepEqual(scenarios, { look: shop.scenarios.look, late: shop.scenarios.late });
});

test('A script without scenarios is read by its shortcuts, which are then left out', () => {
	const cut = changedOptions({ vus: 5, duration: '30s', tags: { a: 'b' } }, { cut_s: 8 });
	assert.deepEqual(cut, { tags: { a: 'b' }, scenarios: { default: { executor: 'constant-vus', vus: 5, duration: '8000ms' } } });
	assert.deepEqual(changedOptions({ stages: [{ duration: '4s', target: 9 }] }, { cut_s: 2 }).scenarios.default.stages, [
		{ duration: '2000ms', target: 5 },
	]);
	assert.equal(changedOptions({ iterations: 100 }, { cut_s: 3 }).scenarios.default.maxDuration, '3000ms');
	assert.equal(changedOptions(undefined, { cut_s: 3 }).scenarios.default.iterations, 1);
});
