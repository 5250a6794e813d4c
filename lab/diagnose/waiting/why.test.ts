/**
 * Services that wait for each other, as small records.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.ts';

const GIVEN_UP = { end: 'given-up', by: 'client' } as const;

test('where a service waits for one that waits for it, the way ends at the circle', () => {
	const stack = new MadeStack(40);
	each(-8, 10, 0.2, (at) => {
		stack.call('k6 accounts', at, at + 0.05, { template: '/transfer' });
		stack.call('accounts limits', at + 0.002, at + 0.048, { template: '/limit' });
		stack.call('limits accounts', at + 0.025, at + 0.03, { template: '/balance' });
	});
	each(11, 34, 10, (wave) => {
		each(wave, wave + 0.04, 0.01, (at) => {
			stack.call('k6 accounts', at, at + 5, { template: '/transfer', ...GIVEN_UP });
			stack.call('accounts limits', at + 0.002, wave + 9.5, { template: '/limit', ...GIVEN_UP });
			stack.call('limits accounts', at + 0.024, wave + 9.4, { template: '/balance', ...GIVEN_UP });
		});
		each(wave + 0.1, wave + 4.5, 0.25, (at) => stack.call('k6 accounts', at, at + 5, { template: '/transfer', ...GIVEN_UP }));
	});
	stack.reads('accounts', (second) => ({ cores: 0.02, queued: second >= 11 ? 20 : 0 }));
	stack.reads('limits', () => ({ cores: 0.02 }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['accounts: workers-taken']);
	assert.equal(findings[0].title, 'waited in a circle: for limits, which waited for accounts again, whose workers that took');
});

test('but not where it is asked back and answers as soon as ever', () => {
	const stack = new MadeStack(40);
	each(-8, 36, 0.2, (at) => {
		const isSlow = at > 10;
		const over = at + (isSlow ? 5 : 0.05);
		stack.call('k6 accounts', at, over, { template: '/transfer', ...(isSlow ? GIVEN_UP : {}) });
		stack.call('accounts limits', at + 0.002, over - 0.002, { template: '/limit', ...(isSlow ? GIVEN_UP : {}) });
		stack.call('limits accounts', at + 0.025, at + 0.03, { template: '/balance' });
	});
	stack.reads('limits', () => ({ cores: 0.02 }));
	const [finding] = stack.follow().findings;
	assert.equal(finding.place.service, 'limits');
});
