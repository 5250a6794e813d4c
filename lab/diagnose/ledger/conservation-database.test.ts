import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenChecks, brokenIn, checksIn } from '../fixtures/checks.ts';
import { endService, factsOf, recordOf } from '../fixtures/record.ts';
import { logAttempt } from '../fixtures/record-requests.ts';
import { crudRecord } from '../fixtures/scenario-records.ts';
import { FROM } from '../fixtures/story.ts';
import { hopsOf } from './hops.ts';

test('a document that MongoDB inserted and lost breaks the last check', () => {
	assert.deepEqual(
		brokenChecks({}, (raw) => {
			raw.database[raw.database.length - 1].documents_exact -= 5;
		}),
		[['MongoDB stored what it inserted', 995, 1000]],
	);
});

test('a database that kept no record is in no check', () => {
	const raw = recordOf();
	raw.database = [];
	assert.ok(checksIn(raw).every(({ statement }) => !statement.includes('MongoDB')));
});

test('where not every answer leaves a document, inserts are compared with the creates alone', () => {
	assert.deepEqual(brokenIn(crudRecord()), []);
	const raw = crudRecord();
	raw.summary.metrics.lab_created.values.count = 440;
	assert.deepEqual(brokenIn(raw), [['MongoDB inserted one document for each good answer to a create', 450, 440]]);
});

test('what MongoDB deleted is compared with the deletes that were answered well', () => {
	const raw = crudRecord();
	raw.summary.metrics.lab_deleted.values.count = 140;
	assert.deepEqual(brokenIn(raw), [['MongoDB deleted one document for each good answer to a delete', 150, 140]]);
});

test('a create that its user gave up may have been inserted all the same', () => {
	const raw = crudRecord();
	const { metrics } = raw.summary;
	Object.assign(metrics, { lab_failed: { values: { count: 5 } }, lab_failed_kind_unanswered: { values: { count: 5 } } });
	metrics.lab_created.values.count -= 5;
	metrics.lab_ok.values.count -= 5;
	raw.failures = Array.from({ length: 5 }, (_, at) => ({
		id: `u${at}`,
		t: FROM + 9,
		waited_s: 1,
		status: 0,
		code: 1000,
		kind: 'unanswered',
	}));
	for (const { id } of raw.failures) logAttempt(raw, id, { outcome: 'answered', status: 201 });
	assert.deepEqual(brokenIn(raw), []);
	metrics.lab_created.values.count -= 5;
	assert.deepEqual(
		brokenIn(raw).map(([statement]) => statement),
		['MongoDB inserted one document for each good answer to a create'],
	);
});

test('what is stored is what was inserted less what was deleted', () => {
	const raw = crudRecord();
	raw.database[raw.database.length - 1].documents_exact -= 5;
	assert.deepEqual(brokenIn(raw), [['MongoDB stored what it inserted, less what it deleted', 295, 300]]);
});

test('a database that ended may have inserted what no reading of it tells, and one that did not may not', () => {
	const lose = (ends: boolean) =>
		brokenChecks({}, (raw) => {
			if (ends) endService(raw, 'mongo', 4, { back: 5 });
			for (const row of raw.database.filter(({ t }) => t > FROM + 4)) row.operations = { insert: row.operations.insert - 520 };
		}).map(([statement]) => statement);
	assert.deepEqual(lose(true), []);
	assert.deepEqual(lose(false), ['MongoDB inserted one document for each good answer', 'MongoDB stored what it inserted']);
});

test('what a database had received is not known once it has ended: its counters went with it', () => {
	const received = (ends: boolean) => {
		const raw = recordOf();
		if (ends) {
			endService(raw, 'mongo', 4, { back: 5 });
			for (const row of raw.database.filter(({ t }) => t > FROM + 4)) row.operations = { insert: row.operations.insert - 520 };
		}
		return hopsOf(factsOf(raw)).get('mongo')?.counts.received;
	};
	assert.equal(received(true), null);
	assert.equal(received(false), 1000);
});
