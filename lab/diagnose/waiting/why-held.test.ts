/** Workers that are held by few long calls, as small records. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said, ZERO } from './fixtures/made-stack.ts';

/** Uploads of phones, each of which takes 20 s, from second 12 on. */
function uploads({
	queued = 20,
	count = 3,
	cores = 0.02,
	sending = 0,
}: {
	queued?: number;
	count?: number;
	cores?: number;
	sending?: number;
} = {}) {
	const stack = new MadeStack(40);
	each(-5, 12, 0.1, (at) => stack.call('k6 photos', at, at + 0.01, { template: '/albums' }));
	for (let phone = 0; phone < count; phone += 1)
		each(12 + phone / 10, 36, 20.1, (at) =>
			stack.call('phone photos', at, at + 20, { verb: 'POST', template: '/photos', sent_at: ZERO + at + sending }),
		);
	each(12.5, 36, 0.2, (at) => stack.call('k6 photos', at, at + 3, { template: '/albums', end: 'given-up', by: 'client' }));
	stack.reads('photos', (second) => ({ cores: second >= 12 ? cores : 0.05, queued: second >= 12 ? queued : 0 }));
	return stack.follow().findings;
}

test('long calls of another client, as many at a time as there are workers, take these', () => {
	const findings = uploads();
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['photos: workers-taken'], 'timed']);
	assert.equal(findings[0].title, 'had its workers taken by POST /photos of phone, 3 at a time for 20.00 s each');
});

test('and it is said where they wait for what their caller sends', () => {
	const [finding] = uploads({ sending: 19.5 });
	assert.match(finding.title ?? '', /3 at a time for 20\.00 s each, for it was sent slowly$/);
	assert.ok(finding.evidence.includes('19.50 s passed until the last byte of such a question had come: photos waited for its caller.'));
});

test('but not where none waits to be accepted, where it is one alone, nor where it works', () => {
	for (const given of [{ queued: 0 }, { count: 1 }, { cores: 0.95 }])
		assert.ok(
			uploads(given).every(({ title }) => !title?.includes('workers taken by')),
			`${JSON.stringify(given)}`,
		);
});
