/**
 * A damaged record never ends in a trace, never says something else without a doubt, and never knows anything better. Of two real records each
 * file in turn is damaged in some of the ways that there are; the fuzzer tries all (test/fuzz).
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FROZEN, RECORD } from '../../base/paths.ts';
import { filesIn } from '../../base/sources.ts';
import type { Result } from '../../record/types.js';
import { kindsOf, unsealed } from '../fixtures/damage.ts';
import type { Said } from '../fixtures/judged-damage.ts';
import { outcomeOf, wrongIn } from '../fixtures/judged-damage.ts';
import { readRecords, withFiles } from './files.ts';

/** A proxy of a user's system whose networks were recorded, and a shipped system: what is placed by following, and by rules. */
const RECORDS = [
	['cases', 'haproxy-flap'],
	['systems', '2a'],
];

const STORED = (await readRecords(FROZEN, 'systems')).get('2a')?.() ?? {};

/** Of each file, so many ways beside that it is gone. */
const KINDS_EACH = 2;

const withRecord = (files: Record<string, string>, use: (folder: string, whole: Said) => Promise<void>) =>
	withFiles(files, async (folder) => {
		const whole = await outcomeOf(folder);
		assert.ok('result' in whole);
		await use(folder, whole);
	});

for (const [group, name] of RECORDS) {
	const files = (await readRecords(FROZEN, group)).get(name)?.() ?? {};

	test(`${name}: whatever befalls a file, nothing is said otherwise without a doubt, and nothing is known better`, () =>
		withRecord(files, async (folder, whole) => {
			assert.equal(whole.result.validity.reasons.filter((reason) => reason.includes('raw/')).length, 0);
			for (const [index, path] of filesIn(folder).entries()) {
				const [gone, ...others] = kindsOf(path);
				const some = others.filter((_, at) => (at + index) % Math.floor(others.length / KINDS_EACH) === 0);
				for (const [kind, damage] of [gone, ...some]) {
					const file = join(folder, path);
					const before = readFileSync(file);
					const after = damage(before);
					if (after === null) rmSync(file);
					else writeFileSync(file, after);
					const now = await outcomeOf(folder, { isRendered: kind === gone[0] });
					assert.deepEqual(wrongIn(whole, now), [], `${path}, ${kind}`);
					if ('result' in now && path !== RECORD.manifest && after?.equals(before) !== true)
						assert.ok(
							now.result.validity.reasons.some((reason) => reason.startsWith(`${path} `)),
							`${path}, ${kind}: ${now.result.validity.reasons.join('\n')}`,
						);
					writeFileSync(file, before);
				}
			}
		}));

	test(`${name}: of a record that does not say how its files were left, none ends in a trace`, () =>
		withRecord(unsealed(files), async (folder) => {
			for (const [index, path] of filesIn(folder).entries()) {
				const kinds = kindsOf(path);
				const [kind, damage] = kinds[index % kinds.length];
				const file = join(folder, path);
				const before = readFileSync(file);
				writeFileSync(file, damage(before) ?? '');
				const now = await outcomeOf(folder);
				assert.ok('result' in now || now.refused.includes('To do: '), `${path}, ${kind}`);
				writeFileSync(file, before);
			}
		}));
}

async function without(name: string, path: string): Promise<Result> {
	const [group] = RECORDS.find((one) => one[1] === name) ?? [];
	const files = (await readRecords(FROZEN, String(group))).get(name)?.() ?? {};
	return withFiles(files, async (folder) => {
		rmSync(join(folder, path));
		const now = await outcomeOf(folder);
		assert.ok('result' in now);
		return now.result;
	});
}

test('without what the users wrote nobody says that all requests were answered well, or that none failed', async () => {
	for (const name of ['haproxy-flap', '2a']) {
		const { headline, metrics, validity } = await without(name, 'raw/k6.log');
		assert.equal(headline, 'How the requests of the load ended is not on record: raw/k6.log is missing.');
		assert.deepEqual([metrics.failure_rate, validity.verdict], [null, 'INVALID']);
	}
});

test('without the record of the wire it is said that it is missing, and not that none was made', async () => {
	const { headline, validity, ledger } = await without('haproxy-flap', 'raw/wire.ndjson.gz');
	assert.match(ledger.unattributed_reason, /^what passed the networks was recorded, and raw\/wire\.ndjson\.gz is missing/);
	assert.ok(ledger.unattributed > 0 && validity.reasons.some((reason) => reason.startsWith('raw/wire.ndjson.gz is missing')));
	assert.match(headline, /^The record is not whole, so that all of this may be otherwise: raw\/wire\.ndjson\.gz is missing\./);
});

test('what a log that is gone would have said is not proved by the others', async () => {
	const { headline, ledger } = await without('2a', 'raw/nginx-error.log');
	for (const { basis } of ledger.failures)
		assert.deepEqual([Object.keys(basis.where), Object.keys(basis.why)], [['inferred'], ['inferred']]);
	assert.doesNotMatch(headline, /proved|refused no connections/);
});

test('a manifest of a later version is refused in words, and so is one that was changed', () =>
	withFiles(STORED, async (folder) => {
		const file = join(folder, RECORD.manifest);
		const manifest = JSON.parse(readFileSync(file, 'utf8'));
		for (const [change, expected] of [
			[{ schema: 99 }, /expected at most version 3 of it; found 99, of a later version of Doubletake/],
			[{ seal: undefined, load_ended_s: 1e15 }, /found no load_ended_s in it that is within a week of its begin/],
			[{ seal: undefined, shape: { stages: Array(20_000).fill({ duration_s: 0 }) } }, /found no shape in it/],
			[{ interrupted: true }, /found that something in it was changed afterwards/],
		] as [object, RegExp][]) {
			writeFileSync(file, JSON.stringify({ ...manifest, ...change }));
			const now = await outcomeOf(folder);
			assert.match('refused' in now ? now.refused : '', expected);
		}
	}));
