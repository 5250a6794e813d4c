import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bearsOut, PROOF_FILE, provedHeadline, readProof } from './proof.ts';

const TROUBLE = { service: 'vault', cause: 'cpu-throttled' };
const PROOF = { schema: 1, run: 'shop/1', outcome: 'proved', sentence: 'Proved.', probes: [], as_it_was: [] };

/** @param text of the file; null: none */
function read(text: string | null) {
	const folder = mkdtempSync(join(os.tmpdir(), 'proof-'));
	try {
		if (text !== null) writeFileSync(join(folder, PROOF_FILE), text);
		return readProof(folder, 'shop/1');
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test('A proof is read beside its run, and none where there is none, where it is damaged, or where it is of another run', () => {
	assert.deepEqual(read(JSON.stringify(PROOF)), PROOF);
	const others = [
		null,
		'',
		'{',
		'null',
		'[]',
		'7',
		JSON.stringify({ ...PROOF, run: 'shop/2' }),
		JSON.stringify({ ...PROOF, probes: 1 }),
		JSON.stringify({ ...PROOF, outcome: 'x' }),
	];
	for (const text of others) assert.equal(read(text), null, String(text));
});

test('It leads the headline where it decides something', () => {
	const probe = { verdict: 'acquitted' } as any;
	const proof = PROOF as any;
	const by = (service: string) => provedHeadline('Some failed.', { ...proof, trouble: TROUBLE, probes: [{ verdict: 'proved', service }] });
	assert.deepEqual([by('vault'), by('lb')], ['Proved. Some failed.', 'Proved. From the run alone: Some failed.']);
	assert.equal(provedHeadline('Some failed.', { ...proof, outcome: 'undecided', sentence: 'Not decided.' }), 'Some failed. Not decided.');
	assert.equal(
		provedHeadline('Some failed.', { ...proof, outcome: 'undecided', sentence: 'Not it.', probes: [probe] }),
		'Not it. Some failed.',
	);
});

test('It bears a diagnosis out where it changed what is accused, in a way that its cause expects to end it', () => {
	const about = (service: string, kind: string, trouble = TROUBLE) =>
		bearsOut({ ...PROOF, trouble, probes: [{ verdict: 'acquitted' }, { verdict: 'proved', service, kind }] } as any);
	assert.ok(about('vault', 'more-of-it') && about('', 'one-user'));
	assert.ok(
		!about('gateway', 'more-of-it') && !about('vault', 'fresh') && !about('vault', 'more-of-it', { ...TROUBLE, cause: 'unexplained' }),
	);
});
