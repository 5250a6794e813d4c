import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.js';
import { writesById, writesOf } from './writes.js';

const IDS = 30_000;
const UNKNOWN = { acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null };

test('without ids, lost writes and ghosts are told by count alone, and duplicates are not known', () => {
  const persisted = (/** @type {number} */ more) => {
    const raw = recordOf();
    raw.database[raw.database.length - 1].documents_exact += more;
    return writesOf(factsOf(raw));
  };
  assert.deepEqual(persisted(0), { acknowledged: 1000, persisted: 1000, unacknowledged: 0, lost: 0, duplicated: null });
  assert.deepEqual(persisted(3), { acknowledged: 1000, persisted: 1003, unacknowledged: 3, lost: 0, duplicated: null });
  assert.deepEqual(persisted(-3), { acknowledged: 1000, persisted: 997, unacknowledged: 0, lost: 3, duplicated: null });
});

test('with ids, a lost write, a ghost and a duplicate are each found among 30,000, where counts alone would agree', () => {
  const ids = Array.from({ length: IDS }, (_, index) => `${index % 2000}-${Math.floor(index / 2000)}`);
  const stored = [...ids.slice(2), 'ghost-1', ids[7]].toReversed();
  assert.equal(stored.length, ids.length);
  assert.deepEqual(writesById(ids, stored), { acknowledged: IDS, persisted: IDS - 1, unacknowledged: 1, lost: 2, duplicated: 1 });
  assert.deepEqual(writesById(ids, ids), { acknowledged: IDS, persisted: IDS, unacknowledged: 0, lost: 0, duplicated: 0 });
});

test('the ids are used when the run recorded them', () => {
  const raw = recordOf();
  Object.assign(raw, { acknowledgedIds: ['1-0', '1-1'], documentIds: ['1-0', '1-0', '2-0'] });
  assert.equal(writesOf(factsOf(raw)).duplicated, null);
  raw.manifest.integrity = true;
  assert.deepEqual(writesOf(factsOf(raw)), { acknowledged: 2, persisted: 2, unacknowledged: 1, lost: 1, duplicated: 1 });
});

test('a document that was taken away again was stored all the same', () => {
  assert.deepEqual(writesOf(factsOf(crudRecord())), { acknowledged: 450, persisted: 450, unacknowledged: 0, lost: 0, duplicated: null });
  const raw = crudRecord();
  raw.database[raw.database.length - 1].documents_exact -= 5;
  assert.equal(writesOf(factsOf(raw)).lost, 5);
});

test("a program's writes are those of writers that ended well, and what their files hold", () => {
  const writes = (/** @type {Parameters<typeof programRecord>} */ ...given) => writesOf(factsOf(programRecord(...given)));
  assert.deepEqual(writes(), { acknowledged: 4000, persisted: 4000, unacknowledged: 0, lost: 0, duplicated: null });
  assert.equal(writes([{}, { stored: 1990 }]).lost, 10);
  assert.equal(writes([{}, { exit_code: 1 }]).unacknowledged, 2000);
});

test('of a database that kept no record only what was acknowledged is known, and without a database nothing is', () => {
  const raw = recordOf();
  raw.database = [];
  assert.deepEqual(writesOf(factsOf(raw)), { ...UNKNOWN, acknowledged: 1000 });
  assert.deepEqual(writesOf(factsOf(poolsRecord())), UNKNOWN);
});

test('a list of ids that is not whole makes no write lost, and one of users that is not makes none of them safe', () => {
  const withIds = (/** @type {(raw: any) => void} */ change) => {
    const raw = recordOf();
    const ids = Array.from({ length: 1000 }, (_, index) => `1-${index}`);
    Object.assign(raw, { acknowledgedIds: ids, documentIds: ids });
    raw.manifest.integrity = true;
    change(raw);
    return writesOf(factsOf(raw));
  };
  const lost = (/** @type {(raw: any) => void} */ change) => withIds(change).lost;
  assert.equal(
    lost(() => {}),
    0,
  );
  // Its observer was killed before it had counted: it counts when all ids are written.
  assert.deepEqual(
    withIds((raw) => {
      raw.documentIds = raw.documentIds.slice(0, 10);
      delete raw.database.at(-1).documents_exact;
    }),
    { ...UNKNOWN, acknowledged: 1000 },
  );
  // Nobody was asked for the ids, such as a set without a primary.
  assert.equal(
    lost((raw) => Object.assign(raw, { documentIds: [] })),
    null,
  );
  assert.equal(
    lost((raw) => Object.assign(raw, { acknowledgedIds: raw.acknowledgedIds.slice(1) })),
    null,
  );
});
