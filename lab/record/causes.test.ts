import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causes } from './causes.ts';

/** Of the words of a sentence. */
const WORDS_MOST = 20;

test('a remedy is one sentence that says what to change', () => {
	for (const [id, { remedy }] of Object.entries(causes))
		if (remedy !== null) {
			assert.match(remedy, /^[A-Z][^.]*\w\.$/, id);
			assert.ok(remedy.split(' ').length <= WORDS_MOST, `${id}: ${remedy}`);
		}
	assert.equal(causes.unexplained.remedy, null);
});

test('what would confirm a cause fits it, and asks for one thing of each change', () => {
	for (const [id, { confirm, remedy, limit = false }] of Object.entries(causes)) {
		const expected = new Map(confirm.map((one) => [one.id, one.expect]));
		assert.equal(expected.size, confirm.length, id);
		// Who knows what would cure it knows what to change.
		assert.ok(confirm.length === 0 || remedy !== null, id);
		// Of a limited number one user does not take all.
		assert.ok(!limit || expected.get('one-user') !== 'same', id);
		// What the machine's limits cure is no mistake of the request.
		assert.ok(!(expected.get('more-of-it') === 'cured' && expected.get('one-user') === 'same'), id);
	}
	assert.deepEqual(causes['pool-full'].confirm, [
		{ id: 'one-user', expect: 'cured' },
		{ id: 'knob', expect: 'cured' },
	]);
	assert.deepEqual(causes['pool-held'].confirm, [{ id: 'fresh', expect: 'cured-then-back' }]);
});
