import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFieldWords } from './field-words.ts';

test('sentences of earlier records have the words of the field, and what a user named keeps its name', () => {
	const record = {
		title: 'gate against block',
		command: 'make compare A=block',
		verdict: {
			sentence: 'The two are the same within the deltas of all 8 metrics (8 blocks).',
			reasons: ['the 2 gates', 'in every block'],
		},
		arms: [{ id: 'delta', blocks: 8 }],
	};
	assert.deepEqual(inFieldWords(record), {
		...record,
		verdict: {
			sentence: 'The two are the same within the differences that matter, on all 8 metrics (8 repetitions).',
			reasons: ['the 2 checks', 'in every repetition'],
		},
	});
});
