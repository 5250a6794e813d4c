import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from './fixtures/record.ts';
import { measuredOn } from './measured-on.ts';

test('checks that good answers failed, and thresholds that were not met, are reported; no tier lost them', () => {
	const facts = factsOf(recordOf());
	const own = {
		metrics: {
			lab_check_failed: { values: { count: 2 } },
			http_req_failed: { values: {}, thresholds: { 'rate<0.01': { ok: false } } },
			checks: { values: {}, thresholds: { 'rate>0.9': { ok: true } } },
		},
	};
	const notesOf: (scenario: string, summary: object | null) => string[] = (scenario, summary) =>
		measuredOn({ ...facts, raw: { ...facts.raw, manifest: { ...facts.raw.manifest, scenario, warnings: [] }, summary } }).notes;
	const said = [
		'2 answers with a good status failed a check of the script; no tier lost them',
		'thresholds of the script that were not met: http_req_failed: rate<0.01',
	];
	const beside = notesOf('script', null);
	assert.deepEqual(
		notesOf('script', own).filter((note) => !beside.includes(note)),
		said,
	);
	for (const notes of [beside, notesOf('documents', own)])
		assert.deepEqual(
			notes.filter((note) => said.includes(note)),
			[],
		);
});
