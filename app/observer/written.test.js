import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWritten } from './written.js';

test('unless said, or with the empty text that Compose passes, the documents are counted', () => {
	for (const text of [undefined, '']) assert.deepEqual(parseWritten(text), [{ database: 'doubletake', collection: 'documents' }]);
});

test('several collections may be named', () => {
	assert.deepEqual(parseWritten('db1.documents, db2.system.views'), [
		{ database: 'db1', collection: 'documents' },
		{ database: 'db2', collection: 'system.views' },
	]);
});

test('what is no name of a collection is refused and named', () => {
	for (const text of ['documents', 'db1.documents,', '.documents'])
		assert.throws(() => parseWritten(text), /^Error: WRITTEN: expected database\.coll/);
});
