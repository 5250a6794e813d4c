import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { fromColumns } from '../base/columns.ts';
import { NotReadyError } from '../base/errors.ts';
import { unpackJson } from '../base/packed-json.ts';
import { EXAMPLES, EXCERPT_FILE, RECORD } from '../base/paths.ts';
import { readRecord } from './excerpt-file.ts';
import { assertFits } from './fixtures/fits.ts';
import { gradedBy, lifted, liftedManifest, VERSIONS } from './versions.ts';

/** Records of earlier versions, cut from the stored experiments as they once were. */
const OLDER: Record<string, any[]> = JSON.parse(String(brotliDecompressSync(readFileSync(new URL('fixtures/older.br', import.meta.url)))));
const documents = Object.keys(VERSIONS) as (keyof typeof VERSIONS)[];

for (const document of documents)
	test(`an older ${document}.json has the shape of today when it is read, and is the same when it is read again`, () => {
		for (const record of OLDER[document] ?? []) {
			const today = lifted(document, record, '');
			assertFits(document, today);
			assert.deepEqual(lifted(document, today, ''), today);
		}
	});

test('what an older result says stays, what it did not know is not made up, and by whose rules it was graded is kept', () => {
	const [first] = OLDER.result;
	const [one, two] = OLDER.result.map((record) => lifted('result', record, ''));
	assert.deepEqual([gradedBy(one), gradedBy(two), one.schema, two.graded_by], [1, 2, VERSIONS.result, undefined]);
	assert.deepEqual(
		one.ledger.hops.map(({ received }: any) => received),
		first.ledger.tiers.map(({ received }: any) => received),
	);
	assert.deepEqual([one.metrics.refused, two.metrics.refused, one.user_time, two.client], [null, null, null, null]);
});

const secondManifest = (system?: object) => ({
	schema: 2,
	run: 'shop/1',
	...(system ? { system } : {}),
	services: [{ name: 'web', product: 'haproxy', watch: 2 }, { name: 'app-1' }],
});

test('an older manifest says of a user’s system what it is called, and that failures are followed in it', () => {
	const files = ['compose.yaml', 'more.yaml'];
	const titleOf = (more: object) => liftedManifest(secondManifest({ files, ...more }), '').system.title;
	assert.equal(titleOf({}), 'compose.yaml, more.yaml');
	assert.equal(titleOf({ title: 'the shop' }), 'the shop');
	assert.equal(titleOf({ title: 'the shop', arm: { title: 'shop with POOL=8' } }), 'shop with POOL=8');
	const today = liftedManifest(secondManifest({ files }), '');
	assert.deepEqual(today.system, { files, title: 'compose.yaml, more.yaml', is_followed: true });
	assert.deepEqual(liftedManifest(today, ''), today);
});

test('what an older manifest did not say of a system of the lab stays unknown, and one without ids is left as it is', () => {
	const today = liftedManifest(secondManifest(), '');
	assert.deepEqual(today.system, { title: null, is_followed: false });
	assert.deepEqual(today.services, [
		{ name: 'web', product: 'haproxy', watch: 2 },
		{ name: 'app-1', files: null },
	]);
	const { services: _, ...unserved } = secondManifest();
	assert.ok(!('services' in liftedManifest(unserved, '')));
	const first = { schema: 1, run: 'a/1' };
	assert.equal(liftedManifest(first, ''), first);
	assert.throws(() => liftedManifest({ schema: 9 }, 'x/manifest.json'), /x\/manifest\.json: expected at most version 3 of it; found 9/);
});

test('an INVALID result from before its advice was about that has none', () => {
	const [first] = OLDER.result;
	const advice = { ...first, try_next: [{ command: 'make run-2a-slots', why: '' }] };
	const [valid, invalid] = ['VALID', 'INVALID'].map((verdict) =>
		lifted('result', { ...advice, validity: { ...first.validity, verdict } }, ''),
	);
	assert.deepEqual([valid.try_next.length, invalid.try_next.length], [1, 0]);
});

test('a record of a later version is refused, with its place and what to do', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-later-'));
	await writeFile(join(folder, RECORD.result), JSON.stringify({ schema: VERSIONS.result + 1 }));
	await assert.rejects(readRecord(folder, RECORD.result), (error) => {
		assert.ok(error instanceof NotReadyError);
		assert.match(error.message, /result\.json: expected at most version \d+ of it; found \d+, of a later version of Doubletake/);
		assert.match(error.message, /To do: read it with that version/);
		return true;
	});
});

test('all that is stored has the shape of today when it is read', async () => {
	for (const name of readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
		const packed = readFileSync(join(EXAMPLES, name.name, EXCERPT_FILE));
		const records = Object.entries<any>(fromColumns(await unpackJson(packed)));
		for (const [path, record] of records) {
			const document = documents.find((one) => one === basename(path, '.json'));
			if (document) assertFits(document, lifted(document, record, path));
		}
	}
});
