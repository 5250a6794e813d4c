import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { mechanisms } from '../../record/causes.ts';
import { hasMeaning, tell, titleOf, withMeaning, written } from './writing.ts';

test('an answer is data until it is written, and what a code means is added to the data', () => {
	const kept = tell('turned-away', 'keeper', { sign: 'code 1040', client: 'batch-1040', count: 8, total: 10 });
	assert.equal(written(kept), 'turned connections away with error 1040, while batch-1040 kept 8 of 10 open');
	const meant = withMeaning(kept, 'it has as many connections as it takes');
	assert.deepEqual([hasMeaning(kept), hasMeaning(meant)], [false, true]);
	assert.match(
		written(meant),
		/^turned connections away with error 1040 \(it has as many connections as it takes\), while batch-1040 kept/,
	);
	const both = tell('any', 'either', { one: kept, other: 'was busy computing' });
	assert.equal(written(withMeaning(both, 'full')), `${written(withMeaning(kept, 'full'))}, or was busy computing`);
	assert.equal(withMeaning('had all its workers taken', 'full'), 'had all its workers taken');
});

test('what has no title of its own is called by its cause', () => {
	assert.equal(titleOf({ mechanism: 'busy', basis: 'timed', evidence: [] }), mechanisms.busy.predicate);
});

test('no sentence of the room is read back', async () => {
	const folder = new URL('.', import.meta.url);
	const files = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
	const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
	const read = texts.flatMap(
		(text) => text.match(/\b(?:title|full|why\.evidence\[\d\])\??\.(?:replace|startsWith|includes|match|slice)\(.*/g) ?? [],
	);
	assert.deepEqual(read, []);
});

test('of one worker nobody says that all are taken', () => {
	const titleFor = (high: number) => written(tell('workers-taken', 'title', { high, whom: 'tax' }));
	assert.equal(titleFor(1), 'worked on one request at a time, each waiting for tax');
	assert.equal(titleFor(4), 'had all 4 workers taken, each waiting for tax');
});
