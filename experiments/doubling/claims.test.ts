import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from './claims.ts';

test('the published p95 of successes is far from what is said of it, and growth is counted in requests', () => {
	const found = Object.fromEntries(claims.map((claim) => [claim.id, claim]));
	assert.equal(found.D1a.tests[0].published?.toFixed(2), '1.98');
	assert.equal(found.D1b.tests[0].published?.toFixed(3), '1.456');
	assert.ok(found.D5a.tests.every((part) => part.kind === 'published' && Math.abs(part.value - 269.85 / 492) < 1e-9));
});
